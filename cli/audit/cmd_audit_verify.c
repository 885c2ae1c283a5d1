#include "cli/audit/cmd_audit_verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "cli/args.h"
#include "cli/audit/audit_pages.h"
#include "cli/daemon/client.h"
#include "cli/say.h"
#include "project/audit_chain.h"
#include "project/audit_cross.h"

#define PROBLEMS_MAX	1000u	/* listed; all are counted */
#define GONE_MS		(UINT64_C(24) * 3600 * 1000)	/* without new copies: the node may be gone */

static const struct span none = { NULL, 0 };

/* One audit that is read: this node's own, a copy of a node's, or a file. */
struct verify_run {
	struct audit_check	check;
	struct verify_all		*all;
	struct audit_cross_chain *cross;	/* NULL: it is the only one */
	uint64_t		last;		/* when the check began; later entries are ignored */
	char			began[25];	/* the time of the first entry */
};

/* What was found in all of them. */
struct verify_all {
	struct cli		*cli;
	struct audit_cross	*cross;
	struct buf		json, nodes;	/* the problems, and the audits */
	struct text_table	*table;
	size_t			listed, audits;
	uint64_t		entries, problems;
	bool			outside;	/* this node's key is from outside */
};

static void
list_problem(struct verify_all *v, const char *node, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	v->problems++;
	if (v->listed++ >= PROBLEMS_MAX)
		return;
	json_put_object(&v->json, NULL);
	if (node != NULL)
		json_put_cstr(&v->json, "node", node);
	json_put_uint(&v->json, "seq", seq);
	json_put_cstr(&v->json, "kind", audit_problem_name(kind));
	json_put_cstr(&v->json, "message", message);
	json_end_object(&v->json);
	table_row(v->table);
	if (node != NULL)
		table_cell(v->table, span_str(node));
	table_cellf(v->table, "%llu", (unsigned long long)seq);
	table_cell(v->table, span_str(audit_problem_name(kind)));
	table_cell(v->table, span_str(message));
}

static void
on_cross(void *arg, const char *node, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	list_problem(arg, node, seq, kind, message);
}

static void
on_problem(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	struct verify_run *run = arg;

	list_problem(run->all, run->cross == NULL ? NULL : audit_cross_name(run->cross), seq, kind, message);
}

static void
on_checkpoint(void *arg, uint64_t seq, const uint8_t hash[AUDIT_HASH], enum audit_trust trust,
    const struct mp_value *policy)
{
	struct verify_run *run = arg;

	if (run->cross == NULL)
		return;
	audit_cross_checkpoint(run->cross, seq, hash, trust, policy);
	if (trust != AUDIT_UNSIGNED && run->check.sealed)
		audit_cross_sealed(run->cross);
}

/* id NULL: the chain's own checkpoints have it. */
static struct verify_run
run_begin(struct verify_all *v, const uint8_t *id, const char *name)
{
	struct verify_run run = { .all = v, .check = { .problem = on_problem, .checkpoint = on_checkpoint } };

	if (v->cross != NULL)
		run.cross = audit_cross_begin(v->cross, id, name);
	return run;
}

static bool
verify_take(void *arg, const struct audit_line *row)
{
	struct verify_run *run = arg;

	if (row->seq > run->last)
		return false;
	audit_check_entry(&run->check, row->seq, row->text, row->hash);
	return true;
}

static void
put_hex(struct buf *out, const char *name, bool is, const uint8_t *bytes, size_t n)
{
	struct buf hex = { .max = 0 };

	audit_hex(&hex, bytes, n);
	json_put_cstr(out, name, is ? buf_cstr(&hex) : NULL);
	buf_fini(&hex);
}

