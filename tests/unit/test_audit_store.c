// libs: carrel_supervisor carrel_auth carrel_project carrel_policy carrel_base sodium PkgConfig::SQLITE
/* test_audit_store.c - the audit in its store: appending, what several processes do, journals, tampering, retention. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>
#include <sqlite3.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "supervisor/state/journal_file.h"
#include "tests/unit/harness.h"
#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/audit/audit_vouch.h"

static char dir[64], path[128];
static struct store *store;
static struct audit *audit;
static struct audit_settings settings;
static struct audit *abandoned[64];
static unsigned nabandoned;
static uint64_t answered, refused, next_receipt;
static unsigned kinds[AUDIT_HEAD + 1], found;
static uint64_t places[AUDIT_HEAD + 1][64];	/* the entries that the first problems of each kind are at */

/* --- the rig ------------------------------------------------------------------------------------ */

static void
rig_files(void)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	char name[160];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
		close(open(name, O_CREAT | O_RDWR, 0600));
	}
}

static void
rig_open(void)
{
	struct err e;

	store = store_open(path, false, &e);
	if (store == NULL)
		fail_msg("%s", e.message);
	audit = audit_new(store, &settings);
}

static void
rig_close(void)
{
	audit_free(audit);
	store_close(store);
	audit = NULL;
	store = NULL;
}

/* As if the process had been killed: nothing is written at the end. */
static void
rig_reopen_after_kill(void)
{
	store_close(store);
	for (unsigned i = 0; i < POLICY_JOURNAL_FILES; i++)
		journal_unmap(&audit->journals[i].file);
	abandoned[nabandoned++] = audit; /* without its store it can write no checkpoint */
	rig_open();
}

static int
rig_begin(void **state)
{
	(void)state;
	if (sodium_init() < 0)
		return -1;
	strcpy(dir, "/tmp/carrel-audit-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/state.db", dir);
	settings = (struct audit_settings){ .path = path, .has_journals = true, .retention_days = 365 };
	memset(settings.mac_key, 3, sizeof(settings.mac_key));
	memset(settings.sign_seed, 3, sizeof(settings.sign_seed));
	memset(settings.journal_key, 3, sizeof(settings.journal_key));
	answered = refused = next_receipt = 0;
	rig_files();
	rig_open();
	return 0;
}

static int
rig_end(void **state)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	char name[160];

	(void)state;
	if (store != NULL)
		rig_close();
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
	return rmdir(dir);
}

static void
on_answer(void *arg, uint64_t peer, uint64_t id, const char *why)
{
	(void)arg, (void)id;
	assert_int_equal(peer, 1);
	if (why == NULL)
		answered++;
	else
		refused++;
}

static unsigned teller = 0xabcd;	/* whose receipts are told */

static void
put_call(struct buf *map, uint64_t receipt, uint64_t at_ms)
{
	char text[40];

	snprintf(text, sizeof(text), "r-%08x-%x", teller, (unsigned)receipt);
	mp_put_map(map, at_ms == 0 ? 5 : 6);
	mp_pair_cstr(map, "action", "mcp.tool.call");
	mp_pair_cstr(map, "outcome", "ok");
	mp_pair_cstr(map, "principal", "local:1000");
	mp_pair_cstr(map, "receipt", text);
	mp_pair_cstr(map, "statement", "SELECT 1");
	if (at_ms != 0)
		mp_pair_uint(map, "at", at_ms);
}

static void
take(struct audit *a, uint64_t receipt, uint64_t at_ms, bool again)
{
	struct buf map = { .max = 0 };

	put_call(&map, receipt, at_ms);
	assert_non_null(audit_take(a, AUDIT_BY_FRONT, again, 1, receipt, buf_view(&map)));
	buf_fini(&map);
}

static void
write_entries(unsigned n, uint64_t at_ms)
{
	for (unsigned i = 0; i < n; i++) {
		take(audit, ++next_receipt, at_ms, false);
		if (i % 50 == 49)
			audit_turn(audit, on_answer, NULL);
	}
	audit_turn(audit, on_answer, NULL);
}

static void
on_problem(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	(void)arg, (void)message;
	found++;
	if (kinds[kind] < 64)
		places[kind][kinds[kind]] = seq;
	kinds[kind]++;
}

static bool
named(enum audit_problem_kind kind, uint64_t seq)
{
	for (unsigned i = 0; i < kinds[kind] && i < 64; i++)
		if (places[kind][i] == seq)
			return true;
	return false;
}

