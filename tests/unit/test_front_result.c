// libs: carrel_front
/* test_front_result.c - one result written twice, block by block, and what it may hold. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/mp.h"
#include "front/wire/out.h"
#include "front/calls/result_shape.h"
#include "front/calls/tool_result.h"

static struct result_budget budget;

static void
pack(struct buf *out, const char *json)
{
	size_t at;

	buf_reset(out, SIZE_MAX);
	assert_int_equal(json_read(span_str(json), out, &at), JSON_OK);
}

static struct tool_result *
make(const char *front, const char *head, const char *const *chunks, const char *field, const char *tail)
{
	struct buf b = { .max = 0 }, c = { .max = 0 };
	struct tool_result *r = result_new(&budget, NULL);
	struct err e;

	for (size_t i = 0; chunks[i] != NULL; i++) {
		pack(&b, chunks[i]);
		assert_int_equal(result_add_rows(r, buf_view(&b), &e), 0);
	}
	if (front != NULL) {
		pack(&b, front);
		assert_int_equal(result_put_front(r, buf_view(&b), &e), 0);
	}
	pack(&b, head);
	pack(&c, tail);
	assert_int_equal(result_finish(r, buf_view(&b), span_str(field), buf_view(&c), &e), 0);
	buf_fini(&b);
	buf_fini(&c);
	return r;
}

/* All of it, through the blocks a source makes. */
static const char *
write_out(struct tool_result *r, const char *between, struct buf *out)
{
	buf_reset(out, SIZE_MAX);
	result_begin(r, SPAN("<"), span_str(between), SPAN(">"));
	while (result_fill(r, out))
		;
	result_free(r);
	return buf_cstr(out);
}

static void
begin(uint64_t max, uint64_t max_each)
{
	result_drain_pool(&budget);
	budget = (struct result_budget){ .max = max, .max_each = max_each };
}

static void
test_shapes(void **state)
{
	static const char *const none[] = { NULL };
	static const char *const two[] = { "[[1,\"a\"],[2,null]]", "[[3,\"\\\"\"]]", NULL };
	static const char *const empty[] = { "[]", "[[1]]", "[]", NULL };
	struct buf out = { .max = 0 };

	(void)state;
	begin(1 << 20, 1 << 20);
	assert_string_equal(write_out(make(NULL, "{}", none, "", "{}"), "|", &out), "<{}|{}>");
	assert_string_equal(write_out(make(NULL, "{\"a\":1}", none, "", "{\"b\":2}"), "", &out), "<{\"a\":1,\"b\":2}>");
	assert_string_equal(write_out(make(NULL, "{}", none, "rows", "{}"), "", &out), "<{\"rows\":[]}>");
	assert_string_equal(write_out(make(NULL, "{\"h\":[\"x\"]}", two, "rows", "{\"n\":3}"), "|", &out),
	    "<{\\\"h\\\":[\\\"x\\\"],\\\"rows\\\":[[1,\\\"a\\\"],[2,null],[3,\\\"\\\\\\\"\\\"]],\\\"n\\\":3}|"
	    "{\"h\":[\"x\"],\"rows\":[[1,\"a\"],[2,null],[3,\"\\\"\"]],\"n\":3}>");
	assert_string_equal(write_out(make(NULL, "{}", empty, "rows", "{}"), "", &out), "<{\"rows\":[[1]]}>");
	/* a cell that is an array of one text is a number as it was written; one in a head is an array */
	assert_string_equal(write_out(make(NULL, "{\"a\":[\"1.50\"]}", (const char *const[]){ "[[[\"1.50\"]]]", NULL },
	    "rows", "{}"), "", &out), "<{\"a\":[\"1.50\"],\"rows\":[[1.50]]}>");
	assert_int_equal(budget.used, 0);
	buf_fini(&out);
}

/* What a continuation puts in front is not said again by the rest. */
static void
test_front(void **state)
{
	static const char *const rows[] = { "[[1]]", NULL };
	struct buf out = { .max = 0 };

	(void)state;
	begin(1 << 20, 1 << 20);
	assert_string_equal(write_out(make("{\"sql\":\"s\",\"headers\":[\"x\"]}", "{\"headers\":[\"y\"],\"k\":1}", rows,
					  "rows", "{\"k\":2,\"rows\":0,\"n\":1}"),
				"", &out),
	    "<{\"sql\":\"s\",\"headers\":[\"x\"],\"k\":1,\"rows\":[[1]],\"n\":1}>");
	buf_fini(&out);
}

