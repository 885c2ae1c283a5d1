#include "workers/sql/duckdb/duckdb_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/sql/duckdb/duckdb_library.h"
#include "workers/sql/duckdb/duckdb_names.h"
#include "workers/sql/duckdb/duckdb_session.h"
#include "workers/sql/duckdb/duckdb_sql.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/duckdb/duckdb_types.h"
#include "workers/sql/duckdb/duckdb_values.h"

/* Bytes of a table's files up to which all rows decide on the types of its columns; beyond, that many rows do. */
#define READ_WHOLE	((int64_t)64 << 20)
#define READ_ROWS	200000

/* How deep types of JSON columns go; what is deeper is a column of JSON. */
#define JSON_DEPTH	20

/* A digest of a path: which file is there, or what is in it. */
static uint64_t
add_path(uint64_t h, const char *path, bool identity)
{
	struct stat st = { .st_dev = 0 };
	bool there = stat(path, &st) == 0;
	/* What a directory lists is a part of its identity. */
	bool times = !identity || S_ISDIR(st.st_mode);
	const uint64_t parts[] = { there, st.st_dev, st.st_ino, times ? (uint64_t)st.st_size : 0,
		times ? (uint64_t)st.st_mtim.tv_sec : 0, times ? (uint64_t)st.st_mtim.tv_nsec : 0 };

	return hash_more(h, parts, sizeof(parts));
}

static uint64_t
digest_table(const struct duckdb_files_table *t, uint64_t h, bool identity)
{
	for (size_t i = 0; i < t->found.files.n; i++)
		h = add_path(h, t->found.files.v[i], identity);
	for (size_t i = 0; i < t->found.dirs.n && identity; i++)
		h = add_path(h, t->found.dirs.v[i], true);
	return h;
}

static uint64_t
identify_files(const struct duckdb_files *f)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < f->n; i++)
		h = digest_table(&f->v[i], h, true);
	return h;
}

bool
duckdb_files_are_same(const struct duckdb_files *f)
{
	return identify_files(f) == f->identity;
}

static bool
is_unchanged(const struct duckdb_files_table *t)
{
	return digest_table(t, HASH_START, false) == t->content;
}

int
duckdb_files_check(const struct duckdb_files_table *t, struct err *err)
{
	if (t == NULL || is_unchanged(t))
		return 0;
	return err_set(err, ERR_DATABASE_ERROR, "a file changed while the statement read it; run it again");
}

bool
duckdb_files_are_unchanged(const struct duckdb_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!is_unchanged(&f->v[i]))
			return false;
	return true;
}

uint64_t
duckdb_files_version(const struct duckdb_files *f)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < f->n; i++)
		h = hash_more(h, &f->v[i].content, sizeof(f->v[i].content));
	return h;
}

static struct span
cut_part(struct span *rest, char at)
{
	const uint8_t *end = memchr(rest->p, at, rest->len);
	struct span part = span_of(rest->p, end == NULL ? rest->len : (size_t)(end - rest->p));

	*rest = span_of(rest->p + part.len + (end != NULL), rest->len - part.len - (end != NULL));
	return part;
}

void
duckdb_files_add(struct duckdb_files *f, struct span line)
{
	struct duckdb_files_table *t;

	f->v = mem_grow(f->v, f->n, &f->cap, sizeof(*f->v));
	t = &f->v[f->n++];
	*t = (struct duckdb_files_table){ .function = mem_text(cut_part(&line, '\t')),
		.query = BUF_MAX(DUCKDB_SQL_MAX), .content = HASH_START };
	t->fixed = strtoul((const char *)cut_part(&line, '\t').p, NULL, 10);
	t->name = mem_text(cut_part(&line, '\t'));
	t->pattern = mem_text(line);
}

void
duckdb_files_find(struct duckdb_files *f)
{
	struct wildcards_spent spent = { 0 };
	size_t n = 0, nall = 0;
	struct err err;

	for (size_t i = 0; i < f->n; i++) {
		struct duckdb_files_table *t = &f->v[i];

		if (wildcards_find(&t->found, t->pattern, t->fixed, &spent, &err) == -1)
			t->fault = mem_text(span_str(err.message));
		n += t->found.files.n;
	}
	f->all = mem_new(n + 1, sizeof(*f->all));
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->v[i].found.files.n; k++)
			f->all[nall++] = f->v[i].found.files.v[k];
	f->identity = identify_files(f);
}

void
duckdb_files_fini(struct duckdb_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].function);
		free(f->v[i].name);
		free(f->v[i].pattern);
		free(f->v[i].fault);
		buf_fini(&f->v[i].query);
		wildcards_fini(&f->v[i].found);
	}
	free(f->v);
	free(f->all);
	memset(f, 0, sizeof(*f));
}

