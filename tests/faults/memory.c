/*
 * memory.c - SIGKILL to the memory worker, to carrel-git, to the front, to the
 * search worker and to the daemon at random moments, while agents of two
 * principals ingest, others search and somebody edits.
 *
 *	memory CARRELD PROJECT_DIR KILLS [SEED] >RUNS
 *
 * Afterwards every run that was accepted has ended and says the truth: what it
 * says it kept stands there once, what failed stands nowhere, no edit is gone;
 * and every measure that was said is kept, whoever else was busy or killed.
 * Prints "done ID COMMIT" or "error ID -" for each; memory.sh holds the
 * repository against that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
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
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/faults/daemon.h"

#define AGENTS		4
#define RUNS_MAX	20000
#define ANSWER_MAX	(1 << 20)
#define WHOLE		40	/* of so many kills one is the daemon's */

struct kept {
	char	id[64];
	unsigned serial;	/* of its text */
};

/* What everybody writes about. */
static const char *const subjects[] = { "apples", "bears", "cedars", "drums", "eagles" };
#define SUBJECTS	(sizeof(subjects) / sizeof(subjects[0]))

static const char *carreld, *project;
static _Atomic unsigned port;
static _Atomic bool stop, resting;
static _Atomic unsigned serial, edits, searches;
static struct kept runs[RUNS_MAX];
static _Atomic unsigned nruns;

/* --- the daemon --------------------------------------------------------------------- */

/* A child of the daemon by its name; 0: none now. */
static pid_t
child(const char *name)
{
	struct child list[CHILDREN_MAX];
	size_t n = daemon_children(list);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].pid;
	return 0;
}

/* --- calls ------------------------------------------------------------------------------ */

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval wait = { .tv_sec = 40 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1) {
		close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

/* Who asks: whoever is on this machine, or the owner at the command line. */
enum who { LOCAL, OWNER };

/* One tool call on a connection of its own.  False: no answer. */
static bool
call_over_http(const char *tool, const char *arguments, char *in)
{
	static const char meta[] = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
				   "\"io.modelcontextprotocol/clientCapabilities\":{}}";
	char body[2048], request[4096];
	size_t len = 0;
	int n, b, fd = dial();
	bool whole = false;

	if (fd == -1)
		return false;
	b = snprintf(body, sizeof(body),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
	    "\"arguments\":%s,%s}}",
	    tool, arguments, meta);
	n = snprintf(request, sizeof(request),
	    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
	    "tools/call\r\n"
	    "Mcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s",
	    port, tool, b, body);
	if (send(fd, request, (size_t)n, MSG_NOSIGNAL) == n)
		while (!whole) {
			ssize_t got = recv(fd, in + len, ANSWER_MAX - 1 - len, 0);

			if (got <= 0)
				break;
			len += (size_t)got;
			in[len] = '\0';
			whole = answer_length(in) != 0;
		}
	close(fd);
	return whole;
}

static bool
call(const char *tool, const char *arguments, char *in)
{
	return call_over_http(tool, arguments, in);
}

/* The same over control.sock. */
static bool
call_over_socket(const char *tool, const char *arguments, char *in)
{
	static const char hello[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"carrel/hello\",\"params\":{\"client\":\"cli\"}}\n";
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval wait = { .tv_sec = 40 };
	char line[4096], dir[4200];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), place, n;
	size_t len = 0;
	ssize_t got = 1;
	bool whole = false;

	/* The path may be longer than an address. */
	snprintf(dir, sizeof(dir), "%s/.carrel", project);
	place = open(dir, O_PATH | O_CLOEXEC);
	snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d/control.sock", place);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	n = snprintf(line, sizeof(line),
	    "%s{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s,"
	    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
	    "clientCapabilities\":{}}}}\n",
	    hello, tool, arguments);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && send(fd, line, (size_t)n, MSG_NOSIGNAL) == n)
		while (!whole && len < ANSWER_MAX - 1 && (got = recv(fd, in + len, ANSWER_MAX - 1 - len, 0)) > 0) {
			const char *second;

			len += (size_t)got;
			in[len] = '\0';
			second = strchr(in, '\n');
			whole = second != NULL && strchr(second + 1, '\n') != NULL;
		}
	close(place);
	close(fd);
	return whole;
}

static bool
call_as(enum who who, const char *tool, const char *arguments, char *in)
{
	return who == OWNER ? call_over_socket(tool, arguments, in) : call_over_http(tool, arguments, in);
}

/* The text of a member of the structured result; false: there is none. */
static bool
member(const char *in, const char *key, char *out, size_t cap)
{
	const char *at = strstr(in, "\"structuredContent\"");
	char name[64];
	size_t n;

	snprintf(name, sizeof(name), "\"%s\":\"", key);
	if (at == NULL || (at = strstr(at, name)) == NULL)
		return false;
	at += strlen(name);
	n = strcspn(at, "\"");
	snprintf(out, cap, "%.*s", (int)n, at);
	return true;
}

