// libs: carrel_front_rig carrel_front carrel_policy
/* test_front_export.c - a result as a file: on record first, no more than the client reads, seen to be cut. */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mp.h"
#include "base/system/clock.h"
#include "front/calls/export_link.h"
#include "front/export/export_file.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_worker.h"

#define SQL(token)	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"			\
	"Mcp-Name: sql_execution\r\n" AS(token)
#define CALL_SQL(sql)	RPC("1", "tools/call",								\
	"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"" sql "\"}," META)

static struct rig *r;
static int fd;
static char link_path[4096];

static void
set_up_with(const struct rig_options *o)
{
	fake_shared->cancels = fake_shared->begun = fake_shared->crashes = 0;
	r = rig_start(o);
	rig_worker(r, IPC_SQL, "warehouse");
	auth_start(r);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	auth_token(r, &(struct played_token){ .text = TOKEN_B, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	fd = rig_connect(r);
}

static int
set_up(void **state)
{
	(void)state;
	set_up_with(&(struct rig_options){ .token = "static", .audited = true, .export_rows = 1000000 });
	return 0;
}

static int
set_up_without(void **state)
{
	(void)state;
	set_up_with(&(struct rig_options){ .token = "static", .audited = true });
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	close(fd);
	rig_stop(r);
	return 0;
}

/* Have a result, and keep the path of its export. */
static void
take_link(const char *body)
{
	struct reply a = rig_post(fd, SQL(TOKEN_A), body);
	char *at;

	assert_int_equal(a.status, 200);
	assert_non_null(at = strstr(a.body, "\"carrel/export\":{\"url\":\"http://127.0.0.1"));
	assert_non_null(at = strstr(at, EXPORT_PATH));
	snprintf(link_path, sizeof(link_path), "%.*s", (int)strcspn(at, "\""), at);
}

static void
ask(int to, const char *path, const char *headers)
{
	rig_send(to, "GET ");
	rig_send(to, path);
	rig_send(to, " HTTP/1.1\r\nHost: localhost\r\n");
	rig_send(to, headers);
	rig_send(to, "\r\n");
}

static bool
is_silent(int from, unsigned ms)
{
	struct pollfd p = { from, POLLIN, 0 };

	rig_wind(r, ms);
	return poll(&p, 1, 0) == 0;
}

/* A link that this server would have made, with these. */
static void
make_link(const char *owner, uint64_t until_unix_s, const char *sql)
{
	uint8_t key[SIGNER_KEY];
	struct buf call = { .max = 0 }, args = { .max = 0 }, path = { .max = 0 };
	struct seal s;

	memset(key, 7, sizeof(key)); /* front_rig.c */
	seal_init(&s, SEAL_EXPORT, key);
	mp_put_pairs(&args, mp_cstr("connectionId", "warehouse"), mp_cstr("sql", sql));
	mp_put_pairs(&call, mp_cstr("name", "sql_execution"), mp_raw("arguments", buf_view(&args)));
	buf_str(&path, EXPORT_PATH);
	assert_true(export_link_seal(&s, &(struct export_link){ .owner = span_str(owner), .grant = SPAN(""),
	    .scopes_tools = SPAN(""), .until_unix_s = until_unix_s, .call = buf_view(&call) }, &path));
	snprintf(link_path, sizeof(link_path), "%.*s.csv", (int)path.len, (const char *)path.p);
	buf_fini(&call);
	buf_fini(&args);
	buf_fini(&path);
}

static void
test_a_file(void **state)
{
	struct reply a;

	(void)state;
	take_link(CALL_SQL("rows 250 3"));
	ask(fd, link_path, AS(TOKEN_A));
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_true(a.chunked);
	assert_holds(a.body, "n,t\r\n0,xxx\r\n");
	assert_holds(a.body, "\r\n249,xxx\r\n");
	assert_string_equal(rig_header(&a, "Content-Type"), "text/csv; charset=utf-8; header=present");
	/* the call, its opening, and its end */
	assert_holds(auth_entry(r, 3),
	    "\"principal\":\"token:aaaaaaaa\",\"surface\":\"rest\",\"action\":\"export\","
	    "\"target\":\"sql_execution\",\"outcome\":\"ok\"");
	assert_holds(auth_entry(r, 3), "\"rows\":250,\"truncated\":false,\"statement\":\"rows 250 3\"");
	assert_holds(auth_entry(r, 3), "\"bytes\":");
	assert_int_equal(r->auth->sql, 2);
}

/* A Parquet file's bytes are passed on as the worker wrote them, and its rows counted as they are complete. */
static void
test_parquet(void **state)
{
	struct reply a;
	char *ending;

	(void)state;
	take_link(CALL_SQL("rows 7 100"));
	ending = strstr(link_path, ".csv");
	memcpy(ending, ".parquet", sizeof(".parquet"));
	ask(fd, link_path, AS(TOKEN_A));
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "application/vnd.apache.parquet");
	assert_non_null(strstr(rig_header(&a, "Content-Disposition"), ".parquet"));
	assert_int_equal(a.len, 700);
	assert_int_equal(strspn(a.body, "p"), 700);
	assert_holds(auth_entry(r, 3), "\"rows\":3,\"truncated\":false");
	close(fd);
	fd = rig_connect(r);
	memcpy(ending, ".avro", sizeof(".avro"));
	ask(fd, link_path, AS(TOKEN_A));
	a = rig_read(fd);
	assert_int_equal(a.status, 404);
	assert_holds(a.body, ".csv, .jsonl or, of DuckDB connections, .parquet");
}

/* Not a byte leaves before the opening is on record, nor the last chunk before the end is. */
static void
test_on_record_first(void **state)
{
	struct reply a;

	(void)state;
	take_link(CALL_SQL("rows 250 3"));
	r->auth->unrecorded = true;
	ask(fd, link_path, AS(TOKEN_A));
	assert_holds(auth_entry(r, 2), "\"action\":\"export.open\",\"target\":\"sql_execution\",\"outcome\":\"ok\"");
	assert_true(is_silent(fd, 1000));
	/* it cannot be written: no row was given, and that is said */
	rig_wind(r, 5000);
	a = rig_read(fd);
	assert_int_equal(a.status, 503);
	assert_holds(a.body, "could not be put on record");
	assert_lacks(a.body, "xxx");
}

static void
test_unwritable(void **state)
{
	struct reply a;

	(void)state;
	take_link(CALL_SQL("rows 250 3"));
	r->auth->unwritable = true;
	ask(fd, link_path, AS(TOKEN_A));
	a = rig_read(fd);
	assert_int_equal(a.status, 503);
	assert_lacks(a.body, "xxx");
}

/* Whose links open, and until when. */
static void
test_owners(void **state)
{
	uint64_t now = clock_unix_ms() / 1000;
	static const struct {
		const char *owner, *headers;
		int late, status;
	} rows[] = {
		{ "token:aaaaaaaa", AS(TOKEN_A), 60, 200 },
		{ "token:aaaaaaaa", AS(TOKEN_A), -1, 410 },
		{ "token:aaaaaaaa", AS(TOKEN_B), 60, 404 },
		{ "token:aaaaaaaa", AS(TOKEN_B), -1, 404 },
		{ "token:aaaaaaaa", AS("static"), 60, 404 },
		{ "token:aaaaaaaa", "", 60, 401 },
		{ "token:aaaaaaaa", "Authorization: Bearer x\r\n", 60, 401 },
		{ "static", AS("static"), 60, 200 },
		{ "user:ada\nc\nhttp://localhost/mcp", AS(TOKEN_A), 60, 404 },
		{ "local:0", AS(TOKEN_A), 60, 404 },
		{ "", AS(TOKEN_A), 60, 404 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_link(rows[i].owner, now + (uint64_t)(int64_t)rows[i].late, "one");
		close(fd); /* the trailers of the file before */
		fd = rig_connect(r);
		ask(fd, link_path, rows[i].headers);
		assert_int_equal(rig_read(fd).status, rows[i].status);
	}
	ask(fd, EXPORT_PATH "x.csv", AS(TOKEN_A));
	assert_int_equal(rig_read(fd).status, 404);
}

/* The worker gets no more credit than the client reads; who reads nothing is cut off, and the call is cancelled. */
static void
test_slow_reader(void **state)
{
	const char *entry;
	unsigned long long rows = 0;

	(void)state;
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "rows 300000 100");
	fake_shared->cancels = 0;
	ask(fd, link_path, AS(TOKEN_A));
	(void)auth_entry(r, 1); /* its opening */
	rig_pump(r, 100);
	rig_wind(r, 31000);
	rig_until(r, &fake_shared->cancels, 1);
	entry = auth_entry(r, 2);
	assert_holds(entry, "\"outcome\":\"cancelled\",\"code\":\"query_cancelled\"");
	assert_int_equal(sscanf(strstr(entry, "\"rows\":"), "\"rows\":%llu", &rows), 1);
	/* what the kernel holds for the socket, and a few chunks: of 31 MB by far the most was never asked for */
	assert_in_range(rows, 100, 150000);
}

/* Read n bytes of the export. */
static void
read_some(size_t n)
{
	char bytes[4096];

	while (n > 0) {
		ssize_t got = recv(fd, bytes, n < sizeof(bytes) ? n : sizeof(bytes), 0);

		assert_true(got > 0);
		n -= (size_t)got;
	}
}

/* A client for which the kernel keeps next to nothing, so that the front sees how much it reads. */
static int
connect_small(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)r->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int small = 4096, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(setsockopt(s, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	assert_int_equal(connect(s, (struct sockaddr *)&to, sizeof(to)), 0);
	return s;
}

/*
 * A client that reads a little from time to time, to keep the worker, is cut off like one that reads nothing; one that
 * keeps the least pace is not.
 */
static void
test_pace(void **state)
{
	static const struct {
		size_t each; /* in 7.5 s */
		bool cut;
	} rows[] = { { 64 * 1024, false }, { 12 * 1024, true } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 600, "rows 300000 100");
		close(fd);
		fd = connect_small();
		ask(fd, link_path, AS(TOKEN_A));
		(void)auth_entry(r, (int)i * 2 + 1); /* its opening */
		rig_pump(r, 50);
		for (unsigned k = 0; k < 10 && fake_shared->cancels == 0; k++) {
			read_some(rows[i].each);
			rig_pump(r, 50);
			rig_wind(r, 7500);
			rig_pump(r, 150);
		}
		assert_int_equal(fake_shared->cancels, rows[i].cut);
		close(fd);
		fd = rig_connect(r);
		rig_until(r, &fake_shared->cancels, 1);
		fake_shared->cancels = 0;
	}
}

/* The worker dies, or the credential ends: the file has no last chunk. */
static void
expect_cut(void)
{
	char bytes[65536];
	ssize_t n, last = 0;
	char end[8] = "";

	while ((n = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
		last = n < 5 ? 0 : n;
		if (last > 0)
			memcpy(end, bytes + n - 5, 5);
	}
	assert_string_not_equal(end, "0\r\n\r\n");
	close(fd);
	fd = rig_connect(r);
}

static void
test_cut_by_the_worker(void **state)
{
	(void)state;
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "rows 300000 100");
	ask(fd, link_path, AS(TOKEN_A));
	(void)auth_entry(r, 1);
	rig_pump(r, 100);
	kill(r->workers[0].pid, SIGKILL);
	expect_cut();
	assert_holds(auth_entry(r, 2), "\"outcome\":\"error\",\"code\":\"worker_lost\"");
}

/* It fails while its opening waits to be put on record: one entry more, one answer, and nothing after that. */
static void
test_cut_before_it_is_on_record(void **state)
{
	struct reply a;

	(void)state;
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "rows 300000 100");
	r->auth->unrecorded = true;
	ask(fd, link_path, AS(TOKEN_A));
	assert_holds(auth_entry(r, 1), "\"action\":\"export.open\"");
	rig_pump(r, 100);
	kill(r->workers[0].pid, SIGKILL);
	assert_holds(auth_entry(r, 2), "\"action\":\"export\",\"target\":\"sql_execution\",\"outcome\":\"error\"");
	for (unsigned i = 0; i < 4; i++)
		rig_wind(r, 3000);
	a = rig_read(fd);
	assert_int_equal(a.status, 503);
	assert_lacks(a.body, "xxx");
	assert_int_equal(r->auth->audits, 2);
}