/* Large rows and large members come out the same however they are cut into blocks. */
static void
test_large(void **state)
{
	struct buf rows = { .max = 0 }, head = { .max = 0 }, out = { .max = 0 }, twice = { .max = 0 };
	struct tool_result *r = result_new(&budget, NULL);
	const char *bar, *p;
	struct err e;
	size_t at, n;

	(void)state;
	begin(64 << 20, 64 << 20);
	for (unsigned chunk = 0; chunk < 30; chunk++) {
		buf_reset(&rows, SIZE_MAX);
		mp_put_array(&rows, 200);
		for (unsigned i = 0; i < 200; i++) {
			mp_put_array(&rows, 2);
			mp_put_uint(&rows, chunk * 200 + i);
			mp_put_cstr(&rows,
			    "line\n\"quoted\" \\ back \xc3\xa9 and some more text to make it long enough");
		}
		assert_int_equal(result_add_rows(r, buf_view(&rows), &e), 0);
	}
	mp_put_map(&head, 1);
	mp_put_cstr(&head, "nested");
	mp_put_array(&head, 4000);
	for (unsigned i = 0; i < 4000; i++) {
		mp_put_map(&head, 2);
		mp_pair_uint(&head, "i", i);
		mp_put_cstr(&head, "list");
		mp_put_array(&head, i % 3);
		for (unsigned k = 0; k < i % 3; k++)
			mp_put_cstr(&head, "x");
	}
	assert_int_equal(result_finish(r, buf_view(&head), SPAN("rows"), SPAN("\x80"), &e), 0);
	assert_true(budget.used > 400000);
	result_begin(r, SPAN("\""), SPAN("\"|"), SPAN(""));
	for (n = 1; result_fill(r, &out); n++)
		assert_true(out.len < n * 2 * OUT_BLOCK); /* block by block */
	result_free(r);
	assert_int_equal(budget.used, 0);
	bar = strstr(buf_cstr(&out), "\"|{");
	assert_non_null(bar);
	/* the text, read as a JSON string, is the object */
	assert_int_equal(json_read(span_of(out.p, (size_t)(bar - (const char *)out.p) + 1), &twice, &at), JSON_OK);
	struct mp_value text;

	assert_true(mp_value(buf_view(&twice), &text));
	p = bar + 2;
	assert_true(span_is(text.s, span_str(p)));
	/* and the object is JSON */
	buf_reset(&rows, SIZE_MAX);
	assert_int_equal(json_read(span_str(p), &rows, &at), JSON_OK);
	assert_non_null(strstr(p, "[5999,\""));
	assert_non_null(strstr(p, "{\"i\":3999,\"list\":[]}"));
	buf_fini(&rows);
	buf_fini(&head);
	buf_fini(&out);
	buf_fini(&twice);
}

/* n rows of a number, a text and a decimal, in chunks of a few. */
static struct tool_result *
make_rows(size_t n, const char *tail)
{
	struct tool_result *r = result_new(&budget, NULL);
	struct buf b = { 0 }, c = { 0 };
	struct err e;

	for (size_t i = 0; i < n;) {
		size_t some = n - i < 700 ? n - i : 1 + i % 700;

		buf_reset(&b, SIZE_MAX);
		mp_put_array(&b, some);
		for (size_t k = 0; k < some; k++, i++) {
			mp_put_array(&b, 3);
			mp_put_uint(&b, i);
			mp_put_str(&b, span_of("\"aaaaaaaaaaaaaaaaaaa", i % 20));
			mp_put_array(&b, 1);
			mp_put_cstr(&b, i % 2 == 0 ? "1.50" : "-0.001");
		}
		assert_int_equal(result_add_rows(r, buf_view(&b), &e), 0);
	}
	pack(&b, "{\"headers\":[\"n\",\"t\",\"d\"]}");
	pack(&c, tail);
	assert_int_equal(result_finish(r, buf_view(&b), SPAN("rows"), buf_view(&c), &e), 0);
	buf_fini(&b);
	buf_fini(&c);
	return r;
}

/* The object that a result of n rows becomes, as msgpack in out; its bytes of JSON. */
static size_t
shaped(size_t n, struct result_shape shape, bool texts, struct buf *out)
{
	struct tool_result *r =
	    make_rows(n, "{\"rowCount\":0,\"truncated\":false,\"truncatedBy\":null,\"elapsedMs\":1.5}");
	struct buf json = { 0 };
	struct err e;
	size_t bytes, at;

	if (texts)
		result_put_texts(r, SPAN("\x01"));
	assert_int_equal(result_shape(r, &shape, &e), 0);
	write_out(r, "", &json);
	bytes = json.len - 2; /* what stands around it */
	buf_reset(out, SIZE_MAX);
	assert_int_equal(json_read(span_of(json.p + 1, bytes), out, &at), JSON_OK);
	buf_fini(&json);
	return bytes;
}

