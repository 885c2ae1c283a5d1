#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/system/clock.h"
#include "project/scan/artifacts.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "project/format/json_pretty.h"
#include "project/scan/manifest.h"
#include "workers/memory/scan/scan.h"
#include "workers/memory/worker.h"
#include "workers/memory/scan/column_samples.h"
#include "workers/memory/scan/keys.h"
#include "workers/memory/scan/recall.h"
#include "workers/memory/scan/relate_check.h"
#include "workers/memory/scan/relate_find.h"
#include "workers/memory/scan/relate_put.h"
#include "workers/memory/scan/scan_report.h"
#include "workers/memory/scan/shards.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

struct scan {
	struct call			*call;
	struct memory			*memory;
	const struct memory_connection	*connection;
	bool				 deep;
	int				 raw, semantic, state, lock;
	int				 scans;		/* .carrel/memory/scans */
	struct artifacts		*artifacts;
	struct manifest			 manifest;
	struct shards			 shards;
	struct warnings			 warnings;
	/* Only for a deep scan. */
	struct profile			 profile;
	struct recall			 recall;
	struct relate			 relate;
	bool				 related;
	bool				 listed;	/* the manifest is closed and valid */
	struct mp_value			 head;		/* introspection's, in the call's arena */
	struct span			 driver;
	uint64_t			 at_ms;
};

/* Progress at the start of each stage, in thousandths: a deep scan spends most time on data. */
#define AT_SCHEMA		150
#define AT_DATA			250
#define AT_KEYS			770
#define AT_RELATIONS		800
#define AT_CHECKS_DONE		940
#define AT_COMPARING(s)		((s)->deep ? 950u : 550u)
#define AT_WRITING(s)		((s)->deep ? 970u : 700u)

static int
begin_scan(struct scan *s, struct err *err)
{
	const char *id = s->connection->id;

	if ((s->state = memory_open_place(s->memory, ".carrel/memory", err)) < 0 ||
	    (s->raw = memory_open_place(s->memory, "raw-sources", err)) < 0 ||
	    (s->semantic = memory_open_place(s->memory, "semantic-layer", err)) < 0 ||
	    (s->scans = atomic_open_dir(s->state, "scans", err)) < 0 ||
	    (s->lock = memory_lock(s->state, id, err)) < 0 || (s->artifacts = artifacts_begin(s->raw, id, err)) == NULL)
		return -1;
	manifest_init(&s->manifest);
	if (s->deep) {
		char name[ATOMIC_NAME_MAX + 1];

		/* Measurements made under another column policy are not reused. */
		snprintf(name, sizeof(name), "%s%s%s.recall", id, s->connection->policy[0] != '\0' ? "." : "",
		    s->connection->policy);
		recall_open(&s->recall, s->scans, name, clock_unix_ms());
	}
	return 0;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void
scan_end(struct scan *s)
{
	relate_fini(&s->relate);
	recall_fini(&s->recall);
	profile_fini(&s->profile);
	shards_fini(&s->shards);
	manifest_fini(&s->manifest);
	artifacts_free(s->artifacts);
	warnings_fini(&s->warnings);
	close_fd(s->scans);
	close_fd(s->lock);
	close_fd(s->semantic);
	close_fd(s->raw);
	close_fd(s->state);
	/* A scan of many tables leaves tens of megabytes between what stays: the process is idle for long now. */
	malloc_trim(0);
}

/* Each row has one cell: a table. */
static int
take_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	struct scan *s = arg;
	struct mp_value row, table, canonical;
	struct mp_iter it, cells;

	for (it = mp_iter(rows); mp_next(&it, &row);) {
		cells = mp_iter(&row);
		if (row.class != MP_ARRAY || !mp_next(&cells, &table))
			return err_set(err, ERR_INTERNAL, "introspection sent a row without a table");
		if (artifacts_table(s->artifacts, &table, &canonical, err) != 0)
			return -1;
		manifest_add(&s->manifest, &canonical);
		if (s->deep && mp_get_bool(&table, "readable", true))
			profile_plan(&s->profile, &canonical, mp_get_str(&table, "dataVersion", SPAN("")));
	}
	return 0;
}

static void
pass_progress(void *arg, unsigned permille, struct span message)
{
	struct scan *s = arg;

	call_progress(s->call, AT_SCHEMA + permille * (s->deep ? AT_DATA - AT_SCHEMA : 400) / 1000, "%.*s",
	    SPAN_FMT(message));
}

