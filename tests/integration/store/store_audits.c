/* store_audits.c - the audits of nodes, copied into the store that they share, and vouched for by each other. */
#include <poll.h>
#include <signal.h>

#include <sodium.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "project/audit_cross.h"
#include "tests/integration/store/store_pair.h"
#include "workers/auth/audit/audit_copies.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_copy.h"

static struct err err;
static const uint8_t key[AUDIT_COPIES_KEY] = { 9, 8, 7 };

struct audited {
	struct store		*own, *shared;
	char			 path[100];
	struct audit		*audit;
	struct audit_copies	*copies;
};

static struct audited nodes[2];
static uint64_t now_ns;

/* --- nodes -------------------------------------------------------------------------------------- */

static void
node_begin(struct audited *n, const char *name)
{
	struct audit_settings s = { .path = n->path, .retention_days = 90 };

	memset(s.mac_key, 1, sizeof(s.mac_key));
	memset(s.sign_seed, 2, sizeof(s.sign_seed));
	n->audit = audit_new(n->own, &s);
	n->copies = audit_copies_new(&(struct audit_copies_settings){ .audit = n->audit, .own = n->own,
	    .shared = n->shared, .node = name, .key = key, .retention_days = 90 });
	assert_non_null(n->copies);
}

static void
node_end(struct audited *n)
{
	audit_copies_free(n->copies);
	audit_free(n->audit);
	n->copies = NULL;
	n->audit = NULL;
}

static int
audits_set_up(void **state)
{
	struct store_pair *r;

	assert_true(sodium_init() >= 0);
	assert_int_equal(pair_set_up((void **)&r), 0);
	now_ns = clock_ns();
	for (int i = 0; i < 2; i++) {
		nodes[i] = (struct audited){ .own = r->local[i], .shared = i == 0 ? r->a : r->b };
		snprintf(nodes[i].path, sizeof(nodes[i].path), "%s/%d.db", r->dir, i + 1);
		node_begin(&nodes[i], i == 0 ? "a" : "b");
	}
	*state = r;
	return 0;
}

static int
audits_tear_down(void **state)
{
	for (int i = 0; i < 2; i++)
		if (nodes[i].audit != NULL)
			node_end(&nodes[i]);
	return pair_tear_down(state);
}

static void
append(struct audited *n, unsigned entries)
{
	must(store_begin(n->own, &err));
	for (unsigned i = 0; i < entries; i++) {
		struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
		static unsigned serial;
		char receipt[24];

		snprintf(receipt, sizeof(receipt), "r-0000abcd-%x", ++serial);
		e.receipt = span_str(receipt);
		e.target = SPAN("sql_execution");
		e.statement = SPAN("SELECT name FROM patients");
		must(audit_append(n->audit, &e, &err));
	}
	must(store_commit(n->own, &err));
}

static void
tend(struct audited *n, unsigned ms)
{
	now_ns += ms * CLOCK_MS;
	audit_idle(n->audit, now_ns);
	audit_copies_tend(n->copies, now_ns);
}

static uint64_t
last_of(const struct audited *n)
{
	uint64_t first, last;

	must(store_audit_bounds(n->own, &first, &last, &err));
	return last;
}

static uint64_t
copied_of(const char *node)
{
	char sql[160];

	snprintf(sql, sizeof(sql), "SELECT coalesce(max(seq), 0) FROM carrel.audit_chain WHERE node = '%s'", node);
	return pair_number(sql);
}

static void
copy_all(struct audited *n, const char *node)
{
	tend(n, 1000);
	for (unsigned i = 0; i < 3000 && (copied_of(node) < last_of(n) || audit_copies_lag(n->copies).entries > 0);
	     i++) {
		tend(n, 100);
		(void)poll(NULL, 0, 1);
	}
	assert_int_equal(copied_of(node), last_of(n));
	tend(n, 1000); /* the answer is heard, and the lag measured */
	assert_int_equal(audit_copies_lag(n->copies).entries, 0);
}

/* --- what `carrel audit verify --all-nodes` does ------------------------------------------------- */

static struct {
	unsigned	n;
	unsigned	kinds[AUDIT_HEAD + 1];
	char		nodes[64];	/* of the problems, one letter each */
	uint64_t	seq;		/* of the last one */
} found;

static void
on_cross(void *arg, const char *node, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	(void)arg, (void)message;
	found.n++;
	found.kinds[kind]++;
	found.seq = seq;
	snprintf(found.nodes + strlen(found.nodes), sizeof(found.nodes) - strlen(found.nodes), "%s", node);
}

static void
on_problem(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	on_cross(NULL, audit_cross_name(arg), seq, kind, message);
}

static void
on_checkpoint(void *arg, uint64_t seq, const uint8_t hash[AUDIT_HASH], enum audit_trust trust,
    const struct mp_value *policy)
{
	audit_cross_checkpoint(arg, seq, hash, trust, policy);
}

static struct audit_copies_keys keys;
static struct store_chain chains[8];
static size_t nchains;

static void
keep_chain(void *arg, const struct store_chain *c)
{
	(void)arg;
	chains[nchains++] = *c;
}

struct reading {
	struct audit_check	check;
	struct audit_cross_chain *cross;
	const struct store_chain *chain;
};

