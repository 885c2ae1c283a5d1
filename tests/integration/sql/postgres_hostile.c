/*
 * postgres_hostile.c - carrel-sql-postgres and a server that turns on it: a
 * proxy in front of the real one passes everything until it sees a certain
 * statement, then says what no server says, without end.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/sql/postgres_worker.h"
#include "tests/integration/sql/sql_harness.h"

#define TRIGGER	"SELECT 'boom'"

struct attack {
	const char	*name;
	struct span	 once, again;	/* said first; then for ever */
};

#define BYTES(literal)	{ (const uint8_t *)(literal), sizeof(literal) - 1 }

/* The query was parsed and begun: one int4 column "x". */
#define GREETING	"1\0\0\0\4" "2\0\0\0\4"
#define COLUMNS	"T\0\0\0\32\0\1x\0\0\0\0\0\0\0\0\0\0\27\0\4\377\377\377\377\0\0"

static const struct attack attacks[] = {
	{ "an error of 2 GB", BYTES("E\177\377\377\377SERROR\0M"), BYTES("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") },
	{ "notices without end", BYTES(""), BYTES("N\0\0\0\23SNOTICE\0Mhello\0\0") },
	{ "a negative length", BYTES("T\377\377\377\377"), BYTES("\0\0\0\0") },
	{ "a negative number of fields", BYTES(GREETING COLUMNS "D\0\0\0\6\377\377"), BYTES("D\0\0\0\6\377\377") },
	{ "a field longer than its row", BYTES(GREETING COLUMNS "D\0\0\0\13\0\1\0\0\377\377x"), BYTES("x") },
	{ "a row of 2 GB", BYTES(GREETING COLUMNS "D\177\377\377\377\0\1\177\377\377\0"), BYTES("xxxxxxxxxxxxxxxx") },
	{ "rows without end", BYTES(GREETING COLUMNS), BYTES("D\0\0\0\13\0\1\0\0\0\1" "7") },
	{ "COPY instead of rows", BYTES(GREETING "H\0\0\0\11\0\0\1\0\0"), BYTES("d\0\0\0\6x\n") },
	{ "nonsense", BYTES("\0\1\2\3"), BYTES("\377\376\375") },
	{ "ready at once, for ever", BYTES(""), BYTES("Z\0\0\0\5I") },
};

/* Fill the socket with what the attack repeats until the worker is gone. */
static void
turn_on(int client, const struct attack *a)
{
	static uint8_t many[1 << 20];
	size_t n = 0;

	while (n + a->again.len <= sizeof(many)) {
		memcpy(many + n, a->again.p, a->again.len);
		n += a->again.len;
	}
	(void)send(client, a->once.p, a->once.len, MSG_NOSIGNAL);
	while (send(client, many, n, MSG_NOSIGNAL) == (ssize_t)n)
		;
}

static int
loopback(unsigned port, struct sockaddr_in *at)
{
	memset(at, 0, sizeof(*at));
	at->sin_family = AF_INET;
	at->sin_port = htons((uint16_t)port);
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return socket(AF_INET, SOCK_STREAM, 0);
}

static void
pass_until_triggered(int client, int server, const struct attack *a)
{
	struct pollfd p[2] = { { client, POLLIN, 0 }, { server, POLLIN, 0 } };
	char bytes[65536];
	ssize_t n;

	for (;;) {
		if (poll(p, 2, 60000) <= 0)
			return;
		for (int i = 0; i < 2; i++) {
			if (p[i].revents == 0)
				continue;
			if ((n = read(p[i].fd, bytes, sizeof(bytes))) <= 0)
				return;
			if (i == 0 && memmem(bytes, (size_t)n, TRIGGER, strlen(TRIGGER)) != NULL) {
				turn_on(client, a);
				return;
			}
			if (write(p[1 - i].fd, bytes, (size_t)n) != n)
				return;
		}
	}
}

/* The port of a proxy that serves one client, in a process of its own. */
static unsigned
start_proxy(const struct attack *a, pid_t *pid)
{
	unsigned real = server_port();
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	int listener = loopback(0, &at);

	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	if ((*pid = fork()) == 0) {
		struct sockaddr_in server_at;
		int server = loopback(real, &server_at), client;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		client = accept(listener, NULL, NULL);
		if (client == -1 || connect(server, (struct sockaddr *)&server_at, sizeof(server_at)) == -1)
			_exit(1);
		pass_until_triggered(client, server, a);
		_exit(0);
	}
	close(listener);
	return ntohs(at.sin_port);
}

static void
a_hostile_server_costs_one_worker(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		const struct driver_answer *a;
		struct driver *d;
		char url[128];
		pid_t proxy;
		int code;

		snprintf(url, sizeof(url), "postgres://reader:secret@127.0.0.1:%u/postgres?sslmode=disable",
		    start_proxy(&attacks[i], &proxy));
		d = sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = url, .timeout_ms = 500,
		    .memory_max = (uint64_t)256 << 20 });
		sql_expect(d, "SELECT 1", "[[1]]");
		a = sql_run(d, TRIGGER, 10);
		code = driver_exit_code(d);
		if (a->kind != DRIVER_FAIL || (code != EXIT_CONNECTION && code != EXIT_RECYCLE))
			print_error("%s: answer %d, exit %d %.300s\n%s\n", attacks[i].name, (int)a->kind, code,
			    a->kind == DRIVER_RESULT ? a->result : "", driver_log(d));
		assert_int_equal(a->kind, DRIVER_FAIL);
		assert_true(code == EXIT_CONNECTION || code == EXIT_RECYCLE);
		driver_free(d);
		kill(proxy, SIGKILL);
		assert_int_equal(waitpid(proxy, NULL, 0), proxy);
	}
}

int
postgres_run_hostile_tests(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(a_hostile_server_costs_one_worker) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
