#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text/b64.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/hash.h"
#include "base/json/json_read.h"
#include "base/mem.h"
#include "project/scan/artifacts.h"
#include "project/scan/artifacts_shape.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "project/format/json_pretty.h"

#define FILE_MAX	((size_t)64 << 20)
#define LIST_MAX	((size_t)64 << 20)	/* of file names in one directory */
#define STEM_MAX	240			/* a longer file name gets a digest instead of its end */

/* A foreign key in keys, with its sort key. */
struct far_key {
	size_t	at, len;
};

struct artifacts {
	char			 connection[ATOMIC_NAME_MAX + 1], temp[ATOMIC_NAME_MAX + 1];
	char			 previous[ATOMIC_NAME_MAX + 1], sync_id[ARTIFACTS_SYNC_MAX];
	int			 dir, live, here, tables;	/* <connection>/, live-database/, the new sync, its tables/ */
	int			 old, old_tables;		/* the previous sync; -1: none */
	bool			 others_changed, published;
	struct artifacts_diff	 diff;
	struct artifacts_totals	 totals;
	struct buf		 row, text, before, before_mp, name;
	struct buf		 keys;
	struct far_key		*far;
	size_t			 nfar, capfar;
};

/* A sync counts when its report can be read; a directory without a report is left over from another program. */
static bool
has_report(struct artifacts *w, const char *sync)
{
	char path[ATOMIC_NAME_MAX + 32];
	size_t at;
	bool ok;

	snprintf(path, sizeof(path), "%s/scan-report.json", sync);
	buf_reset(&w->before, FILE_MAX);
	buf_reset(&w->before_mp, FILE_MAX);
	ok = files_read(w->live, path, FILE_MAX, &w->before, NULL) == FILES_OK &&
	    json_read(buf_view(&w->before), &w->before_mp, &at) == JSON_OK;
	return ok;
}

static int
find_previous(struct artifacts *w, struct err *err)
{
	struct arena *a = arena_new(LIST_MAX);
	struct files_list list;
	int r = 0;

	if (files_list(w->live, a, &list) != FILES_OK) {
		r = err_set(err, ERR_SERVICE_UNAVAILABLE, "the scans of %s cannot be listed", w->connection);
		goto out;
	}
	for (size_t i = list.n; i-- > 0;) {
		if (!list.entries[i].is_dir || !has_report(w, list.entries[i].name))
			continue;
		snprintf(w->previous, sizeof(w->previous), "%s", list.entries[i].name);
		if (files_open_dir(w->live, w->previous, &w->old) != FILES_OK)
			w->old = -1;
		else if (files_open_dir(w->old, "tables", &w->old_tables) != FILES_OK)
			w->old_tables = -1;
		break;
	}
out:
	arena_free(a);
	return r;
}

int
artifacts_sweep(int raw, const char *connection, struct err *err)
{
	int dir, r;

	if (files_open_dir(raw, connection, &dir) != FILES_OK)
		return 0; /* never scanned */
	r = atomic_sweep(dir, err);
	close(dir);
	return r;
}

