/*
 * oracle.c - compile and run semantic-layer cases on SQLite, PostgreSQL or MariaDB
 * and judge the rows.
 *
 *	semantic-oracle CASES.jsonl SOURCES_DIR DATABASE [--verbose]
 *
 * DATABASE is a SQLite file, a PostgreSQL URL, or mysql:SOCKET of a MariaDB server, of which the database "test" is
 * asked; what its driver would send, the statement printed from its tree, is run there.
 *
 * A case is {"id", "model", "query", "expect": {headers, rows, ordered} or
 * {error}, "expect_alternatives"?, "engines"?: those that it is for}; SOURCES_DIR/<model>/ holds its YAML.  A case
 * without "expect" has "reference_sql": its rows, in the query's order of
 * columns, are what is expected.
 * Values are compared as docs/semantic-layer.md says: NULL only equals NULL,
 * numbers within 1e-9 relative, a trailing midnight is no difference, rows
 * are a multiset unless ordered.  Ends with "N passed, N failed".
 */
#include <dirent.h>
#include <libpq-fe.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/text/num.h"
#include "semantic/compile.h"
#include "tests/semantic/mariadb.h"
#include "workers/sql/sqlite/sqlite_percentile.h"

#define CELLS_MAX	4096

struct rows {
	size_t			 ncolumns, nrows;
	struct span		 headers[64];
	struct mp_value		*cells;		/* nrows * ncolumns */
	struct buf		 bytes;		/* what the cells borrow from */
};

struct models {
	char			 name[64];
	struct source_set	*set;
	struct sem_model	*model;
	struct models		*next;
};

static struct models *models;
static bool verbose;
static sqlite3 *sqlite;
static PGconn *pg;
static MYSQL *my;

static void
read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "r");
	size_t n;

	if (f == NULL) {
		perror(path);
		exit(2);
	}
	do {
		uint8_t *p = buf_reserve(out, 65536);

		n = fread(p, 1, 65536, f);
		out->len += n;
	} while (n > 0);
	fclose(f);
}

static void
add_files(struct source_set *set, const char *dir, const char *below)
{
	char path[1024];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", dir, below);
	if ((d = opendir(path)) == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		char relative[600], full[2048];
		struct buf text = { 0 };
		struct err err;

		if (e->d_name[0] == '.')
			continue;
		snprintf(relative, sizeof(relative), "%s%s%s", below, *below != '\0' ? "/" : "", e->d_name);
		if (e->d_type == DT_DIR) {
			add_files(set, dir, relative);
			continue;
		}
		snprintf(full, sizeof(full), "%s/%s", dir, relative);
		read_file(full, &text);
		if (source_set_put(set, relative, buf_view(&text), &err) == -1)
			fprintf(stderr, "%s: %s\n", full, err.message);
		buf_fini(&text);
	}
	closedir(d);
}

/* Sources that stand in the case itself; JSON is YAML. */
static void
add_inline(struct source_set *set, const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value v;

	for (size_t i = 0; mp_next(&it, &v); i++) {
		struct buf text = { 0 };
		char path[64];
		struct err err;

		json_write(&text, &v);
		snprintf(path, sizeof(path), "inline-%zu.yaml", i);
		if (source_set_put(set, path, buf_view(&text), &err) == -1 && verbose)
			printf("%s: %s\n", path, err.message);
		buf_fini(&text);
	}
}

