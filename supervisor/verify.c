/*
 * verify.c - `carrel sandbox verify`: every forbidden act, tried for real in a
 * fresh instance of the serving binary, configured and confined like it.
 *
 * One act an instance, since many a verdict is a kill.  No loop here: one
 * child at a time, spoken to with poll(2).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "policy/acts.h"
#include "project/repository.h"
#include "supervisor/supervisor.h"

#define BESIDE_MOST	1000	/* entries of a directory that are looked at */

/* What came of one act. */
struct verdict {
	bool	probed;		/* it answered: error is the errno, 0 when it succeeded */
	int	error;
	bool	nothing;	/* there is nothing that it could be tried on */
	bool	asked;		/* PROBE was sent: a death from here on is the verdict */
	int	signal;		/* it was killed */
	char	why[256];	/* it never got so far */
};

struct trial {
	struct supervisor	*sup;
	struct child		 role;		/* whom it stands for; never started as one */
	const char		*database;
	char			 beside[4096];	/* see find_beside(); empty: nothing lies there */
	unsigned		 act;
	struct spawned		 process;
	struct buf		 config;
	unsigned		 config_type;
	struct verdict		 verdict;
};

static void
ask(struct trial *t)
{
	struct ipc_probe msg = {
		.act = t->act, .project_dir = span_str(t->sup->project_dir),
		.database = span_str(t->database), .beside = span_str(t->beside),
		.home = span_str(launch_getenv(&t->sup->launch, "HOME")),
	};

	t->verdict.asked = control_send(t->process.control, IPC_MSG_PROBE, &msg, -1) == 0;
}

/* The configuration again as a struct, for control_send(). */
static void
configure(struct trial *t)
{
	const struct ipc_schema *schema = ipc_schema(t->config_type);
	union { unsigned char bytes[1024]; uint64_t align; } msg;

	if (schema->size <= sizeof(msg) && ipc_unpack(t->config_type, IPC_SUPERVISOR, t->role.role,
	    buf_view(&t->config), &msg, schema->size) == IPC_OK)
		(void)control_send(t->process.control, t->config_type, &msg, -1);
}

/* True when there is nothing more to wait for. */
static bool
take(struct trial *t, const struct ipc_frame *frame)
{
	struct ipc_unable unable;
	struct ipc_probed probed;

	switch (frame->type) {
	case IPC_MSG_HELLO:
		configure(t);
		return false;
	case IPC_MSG_READY:
		ask(t);
		return false;
	case IPC_MSG_UNABLE:
		if (ipc_unpack(frame->type, t->role.role, IPC_SUPERVISOR, frame->body, &unable, sizeof(unable)) == IPC_OK)
			snprintf(t->verdict.why, sizeof(t->verdict.why), "%.*s", SPAN_FMT(unable.reason));
		return false;
	case IPC_MSG_PROBED:
		if (ipc_unpack(frame->type, t->role.role, IPC_SUPERVISOR, frame->body, &probed, sizeof(probed)) != IPC_OK)
			return true;
		t->verdict.probed = true;
		t->verdict.error = (int)probed.error;
		return true;
	default:
		return false;
	}
}

static void
converse(struct trial *t)
{
	const uint64_t end = clock_ns() + CONTRACT_READY_MS * CLOCK_MS;
	struct log_file nowhere = { .dir_fd = -1, .fd = -1, .copy_fd = -1 };
	struct log_lines lines = { .len = 0 };
	struct buf packet = { 0 };
	struct ipc_frame frame;
	enum ipc_fault fault;
	int passed;

	for (bool over = false; !over && clock_ns() < end;) {
		struct pollfd fds[] = { { t->process.control, POLLIN, 0 }, { t->process.log, POLLIN, 0 } };
		enum channel_status status = CHANNEL_MORE;

		if (poll(fds, 2, 1000) < 0 && errno != EINTR)
			break;
		if ((fds[1].revents & POLLIN) != 0)
			log_file_drain(&nowhere, &lines, t->process.log, "", 0, false);
		while (!over && (status = control_recv(t->process.control, &packet, &frame, &passed, &fault)) == CHANNEL_FRAME) {
			if (passed >= 0)
				close(passed);
			over = take(t, &frame);
		}
		over = over || status == CHANNEL_CLOSED || status == CHANNEL_BROKEN;
	}
	buf_fini(&packet);
}

/* One that closed its channel is dying of its own accord: its status is the verdict. */
static void
collect(struct trial *t)
{
	struct pollfd dead = { t->process.pidfd, POLLIN, 0 };
	siginfo_t info = { .si_pid = 0 };
	struct death d;

	if (t->verdict.probed || poll(&dead, 1, 2000) <= 0)
		kill(t->process.pid, SIGKILL);
	if (waitid(P_PIDFD, (id_t)t->process.pidfd, &info, WEXITED) != 0)
		return;
	d = (struct death){ .signalled = info.si_code != CLD_EXITED, .status = info.si_status };
	t->verdict.signal = d.signalled ? d.status : 0;
	if (!t->verdict.asked && t->verdict.why[0] == '\0')
		death_text(&d, t->verdict.why, sizeof(t->verdict.why));
}

static void
try_act(struct trial *t)
{
	uint8_t digest[32];
	struct err err;

	t->verdict = (struct verdict){ .probed = false };
	if (t->act == POLICY_ACT_READ_BESIDE && t->database != NULL && t->beside[0] == '\0') {
		t->verdict.nothing = true;
		snprintf(t->verdict.why, sizeof(t->verdict.why), "no other file lies in the database's directory");
		return;
	}
	if (configure_pack(t->sup, t->sup->cfg, &t->role, &t->config_type, &t->config, digest, &err) != 0 ||
	    spawn_child(t->sup->bin_dir, t->role.binary, &t->process, &err) != 0) {
		snprintf(t->verdict.why, sizeof(t->verdict.why), "%.250s", err.message);
	} else {
		converse(t);
		collect(t);
		spawn_close(&t->process);
	}
	buf_wipe(&t->config);
}

