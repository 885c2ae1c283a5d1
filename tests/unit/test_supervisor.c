// libs: carrel_test_peer carrel_ipc carrel_base
/*
 * test_supervisor.c - the real carreld with children that misbehave on order.
 *
 * carreld finds its children beside itself, so it is copied into a scratch
 * directory where their names are links to this very program, which plays
 * whichever child it is called.  A child reads its orders from <project>/<name>.do
 * and writes down what it was told in <project>/events; the test reads that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "base/mp.h"
#include "ipc/control.h"
#include "ipc/contract.h"
#include "tests/support/peer.h"
#include "tests/support/wind.h"
#include "tests/unit/captured.h"

#define PATIENCE_MS	60000	/* generous: only a failing test waits that long */
#define ENDED		12000	/* sessions, within about a second */

/* --- the child ------------------------------------------------------------------ */

static struct {
	const char		*name;
	enum ipc_role		 role;
	char			 dir[1024], orders[256];
	struct contract_watch	*watch;
} me;

__attribute__((format(printf, 1, 2))) static void
note(const char *fmt, ...)
{
	char path[1100], line[512];
	int fd, at;
	va_list ap;

	at = snprintf(line, sizeof(line), "%s %d ", me.name, (int)getpid());
	va_start(ap, fmt);
	at += vsnprintf(line + at, sizeof(line) - (size_t)at - 1, fmt, ap);
	va_end(ap);
	line[at++] = '\n';
	snprintf(path, sizeof(path), "%s/events", me.dir);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line, (size_t)at) != at)
		_exit(99);
	close(fd);
}

static void
say(unsigned type, const void *msg)
{
	if (control_send(CONTRACT_FD_CONTROL, type, msg, -1) != 0)
		_exit(98);
}

static void
hear(struct buf *packet, struct ipc_frame *frame, int *passed)
{
	if (peer_hear_control(CONTRACT_FD_CONTROL, packet, frame, passed, -1) != CHANNEL_FRAME)
		_exit(EXIT_ORPHANED);
}

/* The link beside the programs says where the project is: not every configuration does. */
static void
find_project(void)
{
	char path[1400];
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s", (const char *)getauxval(AT_EXECFN));
	snprintf(strrchr(path, '/'), 16, "/project");
	if ((n = readlink(path, me.dir, sizeof(me.dir) - 1)) <= 0)
		_exit(95);
	me.dir[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s.do", me.dir, me.name);
	if ((f = fopen(path, "r")) != NULL) {
		if (fgets(me.orders, sizeof(me.orders), f) == NULL)
			me.orders[0] = '\0';
		fclose(f);
	}
}

static void
learn(const struct ipc_frame *frame)
{
	union ipc_any msg;

	if (ipc_unpack_any(frame->type, IPC_SUPERVISOR, me.role, frame->body, &msg) != IPC_OK)
		_exit(97);
	find_project();
	if (frame->type == IPC_MSG_CONFIGURE_FRONT)
		note("configured port=%u open=%u token=%zu private=%u", (unsigned)msg.configure_front.port,
		    (unsigned)msg.configure_front.loopback_open, msg.configure_front.token_sha256.len,
		    (unsigned)msg.configure_front.private);
	else
		note("configured");
}

/* Until the test says so. */
static void
wait_to_go(void)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s.go", me.dir, me.name);
	while (access(path, F_OK) != 0)
		usleep(10000);
	note("goes");
}

/* The answer of carrel-fetch to an order that is nobody's. */
static void
say_fetched(void)
{
	say(IPC_MSG_FETCHED, &(struct ipc_fetched){ .serial = 99, .outcome = IPC_FETCH_DONE,
	    .client_name = SPAN("a lie"), .redirects = SPAN("\x90") });
}

static void
obey_early(void)
{
	struct ipc_unable unable = { SPAN("nobody is at home") };
	unsigned code;

	if (strcmp(me.orders, "wait") == 0)
		wait_to_go();
	if (strcmp(me.orders, "fetched-early") == 0)
		say_fetched();

	if (sscanf(me.orders, "exit %u", &code) == 1)
		_exit((int)code);
	if (strcmp(me.orders, "unable") == 0) {
		say(IPC_MSG_UNABLE, &unable);
		_exit(EXIT_CONNECTION);
	}
	if (strcmp(me.orders, "fault") == 0 && send(CONTRACT_FD_CONTROL, "garbage", 7, 0) == 7)
		pause();
}

/* What carrel-git does: a process of its own, which ends after it. */
static void
leave_behind(void)
{
	pid_t self = getpid(), pid = fork();

	if (pid == 0) {
		while (getppid() == self)
			usleep(10000);
		_exit(0);
	}
	note("left <%d>", (int)pid);
}

static void told(const struct ipc_frame *frame, int passed);

/*
 * One frame of captured.h for the supervisor a life: the one whose number is in <name>.said.  What the table lets this
 * role say is followed by a frame that is no message: either way this is the end.
 */
static void
say_captured(void)
{
	char path[1100];
	unsigned at = 0;
	struct buf body = { 0 };
	struct ipc_frame frame;
	int passed;
	FILE *f;

	/* One that has answered is started again at once. */
	do
		hear(&body, &frame, &passed);
	while (frame.type != IPC_MSG_PING);
	told(&frame, passed);
	snprintf(path, sizeof(path), "%s/%s.said", me.dir, me.name);
	if ((f = fopen(path, "r+")) == NULL || fscanf(f, "%u", &at) != 1)
		_exit(94);
	rewind(f);
	fprintf(f, "%u\n", at + 1);
	fclose(f);
	for (size_t i = 0; i < ipc_schema_count(); i++)
		for (enum form form = 0; form < FORMS; form++) {
			const struct ipc_schema *s = ipc_schema_at(i);
			bool here = (s->to & IPC_SUPERVISOR) != 0 || s->type == IPC_MSG_CALL;
			bool may = (s->from & me.role) != 0 && (s->to & IPC_SUPERVISOR) != 0;

			/* A life takes a while: of malformed ones those that are read to different depths. */
			if (!here || !captured_body(s, form, &body) || (!may && form > FORM_LEAST) ||
			    (form > FORM_MOST && form != FORM_OVER && form != FORM_TYPE && form != FORM_CUT) ||
			    at-- != 0)
				continue;
			note("says %s, form %d", s->name, (int)form);
			(void)control_send_packed(CONTRACT_FD_CONTROL, s->type, buf_view(&body), -1);
			if (may && form_is_good(form))
				(void)control_send_packed(CONTRACT_FD_CONTROL, 0, SPAN("\x90"), -1);
			for (;;)
				pause();
		}
	note("said all");
}

