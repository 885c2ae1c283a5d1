/* random_postgres_words.c - see random_postgres_words.h. */
#include "tests/integration/columns/random_postgres_words.h"

#include <string.h>

#define DEEP	5

/* 61 letters; 70 bytes in UTF-8. */
#define LONG_NAME	"\"kundenäöüß_kundenäöüß_kundenä_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""

static const char *const columns[] = { "id", "a", "b", "s", "m", "h", "n", "g" };

static const char *const tables[] = { "t0", "t1", "t2", "größe", LONG_NAME };

static const char *const objects[] = { "t0", "t1", "t2", "größe", LONG_NAME, "p0", "p0_a", "p0_b", "p0_b_x", "p1", "p1_0", "p1_1", "i0",
	"i0_a", "i0_b", "v0", "v1", "v2", "v3", "v4", "m0", "m1", "m2", "log", "log2", "typed", "public.t0", "ONLY i0", "late", "w0",
	"numbered_n_seq" };

static const char *const actions[] = { NULL, "hash", "mask", "hide" };

/* What may follow a '$' in the texts below; each is drawn anew. */
static const char *const expressions[] = { "$c", "$c", "$c", "$c", "lower($c)", "$c::text", "length($c::text)", "concat($c, 'x')",
	"($c IS NULL)", "f$d($c)", "f$d(id)", "(@@@@ id)", "coalesce($c, $c)", "($c || 'x')", "($e = $e)", "md5($e::text)", "to_jsonb($c)",
	"CASE WHEN $w THEN $e END", "$l", "ag0(id)", "ag1(id)", "count($c)", "max($c)", "string_agg($c::text, ',')", "row_number() OVER (ORDER BY $c)",
	"(SELECT $e FROM $o LIMIT 1)", "o", "to_jsonb(o)", "o::text", "(o).s", "($c).s", "($c)::text", "old", "(old).s", "olds", "entry",
	"x.s", "ROW($c, $c)", "array_agg($c)", "$c::known", "NULL::t0", "jsonb_populate_record(o, '{\"s\": \"x\"}')", "f0(o.id)" };
static const char *const conditions[] = { "a = 1", "a = 1", "$c IS NOT NULL", "$c = $l", "n > 1300", "s > 'CANARYM'", "b LIKE 'b1%'", "id < 12",
	"id BETWEEN 3 AND 9", "$c IN ($l, $l)", "EXISTS (SELECT 1 FROM $o x WHERE x.id = o.id)", "$e = $e", "$e < $l", "$c ~ 'M'",
	"$c IN (SELECT $c FROM $o)", "a = 1 AND b > 'b'", "$w OR $w", "NOT ($w)" };
static const char *const literals[] = { "1", "2", "'CANARYM'", "'b1'", "NULL", "'***'", "1300", "''" };
static const char *const keys[] = { "a", "b", "s", "m", "n", "h", "id", "lower(s)", "(n + a)", "(s || b)", "lower(m)", "(s IS NULL)", "g" };
static const char *const predicates[] = { "a = 1", "n > 1300", "s > 'CANARYM'", "b IS NOT NULL", "m IS NULL", "a = 1 OR s > 'CANARYM'" };
static const char *const queries[] = { "SELECT $e FROM $o o", "SELECT * FROM $o o", "SELECT o.* FROM $o o", "SELECT id, $c FROM $o o",
	"SELECT id FROM $o o WHERE $w", "SELECT * FROM $o o WHERE $w", "SELECT $e, $e FROM $o o WHERE $w", "SELECT id, $e AS s FROM $o o",
	"SELECT o.id, x.$c FROM $o o JOIN $o x ON x.id = o.id", "SELECT o.id FROM $o o JOIN $o x USING ($c)", "SELECT * FROM $o o NATURAL JOIN $o x",
	"SELECT $c, count(*) FROM $o o GROUP BY $c", "SELECT DISTINCT $c FROM $o o", "SELECT a, count(*), max($c) FROM $o o GROUP BY a",
	"SELECT id FROM $o o ORDER BY $c", "SELECT $c FROM $o o ORDER BY a, $c", "WITH q AS (SELECT * FROM $o) SELECT $e FROM q o",
	"SELECT $c FROM $o o UNION ALL SELECT $c FROM $o x", "SELECT id, b FROM $o o", "SELECT id, a FROM $o o", "SELECT id, b FROM $o o WHERE a = 1",
	"SELECT o.id, x.b FROM $o o, LATERAL (SELECT * FROM $o y WHERE y.id = o.id) x", "TABLE $o", "SELECT $c FROM (SELECT * FROM $o o WHERE $w) o",
	"SELECT count(*) FROM $o o WHERE $w", "SELECT array_agg(id) FROM $o o", "SELECT id FROM $o o TABLESAMPLE BERNOULLI (50) REPEATABLE (3)",
	"SELECT GROUPING(a), a, count(*) FROM $o o GROUP BY ROLLUP (a)", "SELECT o FROM $o o", "SELECT DISTINCT o FROM $o o" };
