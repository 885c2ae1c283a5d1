/*
 * bench_audit.c - what an entry of the audit costs, in processor time: the front's composing and putting it into its
 * journal, and carrel-auth's taking it into the store, linked and synced as in the service.  Two loads: one call's
 * entry again and again, and each with a statement of its own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sodium.h>

#include "base/mp.h"
#include "base/system/clock.h"
#include "supervisor/state/journal_file.h"
#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/store/sqlite/store_sqlite.h"

#define BATCH	1000u	/* entries that are taken at once: those of 45 ms at some 22,000 calls a second */
#define PEER	7u

struct rig {
	char			 dir[64], path[80];
	struct store		*store;
	struct audit		*audit;
	struct audit_settings	 settings;
	struct journal		 front;
	struct buf		 record;
	unsigned		 serial;
};

struct cost {
	double	user_us, system_us;
};

static struct cost
cost_now(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (struct cost){
		.user_us = (double)r.ru_utime.tv_sec * 1e6 + (double)r.ru_utime.tv_usec,
		.system_us = (double)r.ru_stime.tv_sec * 1e6 + (double)r.ru_stime.tv_usec,
	};
}

static void
cost_add(struct cost *to, struct cost from)
{
	struct cost now = cost_now();

	to->user_us += now.user_us - from.user_us;
	to->system_us += now.system_us - from.system_us;
}

static void
rig_files(const struct rig *r, bool make)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	char name[160];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", r->path, suffixes[i]);
		if (make)
			close(open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
		else
			unlink(name);
	}
}

static bool
rig_open(struct rig *r, const char *under)
{
	struct err e;
	unsigned number;
	int file;

	snprintf(r->dir, sizeof(r->dir), "%s/carrel-bench-XXXXXX", under);
	if (sodium_init() < 0 || mkdtemp(r->dir) == NULL)
		return false;
	snprintf(r->path, sizeof(r->path), "%s/state.db", r->dir);
	rig_files(r, true);
	r->settings = (struct audit_settings){ .path = r->path, .has_journals = true, .retention_days = 365 };
	r->store = store_open(r->path, false, &e);
	file = journal_file_take(r->path, &number);
	if (r->store == NULL || file < 0)
		return false;
	r->audit = audit_new(r->store, &r->settings);
	audit_journals_open(r->audit, PEER, number, dup(file));
	return journal_map(&r->front, file, r->settings.journal_key);
}

static void
rig_close(struct rig *r)
{
	journal_unmap(&r->front);
	audit_free(r->audit);
	store_close(r->store);
	buf_fini(&r->record);
	rig_files(r, false);
	rmdir(r->dir);
}

/* As the front's of a call that read one row. */
static bool
put_entry(struct rig *r, bool alike)
{
	char receipt[32], statement[64];
	size_t map;

	snprintf(receipt, sizeof(receipt), "r-0badcafe-%x", ++r->serial);
	snprintf(statement, sizeof(statement), "SELECT * FROM customers WHERE id = %u", alike ? 1 : r->serial);
	buf_reset(&r->record, SIZE_MAX);
	(void)buf_reserve(&r->record, JOURNAL_HEAD);
	r->record.len = JOURNAL_HEAD;
	mp_put_map(&r->record, 14);
	mp_pair_cstr(&r->record, "receipt", receipt);
	mp_pair_cstr(&r->record, "principal", "local:1000");
	mp_pair_cstr(&r->record, "surface", "mcp");
	mp_pair_cstr(&r->record, "action", "mcp.tool.call");
	mp_pair_cstr(&r->record, "target", "sql_execution");
	mp_pair_cstr(&r->record, "outcome", "ok");
	mp_pair_cstr(&r->record, "code", NULL);
	mp_pair_uint(&r->record, "duration_ms", r->serial % 7 == 0);
	mp_pair_uint(&r->record, "rows", 1);
	mp_pair_bool(&r->record, "truncated", false);
	mp_pair_cstr(&r->record, "statement", statement);
	mp_pair_cstr(&r->record, "connection", "warehouse");
	mp_put_cstr(&r->record, "policy");
	map = mp_open_pairs(&r->record, mp_cstr("scope", "research:query"));
	mp_pair_cstr(&r->record, "statement_sha256",
	    "102573aa6b7b39b2064077a08aa3e870a1ef40813916eeaee936cbbfdd4ff00b");
	mp_end(&r->record, map);
	mp_pair_cstr(&r->record, "address", "127.0.0.1");
	return journal_put(&r->front, &r->record, clock_unix_ms());
}

static bool
run(struct rig *r, const char *name, bool alike, unsigned batches)
{
	struct cost put = { 0 }, taken = { 0 }, from;
	double n = (double)batches * BATCH;
	struct err e;

	for (unsigned i = 0; i < batches; i++) {
		from = cost_now();
		for (unsigned k = 0; k < BATCH; k++)
			if (!put_entry(r, alike))
				return false;
		cost_add(&put, from);
		from = cost_now();
		if (audit_settle(r->audit, &e) != 0)
			return false;
		if (i % 2 == 1)
			audit_sync(r->audit);
		cost_add(&taken, from);
	}
	printf("an entry, %-24s put %.2f us, taken into the store %.2f us (user %.2f, system %.2f)\n", name,
	    (put.user_us + put.system_us) / n, (taken.user_us + taken.system_us) / n, taken.user_us / n,
	    taken.system_us / n);
	return true;
}

int
main(int argc, char **argv)
{
	unsigned batches = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 200;
	struct rig r = { .serial = 0 };
	bool done = rig_open(&r, argc > 1 ? argv[1] : "/tmp") && run(&r, "each alike", true, batches) &&
	    run(&r, "a statement of its own", false, batches);

	rig_close(&r);
	return done ? 0 : 1;
}