/* newest: what a record with a MAC names as the last entry; may be NULL. */
static void
run_end(struct verify_run *run, const char *what, const struct audit_point *newest)
{
	const struct audit_check *k = &run->check;
	struct buf *out = &run->all->nodes;

	audit_check_end(&run->check);
	run->all->entries += k->entries;
	run->all->audits++;
	if (run->cross == NULL)
		return;
	audit_cross_ends(run->cross, k,
	    newest != NULL && newest->seq == k->last_seq && memcmp(newest->hash, k->last_hash, AUDIT_HASH) == 0);
	json_put_object(out, NULL);
	json_put_cstr(out, "node", audit_cross_name(run->cross));
	json_put_cstr(out, "of", what);
	json_put_uint(out, "entries", k->entries);
	json_put_known(out, "first_seq", k->entries > 0, k->first_seq);
	json_put_known(out, "last_seq", k->entries > 0, k->last_seq);
	put_hex(out, "head", k->entries > 0, k->last_hash, AUDIT_HASH);
	json_put_uint(out, "checkpoints", k->checkpoints);
	put_hex(out, "key", k->has_key, k->key, AUDIT_PUBLIC);
	json_end_object(out);
}

static bool
hex_member(struct view result, const char *name, uint8_t *out, size_t n)
{
	struct buf text = { .max = 0 };
	bool good;

	view_text(view_get(result, name), &text);
	good = audit_unhex(buf_view(&text), out, n);
	buf_fini(&text);
	return good;
}

static void
read_ends(struct view now, struct audit_ends *e)
{
	e->heads = (unsigned)view_uint(view_get(now, "heads"), 0);
	e->head_is = (enum audit_witness)view_uint(view_get(now, "headIs"), AUDIT_ABSENT);
	e->head.seq = view_uint(view_get(now, "headSeq"), 0);
	e->copy_is = (enum audit_witness)view_uint(view_get(now, "copyIs"), AUDIT_ABSENT);
	e->known.seq = view_uint(view_get(now, "knownSeq"), 0);
	e->mark_is = (enum audit_witness)view_uint(view_get(now, "markIs"), AUDIT_ABSENT);
	e->mark = view_uint(view_get(now, "mark"), 0);
	e->used = view_true(view_get(now, "used"));
	(void)hex_member(now, "headHash", e->head.hash, AUDIT_HASH);
	(void)hex_member(now, "knownHash", e->known.hash, AUDIT_HASH);
}

static int
verify_store(struct verify_all *v, struct client *c, struct verify_run *run)
{
	struct audit_expected *e = &run->check.expected;
	struct audit_point newest;
	struct view now;
	struct err err;
	struct audit_look l = { .cli = v->cli, .client = c, .from = 0 };

	run->check.arg = run;
	if (client_tool(c, "audit_state", MP_EMPTY_MAP, NULL, NULL, &now, &err) != 0) {
		(void)cli_fail(CLI_FAILED, "%s", err.message);
		return -1;
	}
	run->last = view_uint(view_get(now, "lastSeq"), 0);
	e->whole = true;
	read_ends(now, &e->ends);
	e->has_key = hex_member(now, "publicKey", e->key, AUDIT_PUBLIC);
	v->outside = view_true(view_get(now, "keyOutside"));
	if (run->last > 0 && audit_pages_each(&l, verify_take, run) != 0)
		return -1;
	newest = audit_ends_top(&e->ends);
	run_end(run, "audit", &newest);
	return 0;
}

/* The next line, of which no more is kept than shows that it is too long; false: after the last. */
static bool
read_line(FILE *f, struct buf *line)
{
	int c;

	buf_reset(line, SIZE_MAX);
	while ((c = getc_unlocked(f)) != EOF && c != '\n')
		if (line->len < AUDIT_LINE_MAX + 2)
			buf_byte(line, (uint8_t)c);
	return c != EOF || line->len > 0;
}

static int
verify_file(struct verify_run *run, const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct buf text = { .max = 0 }, line = { .max = 0 };
	struct span hash;
	bool failed;

	run->check.arg = run;
	if (f == NULL) {
		(void)cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
		return -1;
	}
	while (read_line(f, &line)) {
		if (line.len == 0)
			continue;
		if (audit_line_read(buf_view(&line), &text, &hash))
			audit_check_entry(&run->check, 0, buf_view(&text), hash);
		else
			audit_check_entry(&run->check, 0, none, none);
	}
	buf_fini(&line);
	buf_fini(&text);
	failed = ferror(f) != 0;
	if (f != stdin)
		(void)fclose(f);
	if (!failed) {
		run_end(run, "file", NULL);
		return 0;
	}
	(void)cli_fail(CLI_FAILED, "%s could not be read to its end", path);
	return -1;
}