struct artifacts *
artifacts_begin(int raw, const char *connection, struct err *err)
{
	struct artifacts *w = mem_new(1, sizeof(*w));

	w->dir = w->live = w->here = w->tables = w->old = w->old_tables = -1;
	w->keys.max = ARTIFACTS_KEYS_MAX;
	snprintf(w->connection, sizeof(w->connection), "%s", connection);
	if ((w->dir = atomic_open_dir(raw, connection, err)) < 0 || atomic_sweep(w->dir, err) != 0 ||
	    (w->live = atomic_open_dir(w->dir, "live-database", err)) < 0 || find_previous(w, err) != 0 ||
	    (w->here = atomic_temp_dir(w->dir, w->temp, err)) < 0 ||
	    (w->tables = atomic_open_dir(w->here, "tables", err)) < 0) {
		artifacts_free(w);
		return NULL;
	}
	return w;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void
artifacts_free(struct artifacts *w)
{
	if (w == NULL)
		return;
	if (!w->published && w->temp[0] != '\0')
		(void)atomic_remove(w->dir, w->temp, NULL); /* what stays is swept by the next scan */
	close_fd(w->tables);
	close_fd(w->here);
	close_fd(w->old_tables);
	close_fd(w->old);
	close_fd(w->live);
	close_fd(w->dir);
	buf_fini(&w->row);
	buf_fini(&w->text);
	buf_fini(&w->before);
	buf_fini(&w->before_mp);
	buf_fini(&w->name);
	buf_fini(&w->keys);
	free(w->far);
	free(w);
}

static void
put_part(struct span s, struct buf *out)
{
	b64url_encode(out, s.p == NULL ? SPAN("_") : s); /* null is "Xw" */
}

void
artifacts_file_name(struct span catalog, struct span db, struct span name, struct buf *out)
{
	struct buf b = { 0 };

	put_part(catalog, &b);
	buf_byte(&b, '.');
	put_part(db, &b);
	buf_byte(&b, '.');
	put_part(name, &b);
	if (b.len <= STEM_MAX)
		buf_span(out, buf_view(&b));
	else {
		buf_append(out, b.p, STEM_MAX - 17);
		buf_printf(out, "-%016llx", (unsigned long long)hash_of(buf_view(&b)));
	}
	buf_str(out, ".json");
	buf_fini(&b);
}

static struct span
text_or_null(const struct mp_value *map, const char *key)
{
	return mp_get_str(map, key, SPAN_NONE);
}

struct named {
	struct span	name, raw;
};

static int
by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return span_cmp(x->name, y->name);
}

/* The columns of a table by name, to be freed. */
static struct named *
columns_of(const struct mp_value *table, size_t *n)
{
	struct mp_value list, v;
	struct named *names;
	struct mp_iter it;

	*n = 0;
	mp_get(table, "columns", &list);
	it = mp_iter(&list);
	names = mem_new(list.class == MP_ARRAY ? list.n + 1 : 1, sizeof(*names));
	while (list.class == MP_ARRAY && mp_next(&it, &v))
		if (v.class == MP_MAP)
			names[(*n)++] = (struct named){ mp_get_str(&v, "name", SPAN("")), v.raw };
	if (*n > 0)
		qsort(names, *n, sizeof(*names), by_name);
	return names;
}

/* A column as text, so that a number of one width equals the same of another. */
static bool
is_same_column(struct span a, struct span b)
{
	struct buf x = { 0 }, y = { 0 };
	struct mp_value v;
	bool same;

	if (mp_value(a, &v))
		json_pretty(&x, &v);
	if (mp_value(b, &v))
		json_pretty(&y, &v);
	same = span_is(buf_view(&x), buf_view(&y));
	buf_fini(&x);
	buf_fini(&y);
	return same;
}

static void
compare_columns(struct artifacts *w, const struct mp_value *before, const struct mp_value *after)
{
	size_t nold, nnew, kept = 0;
	struct named *old = columns_of(before, &nold), *new = columns_of(after, &nnew), *hit;

	for (size_t i = 0; i < nnew; i++) {
		hit = nold == 0 ? NULL : bsearch(&new[i], old, nold, sizeof(*old), by_name);
		if (hit == NULL)
			w->diff.columns_added++;
		else {
			kept++;
			w->diff.columns_modified += !is_same_column(hit->raw, new[i].raw);
		}
	}
	w->diff.columns_deleted += nold > kept ? nold - kept : 0;
	free(old);
	free(new);
}

/* Read a file of the previous sync into before and before_mp.  False if absent that can be used. */
static bool
read_before(struct artifacts *w, int dir, const char *name, struct mp_value *v)
{
	size_t at;

	buf_reset(&w->before, 1 << 20);
	buf_reset(&w->before_mp, 1 << 20);
	*v = (struct mp_value){ .class = MP_NIL };
	if (dir < 0 || files_read(dir, name, FILE_MAX, &w->before, NULL) != FILES_OK)
		return false;
	return json_read(buf_view(&w->before), &w->before_mp, &at) == JSON_OK && mp_value(buf_view(&w->before_mp), v);
}

static int
keep_keys(struct artifacts *w, const struct mp_value *table, struct err *err)
{
	struct mp_value list, key;
	struct mp_iter it;

	mp_get(table, "foreignKeys", &list);
	for (it = mp_iter(&list); mp_next(&it, &key); w->nfar++) {
		size_t at = w->keys.len;

		w->far = mem_grow(w->far, w->nfar, &w->capfar, sizeof(*w->far));
		shape_far_key(table, &key, &w->keys);
		if (w->keys.full)
			return err_set(err, ERR_RESULT_TOO_LARGE,
			    "the database has more foreign keys than a scan keeps; "
			    "name the tables that matter in enabled_tables");
		w->far[w->nfar] = (struct far_key){ at, w->keys.len - at };
	}
	w->totals.keys = w->nfar;
	return 0;
}