#define WORD_MAX	12

/* A number as a word: a number in a measure's name would be a selection that its formula lacks. */
static void
word_of(unsigned n, char out[WORD_MAX])
{
	char digits[WORD_MAX];
	int len = snprintf(digits, sizeof(digits), "%u", n);

	out[0] = 'x';
	for (int i = 0; i < len; i++)
		out[1 + i] = "bcdfghjklm"[digits[i] - '0'];
	out[1 + len] = '\0';
}

static void *
agent(void *arg)
{
	const enum who who = *(const enum who *)arg;
	char *in = malloc(ANSWER_MAX), arguments[512], id[64];

	while (!stop) {
		unsigned n;

		if (resting) {
			pause_us(1000);
			continue;
		}
		n = ++serial;
		if (n % 4 == 0) {
			char word[WORD_MAX];

			word_of(n, word);
			snprintf(arguments, sizeof(arguments),
			    "{\"content\":\"# Rate %s\\n\\nRate %s is defined as `sum(refunds.amount_ct) / %u.0`."
			    "\",\"connectionId\":\"warehouse\"}",
			    word, word, n);
		} else
			snprintf(arguments, sizeof(arguments),
			    "{\"content\":\"# About %s\\n\\nRemember: Statement n%u of the storm.\"}",
			    subjects[n % SUBJECTS], n);
		if (call_as(who, "memory_ingest", arguments, in) && member(in, "runId", id, sizeof(id)) &&
		    nruns < RUNS_MAX) {
			unsigned i = nruns++;

			snprintf(runs[i].id, sizeof(runs[i].id), "%s", id);
			runs[i].serial = n;
		}
		/* An answer that did not come, or said busy: the text stands there once or not at all. */
		pause_us(20000);
	}
	free(in);
	return NULL;
}

static void *
searcher(void *arg)
{
	char *in = malloc(ANSWER_MAX);

	(void)arg;
	while (!stop) {
		searches += call("wiki_search", "{\"query\":\"statement storm\"}", in);
		pause_us(10000);
	}
	free(in);
	return NULL;
}

static void *
editor(void *arg)
{
	char path[4200], line[64];
	int fd, n;

	(void)arg;
	while (!stop) {
		pause_us(15000);
		snprintf(path, sizeof(path), "%s/wiki/global/about-%s.md", project, subjects[edits % SUBJECTS]);
		if ((fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)) < 0)
			continue;
		n = snprintf(line, sizeof(line), "Edited by hand, number %u of many.\n", edits);
		if (write(fd, line, (size_t)n) == n)
			edits++;
		close(fd);
	}
	return NULL;
}

/* --- the truth ------------------------------------------------------------------------------ */

/* Every page, one after the other. */
static void
read_pages(struct buf *out)
{
	char dir[4200], path[8600];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/wiki/global", project);
	if ((d = opendir(dir)) == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		FILE *f;
		size_t n;

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (strstr(e->d_name, ".md") == NULL || (f = fopen(path, "r")) == NULL)
			continue;
		while ((n = fread(buf_reserve(out, 65536), 1, 65536, f)) > 0)
			out->len += n;
		fclose(f);
	}
	closedir(d);
}

/* How often before, the number, after stands in text. */
static unsigned
count(const char *text, const char *before, unsigned n, const char *after)
{
	char what[96];
	unsigned hits = 0;

	snprintf(what, sizeof(what), "%s%u%s", before, n, after);
	for (; (text = strstr(text, what)) != NULL; text++)
		hits++;
	return hits;
}

/* How often before, the run's word, after stands in text. */
static unsigned
count_word(const char *text, const char *before, unsigned of, const char *after)
{
	char word[WORD_MAX], what[96];
	unsigned hits = 0;

	word_of(of, word);
	snprintf(what, sizeof(what), "%s%s%s", before, word, after);
	for (; (text = strstr(text, what)) != NULL; text++)
		hits++;
	return hits;
}

/* A run's status once it has ended; false: it does not end. */
static bool
await(const struct kept *k, char *in)
{
	char arguments[128], status[32];

	snprintf(arguments, sizeof(arguments), "{\"runId\":\"%s\"}", k->id);
	for (unsigned i = 0; i < 3000; i++) {
		if (call("memory_ingest_status", arguments, in) && member(in, "status", status, sizeof(status)) &&
		    strcmp(status, "running") != 0)
			return true;
		pause_us(20000);
	}
	fprintf(stderr, "memory: run %s does not end: %s\n", k->id, in);
	return false;
}

