#include "workers/auth/audit/audit_nodes_tools.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "workers/auth/audit/audit_copies.h"
#include "workers/auth/audit/audit_filter.h"
#include "workers/auth/audit/audit_tools.h"
#include "workers/auth/auth.h"
#include "workers/auth/rows_list.h"
#include "workers/shared/call.h"

#define SCANNED_MAX	1000u	/* rows examined for one page */
#define NEWEST		"~"	/* behind each time */
#define UNKNOWN		"?"	/* a node */
#define TIMELESS	"-"	/* in a place: the row has no time */

static const struct span none = { NULL, 0 };

struct nodes_list {
	struct list_rows	 rows;
	struct audit_copies_keys keys;
	const uint8_t		*own;
};

static void
put_chain(void *arg, const struct store_chain *c)
{
	struct nodes_list *l = arg;
	size_t map = mp_open_pairs(&l->rows.out, mp_cstr("node", c->node),
	    mp_bool("own", memcmp(c->id, l->own, AUDIT_CHAIN) == 0),
	    mp_bool("vouched", audit_copies_vouched(&l->keys, c)), mp_uint("seq", c->newest.seq),
	    mp_uint("kept", c->kept), mp_uint("days", c->days), mp_uint("firstSeq", c->first),
	    mp_uint("lastSeq", c->last), mp_uint("ageMs", c->age_ms));

	audit_tools_put_hex(&l->rows.out, "chain", c->id, AUDIT_CHAIN);
	audit_tools_put_hex(&l->rows.out, "hash", c->newest.hash, AUDIT_HASH);
	mp_end(&l->rows.out, map);
	l->rows.n++;
}

int
run_audit_nodes(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct nodes_list l = { .own = audit_copies_id(a->copies) };

	(void)args;
	audit_copies_derive(a->conf.seal_key, &l.keys);
	rows_begin(&l.rows, "chains");
	return rows_end(&l.rows, c, store_chains(a->store, put_chain, &l, err));
}

struct nodes_name {
	uint8_t	chain[AUDIT_CHAIN];
	char	node[STORE_NODE + 1];
};

struct nodes_page {
	struct audit_filter	 filter;
	struct audit_copies_keys keys;
	struct nodes_name	*names;
	size_t			 nnames, cap;
	uint8_t			 chain[AUDIT_CHAIN];	/* of a page of one chain */
	struct store_copies_place place;		/* of the last examined row */
	struct buf		 rows, text;
	size_t			 found, limit, scanned;
};

/* A record that no node wrote names none. */
static void
add_name(void *arg, const struct store_chain *c)
{
	struct nodes_page *p = arg;

	p->names = mem_grow(p->names, p->nnames, &p->cap, sizeof(*p->names));
	memcpy(p->names[p->nnames].chain, c->id, AUDIT_CHAIN);
	snprintf(p->names[p->nnames++].node, STORE_NODE + 1, "%s",
	    audit_copies_vouched(&p->keys, c) ? c->node : UNKNOWN);
}

static const char *
name_of(const struct nodes_page *p, const uint8_t chain[AUDIT_CHAIN])
{
	for (size_t i = 0; i < p->nnames; i++)
		if (memcmp(p->names[i].chain, chain, AUDIT_CHAIN) == 0)
			return p->names[i].node;
	return UNKNOWN;
}

/* Show what the row has; a text that no node of this key wrote is not readable. */
static void
put_row(struct nodes_page *p, const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row, bool opened)
{
	struct span text = opened && utf8_valid(p->text.p, p->text.len) ? buf_view(&p->text) : SPAN("{}");
	char hash[2 * AUDIT_HASH + 1];

	sodium_bin2hex(hash, sizeof(hash), row->hash, AUDIT_HASH);
	mp_put_array(&p->rows, 5);
	mp_put_uint(&p->rows, row->seq);
	mp_put_str(&p->rows, text);
	mp_put_cstr(&p->rows, hash);
	mp_put_bool(&p->rows, opened);
	mp_put_cstr(&p->rows, name_of(p, chain));
	p->found++;
}

static bool
see_down(void *arg, const struct store_copies_place *at, const struct store_copied *row)
{
	struct nodes_page *p = arg;
	bool opened = audit_copies_open(&p->keys, at->chain, row, &p->text);

	p->scanned++;
	p->place = *at;
	/* One that cannot be read may be what is searched for. */
	if (!opened || audit_filter_wants(&p->filter, buf_view(&p->text)))
		put_row(p, at->chain, row, opened);
	return p->found < p->limit;
}

static bool
see_up(void *arg, const struct store_copied *row)
{
	struct nodes_page *p = arg;

	p->scanned++;
	p->place.seq = row->seq;
	put_row(p, p->chain, row, audit_copies_open(&p->keys, p->chain, row, &p->text));
	return p->found < p->limit;
}