static int
write_table(struct artifacts *w, const char *name, const struct mp_value *table, size_t columns, struct err *err)
{
	struct mp_value before;
	bool known = read_before(w, w->old_tables, name, &before);

	if (known && span_is(buf_view(&w->before), buf_view(&w->text))) {
		w->diff.tables_unchanged++;
		return atomic_link(w->old_tables, w->tables, name, buf_view(&w->text), err);
	}
	if (known) {
		w->diff.tables_modified++;
		compare_columns(w, &before, table);
	} else {
		w->diff.tables_added++;
		w->diff.columns_added += columns;
	}
	return atomic_write_new(w->tables, name, buf_view(&w->text), err);
}

int
artifacts_table(struct artifacts *w, const struct mp_value *table, struct mp_value *canonical, struct err *err)
{
	struct mp_value v, list;

	buf_reset(&w->row, 1 << 20);
	buf_reset(&w->text, 1 << 20);
	buf_reset(&w->name, 1 << 20);
	if (shape_table(table, &w->row, err) != 0)
		return -1;
	if (!mp_value(buf_view(&w->row), &v))
		return err_set(err, ERR_INTERNAL, "introspection sent a table that cannot be read");
	json_pretty(&w->text, &v);
	artifacts_file_name(text_or_null(&v, "catalog"), text_or_null(&v, "db"), text_or_null(&v, "name"), &w->name);
	mp_get(&v, "columns", &list);
	if (write_table(w, buf_cstr(&w->name), &v, list.n, err) != 0 || keep_keys(w, &v, err) != 0)
		return -1;
	w->totals.columns += list.n;
	if (span_is_str(mp_get_str(&v, "kind", SPAN("")), "view"))
		w->totals.views++;
	else
		w->totals.tables++;
	if (canonical != NULL)
		*canonical = v;
	return 0;
}

static const struct artifacts *sorting;		/* qsort(3) takes no argument; one scan at a time */

static struct span
key_member(const struct far_key *k, const char *name)
{
	struct mp_value v;

	mp_value(span_of(sorting->keys.p + k->at, k->len), &v);
	return mp_get_str(&v, name, SPAN(""));
}

static int
by_columns(const void *a, const void *b)
{
	static const char *const order[] = { "fromTable", "fromColumn", "toTable", "toColumn", "fromTablePath",
		"constraintName" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(order) / sizeof(order[0]); i++)
		r = span_cmp(key_member(a, order[i]), key_member(b, order[i]));
	return r;
}

/* Write the value in mp as the file name and note when the previous sync has another one. */
static int
write_file(struct artifacts *w, const char *name, const struct buf *mp, struct err *err)
{
	struct mp_value v, before;

	if (!mp_value(buf_view(mp), &v))
		return err_set(err, ERR_INTERNAL, "%s could not be put together", name);
	buf_reset(&w->text, 1 << 20);
	json_pretty(&w->text, &v);
	if (!read_before(w, w->old, name, &before) || !span_is(buf_view(&w->before), buf_view(&w->text)))
		w->others_changed = true;
	return atomic_write_new(w->here, name, buf_view(&w->text), err);
}

static int
write_keys(struct artifacts *w, struct err *err)
{
	struct buf b = { 0 };
	int r;

	sorting = w;
	if (w->nfar > 0)
		qsort(w->far, w->nfar, sizeof(*w->far), by_columns);
	mp_put_map(&b, 1);
	mp_pair_array(&b, "foreignKeys", w->nfar);
	for (size_t i = 0; i < w->nfar; i++)
		buf_append(&b, w->keys.p + w->far[i].at, w->far[i].len);
	r = write_file(w, "foreign-keys.json", &b, err);
	buf_fini(&b);
	return r;
}

static int
write_warnings(struct artifacts *w, const struct mp_value *warnings, struct err *err)
{
	struct buf b = { 0 };
	int r;

	mp_put_pairs(&b, mp_raw("warnings", warnings->raw));
	r = write_file(w, "warnings.json", &b, err);
	buf_fini(&b);
	return r;
}

