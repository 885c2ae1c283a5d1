/*
 * property.c - random small models, data and queries: the compiled SQL's rows
 * must equal those of an evaluator that goes row by row.
 *
 *	semantic-property CASES [SEED [POSTGRESQL-URL|mysql:SOCKET]]
 *
 * Models hold one-to-many joins declared from either end, one-to-one joins,
 * composite keys, role-playing aliases, bridges, several facts, NULL and
 * dangling keys; queries hold grains, derived measures across facts, row and
 * group filters, segments.  On a difference the case is printed whole, with
 * its seed.
 */
#include <libpq-fe.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "semantic/compile.h"
#include "tests/semantic/mariadb.h"
#include "tests/semantic/property.h"
#include "workers/sql/sqlite/sqlite_percentile.h"

static const char *const measure_names[] = { "total", "n", "nv", "dc", "mx", "total_a", "md", "lc", "each" };

static sqlite3 *db;
static PGconn *pg;
static MYSQL *my;

static const struct dialect *
dialect(void)
{
	return my != NULL ? &dialect_mysql : pg != NULL ? &dialect_postgres : &dialect_sqlite;
}

static void
exec(const char *sql)
{
	const char *error = NULL;
	PGresult *res;

	if (my != NULL) {
		mysql_query(my, sql);
		while (mysql_next_result(my) == 0)
			;
		error = mysql_errno(my) != 0 ? mysql_error(my) : NULL;
	} else if (pg != NULL) {
		res = PQexec(pg, sql);
		if (PQresultStatus(res) != PGRES_COMMAND_OK)
			error = PQerrorMessage(pg);
		PQclear(res);
	} else
		error = sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK ? sqlite3_errmsg(db) : NULL;
	if (error != NULL) {
		fprintf(stderr, "%s: %s\n", sql, error);
		exit(2);
	}
}

static const char *
literal(struct value v, char out[16])
{
	if (!v.present)
		return "NULL";
	if (v.text)
		snprintf(out, 16, "'%c'", v.letter);
	else
		snprintf(out, 16, "%d", (int)v.number);
	return out;
}

static void
put_date(struct buf *out, struct value day)
{
	time_t seconds = (time_t)day.number * 86400;
	char text[16];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d", &tm);
	buf_printf(out, day.present ? ", '%s'" : ", NULL", text);
}

/* A row's keys: of a composite one the second column may stand where the first is NULL. */
static void
put_keys(struct buf *out, const struct model *m, const struct row *row)
{
	for (int j = 0; j < JOINS_MAX; j++) {
		struct value key = row->fk[j];
		bool two = j < m->njoins && m->joins[j].composite;

		if (!key.present)
			buf_str(out, two ? ", NULL, 1" : ", NULL, NULL");
		else if (two)
			buf_printf(out, ", %d, %d", (int)key.number / 2, (int)key.number % 2);
		else
			buf_printf(out, ", %d, NULL", (int)key.number);
	}
}

/* A statement of MariaDB names a temporary table once only; in memory the others are as quick. */
static void
create_tables(void)
{
	struct buf sql = { 0 };

	for (int t = 0; t < TABLES_MAX; t++) {
		buf_printf(&sql, "CREATE %s TABLE t%d (id INTEGER, ida INTEGER, idb INTEGER, v INTEGER, c %s, d %s",
		    my != NULL ? "OR REPLACE" : "TEMP", t, my != NULL ? "VARCHAR(9)" : "TEXT",
		    db != NULL ? "TEXT" : "DATE");
		for (int j = 0; j < JOINS_MAX; j++)
			buf_printf(&sql, ", k%d INTEGER, k%db INTEGER", j, j);
		buf_str(&sql, my != NULL ? ") ENGINE = MEMORY;\n" : ");\n");
	}
	exec(buf_cstr(&sql));
	buf_fini(&sql);
}