static bool
check_row(void *arg, const struct store_copied *row)
{
	struct reading *g = arg;
	struct buf text = { 0 }, hash = { 0 };

	audit_hex(&hash, row->hash, AUDIT_HASH);
	if (!audit_copies_open(&keys, g->chain->id, row, &text))
		on_problem(g->cross, row->seq, AUDIT_CHANGED, "cannot be read");
	else
		audit_check_entry(&g->check, row->seq, buf_view(&text), buf_view(&hash));
	buf_fini(&text);
	buf_fini(&hash);
	return true;
}

static unsigned
verify(struct store *s)
{
	struct audit_cross *x = audit_cross_new();

	audit_copies_derive(key, &keys);
	memset(&found, 0, sizeof(found));
	nchains = 0;
	must(store_chains(s, keep_chain, NULL, &err));
	for (size_t i = 0; i < nchains; i++) {
		struct reading g = { .chain = &chains[i] };

		g.cross = audit_cross_begin(x, chains[i].id, chains[i].node);
		g.check.problem = on_problem;
		g.check.checkpoint = on_checkpoint;
		g.check.arg = g.cross;
		if (!audit_copies_vouched(&keys, &chains[i]))
			on_problem(g.cross, chains[i].newest.seq, AUDIT_HEAD, "not a node's word");
		must(store_copies_up(s, chains[i].id, chains[i].kept, 1000000, check_row, &g, &err));
		audit_check_end(&g.check);
		if (g.check.last_seq < chains[i].newest.seq)
			on_problem(g.cross, g.check.last_seq, AUDIT_MISSING, "the end is gone");
		audit_cross_ends(g.cross, &g.check,
		    audit_copies_vouched(&keys, &chains[i]) && g.check.last_seq == chains[i].newest.seq &&
			memcmp(g.check.last_hash, chains[i].newest.hash, AUDIT_HASH) == 0);
	}
	(void)audit_cross_judge(x, true, on_cross, NULL);
	audit_cross_free(x);
	return found.n;
}

/* --- copying ------------------------------------------------------------------------------------ */

static bool
same_as_copy(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct buf *all = arg;

	buf_printf(all, "%llu ", (unsigned long long)seq);
	buf_span(all, hash);
	buf_span(all, text);
	return true;
}

static bool
same_as_row(void *arg, const struct store_copied *row)
{
	struct buf *all = arg, text = { 0 };

	assert_true(audit_copies_open(&keys, chains[0].id, row, &text));
	buf_printf(all, "%llu ", (unsigned long long)row->seq);
	audit_hex(all, row->hash, AUDIT_HASH);
	buf_span(all, buf_view(&text));
	buf_fini(&text);
	return true;
}

/* Every entry, once, as it is in the file; the database can read none. */
static void
test_all_is_copied(void **state)
{
	struct store_pair *r = *state;
	struct buf own = { 0 }, copy = { 0 };

	append(&nodes[0], 1300);
	tend(&nodes[0], 1);
	assert_true(pair_number("SELECT count(*) FROM carrel.audit_copy") == 0 || last_of(&nodes[0]) > 0);
	copy_all(&nodes[0], "a");
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[0]));
	assert_int_equal(verify(r->b), 0);
	assert_int_equal(nchains, 1);
	must(store_audit_rows(nodes[0].own, 0, true, 10000, same_as_copy, &own, &err));
	must(store_copies_up(r->b, chains[0].id, 0, 10000, same_as_row, &copy, &err));
	assert_int_equal(own.len, copy.len);
	assert_memory_equal(own.p, copy.p, own.len);
	assert_int_equal(
	    pair_number("SELECT count(*) FROM carrel.audit_copy WHERE position('patients'::bytea IN entry) > 0"), 0);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy WHERE receipt IS NULL"),
	    pair_number("SELECT count(*) FROM carrel.audit_copy WHERE checkpoint = 1"));
	buf_fini(&own);
	buf_fini(&copy);
}

static bool
keep_text(void *arg, const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row)
{
	(void)chain;
	*(uint64_t *)arg = row->seq;
	return false;
}

static bool
count_row(void *arg, const struct store_copies_place *at, const struct store_copied *row)
{
	struct store_copies_place *last = arg;

	(void)row;
	assert_true(last->at[0] == '\0' || strcmp(at->at, last->at) <= 0);
	*last = *at;
	return true;
}

static void
test_looked_up(void **state)
{
	struct store_pair *r = *state;
	struct store_copies_place from = { .at = "~" }, last = { .at = "" };
	uint64_t seq = 0, seen;

	append(&nodes[0], 5);
	append(&nodes[1], 5);
	copy_all(&nodes[0], "a");
	copy_all(&nodes[1], "b");
	seen = pair_number("SELECT receipt FROM carrel.audit_copy WHERE seq = 3 LIMIT 1");
	must(store_copies_receipt(r->b, seen, keep_text, &seq, &err));
	assert_int_equal(seq, 3);
	/* The newest of all first, page after page. */
	for (unsigned i = 0; i < 5; i++) {
		must(store_copies_down(r->a, &from, SPAN(""), 2, count_row, &last, &err));
		from = last;
	}
	must(store_copies_down(r->a, &from, SPAN(""), 2, count_row, &last, &err));
	assert_memory_equal(&from, &last, sizeof(last));
}