static void
put_member(const struct mp_value *head, const char *name, struct buf *out)
{
	struct mp_value v;

	mp_put_cstr(out, name);
	if (mp_get(head, name, &v))
		shape_redacted(&v, out);
	else
		mp_put_map(out, 0);
}

static void
put_connection(struct artifacts *w, const struct mp_value *head, struct span at, struct buf *out)
{
	size_t map = mp_open_pairs(out, mp_cstr("connectionId", w->connection),
	    mp_str("driver", mp_get_str(head, "driver", SPAN("unknown"))), mp_str("extractedAt", at));

	put_member(head, "scope", out);
	put_member(head, "metadata", out);
	mp_pair_uint(out, "tableCount", w->totals.tables + w->totals.views);
	mp_end(out, map);
}

/* Whether the previous connection.json is the same except for the time. */
static bool
is_same_connection(struct artifacts *w, const struct mp_value *head)
{
	struct mp_value before, v;
	struct buf mp = { 0 }, text = { 0 };
	bool same = false;

	if (read_before(w, w->old, "connection.json", &before) && before.class == MP_MAP) {
		put_connection(w, head, mp_get_str(&before, "extractedAt", SPAN("")), &mp);
		if (mp_value(buf_view(&mp), &v))
			json_pretty(&text, &v);
		same = span_is(buf_view(&text), buf_view(&w->before));
	}
	buf_fini(&mp);
	buf_fini(&text);
	return same;
}

static int
write_connection(struct artifacts *w, const struct mp_value *head, uint64_t unix_ms, struct err *err)
{
	bool others = w->others_changed, same = is_same_connection(w, head);
	struct buf b = { 0 };
	char at[25];
	int r;

	clock_iso8601(unix_ms, at);
	put_connection(w, head, span_str(at), &b);
	r = write_file(w, "connection.json", &b, err);
	w->others_changed = others || !same;
	buf_fini(&b);
	return r;
}

/* Compare two maps, ignoring when they were made. */
static bool
is_same_enrichment(const struct mp_value *before, const struct mp_value *after)
{
	struct mp_iter it = mp_iter(after);
	struct mp_value v, other;
	struct span key;

	if (before->class != MP_MAP || before->n != after->n)
		return false;
	while (mp_next_pair(&it, &key, &v)) {
		char name[64];

		if (span_is(key, SPAN("profiledAt")) || span_is(key, SPAN("extractedAt")) ||
		    span_is(key, SPAN("generatedAt")))
			continue;
		snprintf(name, sizeof(name), "%.*s", SPAN_FMT(key));
		if (!mp_get(before, name, &other) || !is_same_column(other.raw, v.raw))
			return false;
	}
	return true;
}

int
artifacts_enrich(struct artifacts *w, const char *name, const struct mp_value *v, struct err *err)
{
	struct mp_value before;
	int from = -1, to, r;

	if (w->old < 0 || files_open_dir(w->old, "enrichment", &from) != FILES_OK)
		from = -1;
	if (!read_before(w, from, name, &before) || !is_same_enrichment(&before, v))
		w->others_changed = true;
	close_fd(from);
	buf_reset(&w->text, 1 << 20);
	json_pretty(&w->text, v);
	r = to = atomic_open_dir(w->here, "enrichment", err);
	if (to >= 0)
		r = atomic_write_new(to, name, buf_view(&w->text), err);
	close_fd(to);
	return r;
}

/* Tables of the previous sync that are not in this one. */
static int
count_deleted(struct artifacts *w, struct err *err)
{
	struct arena *a;
	struct files_list list = { 0 };
	struct files_stamp stamp;
	struct mp_value before, columns;

	if (w->old_tables < 0)
		return 0;
	a = arena_new(LIST_MAX);
	if (files_list(w->old_tables, a, &list) != FILES_OK) {
		arena_free(a);
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "the tables of the previous scan cannot be listed");
	}
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.entries[i].name;
		size_t len = strlen(name);

		if (len < 5 || strcmp(name + len - 5, ".json") != 0 ||
		    files_stat(w->tables, name, &stamp, NULL) == FILES_OK)
			continue;
		w->diff.tables_deleted++;
		if (read_before(w, w->old_tables, name, &before) && before.class == MP_MAP &&
		    mp_get(&before, "columns", &columns) && columns.class == MP_ARRAY)
			w->diff.columns_deleted += columns.n;
	}
	arena_free(a);
	return 0;
}

