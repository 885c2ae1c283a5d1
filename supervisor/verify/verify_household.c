#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "supervisor/verify/verify.h"
#include "supervisor/verify/verify_household.h"
#include "supervisor/children.h"
#include "supervisor/household.h"
#include "supervisor/post.h"
#include "policy/profiles.h"

#define START_NS	(10 * CLOCK_SECOND)
#define ANSWER_NS	(5 * CLOCK_SECOND)
#define END_NS		(5 * CLOCK_SECOND)
#define MARK		"what stood in the log before\n"
#define LOG_SLACK	(64 << 10)	/* lines of the supervisor's own, and the last one let through */

struct house {
	struct supervisor	 sup;
	struct config		 cfg;
	struct config_connection connection;
	int			 client;	/* the one client's end: with it the front ends */
	int			 errors;	/* our stderr, while the log has its place; -1: untouched */
};

/* Run the event loop until done() is true; false: it was not within ns. */
static bool
run_until(struct supervisor *sup, bool (*done)(struct supervisor *sup, const void *arg), const void *arg, uint64_t ns)
{
	const uint64_t end = clock_ns() + ns;

	while (!done(sup, arg)) {
		if (clock_ns() > end)
			return false;
		event_base_loop(sup->base, EVLOOP_ONCE);
	}
	return true;
}