static bool
on_row(void *arg, uint64_t seq, struct span text, struct span hash)
{
	audit_check_entry(arg, seq, text, hash);
	return true;
}

/* As `carrel audit verify` does.  Returns how many entries there are. */
static uint64_t
verify(void)
{
	struct audit_check k = { .expected = { .whole = true, .has_key = true }, .problem = on_problem };
	struct audit_state now;
	struct err e;

	found = 0;
	memset(kinds, 0, sizeof(kinds));
	assert_int_equal(audit_look(audit, &now, &e), 0);
	memcpy(k.expected.key, now.public, AUDIT_PUBLIC);
	k.expected.ends = now.ends;
	assert_int_equal(store_audit_rows(store, 0, true, SIZE_MAX, on_row, &k, &e), 0);
	audit_check_end(&k);
	return k.entries;
}

static void
tamper(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 1000);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* --- tests ---------------------------------------------------------------------------------------- */

static void
entries_are_chained_with_checkpoints_between(void **state)
{
	(void)state;
	write_entries(2500, 0);
	assert_int_equal(answered, 2500);
	assert_int_equal(refused, 0);
	assert_int_equal(verify(), 2502); /* two checkpoints */
	assert_int_equal(found, 0);
	rig_close();
	rig_open();
	assert_int_equal(verify(), 2503); /* and that of the end */
	assert_int_equal(found, 0);
	rig_close();
	rig_open();
	assert_int_equal(verify(), 2503); /* nothing was written: no other one */
}

static void
what_was_answered_survives_a_kill(void **state)
{
	(void)state;
	write_entries(321, 0);
	rig_reopen_after_kill();
	assert_int_equal(verify(), 321);
	assert_int_equal(found, 0);
	write_entries(5, 0);
	assert_int_equal(verify(), 326);
	assert_int_equal(found, 0);
}

static void
what_is_sent_again_is_written_once(void **state)
{
	(void)state;
	write_entries(100, 0);
	for (unsigned i = 90; i < 110; i++)
		take(audit, i, 0, true);
	audit_turn(audit, on_answer, NULL);
	assert_int_equal(answered, 120);
	assert_int_equal(verify(), 109);
	assert_int_equal(found, 0);
	for (unsigned i = 90; i < 110; i++) /* all of them are known: nothing is written at all */
		take(audit, i, 0, true);
	audit_turn(audit, on_answer, NULL);
	assert_int_equal(answered, 140);
	assert_int_equal(verify(), 109);
}

static void
an_entry_is_found_by_its_receipt(void **state)
{
	uint64_t seq;
	struct err e;

	(void)state;
	write_entries(1100, 0);
	assert_int_equal(audit_find(audit, SPAN("r-0000abcd-a"), &seq, &e), 1);
	assert_int_equal(seq, 10);
	assert_int_equal(audit_find(audit, SPAN("r-0000abcd-3e8"), &seq, &e), 1);
	assert_int_equal(seq, 1001); /* 1000 is a checkpoint */
	assert_int_equal(audit_find(audit, SPAN("r-0000abcd-fff"), &seq, &e), 0);
	assert_int_equal(audit_find(audit, SPAN("nonsense"), &seq, &e), 0);
}

/* What a statement of one number says of the store. */
static int64_t
figure(const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db = NULL;
	int64_t n;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

/* The entry with this receipt of this front; 0: there is none. */
static uint64_t
found_at(unsigned of, uint64_t receipt)
{
	char text[40];
	uint64_t seq;
	struct err e;
	int n;

	snprintf(text, sizeof(text), "r-%08x-%x", of, (unsigned)receipt);
	n = audit_find(audit, span_str(text), &seq, &e);
	assert_true(n >= 0);
	return n == 0 ? 0 : seq;
}

/* Calls end in another order than they began, some much later, and fronts are beside each other. */
static void
receipts_are_found_in_whatever_order_they_came(void **state)
{
	static struct {
		unsigned front;
		uint64_t receipt;
	} sent[900];

	(void)state;
	for (unsigned i = 0; i < 900; i++) {
		sent[i].front = i > 600 && i % 3 == 0 ? 0xffffffff : 0xabcd;
		sent[i].receipt = i % 100 == 99 ? i : i > 300 ? 0xfffff800 + (i ^ 13) : 100000 + (i ^ 255);
		teller = sent[i].front;
		take(audit, sent[i].receipt, 0, false);
		if (i % 150 == 149)
			audit_turn(audit, on_answer, NULL);
	}
	audit_turn(audit, on_answer, NULL);
	assert_int_equal(answered, 900);
	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; i < 900; i++)
			if (found_at(sent[i].front, sent[i].receipt) != i + 1)
				fail_msg("the entry %u is not found by its receipt", i + 1);
		assert_int_equal(found_at(0xabcd, 98), 0);
		assert_int_equal(found_at(0xabcd, 100000 + 600), 0);
		assert_int_equal(found_at(0xabce, 100000), 0);
		assert_int_equal(found_at(0xffffffff, 100000), 0);
		/* What is sent once more is in its place already; told twice, the first counts. */
		for (unsigned i = 0; i < 900; i++) {
			teller = sent[i].front;
			take(audit, sent[i].receipt, 0, again == 0);
		}
		audit_turn(audit, on_answer, NULL);
		assert_int_equal(figure("SELECT count(*) FROM audit WHERE seq % 1000 != 0"), again == 0 ? 900 : 1800);
	}
	teller = 0xabcd;
	assert_int_equal(verify(), 1801);
	assert_int_equal(found, 0);
}

