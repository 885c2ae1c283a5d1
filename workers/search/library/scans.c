/* scans.c - see scans.h: which scan is the latest, and reading it while another is in use. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/array.h"
#include "workers/search/library/scans.h"
#include "workers/search/library/schema_build.h"
#include "workers/search/index/dict_build.h"

#define LOAD_ARENA	((size_t)8 << 30)	/* bounded by the process's memory before that */
#define TABLE_ARENA	((size_t)512 << 20)
#define LIST_ARENA	((size_t)64 << 20)
#define FILES_A_LOOK	16			/* read between looks at the clock */

#define REPORT		"scan-report.json"
#define PROFILE		"enrichment/relationship-profile.json"

struct scan_load {
	struct scans		 next;		/* what will be in use; its load is NULL */
	struct arena		*arena;		/* names, texts, profile */
	struct arena		*table;		/* of the file in work */
	struct buf		 text, scratch;
	int			 tables;	/* the directory; -1: none */
	struct files_list	 files;
	size_t			 nread;
	uint64_t		 reported_ms;	/* when the report was written */
	struct snapshot_profile	 profile;
	struct snapshot_texts	 texts;
	struct snapshot_keys	 keys;
	bool			 opened;
	struct dict_building	*dict_work;	/* NULL: no profile, or done */
};

uint64_t
scans_digest(const char *name, const struct files_stamp *stamp)
{
	uint64_t h = hash_of(span_str(name));
	const uint64_t parts[] = { stamp->inode, (uint64_t)stamp->size, (uint64_t)stamp->mtime_ns };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		h = (h ^ parts[i] ^ parts[i] >> 31) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 32;
}

static int
open_live(const struct connection *c, int raw)
{
	char *path;
	int fd = -1;

	if (raw == -1)
		return -1;
	path = mem_printf("%s/%s", c->id, "live-database");
	if (files_open_dir(raw, path, &fd) != FILES_OK)
		fd = -1;
	free(path);
	return fd;
}

/* The last directory of list, before index `before`, in which file exists; its index, or SIZE_MAX. */
static size_t
newest_with(int live, const struct files_list *list, size_t before, const char *file,
    struct files_stamp *stamp)
{
	for (size_t i = before; i-- > 0;) {
		char *path;
		enum files_fault fault;

		if (!list->entries[i].is_dir)
			continue;
		path = mem_printf("%s/%s", list->entries[i].name, file);
		fault = files_stat(live, path, stamp, NULL);
		free(path);
		if (fault == FILES_OK)
			return i;
	}
	return SIZE_MAX;
}

static void
add_stamp(struct buf *out, int live, const char *sync, const char *file)
{
	struct files_stamp stamp = { 0 };
	char *path = mem_printf("%s/%s", sync, file);

	if (files_stat(live, path, &stamp, NULL) == FILES_OK)
		buf_printf(out, "%s:%s:%llu:%lld:%lld\n", sync, file, (unsigned long long)stamp.inode,
		    (long long)stamp.size, (long long)stamp.mtime_ns);
	free(path);
}

/* Which files the latest scan and profile are, as a text to compare; "" for none. */
static char *
scans_identify(int live)
{
	static const char *const parts[] = {
		REPORT, "connection.json", "foreign-keys.json", "tables", "enrichment/descriptions.json"
	};
	struct arena *a = arena_new(LIST_ARENA);
	struct files_list list;
	struct files_stamp stamp;
	struct buf out = { 0 };
	char *identity;
	size_t i;

	if (live != -1 && files_list(live, a, &list) == FILES_OK) {
		if ((i = newest_with(live, &list, list.n, REPORT, &stamp)) != SIZE_MAX)
			for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
				add_stamp(&out, live, list.entries[i].name, parts[k]);
		if ((i = newest_with(live, &list, list.n, PROFILE, &stamp)) != SIZE_MAX)
			add_stamp(&out, live, list.entries[i].name, PROFILE);
	}
	arena_free(a);
	identity = mem_text(buf_view(&out));
	buf_fini(&out);
	return identity;
}

static void
scans_note(struct scan_load *load, const struct connection *c, const char *sync, const char *file,
    const char *reason)
{
	char *path = mem_printf("raw-sources/%s/live-database/%s/%s", c->id, sync, file);

	troubles_add(&load->next.troubles, path, reason);
	free(path);
}

/* Read a file of a sync into load->text.  False: it is missing, or a trouble. */
static bool
read_file(struct scan_load *load, const struct connection *c, int live, const char *sync, const char *file,
    size_t max)
{
	char *path = mem_printf("%s/%s", sync, file);
	enum files_fault fault;

	load->text.len = 0;
	fault = files_read(live, path, max, &load->text, NULL);
	free(path);
	if (fault != FILES_OK && fault != FILES_MISSING)
		scans_note(load, c, sync, file, files_fault_text(fault));
	return fault == FILES_OK;
}