static void
put_list(struct buf *sql, char *const *paths)
{
	buf_byte(sql, '[');
	for (size_t i = 0; paths[i] != NULL; i++) {
		buf_str(sql, i > 0 ? ", " : "");
		buf_quoted(sql, span_str(paths[i]), '\'');
	}
	buf_byte(sql, ']');
}

void
duckdb_files_put_allowed(const struct duckdb_files *f, struct buf *sql)
{
	buf_str(sql, "SET GLOBAL allowed_paths = ");
	put_list(sql, f->all);
}

static bool
is_parquet(const struct duckdb_files_table *t)
{
	return strcmp(t->function, "read_parquet") == 0;
}

const struct duckdb_files_table *
duckdb_files_texts(const struct duckdb_files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i].name, name) == 0 && !is_parquet(&f->v[i]))
			return &f->v[i];
	return NULL;
}

/*
 * The path of the first file from where wildcards begin, if directories there say what is in their files:
 * "year=2025/a.csv"; else empty.
 */
static const char *
partitioned(const struct duckdb_files_table *t)
{
	const char *file = t->found.root == 0 || t->found.files.n == 0 ? "" : t->found.files.v[0] + t->found.root;
	const char *equals = strchr(file, '='), *slash = strrchr(file, '/');

	return equals != NULL && equals < slash ? file : "";
}

/* How the files are packed: the library looks for the end of a name before the first "?" of a path. */
static const char *
packing(const struct duckdb_files_table *t)
{
	struct span pattern = span_str(t->pattern);

	return span_ends(pattern, ".gz") ? "gzip" : span_ends(pattern, ".zst") ? "zstd" : "uncompressed";
}

/*
 * Whether a file is read, then its size is added: empty texts have no rows, and are no use.  What is in a packed file
 * may be a thousand times its size.
 */
static bool
is_read(const struct duckdb_files_table *t, size_t i, int64_t *total)
{
	struct stat st = { .st_size = 0 };
	bool known = stat(t->found.files.v[i], &st) == 0;

	*total += strcmp(packing(t), "uncompressed") != 0 ? READ_WHOLE + 1 : st.st_size;
	return is_parquet(t) || !known || st.st_size > 0;
}

/* "SELECT * FROM read_csv([…], …": open for what else is to be said.  The size of the files; -1: all are empty. */
static int64_t
put_call(struct buf *sql, const struct duckdb_files_table *t)
{
	int64_t total = 0;
	size_t n = 0;

	buf_printf(sql, "SELECT * FROM %s([", t->function);
	for (size_t i = 0; i < t->found.files.n; i++)
		if (is_read(t, i, &total)) {
			buf_str(sql, n++ > 0 ? ", " : "");
			buf_quoted(sql, span_str(t->found.files.v[i]), '\'');
		}
	buf_printf(sql, "], hive_partitioning = %s", partitioned(t)[0] != '\0' ? "true" : "false");
	if (!is_parquet(t))
		buf_printf(sql, ", union_by_name = true, compression = '%s'", packing(t));
	return n == 0 ? -1 : total;
}

/* The columns of a result, as a struct of their names and types. */
static bool
put_columns(struct buf *sql, struct duck_result *r)
{
	struct duckdb_type **types = NULL;
	struct buf name = { 0 };
	uint64_t n = 0;

	duckdb_types_read(r, &types, &n);
	for (uint64_t i = 0; i < n; i++) {
		buf_str(sql, i > 0 ? ", " : "{");
		buf_quoted(sql, span_str(duck.column_name(r, i)), '\'');
		buf_str(sql, ": ");
		buf_reset(&name, DUCKDB_SQL_MAX);
		duckdb_types_put_name(&name, types[i]);
		buf_quoted(sql, buf_view(&name), '\'');
	}
	buf_byte(sql, '}');
	duckdb_types_free(types, n);
	buf_fini(&name);
	return true;
}

static void
forget_fault(struct duckdb_files_table *t)
{
	free(t->fault);
	t->fault = NULL;
}

/* Whether a statement, or a part of one, is not cut; else the fault is noted. */
static bool
is_whole(struct duckdb_files_table *t, const struct buf *sql)
{
	forget_fault(t);
	if (sql->full)
		t->fault = mem_text(SPAN("its files or columns are too many"));
	return !sql->full;
}

/* Runs a statement; take: what to put of its result, or NULL.  False: it failed, and the fault is noted. */
static bool
try_statement(struct duckdb_files_table *t, struct duck_connection *c, struct buf *sql,
    bool (*take)(struct buf *out, struct duck_result *result), struct buf *out)
{
	struct duck_result result;
	bool ok;

	if (!is_whole(t, sql))
		return false;
	ok = duck.query(c, buf_cstr(sql), &result) == 0;
	if (!ok)
		t->fault = mem_text(span_str(duck.result_error(&result)));
	else if (take != NULL)
		ok = take(out, &result);
	duck.destroy_result(&result);
	return ok;
}