/* A chain as audit_nodes has it. */
struct verify_chain {
	char		chain[2 * AUDIT_CHAIN + 1];
	const char	*node;
	uint8_t		id[AUDIT_CHAIN], hash[AUDIT_HASH];
	uint64_t	seq, kept, last, days, age_ms;
	bool		vouched, own;
};

static struct verify_chain
read_chain(struct cli *cli, struct view v)
{
	struct verify_chain c = { .node = view_cstr(cli->arena, view_get(v, "node"), ""),
		.seq = view_uint(view_get(v, "seq"), 0), .kept = view_uint(view_get(v, "kept"), 0),
		.last = view_uint(view_get(v, "lastSeq"), 0), .days = view_uint(view_get(v, "days"), 0),
		.age_ms = view_uint(view_get(v, "ageMs"), 0), .vouched = view_true(view_get(v, "vouched")),
		.own = view_true(view_get(v, "own")) };

	snprintf(c.chain, sizeof(c.chain), "%s", view_cstr(cli->arena, view_get(v, "chain"), ""));
	(void)hex_member(v, "chain", c.id, AUDIT_CHAIN);
	(void)hex_member(v, "hash", c.hash, AUDIT_HASH);
	return c;
}

static bool
copy_take(void *arg, const struct audit_line *row)
{
	struct verify_run *run = arg;

	if (row->seq > run->last)
		return false;
	if (run->check.entries == 0)
		snprintf(run->began, sizeof(run->began), "%s",
		    view_cstr(run->all->cli->arena, view_get(view_of(row->text), "at"), ""));
	audit_check_entry(&run->check, row->seq, row->vouched ? row->text : none, row->hash);
	return true;
}

/* The first entry is the first that the node kept; of a node that is gone, the first that its retention would keep. */
static void
check_front(struct verify_run *run, const struct verify_chain *c)
{
	uint64_t kept = c->kept > 0 ? c->kept : 1, limit_ms = clock_unix_ms() - c->days * 24 * 3600 * 1000;
	char limit[25];

	clock_iso8601(limit_ms, limit);
	if (run->check.entries == 0 || run->check.first_seq <= kept ||
	    (c->age_ms > GONE_MS && strcmp(run->began, limit) < 0))
		return;
	on_problem(run, kept, AUDIT_MISSING,
	    "The oldest entries of the copy are gone, and retention would have kept them.");
}

static void
check_back(struct verify_run *run, const struct verify_chain *c)
{
	const struct audit_check *k = &run->check;

	if (!c->vouched)
		on_problem(run, c->seq, AUDIT_HEAD,
		    "The record of how far this audit is copied was not written by a node with this root key.");
	else if (k->last_seq < c->seq)
		on_problem(run, k->last_seq + 1, AUDIT_MISSING, "The newest entries of the copy are gone.");
	else if (k->last_seq == c->seq && memcmp(k->last_hash, c->hash, AUDIT_HASH) != 0)
		on_problem(run, c->seq, AUDIT_CHANGED, "The newest entry of the copy is not the one that was copied.");
	if (c->last > c->seq)
		on_problem(run, c->seq + 1, AUDIT_INSERTED, "Entries stand behind the newest one that was copied.");
}

static int
verify_copy(struct verify_all *v, struct client *client, const struct verify_chain *c)
{
	struct audit_look l = { .cli = v->cli, .client = client, .chain = c->chain, .from = c->kept };
	struct verify_run run = run_begin(v, c->id, c->node);
	struct audit_point newest = { .seq = c->seq };

	memcpy(newest.hash, c->hash, AUDIT_HASH);
	run.check.arg = &run;
	run.check.expected.named = c->vouched;
	run.last = c->seq;
	if (audit_pages_each(&l, copy_take, &run) != 0)
		return -1;
	run_end(&run, "copy", c->vouched ? &newest : NULL);
	check_front(&run, c);
	check_back(&run, c);
	return 0;
}