/* The time a sync id begins with, in seconds; 0 when it begins with none. */
static time_t
time_of(const char *sync)
{
	struct tm tm = { 0 };

	if (sscanf(sync, "%4d-%2d-%2d-%2d%2d%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
		&tm.tm_sec) != 6)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return timegm(&tm);
}

static void
put_id(char *out, size_t cap, time_t at, uint64_t unix_ms)
{
	char job[16];
	size_t n = sizeof(job);
	struct tm tm;

	job[--n] = '\0';
	do {
		job[--n] = "0123456789abcdefghijklmnopqrstuvwxyz"[unix_ms % 36];
		unix_ms /= 36;
	} while (unix_ms > 0);
	gmtime_r(&at, &tm);
	snprintf(out, cap, "%04d-%02d-%02d-%02d%02d%02d-local-%s", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
	    tm.tm_hour, tm.tm_min, tm.tm_sec, job + n);
}

/* The latest sync is the last in byte order, so the new id must sort last even when the clock was set back. */
static int
choose_id(struct artifacts *w, uint64_t unix_ms, struct err *err)
{
	put_id(w->sync_id, sizeof(w->sync_id), (time_t)(unix_ms / 1000), unix_ms);
	if (strcmp(w->sync_id, w->previous) > 0)
		return 0;
	put_id(w->sync_id, sizeof(w->sync_id), time_of(w->previous) + 1, unix_ms);
	if (strcmp(w->sync_id, w->previous) > 0)
		return 0;
	return err_set(err, ERR_SERVICE_UNAVAILABLE,
	    "the sync %s of %s sorts behind every new one; remove or rename "
	    "that directory",
	    w->previous, w->connection);
}

/*
 * Descriptions that a model wrote for an earlier, enriched sync: readers look
 * into the latest one only, and a scan of the structure brings none.
 */
static int
keep_descriptions(struct artifacts *w, struct err *err)
{
	static const char name[] = "descriptions.json";
	struct mp_value before;
	int from, to, r;

	if (w->old < 0 || files_open_dir(w->old, "enrichment", &from) != FILES_OK)
		return 0;
	if (!read_before(w, from, name, &before)) {
		close(from);
		return 0;
	}
	r = to = atomic_open_dir(w->here, "enrichment", err);
	if (to >= 0) {
		r = atomic_link(from, to, name, buf_view(&w->before), err);
		close(to);
	}
	close(from);
	return r;
}

int
artifacts_close(struct artifacts *w, const struct mp_value *head, const struct mp_value *warnings, uint64_t unix_ms,
    struct err *err)
{
	if (count_deleted(w, err) != 0 || write_keys(w, err) != 0 || write_warnings(w, warnings, err) != 0 ||
	    write_connection(w, head, unix_ms, err) != 0 || keep_descriptions(w, err) != 0)
		return -1;
	return choose_id(w, unix_ms, err);
}

bool
artifacts_changed(const struct artifacts *w)
{
	return w->old < 0 || w->others_changed || w->diff.tables_added > 0 || w->diff.tables_modified > 0 ||
	    w->diff.tables_deleted > 0;
}

const struct artifacts_diff *
artifacts_diff(const struct artifacts *w)
{
	return &w->diff;
}

const struct artifacts_totals *
artifacts_totals(const struct artifacts *w)
{
	return &w->totals;
}

const char *
artifacts_previous(const struct artifacts *w)
{
	return w->old < 0 ? NULL : w->previous;
}

const char *
artifacts_sync_id(const struct artifacts *w)
{
	return w->sync_id;
}

int
artifacts_publish(struct artifacts *w, const struct mp_value *report, struct err *err)
{
	(void)fault_point("memory.before_report");
	buf_reset(&w->text, 1 << 20);
	json_pretty(&w->text, report);
	if (atomic_write_new(w->here, "scan-report.json", buf_view(&w->text), err) != 0 ||
	    atomic_sync_tree(w->here, err) != 0)
		return -1;
	(void)fault_point("memory.before_rename");
	if (atomic_publish(w->dir, w->temp, w->live, w->sync_id, err) != 0)
		return -1;
	w->published = true;
	(void)fault_point("memory.after_rename");
	return 0;
}