/* One row for many, where calls come one after another; and those of an earlier version are still found. */
static void
receipts_cost_few_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		for (unsigned k = 0; k < 128; k++)
			take(audit, ++next_receipt, 0, false);
		audit_turn(audit, on_answer, NULL);
	}
	assert_int_equal(figure("SELECT count(*) FROM audit_receipts"), 10);
	assert_int_equal(figure("SELECT sum(length(behind)) FROM audit_receipts"), 640);
	tamper("DELETE FROM audit_receipts WHERE seq = 1");
	assert_int_equal(found_at(0xabcd, 7), 0);
	tamper("INSERT INTO audit_receipt VALUES(0xabcd00000007, 7)");
	assert_int_equal(found_at(0xabcd, 7), 7);
	/* In one turn, an entry and the same once more. */
	take(audit, ++next_receipt, 0, false);
	take(audit, next_receipt, 0, true);
	audit_turn(audit, on_answer, NULL);
	assert_int_equal(figure("SELECT count(*) FROM audit"), 641);
}

/* Private supervisors run beside each other: each has an auth process of its own. */
static void
several_processes_write_one_chain(void **state)
{
	struct store *second;
	struct audit *other;
	struct err e;

	(void)state;
	second = store_open(path, false, &e);
	assert_non_null(second);
	other = audit_new(second, &settings);
	for (unsigned i = 0; i < 1200; i++) {
		struct audit *a = i % 3 == 0 ? other : audit;

		take(a, ++next_receipt, 0, false);
		audit_turn(a, on_answer, NULL);
	}
	assert_int_equal(answered, 1200);
	assert_int_equal(verify(), 1201);
	assert_int_equal(found, 0);
	audit_free(other);
	store_close(second);
	assert_int_equal(verify(), 1202);
	assert_int_equal(found, 0);
}

/* What is done to the store while nobody runs, or beside a running process, stays on record. */
static void
tampering_is_found_and_stays_found(void **state)
{
	static const struct {
		const char *sql;
		enum audit_problem_kind kind;
	} cases[] = {
		{ "UPDATE audit SET entry = replace(entry, 'SELECT 1', 'SELECT 2') WHERE seq = 7", AUDIT_CHANGED },
		{ "UPDATE audit SET entry = replace(entry, 'SELECT 1', 'SELECT 2') WHERE seq = 20", AUDIT_CHANGED },
		{ "DELETE FROM audit WHERE seq = 7", AUDIT_MISSING },
		{ "DELETE FROM audit WHERE seq = 1", AUDIT_MISSING },
		{ "DELETE FROM audit WHERE seq = 20", AUDIT_MISSING },
		{ "DELETE FROM audit WHERE seq > 12", AUDIT_MISSING },
		{ "INSERT INTO audit SELECT 21, entry, hash FROM audit WHERE seq = 3", AUDIT_MOVED },
		{ "INSERT INTO audit SELECT 21, replace(entry, '\"seq\":20,', '\"seq\":21,'), hash FROM audit WHERE "
		  "seq = 20",
		    AUDIT_INSERTED },
		{ "UPDATE audit SET seq = -seq WHERE seq IN (5, 6); UPDATE audit SET seq = 11 + seq WHERE seq < 0",
		    AUDIT_MOVED },
		{ "DELETE FROM audit_head", AUDIT_HEAD },
		{ "UPDATE audit_head SET mac = hash", AUDIT_HEAD },
		{ "DELETE FROM audit WHERE seq > 12; UPDATE audit_head SET seq = 12, hash = (SELECT hash FROM audit "
		  "WHERE "
		  "seq = 12)",
		    AUDIT_HEAD },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned running = 0; running < 2; running++) {
			write_entries(20, 0);
			if (running == 0)
				rig_reopen_after_kill();
			tamper(cases[i].sql);
			verify();
			if (kinds[cases[i].kind] == 0)
				fail_msg("not found: %s", cases[i].sql);
			write_entries(20, 0);
			rig_close();
			rig_open();
			verify();
			if (found == 0)
				fail_msg("no longer found: %s", cases[i].sql);
			rig_end(state);
			rig_begin(state);
		}
}

