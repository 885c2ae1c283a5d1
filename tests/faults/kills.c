/*
 * kills.c - SIGKILL to random processes under load: nothing is answered twice,
 * nothing is lost that a living front promised, nothing leaks.
 *
 *	kills CARRELD PROJECT_DIR CONNECTION KILLS [SEED [RECEIPTS]]
 *
 * Starts the daemon on the project (port 0), lets CLIENTS threads ask, each
 * request with a number of its own that must come back, and kills random
 * children meanwhile; every SUPERVISOR_EVERY-th time the supervisor, or all of
 * them at once, and starts the daemon anew.  An answer is the right one, or an in-band error of the
 * kinds a death may cause.  A connection may only end without an answer when
 * a front was killed since the request was sent.  The receipt of every answer
 * goes to the file RECEIPTS: kills.sh looks for their entries in the audit.  Afterwards everything must
 * answer again, with as many children and descriptors as before.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/faults/daemon.h"

#define CLIENTS		8
#define ANSWER_MAX	(1 << 20)

#define SUPERVISOR_EVERY	25
#define DYING			(UINT64_MAX / 2)

static _Atomic unsigned port;
static const char *connection_id;
static FILE *receipts;
static _Atomic bool stop;
static _Atomic uint64_t front_killed_ns;	/* when the last one was gone; DYING: one is not gone yet */
static _Atomic unsigned long serial, fronts_killed, good, errors_in_band, dropped, wrong;

/* --- the daemon and its children --------------------------------------------------- */

/* On a busy machine a killed process holds its connections until it is scheduled once more. */
static void
await_death(pid_t pid)
{
	char path[64], text[512], *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < 20000; i++) {
		FILE *f = fopen(path, "r");
		size_t n;

		if (f == NULL)
			return;
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
		text[n] = '\0';
		if ((state = strrchr(text, ')')) != NULL && state[1] != '\0' && state[2] == 'Z')
			return;
		pause_us(100);
	}
}