/* This node's own is read from its file, and its copy has to be the same. */
static int
verify_own(struct verify_all *v, struct client *client, const struct verify_chain *c)
{
	struct verify_run run = run_begin(v, c == NULL ? NULL : c->id, c == NULL ? "this node" : c->node);

	if (verify_store(v, client, &run) != 0)
		return -1;
	if (c != NULL && c->vouched && run.check.last_seq < c->seq)
		on_problem(&run, run.check.last_seq + 1, AUDIT_MISSING,
		    "The newest entries are gone here: the copy in the store has more of them.");
	return 0;
}

/* The chains as they are now, into *out; -1: said why. */
static int
read_chains(struct verify_all *v, struct client *client, struct verify_chain **out, size_t *n)
{
	struct view result, row;
	struct view_iter it;
	struct err err;
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	if (client_tool(client, "audit_nodes", MP_EMPTY_MAP, NULL, NULL, &result, &err) != 0) {
		(void)cli_fail(CLI_FAILED, "%s", err.message);
		return -1;
	}
	for (it = view_iter(view_get(result, "chains")); view_next(&it, &row); ++*n) {
		*out = mem_grow(*out, *n, &cap, sizeof(**out));
		(*out)[*n] = read_chain(v->cli, row);
	}
	return 0;
}