static void
test_cut_by_the_end_of_the_token(void **state)
{
	(void)state;
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "rows 300000 100");
	ask(fd, link_path, AS(TOKEN_A));
	(void)auth_entry(r, 1);
	rig_pump(r, 100);
	auth_set(r, TOKEN_A, IPC_VERDICT_REVOKED);
	auth_say(r, IPC_MSG_END, 9, &(struct ipc_end){ .principal = SPAN("token:aaaaaaaa"),
	    .verdict = IPC_VERDICT_REVOKED });
	rig_until(r, &r->auth->ended, 1);
	assert_int_equal(r->auth->last_ended.calls, 1);
	expect_cut();
	assert_holds(auth_entry(r, 2), "\"code\":\"auth_revoked\"");
	ask(fd, link_path, AS(TOKEN_A));
	assert_int_equal(rig_read(fd).status, 401);
}

/* What goes wrong before the first row has its status. */
static void
test_errors(void **state)
{
	struct reply a;

	(void)state;
	take_link(CALL_SQL("one"));
	fake_shared->crashes = 0;
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "one");
	r->auth->admission = IPC_ADMISSION_RATE;
	ask(fd, link_path, AS(TOKEN_A));
	a = rig_read(fd);
	assert_int_equal(a.status, 429);
	r->auth->admission = 0;
	rig_send(fd, "HEAD ");
	rig_send(fd, link_path);
	rig_send(fd, " HTTP/1.1\r\nHost: localhost\r\n" AS(TOKEN_A) "\r\n");
	a = rig_head(fd);
	assert_int_equal(a.status, 200);
	rig_send(fd, "GET ");
	rig_send(fd, link_path);
	rig_send(fd, " HTTP/1.0\r\nHost: localhost\r\n" AS(TOKEN_A) "\r\n");
	assert_int_equal(rig_read(fd).status, 400);
}