static struct mp_value
cell_of(const struct mp_value *object, bool columns, size_t row, size_t column)
{
	struct mp_value list, inner, cell = { .class = MP_NIL };
	struct mp_iter it;

	assert_true(mp_get(object, columns ? "columns" : "rows", &list));
	it = mp_iter(&list);
	for (size_t i = 0; i <= (columns ? column : row); i++)
		assert_true(mp_next(&it, &inner));
	it = mp_iter(&inner);
	for (size_t i = 0; i <= (columns ? row : column); i++)
		assert_true(mp_next(&it, &cell));
	return cell;
}

/* Whatever the bound: never more bytes, no row less than fit but for a few bytes, and the same cells by columns. */
static void
test_shaped(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 57, 3000 };
	struct buf rows = { 0 }, columns = { 0 };
	struct mp_value a, b, list;

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		for (uint64_t most = 0; most < 120000; most = most == 0 ? 300 : most * 3 / 2) {
			size_t n = counts[c], whole = shaped(n, (struct result_shape){ 0, false }, c % 2, &rows);
			size_t got = shaped(n, (struct result_shape){ most, false }, c % 2, &rows);
			size_t other = shaped(n, (struct result_shape){ most, true }, c % 2, &columns);
			uint64_t k, of_columns;

			assert_true(mp_value(buf_view(&rows), &a) && mp_value(buf_view(&columns), &b));
			k = mp_get_bool(&a, "truncated", false) ? mp_get_uint(&a, "rowCount", 0) : n;
			of_columns = mp_get_bool(&b, "truncated", false) ? mp_get_uint(&b, "rowCount", 0) : n;
			assert_true(most == 0 || whole <= most || n == 1 ? k == n : k < n);
			assert_true(most == 0 || got <= most || k <= 1);
			assert_true(most == 0 || other <= most || of_columns <= 1);
			if (k < n && k > 1 && got + 120 <= most) /* one row more did not fit */
				fail_msg("%zu rows, %zu bytes of %zu, most %zu, %zu given", n, got, whole, (size_t)most,
				    (size_t)k);
			assert_true(mp_get(&a, "rows", &list) && list.n == k);
			assert_true(mp_get(&b, "columns", &list) && list.n == 3 && !mp_get(&b, "rows", &list));
			if (k < n)
				assert_true(mp_get_str(&a, "note", SPAN_NONE).len > 0 &&
				    span_is_str(mp_get_str(&a, "truncatedBy", SPAN_NONE), "bytes"));
			for (size_t i = 0; i < 9 && k > 0 && of_columns > 0; i++) {
				size_t row = i * 331 % (k < of_columns ? k : of_columns);
				struct mp_value x = cell_of(&a, false, row, i % 3), y = cell_of(&b, true, row, i % 3);

				assert_true(span_is(x.raw, y.raw));
				assert_int_equal(x.class == MP_STR, i % 3 == 1 || (i % 3 == 0 && c % 2 == 1));
			}
		}
	assert_int_equal(budget.used, 0);
	buf_fini(&rows);
	buf_fini(&columns);
}

static void
test_bounds(void **state)
{
	struct buf rows = { .max = 0 };
	struct tool_result *a, *b;
	struct err e;
	char *big = malloc(60001);

	(void)state;
	memset(big, 'x', 60000);
	big[60000] = '\0';
	mp_put_array(&rows, 1);
	mp_put_array(&rows, 1);
	mp_put_cstr(&rows, big);
	begin(200000, 130000);
	a = result_new(&budget, NULL);
	b = result_new(&budget, NULL);
	assert_int_equal(result_add_rows(a, buf_view(&rows), &e), 0);
	assert_int_equal(result_add_rows(a, buf_view(&rows), &e), 0);
	assert_int_equal(result_add_rows(a, buf_view(&rows), &e), -1);
	assert_int_equal(e.code, ERR_RESULT_TOO_LARGE);
	assert_int_equal(result_add_rows(b, buf_view(&rows), &e), 0);
	assert_int_equal(result_add_rows(b, buf_view(&rows), &e), -1);
	assert_int_equal(e.code, ERR_BUSY);
	/* a second try begins anew */
	result_forget_rows(a);
	assert_int_equal(result_bytes(a), 0);
	assert_int_equal(result_add_rows(b, buf_view(&rows), &e), 0);
	assert_int_equal(result_add_rows(a, SPAN("\x01"), &e), -1);
	assert_int_equal(e.code, ERR_INTERNAL);
	result_free(a);
	result_free(b);
	assert_int_equal(budget.used, 0);
	buf_fini(&rows);
	free(big);
}

