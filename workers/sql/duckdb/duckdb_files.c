#include "workers/sql/duckdb/duckdb_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/sql/duckdb/duckdb_library.h"
#include "workers/sql/duckdb/duckdb_names.h"
#include "workers/sql/duckdb/duckdb_runner.h"
#include "workers/sql/duckdb/duckdb_session.h"
#include "workers/sql/duckdb/duckdb_sql.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/duckdb/duckdb_values.h"

/* Bytes of the files of a table, and of all, up to which all rows decide on types; beyond, that many rows do. */
#define READ_WHOLE	((int64_t)64 << 20)
#define READ_WHOLE_ALL	((int64_t)256 << 20)
#define READ_ROWS	200000

/* How long the files of a table, and of all, are looked at; beyond, tables are left out. */
#define LOOK_NS		(8 * CLOCK_SECOND)
#define LOOK_ALL_NS	(20 * CLOCK_SECOND)

/* How deep types of JSON columns go; what is deeper is a column of JSON. */
#define JSON_DEPTH	20

/* What the library says where it does not find how a file is written. */
#define SNIFFING	"when sniffing file"

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

static bool
is_json(const struct duckdb_files_table *t)
{
	return strcmp(t->function, "read_json") == 0;
}

static bool
is_csv(const struct duckdb_files_table *t)
{
	return strcmp(t->function, "read_csv") == 0;
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

/* A table whose files are looked at. */
struct look {
	struct duckdb_files_table	*t;
	struct duck_connection		*c;
	bool				 policed;	/* a column policy goes by the names in the files */
	int				 rows;		/* of each file that decide on types; -1: all */
};

static void
set_fault(struct duckdb_files_table *t, const char *fault)
{
	char *kept = fault == NULL ? NULL : mem_text(span_str(fault));

	free(t->fault);
	t->fault = kept;
}

/* Whether a statement, or a part of one, is not cut; else the fault is noted. */
static bool
is_whole(struct duckdb_files_table *t, const struct buf *sql)
{
	set_fault(t, sql->full ? "its files or columns are too many" : NULL);
	return !sql->full;
}

/*
 * Runs a statement and frees it; out, perhaps NULL, takes the only value of its result.  False: that is NULL, or the
 * statement failed and the fault is noted.
 */
static bool
run_look(const struct look *l, struct buf *sql, struct buf *out)
{
	struct duck_result result;
	bool ok = is_whole(l->t, sql);

	if (ok) {
		ok = duck.query(l->c, buf_cstr(sql), &result) == 0;
		if (!ok)
			set_fault(l->t, duck.result_error(&result));
		else if (out != NULL)
			ok = duckdb_values_put_only(out, &result);
		duck.destroy_result(&result);
	}
	buf_fini(sql);
	return ok;
}

/* Of the library's own text only the file is of use. */
static void
explain_sniffing(struct duckdb_files_table *t, const char *file)
{
	struct buf text = { 0 };

	if (t->fault == NULL || strstr(t->fault, SNIFFING) == NULL)
		return;
	buf_printf(&text,
	    "how %s is written was not found: its rows have different numbers of fields or different ends of lines, "
	    "or quotes do not end",
	    file);
	set_fault(t, buf_cstr(&text));
	buf_fini(&text);
}

/* Finds how a file is written, into carrel_csv_sniffed: spreadsheets end lines otherwise than within quotes. */
static bool
sniff_file(const struct look *l, const char *file)
{
	static const char *const ends[] = { "", ", new_line = '\\r\\n'" };
	bool ok = false;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !ok; i++) {
		struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);

		if (i > 0 && (l->t->fault == NULL || strstr(l->t->fault, SNIFFING) == NULL))
			break;
		buf_str(&sql, "CREATE OR REPLACE TEMP TABLE carrel_csv_sniffed AS FROM sniff_csv(");
		buf_quoted(&sql, span_str(file), '\'');
		buf_printf(&sql, ", compression = '%s', sample_size = %d%s)", packing(l->t), l->rows, ends[i]);
		ok = run_look(l, &sql, NULL);
	}
	return ok;
}