static int
judge(void)
{
	struct buf pages = { 0 }, source = { 0 };
	char *in = malloc(ANSWER_MAX), path[4200];
	unsigned wrong = 0, done = 0, failed = 0, stands;
	FILE *f;

	for (unsigned i = 0; i < nruns; i++)
		if (!await(&runs[i], in))
			return 1;
	read_pages(&pages);
	snprintf(path, sizeof(path), "%s/semantic-layer/warehouse/refunds.yaml", project);
	if ((f = fopen(path, "r")) != NULL) {
		source.len = fread(buf_reserve(&source, 8 << 20), 1, 8 << 20, f);
		fclose(f);
	}
	for (unsigned i = 0; i < nruns; i++) {
		char status[32] = "", commit[64] = "-", error[256] = "";
		bool measure, ok, said = runs[i].serial % 4 == 0;
		unsigned measured;

		if (!await(&runs[i], in) || !member(in, "status", status, sizeof(status)))
			return 1;
		(void)member(in, "commitHash", commit, sizeof(commit));
		(void)member(in, "error", error, sizeof(error));
		ok = strcmp(status, "done") == 0;
		measure = strstr(in, "\"sl\":[\"refunds\"]") != NULL;
		stands = said ? count_word(buf_cstr(&pages), "\nRate ", runs[i].serial, " is defined as") :
				count(buf_cstr(&pages), "Statement n", runs[i].serial, " of the storm.");
		measured = count_word(buf_cstr(&source), "  - name: rate_", runs[i].serial, "\n");
		/* The page's summary repeats what it says. */
		if (stands > 1 && !said)
			stands =
			    count(buf_cstr(&pages), "\n\nRemember: Statement n", runs[i].serial, " of the storm.\n");
		/* A formula that was accepted is a measure, whatever was killed meanwhile. */
		if (stands != ok || measured != (ok && measure) || (ok && measure != said)) {
			fprintf(stderr, "memory: run %s says %s (%s), its text stands there %u times, its measure %u\n",
			    runs[i].id, status, error, stands, measured);
			wrong++;
		}
		done += ok;
		failed += !ok;
		printf("%s %s %s\n", status, runs[i].id, ok ? commit : "-");
	}
	for (unsigned i = 0; i < edits; i++)
		if ((stands = count(buf_cstr(&pages), "Edited by hand, number ", i, " of many.\n")) != 1) {
			fprintf(stderr, "memory: edit %u stands there %u times\n", i, stands);
			wrong++;
		}
	fprintf(stderr, "runs done %u, failed %u, edits %u, searches %u, wrong %u\n", done, failed, edits, searches,
	    wrong);
	buf_fini(&pages);
	buf_fini(&source);
	free(in);
	return wrong > 0 || done == 0;
}

/* --- the storm -------------------------------------------------------------------------------- */

/* Until the memory worker answers: one that dies before it did is kept waiting longer each time. */
static void
await_memory(void)
{
	static char in[ANSWER_MAX];

	for (int i = 0; i < 500 &&
	     (!call("memory_ingest_status", "{\"runId\":\"none\"}", in) ||
		 strstr(in, "There is no memory run") == NULL);
	     i++)
		pause_us(2000);
}

static bool
kill_one(unsigned n, unsigned *seed)
{
	static const char *const names[] = { "carrel-memory", "carrel-git", "carrel-memory", "carrel-search",
		"carrel-front" };
	const char *name = names[(unsigned)rand_r(seed) % (sizeof(names) / sizeof(names[0]))];
	pid_t pid = 0;

	if (n % WHOLE == WHOLE - 1) {
		kill(daemon_pid, SIGKILL);
		waitpid(daemon_pid, NULL, 0);
		pause_us(20000);
		return (port = daemon_start(carreld, project)) != 0;
	}
	await_memory();
	for (int i = 0; i < 200 && (pid = child(name)) == 0; i++)
		pause_us(500);
	pause_us((unsigned)rand_r(seed) % 20000);
	if (pid != 0)
		kill(pid, SIGKILL);
	/* Several deaths in one run end it; most runs are to get through. */
	pause_us((unsigned)rand_r(seed) % 40000);
	return true;
}

int
main(int argc, char **argv)
{
	static const enum who principals[AGENTS] = { LOCAL, OWNER, LOCAL, OWNER };
	pthread_t threads[AGENTS + 2];
	unsigned kills, seed, n = 0;
	int failed = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: memory CARRELD PROJECT_DIR KILLS [SEED]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	carreld = argv[1];
	project = argv[2];
	kills = (unsigned)strtoul(argv[3], NULL, 10);
	seed = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 1;
	if ((port = daemon_start(carreld, project)) == 0)
		return 1;
	for (int i = 0; i < AGENTS; i++)
		pthread_create(&threads[i], NULL, agent, (void *)(uintptr_t)&principals[i]);
	pthread_create(&threads[AGENTS], NULL, searcher, NULL);
	pthread_create(&threads[AGENTS + 1], NULL, editor, NULL);
	pause_us(200000);
	for (; n < kills && !failed; n++) {
		failed = !kill_one(n, &seed);
		/* No faster than they get done, or the queue is full and nothing is tried. */
		resting = nruns > 40 * (n + 1) / 10 + 100;
	}
	stop = true;
	for (int i = 0; i < AGENTS + 2; i++)
		pthread_join(threads[i], NULL);
	failed |= judge();
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, NULL, 0);
	return failed;
}