static const char *const catalogue[] = { "SELECT * FROM pg_attribute WHERE attrelid = '$o'::regclass ORDER BY attnum",
	"SELECT * FROM pg_index WHERE indrelid = '$o'::regclass", "SELECT relname, reltuples, relpages FROM pg_class WHERE relname ~ '^[pimtlw]' ORDER BY 1",
	"SELECT pg_get_expr(relpartbound, oid) FROM pg_class ORDER BY 1", "SELECT relname, relkind, relnatts FROM pg_class WHERE oid = '$o'::regclass",
	"SELECT adnum, adbin::text FROM pg_attrdef WHERE adrelid = '$o'::regclass", "SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 'late'",
	"SELECT * FROM pg_sequences", "SELECT pg_relation_size('$o')", "SELECT pg_get_partition_constraintdef('$o'::regclass)",
	"SELECT * FROM pg_stats WHERE tablename = '$o'", "SELECT attname, attmissingval FROM pg_attribute WHERE attrelid = '$o'::regclass",
	"SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1", "SELECT n_live_tup FROM pg_stat_user_tables",
	"SELECT * FROM pg_statistic_ext", "SELECT schemaname, viewname FROM pg_views WHERE schemaname = 'public' ORDER BY 2",
	"SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1", "SELECT tableoid::regclass, id FROM $o",
	"SELECT o.tableoid FROM $o o", "SELECT ctid, id FROM $o", "SELECT xmin IS NULL FROM $o", "SELECT f$d(1)", "SELECT f$d(id) FROM $o",
	"SELECT @@@@ 1", "SELECT ag0(1)", "SELECT * FROM f9()" };

static unsigned
draw(struct drawn *d, size_t n)
{
	uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (unsigned)((z ^ z >> 31) % n);
}

#define ONE(d, list)	((list)[draw((d), sizeof(list) / sizeof((list)[0]))])

static void say(struct drawn *d, const char *text);

static void
say_drawn(struct drawn *d, char what)
{
	switch (what) {
	case 'c':
		say(d, ONE(d, columns));
		break;
	case 't':
		say(d, ONE(d, tables));
		break;
	case 'o':
		say(d, ONE(d, objects));
		break;
	case 'e':
		say(d, d->depth > DEEP ? "$c" : ONE(d, expressions));
		break;
	case 'w':
		say(d, d->depth > DEEP ? "a = 1" : ONE(d, conditions));
		break;
	case 'l':
		say(d, ONE(d, literals));
		break;
	case 'k':
		say(d, ONE(d, keys));
		break;
	case 'p':
		say(d, ONE(d, predicates));
		break;
	case 'q':
		say(d, ONE(d, queries));
		break;
	case 'd':
		buf_byte(d->out, (uint8_t)('0' + draw(d, 10)));
		break;
	default:
		buf_byte(d->out, '$');
		buf_byte(d->out, (uint8_t)what);
		break;
	}
}

static void
say(struct drawn *d, const char *text)
{
	d->depth++;
	for (; *text != '\0'; text++)
		if (*text == '$' && text[1] != '\0')
			say_drawn(d, *++text);
		else
			buf_byte(d->out, (uint8_t)*text);
	d->depth--;
}

static void
line(struct drawn *d, const char *text)
{
	say(d, text);
	buf_byte(d->out, '\n');
}

#define LINE_OF(d, ...)	line(d, ((const char *const[]){ __VA_ARGS__ })[draw((d),	\
    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))])