/* Finds how each file is written.  False: not of all, and the fault is noted. */
static bool
sniff_files(const struct look *l)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	int64_t total = 0;
	bool ok;

	buf_str(&sql, "DELETE FROM carrel_csv_files");
	ok = run_look(l, &sql, NULL);
	for (size_t i = 0; ok && i < l->t->found.files.n; i++) {
		if (!is_read(l->t, i, &total))
			continue;
		sql = BUF_MAX(DUCKDB_SQL_MAX);
		buf_printf(&sql, "INSERT INTO carrel_csv_files FROM carrel_csv_file(%zu, ", i);
		buf_quoted(&sql, span_str(l->t->found.files.v[i]), '\'');
		buf_printf(&sql, ", '%s')", packing(l->t));
		if (!(ok = sniff_file(l, l->t->found.files.v[i]) && run_look(l, &sql, NULL)))
			explain_sniffing(l->t, l->t->found.files.v[i]);
	}
	return ok;
}

/*
 * Whether the library found what is in the files.  It takes what fits all rows: one with a field more or less makes it
 * take another delimiter, or leave out the rows before; the names, which a column policy goes by, are others then.
 */
static bool
is_certain(const struct look *l)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), doubt = { 0 };

	buf_printf(&sql, "FROM carrel_csv_doubt(%s)", l->policed ? "true" : "false");
	if (run_look(l, &sql, &doubt))
		set_fault(l->t, buf_cstr(&doubt));
	buf_fini(&doubt);
	return l->t->fault == NULL;
}

/* From how much the types of columns are found. */
static void
put_sampling(struct buf *sql, const struct look *l, int depth)
{
	if (!is_parquet(l->t))
		buf_printf(sql, ", sample_size = %d", l->rows);
	if (is_json(l->t))
		buf_printf(sql, ", maximum_depth = %d", depth);
}

/* The rows that decide on types, of a query. */
static void
put_rows(struct buf *sql, const struct look *l, struct buf *query)
{
	buf_printf(sql, "(FROM (%s)", buf_cstr(query));
	if (l->rows > 0)
		buf_printf(sql, " LIMIT %d", l->rows);
	buf_byte(sql, ')');
}

/* A column of JSON for each key, by the names that the library gives them. */
static void
put_keys(struct buf *query, const struct look *l, const char *call)
{
	buf_str(query, call);
	put_sampling(query, l, 1);
	buf_byte(query, ')');
}

/*
 * The names and types that all files together give to the columns of the table.  Where JSON has fields that no type
 * can have, as those that differ in case alone, what is nested is JSON, unless a column policy goes by their names.
 */
static bool
find_types(const struct look *l, const char *call, struct buf *types)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), keys = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok;

	buf_printf(&sql, "SELECT carrel_types(column_name, column_type) FROM (DESCRIBE %s", call);
	put_sampling(&sql, l, JSON_DEPTH);
	buf_str(&sql, "))");
	ok = run_look(l, &sql, is_parquet(l->t) ? NULL : types);
	if (ok && is_json(l->t)) {
		buf_printf(&sql, "DESCRIBE %s, columns = %s)", call, buf_cstr(types));
		ok = run_look(l, &sql, NULL);
	}
	if (!ok && is_json(l->t) && !l->policed) {
		buf_reset(types, DUCKDB_SQL_MAX);
		put_keys(&keys, l, call);
		buf_str(&sql,
		    "SELECT carrel_types(name, carrel_json_type(shape)) FROM (UNPIVOT (SELECT "
		    "json_group_structure(to_json(COLUMNS(*)))::VARCHAR FROM ");
		put_rows(&sql, l, &keys);
		buf_str(&sql, ") ON COLUMNS(*) INTO NAME name VALUE shape)");
		ok = run_look(l, &sql, types);
	}
	buf_fini(&keys);
	return ok;
}

/*
 * Whether the library may have made a name, as for keys that differ in case alone: stated as a column, it would be
 * looked for as a key.  A column policy does not know such a name, and the column has no values then.
 */
static bool
has_made_names(const struct look *l, struct buf *types)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), found = { 0 };
	bool made;

	buf_printf(&sql, "FROM carrel_json_made(MAP %s)", buf_cstr(types));
	made = !l->policed && is_json(l->t) && run_look(l, &sql, &found);
	buf_fini(&sql);
	buf_fini(&found);
	return made;
}