/* Of what all may hold, half is one's; a single result may be as large as one may be. */
static void
test_shares(void **state)
{
	struct tool_result *mine[9], *theirs;
	uint64_t own = 0, other = 0;
	struct buf rows = { .max = 0 };
	struct err e = { .code = ERR_NONE };
	char *big = calloc(1, 20001);

	(void)state;
	memset(big, 'x', 20000);
	mp_put_array(&rows, 1);
	mp_put_array(&rows, 1);
	mp_put_cstr(&rows, big);
	begin(200000, 150000);
	for (size_t i = 0; i < 9; i++)
		mine[i] = result_new(&budget, &own);
	theirs = result_new(&budget, &other);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(result_add_rows(mine[i], buf_view(&rows), &e), 0);
	for (size_t i = 4; i < 8 && result_add_rows(mine[i], buf_view(&rows), &e) == 0; i++)
		continue;
	assert_int_equal(e.code, ERR_BUSY);
	assert_in_range(own, 80000, 110000);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(result_add_rows(theirs, buf_view(&rows), &e), 0);
	result_free(theirs);
	assert_int_equal(other, 0);
	for (size_t i = 0; i < 8; i++)
		result_free(mine[i]);
	assert_int_equal(own, 0);
	/* the only one of its principal */
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(result_add_rows(mine[8], buf_view(&rows), &e), 0);
	result_free(mine[8]);
	assert_int_equal(budget.used, 0);
	buf_fini(&rows);
	free(big);
}

/* --- out: a socket that takes little at a time ------------------------------------------- */

static void
read_all(int fd, struct buf *into)
{
	uint8_t block[3000];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) > 0)
		buf_append(into, block, (size_t)n);
}

static void
test_out(void **state)
{
	static const char *const rows[] = { "[[1,\"a\"]]", NULL };
	struct buf got = { .max = 0 }, want = { .max = 0 };
	struct out o = { .items = NULL };
	enum out_status status;
	char *large = malloc(300001);
	struct blob *blob;
	int fd[2], small = 1;

	(void)state;
	begin(64 << 20, 64 << 20);
	memset(large, 'y', 300000);
	large[300000] = '\0';
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	blob = blob_new(span_str(large));
	out_send(&o, fd[0], SPAN("head"), blob, SPAN("tail"));
	assert_true(out_pending(&o) < 100); /* the blob is not copied */
	out_bytes(&o, SPAN("more"));
	struct tool_result *r = make(NULL, "{}", rows, "rows", "{}");

	result_begin(r, SPAN("["), SPAN("]["), SPAN("]"));
	out_source(&o, (struct out_source){ result_fill, result_release, r }, true);
	out_bytes(&o, SPAN("0\r\n\r\n"));
	do {
		status = out_flush(&o, fd[0]);
		read_all(fd[1], &got);
	} while (status == OUT_MORE);
	assert_int_equal(status, OUT_EMPTY);
	assert_true(out_is_empty(&o));
	buf_printf(&want, "head%stailmore", large);
	buf_str(&want, "0000002c\r\n[{\\\"rows\\\":[[1,\\\"a\\\"]]}][{\"rows\":[[1,\"a\"]]}]");
	buf_str(&want, "\r\n0\r\n\r\n");
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.p, want.p, want.len);
	/* a peer that is gone */
	close(fd[1]);
	assert_int_equal(out_send(&o, fd[0], SPAN("x"), NULL, SPAN("")), OUT_DEAD);
	close(fd[0]);
	/* what was never sent is released */
	r = make(NULL, "{}", rows, "rows", "{}");
	out_source(&o, (struct out_source){ result_fill, result_release, r }, false);
	out_blob(&o, blob);
	out_fini(&o);
	assert_int_equal(blob->refs, 1);
	blob_unref(blob);
	buf_fini(&got);
	buf_fini(&want);
	free(large);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_front),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_shaped),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_out),
	};
	int failed;

	signal(SIGPIPE, SIG_IGN); /* as child_begin() does */
	failed = cmocka_run_group_tests(tests, NULL, NULL);

	result_drain_pool(&budget);
	return failed;
}