static size_t
descriptors(pid_t pid)
{
	char path[64];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if ((d = opendir(path)) == NULL)
		return 0;
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static unsigned long
resident_kb(pid_t pid)
{
	char path[64], line[256];
	unsigned long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "VmRSS: %lu", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

/* --- a client ------------------------------------------------------------------------- */

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval wait = { .tv_sec = 60 };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1) {
		close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

static size_t
build(char *out, size_t cap, unsigned long id, bool discover)
{
	static const char meta[] = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
				   "\"io.modelcontextprotocol/clientCapabilities\":{}}";
	char body[1024];
	const char *tool = discover ? "discover_data" : "sql_execution";
	int n, b;

	b = discover ?
	    snprintf(body, sizeof(body),
		"{\"jsonrpc\":\"2.0\",\"id\":%lu,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"discover_data\",\"arguments\":{\"query\":\"orders\",\"limit\":1},%s}}",
		id, meta) :
	    snprintf(body, sizeof(body),
		"{\"jsonrpc\":\"2.0\",\"id\":%lu,\"method\":\"tools/call\",\"params\":{"
		"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"%s\",\"sql\":\"SELECT %lu AS n\"},%s}}",
		id, connection_id, id, meta);
	n = snprintf(out, cap,
	    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
	    "Mcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s",
	    port, tool, b, body);
	return (size_t)n;
}

/* 1: a whole answer is in in; 0: the connection ended; -1: no answer within a minute. */
static int
answer(int fd, char *in, size_t *total)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = recv(fd, in + len, ANSWER_MAX - 1 - len, 0);

		if (n == -1 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return -1;
		if (n <= 0)
			return 0;
		len += (size_t)n;
		in[len] = '\0';
		if ((*total = answer_length(in)) == 0)
			continue;
		if (*total != len) {
			fprintf(stderr, "kills: more than one answer: %s\n", in);
			wrong++;
		}
		return 1;
	}
}

static void
note_receipt(const char *in)
{
	static const char member[] = "\"carrel/receipt\":\"";
	const char *at = strstr(in, member);

	if (receipts == NULL)
		return;
	if (at == NULL) {
		fprintf(stderr, "kills: an answer without a receipt: %.600s\n", in);
		wrong++;
	} else
		fprintf(receipts, "%.*s\n", (int)strcspn(at + sizeof(member) - 1, "\""), at + sizeof(member) - 1);
}

static void
judge(const char *in, unsigned long id, bool discover)
{
	char want[64];

	snprintf(want, sizeof(want), "\"id\":%lu,", id);
	if (strstr(in, want) == NULL) {
		snprintf(want, sizeof(want), "\"id\":%lu}", id);
		if (strstr(in, want) == NULL) {
			fprintf(stderr, "kills: the answer to %lu has another id: %.400s\n", id, in);
			wrong++;
			return;
		}
	}
	if (strstr(in, "\"worker_lost\"") != NULL || strstr(in, "\"database_unavailable\"") != NULL ||
	    strstr(in, "\"service_unavailable\"") != NULL) {
		errors_in_band++;
		return;
	}
	snprintf(want, sizeof(want), "[[%lu]]", id);
	if (strncmp(in, "HTTP/1.1 200", 12) != 0 || (!discover && strstr(in, want) == NULL) ||
	    (discover && strstr(in, "\"refs\"") == NULL)) {
		fprintf(stderr, "kills: a wrong answer to %lu: %.600s\n", id, in);
		wrong++;
		return;
	}
	good++;
}

static void *
client(void *arg)
{
	char request[2048], *in = malloc(ANSWER_MAX);
	int fd = -1;

	(void)arg;
	while (!stop) {
		unsigned long id = ++serial, before;
		uint64_t sent_ns;
		bool discover = id % 4 == 0;
		size_t len = build(request, sizeof(request), id, discover), total;
		int r;

		before = fronts_killed;
		sent_ns = clock_ns();
		if (fd == -1 && (fd = dial()) == -1) {
			pause_us(1000);
			continue;
		}
		if (send(fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
			r = 0;
		else
			r = answer(fd, in, &total);
		if (r == 1) {
			note_receipt(in);
			judge(in, id, discover);
			continue;
		}
		if (r == -1) {
			fprintf(stderr, "kills: request %lu hung\n", id);
			wrong++;
		} else if (fronts_killed == before) {
			/* A front that is being killed may accept for a moment, and the kill be counted a moment later.
			 */
			pause_us(200000);
			if (fronts_killed == before && sent_ns > front_killed_ns + 50 * CLOCK_MS) {
				fprintf(stderr, "kills: the connection of %lu ended and no front was killed\n", id);
				wrong++;
			}
		}
		dropped++;
		close(fd);
		fd = -1;
	}
	if (fd != -1)
		close(fd);
	free(in);
	return NULL;
}

/* Every kind of request answers well, within ten seconds. */
static bool
recovered(void)
{
	char request[2048], *in = malloc(ANSWER_MAX);
	unsigned long id, was;
	size_t total;
	bool ok = false;

	for (int tries = 0; tries < 100 && !ok; tries++) {
		ok = true;
		for (int k = 0; k < 8 && ok; k++) {
			int fd = dial();

			id = ++serial;
			was = good;
			ok = fd != -1 &&
			    send(fd, request, build(request, sizeof(request), id, k % 2 == 0), MSG_NOSIGNAL) > 0 &&
			    answer(fd, in, &total) == 1;
			if (ok) {
				judge(in, id, k % 2 == 0);
				ok = good > was;
			}
			if (fd != -1)
				close(fd);
		}
		if (!ok)
			pause_us(100000);
	}
	free(in);
	return ok;
}

static int
finish(void)
{
	int status;

	kill(daemon_pid, SIGTERM);
	for (int i = 0; i < 150; i++) {
		if (waitpid(daemon_pid, &status, WNOHANG) == daemon_pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		pause_us(100000);
	}
	kill(daemon_pid, SIGKILL);
	waitpid(daemon_pid, &status, 0);
	return -1;
}

/* The supervisor dies, with all its children or alone: then they end by themselves.  Then there is a new one. */
static bool
kill_supervisor(const char *carreld, const char *project, bool all)
{
	struct child list[CHILDREN_MAX];
	size_t n = daemon_children(list);

	front_killed_ns = DYING;
	fronts_killed++;
	kill(daemon_pid, SIGKILL);
	for (size_t i = 0; i < n && all; i++)
		kill(list[i].pid, SIGKILL);
	waitpid(daemon_pid, NULL, 0);
	for (size_t i = 0; i < n; i++)
		await_death(list[i].pid);
	port = daemon_start(carreld, project);
	front_killed_ns = clock_ns();
	return port != 0;
}

int
main(int argc, char **argv)
{
	struct child list[CHILDREN_MAX];
	pthread_t threads[CLIENTS];
	size_t before, fds_before, fds_after, after;
	unsigned long kb_before, kb_after, kills, done = 0;
	unsigned seed, alone = 0, supervisors = 0;
	int failed = 0, code;

	if (argc < 5) {
		fprintf(stderr, "usage: kills CARRELD PROJECT_DIR CONNECTION KILLS [SEED [RECEIPTS]]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	connection_id = argv[3];
	kills = strtoul(argv[4], NULL, 10);
	seed = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : (unsigned)time(NULL);
	receipts = argc > 6 ? fopen(argv[6], "we") : NULL;
	printf("seed %u\n", seed);
	if ((port = daemon_start(argv[1], argv[2])) == 0)
		return 1;
	if (!recovered())
		failed |= fprintf(stderr, "kills: no good answer before the first kill\n");
	before = daemon_children(list);
	fds_before = descriptors(daemon_pid);
	kb_before = resident_kb(daemon_pid);
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, NULL);
	while (done < kills && !failed) {
		size_t n = daemon_children(list), pick;

		/* The kernel's list may come up short while children end; it is not empty for long. */
		if (n == 0) {
			if (++alone > 5000)
				failed |= fprintf(stderr, "kills: the daemon has no children left\n");
			pause_us(1000);
			continue;
		}
		alone = 0;
		if (done >= (supervisors + 1) * SUPERVISOR_EVERY) {
			done++;
			if (!kill_supervisor(argv[1], argv[2], supervisors++ % 2 == 1))
				failed |= fprintf(stderr, "kills: the daemon did not start again\n");
			pause_us((unsigned)rand_r(&seed) % 400000);
			continue;
		}
		pick = (size_t)rand_r(&seed) % n;
		if (strstr(list[pick].name, "carrel-front") != NULL) {
			front_killed_ns = DYING;
			fronts_killed++;
		}
		if (strncmp(list[pick].name, "carrel-", 7) == 0 && kill(list[pick].pid, SIGKILL) == 0)
			done++;
		if (strstr(list[pick].name, "carrel-front") != NULL) {
			await_death(list[pick].pid);
			front_killed_ns = clock_ns();
		}
		pause_us((unsigned)rand_r(&seed) % 40000);
	}
	pause_us(200000);
	stop = true;
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	if (!recovered())
		failed |= fprintf(stderr, "kills: the service did not come back\n");
	/* Everything that was killed last may still be starting. */
	for (int i = 0; i < 50 && daemon_children(list) != before; i++)
		pause_us(100000);
	after = daemon_children(list);
	fds_after = descriptors(daemon_pid);
	kb_after = resident_kb(daemon_pid);
	code = finish();
	if (receipts != NULL && fclose(receipts) != 0)
		failed |= fprintf(stderr, "kills: not all receipts could be kept\n");
	printf("kills %lu (fronts %lu, supervisors %u), good %lu, in-band errors %lu, connections dropped %lu, wrong "
	       "%lu\n",
	    done, fronts_killed, supervisors, good, errors_in_band, dropped, wrong);
	printf("children %zu -> %zu, descriptors %zu -> %zu, resident %lu -> %lu kB, exit %d\n", before, after,
	    fds_before, fds_after, kb_before, kb_after, code);
	if (wrong > 0 || good == 0 || after != before || fds_after > fds_before + 2 || kb_after > kb_before + 8192 ||
	    code != 0)
		failed = 1;
	printf("%d passed, %d failed\n", failed ? 0 : 1, failed ? 1 : 0);
	return failed != 0;
}