static struct models *
load(const char *dir, const struct mp_value *kase)
{
	struct span name = mp_get_str(kase, "model", SPAN(""));
	struct models *m;
	struct mp_value list;
	const struct source **list_of;
	char path[1024];

	for (m = models; m != NULL && name.len > 0; m = m->next)
		if (span_is_str(name, m->name))
			return m;
	m = calloc(1, sizeof(*m));
	snprintf(m->name, sizeof(m->name), "%.*s", SPAN_FMT(name));
	snprintf(path, sizeof(path), "%s/%s", dir, m->name);
	m->set = source_set_new();
	if (mp_get(kase, "sources", &list))
		add_inline(m->set, &list);
	else
		add_files(m->set, path, "");
	source_set_compose(m->set, NULL, NULL);
	list_of = calloc(source_set_count(m->set) + 1, sizeof(*list_of));
	for (size_t i = 0; i < source_set_count(m->set); i++)
		list_of[i] = source_set_at(m->set, i);
	m->model = sem_model_new(list_of, source_set_count(m->set));
	free(list_of);
	m->next = models;
	models = m;
	return m;
}

/* --- running ---------------------------------------------------------------------- */

static void
put_cell(struct buf *out, sqlite3_stmt *st, int i)
{
	switch (sqlite3_column_type(st, i)) {
	case SQLITE_NULL:
		mp_put_nil(out);
		break;
	case SQLITE_INTEGER:
		mp_put_int(out, sqlite3_column_int64(st, i));
		break;
	case SQLITE_FLOAT:
		mp_put_double(out, sqlite3_column_double(st, i));
		break;
	default:
		mp_put_str(out, span_of(sqlite3_column_text(st, i), (size_t)sqlite3_column_bytes(st, i)));
		break;
	}
}

static const char *
run_sqlite(struct span sql, struct rows *r, size_t *n)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(sqlite, (const char *)sql.p, (int)sql.len, &st, NULL) != SQLITE_OK)
		return sqlite3_errmsg(sqlite);
	r->ncolumns = (size_t)sqlite3_column_count(st);
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (size_t i = 0; i < r->ncolumns; i++, ++*n)
			put_cell(&r->bytes, st, (int)i);
		r->nrows++;
	}
	sqlite3_finalize(st);
	return NULL;
}

/* Numbers by their type; anything else is text. */
static void
put_field(struct buf *out, const PGresult *res, int row, int col)
{
	struct span s = span_of(PQgetvalue(res, row, col), (size_t)PQgetlength(res, row, col));
	double d;

	switch (PQftype(res, col)) {
	case 16: /* boolean */
		mp_put_bool(out, s.p[0] == 't');
		return;
	case 20:
	case 21:
	case 23:
	case 700:
	case 701:
	case 1700:
		if (num_read_double((const char *)s.p, s.len, &d)) {
			mp_put_double(out, d);
			return;
		}
	}
	mp_put_str(out, s);
}

static const char *
run_postgres(struct span sql, struct rows *r, size_t *n)
{
	static char message[1024];
	PGresult *res = PQexecParams(pg, (const char *)sql.p, 0, NULL, NULL, NULL, NULL, 0);

	if (PQresultStatus(res) != PGRES_TUPLES_OK) {
		snprintf(message, sizeof(message), "%s", PQresultErrorMessage(res));
		PQclear(res);
		return message;
	}
	r->ncolumns = (size_t)PQnfields(res);
	r->nrows = (size_t)PQntuples(res);
	for (size_t row = 0; row < r->nrows; row++)
		for (size_t i = 0; i < r->ncolumns; i++, ++*n) {
			if (PQgetisnull(res, (int)row, (int)i))
				mp_put_nil(&r->bytes);
			else
				put_field(&r->bytes, res, (int)row, (int)i);
		}
	PQclear(res);
	return NULL;
}

static void
put_my_field(struct buf *out, const MYSQL_FIELD *f, struct span s)
{
	double d;

	if (IS_NUM(f->type) && f->type != MYSQL_TYPE_TIMESTAMP && num_read_double((const char *)s.p, s.len, &d))
		mp_put_double(out, d);
	else
		mp_put_str(out, s);
}