void
drawn_begin(struct drawn *d, uint64_t seed)
{
	static const enum drawn_action likely[] = { DRAWN_HIDDEN, DRAWN_HIDDEN, DRAWN_MASKED, DRAWN_MASKED,
		DRAWN_HASHED, DRAWN_OPEN };

	memset(d, 0, sizeof(*d));
	d->state = seed * UINT64_C(0xD1342543DE82EF95) + 1;
	for (size_t i = 0; i < DRAWN_COLUMNS; i++)
		d->action[i] = ONE(d, likely);
}

void
drawn_policy(struct drawn *d, struct buf *out)
{
	const char *comma = "";

	buf_byte(out, '[');
	for (size_t i = 0; i < DRAWN_COLUMNS; i++) {
		if (d->action[i] == DRAWN_OPEN)
			continue;
		buf_printf(out, "%s{\"action\":\"%s\",\"pattern\":\"%s\",\"scopes\":0}", comma, actions[d->action[i]],
		    ((const char *const[]){ "*.s", "m", "public.*.h", "*.n" })[i]);
		comma = ",";
	}
	buf_byte(out, ']');
}

/* A table by lists, and its first partition. */
static void
say_lists(struct drawn *d)
{
	static const char *const by[][2] = { { "s", "'CANARYA', 'CANARYB', 'CANARYC', 'CANARYD', 'CANARYE'" },
		{ "lower(s)", "'canaryx', 'canarya', 'canaryk'" }, { "a", "1" }, { "(n % 3)", "1" }, { "m", "'CANARYF', 'CANARYT'" } };
	unsigned i = draw(d, sizeof(by) / sizeof(by[0]));

	buf_printf(d->out,
	    "CREATE TABLE p0(id int, a int, b text, s text, m text, h text, n int) PARTITION BY LIST (%s)\n"
	    "CREATE TABLE p0_a PARTITION OF p0 FOR VALUES IN (%s)\n",
	    by[i][0], by[i][1]);
}

/* Heirs whose rows a column decides, which one heirs_by says. */
static void
say_heirs(struct drawn *d)
{
	static const char *const by[][2] = { { "s < 'CANARYM'", "s >= 'CANARYM' OR s IS NULL" },
		{ "n < 1500", "n >= 1500" } };

	d->heirs_by = draw(d, 2);
	buf_printf(d->out,
	    "CREATE TABLE i0(id int, a int, b text, s text, m text, h text, n int)\n"
	    "CREATE TABLE i0_a(CHECK (%s)) INHERITS (i0)\nCREATE TABLE i0_b(CHECK (%s)) INHERITS (i0)\n",
	    by[d->heirs_by][0], by[d->heirs_by][1]);
}

static void
say_tables(struct drawn *d)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		buf_printf(d->out, "CREATE TABLE %s(id int PRIMARY KEY, a int, b text, s text, m text, h text, n int",
		    tables[i]);
		LINE_OF(d, ")", ", g text GENERATED ALWAYS AS (upper(s)) STORED)",
		    ", g int GENERATED ALWAYS AS (n + a) STORED)", ", g text GENERATED ALWAYS AS (b || 'x') STORED)");
	}
	say_lists(d);
	LINE_OF(d, "CREATE TABLE p0_b PARTITION OF p0 DEFAULT PARTITION BY RANGE (n)",
	    "CREATE TABLE p0_b PARTITION OF p0 DEFAULT",
	    "CREATE TABLE p0_b PARTITION OF p0 DEFAULT PARTITION BY HASH (m)",
	    "CREATE TABLE p0_b PARTITION OF p0 DEFAULT PARTITION BY RANGE (id)");
	line(d, "CREATE TABLE p0_b_x PARTITION OF p0_b FOR VALUES FROM (MINVALUE) TO (1400)");
	line(d, "CREATE TABLE p0_b_y PARTITION OF p0_b FOR VALUES FROM (1400) TO (MAXVALUE)");
	line(d, "CREATE TABLE p0_b_x PARTITION OF p0_b FOR VALUES WITH (MODULUS 2, REMAINDER 0)");
	line(d, "CREATE TABLE p0_b_y PARTITION OF p0_b FOR VALUES WITH (MODULUS 2, REMAINDER 1)");
	LINE_OF(d, "CREATE TABLE p1(id int, a int, b text, s text, m text, h text, n int) PARTITION BY HASH (n)",
	    "CREATE TABLE p1(id int, a int, b text, s text, m text, h text, n int) PARTITION BY HASH (a, m)",
	    "CREATE TABLE p1(id int, a int, b text, s text, m text, h text, n int) PARTITION BY HASH (id)");
	line(d, "CREATE TABLE p1_0 PARTITION OF p1 FOR VALUES WITH (MODULUS 2, REMAINDER 0)");
	line(d, "CREATE TABLE p1_1 PARTITION OF p1 FOR VALUES WITH (MODULUS 2, REMAINDER 1)");
	say_heirs(d);
}