/* "TIME CHAIN SEQ" */
static bool
read_place(struct span text, struct store_copies_place *out)
{
	char copy[96], hex[2 * AUDIT_CHAIN + 1];

	snprintf(copy, sizeof(copy), "%.*s", SPAN_FMT(text));
	if (sscanf(copy, "%24s %32s %" SCNu64, out->at, hex, &out->seq) != 3)
		return false;
	if (strcmp(out->at, TIMELESS) == 0)
		out->at[0] = '\0';
	return audit_unhex(span_str(hex), out->chain, AUDIT_CHAIN);
}

static void
put_place(struct buf *out, const struct store_copies_place *at)
{
	char text[96], hex[2 * AUDIT_CHAIN + 1];

	sodium_bin2hex(hex, sizeof(hex), at->chain, AUDIT_CHAIN);
	snprintf(text, sizeof(text), "%s %s %" PRIu64, at->at[0] == '\0' ? TIMELESS : at->at, hex, at->seq);
	mp_pair_cstr(out, "after", text);
}

static int
scan(struct auth *a, struct nodes_page *p, const struct mp_value *args, struct err *err)
{
	struct span chain = mp_get_str(args, "chain", none), after = mp_get_str(args, "after", none);
	struct store_copies_place from = { .at = NEWEST };

	if (chain.len > 0)
		return audit_unhex(chain, p->chain, AUDIT_CHAIN) ?
		    store_copies_up(a->store, p->chain, mp_get_uint(args, "from", 0), p->limit, see_up, p, err) :
		    err_set(err, ERR_INVALID_ARGUMENTS, "chain is 32 hexadecimal digits, as audit_nodes has them");
	if (after.len > 0 && !read_place(after, &from))
		return err_set(err, ERR_INVALID_ARGUMENTS, "after is what a page before ended with");
	if (after.len == 0 && p->filter.until.len > 0)
		snprintf(from.at, sizeof(from.at), "%.*s", SPAN_FMT(p->filter.until));
	return store_copies_down(a->store, &from, p->filter.since, SCANNED_MAX, see_down, p, err);
}

/* What is left to be asked for: of one chain by a number, of all by a place. */
static void
put_rest(struct nodes_page *p, bool of_chain, struct buf *tail)
{
	size_t map = mp_open_map(tail);

	if (of_chain && p->found == p->limit)
		mp_pair_uint(tail, "next", p->place.seq + 1);
	else if (!of_chain && (p->found == p->limit || p->scanned == SCANNED_MAX))
		put_place(tail, &p->place);
	mp_end(tail, map);
}

int
audit_nodes_page(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct nodes_page p = { .limit = (size_t)mp_get_uint(args, "limit", 200) };
	struct buf head = { .max = 0 }, tail = { .max = 0 };
	size_t mark = mp_open_array(&p.rows);
	int status;

	audit_copies_derive(a->conf.seal_key, &p.keys);
	audit_filter_read(&p.filter, args);
	status = store_chains(a->store, add_name, &p, err);
	if (status == 0)
		status = scan(a, &p, args, err);
	mp_close(&p.rows, mark, p.found);
	if (status == 0 && (p.found == 0 || call_rows(c, buf_view(&p.rows), err) == 0)) {
		mp_end(&head, mp_open_map(&head));
		put_rest(&p, mp_get_str(args, "chain", none).len > 0, &tail);
		call_result_rows(c, buf_view(&head), "entries", buf_view(&tail));
	} else
		status = -1;
	audit_filter_fini(&p.filter);
	free(p.names);
	buf_fini(&p.rows);
	buf_fini(&p.text);
	buf_fini(&head);
	buf_fini(&tail);
	return status;
}

struct nodes_found {
	struct nodes_page	page;	/* for its keys and names */
	struct span		receipt;
	struct buf		head;
	bool			found;
};

static bool
see_receipt(void *arg, const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row)
{
	struct nodes_found *f = arg;
	char hash[2 * AUDIT_HASH + 1];

	/* What cannot be read is not the entry that is asked for: `carrel audit verify --all-nodes` names it. */
	if (!audit_copies_open(&f->page.keys, chain, row, &f->page.text) ||
	    memmem(f->page.text.p, f->page.text.len, f->receipt.p, f->receipt.len) == NULL)
		return true;
	sodium_bin2hex(hash, sizeof(hash), row->hash, AUDIT_HASH);
	mp_put_pairs(&f->head, mp_str("entry", buf_view(&f->page.text)), mp_cstr("hash", hash),
	    mp_bool("vouched", true), mp_cstr("node", name_of(&f->page, chain)));
	f->found = true;
	return false;
}

int
audit_nodes_find(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct nodes_found f = { .receipt = mp_get_str(args, "receipt", none) };
	uint64_t number = audit_receipt_number(f.receipt);
	int status;

	audit_copies_derive(a->conf.seal_key, &f.page.keys);
	status = store_chains(a->store, add_name, &f.page, err);
	if (status == 0 && number != 0)
		status = store_copies_receipt(a->store, number, see_receipt, &f, err);
	if (status == 0) {
		if (!f.found)
			mp_end(&f.head, mp_open_map(&f.head));
		call_result(c, buf_view(&f.head));
	}
	free(f.page.names);
	buf_fini(&f.page.text);
	buf_fini(&f.head);
	return status;
}
