// libs: carrel_parquet
/*
 * test_parquet.c - Parquet files without DuckDB: levels as a reader takes them, what is held at one time, and the bound
 * on what describes a file.  That other programs read the values, tests/engines/parts/tools.py shows.
 */
#include "tests/unit/harness.h"

#include "workers/sql/parquet/levels.h"
#include "workers/sql/parquet/parquet.h"
#include "workers/sql/parquet/thrift.h"

static uint64_t seed = 1;

static unsigned
draw(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % below;
}

static uint64_t
read_varint(const uint8_t **p)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		v |= (uint64_t)(**p & 0x7F) << shift;
		if ((*(*p)++ & 0x80) == 0)
			return v;
	}
}

/* As Encodings.md reads them. */
static void
read_levels(struct span s, unsigned width, size_t n, uint8_t *out)
{
	const uint8_t *p = s.p + 4;
	size_t got = 0, len = 0;

	for (size_t k = 0; k < 4; k++)
		len |= (size_t)s.p[k] << 8 * k;
	assert_int_equal(s.len - 4, len);
	while (got < n) {
		uint64_t head = read_varint(&p), count = (head & 1) != 0 ? (head >> 1) * 8 : head >> 1;

		assert_true(count > 0);
		for (uint64_t i = 0; i < count; i++) {
			uint8_t v = (head & 1) == 0 ? *p : 0;

			for (unsigned k = 0; (head & 1) != 0 && k < width; k++)
				v |= (uint8_t)((p[(i * width + k) / 8] >> (i * width + k) % 8 & 1) << k);
			if (got < n)
				out[got++] = v;
			else
				assert_int_equal(v, 0); /* the last group is filled up */
		}
		p += (head & 1) != 0 ? (head >> 1) * width : 1;
	}
	assert_ptr_equal(p, s.p + s.len);
}

/* Runs, packed levels and their mixtures, of every width, come back. */
static void
test_levels(void **state)
{
	uint8_t in[700], out[700];

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		unsigned max = 1 + draw(90), width = 0;
		size_t n = 1 + draw(sizeof(in));
		struct buf b = { .max = 0 };

		for (unsigned m = max; m > 0; m >>= 1)
			width++;
		for (size_t i = 0; i < n;) {
			size_t run = draw(3) == 0 ? 1 + draw(40) : 1;

			for (unsigned v = draw(max + 1); run > 0 && i < n; run--)
				in[i++] = (uint8_t)v;
		}
		levels_put(&b, in, n, max);
		read_levels(buf_view(&b), width, n, out);
		assert_memory_equal(in, out, n);
		buf_fini(&b);
	}
}

struct written {
	struct buf	file;
	uint64_t	rows;
	size_t		pieces, longest;
	bool		stop;
};

static int
take(void *arg, uint64_t rows, struct span bytes, struct err *err)
{
	struct written *w = arg;

	w->pieces++;
	w->rows += rows;
	w->longest = bytes.len > w->longest ? bytes.len : w->longest;
	buf_span(&w->file, bytes);
	return w->stop ? err_set(err, ERR_QUERY_CANCELLED, "stopped") : 0;
}

static bool
has_end(const struct written *w)
{
	return w->file.len > 4 && memcmp(w->file.p + w->file.len - 4, "PAR1", 4) == 0;
}

/* Rows leave in groups, and no more is held at a time; the rows of a piece are those that are complete. */
static void
test_groups(void **state)
{
	struct written w = { .rows = 0 };
	struct parquet *p = parquet_new(take, &w, "test");
	struct parquet_node *a = parquet_add(p, NULL, SPAN("a"), PARQUET_INT64),
			    *t = parquet_add(p, NULL, SPAN("t"), PARQUET_TEXT);
	char text[1000];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(parquet_begin(p, &err), 0);
	for (int64_t i = 0; i < 20000; i++) {
		parquet_fixed(p, a, 0, &i);
		if (i % 2 == 0)
			parquet_null(p, t, 0, t->def - 1);
		else
			parquet_bytes(p, t, 0, span_of(text, sizeof(text)));
		assert_int_equal(parquet_row_done(p, &err), 0);
		assert_true(parquet_held(p) < PARQUET_GROUP);
		assert_true(w.rows <= (uint64_t)i + 1);
	}
	assert_in_range(w.rows, 10000, 19999);
	assert_false(has_end(&w));
	assert_int_equal(parquet_end(p, &err), 0);
	assert_int_equal(w.rows, 20000);
	assert_true(has_end(&w));
	assert_int_equal(w.longest, PARQUET_PIECE);
	assert_in_range(w.file.len, 10000 * 1000, 10500 * 1000);
	parquet_free(p);
	buf_fini(&w.file);
}

/* Who cannot take more is asked for nothing more. */
static void
test_stopped(void **state)
{
	struct written w = { .stop = true };
	struct parquet *p = parquet_new(take, &w, "test");
	struct parquet_node *t = parquet_add(p, NULL, SPAN("t"), PARQUET_BYTES);
	static char text[PARQUET_GROUP];
	struct err err;

	(void)state;
	assert_int_equal(parquet_begin(p, &err), 0);
	parquet_bytes(p, t, 0, span_of(text, sizeof(text)));
	assert_int_equal(parquet_row_done(p, &err), -1);
	assert_int_equal(err.code, ERR_QUERY_CANCELLED);
	assert_int_equal(w.pieces, 1);
	parquet_free(p);
	buf_fini(&w.file);
}

/* What describes a file of very many columns is bounded: it fails, and has no end. */
static void
test_footer(void **state)
{
	struct written w = { .rows = 0 };
	struct parquet *p = parquet_new(take, &w, "test");
	enum { COLUMNS = 3000 };
	static struct parquet_node *columns[COLUMNS];
	static char text[6000];
	struct err err;
	int rc = 0;

	(void)state;
	for (unsigned i = 0; i < COLUMNS; i++)
		columns[i] =
		    parquet_add(p, NULL, SPAN("a column with a name that is told again in each group"), PARQUET_TEXT);
	assert_int_equal(parquet_begin(p, &err), 0);
	for (unsigned row = 0; row < 400 && rc == 0; row++) {
		for (unsigned i = 0; i < COLUMNS; i++)
			parquet_bytes(p, columns[i], 0, span_of(text, sizeof(text)));
		rc = parquet_row_done(p, &err);
		buf_reset(&w.file, 0);
	}
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, ERR_RESULT_TOO_LARGE);
	assert_non_null(strstr(err.message, ".csv"));
	assert_false(has_end(&w));
	parquet_free(p);
	buf_fini(&w.file);
}

static void
test_depth(void **state)
{
	struct written w = { .rows = 0 };
	struct parquet *p = parquet_new(take, &w, "test");
	struct parquet_node *node = NULL;

	(void)state;
	for (unsigned i = 0; i < PARQUET_DEPTH; i++)
		assert_non_null(node = parquet_add(p, node, SPAN("n"), PARQUET_LIST));
	assert_int_equal(node->def, 2 * PARQUET_DEPTH - 1);
	assert_int_equal(node->rep, PARQUET_DEPTH);
	assert_null(parquet_add(p, node, SPAN("n"), PARQUET_INT32));
	parquet_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_footer),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