static void
say_types(struct drawn *d)
{
	line(d, "CREATE TYPE pair AS (s text, b text)");
	line(d, "CREATE DOMAIN row_domain AS t0");
	line(d, "CREATE TYPE holder AS (x int, old t0)");
	LINE_OF(d, "CREATE TABLE log(id int, old t0, olds t0[], x pair)",
	    "CREATE TABLE log(id int, old row_domain, olds t1[], x pair)");
	LINE_OF(d, "CREATE TABLE log2(id int, entry log)", "CREATE TABLE log2(id int, entry holder)");
	line(d, "CREATE TABLE typed OF pair");
	line(d, "CREATE TABLE late(id int, a int)");
	line(d, "CREATE TABLE numbered(id int, n serial)");
	for (unsigned i = 0; i < 5; i++)
		if (draw(d, 2) == 0)
			line(d, "CREATE INDEX ON $t ($k, $k)");
		else
			LINE_OF(d, "CREATE INDEX ON $t ($k) WHERE $p", "CREATE INDEX ON $t ($k, $k) WHERE $p",
			    "CREATE INDEX ON $t (a, $k)", "CREATE INDEX ON $t ($k) INCLUDE ($c, id)",
			    "CREATE INDEX ON $t USING brin ($k, $k)", "CREATE INDEX ON $t USING hash ($k)",
			    "CREATE INDEX ON p0 ($k, $k)", "CREATE INDEX ON i0_a (a, $k)",
			    "CREATE STATISTICS st ON a, s FROM t0", "CREATE UNIQUE INDEX ON $t (a, id, $k)");
}

static void
say_functions(struct drawn *d)
{
	static const char *const bodies[] = { "AS 'SELECT $c::text FROM $t WHERE id = $1'", "AS 'SELECT ($1 + 1)::text'",
		"AS 'SELECT f0($1)'", "AS 'SELECT @@@@ $1'", "AS 'SELECT ''CANARYM''::known::text'", "AS 'SELECT ag0($1)'",
		"RETURN (SELECT $c::text FROM $t WHERE id = 1)", "RETURN @@@@ 3", "AS 'SELECT ($c).s FROM log'", "AS 'SELECT /**/ (TABLE v0)::text'" };

	for (char i = '0'; i < '9'; i++) {
		buf_printf(d->out, "CREATE FUNCTION f%c(int) RETURNS text LANGUAGE sql STABLE ", i);
		line(d, ONE(d, bodies));
		if (i == '0') {
			line(d, "CREATE OPERATOR @@@@ (RIGHTARG = int, FUNCTION = f0)");
			line(d,
			    "CREATE FUNCTION st(text, int) RETURNS text LANGUAGE sql STABLE AS 'SELECT concat($1, @@@@ "
			    "$2)'");
			line(d, "CREATE AGGREGATE ag0(int) (SFUNC = st, STYPE = text, INITCOND = '')");
			line(d, "CREATE AGGREGATE ag1(int) (SFUNC = int4larger, STYPE = int, FINALFUNC = f0)");
			line(d,
			    "CREATE FUNCTION is_known(text) RETURNS bool LANGUAGE sql STABLE AS 'SELECT EXISTS (SELECT "
			    "1 FROM t0 WHERE s = $1)'");
			line(d, "CREATE DOMAIN known AS text CHECK (is_known(VALUE))");
			line(d, "CREATE TABLE w0(id int, a int, b known)");
		}
	}
	line(d,
	    "CREATE FUNCTION f9() RETURNS SETOF t0 LANGUAGE plpgsql STABLE AS 'BEGIN RETURN QUERY EXECUTE ''TABLE t'' "
	    "|| 0; END'");
}

