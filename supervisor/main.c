/*
 * carreld - the supervisor.  In order: how it was started, the configuration,
 * the listening sockets, the children; then the loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/log.h"
#include "base/mem.h"
#include "supervisor/events.h"
#include "supervisor/configure.h"
#include "supervisor/household.h"
#include "supervisor/orphans.h"
#include "supervisor/state_dir.h"
#include "supervisor/verify/verify.h"

/* Protect our memory, make files private, and block signals until the loop runs. */
static void
settle_in(sigset_t *signals)
{
	struct rlimit files;

	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	umask(077);
	signal(SIGPIPE, SIG_IGN);
	/* A shell that starts us in the background ignores these signals, and we could not be stopped. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigemptyset(signals);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGHUP);
	sigprocmask(SIG_BLOCK, signals, NULL);
	orphans_adopt();
	/* Children inherit the soft limit, and the front holds a descriptor for every client. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

/*
 * Closes descriptors that the caller left open: a daemon that held a pipe
 * would never let it end, and would never release a lock.
 */
static void
close_strangers(const struct launch *l)
{
	unsigned last = (unsigned)STDERR_FILENO + listen_given(), next = last + 1;
	const int kept[] = { l->document_fd, l->status_fd, l->private_fd };

	for (;;) {
		unsigned keep = UINT_MAX;

		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			if (kept[i] >= 0 && (unsigned)kept[i] >= next && (unsigned)kept[i] < keep)
				keep = (unsigned)kept[i];
		if (keep > next)
			syscall(SYS_close_range, next, keep == UINT_MAX ? UINT_MAX : keep - 1, 0);
		if (keep == UINT_MAX)
			return;
		next = keep + 1;
	}
}

/* A daemon holds on to no terminal and no directory. */
static void
detach(const struct launch *l)
{
	int null;

	if (chdir("/") != 0)
		log_warn("/: %s", strerror(errno));
	if (l->foreground)
		return;
	setsid();
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
}

static int
find_project(struct supervisor *sup, struct arena *a, struct err *err)
{
	if ((sup->project_dir = config_find_project(a, sup->launch.project_dir, err)) == NULL)
		return -1;
	sup->project_fd = open(sup->project_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sup->project_fd < 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s: %s", sup->project_dir, strerror(errno));
	return 0;
}

/* The children's binaries are in the directory of ours. */
static int
find_binaries(struct supervisor *sup, struct err *err)
{
	char *slash;

	if ((sup->bin_dir = realpath("/proc/self/exe", NULL)) == NULL || (slash = strrchr(sup->bin_dir, '/')) == NULL)
		return err_set(err, ERR_INTERNAL, "/proc/self/exe: %s", strerror(errno));
	*slash = '\0';
	return 0;
}

static int
read_configuration(struct supervisor *sup, struct err *err)
{
	sup->arena = arena_new((size_t)64 << 20);
	if ((sup->cfg = arena_alloc(sup->arena, sizeof(*sup->cfg))) == NULL)
		return err_set(err, ERR_INTERNAL, "out of memory");
	if (household_configuration(sup, sup->arena, sup->cfg, err) != 0)
		return -1;
	sup->states = mem_new(sup->cfg->nconnections, sizeof(*sup->states));
	sup->sessions = ended_new(SUPERVISOR_SESSIONS_EACH, SUPERVISOR_SESSIONS);
	return 0;
}

static int
open_doors(struct supervisor *sup, struct err *err)
{
	int token = configure_has_token(sup, sup->cfg, err);

	if (token < 0)
		return -1;
	if (sup->launch.private_fd >= 0)
		return 0;
	if (configure_check_state(sup, sup->cfg, err) != 0)
		return -1;
	if (listen_open(&sup->listener, sup->cfg, token == 1, err) != 0)
		return -1;
	return state_dir_listen(sup, err);
}

static void
on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct signalfd_siginfo info;

	(void)what;
	while (read(fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGHUP)
			household_reload(arg);
		else
			household_drain(arg);
}

static void
start_loop(struct supervisor *sup, const sigset_t *signals)
{
	sup->signal_fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sup->signal_fd < 0)
		abort();
	sup->on_signal = mem_must(event_new(sup->base, sup->signal_fd, EV_READ | EV_PERSIST, on_signal, sup));
	event_add(sup->on_signal, NULL);
	supervisor_watch_clock(sup);
}

static void
tear_down(struct supervisor *sup)
{
	state_dir_close(sup);
	listen_close(&sup->listener);
	drop_event(&sup->on_signal);
	supervisor_fini(sup);
	free(sup->bin_dir);
	arena_free(sup->arena);
	sodium_memzero(sup->root_key, sizeof(sup->root_key));
	sodium_memzero(sup->local_root, sizeof(sup->local_root));
	launch_fini(&sup->launch);
	libevent_global_shutdown();
}

int
main(int argc, char **argv)
{
	struct supervisor sup;
	struct arena *forever = arena_new((size_t)1 << 20);
	struct err err = { .code = ERR_NONE };
	bool failed = true;
	sigset_t signals;

	log_init("carreld");
	supervisor_init(&sup);
	settle_in(&signals);
	if (sodium_init() < 0)
		abort();
	randombytes_buf(&sup.pools, sizeof(sup.pools));

	if (launch_read(&sup.launch, argc, argv, forever, &err) != 0)
		goto out;
	if (sup.launch.asked != NULL) {
		printf("%s\n%s", sup.launch.asked,
		    sup.launch.asked[0] == 'u' ?
			"`carrel mcp start` starts it as a project's daemon; carreld(8) explains the options.\n" :
			"");
		failed = false;
		goto out;
	}
	/* Before anything of our own is opened. */
	close_strangers(&sup.launch);
	if ((sup.base = event_base_new()) == NULL)
		abort();
	if (find_project(&sup, forever, &err) != 0 || find_binaries(&sup, &err) != 0)
		goto out;
	/* A daemon for one command lives only as long as the command: its start and end are not reported. */
	if (sup.launch.verify || sup.launch.private_fd >= 0)
		log_threshold(sup.launch.verify ? LOG_ERROR : LOG_WARN);
	if (read_configuration(&sup, &err) != 0)
		goto out;
	if (sup.launch.verify) {
		sup.exit_code = verify_sandbox(&sup);
		failed = false;
		goto out;
	}
	if (state_dir_open(&sup, &err) != 0)
		goto out;
	log_file_open(&sup.log, sup.state_fd, sup.launch.foreground);
	if (open_doors(&sup, &err) != 0)
		goto out;
	detach(&sup.launch);
	start_loop(&sup, &signals);
	if (sup.launch.private_fd < 0)
		events_tell(&sup, AUDIT_ACTION_DAEMON_START, AUDIT_OUTCOME_OK, NULL, "carreld " CARREL_VERSION);
	household_start(&sup);
	event_base_dispatch(sup.base);
	failed = false;
out:
	if (failed) {
		log_error("%s", err.message);
		launch_report(&sup.launch, NULL, err.message);
		sup.exit_code = 1;
	}
	tear_down(&sup);
	arena_free(forever);
	return sup.exit_code;
}