/* --- both ends ------------------------------------------------------------------------------------ */

#define ENTRIES	20u
#define EARLY	10u	/* entries when what is put back later was copied */

static char early_head[2 * AUDIT_HASH_TEXT + 64];	/* "seq, hash and mac" of then, for an INSERT */
static struct buf early_store;

static char *
store_file(const char *suffix)
{
	static char name[192];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return name;
}

static void
keep_early(void)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db;
	char block[4096];
	size_t n;
	FILE *f;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT seq, hash, mac FROM audit_head", -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	snprintf(early_head, sizeof(early_head), "%d, '%s', '%s'", sqlite3_column_int(q, 0),
	    (const char *)sqlite3_column_text(q, 1), (const char *)sqlite3_column_text(q, 2));
	sqlite3_finalize(q);
	sqlite3_close(db);
	buf_reset(&early_store, SIZE_MAX);
	assert_non_null(f = fopen(path, "r"));
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_append(&early_store, block, n);
	fclose(f);
}

static void
put_early_store_back(void)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(early_store.p, 1, early_store.len, f), early_store.len);
	fclose(f);
	assert_int_equal(truncate(store_file("-wal"), 0), 0);
	assert_int_equal(truncate(store_file("-shm"), 0), 0);
}

static void
put_early_head_back(void)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "DELETE FROM audit_head; INSERT INTO audit_head VALUES(%s)", early_head);
	tamper(sql);
}

static void
cut_to_early_head(void)
{
	char sql[64];

	put_early_head_back();
	snprintf(sql, sizeof(sql), "DELETE FROM audit WHERE seq > %u", EARLY);
	tamper(sql);
}

struct vouch {
	struct audit_vouching	with;
	bool			vouched;
};

static bool
on_vouch(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct vouch *v = arg;
	struct err e;

	assert_int_equal(audit_vouch(audit, &v->with, seq, text, hash, &v->vouched, &e), 0);
	return false;
}

static bool
is_vouched(uint64_t seq)
{
	struct vouch v = { .vouched = false };
	struct err e;

	assert_int_equal(audit_vouch_begin(audit, &v.with, &e), 0);
	assert_int_equal(store_audit_rows(store, seq, true, 1, on_vouch, &v, &e), 0);
	return v.vouched;
}

/* A row behind the newest one that follows it as the rules say. */
static void
forge_row(void)
{
	struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
	struct buf text = { .max = 0 }, sql = { .max = 0 };
	uint8_t hash[AUDIT_HASH];
	sqlite3_stmt *q = NULL;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT seq, hash FROM audit ORDER BY seq DESC", -1, &q, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	e.seq = (uint64_t)sqlite3_column_int64(q, 0) + 1;
	assert_true(audit_unhex(span_str((const char *)sqlite3_column_text(q, 1)), e.prev, AUDIT_HASH));
	sqlite3_finalize(q);
	sqlite3_close(db);
	e.id = SPAN("user:alice");
	e.statement = SPAN("SELECT * FROM salaries");
	audit_entry_put(&text, &e);
	audit_hash(e.prev, buf_view(&text), hash);
	buf_printf(&sql, "INSERT INTO audit VALUES(%llu, '%s', '", (unsigned long long)e.seq, buf_cstr(&text));
	audit_hex(&sql, hash, AUDIT_HASH);
	buf_str(&sql, "')");
	tamper(buf_cstr(&sql));
	buf_fini(&text);
	buf_fini(&sql);
}

static void
forge_rows(void)
{
	forge_row();
	forge_row();
	forge_row();
}

static void
empty_copy(void)
{
	assert_int_equal(truncate(store_file(POLICY_STATE_HEAD), 0), 0);
}

static void
empty_all(void)
{
	tamper("DELETE FROM audit; DELETE FROM audit_head");
}

static void
empty_all_and_copy(void)
{
	empty_all();
	empty_copy();
}