void
drawn_schema(struct drawn *d, struct buf *out)
{
	d->out = out;
	say_tables(d);
	say_types(d);
	say_functions(d);
	for (char i = '0'; i < '5'; i++)
		for (unsigned tries = 0; tries < 4; tries++) { /* the first that the server takes */
			buf_printf(out, "CREATE VIEW v%c AS ", i);
			line(d, "$q");
		}
	for (char i = '0'; i < '3'; i++)
		for (unsigned tries = 0; tries < 4; tries++) {
			buf_printf(out, "CREATE MATERIALIZED VIEW m%c AS ", i);
			say(d, "$q");
			buf_str(out, " WITH NO DATA\n");
		}
}

/* A letter of row $i that is another in each database. */
#define OTHER(of)	"chr(65 + (i * (7 + 4 * %u) + " of ") %% 26)"

static void
say_rows(struct drawn *d, const char *table, unsigned which, const char *condition)
{
	unsigned other[DRAWN_COLUMNS];

	for (size_t i = 0; i < DRAWN_COLUMNS; i++)
		other[i] = d->action[i] >= DRAWN_MASKED ? which : 0;
	buf_printf(d->out,
	    "INSERT INTO %s(id, a, b, s, m, h, n) SELECT * FROM (SELECT i, i %% 3, 'b' || i %% 5,"
	    " CASE WHEN i %% 7 > 0 THEN 'CANARY' || " OTHER(
		"1") " END AS s, CASE WHEN i %% 5 > 0 THEN 'CANARY' || " OTHER("5") " END,"
										    " 'CANARY' || " OTHER(
											"3") ", 1000 + (i * (37 + 14 * "
											     "%u)) %% 900 AS n FROM "
											     "generate_series(1, 300) "
											     "i) r WHERE %s\n",
	    table, other[0], other[1], other[2], other[3], condition);
}

void
drawn_rows(struct drawn *d, unsigned which, struct buf *out)
{
	bool later = d->action[0] >= DRAWN_MASKED && which == 1;

	d->out = out;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		say_rows(d, tables[i], which, "true");
	say_rows(d, "p0", which, "true");
	say_rows(d, "p1", which, "true");
	say_rows(d, "i0_a", which, d->heirs_by == 0 ? "s < 'CANARYM'" : "n < 1500");
	say_rows(d, "i0_b", which, d->heirs_by == 0 ? "s >= 'CANARYM' OR s IS NULL" : "n >= 1500");
	buf_str(out,
	    "INSERT INTO log SELECT t0.id, t0, ARRAY[t0], ROW(t0.s, t0.b)::pair FROM t0 ORDER BY t0.id LIMIT 9\n"
	    "INSERT INTO log SELECT t0.id, t0, ARRAY[t1], ROW(t0.s, t0.b)::pair FROM t0 JOIN t1 USING (id) ORDER BY "
	    "t0.id LIMIT 9\n"
	    "INSERT INTO log2 SELECT id, log FROM log\nINSERT INTO log2 SELECT id, ROW(1, t0)::holder FROM t0 WHERE id "
	    "< 5\n"
	    "INSERT INTO typed SELECT s, b FROM t0 ORDER BY id\n");
	buf_printf(out, "INSERT INTO late SELECT 1, 1\nALTER TABLE late ADD s text DEFAULT '%s'\n",
	    later ? "CANARYQ" : "CANARYP");
	for (char i = '0'; i < '3'; i++)
		buf_printf(out, "REFRESH MATERIALIZED VIEW m%c\n", i);
	buf_str(out, "ANALYZE\n");
}

void
drawn_statement(struct drawn *d, struct buf *out)
{
	d->out = out;
	d->depth = 0;
	switch (draw(d, 12)) {
	case 0:
		say(d, ONE(d, catalogue));
		break;
	case 1:
		say(d, "EXPLAIN (COSTS OFF) $q");
		break;
	case 2:
		say(d, "EXPLAIN (VERBOSE, COSTS OFF) $q");
		break;
	case 3:
		say(d, "WITH q AS ($q) SELECT * FROM q LIMIT 30");
		break;
	default:
		say(d, "$q LIMIT 50");
	}
}