/*
 * The query that states how each file is written and what its columns are, so that the library detects nothing when it
 * runs.  False: not everything can be stated, or the query has other columns than these.
 */
static bool
find_stated(const struct look *l, struct buf *types, struct buf *query)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), found = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok;

	buf_printf(&sql, "FROM carrel_csv_query(MAP %s, ", buf_cstr(types));
	buf_quoted(&sql, span_str(partitioned(l->t)), '\'');
	buf_byte(&sql, ')');
	ok = run_look(l, &sql, query);
	buf_printf(&sql, "SELECT carrel_types(column_name, column_type) FROM (DESCRIBE %s)", buf_cstr(query));
	ok = ok && run_look(l, &sql, &found) && strcmp(buf_cstr(&found), buf_cstr(types)) == 0;
	buf_fini(&sql);
	buf_fini(&found);
	return ok;
}

/* The query with columns of these types. */
static bool
find_typed(const struct look *l, const char *call, struct buf *types, struct buf *query)
{
	bool csv = is_csv(l->t);

	if (csv && find_stated(l, types, query))
		return true;
	buf_reset(query, DUCKDB_SQL_MAX);
	buf_str(query, call);
	if (has_made_names(l, types))
		put_sampling(query, l, JSON_DEPTH);
	else if (!is_parquet(l->t))
		buf_printf(query, ", %s = %s", csv ? "types" : "columns", buf_cstr(types));
	buf_byte(query, ')');
	return is_whole(l->t, query);
}

/*
 * An integer of more than 64 bits makes its column DOUBLE, which does not have its digits.  Such a column becomes
 * HUGEINT, or text if it has other numbers too, and a nested one becomes JSON.
 */
static bool
find_exact(const struct look *l, const char *call, struct buf *types)
{
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), from = BUF_MAX(DUCKDB_SQL_MAX), exact = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok = true;

	if (is_json(l->t))
		put_keys(&from, l, call);
	else {
		buf_printf(&sql, "FROM carrel_texts(MAP %s, ['DOUBLE'])", buf_cstr(types));
		ok = run_look(l, &sql, &exact) && find_typed(l, call, &exact, &from);
	}
	buf_reset(&exact, DUCKDB_SQL_MAX);
	put_rows(&exact, l, &from);
	buf_printf(&sql, "FROM carrel_exact(MAP %s, ", buf_cstr(types));
	buf_quoted(&sql, buf_view(&exact), '\'');
	buf_byte(&sql, ')');
	buf_reset(&from, DUCKDB_SQL_MAX);
	buf_reset(&exact, DUCKDB_SQL_MAX);
	ok = ok && run_look(l, &sql, &from) && run_look(l, &from, &exact);
	if (ok && strcmp(buf_cstr(&exact), buf_cstr(types)) != 0) {
		buf_reset(types, DUCKDB_SQL_MAX);
		buf_span(types, buf_view(&exact));
		if (has_made_names(l, types) ||
		    (l->policed && is_json(l->t) && strstr(buf_cstr(types), ": 'JSON'") != NULL)) {
			set_fault(l->t,
			    "it has integers of more than 64 bits together with keys that are empty or differ in case "
			    "alone, or in nested fields whose names a column policy has to see");
			ok = false;
		}
	}
	buf_fini(&sql);
	buf_fini(&from);
	buf_fini(&exact);
	return ok;
}

/* The query of a table of which not all rows were looked at: others may have fractions where these have integers. */
static bool
find_whole(const struct look *l, const char *call, struct buf *types)
{
	static const char integers[] = "['BIGINT', 'UBIGINT', 'HUGEINT']";
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX), texts = BUF_MAX(DUCKDB_SQL_MAX), from = BUF_MAX(DUCKDB_SQL_MAX);
	bool ok;

	buf_printf(&sql, "FROM carrel_texts(MAP %s, %s)", buf_cstr(types), integers);
	ok = run_look(l, &sql, &texts) && find_typed(l, call, &texts, &from);
	buf_printf(&sql, "FROM carrel_whole(MAP %s, %s, ", buf_cstr(types), integers);
	buf_quoted(&sql, buf_view(&from), '\'');
	buf_byte(&sql, ')');
	ok = ok && run_look(l, &sql, &l->t->query);
	buf_fini(&sql);
	buf_fini(&texts);
	buf_fini(&from);
	return ok;
}