/* A principal has no more exports than its share, however many workers there are: something is left for the next. */
static void
test_shares(void **state)
{
	static const struct {
		const char *owner, *headers;
		unsigned share;
	} rows[] = {
		{ "token:aaaaaaaa", AS(TOKEN_A), EXPORTS_MAX / 2 },
		{ "token:BBBBBBBB", AS(TOKEN_B), EXPORTS_MAX / 4 },
	};
	int fds[EXPORTS_MAX];
	unsigned n = 0;
	struct reply a;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_link(rows[i].owner, clock_unix_ms() / 1000 + 60, "rows 300000 100");
		for (unsigned k = 0; k < rows[i].share; k++) {
			fds[n] = rig_connect(r);
			ask(fds[n++], link_path, rows[i].headers);
		}
		rig_until(r, &r->auth->admits, (int)n);
		rig_pump(r, 50);
		ask(fd, link_path, rows[i].headers);
		a = rig_read(fd);
		assert_int_equal(a.status, 503);
		assert_holds(a.body, "\"code\":\"busy\"");
		assert_string_equal(rig_header(&a, "Retry-After"), "5");
	}
	while (n > 0)
		close(fds[--n]);
}

/* Of the workers of one connection a principal that reads slowly has its share, too: another one's export is sent. */
static void
test_shares_of_a_pool(void **state)
{
	int fds[3];
	struct reply a;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		rig_worker(r, IPC_SQL, "warehouse");
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "rows 300000 100");
	for (unsigned i = 0; i < 3; i++) {
		fds[i] = rig_connect(r);
		ask(fds[i], link_path, AS(TOKEN_A));
	}
	(void)auth_entry(r, 2);
	rig_pump(r, 100);
	assert_int_equal(r->auth->audits, 2); /* the third waits */
	make_link("token:BBBBBBBB", clock_unix_ms() / 1000 + 60, "rows 250 3");
	ask(fd, link_path, AS(TOKEN_B));
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\r\n249,xxx\r\n");
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
}

/* Off until it is configured: no result has a link, and none opens. */
static void
test_off(void **state)
{
	struct reply a;

	(void)state;
	a = rig_post(fd, SQL(TOKEN_A), CALL_SQL("one"));
	assert_int_equal(a.status, 200);
	assert_lacks(a.body, "export");
	make_link("token:aaaaaaaa", clock_unix_ms() / 1000 + 60, "one");
	ask(fd, link_path, AS(TOKEN_A));
	assert_int_equal(rig_read(fd).status, 404);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_parquet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_on_record_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unwritable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_owners, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_slow_reader, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut_by_the_worker, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut_before_it_is_on_record, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut_by_the_end_of_the_token, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shares, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shares_of_a_pool, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_off, set_up_without, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