/* The newest report that can be read. */
static bool
choose_scan(struct scan_load *load, const struct connection *c, int live, const struct files_list *list,
    struct snapshot_head *head)
{
	struct files_stamp stamp;
	struct err err;

	for (size_t i = list->n; (i = newest_with(live, list, i, REPORT, &stamp)) != SIZE_MAX;) {
		const char *sync = list->entries[i].name;

		if (!read_file(load, c, live, sync, REPORT, SNAPSHOT_FILE_MAX))
			continue;
		if (snapshot_read_report(load->arena, buf_view(&load->text), sync, c->id, head, &err) == 0) {
			load->reported_ms = (uint64_t)(stamp.mtime_ns / 1000000);
			return true;
		}
		scans_note(load, c, sync, REPORT, err.message);
	}
	return false;
}

/*
 * Values are shown only if they were sampled under the policy of now: columns
 * of views, say, are known to the database alone, and it was asked then.  The same holds for whom it was read as.
 */
static bool
is_shown(struct scan_load *load, const struct connection *c, const char *sync)
{
	struct snapshot_profile *p = &load->profile;
	size_t n = 0;

	if (c->policy_digest[0] == '\0')
		return true;
	if (!span_is_str(p->policy, c->policy_digest)) {
		scans_note(load, c, sync, PROFILE,
		    "it was made under another column policy or identity and is not shown; scan again, deep");
		*p = (struct snapshot_profile){ 0 };
		return false;
	}
	for (size_t i = 0; i < p->n; i++)
		if (columns_decide(c->policy, COLUMNS_ANYBODY, library_schema(c, p->v[i].db), p->v[i].table,
			p->v[i].column) == COLUMNS_CLEAR)
			p->v[n++] = p->v[i];
	p->n = n;
	return true;
}

static bool
is_hidden(const struct connection *c, struct span db, struct span table, struct span column)
{
	return columns_decide(c->policy, COLUMNS_ANYBODY, library_schema(c, db), table, column) == COLUMNS_HIDE;
}

static bool
key_is_hidden(const struct connection *c, struct span db, struct span table, const struct snapshot_key *k)
{
	return is_hidden(c, db, table, k->from_column) || is_hidden(c, k->to_db, k->to_table, k->to_column);
}

/* All details were looked at, under the policy of now. */
static bool
has_details(const struct connection *c, const struct snapshot_head *head)
{
	return head->has_details && span_is_str(head->column_policy, c->policy_digest);
}

/* Details may tell values or names of hidden columns; which of them do, only the database knows: all are left out. */
static void
without_details(const struct connection *c, struct snapshot_table *t)
{
	if (columns_is_empty(c->policy))
		return;
	t->definition = (struct span){ 0 };
	t->nindexes = t->nchecks = 0;
	for (size_t i = 0; i < t->ncolumns; i++) {
		t->columns[i].nlabels = 0;
		t->columns[i].default_text = t->columns[i].generated = t->columns[i].identity = SPAN_NONE;
	}
}

/* Whether both are columns of one key; where keys have no names (SQLite), all to the same table are taken for one. */
static bool
is_one_key(const struct snapshot_key *a, const struct snapshot_key *b)
{
	return span_is(a->constraint, b->constraint) && span_is(a->to_db, b->to_db) &&
	    span_is(a->to_table, b->to_table);
}

/*
 * A column that is hidden from anybody is not there; samples in a table's own file are older than any policy.  A key
 * with a hidden column is told in no part: without it, it would be another one.
 */
static void
without_hidden(const struct connection *c, struct snapshot_table *t)
{
	bool keyless = false;
	size_t n = 0;

	if (columns_is_empty(c->policy))
		return;
	for (size_t i = 0; i < t->ncolumns; i++)
		if (!is_hidden(c, t->db, t->name, t->columns[i].name)) {
			t->columns[n] = t->columns[i];
			t->columns[n++].nsamples = 0;
		} else
			keyless = keyless || t->columns[i].primary_key;
	t->ncolumns = n;
	for (size_t i = 0; keyless && i < n; i++)
		t->columns[i].primary_key = false;
	for (size_t i = 0; i < t->nkeys; i++)
		if (key_is_hidden(c, t->db, t->name, &t->keys[i]))
			for (size_t k = 0; k < t->nkeys; k++)
				if (is_one_key(&t->keys[i], &t->keys[k]))
					t->keys[k].from_column = SPAN_NONE;
	n = 0;
	for (size_t i = 0; i < t->nkeys; i++)
		if (t->keys[i].from_column.p != NULL)
			t->keys[n++] = t->keys[i];
	t->nkeys = n;
}