/* A file of the project by which children wait for each other.  False: it is there already. */
static bool
make_sign(const char *sign)
{
	char path[1400];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.sign", me.dir, sign);
	if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0)
		close(fd);
	return fd >= 0;
}

static void
wait_for_sign(const char *sign)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s.sign", me.dir, sign);
	while (access(path, F_OK) != 0)
		usleep(1000);
}

/* Of two fronts one says that sessions have ended, as fast as it is heard; the other does not listen meanwhile. */
static void
end_sessions(void)
{
	struct pollfd p = { CONTRACT_FD_CONTROL, POLLOUT, 0 };

	if (!make_sign("first")) {
		make_sign("deaf");
		wait_for_sign("taken");
		return;
	}
	wait_for_sign("deaf");
	for (uint64_t i = 0; i < ENDED; i++)
		while (control_send(CONTRACT_FD_CONTROL, IPC_MSG_SESSION_ENDED,
			   &(struct ipc_session_ended){
			       span_of((const uint8_t *)&i, sizeof(i)), UINT64_MAX - i, i % 8 },
			   -1) != 0)
			poll(&p, 1, -1);
	say(IPC_MSG_STATUS_GET, &(struct ipc_status_get){ 8 });
}

static void
hear_of_session(struct span id)
{
	static uint64_t heard;

	if (id.len != sizeof(heard))
		note("session");
	else if (++heard == ENDED)
		note("heard of each");
}

static void
obey_late(void)
{
	unsigned code;

	if (strcmp(me.orders, "captured") == 0)
		say_captured();
	if (strncmp(me.orders, "fetched", 7) == 0)
		for (int i = 0; i < 3; i++)
			say_fetched();
	if (strcmp(me.orders, "committed") == 0)
		say(IPC_MSG_COMMITTED, &(struct ipc_committed){ .serial = 7, .outcome = IPC_COMMIT_MADE });
	if (strcmp(me.orders, "fetch") == 0)
		say(IPC_MSG_FETCH, &(struct ipc_fetch){ 7, SPAN("https://client.example.org/all-that-is-known") });

	if (strncmp(me.orders, "leave", 5) == 0)
		leave_behind();
	if (strcmp(me.orders, "leave-exit") == 0)
		_exit(EXIT_STOPPED);
	if (sscanf(me.orders, "ready-exit %u", &code) == 1)
		_exit((int)code);
	if (strcmp(me.orders, "flood") == 0)
		for (struct pollfd p = { CONTRACT_FD_CONTROL, POLLOUT, 0 };; poll(&p, 1, -1))
			while (control_send(CONTRACT_FD_CONTROL, IPC_MSG_COMPLAINT, &(struct ipc_complaint){ 1u << 30, 1 }, -1) == 0)
				;
	if (strcmp(me.orders, "stray-fd") == 0) {
		union {
			struct cmsghdr align;
			unsigned char bytes[CMSG_SPACE(sizeof(int))];
		} control = { .bytes = { 0 } };
		struct iovec iov = { (void *)(uintptr_t) "garbage", 7 };
		struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			.msg_controllen = sizeof(control.bytes) };
		struct cmsghdr *c = CMSG_FIRSTHDR(&mh);
		int null = open("/dev/null", O_RDONLY);

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &null, sizeof(int));
		if (sendmsg(CONTRACT_FD_CONTROL, &mh, 0) > 0)
			pause();
	}
	if (strcmp(me.orders, "stuck") == 0) {
		atomic_store(&me.watch->deadline_ns, clock_ns());
		pause();
	}
}

static void
count_ping(void)
{
	char path[1100];
	int fd;

	snprintf(path, sizeof(path), "%s/pings", me.dir);
	if ((fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) < 0 || write(fd, ".", 1) != 1)
		_exit(99);
	close(fd);
}