static void
empty_all_and_mark(void)
{
	empty_all();
	tamper("DELETE FROM setting");
}

static void
empty_all_beside_a_token(void)
{
	empty_all_and_mark();
	empty_copy();
	tamper("INSERT INTO token(id, label, scopes, created, expires) VALUES('aaaaaaaa', 'x', 1, 1, 0)");
}

static void
add_a_head(void)
{
	tamper("INSERT INTO audit_head SELECT * FROM audit_head");
}

static void
remove_the_head(void)
{
	tamper("DELETE FROM audit_head");
}

static void
cut_the_front(void)
{
	tamper("DELETE FROM audit WHERE seq <= 3");
}

static void
forge_the_mark(void)
{
	tamper("UPDATE setting SET value = '7:00' WHERE key = 'audit.begun'");
}

static void
forge_the_copy(void)
{
	FILE *f = fopen(store_file(POLICY_STATE_HEAD), "r+");

	assert_non_null(f);
	fputs("00000000000000000003", f);
	fclose(f);
}

/* While the audit is stopped, after a kill, and beside a running process: found at once, and after every restart. */
static void
ends_that_are_not_as_they_were_left_are_named(void **state)
{
	static const struct {
		const char *name;
		void (*attack)(void);
		enum audit_problem_kind kind;
		int64_t at;    /* below 1: counted from the newest entry of then */
		unsigned ways; /* 1: while stopped, 2: and after a kill, 3: and beside a running process */
	} cases[] = {
		{ "all emptied", empty_all, AUDIT_MISSING, 1, 3 },
		{ "all and the copy emptied", empty_all_and_copy, AUDIT_MISSING, 1, 3 },
		{ "all and the mark emptied", empty_all_and_mark, AUDIT_MISSING, 1, 3 },
		{ "all emptied beside a token", empty_all_beside_a_token, AUDIT_MISSING, 1, 2 },
		{ "an older store", put_early_store_back, AUDIT_MISSING, EARLY + 1, 1 },
		{ "an older head", put_early_head_back, AUDIT_HEAD, EARLY, 3 },
		{ "cut to an older head", cut_to_early_head, AUDIT_MISSING, EARLY + 1, 3 },
		{ "a forged row", forge_row, AUDIT_INSERTED, 1 - 2, 3 },
		{ "three forged rows", forge_rows, AUDIT_INSERTED, 1 - 3, 3 },
		{ "a second head", add_a_head, AUDIT_HEAD, 0, 3 },
		{ "no head", remove_the_head, AUDIT_HEAD, 0, 3 },
		{ "the front cut off", cut_the_front, AUDIT_MISSING, 1, 3 },
		{ "another mark", forge_the_mark, AUDIT_HEAD, 1, 3 },
		{ "another copy", forge_the_copy, AUDIT_HEAD, 0, 2 },
		{ "no copy", empty_copy, AUDIT_HEAD, 0, 2 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned how = 0; how < cases[i].ways; how++) {
			uint64_t at, newest;

			write_entries(EARLY, 0);
			keep_early();
			write_entries(ENTRIES - EARLY, 0);
			audit_sync(audit);
			if (how == 0)
				rig_close();
			newest = (uint64_t)figure("SELECT max(seq) FROM audit");
			at = cases[i].at > 0 ? (uint64_t)cases[i].at : newest - (uint64_t)cases[i].at;
			if (how == 0) {
				cases[i].attack();
				rig_open();
			} else {
				cases[i].attack();
				if (how == 1)
					rig_reopen_after_kill();
			}
			for (unsigned again = 0; again < 3; again++) {
				verify();
				if (!named(cases[i].kind, at))
					fail_msg("%s, way %u, look %u: not named", cases[i].name, how, again);
				write_entries(3, 0);
				rig_close();
				rig_open();
			}
			rig_end(state);
			rig_begin(state);
		}
	buf_fini(&early_store);
}

/* Rows that the chain does not have are marked, before and after the next start. */
static void
forged_rows_are_not_vouched_for(void **state)
{
	(void)state;
	write_entries(ENTRIES, 0);
	forge_rows();
	for (unsigned again = 0; again < 3; again++) {
		for (uint64_t seq = 1; seq <= ENTRIES + 3; seq++)
			assert_int_equal(is_vouched(seq), seq <= ENTRIES);
		if (again == 0)
			write_entries(3, 0);
		rig_close();
		rig_open();
	}
	assert_true(is_vouched(ENTRIES + 4));
	tamper("UPDATE audit SET entry = replace(entry, 'SELECT 1', 'SELECT 2') WHERE seq = 7");
	assert_false(is_vouched(7));
}

static void
what_is_too_old_goes_up_to_a_checkpoint(void **state)
{
	uint64_t old = clock_unix_ms() - 10 * UINT64_C(86400000), entries, seq;
	struct err e;

	(void)state;
	settings.retention_days = 9;
	rig_close();
	rig_open();
	write_entries(3500, old);
	write_entries(200, 0);
	audit_idle(audit, 1);
	/* 2,000 entries are looked at in a step: up to the checkpoint among them; then the rest. */
	entries = verify();
	assert_int_equal(found, 0);
	assert_int_equal(entries, 3703 - 1999 + 1);
	for (uint64_t t = 2; t < 10; t++)
		audit_idle(audit, t * CLOCK_SECOND);
	/* From checkpoint 3000 on, and two checkpoints that say so. */
	assert_int_equal(verify(), 3703 - 2999 + 2);
	assert_int_equal(found, 0);
	assert_int_equal(audit_find(audit, SPAN("r-0000abcd-a"), &seq, &e), 0);
	assert_int_equal(audit_find(audit, SPAN("r-0000abcd-e00"), &seq, &e), 1);
	assert_int_equal(figure("SELECT count(*) FROM audit_receipts WHERE seq < 3000"), 0);
	assert_int_equal(figure("SELECT sum(length(behind)) FROM audit_receipts"), 3700 - 2997);
	rig_reopen_after_kill();
	verify();
	assert_int_equal(found, 0);
	tamper("DELETE FROM audit WHERE seq = 3000");
	verify();
	assert_true(kinds[AUDIT_MISSING] > 0);
}

static void
nothing_that_is_old_but_within_retention_goes(void **state)
{
	(void)state;
	write_entries(1500, clock_unix_ms() - 364 * UINT64_C(86400000));
	audit_idle(audit, 1);
	assert_int_equal(verify(), 1501);
	assert_int_equal(found, 0);
}

/* What cannot be written is answered so, and leaves no gap. */
static void
what_cannot_be_written_is_said(void **state)
{
	sqlite3 *db;

	(void)state;
	write_entries(10, 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
			     "CREATE TRIGGER full BEFORE INSERT ON audit WHEN new.seq > 12 BEGIN "
			     "SELECT RAISE(ABORT, 'no'); END",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	for (unsigned i = 0; i < 5; i++)
		take(audit, ++next_receipt, 0, false);
	audit_turn(audit, on_answer, NULL);
	assert_int_equal(refused, 5);
	assert_int_equal(verify(), 10);
	assert_int_equal(found, 0);
	assert_int_equal(sqlite3_exec(db, "DROP TRIGGER full", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	write_entries(5, 0);
	assert_int_equal(answered, 15);
	assert_int_equal(verify(), 15);
	assert_int_equal(found, 0);
}

/* --- journals ------------------------------------------------------------------------------------- */

static struct journal front;	/* a front's end */
static int file = -1;		/* as the supervisor has it */
static unsigned number;

static void
journal_begin(void)
{
	if (file < 0)
		assert_true((file = journal_file_take(path, &number)) >= 0);
	audit_journals_open(audit, 7, number, dup(file));
	journal_unmap(&front);
	assert_true(journal_map(&front, dup(file), settings.journal_key));
}

/* All that held it are gone. */
static void
journal_end(void)
{
	journal_unmap(&front);
	if (file >= 0)
		close(file);
	file = -1;
}

static int
journals_end(void **state)
{
	journal_end();
	return rig_end(state);
}

static bool
put(uint64_t receipt)
{
	struct buf record = { .max = 0 };
	bool there;

	assert_non_null(buf_reserve(&record, JOURNAL_HEAD));
	record.len = JOURNAL_HEAD;
	put_call(&record, receipt, 0);
	there = journal_put(&front, &record, clock_unix_ms());
	buf_fini(&record);
	return there;
}

static void
put_many(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_true(put(++next_receipt));
}

static void
what_fronts_put_into_their_journal_is_taken(void **state)
{
	(void)state;
	journal_begin();
	assert_false(journal_is_taken(&front)); /* nobody looks there before something came */
	write_entries(1, 0);
	assert_true(journal_is_taken(&front));
	for (unsigned i = 0; i < 40; i++) { /* several times around */
		put_many(500);
		audit_idle(audit, clock_ns() + CLOCK_SECOND);
	}
	assert_int_equal(verify(), 20001 + 20);
	assert_int_equal(found, 0);
	/* Quiet: the next one is sent. */
	audit_idle(audit, clock_ns() + 3 * CLOCK_SECOND);
	assert_false(journal_is_taken(&front));
}

static void
what_is_in_a_journal_survives_kills(void **state)
{
	(void)state;
	journal_begin();
	write_entries(1, 0);
	put_many(100);
	rig_reopen_after_kill();
	journal_begin(); /* the front has lived, and is attached to the next carrel-auth */
	assert_int_equal(verify(), 101);
	put_many(100);
	journal_unmap(&front); /* the front died too, in the middle of a record */
	assert_true(journal_map(&front, dup(file), settings.journal_key));
	memset(front.ring + (front.at & (JOURNAL_RING - 1)), 0x55, 100);
	rig_reopen_after_kill();
	journal_begin();
	assert_int_equal(verify(), 201);
	put_many(100);
	rig_reopen_after_kill();
	journal_end(); /* and the supervisor: the file is nobody's */
	audit_idle(audit, clock_ns() + 60 * CLOCK_SECOND);
	assert_int_equal(verify(), 301);
	assert_int_equal(found, 0);
	assert_null(audit->journals[number].file.page);
}

/* The next carrel-auth has the file already while the one before ends. */
static void
two_that_read_a_journal_take_each_entry_once(void **state)
{
	struct err e;
	struct store *second;
	struct audit *next;

	(void)state;
	journal_begin();
	put_many(10);
	assert_int_equal(audit_settle(audit, &e), 0);
	assert_non_null(second = store_open(path, false, &e));
	next = audit_new(second, &settings);
	audit_journals_open(next, 7, number, dup(file));
	for (unsigned i = 0; i < 4; i++) {
		put_many(5);
		assert_int_equal(audit_settle(i % 2 == 0 ? audit : next, &e), 0);
		put_many(3);
		assert_int_equal(audit_settle(i % 2 == 0 ? next : audit, &e), 0);
		assert_int_equal(audit_settle(audit, &e), 0);
	}
	put_many(2);
	audit_free(audit);
	store_close(store);
	audit = next;
	store = second;
	assert_int_equal(audit_settle(audit, &e), 0);
	verify();
	assert_int_equal(figure("SELECT count(*) FROM audit WHERE entry LIKE '%tool.call%'"), 10 + 4 * 8 + 2);
	assert_int_equal(found, 0);
}

/* Killed between the commit and the note in the file that the store has it. */
static void
what_is_in_a_journal_is_taken_once(void **state)
{
	static uint8_t ring[JOURNAL_RING];
	uint64_t taken;
	struct err e;

	(void)state;
	journal_begin();
	put_many(100);
	assert_int_equal(audit_settle(audit, &e), 0);
	put_many(10);
	atomic_store(&front.page->taken, 0);
	rig_reopen_after_kill();
	journal_begin();
	assert_int_equal(verify(), 110);
	/* The store is another one: the receipts tell. */
	taken = atomic_load(&front.page->taken);
	put_many(10);
	memcpy(ring, front.ring, sizeof(ring));
	assert_int_equal(audit_settle(audit, &e), 0);
	/* What the store has is wiped. */
	assert_memory_equal(front.ring + (taken & (JOURNAL_RING - 1)), (uint8_t[64]){ 0 }, 64);
	memcpy(front.ring, ring, sizeof(ring));
	atomic_store(&front.page->taken, taken);
	tamper("DELETE FROM setting");
	rig_reopen_after_kill();
	journal_begin();
	assert_int_equal(verify(), 120);
	assert_int_equal(found, 0);
}

static void
journal_damage(unsigned how, const char *early)
{
	struct journal_page *page = front.page;
	uint64_t written = atomic_load(&page->written);

	switch (how) {
	case 0: /* an entry is changed */
		front.ring[(written - 60) & (JOURNAL_RING - 1)] ^= 1;
		break;
	case 1: /* one is removed, and what follows moved up */
		memmove(front.ring, front.ring + written / 50, written - written / 50);
		atomic_store(&page->written, written - written / 50);
		break;
	case 2: /* the figures are nonsense */
		atomic_store(&page->written, written + 3 * (uint64_t)JOURNAL_RING);
		break;
	case 3: /* what stood there earlier is put back at another place */
		memcpy(front.ring + (written & (JOURNAL_RING - 1)), early, 200);
		atomic_store(&page->written, written + 200);
		break;
	}
}

static void
what_was_changed_in_a_journal_is_found(void **state)
{
	char early[200];

	for (unsigned how = 0; how < 4; how++)
		for (unsigned restarted = 0; restarted < 2; restarted++) {
			journal_begin();
			put_many(50);
			memcpy(early, front.ring, sizeof(early));
			rig_reopen_after_kill();
			journal_damage(how, early);
			front.page->restarted = restarted;
			journal_begin();
			verify();
			/* What the disk has after the machine stopped may be damaged by nobody. */
			assert_int_equal(kinds[AUDIT_HEAD], restarted == 0);
			put_many(50);
			assert_true(verify() >= 50);
			assert_int_equal(found, restarted == 0);
			rig_close();
			rig_open();
			verify();
			assert_int_equal(found, restarted == 0);
			journals_end(state);
			rig_begin(state);
		}
}

/* A captured front may put anything there. */
static void
what_is_no_entry_is_passed_over(void **state)
{
	static const uint8_t junk[] = { 0x81, 0xa6, 'a', 'c', 't', 'i', 'o', 'n', 0xab, 'w', 'o', 'r', 'k', 'e', 'r',
		'.' };
	struct buf record = { .max = 0 };

	(void)state;
	journal_begin();
	put_many(1);
	for (size_t n = 0; n <= sizeof(junk); n++) {
		buf_reset(&record, SIZE_MAX);
		assert_non_null(buf_reserve(&record, JOURNAL_HEAD));
		record.len = JOURNAL_HEAD;
		buf_append(&record, junk, n);
		assert_true(journal_put(&front, &record, 0));
	}
	buf_fini(&record);
	put_many(1);
	assert_int_equal(verify(), 2);
	assert_int_equal(found, 0);
}

static void
a_full_journal_and_a_fifth_one_are_refused(void **state)
{
	int files[POLICY_JOURNAL_FILES];
	unsigned n;

	(void)state;
	journal_begin();
	while (put(++next_receipt))
		continue;
	assert_true(next_receipt > 5000);
	assert_int_equal(verify(), next_receipt - 1 + (next_receipt - 1) / 999);
	assert_int_equal(found, 0);
	put_many(100);
	for (unsigned i = 1; i < POLICY_JOURNAL_FILES; i++) {
		assert_true((files[i] = journal_file_take(path, &n)) >= 0);
		assert_int_equal(n, i);
	}
	assert_int_equal(journal_file_take(path, &n), -1);
	for (unsigned i = 1; i < POLICY_JOURNAL_FILES; i++)
		close(files[i]);
}

/* No room for the store: the journal keeps what it has, and fronts send what comes. */
static void
without_room_nothing_more_is_taken_on_trust(void **state)
{
	struct rlimit was, none;
	unsigned before;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	journal_begin();
	write_entries(1, 0);
	put_many(100);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = was;
	none.rlim_cur = 1;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	audit_idle(audit, clock_ns() + CLOCK_SECOND);
	assert_false(journal_is_taken(&front));
	take(audit, 5000, 0, false);
	audit_turn(audit, on_answer, NULL);
	assert_int_equal(refused, 1);
	assert_false(journal_is_taken(&front));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	before = (unsigned)answered;
	write_entries(1, 0);
	assert_int_equal(answered, before + 1);
	assert_true(journal_is_taken(&front));
	assert_int_equal(verify(), 102);
	assert_int_equal(found, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_fronts_put_into_their_journal_is_taken, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(what_is_in_a_journal_survives_kills, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(two_that_read_a_journal_take_each_entry_once, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(what_is_in_a_journal_is_taken_once, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(what_was_changed_in_a_journal_is_found, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(what_is_no_entry_is_passed_over, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(a_full_journal_and_a_fifth_one_are_refused, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(without_room_nothing_more_is_taken_on_trust, rig_begin, journals_end),
		cmocka_unit_test_setup_teardown(entries_are_chained_with_checkpoints_between, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(what_was_answered_survives_a_kill, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(what_is_sent_again_is_written_once, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(an_entry_is_found_by_its_receipt, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(receipts_are_found_in_whatever_order_they_came, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(receipts_cost_few_rows, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(several_processes_write_one_chain, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(tampering_is_found_and_stays_found, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(ends_that_are_not_as_they_were_left_are_named, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(forged_rows_are_not_vouched_for, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(what_is_too_old_goes_up_to_a_checkpoint, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(nothing_that_is_old_but_within_retention_goes, rig_begin, rig_end),
		cmocka_unit_test_setup_teardown(what_cannot_be_written_is_said, rig_begin, rig_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