/* Print the line; true when the act was refused. */
static bool
report(const struct trial *t, const char *process)
{
	const struct policy_act *act = policy_act(t->act);
	const struct verdict *v = &t->verdict;
	bool killed = v->asked && !v->probed && v->signal == SIGSYS, ok = killed || v->nothing || (v->probed && v->error != 0);
	struct buf line = { 0 };
	char outcome[300];

	if (killed)
		snprintf(outcome, sizeof(outcome), "killed");
	else if (v->probed && v->error == 0)
		snprintf(outcome, sizeof(outcome), "succeeded");
	else if (v->probed)
		snprintf(outcome, sizeof(outcome), "%s", strerrorname_np(v->error) != NULL ?
		    strerrorname_np(v->error) : "an unknown errno");
	else if (v->asked)
		snprintf(outcome, sizeof(outcome), "no answer (signal %d)", v->signal);
	else
		snprintf(outcome, sizeof(outcome), "not tried: %s", v->why);
	buf_printf(&line, "{\"process\":\"%s\",\"act\":\"%s\",\"what\":\"%s\",\"expected\":\"refused\",\"outcome\":",
	    process, act->name, act->what);
	json_write_string(&line, span_str(outcome));
	buf_printf(&line, ",\"ok\":%s}\n", ok ? "true" : "false");
	fputs(buf_cstr(&line), stdout);
	fflush(stdout);
	buf_fini(&line);
	return ok;
}

static bool
lies_in_repository(const struct config *cfg)
{
	struct repository *r = mem_alloc(sizeof(*r));
	bool found;

	found = repository_find(cfg->project_dir, r, NULL) == 1;
	free(r);
	return found;
}

/* One of the four names that a database's files have. */
static bool
is_of_database(const char *name, const char *base)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	size_t n = strlen(base);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (strncmp(name, base, n) == 0 && strcmp(name + n, suffixes[i]) == 0)
			return true;
	return false;
}

/* A file in the directory, or in one just below, that is none of the database's: what its worker must not read. */
static bool
find_in(const char *dir, const char *base, bool below, char *out, size_t cap)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool found = false;

	for (unsigned n = 0; d != NULL && !found && n < BESIDE_MOST && (e = readdir(d)) != NULL; n++) {
		char path[PATH_MAX];
		struct stat st;

		if (e->d_name[0] == '.' || (base != NULL && is_of_database(e->d_name, base)) ||
		    snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >= (int)sizeof(path) || lstat(path, &st) != 0)
			continue;
		if (S_ISREG(st.st_mode) && strlen(path) < cap) {
			snprintf(out, cap, "%s", path);
			found = true;
		} else if (S_ISDIR(st.st_mode) && below)
			found = find_in(path, NULL, false, out, cap);
	}
	if (d != NULL)
		closedir(d);
	return found;
}

static void
find_beside(const char *database, char *out, size_t cap)
{
	char real[PATH_MAX], *slash;

	out[0] = '\0';
	if (realpath(database, real) == NULL || (slash = strrchr(real, '/')) == NULL)
		return;
	*slash = '\0';
	(void)find_in(slash == real ? "/" : real, slash + 1, true, out, cap);
}

/* Whom a profile confines; false when the configuration has no such process. */
static bool
stand_for(struct trial *t, const struct policy_profile *p)
{
	static char none[] = "";
	enum config_driver driver = strcmp(p->name, "sql-postgres") == 0 ? CONFIG_DRIVER_POSTGRES : CONFIG_DRIVER_SQLITE;
	const struct config *cfg = t->sup->cfg;

	t->role = (struct child){ .sup = t->sup, .binary = p->binary, .connection = none };
	t->role.role = strcmp(p->name, "front") == 0 ? IPC_FRONT : strcmp(p->name, "search") == 0 ? IPC_SEARCH :
	    strcmp(p->name, "memory") == 0 ? IPC_MEMORY : strcmp(p->name, "git") == 0 ? IPC_GIT : IPC_SQL;
	t->database = NULL;
	t->beside[0] = '\0';
	if (t->role.role == IPC_GIT)
		return lies_in_repository(cfg);
	for (size_t i = 0; t->role.role == IPC_SQL && i < cfg->nconnections; i++)
		if (cfg->connections[i].driver == driver) {
			t->role.connection = (char *)(uintptr_t)cfg->connections[i].id;
			t->database = cfg->connections[i].path;
			if (t->database != NULL)
				find_beside(t->database, t->beside, sizeof(t->beside));
			return true;
		}
	return t->role.role != IPC_SQL;
}

int
verify_run(struct supervisor *sup)
{
	struct trial t = { .sup = sup };
	bool all = true;

	randombytes_buf(sup->root_key, sizeof(sup->root_key));
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++) {
		if (!stand_for(&t, p))
			continue;
		for (const struct policy_act *act = policy_acts; act->number != 0; act++) {
			if (policy_act_permitted(p, act->number))
				continue;
			t.act = act->number;
			try_act(&t);
			all = report(&t, p->name) && all;
			if (!t.verdict.asked && !t.verdict.nothing)
				break;	/* the next instance would not get further */
		}
	}
	return all ? 0 : 1;
}