static void
told(const struct ipc_frame *frame, int passed)
{
	union ipc_any m;
	struct mp_value map;

	if (ipc_unpack_any(frame->type, IPC_SUPERVISOR, me.role, frame->body, &m) != IPC_OK)
		_exit(97);
	switch (frame->type) {
	case IPC_MSG_ATTACH:
		note("attach kind=%u role=%s gen=%u conn=%.*s fd=%d", (unsigned)m.attach.kind,
		    ipc_role_name((enum ipc_role)m.attach.role), (unsigned)m.attach.generation,
		    SPAN_FMT(m.attach.connection), passed >= 0);
		if (strcmp(me.orders, "complain") == 0 && m.attach.kind == 2)
			say(IPC_MSG_COMPLAINT, &(struct ipc_complaint){ m.attach.generation, 1 });
		if (me.role == IPC_FRONT && m.attach.kind == 3) {
			say(IPC_MSG_STATUS_GET, &(struct ipc_status_get){ 7 });
			say(IPC_MSG_SESSION_ENDED, &(struct ipc_session_ended){ SPAN("session-1"), UINT64_MAX, 1 });
		}
		break; /* descriptors stay open, as a real child's would */
	case IPC_MSG_DETACH:
		note("detach gen=%u cause=%u", (unsigned)m.detach.generation, (unsigned)m.detach.cause);
		break;
	case IPC_MSG_CONNECTION_STATE:
		note("state %.*s=%u %.*s", SPAN_FMT(m.connection_state.connection), (unsigned)m.connection_state.state,
		    SPAN_FMT(m.connection_state.reason));
		break;
	case IPC_MSG_OFFER:
		note("offer %s", ipc_role_name((enum ipc_role)m.offer.role));
		break;
	case IPC_MSG_STATUS:
		if (mp_value(m.status.status, &map))
			note("status serial=%u pid=%u degraded=%d sessions=%u", (unsigned)m.status.serial,
			    (unsigned)mp_get_uint(&map, "pid", 0), mp_get_bool(&map, "degraded", true),
			    (unsigned)mp_get_uint(&map, "endedSessions", 99));
		if (m.status.serial == 8)
			make_sign("taken");
		break;
	case IPC_MSG_SESSION_ENDED:
		hear_of_session(m.session_ended.id);
		break;
	case IPC_MSG_FETCHED:
		note("fetched serial=%u outcome=%u", (unsigned)m.fetched.serial, (unsigned)m.fetched.outcome);
		break;
	case IPC_MSG_PING:
		say(IPC_MSG_PONG, &(struct ipc_pong){ m.ping.serial });
		atomic_fetch_add(&me.watch->answered, 1);
		count_ping();
		break;
	case IPC_MSG_SERVE:
		note("serve");
		if (strcmp(me.orders, "ends") == 0)
			end_sessions();
		break;
	case IPC_MSG_SHUTDOWN:
		note("shutdown");
		if (strcmp(me.orders, "linger") == 0)
			break; /* until it is killed for it */
		_exit(EXIT_STOPPED);
	default:
		break;
	}
}

static int
play(const char *name)
{
	struct buf packet = { 0 };
	struct ipc_frame frame;
	int passed, fds = 0;

	me.name = name;
	me.role = ipc_role_of_binary(name);
	me.watch = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, CONTRACT_FD_WATCH, 0);
	if (me.watch == MAP_FAILED)
		_exit(96);
	for (int fd = CONTRACT_FD_NEXT; fd < 256; fd++)
		fds += fcntl(fd, F_GETFD) != -1;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn the crash into an exit */
	say(IPC_MSG_HELLO, &(struct ipc_hello){ ipc_version() });
	if ((me.role & IPC_WORKER) != 0)
		say(IPC_MSG_TOOLS, &(struct ipc_tools){ SPAN("\x90") });
	hear(&packet, &frame, &passed);
	learn(&frame);
	if (fds != 0)
		note("inherited %d descriptors", fds);
	for (char **e = environ; *e != NULL; e++)
		if (strstr(*e, "SAN_OPTIONS=") == NULL && strncmp(*e, "CARREL_FAULTS=", 14) != 0)
			note("inherited %s", *e);
	obey_early();
	say(IPC_MSG_READY, &(struct ipc_ready){ .landlock_abi = 7, .namespaces = 1 });
	obey_late();
	for (;;) {
		hear(&packet, &frame, &passed);
		told(&frame, passed);
	}
}

/* --- the test ------------------------------------------------------------------- */

struct home {
	char	bin[64], project[64];
	pid_t	daemon;
	int	status;		/* read end of its status descriptor */
	struct wind wind;	/* of its clocks */
};