/* Processes that die with a batch on its way, and two of one node at the same time: nothing twice, nothing missing. */
static void
test_killed_while_copying(void **state)
{
	struct store_pair *r = *state;

	for (int i = 0; i < 6; i++) {
		int status;
		pid_t child;

		append(&nodes[0], 300);
		audit_idle(nodes[0].audit, now_ns += CLOCK_SECOND);
		if ((child = fork()) == 0) {
			struct audited n = nodes[0];

			n.own = pair_local(r, 1);
			n.shared = store_postgres_open(pair_url(), "z", 2000, &err);
			if (n.shared == NULL || store_over(n.shared, pair_local(r, 9), &err) != 0)
				_exit(1);
			node_begin(&n, "a");
			for (int k = 0; k < i; k++)
				tend(&n, 100);
			kill(getpid(), SIGKILL);
		}
		if (i % 2 == 0)
			copy_all(&nodes[0], "a");
		assert_true(waitpid(child, &status, 0) == child);
		assert_true(WIFSIGNALED(status));
	}
	copy_all(&nodes[0], "a");
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[0]));
	assert_int_equal(verify(r->b), 0);
}

/* A server that is away: the lag grows, nothing waits; another process goes on where the copy ends. */
static void
test_store_away(void **state)
{
	struct store_pair *r = *state;
	uint64_t began;

	append(&nodes[0], 10);
	copy_all(&nodes[0], "a");
	pair_psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query <> ''"
		  " AND backend_type = 'client backend'");
	append(&nodes[0], 500);
	began = clock_ns();
	for (int i = 0; i < 700; i++)
		tend(&nodes[0], 100);
	assert_in_range(audit_copies_lag(nodes[0].copies).entries, 500, 520);
	assert_true(audit_copies_lag(nodes[0].copies).ms >= AUDIT_COPIES_LATE_S * 1000);
	assert_true(clock_ns() - began < 20 * CLOCK_SECOND);
	node_end(&nodes[0]);
	store_close(r->a);
	nodes[0].shared = r->a = pair_open(r, r->local[0]);
	node_begin(&nodes[0], "a");
	copy_all(&nodes[0], "a");
	node_end(&nodes[1]);
	store_close(r->b);
	r->b = pair_open(r, r->local[1]);
	nodes[1].shared = r->b;
	node_begin(&nodes[1], "b");
	assert_int_equal(verify(r->b), 0);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[0]));
}

/* An entry costs no statement; what is copied of a second's entries costs a few. */
static void
test_statements(void **state)
{
	struct store_pair *r = *state;
	unsigned before;

	append(&nodes[0], 1);
	copy_all(&nodes[0], "a");
	before = pair_statements;
	append(&nodes[0], 200);
	assert_int_equal(pair_statements, before);
	for (unsigned i = 0; i < 50; i++) { /* a second */
		append(&nodes[0], 1);
		tend(&nodes[0], 20);
		(void)poll(NULL, 0, 2);
	}
	assert_in_range(pair_statements - before, 2, 6);
	copy_all(&nodes[0], "a");
	assert_int_equal(verify(r->b), 0);
}

/* The other nodes hear of it with the question that is asked anyway. */
static void
count_lag(void *arg, const struct store_node *n)
{
	int64_t *lags = arg;

	lags[n->own ? 0 : 1] = n->uncopied;
}

static void
test_lag_is_told(void **state)
{
	struct store_pair *r = *state;
	int64_t lags[2] = { -2, -2 };

	append(&nodes[0], 4);
	tend(&nodes[0], 600);
	(void)poll(NULL, 0, 260);
	(void)store_changed_elsewhere(r->a);
	must(store_nodes(r->b, count_lag, lags, &err));
	assert_int_equal(lags[1], 4);
	assert_int_equal(lags[0], -1); /* as a node of before, which copies nothing */
}

/* --- checkpoints -------------------------------------------------------------------------------- */

static void
test_crossed(void **state)
{
	struct store_pair *r = *state;
	uint64_t a, b;

	append(&nodes[0], 20);
	append(&nodes[1], 20);
	for (unsigned k = 0; k < 1000; k++) { /* 50 s, as if */
		tend(&nodes[0], 50);
		tend(&nodes[1], 50);
		if (k % 10 == 0)
			(void)poll(NULL, 0, 1);
	}
	copy_all(&nodes[0], "a");
	copy_all(&nodes[1], "b");
	a = last_of(&nodes[0]);
	b = last_of(&nodes[1]);
	assert_in_range(a, 22, 24);
	assert_in_range(b, 22, 24);
	assert_int_equal(verify(r->a), 0);
	/* Idle: what each vouched for is no reason for the other. */
	for (unsigned k = 0; k < 2000; k++) {
		tend(&nodes[0], 50);
		tend(&nodes[1], 50);
	}
	assert_int_equal(last_of(&nodes[0]), a);
	assert_int_equal(last_of(&nodes[1]), b);
	/* One that has entries is vouched for by one that has none, once. */
	append(&nodes[0], 1);
	for (unsigned k = 0; k < 2000; k++) {
		tend(&nodes[0], 50);
		tend(&nodes[1], 50);
		if (k % 10 == 0)
			(void)poll(NULL, 0, 1);
	}
	assert_int_equal(last_of(&nodes[0]), a + 2);
	assert_in_range(last_of(&nodes[1]), b + 1,
	    b + 2); /* before the other's checkpoint too, if the server is slow */
	assert_int_equal(verify(r->a), 0);
}