static const char *
run_mysql(struct span sql, struct rows *r, size_t *n)
{
	const char *why;
	MYSQL_RES *res = mariadb_query(my, sql, &why);
	MYSQL_ROW row;

	if (res == NULL)
		return why;
	r->ncolumns = mysql_num_fields(res);
	r->nrows = mysql_num_rows(res);
	while ((row = mysql_fetch_row(res)) != NULL)
		for (unsigned i = 0; i < r->ncolumns; i++, ++*n) {
			if (row[i] == NULL)
				mp_put_nil(&r->bytes);
			else
				put_my_field(&r->bytes, mysql_fetch_field_direct(res, i),
				    span_of((const uint8_t *)row[i], mysql_fetch_lengths(res)[i]));
		}
	mysql_free_result(res);
	return NULL;
}

static const char *
run(struct span sql, struct rows *r)
{
	struct mp_value all;
	struct mp_iter it;
	size_t n = 0, mark = mp_open_array(&r->bytes);
	const char *why = my != NULL ? run_mysql(sql, r, &n) :
	    pg != NULL               ? run_postgres(sql, r, &n) :
				       run_sqlite(sql, r, &n);

	if (why != NULL)
		return why;
	r->cells = calloc(n + 1, sizeof(r->cells[0]));
	mp_close(&r->bytes, mark, n);
	mp_value(buf_view(&r->bytes), &all);
	it = mp_iter(&all);
	for (size_t i = 0; i < n; i++)
		mp_next(&it, &r->cells[i]);
	return NULL;
}

/* --- judging ------------------------------------------------------------------------ */

static bool
number_of(const struct mp_value *v, double *d)
{
	switch (v->class) {
	case MP_BOOL:
		*d = v->boolean;
		return true;
	case MP_INT:
		*d = (double)v->i;
		return true;
	case MP_UINT:
		*d = (double)v->u;
		return true;
	case MP_FLOAT:
		*d = v->f;
		return true;
	default:
		return false;
	}
}

static struct span
without_midnight(struct span s)
{
	if (s.len > 9 && memcmp(s.p + s.len - 8, "00:00:00", 8) == 0)
		s.len -= 9;
	return s;
}

static int
compare_cells(const struct mp_value *a, const struct mp_value *b)
{
	double x, y;

	if (number_of(a, &x) && number_of(b, &y)) {
		double scale = fmax(1.0, fmax(fabs(x), fabs(y)));

		return fabs(x - y) <= 1e-9 * scale ? 0 : x < y ? -1 : 1;
	}
	if (a->class == MP_STR && b->class == MP_STR)
		return span_cmp(without_midnight(a->s), without_midnight(b->s));
	return (int)(a->class == MP_NIL   ? 0 :
		       a->class == MP_STR ? 2 :
					    1) -
	    (int)(b->class == MP_NIL   ? 0 :
		    b->class == MP_STR ? 2 :
					 1);
}

static size_t sort_columns;

static int
compare_rows(const void *pa, const void *pb)
{
	const struct mp_value *a = *(const struct mp_value *const *)pa, *b = *(const struct mp_value *const *)pb;

	for (size_t i = 0; i < sort_columns; i++) {
		int r = compare_cells(&a[i], &b[i]);

		if (r != 0)
			return r;
	}
	return 0;
}