static void
fill(const struct model *m)
{
	struct buf sql = { 0 };

	for (int t = 0; t < m->ntables; t++) {
		buf_printf(&sql, "DELETE FROM t%d;\n", t);
		for (int r = 0; r < m->nrows[t]; r++) {
			const struct row *row = &m->rows[t][r];
			char a[16], b[16];

			buf_printf(&sql, "INSERT INTO t%d VALUES (%d, %d, %d, %s, %s", t, r, r / 2, r % 2,
			    literal(row->v, a), literal(row->c, b));
			put_date(&sql, row->d);
			put_keys(&sql, m, row);
			buf_str(&sql, ");\n");
		}
	}
	exec(buf_cstr(&sql));
	buf_fini(&sql);
}

/* near and far say how each side is written: "t1.", or nothing for the declaring source. */
static void
put_on(struct buf *out, int j, bool composite, const char *many, const char *one)
{
	if (composite)
		buf_printf(out, "%sk%d = %sida AND %sidb = %sk%db", many, j, one, one, many, j);
	else
		buf_printf(out, "%sk%d = %sid", many, j, one);
}

static void
write_join(const struct model *m, int j, int t, struct buf *out)
{
	const struct join *x = &m->joins[j];
	char one[16];

	if (t != (x->declared_by_one ? x->to : x->from))
		return;
	snprintf(one, sizeof(one), "t%d.", x->declared_by_one ? x->from : x->to);
	buf_printf(out, "  - {to: t%d, on: ", x->declared_by_one ? x->from : x->to);
	put_on(out, j, x->composite, x->declared_by_one ? one : "", x->declared_by_one ? "" : one);
	buf_printf(out, ", relationship: %s%s%s}\n",
	    x->one_to_one          ? "one_to_one" :
		x->declared_by_one ? "one_to_many" :
				     "many_to_one",
	    x->aliased ? ", alias: " : "", x->aliased ? x->alias : "");
}

static void
write_source(const struct model *m, int t, struct buf *out)
{
	buf_printf(out, "name: t%d\ntable: t%d\ngrain: [id]\ncolumns:\n", t, t);
	buf_str(out,
	    "  - {name: id, type: number}\n  - {name: ida, type: number}\n  - {name: idb, type: number}\n"
	    "  - {name: v, type: number}\n  - {name: c, type: string}\n  - {name: d, type: time}\n");
	for (int j = 0; j < m->njoins; j++)
		if (m->joins[j].from == t)
			buf_printf(out, "  - {name: k%d, type: number}\n  - {name: k%db, type: number}\n", j, j);
	buf_str(out, "joins:\n");
	for (int j = 0; j < m->njoins; j++)
		write_join(m, j, t, out);
	if (out->p[out->len - 2] == ':')
		out->len -= 7;
	buf_str(out,
	    "measures:\n  - {name: total, expr: sum(v)}\n  - {name: n, expr: count(*)}\n"
	    "  - {name: nv, expr: count(v)}\n  - {name: dc, expr: count_distinct(c)}\n  - {name: mx, expr: max(v)}\n"
	    "  - {name: total_a, expr: sum(v), filter: c = 'a'}\n  - {name: md, expr: median(v)}\n"
	    "  - {name: lc, expr: min(c)}\n  - {name: each, expr: total / n}\n"
	    "segments:\n  - {name: s, expr: v > 1}\n");
}

static void
node_name(const struct model *m, int node, char out[16])
{
	if (node < m->ntables)
		snprintf(out, 16, "t%d", node);
	else
		snprintf(out, 16, "%s", m->joins[node - m->ntables].alias);
}

static void
filter_text(const struct model *m, const struct filter *f, char out[96])
{
	char n[16];

	node_name(m, f->node, n);
	switch (f->kind) {
	case 0:
		snprintf(out, 96, "%s.c = 'a'", n);
		break;
	case 1:
		snprintf(out, 96, "%s.v > 3", n);
		break;
	case 2:
		snprintf(out, 96, "%s.c IS NULL", n);
		break;
	case 3:
		snprintf(out, 96, "%s.v <> 2 OR %s.c = 'b'", n, n);
		break;
	case 10:
		snprintf(out, 96, "%s.total > 4", n);
		break;
	default:
		snprintf(out, 96, "%s.n >= 2", n);
		break;
	}
}