static int
scan_introspect(struct scan *s, struct err *err)
{
	const struct artifacts_totals *totals = artifacts_totals(s->artifacts);
	uint64_t promised;
	struct mp_value v;

	call_progress(s->call, AT_SCHEMA, "Inspecting database schema");
	if (call_sub(s->call, &(struct call_ask){ .tool = "introspect", .connection = span_str(s->connection->id),
	    .on_rows = take_rows, .on_progress = pass_progress, .arg = s }, &s->head, err) != 0)
		return -1;
	promised = mp_get_uint(&s->head, "tableCount", UINT64_MAX);
	if (promised != totals->tables + totals->views)
		return err_set(err, ERR_INTERNAL, "introspection promised another number of tables than it sent");
	s->driver = mp_get_str(&s->head, "driver", span_str(s->connection->driver));
	s->at_ms = clock_unix_ms();
	if (mp_get(&s->head, "warnings", &v))
		warnings_take(&s->warnings, &v);
	return 0;
}

/* References between tables are resolved after all tables are known. */
static void
scan_list(struct scan *s)
{
	s->listed = manifest_close(&s->manifest) == 0;
	if (!s->listed)
		warnings_add(&s->warnings, "manifest_too_large", NULL,
		    "the database has too many tables for a manifest; "
		    "name those that matter in enabled_tables");
}

static int
enrich(struct scan *s, const char *file, const struct buf *mp, struct err *err)
{
	struct mp_value v;

	mp_value(buf_view(mp), &v);
	return artifacts_enrich(s->artifacts, file, &v, err);
}

static struct deep
stage_of(struct scan *s)
{
	return (struct deep){ .call = s->call, .connection = s->connection->id, .width = s->connection->concurrency,
		.recall = &s->recall, .warnings = &s->warnings };
}

static int
look_at_rows(struct scan *s, struct err *err)
{
	struct deep d = stage_of(s);
	struct buf mp = { 0 };
	int r;

	if (profile_sample(&s->profile, &d, AT_DATA, AT_KEYS, err) != 0)
		return -1;
	profile_put(&s->profile, s->connection->id, s->driver, s->at_ms, &mp);
	r = enrich(s, PROFILE_FILE, &mp, err);
	buf_fini(&mp);
	return r;
}

static int
look_for_relationships(struct scan *s, struct err *err)
{
	struct deep d = stage_of(s);
	struct buf mp = { 0 };
	int r;

	relate_init(&s->relate, &s->manifest, &s->profile);
	if (keys_prove(&s->relate, &s->manifest, s->driver, &d, AT_KEYS, AT_RELATIONS, err) != 0)
		return -1;
	call_progress(s->call, AT_RELATIONS, "Detecting relationships");
	if (relate_find(&s->relate, s->call, err) != 0 ||
	    relate_check(&s->relate, &d, AT_RELATIONS, AT_CHECKS_DONE, err) != 0)
		return -1;
	s->related = true;
	relate_put(&s->relate, s->connection->id, &mp);
	r = enrich(s, RELATE_FILE, &mp, err);
	buf_reset(&mp, 1 << 20);
	relate_put_diagnostics(&s->relate, s->connection->id, s->at_ms, &mp);
	if (r == 0)
		r = enrich(s, RELATE_DIAGNOSTICS_FILE, &mp, err);
	buf_fini(&mp);
	s->listed = relate_tell(&s->relate, &s->manifest) == 0;
	return r;
}

/* Removes measurements made under another column policy. */
static void
forget_others(const struct scan *s)
{
	struct arena *a = arena_new(1 << 20);
	size_t n = strlen(s->connection->id);
	struct files_list list = { 0 };
	struct err ignored;

	if (files_list(s->scans, a, &list) != FILES_OK)
		list.n = 0;
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.entries[i].name;
		size_t len = strlen(name);

		/* Ids contain no dot. */
		if (len >= n + 7 && memcmp(name, s->connection->id, n) == 0 && name[n] == '.' &&
		    strcmp(name + len - 7, ".recall") == 0 && strcmp(name, s->recall.name) != 0)
			(void)atomic_remove(s->scans, name, &ignored);
	}
	arena_free(a);
}

/* Scans the data after the structure. */
static int
look_at_data(struct scan *s, struct err *err)
{
	if (!s->deep)
		return 0;
	if (look_at_rows(s, err) != 0 || (s->listed && look_for_relationships(s, err) != 0))
		return -1;
	/* The next scan continues an interrupted one from this record. */
	if (s->profile.nleft_out == 0)
		recall_settle(&s->recall);
	forget_others(s);
	return 0;
}

/* Everything that can fail happens here; afterwards files are only renamed. */
static int
prepare_scan(struct scan *s, struct err *err)
{
	struct buf list = { 0 };
	struct mp_value scope, warnings;
	int r = 0;

	call_progress(s->call, AT_COMPARING(s), "Comparing with the previous scan");
	if (s->listed) {
		mp_get(&s->head, "scope", &scope);
		r = shards_prepare(&s->shards, s->semantic, s->connection->id, &s->manifest, s->driver, &scope,
		    &s->warnings, err);
	}
	/* Writing the files takes longest, and only a deep scan reports from the tables. */
	if (!s->deep) {
		manifest_fini(&s->manifest);
		malloc_trim(0);
	}
	if (r == 0 && !call_poll(s->call, err))
		r = -1;
	if (r == 0) {
		warnings_put(&s->warnings, &list);
		mp_value(buf_view(&list), &warnings);
		r = artifacts_close(s->artifacts, &s->head, &warnings, s->at_ms, err);
	}
	buf_fini(&list);
	return r;
}