static int
open_log(struct house *h, const struct standins *s)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/.carrel", s->project);
	if ((mkdir(path, 0700) != 0 && errno != EEXIST) ||
	    (h->sup.state_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	h->errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	log_file_open(&h->sup.log, h->sup.state_fd, false);
	return h->sup.log.fd < 0 || write(h->sup.log.fd, MARK, strlen(MARK)) != (ssize_t)strlen(MARK) ? -1 : 0;
}

static int
open_house(struct house *h, const struct supervisor *own, const struct standins *s)
{
	struct supervisor *sup = &h->sup;
	int ends[2];

	h->cfg = *own->cfg;
	h->connection = standin_connection(s, drivers_at(DRIVER_FILE));
	h->cfg.project_dir = s->project;
	h->cfg.state = s->state; /* our keys are drawn: they must not meet the project's own store */
	h->cfg.state_url = NULL;
	h->cfg.nconnections = 1;
	h->cfg.connections = &h->connection;
	supervisor_init(sup);
	sup->cfg = &h->cfg;
	sup->base = event_base_new();
	sup->bin_dir = own->bin_dir;
	sup->project_dir = s->project;
	sup->launch = (struct launch){ .document_fd = -1, .status_fd = -1, .private_fd = -1, .port = -1 };
	randombytes_buf(sup->root_key, sizeof(sup->root_key));
	randombytes_buf(sup->local_root, sizeof(sup->local_root));
	sup->states = mem_new(1, sizeof(*sup->states));
	sup->sessions = ended_new(SUPERVISOR_SESSIONS_EACH, SUPERVISOR_SESSIONS);
	if (sup->base == NULL || open_log(h, s) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
		return -1;
	h->client = ends[0];
	sup->launch.private_fd = ends[1];
	supervisor_watch_clock(sup);
	return 0;
}

static bool
is_empty(struct supervisor *sup, const void *arg)
{
	(void)arg;
	return TAILQ_EMPTY(&sup->children);
}

static void
close_house(struct house *h)
{
	struct supervisor *sup = &h->sup;
	struct child *c;

	if (h->client >= 0)
		close(h->client);
	household_drain(sup);
	TAILQ_FOREACH(c, &sup->children, entry)
		child_kill(c, DEATH_BY_STOP);
	(void)run_until(sup, is_empty, NULL, END_NS);
	supervisor_fini(sup);
	if (sup->launch.private_fd >= 0)
		close(sup->launch.private_fd);
	if (sup->state_fd >= 0)
		close(sup->state_fd);
	if (h->errors >= 0) {
		dup2(h->errors, STDERR_FILENO);
		close(h->errors);
	}
}

static struct child *
child_of(struct supervisor *sup, enum ipc_role role)
{
	struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->role == role)
			return c;
	return NULL;
}

static bool
all_serve(struct supervisor *sup, const void *arg)
{
	bool all = sup->phase == PHASE_SERVING;

	(void)arg;
	for (unsigned i = 0; i < IPC_ROLES; i++) {
		const struct child *c = child_of(sup, ipc_roles[i].role);

		all = all && (!household_has(sup, &ipc_roles[i]) || (c != NULL && child_is_serving(c)));
	}
	return all;
}

static uint64_t
generation_of(struct supervisor *sup, const struct child *worker)
{
	const struct data_link *l;

	TAILQ_FOREACH(l, &sup->links, entry)
		if (l->worker == worker)
			return l->generation;
	return 0;
}

/* -1: the role has no process. */
static pid_t
pid_of(struct supervisor *sup, enum ipc_role role)
{
	const struct child *c = child_of(sup, role);

	return c == NULL ? -1 : c->process.pid;
}

struct before {
	enum ipc_role	role;		/* who speaks */
	pid_t		pids[IPC_ROLES];	/* -1: the role has none */
	uint64_t	answered;	/* by the speaker */
	off_t		log;		/* bytes */
};

static off_t
log_size(const struct supervisor *sup)
{
	struct stat st;

	return fstatat(sup->log.dir_fd, "mcp.log", &st, 0) == 0 ? st.st_size : -1;
}

static struct before
verify_household_remember(struct supervisor *sup, enum ipc_role role)
{
	struct child *speaker = child_of(sup, role);
	struct before b = { .role = role, .log = log_size(sup),
		.answered = atomic_load_explicit(&speaker->process.watch->answered, memory_order_relaxed) };

	for (unsigned i = 0; i < IPC_ROLES; i++)
		b.pids[i] = pid_of(sup, ipc_roles[i].role);
	return b;
}

/* The name of another process that has been replaced; NULL: none has. */
static const char *
other_lost(struct supervisor *sup, const struct before *b)
{
	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (ipc_roles[i].role != b->role && pid_of(sup, ipc_roles[i].role) != b->pids[i])
			return ipc_role_name(ipc_roles[i].role);
	return NULL;
}

/* The speaker ended, or somebody else did. */
static bool
somebody_ended(struct supervisor *sup, const void *arg)
{
	const struct before *b = arg;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (pid_of(sup, ipc_roles[i].role) != b->pids[i])
			return true;
	return false;
}

/* Whether the process has said everything, and answered a ping after that. */
static bool
has_spoken(struct supervisor *sup, const void *arg)
{
	const struct before *b = arg;
	const struct child *c = child_of(sup, b->role);

	return somebody_ended(sup, arg) ||
	    atomic_load_explicit(&c->process.watch->answered, memory_order_relaxed) > b->answered;
}

static bool
log_is_kept(const struct supervisor *sup)
{
	char text[sizeof(MARK)] = "";
	int fd = openat(sup->log.dir_fd, "mcp.log", O_RDONLY | O_CLOEXEC);
	bool kept = fd >= 0 && read(fd, text, strlen(MARK)) == (ssize_t)strlen(MARK) && strcmp(text, MARK) == 0;

	if (fd >= 0)
		close(fd);
	return kept;
}

/* Describes the outcome of h in outcome.  True: the expected one. */
static bool
verify_household_judge(struct supervisor *sup, const struct hostile *h, const struct before *b, char *outcome,
    size_t cap)
{
	const char *other;
	off_t grown;
	bool ended;

	if (h->end == HOSTILE_KEPT) {
		if (!run_until(sup, has_spoken, b, ANSWER_NS))
			return snprintf(outcome, cap, "no answer") < 0;
		grown = log_size(sup) - b->log;
		snprintf(outcome, cap, log_is_kept(sup) ? "log kept, %lld bytes more" : "the log was rotated away",
		    (long long)grown);
		return log_is_kept(sup) && grown <= (off_t)LOG_ROOM + LOG_SLACK && !somebody_ended(sup, b);
	}
	ended = run_until(sup, somebody_ended, b, ANSWER_NS);
	/* Whatever else it takes with it has the time to show. */
	if (ended && !run_until(sup, all_serve, NULL, ANSWER_NS))
		return snprintf(outcome, cap, "not all serve again") < 0;
	ended = ended && pid_of(sup, b->role) != b->pids[ipc_role_index(b->role)];
	other = other_lost(sup, b);
	if (ended && other != NULL)
		return snprintf(outcome, cap, "%s ended too", other) < 0;
	snprintf(outcome, cap, ended ? "ends alone" : "it goes on");
	return ended;
}

static bool
verify_household_say(struct supervisor *sup, const struct policy_profile *p, const struct hostile *h,
    enum ipc_role role)
{
	struct child *speaker = child_of(sup, role);
	struct before b = verify_household_remember(sup, role);
	char generation[24], outcome[128];
	struct ipc_probe msg = { .act = h->number };
	bool held;

	snprintf(generation, sizeof(generation), "%llu", (unsigned long long)generation_of(sup, speaker));
	if (h->number == HOSTILE_COMPLAINT)
		msg.path = span_str(generation);
	post(speaker, IPC_MSG_PROBE, &msg, -1);
	if (h->end == HOSTILE_KEPT)
		post(speaker, IPC_MSG_PING, &(struct ipc_ping){ .serial = 0 }, -1);
	held = verify_household_judge(sup, h, &b, outcome, sizeof(outcome));
	verify_print(&(struct verify_line){ .process = p->name, .act = h->name, .what = h->what, .at = "carreld",
	    .expected = hostile_end_name(h->end), .outcome = outcome, .note = "tried in a throw-away project",
	    .judgement = held ? POLICY_REFUSED : POLICY_FAILED });
	return held;
}

static bool
say_all(struct supervisor *sup)
{
	bool all = true;

	for (const struct hostile *h = hostile_rows; h->number != 0; h++)
		for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
			if (h->hearer == HOSTILE_TO_SUPERVISOR && hostile_speaks(h, p))
				all = run_until(sup, all_serve, NULL, START_NS) &&
				    verify_household_say(sup, p, h, ipc_role_of_binary(p->binary)) && all;
	return all;
}

bool
verify_household(const struct supervisor *own, const struct standins *s)
{
	struct house *h = mem_new(1, sizeof(*h));
	const char *why = NULL;
	bool all = false;

	h->client = h->errors = -1;
	/* This household does not report to systemd. */
	unsetenv("NOTIFY_SOCKET");
	if (open_house(h, own, s) != 0)
		why = "no household could be set up";
	else {
		household_start(&h->sup);
		if (!run_until(&h->sup, all_serve, NULL, START_NS))
			why = "the processes of a household did not all come to serve; `carrel doctor` says what is "
			      "missing";
	}
	if (why == NULL)
		all = say_all(&h->sup);
	else
		verify_print(&(struct verify_line){ .process = "front", .act = "WORDS",
		    .what = "say anything hostile to carreld",
		    .at = "carreld", .expected = "", .outcome = why, .judgement = POLICY_FAILED });
	close_house(h);
	free(h);
	return all;
}
