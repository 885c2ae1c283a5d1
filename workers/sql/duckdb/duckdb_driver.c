/* duckdb_driver.c - what DuckDB is to the configuration, the commands and the supervisor; links no library. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/system/wildcards.h"
#include "project/config/config_connection.h"
#include "project/config/config_value.h"

struct duckdb_settings {
	const char		*path, *url;	/* as written */
	const char		*project;	/* its directory */
	struct config_pairs	 files;		/* completed: name and absolute path of each */
	unsigned		 threads;
};

#define SETTING(key, KIND, field, low, high, def, words, doc) \
	{ "connections", key, CONFIG_##KIND, offsetof(struct duckdb_settings, field), low, high, def, words, doc }

static const struct config_key keys[] = {
	SETTING("path", TEXT, path, 1, 4096, NULL, NULL,
	    "the database file, relative to the project; env: and file: references work."),
	SETTING("url", SECRET, url, 1, 8192, NULL, NULL, "in place of path."),
	SETTING("files", FILES, files, 1, 64, NULL, NULL,
	    "Parquet, CSV and JSON files in place of path, relative to the project: each entry, perhaps with wildcards "
	    "(*, ?, [a-z], and ** for directories), is a table."),
	SETTING("threads", UINT, threads, 1, 64, "1", NULL,
	    "of DuckDB, for each worker; with more than 1 the file stays open, so no program can write it meanwhile."),
	{ .key = NULL }
};

static const char *const notes[] = {
	"DuckDB. One statement a call, and only reading: SELECT, FROM …, WITH … SELECT, VALUES, DESCRIBE, "
	"SUMMARIZE, SHOW "
	"TABLES, EXPLAIN. Comments and a last semicolon are fine; placeholders (?, $1) are not: write values into the "
	"statement.",
	"Refused: INSERT, UPDATE, DELETE, CREATE, COPY, ATTACH, SET, PRAGMA, CALL, INSTALL, LOAD, reading files "
	"(read_csv, read_parquet, FROM 'file.csv'), query(), current_setting, macros. PIVOT needs its values: "
	"FROM (PIVOT t ON "
	"x IN ('a', 'b') USING sum(y)).",
	"Names: \"double quotes\" for odd ones, case does not matter. Text: 'single quotes', doubled inside; = "
	"and LIKE "
	"compare with case, ILIKE without; || joins, regexp_matches(x, '…') is a regular expression.",
	"7 / 2 is 3.5, 7 // 2 is 3. Dividing by 0 gives NULL or inf: x / NULLIF(y, 0). round(x, n), sum of integers is "
	"HUGEINT.",
	"date_trunc('month', t), t + INTERVAL 1 MONTH, date_diff('day', a, b), EXTRACT(dow FROM t), strftime(t, "
	"'%Y-%m'), "
	"strptime('…', '%d.%m.%Y'), to_timestamp(seconds), make_date(y, m, d). TIMESTAMPTZ is shown in UTC: t AT "
	"TIME ZONE "
	"'Europe/Berlin'.",
	"Booleans are TRUE and FALSE. count(*) FILTER (WHERE …), GROUP BY ALL, QUALIFY, SELECT * EXCLUDE (a), "
	"COLUMNS('…'), "
	"median(x), quantile_cont(x, 0.9), arg_max(a, b), list(x), string_agg(x, ', '), x::DATE, TRY_CAST.",
	"JSON: j ->> '$.a.b'. Lists: l[1] is the first, unnest(l), list_contains(l, x), [x * 2 FOR x IN l]; "
	"structs: s.a. "
	"Series: range(n), generate_series(a, b, INTERVAL 1 DAY).",
	"First rows: ORDER BY … LIMIT n OFFSET m; one a group: DISTINCT ON (k) … ORDER BY k, t DESC. NULL sorts "
	"last; say "
	"NULLS FIRST. Without ORDER BY the order means nothing.",
	NULL
};

/* Legend: how a file's name ends, perhaps with .gz or .zst behind, and the function that reads it. */
static const struct file_format {
	const char	*suffix, *function;
} formats[] = {
	{ ".parquet", "read_parquet" }, { ".csv", "read_csv" }, { ".tsv", "read_csv" }, { ".jsonl", "read_json" },
	{ ".ndjson", "read_json" }, { ".json", "read_json" },
};

static const struct file_format *
format_of(const char *path, size_t *stem)
{
	struct span s = span_str(path);

	if (span_ends(s, ".gz") || span_ends(s, ".zst"))
		s.len -= span_ends(s, ".gz") ? 3 : 4;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (span_ends(s, formats[i].suffix)) {
			*stem = s.len - strlen(formats[i].suffix);
			return &formats[i];
		}
	return NULL;
}

static bool
duckdb_takes(const char *path)
{
	size_t stem;

	return format_of(path, &stem) != NULL;
}

/* A name of a path without its wildcards and what joins them: "sales-*" is sales; empty: nothing else is there. */
static struct span
plain_name(struct span name)
{
	static const char joints[] = "*?._- ";

	while (name.len > 0 && strchr(joints, name.p[0]) != NULL)
		name = span_of(name.p + 1, name.len - 1);
	name.len = strcspn((const char *)name.p, "*?[") < name.len ? strcspn((const char *)name.p, "*?[") : name.len;
	while (name.len > 0 && strchr(joints, name.p[name.len - 1]) != NULL)
		name.len--;
	return name;
}

/* What the table is called: as the file, or as the next directory whose name is more than wildcards. */
static const char *
table_name(struct arena *a, const char *path, size_t stem)
{
	struct span name = { 0 }, rest = span_of(path, stem);

	while (name.len == 0 && rest.len > 0) {
		const uint8_t *slash = memrchr(rest.p, '/', rest.len);
		size_t from = slash == NULL ? 0 : (size_t)(slash - rest.p) + 1;

		name = plain_name(span_of(rest.p + from, rest.len - from));
		rest.len = from == 0 ? 0 : from - 1;
	}
	return name.len == 0 ? NULL : arena_cstr(a, name);
}

/* The file before that one whose table is called so; files->n if none. */
static size_t
find_name(const struct config_pairs *files, size_t i, const char *name)
{
	for (size_t k = 0; k < i; k++)
		if (files->v[k].key != NULL && span_is_word(span_str(files->v[k].key), name))
			return k;
	return files->n;
}

/* Checks and completes one of files. */
static void
finish_files(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name,
    struct config_pairs *files, size_t i)
{
	const char *path = files->v[i].value;
	size_t stem = 0, ignored, same;
	const struct file_format *format = format_of(path, &stem);
	bool unnamed = files->v[i].key == NULL;

	if (format == NULL) {
		config_issue(r, true, c->line, name,
		    "%.200s has to end with .parquet, .csv, .tsv, .json, .jsonl or .ndjson, and perhaps .gz or .zst",
		    path);
		return;
	}
	if (files->v[i].key == NULL && (files->v[i].key = table_name(r->arena, path, stem)) == NULL) {
		config_issue(r, true, c->line, name, "%.200s gives its table no name; write {name: NAME, path: PATH}",
		    path);
		return;
	}
	/* "x.json" is x_json if there is "x.csv". */
	if (unnamed && (same = find_name(files, i, files->v[i].key)) < files->n &&
	    format_of(files->v[same].value, &ignored) != format)
		files->v[i].key = arena_printf(r->arena, "%s_%s", files->v[i].key, format->suffix + 1);
	if (files->v[i].key == NULL) {
		r->full = true;
		return;
	}
	if (find_name(files, i, files->v[i].key) < files->n)
		config_issue(r, true, c->line, name,
		    "two entries of files are called %.200s; name one of them: {name: NAME, path: PATH}",
		    files->v[i].key);
	if (path[0] != '/' && (files->v[i].value = arena_printf(r->arena, "%s/%s", cfg->project_dir, path)) == NULL)
		r->full = true;
	else if (strchr(files->v[i].value, '\n') != NULL || strpbrk(files->v[i].key, "\t\n") != NULL)
		config_issue(r, true, c->line, name,
		    "the path %.200s, or its table's name, has a line break or tab in it", files->v[i].value);
}

static const char *
files_where(const struct config_connection *c, struct arena *a)
{
	const struct config_pairs *files = &((const struct duckdb_settings *)c->settings)->files;
	const char *where = files->n > 0 ? files->v[0].value : "";

	for (size_t i = 1; i < files->n && where != NULL; i++)
		where = arena_printf(a, "%s, %s", where, files->v[i].value);
	return where;
}

/* Bytes at the beginning of a path that are the project's directory, in which there are no wildcards. */
static size_t
fixed_part(const struct duckdb_settings *s, const char *path)
{
	size_t n = strlen(s->project);

	return strncmp(path, s->project, n) == 0 && path[n] == '/' ? n : 0;
}

/* The files of one entry: 0, or -1 with *err. */
static int
find_entry(const struct duckdb_settings *s, size_t i, struct wildcards *w, struct wildcards_spent *spent,
    struct err *err)
{
	return wildcards_find(w, s->files.v[i].value, fixed_part(s, s->files.v[i].value), spent, err);
}

/* Why not all of the files can be read now; NULL: they can. */
static const char *
files_fault(const struct config_connection *c, struct arena *a)
{
	const struct duckdb_settings *s = c->settings;
	struct wildcards_spent spent = { 0 };
	struct wildcards w = { 0 };
	const char *fault = NULL;
	struct err err;

	for (size_t i = 0; i < s->files.n && fault == NULL; i++) {
		if (find_entry(s, i, &w, &spent, &err) == -1)
			fault = arena_printf(a, "%s: %s", s->files.v[i].value, err.message);
		else if (w.nameless > 0)
			fault = arena_printf(a, "%s: files whose paths are not in UTF-8 are left out: %zu",
			    s->files.v[i].value, w.nameless);
	}
	wildcards_fini(&w);
	return fault;
}

static void
files_found(const struct config_connection *c, struct wildcards *all)
{
	const struct duckdb_settings *s = c->settings;
	struct wildcards_list *l = &all->files;
	struct wildcards_spent spent = { 0 };
	struct wildcards w = { 0 };
	struct err ignored;

	for (size_t i = 0; i < s->files.n; i++) {
		(void)find_entry(s, i, &w, &spent, &ignored);
		for (size_t k = 0; k < w.files.n; k++) {
			l->v = mem_grow(l->v, l->n, &l->cap, sizeof(*l->v));
			l->v[l->n++] = mem_text(span_str(w.files.v[k]));
		}
	}
	wildcards_fini(&w);
}

static void
duckdb_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	struct duckdb_settings *s = c->settings;

	s->project = cfg->project_dir;
	if (s->files.n > 0 && (s->path != NULL || s->url != NULL))
		config_issue(r, true, c->line, name, "give path or files, not both");
	for (size_t i = 0; i < s->files.n; i++)
		finish_files(r, c, cfg, name, &s->files, i);
	if (s->files.n == 0)
		config_finish_file(r, c, cfg, name, s->path, s->url);
	s->url = NULL; /* it named a file: nothing else is to be resolved */
}

