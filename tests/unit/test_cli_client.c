// libs: carrel_cli
/* test_cli_client - the conversation with the daemon, against a scripted one. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "cli/daemon/client.h"

struct fake {
	struct client	client;
	int		asked;		/* read end of a pipe with what the fake was sent */
	pid_t		pid;
};

/* In place of an answer: the line is not read. */
static const char unread[] = "unread";

/*
 * A daemon that answers its n-th line with answers[n], byte for byte (in
 * pieces of `piece` bytes), passes what it got on, and closes after the last.
 */
static void
play(int fd, int copy, const char *const *answers, size_t piece)
{
	char got[65536];

	for (; *answers != NULL && *answers != unread; answers++) {
		size_t len = 0, left = strlen(*answers);
		const char *p = *answers;

		while (len == 0 || got[len - 1] != '\n') {
			ssize_t n = read(fd, got + len, sizeof(got) - len);

			if (n <= 0)
				_exit(0);
			len += (size_t)n;
		}
		if (write(copy, got, len) != (ssize_t)len)
			_exit(1);
		while (left > 0) {
			size_t n = left < piece ? left : piece;

			if (write(fd, p, n) != (ssize_t)n)
				_exit(1);
			p += n;
			left -= n;
		}
	}
	if (*answers == unread)
		poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, -1);
	_exit(0);
}

static void
begin(struct fake *f, const char *const *answers, size_t piece)
{
	int pair[2], copy[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(pipe(copy), 0);
	f->pid = fork();
	assert_true(f->pid >= 0);
	if (f->pid == 0) {
		close(pair[0]);
		close(copy[0]);
		play(pair[1], copy[1], answers, piece);
	}
	close(pair[1]);
	close(copy[1]);
	client_init(&f->client, pair[0]);
	f->asked = copy[0];
}

/* What the fake was sent, as one text. */
static void
end(struct fake *f, struct buf *asked)
{
	ssize_t n;

	client_close(&f->client);
	assert_int_equal(waitpid(f->pid, NULL, 0), f->pid);
	while ((n = read(f->asked, buf_reserve(asked, 4096), 4096)) > 0)
		asked->len += (size_t)n;
	close(f->asked);
}

static struct span
empty_map(struct buf *mp)
{
	mp_put_map(mp, 0);
	return buf_view(mp);
}

/* The same behind the control socket of a project; one conversation after another, answers[0] to [n - 1]. */
static pid_t
listen_as_daemon(const char *dir, const char *const *const *answers, size_t n, int copy)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/.carrel/control.sock", dir);
	assert_int_equal(bind(fd, (const struct sockaddr *)&sun, sizeof(sun)), 0);
	assert_int_equal(listen(fd, 9), 0);
	if ((pid = fork()) == 0) {
		for (size_t i = 0; i < n; i++) {
			int one = accept(fd, NULL, NULL);
			pid_t child = fork();

			if (child == 0)
				play(one, copy, answers[i], 1000);
			close(one);
			waitpid(child, NULL, 0);
		}
		_exit(0);
	}
	close(fd);
	return pid;
}