/* Retention may remove entries while others are read: where it is now. */
static int
read_kept(struct verify_all *v, struct client *client, struct verify_chain *c)
{
	struct verify_chain *now;
	size_t n;

	if (read_chains(v, client, &now, &n) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (now[i].vouched && strcmp(now[i].chain, c->chain) == 0 && now[i].kept > c->kept && c->vouched)
			c->kept = now[i].kept;
	free(now);
	return 0;
}

static int
verify_own_first(struct verify_all *v, struct client *client)
{
	struct verify_chain *chains, *own = NULL;
	size_t n;
	int status;

	if (read_chains(v, client, &chains, &n) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (chains[i].own)
			own = &chains[i];
	status = verify_own(v, client, own);
	free(chains);
	return status;
}

/*
 * This node's file first: what it says of other nodes is then in the copies, which are read as of one moment after it.
 * What the file must have is what was copied before it was read.
 */
static int
verify_nodes(struct verify_all *v, struct client *client)
{
	struct verify_chain *chains = NULL;
	size_t n = 0;
	int status;

	v->cross = audit_cross_new();
	status = verify_own_first(v, client);
	if (status == 0)
		status = read_chains(v, client, &chains, &n);
	for (size_t i = 0; i < n && status == 0; i++) {
		status = read_kept(v, client, &chains[i]);
		if (status == 0)
			status = verify_copy(v, client, &chains[i]);
	}
	if (status == 0)
		(void)audit_cross_judge(v->cross, true, on_cross, v);
	free(chains);
	return status;
}

/* Exports of several nodes; of a single one, those of the others are not missed. */
static int
verify_exports(struct verify_all *v)
{
	size_t n = v->cli->noperands;

	v->cross = audit_cross_new();
	for (size_t i = 0; i < n; i++) {
		const char *path = cli_operand(v->cli, i), *base = strrchr(path, '/');
		struct verify_run run = run_begin(v, NULL, base == NULL ? path : base + 1);

		if (verify_file(&run, path) != 0)
			return -1;
	}
	(void)audit_cross_keys(v->cross, on_cross, v);
	(void)audit_cross_judge(v->cross, n > 1, on_cross, v);
	return 0;
}

static int
show_json(const struct verify_all *v, const struct audit_check *k)
{
	struct buf out = { .max = 0 };
	int code;

	json_put_object(&out, NULL);
	json_put_bool(&out, "ok", v->problems == 0);
	json_put_uint(&out, "entries", v->entries);
	if (k != NULL) {
		json_put_known(&out, "first_seq", k->entries > 0, k->first_seq);
		json_put_known(&out, "last_seq", k->entries > 0, k->last_seq);
		put_hex(&out, "head", k->entries > 0, k->last_hash, AUDIT_HASH);
		json_put_uint(&out, "checkpoints", k->checkpoints);
		put_hex(&out, "key", k->has_key, k->key, AUDIT_PUBLIC);
	} else {
		json_put_list(&out, "audits");
		json_put_members(&out, buf_view(&v->nodes));
		json_end_list(&out);
	}
	json_put_list(&out, "problems");
	json_put_members(&out, buf_view(&v->json));
	json_end_list(&out);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
show_one(const struct verify_all *v, const struct audit_check *k)
{
	struct buf head = { .max = 0 };
	int code = cli_print("%s: %llu entries, %llu to %llu, %llu checkpoints\n",
	    v->problems == 0 ? "The chain is whole" : "The chain is broken", (unsigned long long)k->entries,
	    (unsigned long long)k->first_seq, (unsigned long long)k->last_seq, (unsigned long long)k->checkpoints);

	audit_hex(&head, k->last_hash, AUDIT_HASH);
	if (code == CLI_OK && k->entries > 0)
		code = cli_print("head %s\n", buf_cstr(&head));
	buf_fini(&head);
	return code;
}

static int
show_all(const struct verify_all *v)
{
	struct buf list = { .max = 0 };
	struct view_iter it;
	struct view one;
	int code = CLI_OK;

	buf_byte(&list, '[');
	buf_span(&list, buf_view(&v->nodes));
	buf_byte(&list, ']');
	for (it = view_iter(view_of(buf_view(&list))); code == CLI_OK && view_next(&it, &one);)
		code = cli_print("%s (%s): %llu entries, %llu to %llu, %llu checkpoints, key %s\n",
		    view_cstr(v->cli->arena, view_get(one, "node"), ""),
		    view_cstr(v->cli->arena, view_get(one, "of"), ""),
		    (unsigned long long)view_uint(view_get(one, "entries"), 0),
		    (unsigned long long)view_uint(view_get(one, "first_seq"), 0),
		    (unsigned long long)view_uint(view_get(one, "last_seq"), 0),
		    (unsigned long long)view_uint(view_get(one, "checkpoints"), 0),
		    view_cstr(v->cli->arena, view_get(one, "key"), "-"));
	buf_fini(&list);
	if (code == CLI_OK)
		code = cli_print("%s\n",
		    v->problems == 0 ? "The chains are whole, and none contradicts another" : "The chains are broken");
	return code;
}

/* k: of the only chain; NULL: there are several. */
static int
verify_show(const struct verify_all *v, const struct audit_check *k, bool of_store)
{
	int code = CLI_OK;

	if (v->cli->json)
		code = show_json(v, k);
	else {
		if (v->listed > 0)
			code = cli_table(v->table);
		if (code == CLI_OK)
			code = k != NULL ? show_one(v, k) : show_all(v);
	}
	if (v->listed > PROBLEMS_MAX)
		cli_note("%zu problems were found, of which the first %u are listed", v->listed, PROBLEMS_MAX);
	if (of_store && !v->outside)
		cli_note("the audit's key is derived from .carrel/signing.key: who can read that can forge the audit; "
			 "audit.key takes one from outside");
	return code != CLI_OK ? code : v->problems == 0 ? CLI_OK : CLI_FAILED;
}

int
cmd_audit_verify(struct cli *cli)
{
	static const char *const headers[] = { "node", "seq", "kind", "message", NULL };
	const char *file = cli_option(cli, "file");
	bool exports = cli->noperands > 0, all = cli_flag(cli, "all-nodes"), of_store = file == NULL && !exports;
	struct verify_all v = { .cli = cli, .table = table_new(cli->arena, headers + (exports || all ? 0 : 1)) };
	struct verify_run run;
	struct client c;
	int code = CLI_FAILED, status = -1;

	if ((file != NULL) + exports + all > 1)
		return cli_fail(CLI_USAGE, "say --file, or files, or --all-nodes");
	if (of_store && client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	run = run_begin(&v, NULL, "");
	if (exports)
		status = verify_exports(&v);
	else if (file != NULL)
		status = verify_file(&run, file);
	else
		status = all ? verify_nodes(&v, &c) : verify_store(&v, &c, &run);
	if (of_store)
		client_close(&c);
	if (status == 0)
		code = verify_show(&v, exports || all ? NULL : &run.check, of_store);
	audit_cross_free(v.cross);
	buf_fini(&v.json);
	buf_fini(&v.nodes);
	return code;
}