static const struct driver_build builds[] = {
#define BUILD(version, digest, reads)	{ version, digest, reads },
#include "workers/sql/duckdb/duckdb_builds.def"
#undef BUILD
	{ NULL, NULL, NULL }
};

static const struct driver_library library = {
	.file = "libduckdb.so", .version = "duckdb_library_version", .builds = builds,
	.reads = "files of DuckDB 0.10 and newer, up to its own version",
	.package = "the npm package @duckdb/node-bindings-linux-x64 or -arm64",
};

/* Lines that read_target() in workers/sql/duckdb/duckdb.c reads. */
static int
duckdb_target(const struct config_connection *c, struct driver_target *t, struct err *err)
{
	const struct duckdb_settings *s = c->settings;
	size_t stem;

	if (t->library != NULL && strchr(t->library, '\n') != NULL)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "engines.duckdb has a line break in it; write one path");
	buf_printf(&t->out, "threads=%u\n", s == NULL ? 1 : s->threads);
	if (t->library != NULL)
		buf_printf(&t->out, "library=%s\n", t->library);
	for (size_t i = 0; s != NULL && i < s->files.n; i++) {
		const char *path = s->files.v[i].value;

		buf_printf(&t->out, "files=%s\t%zu\t%s\t%s\n", format_of(path, &stem)->function, fixed_part(s, path),
		    s->files.v[i].key, path);
	}
	return 0;
}

const struct db_driver driver_duckdb = {
	.name = "duckdb", .aliases = "", .display = "DuckDB", .type = "DUCKDB",
	.binary = "carrel-sql-duckdb", .profile = "sql-duckdb",
	.place = DRIVER_FILE, .shard = DRIVER_BY_SCHEMA,
	.schemes = "duckdb:", .schema = "main", .magic = "DUCK", .magic_at = 8,
	.notes = notes, .library = &library, .keys = keys, .settings_size = sizeof(struct duckdb_settings),
	.finish = duckdb_finish, .where = files_where, .target = duckdb_target, .fault = files_fault,
	.takes = duckdb_takes, .files = files_found,
};
