/* child.c - see child.h: the road from exec to the first call. */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "workers/shared/runtime.h"
#include "workers/shared/probe.h"
#include "workers/shared/serve.h"
#include "workers/shared/seccomp.h"
#include "ipc/control.h"
#include "policy/profiles.h"

#define PREFIX	"carrel-"

/* What the parent had ignored stays ignored over exec; a sanitizer's handlers are its own. */
static void
reset_signals(void)
{
	static const int ours_to_ignore[] = {
		SIGPIPE,			/* a peer that left is told by EPIPE */
		SIGXFSZ,			/* and a full limit by EFBIG */
		SIGHUP, SIGINT, SIGTERM		/* to the group: the supervisor says when to end */
	};
	struct sigaction sa;
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		if (sigaction(i, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN)
			(void)signal(i, SIG_DFL);
	for (size_t i = 0; i < sizeof(ours_to_ignore) / sizeof(ours_to_ignore[0]); i++)
		(void)signal(ours_to_ignore[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void
child_keep_memory(void)
{
#ifndef CARREL_SANITIZED
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

struct contract_watch *
child_begin(const char *binary)
{
	struct contract_watch *watch;

	log_init(strncmp(binary, PREFIX, sizeof(PREFIX) - 1) == 0 ? binary + sizeof(PREFIX) - 1 : binary);
	probe_remember_parent();
	/* Secrets arrive soon: other processes of our uid must not read our memory. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (close_range(CONTRACT_FD_NEXT, ~0u, 0) == -1)
		for (int fd = CONTRACT_FD_NEXT, end = (int)sysconf(_SC_OPEN_MAX); fd < end; fd++)
			close(fd);
	reset_signals();
	child_keep_memory();
	umask(077);
	watch = mmap(NULL, sizeof(*watch), PROT_READ | PROT_WRITE, MAP_SHARED, CONTRACT_FD_WATCH, 0);
	if (watch == MAP_FAILED) {
		log_error("%s is started by carreld, not by hand", binary);
		_exit(EXIT_PEER);
	}
	/* The mapping stays; without the descriptor this process cannot shrink what the supervisor reads. */
	close(CONTRACT_FD_WATCH);
	return watch;
}

void
child_unable(enum contract_exit code, const struct err *err)
{
	struct ipc_unable msg = { .reason = span_str(err->message) };

	if (msg.reason.len == 0)
		msg.reason = SPAN("no reason given");
	/* Who tries again and again is logged by the supervisor, which knows whether the reason is a new one. */
	if (code != EXIT_CONNECTION || err->detail[0] != '\0')
		log_error("%.*s%s%s", SPAN_FMT(msg.reason), err->detail[0] != '\0' ? ": " : "", err->detail);
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_UNABLE, &msg, -1);
	_exit((int)code);
}

void
child_ready(const struct confine_report *report, bool asks)
{
	struct ipc_ready msg = {
		.landlock_abi = report->landlock_abi, .namespaces = report->namespaces,
		.degraded = report->degraded, .note = span_str(report->note), .asks = asks
	};

	if (report->degraded)
		log_warn("degraded confinement: %s", report->note);
	if (control_send(CONTRACT_FD_CONTROL, IPC_MSG_READY, &msg, -1) == -1) {
		log_error("cannot say ready: %s", strerror(errno));
		_exit(errno == EPIPE ? EXIT_ORPHANED : EXIT_PEER);
	}
}

static void
child_say(unsigned type, const void *msg)
{
	if (control_send(CONTRACT_FD_CONTROL, type, msg, -1) == 0)
		return;
	log_error("cannot greet with %s: %s", ipc_type_name(type), strerror(errno));
	_exit(errno == EPIPE ? EXIT_ORPHANED : EXIT_PEER);
}

static void
say_hello(void)
{
	child_say(IPC_MSG_HELLO, &(struct ipc_hello){ .version = ipc_version() });
}

/* True when *msg is filled; exits on what leaves nothing to wait for. */
static bool
take_configuration(enum ipc_role role, unsigned configure, struct buf *buf, void *msg, size_t size)
{
	struct err err = { .code = ERR_NONE };
	struct ipc_frame f;
	enum ipc_fault fault;
	int fd;

	switch (control_recv(CONTRACT_FD_CONTROL, buf, &f, &fd, &fault)) {
	case CHANNEL_MORE:
		return false;
	case CHANNEL_CLOSED:
		_exit(EXIT_ORPHANED);
	case CHANNEL_BROKEN:
		err_set(&err, ERR_INTERNAL, "the supervisor broke the protocol: %s", ipc_fault_name(fault));
		child_unable(EXIT_PEER, &err);
	case CHANNEL_FRAME:
		break;
	}
	if (f.type == IPC_MSG_SHUTDOWN)
		_exit(EXIT_STOPPED);
	if (f.type != configure) {
		err_set(&err, ERR_INTERNAL, "expected a configuration, got %s", ipc_type_name(f.type));
		child_unable(EXIT_PEER, &err);
	}
	if ((fault = ipc_unpack(f.type, IPC_SUPERVISOR, role, f.body, msg, size)) != IPC_OK) {
		err_set(&err, ERR_INTERNAL, "supervisor and child disagree about %s: %s", ipc_type_name(f.type),
		    ipc_fault_name(fault));
		child_unable(EXIT_VERSION, &err);
	}
	return true;
}

static int
await_configuration(enum ipc_role role, unsigned configure, struct buf *buf, void *msg, size_t size,
    struct err *err)
{
	uint64_t until = clock_ns() + CONTRACT_READY_MS * CLOCK_MS, now;
	struct pollfd p = { CONTRACT_FD_CONTROL, POLLIN, 0 };

	while ((now = clock_ns()) < until)
		if (poll(&p, 1, (int)((until - now) / CLOCK_MS) + 1) > 0 &&
		    take_configuration(role, configure, buf, msg, size))
			return 0;
	return err_set(err, ERR_INTERNAL, "no configuration came within %d s", CONTRACT_READY_MS / 1000);
}

int
child_greet(enum ipc_role role, unsigned configure, struct buf *buf, void *msg,
    size_t size, struct err *err)
{
	say_hello();
	return await_configuration(role, configure, buf, msg, size, err);
}

static void
announce(const struct role *role)
{
	struct buf out = BUF_MAX(IPC_CONTROL_MAX);
	struct err err;

	if (tool_announce(role->tools, &out, &err) == -1)
		child_unable(EXIT_CONFIG, &err);
	child_say(IPC_MSG_TOOLS, &(struct ipc_tools){ .tools = buf_view(&out) });
	buf_fini(&out);
}

/* What the configuration says about confinement. */
struct confine_terms {
	struct confine_places	places;
	uint64_t		memory_max;
	bool			best_effort;
};

/* Without one no LOCAL tool is served. */
static void
take_local_key(struct runtime *rt, const void *msg)
{
	struct span key;

	if (rt->role->tools == NULL)
		return;
	memcpy(&key, (const uint8_t *)msg + rt->role->local_key, sizeof(key));
	rt->has_local_key = key.len == sizeof(rt->local_key);
	if (rt->has_local_key)
		memcpy(rt->local_key, key.p, key.len);
}

static void
child_configure(struct runtime *rt, struct confine_terms *terms)
{
	const struct role *role = rt->role;

	struct buf buf = BUF_MAX(IPC_CONTROL_MAX);
	struct err err = { .code = ERR_NONE };
	void *msg = mem_new(1, role->configure_size);

	if (await_configuration(role->role, role->configure, &buf, msg, role->configure_size, &err) == -1)
		child_unable(EXIT_PEER, &err);
	if (role->configure_with(msg, &rt->state, &terms->places, &terms->memory_max, &terms->best_effort, &err) == -1)
		child_unable(EXIT_CONFIG, &err);
	take_local_key(rt, msg);
	buf_wipe(&buf);
	free(msg);
}

static void
confine_and_open(const struct role *role, const struct policy_profile *profile, void *state,
    const struct confine_terms *terms)
{
	struct confine_report report;
	struct err err = { .code = ERR_NONE };

	/* What a server answers before the confinement has the same bound. */
	if (role->connect != NULL && confine_memory(profile, terms->memory_max, &err) == -1 && !terms->best_effort)
		child_unable(EXIT_CONFINEMENT, &err);
	if (role->connect != NULL && role->connect(state, &err) == -1)
		child_unable(EXIT_CONNECTION, &err);
	if (confine_files(profile, &terms->places, terms->memory_max, terms->best_effort, 0, &report, &err) == -1)
		child_unable(EXIT_CONFINEMENT, &err);
	if (role->open != NULL && role->open(state, &err) == -1)
		child_unable(err.code == ERR_DATABASE_UNAVAILABLE ? EXIT_CONNECTION : EXIT_CONFIG, &err);
	if (confine_calls(profile, terms->best_effort, &report, &err) == -1)
		child_unable(EXIT_CONFINEMENT, &err);
	child_ready(&report, role->ready != NULL && role->ready(state));
}

int
child_main(const struct role *role)
{
	struct runtime rt = { .role = role, .watch_fd = -1, .code = EXIT_STOPPED };
	struct confine_terms terms = { .best_effort = false };
	const char *profile = role->profile != NULL ? role->profile : ipc_role_name(role->role);
	struct err err;

	rt.watch = child_begin(role->binary != NULL ? role->binary : ipc_role_row(role->role)->binary);
	rt.last = &rt.first;
	rt.last_state = &rt.states;
	rt.control = BUF_MAX(IPC_CONTROL_MAX);
	rt.report = BUF_MAX(IPC_CONTROL_MAX);
	if ((rt.profile = policy_profile(profile)) == NULL) {
		err_set(&err, ERR_INTERNAL, "there is no profile %s", profile);
		child_unable(EXIT_CONFINEMENT, &err);
	}
	say_hello();
	if (role->tools != NULL)
		announce(role);
	child_configure(&rt, &terms);
	confine_and_open(role, rt.profile, rt.state, &terms);
	if (role->watch != NULL)
		rt.watch_fd = role->watch(rt.state);
	(void)serve_run(&rt);
	if (role->close != NULL)
		role->close(rt.state);
	munmap(rt.watch, sizeof(*rt.watch));
	return (int)rt.code;
}