static bool
near(struct value a, struct value b)
{
	return a.present == b.present &&
	    (!a.present || (a.letter == b.letter && fabs(a.number - b.number) <= 1e-9 * fmax(1.0, fabs(a.number))));
}

/* Rows as a multiset: take each wanted row out of what is left. */
static bool
equal(const struct result *want, const struct result *got)
{
	static bool used[OUT_ROWS_MAX];

	if (want->n != got->n)
		return false;
	memset(used, 0, sizeof(used));
	for (int i = 0; i < want->n; i++) {
		bool found = false;

		for (int k = 0; k < got->n && !found; k++) {
			bool match = !used[k];

			for (int c = 0; c < want->ncolumns && match; c++)
				match = near(want->cells[i][c], got->cells[k][c]);
			if (match)
				used[k] = found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

static void
print_result(const char *title, const struct result *r)
{
	printf("%s: %d rows\n", title, r->n);
	for (int i = 0; i < r->n; i++) {
		for (int c = 0; c < r->ncolumns; c++) {
			struct value v = r->cells[i][c];

			if (!v.present)
				printf("  NULL");
			else if (v.letter != 0)
				printf("  %c", v.letter);
			else
				printf("  %g", v.number);
		}
		printf("\n");
	}
}

/* "2024-02-01" is the number 20240201, other text its first letter. */
static struct value
text_value(const char *text)
{
	struct value v = { .present = true };
	int year, month, day;

	if (sscanf(text, "%4d-%2d-%2d", &year, &month, &day) == 3)
		v.number = year * 10000 + month * 100 + day;
	else
		v.letter = text[0];
	return v;
}

static const char *
run_postgres(const char *sql, struct result *got)
{
	static char message[512];
	PGresult *res = PQexec(pg, sql);

	if (PQresultStatus(res) != PGRES_TUPLES_OK) {
		snprintf(message, sizeof(message), "%s", PQresultErrorMessage(res));
		PQclear(res);
		return message;
	}
	got->ncolumns = PQnfields(res);
	for (got->n = 0; got->n < PQntuples(res) && got->n < OUT_ROWS_MAX; got->n++)
		for (int i = 0; i < got->ncolumns; i++) {
			const char *text = PQgetvalue(res, got->n, i);
			struct value v = { .present = true };

			if (PQgetisnull(res, got->n, i))
				v.present = false;
			else if (PQftype(res, i) == 25)
				v = text_value(text);
			else
				v.number = strtod(text, NULL);
			got->cells[got->n][i] = v;
		}
	PQclear(res);
	return NULL;
}

static const char *
run_mysql(struct span sql, struct result *got)
{
	const char *why;
	MYSQL_RES *res = mariadb_query(my, sql, &why);
	MYSQL_ROW row;

	if (res == NULL)
		return why;
	got->ncolumns = (int)mysql_num_fields(res);
	for (got->n = 0; got->n < OUT_ROWS_MAX && (row = mysql_fetch_row(res)) != NULL; got->n++)
		for (int i = 0; i < got->ncolumns; i++) {
			const MYSQL_FIELD *f = mysql_fetch_field_direct(res, (unsigned)i);
			struct value v = { .present = row[i] != NULL };

			if (v.present && IS_NUM(f->type))
				v.number = strtod(row[i], NULL);
			else if (v.present)
				v = text_value(row[i]);
			got->cells[got->n][i] = v;
		}
	mysql_free_result(res);
	return NULL;
}

static const char *
run(const struct sem_compiled *c, struct result *got)
{
	sqlite3_stmt *st;

	if (my != NULL)
		return run_mysql(c->sql, got);
	if (pg != NULL)
		return run_postgres((const char *)c->sql.p, got);
	if (sqlite3_prepare_v2(db, (const char *)c->sql.p, (int)c->sql.len, &st, NULL) != SQLITE_OK)
		return sqlite3_errmsg(db);
	got->n = 0;
	got->ncolumns = sqlite3_column_count(st);
	while (sqlite3_step(st) == SQLITE_ROW && got->n < OUT_ROWS_MAX) {
		for (int i = 0; i < got->ncolumns; i++) {
			struct value v = { .present = sqlite3_column_type(st, i) != SQLITE_NULL };

			if (sqlite3_column_type(st, i) == SQLITE_TEXT)
				v = text_value((const char *)sqlite3_column_text(st, i));
			else
				v.number = sqlite3_column_double(st, i);
			got->cells[got->n][i] = v;
		}
		got->n++;
	}
	sqlite3_finalize(st);
	return NULL;
}

/* --- one case ------------------------------------------------------------------------------- */

/* The query as the compiler takes it; texts keeps what it borrows. */
struct asked {
	struct sem_query		q;
	struct sem_measure_item		measures[MEASURES_MAX];
	struct sem_dimension_item	dims[2];
	struct span			filters[2], segment;
	char				texts[16][96];
	int				ntexts;
};

static struct span __attribute__((format(printf, 2, 3)))
keep(struct asked *k, const char *fmt, ...)
{
	char *text = k->texts[k->ntexts++];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, 96, fmt, ap);
	va_end(ap);
	return span_str(text);
}

static void
ask_measure(struct asked *k, const struct query *q, int i)
{
	if (q->what[i] < MINUS) {
		k->measures[i] =
		    (struct sem_measure_item){ .expr = keep(k, "t%d.%s", q->fact[i], measure_names[q->what[i]]) };
		return;
	}
	k->measures[i].expr = q->what[i] == MINUS ? keep(k, "t%d.total - t%d.total", q->fact[i], q->other[i]) :
						    keep(k, "t%d.total / t%d.n", q->fact[i], q->other[i]);
	k->measures[i].name = keep(k, "x%d", i);
}

static void
ask(const struct model *m, const struct query *q, struct asked *k)
{
	static const char *const grains[] = { "", "month", "week", "quarter" };
	char n[16];

	memset(k, 0, sizeof(*k));
	for (int i = 0; i < q->nmeasures; i++)
		ask_measure(k, q, i);
	for (int i = 0; i < q->ndims; i++) {
		node_name(m, q->dim[i], n);
		k->dims[i] = (struct sem_dimension_item){ keep(k, "%s.%s", n, q->grain[i] == PLAIN ? "c" : "d"),
			span_str(grains[q->grain[i]]) };
	}
	for (int i = 0; i < q->nfilters; i++) {
		char text[96];

		filter_text(m, &q->filters[i], text);
		k->filters[i] = keep(k, "%s", text);
	}
	if (q->segment != NONE) {
		node_name(m, q->segment, n);
		k->segment = keep(k, "%s.s", n);
	}
	k->q = (struct sem_query){ .measures = k->measures, .nmeasures = (size_t)q->nmeasures, .dimensions = k->dims,
		.ndimensions = (size_t)q->ndims, .filters = k->filters, .nfilters = (size_t)q->nfilters,
		.segments = &k->segment, .nsegments = q->segment != NONE, .limit = 10000,
		.include_empty = q->include_empty };
}

static void
print_model(const struct model *m, const struct buf *yaml)
{
	for (int t = 0; t < m->ntables; t++) {
		printf("%.*s", (int)yaml[t].len, (const char *)yaml[t].p);
		for (int r = 0; r < m->nrows[t]; r++) {
			const struct row *row = &m->rows[t][r];
			char x[16], y[16], z[16], d[16];

			printf("  t%d row %d: v %s c %s d %s keys", t, r, literal(row->v, x), literal(row->c, y),
			    literal(row->d, d));
			for (int j = 0; j < m->njoins; j++)
				if (m->joins[j].from == t)
					printf(" k%d=%s", j, literal(row->fk[j], z));
			printf("\n");
		}
	}
}

static struct sem_model *
build(const struct model *m, struct source_set *set, struct buf *yaml)
{
	const struct source *list[TABLES_MAX];

	for (int t = 0; t < m->ntables; t++) {
		struct err err;
		char path[32];

		write_source(m, t, &yaml[t]);
		snprintf(path, sizeof(path), "t%d.yaml", t);
		if (source_set_put(set, path, buf_view(&yaml[t]), &err) == -1) {
			printf("%s: %s\n%s", path, err.message, buf_cstr(&yaml[t]));
			exit(2);
		}
	}
	source_set_compose(set, NULL, NULL);
	for (int t = 0; t < m->ntables; t++)
		list[t] = source_set_at(set, (size_t)t);
	return sem_model_new(list, (size_t)m->ntables);
}

static bool
one_case(unsigned long long seed, size_t *refused)
{
	static struct model m;
	static struct result want, got;
	static struct asked k;
	struct query q;
	struct source_set *set = source_set_new();
	struct arena *a = arena_new((size_t)64 << 20);
	struct buf yaml[TABLES_MAX] = { { 0 } };
	struct sem_compiled out = { 0 };
	struct sem_problem p = { 0 };
	struct sem_model *model;
	const char *why = NULL;
	enum verdict verdict;
	bool ok;

	property_make(seed, &m, &q);
	fill(&m);
	model = build(&m, set, yaml);
	ask(&m, &q, &k);
	verdict = property_evaluate(&m, &q, &want);
	if (sem_compile(model, dialect(), &k.q, a, &out, &p) == -1)
		ok = verdict == REFUSED || (q.nmeasures == 0 && q.dim[0] >= m.ntables);
	else if ((why = run(&out, &got)) != NULL)
		ok = false;
	else
		ok = verdict == ROWS ? equal(&want, &got) && (size_t)want.lacking == out.nnotes : q.nmeasures == 0;
	*refused += verdict == REFUSED;
	if (!ok) {
		printf("case %llu differs%s%s\n", seed, why != NULL ? ": " : "", why != NULL ? why : "");
		print_model(&m, yaml);
		for (int i = 0; i < k.ntexts; i++)
			printf("  %s\n", k.texts[i]);
		printf("include_empty %d\n", q.include_empty);
		printf("%.*s\n", SPAN_FMT(out.sql.len > 0 ? out.sql : span_str(p.message)));
		if (verdict == ROWS)
			print_result("expected", &want);
		else
			printf("expected a refusal\n");
		if (out.sql.len > 0 && why == NULL)
			print_result("got", &got);
	}
	for (int t = 0; t < m.ntables; t++)
		buf_fini(&yaml[t]);
	sem_model_free(model);
	source_set_free(set);
	arena_free(a);
	return ok;
}

int
main(int argc, char **argv)
{
	unsigned long long cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	unsigned long long seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	size_t failed = 0, refused = 0;

	if (argc > 3 && strncmp(argv[3], "mysql:", 6) == 0)
		my = mariadb_open(argv[3] + 6);
	else if (argc > 3) {
		pg = PQconnectdb(argv[3]);
		if (PQstatus(pg) != CONNECTION_OK) {
			fprintf(stderr, "%s", PQerrorMessage(pg));
			return 2;
		}
		exec("SET client_min_messages = error");
	} else if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite_percentile_install(db) != SQLITE_OK)
		return 2;
	create_tables();
	for (unsigned long long i = 0; i < cases && failed < 3; i++)
		failed += !one_case(seed + i, &refused);
	sqlite3_close(db);
	PQfinish(pg);
	if (my != NULL)
		mysql_close(my);
	printf("%llu cases, %zu of them refused by both; %s\n", cases, refused,
	    failed == 0 ? "no difference" : "differences");
	return failed != 0;
}