/* got's columns in the order of want's headers, as rows of pointers. */
static const char *
judge_rows(const struct mp_value *expect, const struct rows *got)
{
	struct mp_value headers, rows, row, cell;
	struct mp_iter it, cells;
	static struct mp_value want[CELLS_MAX], have[CELLS_MAX];
	const struct mp_value *wp[CELLS_MAX], *hp[CELLS_MAX];
	size_t map[64], n = 0, k = 0;

	mp_get(expect, "headers", &headers);
	mp_get(expect, "rows", &rows);
	for (it = mp_iter(&headers); mp_next(&it, &cell); n++) {
		for (map[n] = 0; map[n] < got->ncolumns && !span_is(got->headers[map[n]], cell.s); map[n]++)
			;
		if (map[n] == got->ncolumns)
			return "a header is missing";
	}
	if (rows.n != got->nrows)
		return "the number of rows differs";
	for (it = mp_iter(&rows); mp_next(&it, &row);)
		for (cells = mp_iter(&row); mp_next(&cells, &cell);)
			want[k++] = cell;
	for (size_t i = 0; i < got->nrows; i++) {
		for (size_t c = 0; c < n; c++)
			have[i * n + c] = got->cells[i * got->ncolumns + map[c]];
		wp[i] = &want[i * n];
		hp[i] = &have[i * n];
	}
	sort_columns = n;
	if (!mp_get_bool(expect, "ordered", false)) {
		qsort(wp, got->nrows, sizeof(wp[0]), compare_rows);
		qsort(hp, got->nrows, sizeof(hp[0]), compare_rows);
	}
	for (size_t i = 0; i < got->nrows; i++)
		if (compare_rows(&wp[i], &hp[i]) != 0)
			return "a row differs";
	return NULL;
}

/* The rows of hand-written SQL, column by column the same. */
static const char *
judge_reference(const struct mp_value *kase, const struct rows *got, const struct sem_problem *problem)
{
	struct span sql = mp_get_str(kase, "reference_sql", SPAN(""));
	const struct mp_value *wp[CELLS_MAX], *hp[CELLS_MAX];
	struct rows want = { 0 };
	char text[4096];
	const char *why;

	if (problem->category != SEM_OK)
		return "an error instead of rows";
	snprintf(text, sizeof(text), "%.*s", SPAN_FMT(sql));
	why = run(span_str(text), &want);
	if (why == NULL &&
	    (want.ncolumns != got->ncolumns || want.nrows != got->nrows || want.nrows == 0 || want.nrows > CELLS_MAX))
		why = "the number of rows or columns differs";
	for (size_t i = 0; why == NULL && i < want.nrows; i++) {
		wp[i] = &want.cells[i * want.ncolumns];
		hp[i] = &got->cells[i * want.ncolumns];
	}
	sort_columns = want.ncolumns;
	if (why == NULL) {
		qsort(wp, want.nrows, sizeof(wp[0]), compare_rows);
		qsort(hp, want.nrows, sizeof(hp[0]), compare_rows);
	}
	for (size_t i = 0; why == NULL && i < want.nrows; i++)
		if (compare_rows(&wp[i], &hp[i]) != 0)
			why = "a row differs";
	free(want.cells);
	buf_fini(&want.bytes);
	return why;
}

/* NULL when expect is met. */
static const char *
judge(const struct mp_value *expect, const struct rows *got, const struct sem_problem *problem)
{
	struct mp_value v;

	if (mp_get(expect, "error", &v)) {
		if (problem->category == SEM_OK)
			return "rows instead of an error";
		return span_is_str(v.s, sem_category_name(problem->category)) ? NULL : "another error category";
	}
	return problem->category != SEM_OK ? "an error instead of rows" : judge_rows(expect, got);
}

static void
show(const struct span *sql, const struct rows *got, const struct sem_problem *problem)
{
	struct buf out = { 0 };

	if (problem->category != SEM_OK) {
		printf("    %s: %s\n", sem_category_name(problem->category), problem->message);
		return;
	}
	printf("%.*s\n", SPAN_FMT(*sql));
	for (size_t i = 0; i < got->nrows; i++) {
		buf_str(&out, "    ");
		for (size_t c = 0; c < got->ncolumns; c++) {
			json_write(&out, &got->cells[i * got->ncolumns + c]);
			buf_str(&out, "  ");
		}
		buf_byte(&out, '\n');
	}
	printf("%s", buf_cstr(&out));
	buf_fini(&out);
}

static const struct dialect *
dialect(void)
{
	return my != NULL ? &dialect_mysql : pg != NULL ? &dialect_postgres : &dialect_sqlite;
}

