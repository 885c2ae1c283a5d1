/*
 * audit_tools.c - the audit for the owner: pages of entries, an entry by its receipt, the state of the head.  Each
 * call is short: a client that wants everything asks for page after page, and carrel-auth serves others in between.
 */
#include "base/system/log.h"
#include "base/utf8.h"
#include "workers/auth/audit/audit_filter.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/audit/audit_vouch.h"
#include "workers/auth/auth.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/audit/audit_nodes_tools.h"
#include "workers/auth/audit/audit_tools.h"
#include "workers/auth/store/store.h"
#include "workers/shared/call.h"

#define SCANNED_MAX	1000u	/* entries examined for one page */

static const struct span none = { NULL, 0 };

struct audit_page {
	struct audit	*audit;
	struct audit_vouching vouching;
	struct err	*err;
	bool		 failed;
	struct audit_filter filter;
	size_t		 limit, found, scanned;
	uint64_t	 last;		/* the last examined number */
	struct buf	*rows;
};

static bool
page_see(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct audit_page *p = arg;
	bool vouched;

	p->scanned++;
	p->last = seq;
	if (!audit_filter_wants(&p->filter, text))
		return true;
	p->failed = audit_vouch(p->audit, &p->vouching, seq, text, hash, &vouched, p->err) != 0;
	if (p->failed)
		return false;
	mp_put_array(p->rows, 4);
	mp_put_uint(p->rows, seq);
	/* Show whatever is in the row; invalid UTF-8 shows up in its hash. */
	mp_put_str(p->rows, utf8_valid(text.p, text.len) ? text : SPAN("\xef\xbf\xbd"));
	mp_put_str(p->rows, utf8_valid(hash.p, hash.len) ? hash : SPAN("\xef\xbf\xbd"));
	mp_put_bool(p->rows, vouched);
	return ++p->found < p->limit;
}

/* Look at entries; the newest one is that of the same moment. */
static int
page_scan(struct auth *a, struct audit_page *p, uint64_t from, bool up, size_t n, struct err *err)
{
	int status;

	p->audit = a->audit;
	p->err = err;
	if (store_begin_look(a->own, err) != 0)
		return -1;
	status = audit_vouch_begin(a->audit, &p->vouching, err);
	if (status == 0)
		status = store_audit_rows(a->own, from, up, n, page_see, p, err);
	store_rollback(a->own);
	return p->failed ? -1 : status;
}

int
run_audit_page(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf rows = { .max = 0 }, head = { .max = 0 }, tail = { .max = 0 };
	struct audit_page p = { .rows = &rows };
	bool down = mp_get_bool(args, "down", false);
	uint64_t from = mp_get_uint(args, "from", down ? INT64_MAX : 0);
	size_t mark;
	int status;

	if (mp_get_bool(args, "allNodes", false) || mp_get_str(args, "chain", none).len > 0)
		return audit_nodes_page(c, args, err);
	mark = mp_open_array(&rows);
	audit_filter_read(&p.filter, args);
	p.limit = (size_t)mp_get_uint(args, "limit", 200);
	/* On failure, entries that are still in a journal are not shown. */
	if (audit_settle(a->audit, err) != 0)
		log_warn("audit: the entries of the journals could not be written to the store: %s", err->message);
	status = page_scan(a, &p, from, !down, SCANNED_MAX, err);
	mp_close(&rows, mark, p.found);
	if (status == 0 && (p.found == 0 || call_rows(c, buf_view(&rows), err) == 0)) {
		bool more = p.found == p.limit || p.scanned == SCANNED_MAX;

		mp_put_map(&head, 0);
		mp_put_map(&tail, more && (!down || p.last > 0));
		if (more && (!down || p.last > 0))
			mp_pair_uint(&tail, "next", down ? p.last - 1 : p.last + 1);
		call_result_rows(c, buf_view(&head), "entries", buf_view(&tail));
	} else
		status = -1;
	audit_filter_fini(&p.filter);
	buf_fini(&rows);
	buf_fini(&head);
	buf_fini(&tail);
	return status;
}

int
run_audit_find(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf rows = { .max = 0 }, head = { .max = 0 };
	struct audit_page p = { .rows = &rows, .limit = 1 };
	struct mp_value row, cell;
	struct mp_iter it;
	uint64_t seq;
	int found = audit_find(a->audit, mp_get_str(args, "receipt", none), &seq, err);

	if (found == 0 && mp_get_bool(args, "allNodes", false))
		return audit_nodes_find(c, args, err);
	if (found < 0 || (found > 0 && page_scan(a, &p, seq, true, 1, err) != 0)) {
		buf_fini(&rows);
		return -1;
	}
	mp_put_map(&head, p.found == 0 || p.last != seq ? 0 : 3);
	if (p.found > 0 && p.last == seq && mp_value(buf_view(&rows), &row)) {
		it = mp_iter(&row);
		mp_next(&it, &cell);
		mp_next(&it, &cell);
		mp_pair_str(&head, "entry", cell.s);
		mp_next(&it, &cell);
		mp_pair_str(&head, "hash", cell.s);
		mp_next(&it, &cell);
		mp_pair_bool(&head, "vouched", cell.boolean);
	}
	call_result(c, buf_view(&head));
	buf_fini(&rows);
	buf_fini(&head);
	return 0;
}

void
audit_tools_put_hex(struct buf *out, const char *key, const uint8_t *bytes, size_t n)
{
	struct buf hex = { .max = 0 };

	audit_hex(&hex, bytes, n);
	mp_pair_str(out, key, buf_view(&hex));
	buf_fini(&hex);
}

int
run_audit_state(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct audit_findings found = { .n = 0 };
	struct audit_state now;
	struct buf head = { .max = 0 };
	size_t map;

	(void)args;
	if (audit_look(a->audit, &now, err) != 0)
		return -1;
	audit_ends_check(&now.ends, &found);
	map = mp_open_pairs(&head, mp_bool("sound", found.n == 0), mp_uint("heads", now.ends.heads),
	    mp_uint("headIs", now.ends.head_is), mp_uint("headSeq", now.ends.head.seq));
	audit_tools_put_hex(&head, "headHash", now.ends.head.hash, AUDIT_HASH);
	mp_add_pairs(&head, mp_uint("copyIs", now.ends.copy_is), mp_uint("knownSeq", now.ends.known.seq));
	audit_tools_put_hex(&head, "knownHash", now.ends.known.hash, AUDIT_HASH);
	mp_add_pairs(&head, mp_uint("markIs", now.ends.mark_is), mp_uint("mark", now.ends.mark),
	    mp_bool("used", now.ends.used), mp_uint("firstSeq", now.ends.first), mp_uint("lastSeq", now.ends.last));
	audit_tools_put_hex(&head, "publicKey", now.public, AUDIT_PUBLIC);
	mp_pair_bool(&head, "keyOutside", a->conf.audit_key_outside);
	mp_end(&head, map);
	call_result(c, buf_view(&head));
	buf_fini(&head);
	return 0;
}
