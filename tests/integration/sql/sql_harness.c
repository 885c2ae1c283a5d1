/* sql_harness.c - see sql_harness.h. */
#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "tests/integration/sql/sql_harness.h"

void
sql_assert_has(const char *text, const char *piece, const char *file, int line)
{
	if (text != NULL && strstr(text, piece) != NULL)
		return;
	print_error("\"%s\"\nis not in\n\"%.2000s\"\n", piece, text == NULL ? "(null)" : text);
	_fail(file, line);
}

static struct span
list(const char *json, struct buf *out)
{
	size_t at;

	assert_int_equal(json_read(span_str(json), out, &at), JSON_OK);
	return buf_view(out);
}

static uint64_t
given(uint64_t value, uint64_t otherwise)
{
	return value == 0 ? otherwise : value;
}

static struct driver *
spawn(const struct sql_setup *s, bool *ready)
{
	struct peer_options options = { .faults = s->faults };
	struct buf schemas = { 0 }, enabled = { 0 }, columns = { 0 }, functions = { 0 };
	struct ipc_configure_sql conf = {
		.team = SPAN("\x90"),
		.connection = SPAN("db"), .driver = span_str(s->driver), .path = span_str(s->path),
		.target = span_str(s->conninfo),
		.timeout_ms = given(s->timeout_ms, 30000), .max_rows = given(s->max_rows, 10000),
		.result_bytes = given(s->result_bytes, 8 << 20),
		.memory_max = given(s->memory_max, (uint64_t)512 << 20),
		.explain_analyze = s->explain_analyze, .semantic_only = s->semantic_only,
		.max_requests = given(s->max_requests, 100000),
	};
	struct driver *d;
	char binary[4096];

	conf.schemas = list(s->schemas == NULL ? "[\"public\"]" : s->schemas, &schemas);
	conf.enabled_tables = list(s->enabled == NULL ? "[]" : s->enabled, &enabled);
	conf.functions = list(s->functions == NULL ? "[]" : s->functions, &functions);
	conf.columns = list(s->columns == NULL ? "[]" : s->columns, &columns);
	conf.column_key = SPAN("6b6579");
	snprintf(binary, sizeof(binary), "%s/carrel-sql-%s", BIN_DIR, s->driver);
	d = driver_spawn(binary, IPC_SQL, &options);
	*ready = driver_configure(d, IPC_MSG_CONFIGURE_SQL, &conf);
	buf_fini(&schemas);
	buf_fini(&enabled);
	buf_fini(&functions);
	buf_fini(&columns);
	return d;
}

struct driver *
sql_start(const struct sql_setup *setup)
{
	bool ready;
	struct driver *d = spawn(setup, &ready);

	if (!ready)
		print_error("unable: %s\n%s\n", driver_reason(d), driver_log(d));
	assert_true(ready);
	driver_attach(d);
	return d;
}

struct driver *
sql_start_again(const struct sql_setup *setup)
{
	for (int i = 0; i < 1000; i++) {
		bool ready;
		struct driver *d = spawn(setup, &ready);

		if (ready) {
			driver_attach(d);
			return d;
		}
		if (driver_exit_code(d) != EXIT_DATABASE_CHANGED)
			fail_msg("unable: %s", driver_reason(d));
		driver_free(d);
	}
	fail_msg("the files change at every start");
	return NULL;
}

struct driver *
sql_start_unable(const struct sql_setup *setup)
{
	bool ready;
	struct driver *d = spawn(setup, &ready);

	assert_false(ready);
	return d;
}

void
sql_stop(struct driver *d)
{
	driver_shutdown(d, 1000);
	if (driver_exit_code(d) != EXIT_STOPPED)
		print_error("%s\n", driver_log(d));
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

uint64_t
sql_begin(struct driver *d, const char *sql, unsigned max_rows)
{
	struct buf args = { 0 };
	uint64_t id;

	buf_str(&args, "{\"connectionId\":\"db\",\"sql\":");
	json_write_string(&args, span_str(sql));
	if (max_rows > 0)
		buf_printf(&args, ",\"maxRows\":%u", max_rows);
	buf_byte(&args, '}');
	id = driver_start(d, "sql_execution", "db", buf_cstr(&args));
	buf_fini(&args);
	return id;
}

const struct driver_answer *
sql_run(struct driver *d, const char *sql, unsigned max_rows)
{
	return driver_wait(d, sql_begin(d, sql, max_rows));
}

void
sql_expect(struct driver *d, const char *sql, const char *piece)
{
	const struct driver_answer *a = sql_run(d, sql, 0);

	if (a->kind != DRIVER_RESULT)
		print_error("%.300s: %s %s\n%s\n", sql, a->code == NULL ? "no answer" : a->code, a->message,
		    driver_log(d));
	assert_int_equal(a->kind, DRIVER_RESULT);
	if (strstr(a->result, piece) == NULL)
		print_error("for %.300s\n", sql);
	assert_has(a->result, piece);
}

void
sql_expect_fail(struct driver *d, const char *sql, const char *code, const char *piece)
{
	const struct driver_answer *a = sql_run(d, sql, 0);

	if (a->kind != DRIVER_FAIL || strcmp(a->code, code) != 0)
		print_error("%.300s: %s\n%s\n", sql, a->kind == DRIVER_RESULT ? a->result : a->message, driver_log(d));
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, code);
	assert_has(a->message, piece);
}

void
sql_expect_all(struct driver *d, const struct sql_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cases[i].code == NULL)
			sql_expect(d, cases[i].sql, cases[i].piece);
		else
			sql_expect_fail(d, cases[i].sql, cases[i].code, cases[i].piece);
}