/* Asks what duckdb_csv.sql finds out about the files that were sniffed.  False: it is NULL, or it failed. */
static bool
ask_sniffed(struct duckdb_files_table *t, struct duck_connection *c, const char *question, struct buf *out)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok;

	buf_printf(&sql, "FROM %s", question);
	ok = try_statement(t, c, &sql, duckdb_values_put_only, out);
	buf_fini(&sql);
	return ok;
}

/* Of the library's own text only the file is of use. */
static void
explain_sniffing(struct duckdb_files_table *t, const char *file)
{
	struct buf text = { 0 };

	if (strstr(t->fault, "when sniffing file") == NULL)
		return;
	buf_printf(&text,
	    "how %s is written was not found: its rows have different numbers of fields or different ends of lines, "
	    "or quotes do not end",
	    file);
	free(t->fault);
	t->fault = mem_text(buf_view(&text));
	buf_fini(&text);
}

/* Finds how each file is written.  False: not of all, and the fault is noted. */
static bool
sniff_files(struct duckdb_files_table *t, struct duck_connection *c, int rows)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	int64_t total = 0;
	bool ok;

	buf_str(&sql, "DELETE FROM carrel_csv_files");
	ok = try_statement(t, c, &sql, NULL, NULL);
	for (size_t i = 0; ok && i < t->found.files.n; i++) {
		if (!is_read(t, i, &total))
			continue;
		buf_reset(&sql, DUCKDB_SQL_MAX);
		buf_printf(&sql, "INSERT INTO carrel_csv_files FROM carrel_csv_file(%zu, ", i);
		buf_quoted(&sql, span_str(t->found.files.v[i]), '\'');
		buf_printf(&sql, ", '%s', %d)", packing(t), rows);
		if (!(ok = try_statement(t, c, &sql, NULL, NULL)) && t->fault != NULL)
			explain_sniffing(t, t->found.files.v[i]);
	}
	buf_fini(&sql);
	return ok;
}

/*
 * Whether the library found what is in the files.  It takes what fits all rows: one with a field more or less makes it
 * take another delimiter, or leave out the rows before; the names, which a column policy goes by, are others then.
 */
static bool
is_certain(struct duckdb_files_table *t, struct duck_connection *c)
{
	struct buf doubt = { 0 };

	if (ask_sniffed(t, c, t->policed ? "carrel_csv_doubt(true)" : "carrel_csv_doubt(false)", &doubt))
		t->fault = mem_text(buf_view(&doubt));
	buf_fini(&doubt);
	return t->fault == NULL;
}

static bool
is_json(const struct duckdb_files_table *t)
{
	return strcmp(t->function, "read_json") == 0;
}

/* From how much the types of columns are found. */
static void
put_sampling(struct buf *sql, const struct duckdb_files_table *t, int rows)
{
	buf_printf(sql, ", sample_size = %d", rows);
	if (is_json(t))
		buf_printf(sql, ", maximum_depth = %d", JSON_DEPTH);
}

/*
 * Whether the library may have made a name, as for keys that differ in case alone: stated as a column, it would be
 * looked for as a key.  A column policy does not know such a name, and the column has no values then.
 */
static bool
has_made_names(struct duckdb_files_table *t, struct duck_connection *c, const char *types)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), found = { 0 };
	bool made;

	buf_printf(&sql, "carrel_json_made(MAP %s)", types);
	made = !t->policed && is_json(t) && is_whole(t, &sql) && ask_sniffed(t, c, buf_cstr(&sql), &found);
	buf_fini(&sql);
	buf_fini(&found);
	return made;
}

/* The names and types that all files together give to the columns of the table. */
static bool
find_types(struct duckdb_files_table *t, struct duck_connection *c, const char *call, int rows, struct buf *types)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok;

	buf_str(&sql, call);
	put_sampling(&sql, t, rows);
	buf_str(&sql, ") LIMIT 0");
	ok = try_statement(t, c, &sql, put_columns, types);
	buf_fini(&sql);
	return ok;
}

/*
 * The query that states how each file is written and what its columns are, so that the library detects nothing when it
 * runs.  False: not everything can be stated, or the query has other columns than these.
 */