/* Two nodes that vouch for each other. */
static void
cross(void)
{
	append(&nodes[0], 30);
	append(&nodes[1], 30);
	for (unsigned k = 0; k < 600; k++) {
		tend(&nodes[0], 50);
		tend(&nodes[1], 50);
		if (k % 10 == 0)
			(void)poll(NULL, 0, 1);
	}
	copy_all(&nodes[0], "a");
	copy_all(&nodes[1], "b");
}

static void
test_attacks_in_the_store(void **state)
{
	static const struct attack {
		const char *sql;
		enum audit_problem_kind kind;
	} attacks[] = {
		{ "UPDATE audit_copy SET entry = set_byte(entry, 60, get_byte(entry, 60) # 1) WHERE chain = $b$ AND "
		  "seq = 5",
		    AUDIT_CHANGED },
		{ "UPDATE audit_copy SET hash = set_byte(hash, 6, 1) WHERE chain = $b$ AND seq = 5", AUDIT_CHANGED },
		{ "DELETE FROM audit_copy WHERE chain = $b$ AND seq = 5", AUDIT_MISSING },
		{ "DELETE FROM audit_copy WHERE chain = $b$ AND seq > 5", AUDIT_MISSING },
		{ "DELETE FROM audit_copy WHERE chain = $b$; DELETE FROM audit_chain WHERE node = 'b'", AUDIT_MISSING },
		{ "UPDATE audit_copy x SET entry = y.entry, hash = y.hash FROM audit_copy y WHERE x.chain = $b$ AND"
		  " y.chain = x.chain AND (x.seq = 5 AND y.seq = 6 OR x.seq = 6 AND y.seq = 5)",
		    AUDIT_CHANGED },
		{ "UPDATE audit_copy x SET entry = y.entry, hash = y.hash FROM audit_copy y WHERE x.chain = $b$ AND"
		  " y.chain <> x.chain AND x.seq = y.seq AND x.seq = 5",
		    AUDIT_CHANGED },
		{ "UPDATE audit_chain SET seq = 5 WHERE node = 'b'", AUDIT_HEAD },
		{ "INSERT INTO audit_copy SELECT chain, 7777, at, 0, NULL, hash, entry FROM audit_copy WHERE chain = "
		  "$b$"
		  " AND seq = 5",
		    AUDIT_CHANGED },
	};
	struct store_pair *r = *state;

	cross();
	assert_int_equal(verify(r->a), 0);
	pair_psql("CREATE TABLE carrel.saved_copy AS TABLE carrel.audit_copy;"
		  "CREATE TABLE carrel.saved_chain AS TABLE carrel.audit_chain");
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		static const char own[] = "(SELECT chain FROM saved_chain WHERE node = 'b')";
		struct buf sql = { 0 };
		const char *at = attacks[i].sql, *mark;

		buf_str(&sql, "SET search_path = carrel; ");
		for (; (mark = strstr(at, "$b$")) != NULL; at = mark + 3) {
			buf_append(&sql, at, (size_t)(mark - at));
			buf_str(&sql, own);
		}
		buf_str(&sql, at);
		pair_psql(buf_cstr(&sql));
		if (verify(r->a) == 0 || found.kinds[attacks[i].kind] == 0 || strspn(found.nodes, "b") == 0)
			fail_msg("%s: %u problems, of %s", attacks[i].sql, found.n, found.nodes);
		assert_null(strchr(found.nodes, 'a'));
		buf_fini(&sql);
		pair_psql("TRUNCATE carrel.audit_copy, carrel.audit_chain;"
			  "INSERT INTO carrel.audit_copy TABLE carrel.saved_copy;"
			  "INSERT INTO carrel.audit_chain TABLE carrel.saved_chain");
	}
	assert_int_equal(verify(r->a), 0);
	/* A whole chain of a moment before, which fits in itself: a knows better. */
	append(&nodes[1], 5);
	for (unsigned k = 0; k < 600; k++) {
		tend(&nodes[0], 50);
		tend(&nodes[1], 50);
		if (k % 10 == 0)
			(void)poll(NULL, 0, 1);
	}
	copy_all(&nodes[0], "a");
	pair_psql("SET search_path = carrel; DELETE FROM audit_copy c USING saved_chain s WHERE s.node = 'b' AND"
		  " c.chain = s.chain AND c.seq > s.seq; DELETE FROM audit_chain WHERE node = 'b';"
		  " INSERT INTO audit_chain SELECT * FROM saved_chain WHERE node = 'b'");
	assert_int_equal(verify(r->a), 1);
	assert_string_equal(found.nodes, "b");
	assert_int_equal(found.kinds[AUDIT_MISSING], 1);
}

/* --- the nodes' own files ----------------------------------------------------------------------- */