static void
note_profile(struct scans *s, const char *sync, const struct snapshot_profile *p)
{
	s->dict_unreadable = false;
	s->dict_sync = mem_text(span_str(sync));
	s->dict_at = p->profiled_at.p == NULL ? NULL : mem_text(p->profiled_at);
	s->has_sample_rows = p->has_sample_rows;
	s->sample_rows = p->sample_rows;
	s->has_values_per_column = p->has_values_per_column;
	s->values_per_column = p->values_per_column;
}

static void
read_profile(struct scan_load *load, const struct connection *c, int live, const struct files_list *list)
{
	struct files_stamp stamp;
	struct err err;

	for (size_t i = list->n; (i = newest_with(live, list, i, PROFILE, &stamp)) != SIZE_MAX;) {
		const char *sync = list->entries[i].name;

		load->next.dict_unreadable = true;
		if (!read_file(load, c, live, sync, PROFILE, SNAPSHOT_PROFILE_MAX))
			continue;
		if (snapshot_read_profile(load->arena, buf_view(&load->text), &load->profile, &err) == 0) {
			if (!is_shown(load, c, sync))
				return;
			note_profile(&load->next, sync, &load->profile);
			load->dict_work = dict_begin(&load->profile);
			return;
		}
		scans_note(load, c, sync, PROFILE, err.message);
	}
}

static void
without_hidden_keys(const struct connection *c, struct snapshot_keys *keys)
{
	struct snapshot_far_key *v = keys->v;
	size_t n = 0;

	for (size_t i = 0; i < keys->n; i++)
		if (key_is_hidden(c, span_of("", 0), v[i].table, &v[i].key))
			for (size_t k = 0; k < keys->n; k++)
				if (span_is(v[i].table, v[k].table) && is_one_key(&v[i].key, &v[k].key))
					v[k].key.from_column = SPAN_NONE;
	for (size_t i = 0; i < keys->n; i++)
		if (v[i].key.from_column.p != NULL)
			v[n++] = v[i];
	keys->n = n;
}

/* What goes with the report: connection.json, keys, descriptions, the list of tables. */
static void
read_head(struct scan_load *load, const struct connection *c, int live, struct snapshot_head *head)
{
	char *sync = arena_cstr(load->arena, head->tables_dir);
	enum files_fault fault;
	struct err err;

	if (sync == NULL)
		return;
	if (read_file(load, c, live, sync, "connection.json", SNAPSHOT_FILE_MAX) &&
	    snapshot_read_connection(load->arena, buf_view(&load->text), head, &err) != 0)
		scans_note(load, c, sync, "connection.json", err.message);
	if (head->driver.len == 0)
		head->driver = span_str(c->driver);
	if (head->extracted_at.len == 0) {
		char at[25];

		clock_iso8601(load->reported_ms, at);
		head->extracted_at = arena_span(load->arena, span_str(at));
	}
	if (read_file(load, c, live, sync, "foreign-keys.json", SNAPSHOT_FILE_MAX) &&
	    snapshot_read_keys(load->arena, buf_view(&load->text), &load->keys, &err) != 0)
		scans_note(load, c, sync, "foreign-keys.json", err.message);
	without_hidden_keys(c, &load->keys);
	if (read_file(load, c, live, sync, "enrichment/descriptions.json", SNAPSHOT_FILE_MAX) &&
	    snapshot_read_descriptions(load->arena, buf_view(&load->text), &load->texts, &err) != 0)
		scans_note(load, c, sync, "enrichment/descriptions.json", err.message);
	load->next.tables_path = mem_printf("%s/%s", sync, "tables");
	fault = files_open_dir(live, load->next.tables_path, &load->tables);
	if (fault == FILES_OK)
		fault = files_list(load->tables, load->arena, &load->files);
	else
		load->tables = -1;
	if (fault != FILES_OK && fault != FILES_MISSING)
		scans_note(load, c, sync, "tables", files_fault_text(fault));
}

static void
load_free(struct scan_load *load, struct vocab *v)
{
	if (load == NULL)
		return;
	scans_fini(&load->next, v);
	if (load->dict_work != NULL)
		dict_free(dict_end(load->dict_work));
	if (load->tables != -1)
		close(load->tables);
	buf_fini(&load->text);
	buf_fini(&load->scratch);
	arena_free(load->arena);
	arena_free(load->table);
	free(load);
}

/* What there is to read is found out in the first step, which may take long. */
static struct scan_load *
load_begin(char *identity)
{
	struct scan_load *load = mem_new(1, sizeof(*load));

	load->arena = arena_new(LOAD_ARENA);
	load->table = arena_new(TABLE_ARENA);
	load->next.in_use = identity;
	load->tables = -1;
	return load;
}