static struct report
report_of(const struct scan *s, bool changed)
{
	struct relate_counts n = s->related ? relate_count(&s->relate) : (struct relate_counts){ 0 };

	return (struct report){
		.connection = s->connection->id,
		.sync_id = changed ? artifacts_sync_id(s->artifacts) : artifacts_previous(s->artifacts),
		.driver = s->driver,
		.diff = artifacts_diff(s->artifacts),
		.totals = artifacts_totals(s->artifacts),
		.warnings = &s->warnings,
		.changed = changed,
		.profiled = s->deep,
		.nunprofiled = s->profile.nfailed,
		.nreused = s->profile.nreused,
		.related = s->related,
		.nunchecked = s->relate.nfailed,
		.inferred = s->related ? n.accepted - s->manifest.nlinks : 0,
		.accepted = n.accepted, .review = n.review, .rejected = n.rejected, .skipped = n.skipped,
		.at_ms = s->at_ms,
		.nshards = s->shards.n,
		.nwritten = s->shards.nstaged,
		.shards = s->shards.keys,
	};
}

static int
publish(struct scan *s, const struct report *r, struct err *err)
{
	struct buf mp = { 0 };
	struct mp_value v;
	int result;

	call_progress(s->call, AT_WRITING(s), "Writing schema artifacts");
	report_put_file(r, &mp);
	mp_value(buf_view(&mp), &v);
	result = artifacts_publish(s->artifacts, &v, err);
	buf_fini(&mp);
	return result;
}

/* Records the time of the scan, also without changes. */
static int
record_check(struct scan *s, const struct report *r, struct err *err)
{
	struct buf mp = { 0 }, text = { 0 };
	struct mp_value v;
	char name[300];
	int result;

	report_put_check(r, &mp);
	mp_value(buf_view(&mp), &v);
	json_pretty(&text, &v);
	snprintf(name, sizeof(name), "%s.json", r->connection);
	result = atomic_replace(s->scans, name, buf_view(&text), err);
	buf_fini(&mp);
	buf_fini(&text);
	return result;
}

static int
write_down(struct scan *s, struct err *err)
{
	bool changed = artifacts_changed(s->artifacts);
	struct report r = report_of(s, changed);
	struct buf result = { 0 };
	struct err why;

	if (!call_poll(s->call, err) || (changed && publish(s, &r, err) != 0))
		return -1;
	/* The new sync is in force now: a failure from here on must say so. */
	if (shards_commit(&s->shards, &why) != 0 || record_check(s, &r, &why) != 0)
		return err_set(err, why.code, "the scan %s is complete and in force, but %s", r.sync_id, why.message);
	call_progress(s->call, 1000, changed ? "Scan completed" : "Nothing has changed");
	report_put_result(&r, &result);
	call_result(s->call, buf_view(&result));
	buf_fini(&result);
	return 0;
}

int
scan_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct scan s = { .call = c, .memory = call_state(c), .raw = -1, .semantic = -1, .state = -1, .lock = -1,
		.scans = -1, .shards = { .dir = -1 } };
	struct span id = mp_get_str(args, "connectionId", SPAN(""));
	int r = -1;

	s.profile.limits = s.memory->limits;
	s.deep = mp_get_bool(args, "deep", false);
	if ((s.connection = memory_connection(s.memory, id)) == NULL)
		return err_set(err, ERR_CONNECTION_NOT_FOUND, "there is no connection \"%.*s\" in the configuration",
		    (int)(id.len < 128 ? id.len : 128), (const char *)id.p);
	s.profile.policy = s.connection->policy;
	if (s.deep && s.connection->valueless) {
		s.deep = false;
		warnings_add(&s.warnings, "no_neutral_identity", NULL,
		    "the connection applies row security by caller, so no values are kept: set identity.neutral to say "
		    "with whose rights scans read");
	}
	call_progress(c, 50, "Preparing scan");
	s.memory->scanning = s.connection->id;
	if (begin_scan(&s, err) == 0 && scan_introspect(&s, err) == 0) {
		scan_list(&s);
		if (look_at_data(&s, err) == 0 && prepare_scan(&s, err) == 0)
			r = write_down(&s, err);
	}
	scan_end(&s);
	s.memory->scanning = NULL;
	return r;
}

int
scan_meanwhile(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct memory *m = call_state(c);

	(void)args;
	if (m->scanning == NULL)
		return err_set(err, ERR_BUSY, "a note is being taken; try again in a moment");
	return err_set(err, ERR_BUSY, "a scan of %s is running; wait for it to end", m->scanning);
}
