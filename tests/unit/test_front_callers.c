// libs: carrel_front_rig
/* test_front_callers.c - whose a connection and a request is, and how much of the front they may have. */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/front_rig.h"

#define NOBODY		65534u
#define FEW_FILES	600u	/* descriptors of a front that has few */
#define DISCOVER	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n"
#define PING		RPC("1", "server/discover", META)
#define STREAM		"GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"

/* --- somebody else on this machine ----------------------------------------------------------- */

static int
connect_plain(unsigned port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&in, sizeof(in)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Opens n connections as that user, says the text on each, and holds them until it is killed. */
static _Noreturn void
hold(unsigned port, uid_t uid, unsigned n, const char *text, int ready)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (setresuid(uid, uid, uid) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		_exit(1);
	for (unsigned i = 0; i < n; i++) {
		int fd = connect_plain(port);

		if (fd < 0)
			_exit(2);
		if (*text != '\0' && send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
			continue;
	}
	if (write(ready, "x", 1) != 1)
		_exit(3);
	for (;;)
		pause();
}

static pid_t
neighbour(unsigned port, uid_t uid, unsigned n, const char *text)
{
	struct pollfd p = { .events = POLLIN };
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	if ((pid = fork()) == 0)
		hold(port, uid, n, text, ready[1]);
	close(ready[1]);
	p.fd = ready[0];
	assert_int_equal(poll(&p, 1, RIG_PATIENCE_MS), 1);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void
leave(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
assert_owner_is_served(struct rig *r)
{
	for (int i = 0; i < 3; i++) {
		int fd = rig_connect(r);
		struct reply a = rig_post(fd, DISCOVER, PING);

		assert_int_equal(a.status, 200);
		close(fd);
	}
}

static bool
is_root(void)
{
	if (getuid() == 0)
		return true;
	print_message("only root can be somebody else: not tried\n");
	return false;
}

/* Silent connections, begun heads, announced bodies: of one user, of many, of a front with few descriptors. */
static void
test_neighbours(void **state)
{
	static const char *const texts[] = { "", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{" };
	struct rig *r;
	pid_t pids[9];

	(void)state;
	if (!is_root())
		return;
	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		r = rig_start(&(struct rig_options){ .files = FEW_FILES });
		pids[0] = neighbour(r->port, NOBODY, 2 * FEW_FILES, texts[t]);
		assert_owner_is_served(r);
		for (unsigned i = 1; i < 9; i++)
			pids[i] = neighbour(r->port, NOBODY - i, 100, texts[t]);
		assert_owner_is_served(r);
		for (unsigned i = 0; i < 9; i++)
			leave(pids[i]);
		assert_owner_is_served(r);
		rig_stop(r);
	}
}

/* Clients take all descriptors but a few; workers and local clients that come then find one each. */
static void
test_few_descriptors(void **state)
{
	struct rig *r = rig_start(&(struct rig_options){ .files = 70 });
	int fds[100], locals[12];

	(void)state;
	fds[0] = rig_connect(r);
	assert_int_equal(rig_post(fds[0], DISCOVER, PING).status, 200);
	for (size_t i = 1; i < 100; i++)
		fds[i] = rig_connect(r);
	rig_sync(r);
	for (size_t i = 0; i < 12; i++) {
		rig_worker(r, IPC_SQL, "warehouse");
		rig_sync(r);
		locals[i] = rig_local(r);
		rig_sync(r);
	}
	assert_int_equal(rig_post(fds[0], DISCOVER, PING).status, 200);
	for (size_t i = 0; i < 100; i++)
		close(fds[i]);
	for (size_t i = 0; i < 12; i++)
		close(locals[i]);
	rig_stop(r);
}

/* Begun requests of others take their own share of memory, never the owner's. */
static void
test_memory(void **state)
{
	struct rig *r;
	pid_t pids[8];
	char *head;

	(void)state;
	if (!is_root())
		return;
	head = calloc(1, 16001);
	memset(head, 'x', 16000);
	memcpy(head, "GET /mcp HTTP/1.1\r\nX: ", 22);
	r = rig_start(&(struct rig_options){ .token = NULL });
	for (unsigned i = 0; i < 8; i++)
		pids[i] = neighbour(r->port, NOBODY - i, 1000, head);
	for (unsigned i = 0; i < 3; i++) {
		char *body = calloc(1, 300001), *text = calloc(1, 400000);
		int fd = rig_connect(r);
		struct reply a;

		/* In pieces, so that it is kept meanwhile. */
		memset(body, ' ', 300000);
		memcpy(body, PING, strlen(PING));
		snprintf(text, 400000,
		    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" DISCOVER
		    "Content-Length: 300000\r\n\r\n");
		rig_send(fd, text);
		rig_send_n(fd, body, 150000);
		rig_sync(r);
		rig_send_n(fd, body + 150000, 150000);
		a = rig_read(fd);
		assert_int_equal(a.status, 200);
		close(fd);
		free(body);
		free(text);
	}
	for (unsigned i = 0; i < 8; i++)
		leave(pids[i]);
	free(head);
	rig_stop(r);
}

/* --- proxies ------------------------------------------------------------------------------------ */

static int
open_stream(struct rig *r, const char *headers, int wanted)
{
	int fd = rig_connect(r);
	struct reply a;

	rig_send(fd, STREAM "Authorization: Bearer secret\r\n");
	rig_send(fd, headers);
	rig_send(fd, "\r\n");
	a = wanted == 200 ? rig_head(fd) : rig_read(fd);
	assert_int_equal(a.status, wanted);
	return fd;
}

/* Who comes through a proxy is counted for what the proxy saw; streams count while they last. */
static void
test_clients_of_proxies(void **state)
{
	struct rig *r =
	    rig_start(&(struct rig_options){ .token = "secret", .proxies = "[\"127.0.0.0/8\",\"10.0.0.0/8\"]" });
	int fds[64], fd;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		fds[i] = open_stream(r,
		    i % 2 == 0 ? "X-Forwarded-For: 203.0.113.9\r\n" :
				 "X-Forwarded-For: 198.51.100.1, 203.0.113.9:999\r\nX-Forwarded-For: 10.1.2.3\r\n",
		    200);
	close(open_stream(r, "X-Forwarded-For: 203.0.113.9\r\n", 429));
	close(open_stream(r, "X-Forwarded-For: 192.0.2.1, ::ffff:203.0.113.9, 10.9.9.9\r\n", 429));
	/* what the client itself wrote left of it says nothing */
	close(open_stream(r, "X-Forwarded-For: 203.0.113.9, 203.0.113.8\r\n", 200));
	close(open_stream(r, "X-Forwarded-For: 2001:db8::1\r\n", 200));
	close(fds[0]);
	rig_sync(r);
	fd = open_stream(r, "X-Forwarded-For: 203.0.113.9\r\n", 200);
	close(fd);
	for (unsigned i = 1; i < 64; i++)
		close(fds[i]);
	rig_stop(r);
}

/* A connection that a proxy keeps is nobody's between requests. */
static void
test_kept_connections(void **state)
{
	struct rig *r = rig_start(&(struct rig_options){ .token = "secret", .proxies = "[\"127.0.0.1/32\"]" });
	int fds[80];

	(void)state;
	for (unsigned i = 0; i < 80; i++) {
		struct reply a;

		fds[i] = rig_connect(r);
		a = rig_post(fds[i], "X-Forwarded-For: 203.0.113.9\r\nAuthorization: Bearer secret\r\n" DISCOVER, PING);
		assert_int_equal(a.status, 200);
	}
	for (unsigned i = 0; i < 80; i++)
		close(fds[i]);
	rig_stop(r);
}

/* The status of one request that comes from the local user uid, sent from the address that a proxy has. */
static int
status_as(struct rig *r, uid_t uid, const char *headers)
{
	int ends[2], status = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	if ((pid = fork()) == 0) {
		char text[512], answer[1024] = "";
		int fd;

		if (setresuid(uid, uid, uid) != 0 || (fd = connect_plain(r->port)) < 0)
			_exit(1);
		snprintf(text, sizeof(text),
		    "GET /mcp/sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n%s\r\n", headers);
		if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 || recv(fd, answer, sizeof(answer) - 1, 0) < 12)
			_exit(2);
		status = atoi(answer + 9);
		_exit(write(ends[1], &status, sizeof(status)) != sizeof(status));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &status, sizeof(status)), sizeof(status));
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return status;
}

#define WRONG	"X-Forwarded-For: 203.0.113.50\r\nAuthorization: Bearer wrong\r\n"

/* A proxy on this machine is its user, not the address that every account can connect from. */
static void
test_users_of_proxies(void **state)
{
	static const struct {
		uid_t uid;
		bool is_proxy;
	} rows[] = { { NOBODY, false }, { 33, true }, { 34, false }, { 0, true } };
	struct rig *r;

	(void)state;
	if (!is_root())
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r = rig_start(&(struct rig_options){ .token = "secret", .proxies = "[\"127.0.0.0/8\"]",
		    .proxy_uids = "[33]", .owner_uid = 4711 });
		for (unsigned n = 0; n < 5; n++)
			assert_int_equal(status_as(r, rows[i].uid, WRONG), 401);
		/* Its own account is blocked, or the address that a proxy told of. */
		assert_int_equal(status_as(r, rows[i].uid, "Authorization: Bearer wrong\r\n"),
		    rows[i].is_proxy ? 401 : 429);
		assert_int_equal(status_as(r, 33, WRONG), rows[i].is_proxy ? 429 : 401);
		rig_stop(r);
	}
}

/* --- health --------------------------------------------------------------------------------------- */

static void
assert_tells(struct rig *r, const char *headers, bool all)
{
	static const char *const paths[] = { "/health", "/health/ready" };

	for (size_t i = 0; i < 2; i++) {
		int fd = rig_connect(r);
		char text[1024];
		struct reply a;

		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", paths[i], headers);
		rig_send(fd, text);
		a = rig_read(fd);
		assert_true(a.status == 200 || a.status == 503);
		assert_true((strchr(a.body, ',') != NULL) == all);
		assert_true((strstr(a.body, i == 0 ? "/somewhere/shop" : "warehouse") != NULL) == all);
		close(fd);
	}
}

static void
test_health(void **state)
{
	struct rig *r = rig_start(&(struct rig_options){ .token = NULL });

	(void)state;
	rig_worker(r, IPC_SQL, "warehouse");
	assert_tells(r, "", true);
	assert_tells(r, "X-Forwarded-For: 203.0.113.9\r\n", true); /* from nobody's proxy it is nothing */
	rig_stop(r);
	r = rig_start(&(struct rig_options){ .owner_uid = (uint32_t)getuid() + 1 });
	rig_worker(r, IPC_SQL, "warehouse");
	assert_tells(r, "", false);
	rig_stop(r);
	r = rig_start(&(struct rig_options){ .proxies = "[\"::ffff:127.0.0.0/104\"]" });
	rig_worker(r, IPC_SQL, "warehouse");
	assert_tells(r, "X-Forwarded-For: 203.0.113.9\r\n", false);
	assert_tells(r, "X-Forwarded-For: 127.0.0.1\r\n", false);
	assert_tells(r, "X-Forwarded-For: unknown\r\n", false);
	assert_tells(r, "X-Forwarded-For:\r\n", false);
	/* A proxy that does not name its client is one all the same; the owner's own programs write none of these. */
	assert_tells(r, "X-Real-IP: 203.0.113.9\r\n", false);
	assert_tells(r, "x-forwarded-proto: https\r\n", false);
	assert_tells(r, "X-Forwarded-Host: carrel.example\r\n", false);
	assert_tells(r, "Via: 1.1 proxy\r\n", false);
	assert_tells(r, "Forwarded: for=127.0.0.1\r\n", false);
	assert_tells(r, "X-Forwarded: 1\r\n", true);
	rig_stop(r);
}

/* --- browsers -------------------------------------------------------------------------------------- */

/* What a page can make a browser send, as it sends it. */
static void
test_pages(void **state)
{
	static const struct {
		const char *request, *headers;
		int status;
	} rows[] = {
		{ "GET /mcp/sse",
		    "Accept: text/event-stream\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"
		    "Sec-Fetch-Dest: empty\r\nReferer: https://evil.example/\r\n",
		    403 },
		{ "GET /mcp/sse",
		    "Accept: image/avif,image/webp,*/*;q=0.8\r\nSec-Fetch-Site: same-site\r\n"
		    "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
		    403 },
		{ "GET /mcp", "Accept: text/event-stream\r\nSec-Fetch-Site: cross-site\r\n", 403 },
		{ "HEAD /health", "Sec-Fetch-Site: cross-site\r\n", 403 },
		{ "GET /health", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n", 403 },
		{ "DELETE /mcp", "Sec-Fetch-Site: cross-site\r\n", 403 },
		{ "OPTIONS /mcp", "Sec-Fetch-Site: cross-site\r\n", 403 },
		{ "POST /mcp", "Sec-Fetch-Site: cross-site\r\n", 403 },
		{ "POST /mcp/messages", "Sec-Fetch-Site: same-site\r\n", 403 },
		{ "GET /mcp/sse", "Accept: text/event-stream\r\nSec-Fetch-Site: Cross-Site\r\n", 403 },
		{ "GET /mcp/sse", "Accept: text/event-stream\r\nSec-Fetch-Site:\r\n", 403 },
		{ "GET /mcp/sse", "Accept: text/event-stream\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n",
		    400 },
		{ "GET /mcp/sse", "Accept: text/event-stream\r\nOrigin: null\r\nSec-Fetch-Site: none\r\n", 403 },
		{ "GET /mcp/sse",
		    "Accept: text/event-stream\r\nOrigin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n",
		    403 },
		/* a page that is allowed, the address bar, and who is no browser */
		{ "GET /mcp/sse",
		    "Accept: text/event-stream\r\nOrigin: https://good.example\r\nSec-Fetch-Site: cross-site\r\n",
		    200 },
		{ "GET /mcp/sse", "Accept: text/event-stream\r\nSec-Fetch-Site: same-origin\r\n", 200 },
		{ "GET /mcp/sse", "Accept: text/event-stream\r\nSec-Fetch-Site: none\r\n", 200 },
		{ "GET /mcp/sse", "Accept: */*\r\n", 200 },
		{ "GET /mcp/sse", "", 200 },
		{ "GET /mcp/sse", "Accept: application/json\r\n", 406 },
		{ "HEAD /health", "Sec-Fetch-Site: none\r\n", 200 },
		{ "OPTIONS /mcp", "Origin: https://good.example\r\nSec-Fetch-Site: cross-site\r\n", 204 },
	};
	struct rig *r = rig_start(&(struct rig_options){ .allowed_origin = "https://good.example" });

	(void)state;
	rig_worker(r, IPC_SQL, "warehouse");
	rig_worker(r, IPC_SQL, "other");
	rig_worker(r, IPC_SEARCH, "");
	rig_worker(r, IPC_MEMORY, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = rig_connect(r);
		char text[1024];
		struct reply a;

		snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n",
		    rows[i].request, rows[i].headers);
		rig_send(fd, text);
		a = rig_head(fd);
		if (a.status != rows[i].status)
			fail_msg("%s with %s: %d", rows[i].request, rows[i].headers, a.status);
		close(fd);
	}
	rig_stop(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_few_descriptors),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_clients_of_proxies),
		cmocka_unit_test(test_kept_connections),
		cmocka_unit_test(test_users_of_proxies),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