static void
sqlite_do(const struct audited *n, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(n->path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

static unsigned
findings(const struct audited *n, const char *what)
{
	sqlite3_stmt *q;
	sqlite3 *db;
	unsigned count;

	assert_int_equal(sqlite3_open(n->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM audit WHERE instr(entry, ?1) > 0", -1, &q, NULL),
	    SQLITE_OK);
	sqlite3_bind_text(q, 1, what, -1, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	count = (unsigned)sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return count;
}

/* Written by somebody who has the node's keys: the head, and its copy in a file. */
static void
forge_head(const struct audited *n, uint64_t seq, const char *hash)
{
	uint8_t raw[AUDIT_HASH], mac[AUDIT_HASH], mac_key[32];
	struct buf hex = { 0 };
	char sql[400], name[120];
	FILE *f;

	memset(mac_key, 1, sizeof(mac_key));
	assert_true(audit_unhex(span_str(hash), raw, AUDIT_HASH));
	audit_mac(mac_key, seq, raw, mac);
	audit_hex(&hex, mac, AUDIT_HASH);
	snprintf(sql, sizeof(sql), "UPDATE audit_head SET seq = %llu, hash = '%s', mac = '%s'", (unsigned long long)seq,
	    hash, buf_cstr(&hex));
	sqlite_do(n, sql);
	snprintf(name, sizeof(name), "%s-head", n->path);
	assert_non_null(f = fopen(name, "w"));
	fprintf(f, "%020llu %s %s\n", (unsigned long long)seq, hash, buf_cstr(&hex));
	fclose(f);
	buf_fini(&hex);
}

struct one_row {
	struct buf	text, hash;
};

static bool
keep_row(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct one_row *r = arg;

	(void)seq;
	buf_span(&r->text, text);
	buf_span(&r->hash, hash);
	return false;
}

static struct one_row
row_of(const struct audited *n, uint64_t seq)
{
	struct one_row r = { .text = { 0 } };

	must(store_audit_rows(n->own, seq, true, 1, keep_row, &r, &err));
	return r;
}

static void
row_fini(struct one_row *r)
{
	buf_fini(&r->text);
	buf_fini(&r->hash);
}

/* A file that was put back, head and its copy too: it lacks what the store has, and says so from then on. */
static void
test_file_put_back(void **state)
{
	struct store_pair *r = *state;
	struct one_row old;
	uint64_t last;

	append(&nodes[0], 40);
	copy_all(&nodes[0], "a");
	node_end(&nodes[0]);
	last = last_of(&nodes[0]);
	old = row_of(&nodes[0], 10);
	sqlite_do(&nodes[0], "DELETE FROM audit WHERE seq > 10");
	forge_head(&nodes[0], 10, buf_cstr(&old.hash));
	node_begin(&nodes[0], "a");
	tend(&nodes[0], 100);
	append(&nodes[0], 5);
	copy_all(&nodes[0], "a");
	assert_int_equal(findings(&nodes[0], "\"finding\":\"the newest entries are missing\""), 1);
	/* Two findings: an older head is one.  No number is used again. */
	assert_int_equal(last_of(&nodes[0]), last + 7);
	/* The copy has all, and what was found. */
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last + 7);
	assert_int_equal(verify(r->b), 2);
	assert_string_equal(found.nodes, "aa");
	/* Once: the next process finds nothing. */
	node_end(&nodes[0]);
	node_begin(&nodes[0], "a");
	tend(&nodes[0], 100);
	append(&nodes[0], 1);
	assert_int_equal(findings(&nodes[0], "\"finding\""), 2);
	row_fini(&old);
}

/* Put a value of the same length in its place. */
static void
replace_hex(char *text, const char *before, const uint8_t *bytes, size_t n)
{
	struct buf hex = { 0 };
	char *at = strstr(text, before);

	assert_non_null(at);
	audit_hex(&hex, bytes, n);
	memcpy(at + strlen(before), buf_cstr(&hex), hex.len);
	buf_fini(&hex);
}

/* Sign a checkpoint again, and seal what it says. */
static void
sign_again(char *text, const uint8_t seed[32], uint64_t seq, const uint8_t prev[AUDIT_HASH])
{
	uint8_t public[AUDIT_PUBLIC], signature[AUDIT_SIGNATURE];
	const char *said = strstr(text, "\"policy\":") + 9, *end = strstr(said, ",\"seal\":\"");
	struct buf policy = { 0 };

	audit_sign(seed, seq, prev, public, signature);
	replace_hex(text, "\"signature\":\"", signature, sizeof(signature));
	assert_non_null(end);
	buf_printf(&policy, "%.*s}", (int)(end - said), said);
	audit_chain_seal(seed, seq, prev, buf_view(&policy), signature);
	replace_hex(text, ",\"seal\":\"", signature, sizeof(signature));
	buf_fini(&policy);
}

/* From entry `from` on, rewritten by somebody who has the keys: every hash, signature, seal and head fits. */
static void
rewrite(const struct audited *n, uint64_t from)
{
	uint8_t prev[AUDIT_HASH], hash[AUDIT_HASH], seed[32];
	uint64_t last = last_of(n);
	struct one_row before = row_of(n, from - 1);
	struct buf hex = { 0 };

	memset(seed, 2, sizeof(seed));
	assert_true(audit_unhex(buf_view(&before.hash), prev, AUDIT_HASH));
	for (uint64_t seq = from; seq <= last; seq++) {
		struct one_row r = row_of(n, seq);
		struct buf sql = { 0 };
		char *text = mem_text(buf_view(&r.text)), *at;

		if ((at = strstr(text, "patients")) != NULL)
			memcpy(at, "weathers", 8);
		buf_reset(&hex, SIZE_MAX);
		audit_hex(&hex, prev, AUDIT_HASH);
		memcpy(text + strlen(text) - 2 - AUDIT_HASH_TEXT, buf_cstr(&hex), AUDIT_HASH_TEXT);
		if (strstr(text, "\"signature\":\"") != NULL)
			sign_again(text, seed, seq, prev);
		audit_hash(prev, span_str(text), hash);
		buf_reset(&hex, SIZE_MAX);
		audit_hex(&hex, hash, AUDIT_HASH);
		buf_printf(&sql, "UPDATE audit SET entry = '%s', hash = '%s' WHERE seq = %llu", text, buf_cstr(&hex),
		    (unsigned long long)seq);
		sqlite_do(n, buf_cstr(&sql));
		memcpy(prev, hash, AUDIT_HASH);
		free(text);
		buf_fini(&sql);
		row_fini(&r);
	}
	forge_head(n, last, buf_cstr(&hex));
	buf_fini(&hex);
	row_fini(&before);
}

static bool
check_own(void *arg, uint64_t seq, struct span text, struct span hash)
{
	audit_check_entry(arg, seq, text, hash);
	return true;
}

/* An export, checked by itself and taken into x; the problems in it alone. */
static uint64_t
read_own(const struct audited *n, struct audit_cross *x, uint64_t upto)
{
	struct audit_check k = { .problem = on_problem, .checkpoint = on_checkpoint };

	k.arg = audit_cross_begin(x, NULL, "a file");
	must(store_audit_rows(n->own, 0, true, upto, check_own, &k, &err));
	audit_check_end(&k);
	audit_cross_ends(k.arg, &k, false);
	return k.problems;
}

/* b is rewritten with its keys: nothing in it is wrong, and a contradicts it; so does the copy when it starts. */
static void
test_file_rewritten(void **state)
{
	struct store_pair *r = *state;
	struct audit_cross *x;

	cross();
	cross(); /* what a said at first is sealed in its file */
	node_end(&nodes[1]);
	rewrite(&nodes[1], 5);
	memset(&found, 0, sizeof(found));
	x = audit_cross_new();
	assert_int_equal(read_own(&nodes[0], x, 100000), 0);
	assert_int_equal(read_own(&nodes[1], x, 100000), 0);
	assert_int_equal(audit_cross_judge(x, true, on_cross, NULL), 1);
	assert_string_equal(found.nodes, "b");
	assert_int_equal(found.kinds[AUDIT_CHANGED], 1);
	audit_cross_free(x);
	node_begin(&nodes[1], "b");
	tend(&nodes[1], 100);
	assert_int_equal(findings(&nodes[1], "\"finding\":\"an entry is not the one that was copied"), 1);
	append(&nodes[1], 3);
	copy_all(&nodes[1], "b");
	assert_true(verify(r->a) > 0);
	assert_true(strchr(found.nodes, 'b') != NULL && strchr(found.nodes, 'a') == NULL);
}

/* Exports: one that was cut off, one that is not there. */
static void
test_exports(void **state)
{
	struct audit_cross *x = audit_cross_new();
	uint64_t named;

	(void)state;
	cross();
	named = last_of(&nodes[1]);
	cross();              /* that is sealed */
	append(&nodes[0], 2); /* what no other node knows of is not missed */
	(void)read_own(&nodes[0], x, 100000);
	(void)read_own(&nodes[1], x, 100000);
	memset(&found, 0, sizeof(found));
	assert_int_equal(audit_cross_judge(x, true, on_cross, NULL), 0);
	audit_cross_free(x);
	x = audit_cross_new();
	(void)read_own(&nodes[0], x, 100000);
	(void)read_own(&nodes[1], x, named - 2);
	memset(&found, 0, sizeof(found));
	assert_int_equal(audit_cross_judge(x, true, on_cross, NULL), 1);
	assert_string_equal(found.nodes, "b");
	assert_int_equal(found.kinds[AUDIT_MISSING], 1);
	audit_cross_free(x);
	x = audit_cross_new();
	(void)read_own(&nodes[0], x, 100000);
	assert_int_equal(audit_cross_judge(x, false, on_cross, NULL), 0);
	memset(&found, 0, sizeof(found));
	assert_int_equal(audit_cross_judge(x, true, on_cross, NULL), 1);
	assert_string_equal(found.nodes, "b");
	audit_cross_free(x);
}

/* The record of a copy, written by somebody else: it is reported, and the copy is completed all the same. */
static void
test_forged_record(void **state)
{
	struct store_pair *r = *state;

	append(&nodes[0], 20);
	copy_all(&nodes[0], "a");
	node_end(&nodes[0]);
	pair_psql("UPDATE carrel.audit_chain SET seq = 9999");
	assert_true(verify(r->b) > 0);
	node_begin(&nodes[0], "a");
	tend(&nodes[0], 100);
	append(&nodes[0], 1);
	copy_all(&nodes[0], "a");
	assert_int_equal(findings(&nodes[0], "was not written by a node"), 1);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[0]));
	assert_int_equal(verify(r->b), 1);
	assert_int_equal(found.kinds[AUDIT_HEAD], 1);
}

/* The server lost its newest commits, or a backup was restored: what the node has is copied again. */
static void
test_store_restored(void **state)
{
	struct store_pair *r = *state;

	append(&nodes[0], 20);
	copy_all(&nodes[0], "a");
	pair_psql("CREATE TABLE carrel.saved_chain AS TABLE carrel.audit_chain");
	append(&nodes[0], 500);
	copy_all(&nodes[0], "a");
	node_end(&nodes[0]);
	pair_psql("DELETE FROM carrel.audit_copy WHERE seq > (SELECT seq FROM carrel.saved_chain);"
		  "TRUNCATE carrel.audit_chain; INSERT INTO carrel.audit_chain TABLE carrel.saved_chain");
	node_begin(&nodes[0], "a");
	append(&nodes[0], 1);
	copy_all(&nodes[0], "a");
	assert_int_equal(verify(r->b), 0);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[0]));
	/* An empty one. */
	node_end(&nodes[0]);
	pair_psql("TRUNCATE carrel.audit_chain, carrel.audit_copy");
	node_begin(&nodes[0], "a");
	copy_all(&nodes[0], "a");
	assert_int_equal(verify(r->b), 0);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[0]));
	assert_int_equal(findings(&nodes[0], "\"finding\""), 0);
}