static bool
is_for_engine(const struct mp_value *kase)
{
	const char *engine = my != NULL ? "mysql" : pg != NULL ? "postgres" : "sqlite";
	struct mp_value list, name;
	struct mp_iter it;

	if (!mp_get(kase, "engines", &list))
		return true;
	for (it = mp_iter(&list); mp_next(&it, &name);)
		if (span_is_str(name.s, engine))
			return true;
	return false;
}

static bool
run_case(const char *dir, const struct mp_value *kase)
{
	struct mp_value query, expect = { .class = MP_NIL }, list, alt;
	struct span id = mp_get_str(kase, "id", SPAN("?"));
	struct arena *a = arena_new((size_t)64 << 20);
	struct sem_problem problem = { 0 };
	struct sem_compiled compiled = { 0 };
	struct sem_query q;
	struct rows got = { 0 };
	const char *why = NULL;
	bool passed;

	mp_get(kase, "query", &query);
	if (!mp_get(kase, "expect", &expect))
		expect.class = MP_NIL;
	if (sem_query_read(a, &query, &q, &problem) == 0 &&
	    sem_compile(load(dir, kase)->model, dialect(), &q, a, &compiled, &problem) == 0) {
		for (size_t i = 0; i < compiled.nheaders; i++)
			got.headers[i] = compiled.headers[i];
		why = run(compiled.sql, &got);
	}
	if (why == NULL)
		why = expect.class == MP_NIL ? judge_reference(kase, &got, &problem) : judge(&expect, &got, &problem);
	if (why != NULL && mp_get(kase, "expect_alternatives", &list)) {
		struct mp_iter it = mp_iter(&list);

		while (why != NULL && mp_next(&it, &alt))
			if (judge(&alt, &got, &problem) == NULL)
				why = NULL;
	}
	passed = why == NULL;
	if (!passed || verbose) {
		printf("%s %.*s%s%s\n", passed ? "ok  " : "FAIL", SPAN_FMT(id), passed ? "" : ": ", passed ? "" : why);
		show(&compiled.sql, &got, &problem);
	}
	free(got.cells);
	buf_fini(&got.bytes);
	arena_free(a);
	return passed;
}

int
main(int argc, char **argv)
{
	struct buf text = { 0 };
	size_t passed = 0, failed = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: semantic-oracle CASES SOURCES DATABASE [--verbose]\n");
		return 2;
	}
	verbose = argc > 4;
	if (strncmp(argv[3], "postgres", 8) == 0) {
		pg = PQconnectdb(argv[3]);
		if (PQstatus(pg) != CONNECTION_OK) {
			fprintf(stderr, "%s", PQerrorMessage(pg));
			return 2;
		}
	} else if (strncmp(argv[3], "mysql:", 6) == 0) {
		my = mariadb_open(argv[3] + 6);
	} else if (sqlite3_open_v2(argv[3], &sqlite, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite_percentile_install(sqlite) != SQLITE_OK)
		return 2;
	read_file(argv[1], &text);
	for (size_t at = 0; at < text.len;) {
		const uint8_t *eol = memchr(text.p + at, '\n', text.len - at);
		size_t end = eol != NULL ? (size_t)(eol - text.p) : text.len, where;
		struct buf doc = { 0 };
		struct mp_value v;

		if (json_read(span_of(text.p + at, end - at), &doc, &where) == JSON_OK &&
		    mp_value(buf_view(&doc), &v) && is_for_engine(&v)) {
			if (run_case(argv[2], &v))
				passed++;
			else
				failed++;
		}
		buf_fini(&doc);
		at = end + 1;
	}
	while (models != NULL) {
		struct models *m = models;

		models = m->next;
		sem_model_free(m->model);
		source_set_free(m->set);
		free(m);
	}
	sqlite3_close(sqlite);
	PQfinish(pg);
	if (my != NULL)
		mysql_close(my);
	buf_fini(&text);
	printf("%zu passed, %zu failed\n", passed, failed);
	return failed != 0;
}