__attribute__((format(printf, 3, 4))) static void
put_file(const struct home *h, const char *name, const char *fmt, ...)
{
	char path[256];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", h->project, name);
	assert_non_null(f = fopen(path, "w"));
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static char *
get_file(const struct home *h, const char *name)
{
	static char text[1 << 20];
	char path[256];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", h->project, name);
	if ((f = fopen(path, "r")) != NULL) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

/* How often text stands in the events. */
static unsigned
count(const struct home *h, const char *text)
{
	unsigned n = 0;

	for (const char *p = get_file(h, "events"); (p = strstr(p, text)) != NULL; p++)
		n++;
	return n;
}

static bool
happens(const struct home *h, const char *text, unsigned times)
{
	int ms = 0;

	for (; count(h, text) < times && ms < PATIENCE_MS; ms += 10)
		usleep(10000);
	return ms < PATIENCE_MS;
}

/* So much time passes for the daemon as it leaves idle children alone; it has acted on that and looked after them. */
static void
pass(const struct home *h)
{
	size_t before = strlen(get_file(h, "pings"));

	wind_on(&h->wind, CONTRACT_PING_MS);
	for (int ms = 0; strlen(get_file(h, "pings")) == before && ms < PATIENCE_MS; ms += 10)
		usleep(10000);
}

static void
wait_for(const struct home *h, const char *text, unsigned times)
{
	if (happens(h, text, times))
		return;
	fail_msg("\"%s\" did not happen %u times:\n%s\n%s", text, times, get_file(h, "events"),
	    get_file(h, ".carrel/logs/mcp.log"));
}

static void
wait_for_log(const struct home *h, const char *text)
{
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (strstr(get_file(h, ".carrel/logs/mcp.log"), text) != NULL)
			return;
		usleep(10000);
	}
	fail_msg("\"%s\" was not logged:\n%s", text, get_file(h, ".carrel/logs/mcp.log"));
}

/* How many processes a household with one front and one connection has, and how many of them have a channel with it. */
static unsigned
household_size(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		n += ipc_roles[i].place == IPC_PLACE_FRONT || ipc_roles[i].place == IPC_PLACE_POOL ||
		    ipc_roles[i].place == IPC_PLACE_SINGLE;
	return n;
}

static unsigned
workers_of_a_front(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		n += ipc_roles[i].peer == IPC_FRONT;
	return n;
}

/* Those of the front, and of workers that another worker asks. */
static unsigned
channels_of_a_household(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		n += ipc_roles[i].peer != IPC_NOBODY;
	return n;
}

/* The program of a role that fronts cannot serve without and that is stopped last. */
static const char *
needed_program(void)
{
	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (ipc_roles[i].place == IPC_PLACE_SINGLE &&
		    (ipc_roles[i].traits & (IPC_NEEDED | IPC_STAYS)) == (IPC_NEEDED | IPC_STAYS))
			return ipc_roles[i].binary;
	fail_msg("there is no such role");
	return "";
}

static void
run(const char *fmt, ...)
{
	char command[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

static int
setup(void **state)
{
	struct home *h = calloc(1, sizeof(*h));
	char self[512], link[600];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	strcpy(h->bin, "/tmp/carrel-test-bin-XXXXXX");
	strcpy(h->project, "/tmp/carrel-test-project-XXXXXX");
	if (mkdtemp(h->bin) == NULL || mkdtemp(h->project) == NULL || wind_open(&h->wind) != 0)
		return -1;
	run("cp '%s/carreld' '%s/carreld'", BIN_DIR, h->bin);
	for (unsigned i = 0; i < IPC_ROLES; i++) {
		if (ipc_roles[i].role == IPC_SUPERVISOR)
			continue;
		snprintf(link, sizeof(link), "%s/%s", h->bin,
		    ipc_role_has_drivers(ipc_roles[i].role) ? "carrel-sql-sqlite" : ipc_roles[i].binary);
		if (symlink(self, link) != 0)
			return -1;
	}
	snprintf(link, sizeof(link), "%s/project", h->bin);
	if (symlink(h->project, link) != 0)
		return -1;
	put_file(h, "carrel.yaml",
	    "connections: { local: { driver: sqlite, path: x.db, workers: 1 } }\nserver: { port: 0 }\n");
	*state = h;
	return 0;
}

static int
teardown(void **state)
{
	struct home *h = *state;

	if (h->daemon > 0) {
		kill(h->daemon, SIGKILL);
		waitpid(h->daemon, NULL, 0);
	}
	if (h->status > 0)
		close(h->status);
	run("rm -rf %s %s", h->bin, h->project);
	wind_close(&h->wind);
	free(h);
	return 0;
}

/* Start carreld; the line it reports goes to line. */
static void
launch(struct home *h, const char *document, int private, char line[1024])
{
	char path[128], launch_fd[16], status_fd[16], private_fd[16];
	int documents[2], status[2];
	size_t n = 0;
	ssize_t got;

	assert_int_equal(pipe(documents), 0);
	assert_int_equal(pipe(status), 0);
	snprintf(path, sizeof(path), "%s/carreld", h->bin);
	snprintf(launch_fd, sizeof(launch_fd), "%d", documents[0]);
	snprintf(status_fd, sizeof(status_fd), "%d", status[1]);
	snprintf(private_fd, sizeof(private_fd), "%d", private);
	fcntl(status[0], F_SETFD, FD_CLOEXEC);
	if ((h->daemon = fork()) == 0) {
		close(documents[1]);
		wind_take(&h->wind);
		execl(path, "carreld", "--project-dir", h->project, "--launch-fd", launch_fd, "--status-fd", status_fd,
		    private >= 0 ? "--private-fd" : NULL, private_fd, NULL);
		_exit(127);
	}
	close(documents[0]);
	close(status[1]);
	assert_int_equal(write(documents[1], document, strlen(document)), strlen(document));
	close(documents[1]);
	h->status = status[0];
	while (n < 1023 && (got = read(status[0], line + n, 1023 - n)) > 0)
		n += (size_t)got;
	line[n] = '\0';
}

static void
start(struct home *h)
{
	char line[1024];

	launch(h, "{}", -1, line);
	if (strncmp(line, "ok {", 4) != 0)
		fail_msg("%s", line);
}

static int
stop(struct home *h)
{
	int status;

	kill(h->daemon, SIGTERM);
	assert_int_equal(waitpid(h->daemon, &status, 0), h->daemon);
	h->daemon = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The pid of the n-th child (from 0) that was configured under this name. */
static pid_t
pid_of(const struct home *h, const char *name, unsigned nth)
{
	char *p = get_file(h, "events");
	char line[64];
	int pid = 0;

	snprintf(line, sizeof(line), "%s ", name);
	while ((p = strstr(p, line)) != NULL) {
		if (sscanf(p + strlen(line), "%d configured", &pid) == 1 &&
		    strncmp(strchr(p + strlen(line), ' '), " configured", 11) == 0 && nth-- == 0)
			return pid;
		p++;
	}
	fail_msg("no such child");
	return 0;
}

static unsigned
open_files(pid_t pid)
{
	char path[64];
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if ((dir = opendir(path)) == NULL)
		return 0;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/*
 * What a worker that was taken over says of others costs itself: it is started
 * again, ever more slowly, and the front stays the one it was.
 */
static void
check_costs_itself(struct home *h, const char *orders)
{
	unsigned files;

	put_file(h, "carrel-search.do", "%s", orders);
	start(h);
	wait_for(h, "serve", 1);
	files = open_files(h->daemon);
	for (unsigned n = 4; n <= 8; n += 4) {
		unsigned had = 0;

		for (int ms = 0; ms < PATIENCE_MS && had < n; ms += 10, usleep(10000)) {
			if (ms % 200 == 190)
				pass(h);
			had = 0;
			for (const char *p = get_file(h, "events"); (p = strstr(p, "carrel-search ")) != NULL; p++)
				had +=
				    strstr(p, " configured") != NULL && strchr(p + 14, ' ') == strstr(p, " configured");
		}
		assert_true(had >= n);
	}
	assert_int_equal(count(h, "configured port="), 1);
	assert_true(open_files(h->daemon) <= files + 8);
	assert_int_equal(stop(h), 0);
}

static void
test_a_complaining_worker_costs_itself(void **state)
{
	check_costs_itself(*state, "complain");
}

static void
test_a_flooding_worker_costs_itself(void **state)
{
	check_costs_itself(*state, "flood");
}

/*
 * Clients end sessions as fast as they like: the front that says so is not taken for one that floods, nor another
 * front, which is busy meanwhile, for one that does not listen.
 */
static void
test_many_sessions_end(void **state)
{
	struct home *h = *state;

	put_file(h, "carrel.yaml",
	    "connections: { local: { driver: sqlite, path: x.db, workers: 1 } }\nserver: { port: 0, fronts: 2 }\n");
	put_file(h, "carrel-front.do", "ends");
	start(h);
	wait_for(h, "status serial=8", 1);
	wait_for(h, "heard of each", 1);
	assert_int_equal(count(h, "configured port="), 2);
	assert_int_equal(stop(h), 0);
}

static void
test_stray_descriptors_are_closed(void **state)
{
	check_costs_itself(*state, "stray-fd");
}

/* All of captured.h, a frame a life: each costs that life and no other. */
static void
test_captured_words_cost_their_speaker(void **state)
{
	struct home *h = *state;
	unsigned files, before = 0;

	put_file(h, "carrel-search.do", "captured");
	put_file(h, "carrel-search.said", "0");
	start(h);
	wait_for(h, "serve", 1);
	files = open_files(h->daemon);
	for (int ms = 0; ms < PATIENCE_MS && count(h, "said all") == 0; ms += 10, usleep(10000)) {
		unsigned now = count(h, " says ");

		/* Twenty deaths within ten seconds slow its starts down. */
		wind_on(&h->wind, now == before ? 1000 : 600);
		before = now;
	}
	assert_int_equal(count(h, "said all"), 1);
	print_message("%u frames\n", count(h, " says "));
	assert_true(count(h, " says ") > 30);
	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (ipc_roles[i].place == IPC_PLACE_SINGLE && ipc_roles[i].role != IPC_SEARCH) {
			char text[64];

			snprintf(text, sizeof(text), "%s %d configured", ipc_roles[i].binary,
			    (int)pid_of(h, ipc_roles[i].binary, 0));
			assert_int_equal(count(h, text), 1);
		}
	assert_int_equal(count(h, "configured port="), 1);
	assert_true(open_files(h->daemon) <= files + 8);
	assert_int_equal(stop(h), 0);
}

/* Without oauth.client_metadata nothing is fetched, whatever a carrel-auth wants that was taken over. */
static void
test_nothing_is_fetched_unless_configured(void **state)
{
	struct home *h = *state;

	put_file(h, "carrel-auth.do", "fetch");
	start(h);
	wait_for(h, "fetched serial=7 outcome=3", 1);
	assert_int_equal(count(h, "carrel-fetch"), 0);
	assert_int_equal(stop(h), 0);
}

/* What a carrel-fetch says that was taken over is one answer to the one order that it was started for, or none. */
static void
test_a_fetch_is_answered_once(void **state)
{
	static const struct {
		const char *orders;
		unsigned outcome;
	} rows[] = { { "fetched", IPC_FETCH_DONE }, { "fetched-early", IPC_FETCH_LOST },
		{ "committed", IPC_FETCH_LOST }, { "fault", IPC_FETCH_LOST } };
	struct home *h = *state;
	char told[64];

	put_file(h, "carrel.yaml",
	    "connections: { local: { driver: sqlite, path: x.db, workers: 1 } }\n"
	    "server: { port: 0 }\noauth: { enabled: true, client_metadata: true }\n");
	put_file(h, "carrel-auth.do", "fetch");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_file(h, "events", "%s", "");
		put_file(h, "carrel-fetch.do", "%s", rows[i].orders);
		start(h);
		snprintf(told, sizeof(told), "fetched serial=7 outcome=%u", rows[i].outcome);
		wait_for(h, told, 1);
		wait_for(h, "serve", 1);
		assert_int_equal(stop(h), 0);
		assert_int_equal(count(h, "fetched serial="), 1);
	}
}

static void
test_start_and_stop(void **state)
{
	struct home *h = *state;
	uint64_t began = clock_ns();
	char path[256];
	struct stat st;

	start(h);
	print_message("start to ok: %u ms\n", (unsigned)((clock_ns() - began) / CLOCK_MS));
	wait_for(h, "serve", 1);
	wait_for(h, "attach kind=1", 1);
	wait_for(h, "carrel-front", 2 + workers_of_a_front());
	assert_int_equal(count(h, "offer search"), 1);
	assert_int_equal(count(h, "offer sql"), 1);
	assert_int_equal(count(h, "inherited"), 0);
	assert_int_equal(count(h, "open=1 token=0 private=0"), 1);
	wait_for(h, "state local=1", 1);
	/* An end each. */
	wait_for(h, "attach kind=2 role=front", workers_of_a_front());
	assert_int_equal(count(h, "attach kind=2"), 2 * channels_of_a_household());
	assert_int_equal(count(h, "fd=0"), 0);
	snprintf(path, sizeof(path), "%s/.carrel", h->project);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	snprintf(path, sizeof(path), "%s/.carrel/control.sock", h->project);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	snprintf(path, sizeof(path), "%s/.carrel/signing.key", h->project);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, 32);
	assert_non_null(strstr(get_file(h, ".carrel/mcp.json"), "\"host\":\"127.0.0.1\""));
	assert_int_equal(stop(h), 0);
	assert_int_equal(count(h, "shutdown"), household_size());
	snprintf(path, sizeof(path), "%s/.carrel/mcp.json", h->project);
	assert_int_equal(stat(path, &st), -1);
	snprintf(path, sizeof(path), "%s/.carrel/control.sock", h->project);
	assert_int_equal(stat(path, &st), -1);
}

static void
test_one_daemon_a_project(void **state)
{
	struct home *h = *state, second = *h;
	char line[1024];

	start(h);
	launch(&second, "{}", -1, line);
	close(second.status);
	assert_non_null(strstr(line, "error already running for this project (pid "));
	assert_int_equal(waitpid(second.daemon, NULL, 0), second.daemon);
	assert_non_null(strstr(get_file(h, ".carrel/mcp.json"), "\"pid\":"));
}

static void
test_refusals(void **state)
{
	struct home *h = *state;
	char line[1024];
	int status;

	launch(h, "{\"host\":\"0.0.0.0\"}", -1, line);
	assert_non_null(strstr(line, "error server.host 0.0.0.0 can be reached from outside"));
	waitpid(h->daemon, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 1);
	close(h->status);
	put_file(h, "carrel.yaml", "server: { port: x }\n");
	launch(h, "{}", -1, line);
	assert_non_null(strstr(line, "error carrel.yaml:1: server.port: expected"));
	waitpid(h->daemon, &status, 0);
	close(h->status);
	put_file(h, "carrel.yaml", "server: { port: 0 }\n");
	launch(h, "{\"allowedOrigins\":[\"nonsense\"]}", -1, line);
	assert_non_null(strstr(line, "error the allowed origin"));
	waitpid(h->daemon, &status, 0);
	close(h->status);
	put_file(h, "carrel-front.do", "exit %d", EXIT_CONFINEMENT);
	launch(h, "{}", -1, line);
	assert_non_null(strstr(line, "error carrel-front cannot serve: could not confine itself; `carrel doctor`"));
	waitpid(h->daemon, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 1);
	h->daemon = 0;
}

static void
test_port_taken(void **state)
{
	struct home *h = *state;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0), status;
	char line[1024], document[64], want[64];

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	snprintf(document, sizeof(document), "{\"port\":%u}", (unsigned)ntohs(a.sin_port));
	launch(h, document, -1, line);
	assert_non_null(strstr(line, "is already in use by "));
	snprintf(want, sizeof(want), "(pid %d)", (int)getpid());
	assert_non_null(strstr(line, want));
	assert_non_null(strstr(line, "--port"));
	waitpid(h->daemon, &status, 0);
	h->daemon = 0;
	close(fd);
}

static void
test_token_reaches_front_as_digest(void **state)
{
	struct home *h = *state;
	char line[1024];

	launch(h, "{\"token\":\"s3cret-token\"}", -1, line);
	assert_memory_equal(line, "ok {", 4);
	wait_for(h, "open=0 token=32", 1);
	assert_null(strstr(get_file(h, ".carrel/logs/mcp.log"), "s3cret"));
	assert_non_null(strstr(get_file(h, ".carrel/mcp.json"), "\"tokenAuth\":true"));
}

static void
test_respawn_and_causes(void **state)
{
	struct home *h = *state;
	pid_t first;

	start(h);
	wait_for(h, "serve", 1);
	/* Killed from outside: everybody who talked to it hears, and a new one is wired up. */
	first = pid_of(h, "carrel-sql-sqlite", 0);
	kill(first, SIGKILL);
	wait_for(h, "cause=2", 1);
	wait_for(h, "conn=local fd=1", 2);
	wait_for_log(h, "was killed by signal 9");
	/* Of its own making. */
	put_file(h, "carrel-sql-sqlite.do", "ready");
	kill(pid_of(h, "carrel-sql-sqlite", 1), SIGSEGV);
	wait_for(h, "cause=1", 1);
	wait_for(h, "conn=local fd=1", 3);
	wait_for_log(h, "segmentation fault");
	kill(pid_of(h, "carrel-sql-sqlite", 2), SIGSYS);
	wait_for_log(h, "policy violation: sql local 1");
	wait_for(h, "conn=local fd=1", 4);
	assert_int_equal(stop(h), 0);
}

/* The pid that was noted nth. */
static pid_t
left_pid(const struct home *h, unsigned nth)
{
	const char *p;

	wait_for(h, "left <", nth + 1);
	p = strstr(get_file(h, "events"), "left <");
	while (nth-- > 0)
		p = strstr(p + 1, "left <");
	return (pid_t)strtol(p + strlen("left <"), NULL, 10);
}

/* Nothing of it is left, not even its status; nor did it come to us, who stand where process 1 does. */
static void
assert_buried(pid_t pid)
{
	int ms = 0;

	while (kill(pid, 0) == 0 && ms < PATIENCE_MS) {
		assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
		usleep(10000);
		ms += 10;
	}
	assert_true(ms < PATIENCE_MS);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

static void
test_orphans_are_buried(void **state)
{
	struct home *h = *state;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	put_file(h, "carrel-sql-sqlite.do", "leave");
	start(h);
	wait_for(h, "serve", 1);
	/* Of one that is killed, of one that ends by itself, and of those that are watched none. */
	put_file(h, "carrel-sql-sqlite.do", "leave-exit");
	(void)left_pid(h, 0);
	kill(pid_of(h, "carrel-sql-sqlite", 0), SIGKILL);
	assert_buried(left_pid(h, 0));
	wait_for_log(h, "was killed by signal 9");
	put_file(h, "carrel-sql-sqlite.do", "ready");
	assert_buried(left_pid(h, 1));
	assert_int_equal(stop(h), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

static void
test_front_respawn(void **state)
{
	struct home *h = *state;

	start(h);
	wait_for(h, "serve", 1);
	kill(pid_of(h, "carrel-front", 0), SIGKILL);
	wait_for(h, "serve", 2);
	wait_for(h, "attach kind=1", 2);
	wait_for(h, "offer search", 2);
	wait_for(h, "attach kind=2 role=front", 2 * workers_of_a_front());
	wait_for(h, "cause=2", workers_of_a_front()); /* they hear of it */
	assert_int_equal(count(h, "serve"), 2);
}

/* Fronts serve only with it: also if it is late, and the one that comes while it is away. */
static void
test_needed_role_serves_first(void **state)
{
	struct home *h = *state;
	const char *program = needed_program(), *events;
	char order[64], go[64];
	pid_t helper;

	snprintf(order, sizeof(order), "%s.do", program);
	snprintf(go, sizeof(go), "%s.go", program);
	put_file(h, order, "wait");
	if ((helper = fork()) == 0) {
		happens(h, "attach kind=1", 1);
		for (unsigned i = 0; i < 3; i++) /* longer than anything else is waited for */
			pass(h);
		put_file(h, go, "now");
		_exit(0);
	}
	start(h);
	waitpid(helper, NULL, 0);
	wait_for(h, "serve", 1);
	events = get_file(h, "events");
	assert_true(strstr(events, " goes\n") < strstr(events, " serve\n"));

	run("rm '%s/%s'", h->project, go);
	kill(pid_of(h, program, 0), SIGKILL);
	wait_for(h, "configured", household_size() + 1);
	kill(pid_of(h, "carrel-front", 0), SIGKILL);
	wait_for(h, "attach kind=1", 2);
	pass(h);
	pass(h);
	assert_int_equal(count(h, " serve\n"), 1);
	put_file(h, go, "now");
	wait_for(h, " serve\n", 2);
	assert_int_equal(stop(h), 0);
}

static void
test_needed_role_stays_longest(void **state)
{
	struct home *h = *state;
	char own[64];
	const char *events, *last = NULL;

	start(h);
	wait_for(h, "serve", 1);
	wait_for(h, "attach kind=2 role=front", workers_of_a_front());
	assert_int_equal(stop(h), 0);
	events = get_file(h, "events");
	for (const char *p = events; (p = strstr(p, " shutdown\n")) != NULL; p++)
		last = p;
	assert_non_null(last);
	while (last > events && last[-1] != '\n')
		last--;
	snprintf(own, sizeof(own), "%s ", needed_program());
	assert_memory_equal(last, own, strlen(own));
}

static void
test_needed_role_refuses(void **state)
{
	struct home *h = *state;
	char order[64], want[128], line[1024];
	int status;

	snprintf(order, sizeof(order), "%s.do", needed_program());
	snprintf(want, sizeof(want), "error %s cannot serve: could not confine itself", needed_program());
	put_file(h, order, "exit %d", EXIT_CONFINEMENT);
	launch(h, "{}", -1, line);
	assert_non_null(strstr(line, want));
	waitpid(h->daemon, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 1);
	h->daemon = 0;
}

static void
test_connection_states(void **state)
{
	struct home *h = *state;

	put_file(h, "carrel-sql-sqlite.do", "unable");
	start(h); /* one dead database does not keep the rest from serving */
	wait_for(h, "state local=3 nobody is at home", 1);
	put_file(h, "carrel-sql-sqlite.do", "ready");
	wait_for(h, "state local=1", 1);
	wait_for(h, "conn=local fd=1", 1);
}

static void
test_no_restart_until_reload(void **state)
{
	struct home *h = *state;
	unsigned before;

	put_file(h, "carrel-sql-sqlite.do", "exit %d", EXIT_CONFIG);
	start(h);
	wait_for(h, "state local=3 could not use its configuration", 1);
	before = count(h, "carrel-sql-sqlite");
	pass(h);
	pass(h);
	assert_int_equal(count(h, "carrel-sql-sqlite"), before);
	put_file(h, "carrel-sql-sqlite.do", "ready");
	kill(h->daemon, SIGHUP);
	wait_for(h, "state local=1", 1);
}

static void
test_watchdog_and_faults(void **state)
{
	struct home *h = *state;

	put_file(h, "carrel-memory.do", "stuck");
	put_file(h, "carrel-sql-sqlite.do", "fault");
	start(h);
	wait_for_log(h, "sql local 1 broke the control protocol");
	pass(h);
	wait_for_log(h, "past its deadline");
	wait_for_log(h, "did not answer in time and was killed");
	put_file(h, "carrel-memory.do", "ready");
	put_file(h, "carrel-sql-sqlite.do", "ready");
	wait_for(h, "state local=1", 1);
}

static void
test_reload(void **state)
{
	struct home *h = *state;
	unsigned fronts, searches;

	start(h);
	wait_for(h, "serve", 1);
	/* An error changes nothing. */
	put_file(h, "carrel.yaml", "connections: [\n");
	kill(h->daemon, SIGHUP);
	wait_for_log(h, "the old one stays");
	assert_int_equal(count(h, "configured"), household_size());
	/* What concerns only SQL workers replaces only them: first the new one, then the old one goes. */
	put_file(h, "carrel.yaml",
	    "connections: { local: { driver: sqlite, path: x.db, workers: 1 } }\n"
	    "server: { port: 0 }\nlimits: { max_rows: 5 }\n");
	kill(h->daemon, SIGHUP);
	wait_for(h, "carrel-sql-sqlite", 1);
	wait_for(h, "cause=3", 1);
	wait_for(h, "shutdown", 1);
	fronts = count(h, "open=1");
	searches = count(h, "state");
	assert_int_equal(fronts, 1);
	assert_int_equal(count(h, "configured"), household_size() + 1);
	/* A second connection concerns front, search and memory too. */
	put_file(h, "carrel.yaml",
	    "connections: { local: { driver: sqlite, path: x.db, workers: 1 },\n"
	    "  more: { driver: sqlite, path: x.db, workers: 2 } }\nserver: { port: 0 }\nlimits: { max_rows: 5 }\n");
	kill(h->daemon, SIGHUP);
	wait_for(h, "configured", 10);
	wait_for(h, "serve", 2);
	wait_for(h, "shutdown", 4);
	wait_for(h, "state more=1", 2);
	assert_true(count(h, "state") > searches);
	/* And gone again. */
	put_file(h, "carrel.yaml", "server: { port: 0 }\n");
	kill(h->daemon, SIGHUP);
	wait_for(h, "shutdown", 10);
	assert_int_equal(stop(h), 0);
	assert_int_equal(count(h, "configured"), count(h, "shutdown"));
}

/* A front that is told to stop may still need workers for what it has. */
static void
test_leaving_front(void **state)
{
	struct home *h = *state;
	unsigned before;

	put_file(h, "carrel-front.do", "linger");
	start(h);
	wait_for(h, "serve", 1);
	put_file(h, "carrel-front.do", "ready");
	put_file(h, "carrel.yaml",
	    "connections: { local: { driver: sqlite, path: x.db, workers: 1 } }\n"
	    "server: { port: 0 }\nlimits: { research_in_flight: 5 }\n");
	kill(h->daemon, SIGHUP);
	wait_for(h, "serve", 2);
	wait_for(h, "shutdown", 1);
	wait_for(h, "attach kind=2 role=sql", 2);
	before = count(h, "attach kind=2 role=sql");
	kill(pid_of(h, "carrel-sql-sqlite", 0), SIGKILL);
	wait_for(h, "attach kind=2 role=sql", before + 2); /* the new front and the old one */
}

#ifdef CARREL_FAULT_POINTS
static void
test_faults_of_our_own(void **state)
{
	struct home *h = *state;

	setenv("CARREL_FAULTS", "supervisor.spawn=eio@2,supervisor.before_attach=eio@2", 1);
	start(h);
	unsetenv("CARREL_FAULTS");
	wait_for_log(h, "cannot be started");
	wait_for_log(h, "no channel between");
	wait_for(h, "attach kind=2 role=front", 3);
	assert_int_equal(stop(h), 0);
}
#endif

static void
test_many_respawns_leak_nothing(void **state)
{
	struct home *h = *state;
	unsigned files, later;

	put_file(h, "carrel-sql-sqlite.do", "ready-exit %d", EXIT_RECYCLE);
	start(h);
	wait_for(h, "carrel-sql-sqlite", 50);
	files = open_files(h->daemon);
	wait_for(h, "carrel-sql-sqlite", 1000);
	later = open_files(h->daemon);
	/* A child more or less may be between birth and death. */
	assert_in_range(later, files > 12 ? files - 12 : 0, files + 12);
	put_file(h, "carrel-sql-sqlite.do", "ready");
	wait_for(h, "state local=1", 1);
	run("test $(ps --ppid %d -o stat= | grep -c Z) -le 1", (int)h->daemon);
	assert_int_equal(stop(h), 0);
}

static void
test_local_clients(void **state)
{
	struct home *h = *state;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char want[64];

	start(h);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/.carrel/control.sock", h->project);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	wait_for(h, "attach kind=3", 1);
	snprintf(want, sizeof(want), "status serial=7 pid=%d degraded=0 sessions=0", (int)h->daemon);
	wait_for(h, want, 1);
	/* The session that ended there is told to the front that comes next. */
	kill(pid_of(h, "carrel-front", 0), SIGKILL);
	wait_for(h, " session\n", 1);
	close(fd);
}

static void
test_private(void **state)
{
	struct home *h = *state;
	char line[1024], path[256];
	struct stat st;
	int ends[2], status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	launch(h, "{}", ends[1], line);
	close(ends[1]);
	assert_memory_equal(line, "ok {", 4);
	wait_for(h, "attach kind=3", 1);
	wait_for(h, "private=1", 1);
	assert_int_equal(count(h, "attach kind=1"), 0);
	snprintf(path, sizeof(path), "%s/.carrel/mcp.json", h->project);
	assert_int_equal(stat(path, &st), -1);
	/* The front ends with its client, and everything with the front. */
	kill(pid_of(h, "carrel-front", 0), SIGKILL);
	assert_int_equal(waitpid(h->daemon, &status, 0), h->daemon);
	h->daemon = 0;
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_int_equal(count(h, "shutdown"), household_size() - 1);
	close(ends[0]);
}

static void
test_children_die_with_the_parent(void **state)
{
	struct home *h = *state;
	pid_t front;

	start(h);
	wait_for(h, "serve", 1);
	front = pid_of(h, "carrel-front", 0);
	kill(h->daemon, SIGKILL);
	waitpid(h->daemon, NULL, 0);
	h->daemon = 0;
	for (int ms = 0; ms < PATIENCE_MS && kill(front, 0) == 0; ms += 10)
		usleep(10000);
	assert_int_equal(kill(front, 0), -1);
	/* What it left behind keeps nobody from starting. */
	close(h->status);
	start(h);
}

int
main(int argc, char **argv)
{
#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_a_complaining_worker_costs_itself), T(test_a_flooding_worker_costs_itself),
		T(test_many_sessions_end),
		T(test_stray_descriptors_are_closed),
		T(test_captured_words_cost_their_speaker),
		T(test_nothing_is_fetched_unless_configured),
		T(test_a_fetch_is_answered_once),
		T(test_start_and_stop), T(test_one_daemon_a_project), T(test_refusals), T(test_port_taken),
		T(test_token_reaches_front_as_digest), T(test_respawn_and_causes), T(test_front_respawn),
		T(test_orphans_are_buried), T(test_needed_role_serves_first), T(test_needed_role_stays_longest),
		T(test_needed_role_refuses),
		T(test_connection_states), T(test_no_restart_until_reload), T(test_watchdog_and_faults),
		T(test_reload), T(test_leaving_front), T(test_many_respawns_leak_nothing), T(test_local_clients), T(test_private),
		T(test_children_die_with_the_parent),
#ifdef CARREL_FAULT_POINTS
		T(test_faults_of_our_own),
#endif
	};

	if (argc == 1 && strncmp(argv[0], "carrel-", 7) == 0)
		return play(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