/* A copy of a node under another name has a chain of its own. */
static void
test_renamed(void **state)
{
	struct store_pair *r = *state;
	struct audit_cross *x = audit_cross_new();

	cross(); /* b vouches for a by that name */
	node_end(&nodes[0]);
	node_begin(&nodes[0], "other");
	append(&nodes[0], 3);
	for (unsigned k = 0; k < 300; k++) {
		tend(&nodes[0], 50);
		tend(&nodes[1], 50);
		if (k % 10 == 0)
			(void)poll(NULL, 0, 1);
	}
	copy_all(&nodes[0], "other");
	assert_int_equal(verify(r->b), 0);
	/* In an export it is one audit, with both names. */
	assert_int_equal(read_own(&nodes[0], x, 100000), 0);
	assert_int_equal(read_own(&nodes[1], x, 100000), 0);
	memset(&found, 0, sizeof(found));
	assert_int_equal(audit_cross_judge(x, true, on_cross, NULL), 0);
	audit_cross_free(x);
	assert_int_equal(nchains, 3);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy WHERE seq = 3"), 3);
}

/* --- what is old, and what moves ---------------------------------------------------------------- */

static void
append_old(struct audited *n, unsigned entries, uint64_t days)
{
	must(store_begin(n->own, &err));
	for (unsigned i = 0; i < entries; i++) {
		struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);

		e.at_unix_ms = clock_unix_ms() - days * 24 * 3600 * 1000;
		must(audit_append(n->audit, &e, &err));
	}
	must(store_commit(n->own, &err));
}