/* When the front is replaced between two calls, the next one goes to its successor, with a hello of its own. */
static void
check_moves(const char *last)
{
	static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
	static const char *const refused[] = { NULL };
	static const char *const second[] = { hello,
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"structuredContent\":{\"n\":7}}}\n", NULL };
	static const char *const *const answers[] = { refused, second };
	const char *const first[] = { hello, last, NULL };
	char dir[] = "/tmp/carrel-client-XXXXXX", path[64];
	struct buf asked = { 0 }, mp = { 0 };
	struct view result;
	siginfo_t info;
	struct fake f;
	struct err err;
	int copy[2];
	pid_t pid;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/.carrel", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(pipe(copy), 0);
	pid = listen_as_daemon(dir, answers, 2, copy[1]);
	close(copy[1]);
	begin(&f, first, 1000);
	assert_int_equal(client_hello(&f.client, CLIENT_CLI, NULL, &err), 0);
	f.client.project = dir;
	if (last == NULL)
		assert_int_equal(waitid(P_PID, (id_t)f.pid, &info, WEXITED | WNOWAIT), 0);
	if (client_tool(&f.client, "wiki_read", empty_map(&mp), NULL, NULL, &result, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(view_uint(view_get(result, "n"), 0), 7);
	end(&f, &asked);
	buf_reset(&asked, SIZE_MAX);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	asked.len += (size_t)read(copy[0], buf_reserve(&asked, 4096), 4096);
	assert_non_null(strstr(buf_cstr(&asked), "carrel/hello"));
	assert_non_null(strstr(buf_cstr(&asked), "wiki_read"));
	close(copy[0]);
	snprintf(path, sizeof(path), "rm -rf %s", dir);
	assert_int_equal(system(path), 0);
	buf_fini(&asked);
	buf_fini(&mp);
}

static void
moves_to_the_successor(void **state)
{
	(void)state;
	check_moves(NULL);
	check_moves(unread);
}

static void
hello_names_who_speaks(void **state)
{
	static const char *const answers[] = { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", NULL };
	struct buf asked = { 0 };
	struct fake f;
	struct err err;

	(void)state;
	begin(&f, answers, 1000);
	assert_int_equal(client_hello(&f.client, CLIENT_STDIO, "s3cret", &err), 0);
	end(&f, &asked);
	assert_string_equal(buf_cstr(&asked),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"carrel/hello\","
	    "\"params\":{\"client\":\"stdio\",\"token\":\"s3cret\"}}\n");
	buf_fini(&asked);
}

/* A request that did not reach the daemon may be sent to the next one; one that was not answered may not. */
static void
knows_what_was_not_sent(void **state)
{
	static const char *const hello[] = { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", NULL };
	static const char *const silent[] = { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", "", NULL };
	struct buf asked = { 0 }, mp = { 0 };
	struct view result;
	struct fake f;
	struct err err;
	siginfo_t info;

	(void)state;
	begin(&f, hello, 1000);
	assert_int_equal(client_hello(&f.client, CLIENT_CLI, NULL, &err), 0);
	assert_int_equal(waitid(P_PID, (id_t)f.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(client_tool(&f.client, "wiki_read", empty_map(&mp), NULL, NULL, &result, &err), -1);
	assert_true(f.client.unsent);
	end(&f, &asked);
	begin(&f, silent, 1000);
	assert_int_equal(client_hello(&f.client, CLIENT_CLI, NULL, &err), 0);
	buf_reset(&mp, SIZE_MAX);
	assert_int_equal(client_tool(&f.client, "wiki_read", empty_map(&mp), NULL, NULL, &result, &err), -1);
	assert_false(f.client.unsent);
	end(&f, &asked);
	buf_fini(&asked);
	buf_fini(&mp);
}

static void
remember(void *arg, double fraction, const char *message)
{
	buf_printf(arg, "%.2f %s;", fraction, message);
}

static void
progress_comes_before_the_answer(void **state)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,"
		"\"progress\":0.3,\"message\":\"Executing\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,"
		"\"progress\":50,\"total\":100,\"message\":\"Half\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"structuredContent\":{\"rows\":[[1.50]]}}}\n",
		NULL };
	struct buf seen = { 0 }, args = { 0 }, asked = { 0 }, request = { 0 };
	struct view result;
	struct mp_value v;
	struct fake f;
	struct err err;
	size_t at;

	(void)state;
	/* Three bytes at a time: lines come together from pieces. */
	begin(&f, answers, 3);
	assert_int_equal(client_tool(&f.client, "sql_execution", empty_map(&args), remember, &seen, &result, &err), 0);
	assert_true(span_is_str(result.raw, "{\"rows\":[[1.50]]}"));
	assert_string_equal(buf_cstr(&seen), "0.30 Executing;0.50 Half;");
	end(&f, &asked);
	/* What was sent is strict JSON of the stateless revision. */
	assert_int_equal(json_read(span_of(asked.p, asked.len - 1), &request, &at), JSON_OK);
	assert_true(mp_value(buf_view(&request), &v));
	assert_true(mp_get(&v, "params", &v) && span_is_str(mp_get_str(&v, "name", SPAN("")), "sql_execution"));
	assert_true(mp_get(&v, "_meta", &v));
	assert_true(span_is_str(mp_get_str(&v, "io.modelcontextprotocol/protocolVersion", SPAN("")), "2026-07-28"));
	assert_int_equal(mp_get_uint(&v, "progressToken", 0), 1);
	buf_fini(&seen);
	buf_fini(&args);
	buf_fini(&asked);
	buf_fini(&request);
}

static void
failed_tools_bring_their_code(void **state)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\","
		"\"text\":\"no page \\\"x\\\"; try "
		"\\\"y\\\"\"}],\"structuredContent\":{\"error\":{\"code\":\"page_not_found\","
		"\"message\":\"no page\"}}}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}}\n",
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"not JSON\"}}\n", NULL
	};
	struct buf args = { 0 }, asked = { 0 };
	struct span map = empty_map(&args);
	struct view result;
	struct fake f;
	struct err err;

	(void)state;
	begin(&f, answers, 1000);
	assert_int_equal(client_tool(&f.client, "wiki_read", map, NULL, NULL, &result, &err), -1);
	assert_int_equal(err.code, ERR_PAGE_NOT_FOUND);
	assert_string_equal(err.message, "no page \"x\"; try \"y\"");
	assert_int_equal(client_tool(&f.client, "nothing", map, NULL, NULL, &result, &err), -1);
	assert_string_equal(err.message, "unknown tool");
	assert_int_equal(client_tool(&f.client, "nothing", map, NULL, NULL, &result, &err), -1);
	assert_string_equal(err.message, "not JSON");
	end(&f, &asked);
	buf_fini(&args);
	buf_fini(&asked);
}

static void
a_daemon_that_goes_is_said(void **state)
{
	static const char *const silent[] = { "", NULL };
	static const char *const rude[] = { "HTTP/1.1 400 Bad Request\n", NULL };
	struct buf args = { 0 }, asked = { 0 };
	struct span map = empty_map(&args);
	struct view result;
	struct fake f;
	struct err err;

	(void)state;
	begin(&f, silent, 1);
	assert_int_equal(client_call(&f.client, "carrel/status", map, NULL, NULL, &result, &err), -1);
	assert_non_null(strstr(err.message, "closed the conversation"));
	end(&f, &asked);
	begin(&f, rude, 1000);
	assert_int_equal(client_call(&f.client, "carrel/status", map, NULL, NULL, &result, &err), -1);
	assert_non_null(strstr(err.message, "no JSON-RPC"));
	end(&f, &asked);
	buf_fini(&args);
	buf_fini(&asked);
}

static void
answers_may_be_large(void **state)
{
	struct buf answer = { 0 }, args = { 0 }, asked = { 0 };
	const char *answers[] = { NULL, NULL };
	struct view result;
	struct fake f;
	struct err err;

	(void)state;
	buf_str(&answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":{\"rows\":[");
	for (unsigned i = 0; i < 100000; i++)
		buf_printf(&answer, "%s[%u,\"row \\\"%u\\\"\"]", i > 0 ? "," : "", i, i);
	buf_str(&answer, "]}}}\n");
	answers[0] = buf_cstr(&answer);
	begin(&f, answers, 65536);
	assert_int_equal(client_tool(&f.client, "sql_execution", empty_map(&args), NULL, NULL, &result, &err), 0);
	assert_int_equal(view_count(view_get(result, "rows")), 100000);
	end(&f, &asked);
	buf_fini(&answer);
	buf_fini(&args);
	buf_fini(&asked);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_names_who_speaks),
		cmocka_unit_test(knows_what_was_not_sent),
		cmocka_unit_test(moves_to_the_successor),
		cmocka_unit_test(progress_comes_before_the_answer),
		cmocka_unit_test(failed_tools_bring_their_code),
		cmocka_unit_test(a_daemon_that_goes_is_said),
		cmocka_unit_test(answers_may_be_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