/*
 * Reading the files again for each statement, the library would guess again how they are written and what is in them;
 * the query is kept until a file of the table changes.
 */
static bool
find_query(struct look *l, int64_t *whole)
{
	struct buf call = BUF_MAX(DUCKDB_SQL_MAX), types = BUF_MAX(DUCKDB_SQL_MAX), sql = BUF_MAX(DUCKDB_SQL_MAX);
	int64_t total = put_call(&call, l->t);
	bool ok = is_whole(l->t, &call) && total != -1;

	if (total == -1)
		set_fault(l->t, "its files are empty");
	l->rows = total > READ_WHOLE || (*whole += total) > READ_WHOLE_ALL ? READ_ROWS : -1;
	ok = ok && (!is_csv(l->t) || (sniff_files(l) && is_certain(l)));
	if (ok && is_csv(l->t) && partitioned(l->t)[0] == '\0') {
		buf_str(&sql, "FROM carrel_csv_types()");
		(void)run_look(l, &sql, &types);
	}
	ok = ok && (types.len > 0 || find_types(l, buf_cstr(&call), &types));
	ok = ok && (strstr(buf_cstr(&types), "DOUBLE") == NULL || find_exact(l, buf_cstr(&call), &types));
	ok = ok &&
	    (l->rows > 0 && !is_parquet(l->t) && !has_made_names(l, &types) ?
		    find_whole(l, buf_cstr(&call), &types) :
		    find_typed(l, buf_cstr(&call), &types, &l->t->query));
	if (!ok)
		buf_reset(&l->t->query, DUCKDB_SQL_MAX);
	buf_fini(&call);
	buf_fini(&types);
	return ok;
}

static void
make_view(struct look *l, const char *database, int64_t *whole)
{
	struct duckdb_files_table *t = l->t;
	struct buf sql = BUF_MAX(DUCKDB_SQL_MAX);
	uint64_t content = digest_table(t, HASH_START, false); /* once: the files may change meanwhile */

	if (t->content != content)
		buf_reset(&t->query, DUCKDB_SQL_MAX);
	t->content = content;
	if (t->query.len == 0 && !find_query(l, whole))
		return;
	buf_str(&sql, "CREATE VIEW ");
	sqltext_put_name(&sql, span_str(database));
	buf_str(&sql, "." DUCKDB_SCHEMA ".");
	sqltext_put_name(&sql, span_str(t->name));
	buf_str(&sql, " AS ");
	buf_span(&sql, buf_view(&t->query));
	(void)run_look(l, &sql, NULL);
}

void
duckdb_files_make(struct duckdb_files *f, struct duck_connection *c, struct duckdb_runner *r, const char *database)
{
	uint64_t end = clock_ns() + LOOK_ALL_NS, until;
	struct duck_result result;
	int64_t whole = 0;

	/* Where the library fails here, no table is served. */
	(void)duck.query(c, duckdb_csv_sql, &result);
	duck.destroy_result(&result);
	for (size_t i = 0; i < f->n; i++) {
		struct duckdb_files_table *t = &f->v[i];

		/* A fault stays until the files change: what took long once does not take long again. */
		if (t->found.files.n == 0 || (t->fault != NULL && is_unchanged(t)))
			continue;
		set_fault(t, NULL);
		f->looked_at = t->name;
		until = clock_ns() + LOOK_NS;
		duckdb_runner_limit(r, until < end ? until : end);
		make_view(&(struct look){ t, c, f->policed, -1 }, database, &whole);
		if (duckdb_runner_limit(r, 0) && t->fault != NULL)
			set_fault(t, "looking at its files takes too long; convert them to Parquet");
	}
	f->looked_at = NULL;
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
	if (strstr(message, "not utf-8 encoded") != NULL)
		buf_str(out, ", which is not in UTF-8; convert it");
}