static void
test_old_copies(void **state)
{
	struct store_pair *r = *state;

	append_old(&nodes[0], 1100, 100);
	append_old(&nodes[1], 1100, 80);
	append(&nodes[0], 5);
	append(&nodes[1], 5);
	copy_all(&nodes[0], "a");
	copy_all(&nodes[1], "b");
	/* a removes the oldest, and their copies with the next batches. */
	tend(&nodes[0], 11 * 60 * 1000);
	for (unsigned i = 0; i < 3; i++) {
		append(&nodes[0], 1);
		copy_all(&nodes[0], "a");
	}
	assert_int_equal(
	    pair_number("SELECT min(c.seq) FROM carrel.audit_copy c JOIN carrel.audit_chain h USING (chain)"
			" WHERE h.node = 'a'"),
	    1000);
	assert_int_equal(verify(r->b), 0);
	/* b is gone: a removes for it what its retention would, up to a checkpoint; at last all of it. */
	node_end(&nodes[1]);
	must(audit_copies_sweep(nodes[0].copies, &err));
	assert_int_equal(pair_number("SELECT min(seq) FROM carrel.audit_copy"), 1);
	pair_psql("UPDATE carrel.audit_chain SET at = at - 2 * 86400000, days = 70 WHERE node = 'b';"
		  "UPDATE carrel.node SET until = 0 WHERE name = 'b'");
	must(audit_copies_sweep(nodes[0].copies, &err));
	pair_psql("UPDATE carrel.audit_chain SET days = 90 WHERE node = 'b'");
	assert_int_equal(pair_number("SELECT min(seq) FROM carrel.audit_copy"), 1000);
	assert_int_equal(verify(r->a), 0);
	pair_psql("UPDATE carrel.audit_chain SET at = at - 93 * 86400000::bigint WHERE node = 'b'");
	must(audit_copies_sweep(nodes[0].copies, &err));
	must(audit_copies_sweep(nodes[0].copies, &err));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_chain"), 1);
	assert_int_equal(pair_number("SELECT count(DISTINCT chain) FROM carrel.audit_copy"), 1);
}