static bool
find_stated(struct duckdb_files_table *t, struct duck_connection *c, const char *types)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), found = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok;

	buf_printf(&sql, "carrel_csv_query(MAP %s, ", types);
	buf_quoted(&sql, span_str(partitioned(t)), '\'');
	buf_byte(&sql, ')');
	ok = is_whole(t, &sql) && ask_sniffed(t, c, buf_cstr(&sql), &t->query);
	buf_reset(&sql, DUCKDB_SQL_MAX);
	buf_printf(&sql, "%s LIMIT 0", buf_cstr(&t->query));
	ok = ok && try_statement(t, c, &sql, put_columns, &found) && strcmp(buf_cstr(&found), types) == 0;
	buf_fini(&sql);
	buf_fini(&found);
	return ok;
}

/*
 * Reading the files again for each statement, the library would guess again how they are written and what is in them;
 * the query is kept until a file of the table changes.
 */
static bool
find_query(struct duckdb_files_table *t, struct duck_connection *c)
{
	struct buf call = BUF_MAX(DUCKDB_SQL_MAX), types = BUF_MAX(DUCKDB_SQL_MAX);
	int64_t total = put_call(&call, t);
	int rows = total > READ_WHOLE ? READ_ROWS : -1;
	bool csv = strcmp(t->function, "read_csv") == 0, ok = is_whole(t, &call) && total != -1, agreed;

	if (total == -1 && t->fault == NULL)
		t->fault = mem_text(SPAN("its files are empty"));
	ok = ok && (!csv || (sniff_files(t, c, rows) && is_certain(t, c)));
	agreed = ok && csv && partitioned(t)[0] == '\0' && ask_sniffed(t, c, "carrel_csv_types()", &types);
	ok = ok && (is_parquet(t) || agreed || find_types(t, c, buf_cstr(&call), rows, &types));
	if (ok && !(csv && find_stated(t, c, buf_cstr(&types)))) {
		buf_reset(&t->query, DUCKDB_SQL_MAX);
		buf_span(&t->query, buf_view(&call));
		if (has_made_names(t, c, buf_cstr(&types)))
			put_sampling(&t->query, t, rows);
		else if (!is_parquet(t))
			buf_printf(&t->query, ", %s = %s", csv ? "types" : "columns", buf_cstr(&types));
		buf_byte(&t->query, ')');
		if (!(ok = is_whole(t, &t->query)))
			buf_reset(&t->query, DUCKDB_SQL_MAX);
	}
	buf_fini(&call);
	buf_fini(&types);
	return ok;
}

static void
make_view(struct duckdb_files_table *t, struct duck_connection *c, const char *database)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	uint64_t content = digest_table(t, HASH_START, false); /* once: the files may change meanwhile */

	if (t->content != content)
		buf_reset(&t->query, DUCKDB_SQL_MAX);
	t->content = content;
	if (t->query.len > 0 || find_query(t, c)) {
		buf_str(&sql, "CREATE VIEW ");
		sqltext_put_name(&sql, span_str(database));
		buf_str(&sql, "." DUCKDB_SCHEMA ".");
		sqltext_put_name(&sql, span_str(t->name));
		buf_str(&sql, " AS ");
		buf_span(&sql, buf_view(&t->query));
		(void)try_statement(t, c, &sql, NULL, NULL);
	}
	buf_fini(&sql);
}

void
duckdb_files_make(struct duckdb_files *f, struct duck_connection *c, const char *database, bool policed)
{
	struct duck_result result;

	/* Where the library fails here, no CSV file is served. */
	(void)duck.query(c, duckdb_csv_sql, &result);
	duck.destroy_result(&result);
	for (size_t i = 0; i < f->n; i++) {
		struct duckdb_files_table *t = &f->v[i];

		if (t->found.files.n == 0)
			continue;
		forget_fault(t);
		t->policed = policed;
		make_view(t, c, database);
	}
}

/* The path of one of the files that begins there; NULL: none does. */
static const char *
path_at(const struct duckdb_files *f, const char *text)
{
	const char *longest = NULL;

	for (size_t i = 0; f->all[i] != NULL; i++)
		if (strncmp(text, f->all[i], strlen(f->all[i])) == 0 &&
		    (longest == NULL || strlen(f->all[i]) > strlen(longest)))
			longest = f->all[i];
	return longest;
}

void
duckdb_files_put_message(const struct duckdb_files *f, const char *message, struct buf *out)
{
	/* What stands behind is the line of a file, and advice about the function that the view calls. */
	size_t len = strcspn(message, "\n");
	const char *file = strstr(message, "\n  file = ");

	for (const char *p = message; p < message + len; p++) {
		const char *path = *p == '/' ? path_at(f, p) : NULL;

		if (path == NULL)
			buf_byte(out, (uint8_t)*p);
		else {
			buf_str(out, strrchr(path, '/') + 1);
			p += strlen(path) - 1;
		}
	}
	if (file != NULL && (file = path_at(f, file + 10)) != NULL)
		buf_printf(out, " of %s", strrchr(file, '/') + 1);
}