static void
load_open(struct scan_load *load, const struct connection *c, int raw, struct vocab *v)
{
	int live = open_live(c, raw);
	struct snapshot_head head;
	struct files_list list;

	load->opened = true;
	if (live == -1)
		return;
	if (files_list(live, load->arena, &list) == FILES_OK) {
		read_profile(load, c, live, &list);
		if (choose_scan(load, c, live, &list, &head)) {
			read_head(load, c, live, &head);
			load->next.schema = schema_new(c->id, &head, v);
			load->next.schema->has_details = has_details(c, &head);
			schema_enrich(load->next.schema, &load->texts, &load->profile, &load->keys);
		}
	}
	close(live);
}

void
scans_check(struct connection *c, int raw, bool force)
{
	struct scans *s = &c->scans;
	int live = open_live(c, raw);
	char *identity = scans_identify(live);

	if (s->load != NULL ? strcmp(s->load->next.in_use, identity) != 0 :
			      force || s->in_use == NULL || strcmp(s->in_use, identity) != 0) {
		/* What is unfinished counts in no vocabulary yet. */
		load_free(s->load, NULL);
		s->load = load_begin(identity);
	} else
		free(identity);
	if (live != -1)
		close(live);
}

/* Columns that a deep scan might have sampled: not those of views, which repeat tables, nor protected ones. */
static size_t
count_texts(const struct connection *c, const struct snapshot_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns && !snapshot_is_view(t->kind); i++) {
		const struct snapshot_column *k = &t->columns[i];

		n += dict_is_text(k->normalized_type.len > 0 ? k->normalized_type : k->native_type) &&
		    columns_decide(c->policy, COLUMNS_ANYBODY, library_schema(c, t->db), t->name, k->name) ==
			COLUMNS_CLEAR;
	}
	return n;
}

static void
read_table(struct scan_load *load, struct connection *c, const struct files_entry *e)
{
	struct files_stamp stamp = { 0 };
	struct snapshot_table table;
	enum files_fault fault;
	struct err err = { 0 };

	load->text.len = 0;
	arena_reset(load->table);
	fault = files_read(load->tables, e->name, SNAPSHOT_FILE_MAX, &load->text, &stamp);
	if (fault == FILES_MISSING)
		return;
	if (fault == FILES_OK || files_stat(load->tables, e->name, &stamp, NULL) == FILES_OK)
		load->next.files_digest += scans_digest(e->name, &stamp);
	if (fault != FILES_OK)
		err_set(&err, ERR_INVALID_ARGUMENTS, "%s", files_fault_text(fault));
	else if (snapshot_read_table(load->table, &load->scratch, buf_view(&load->text), &table, &err) == 0) {
		without_hidden(c, &table);
		if (!load->next.schema->has_details)
			without_details(c, &table);
		load->next.text_columns += count_texts(c, &table);
		if (!schema_add(load->next.schema, &table, span_str(e->name)))
			err_set(&err, ERR_INVALID_ARGUMENTS, "the scan holds more text than can be indexed");
	}
	if (err.code == ERR_NONE)
		return;
	/* An old version of the table is better than none. */
	(void)schema_add_old(load->next.schema, c->scans.schema, span_str(e->name), load->table);
	scans_note(load, c, load->next.tables_path, e->name, err.message);
}

/* True when all files are read. */
static bool
read_tables(struct scan_load *load, struct connection *c, uint64_t until)
{
	while (load->nread < load->files.n) {
		const struct files_entry *e = &load->files.entries[load->nread++];

		/* No name is empty. */
		if (!e->is_dir && span_ends(span_str(e->name + 1), ".json"))
			read_table(load, c, e);
		if (load->nread % FILES_A_LOOK == 0 && clock_ns() >= until)
			return false;
	}
	return true;
}

bool
scans_step(struct connection *c, int raw, struct vocab *v, uint64_t ns,
    void (*swapped)(void *arg, const struct schema *before, const struct schema *after), void *arg)
{
	struct scan_load *load = c->scans.load;
	uint64_t start = clock_ns();

	if (load == NULL)
		return false;
	if (!load->opened)
		load_open(load, c, raw, v);
	if (load->dict_work != NULL) {
		if (!dict_step(load->dict_work, ns))
			return false;
		load->next.dict = dict_end(load->dict_work);
		load->dict_work = NULL;
	}
	if (load->next.schema != NULL) {
		if (!read_tables(load, c, start + ns))
			return false;
		schema_finish(load->next.schema);
	}
	swapped(arg, c->scans.schema, load->next.schema);
	c->scans.load = NULL;
	scans_fini(&c->scans, v);
	c->scans = load->next;
	load->next = (struct scans){ 0 };
	load_free(load, v);
	return true;
}

void
scans_fini(struct scans *s, struct vocab *v)
{
	load_free(s->load, v);
	schema_free(s->schema, v);
	dict_free(s->dict);
	troubles_clear(&s->troubles);
	free(s->in_use);
	free(s->tables_path);
	free(s->dict_sync);
	free(s->dict_at);
	*s = (struct scans){ 0 };
}