/* The time of a record is the server's word: a node with a lease is there, says what is wrong, and is vouched for. */
static void
test_misdated(void **state)
{
	struct store_pair *r = *state;
	struct buf id = BUF_MAX(64), sql = { 0 };

	append(&nodes[1], 1100);
	copy_all(&nodes[1], "b");
	tend(&nodes[1], 11 * 1000);
	assert_false(audit_copies_misdated(nodes[1].copies));
	pair_psql("CREATE FUNCTION carrel.zero() RETURNS trigger LANGUAGE plpgsql AS"
		  " 'BEGIN NEW.at = 0; RETURN NEW; END';"
		  "CREATE TRIGGER zero BEFORE INSERT OR UPDATE ON carrel.audit_chain FOR EACH ROW"
		  " EXECUTE FUNCTION carrel.zero()");
	append(&nodes[1], 3);
	copy_all(&nodes[1], "b");
	assert_int_equal(pair_number("SELECT at FROM carrel.audit_chain WHERE node = 'b'"), 0);
	tend(&nodes[1], 11 * 1000);
	assert_true(audit_copies_misdated(nodes[1].copies));
	copy_all(&nodes[1], "b"); /* with the checkpoint */
	assert_int_equal(store_node_id(nodes[1].own, &id, &err), 1);
	buf_printf(&sql,
	    "INSERT INTO carrel.node(name, id, epoch, confirmed, until) VALUES('b', '%s', 1, 0, 9999999999999)"
	    " ON CONFLICT (name) DO UPDATE SET id = excluded.id, until = excluded.until",
	    buf_cstr(&id));
	pair_psql(buf_cstr(&sql));
	must(audit_copies_sweep(nodes[0].copies, &err));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), last_of(&nodes[1]));
	append(&nodes[0], 1);
	cross();
	assert_true(findings(&nodes[0], "\"others\":[{\"node\":\"b\"") > 0);
	assert_int_equal(verify(r->a), 0);
	/* Without a lease it is gone. */
	pair_psql("UPDATE carrel.node SET until = 0 WHERE name = 'b'");
	must(audit_copies_sweep(nodes[0].copies, &err));
	assert_true(pair_number("SELECT count(*) FROM carrel.audit_copy c JOIN carrel.audit_chain h USING (chain)"
				" WHERE h.node = 'b'") < last_of(&nodes[1]));
	buf_fini(&id);
	buf_fini(&sql);
}

static void
move(struct store *from, struct store *to, bool looks)
{
	uint64_t rows;

	must(store_begin(to, &err));
	if (looks)
		must(store_begin_look(from, &err));
	must(store_copy(from, to, &rows, &err));
	if (looks)
		store_rollback(from);
	must(store_commit(to, &err));
}

/* Into a node's file, and into another database: all copies, in order, found by time and receipt. */
static void
test_moved(void **state)
{
	struct store_pair *r = *state;
	struct store_copies_place from = { .at = "~" }, last = { .at = "" };
	struct store *file = pair_local(r, 7), *again;
	uint64_t seq = 0, receipt, rows;

	append(&nodes[0], 700);
	append(&nodes[1], 3);
	cross();
	rows = pair_number("SELECT count(*) FROM carrel.audit_copy");
	receipt = pair_number("SELECT receipt FROM carrel.audit_copy WHERE seq = 650");
	move(r->a, file, true);
	assert_int_equal(verify(file), 0);
	assert_int_equal(nchains, 2);
	must(store_copies_receipt(file, receipt, keep_text, &seq, &err));
	assert_int_equal(seq, 650);
	must(store_copies_down(file, &from, SPAN(""), 100000, count_row, &last, &err));
	pair_psql("DROP SCHEMA carrel CASCADE");
	again = store_postgres_open(pair_url(), "n", 2000, &err);
	assert_non_null(again);
	must(store_over(again, file, &err));
	move(file, again, false);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.audit_copy"), rows);
	assert_int_equal(verify(again), 0);
	store_close(again);
	store_close(file);
}

int
store_audits_tests(void)
{
#define AUDITS_TEST(f)	cmocka_unit_test_setup_teardown(f, audits_set_up, audits_tear_down)
	const struct CMUnitTest tests[] = {
		AUDITS_TEST(test_all_is_copied),
		AUDITS_TEST(test_looked_up),
		AUDITS_TEST(test_killed_while_copying),
		AUDITS_TEST(test_store_away),
		AUDITS_TEST(test_statements),
		AUDITS_TEST(test_lag_is_told),
		AUDITS_TEST(test_crossed),
		AUDITS_TEST(test_attacks_in_the_store),
		AUDITS_TEST(test_file_put_back),
		AUDITS_TEST(test_file_rewritten),
		AUDITS_TEST(test_exports),
		AUDITS_TEST(test_forged_record),
		AUDITS_TEST(test_store_restored),
		AUDITS_TEST(test_renamed),
		AUDITS_TEST(test_old_copies),
		AUDITS_TEST(test_misdated),
		AUDITS_TEST(test_moved),
	};

	return pair_is_postgres() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
