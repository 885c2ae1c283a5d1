#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/mp.h"
#include "policy/proof.h"
#include "project/repository.h"
#include "supervisor/verify/verify_household.h"
#include "supervisor/verify/verify_peer.h"
#include "supervisor/configure.h"
#include "supervisor/orphans.h"
#include "supervisor/verify/verify.h"
#include "ipc/control.h"
#include "policy/profiles.h"

#define PART_NS	(2 * CLOCK_SECOND)	/* for the keeper and its hand to end after the process that started them */

static void
send_acts(struct trial *t)
{
	struct ipc_probe msg = { .act = t->act, .part = t->part, .path = span_str(t->path) };

	t->came.asked = control_send(t->process.control, IPC_MSG_PROBE, &msg, -1) == 0;
}

static bool
trial_said(void *arg, const struct ipc_frame *frame, const union ipc_any *msg)
{
	struct trial *t = arg;

	switch (frame->type) {
	case IPC_MSG_READY:
		send_acts(t);
		break;
	case IPC_MSG_UNABLE:
		snprintf(t->why, sizeof(t->why), "%.*s", SPAN_FMT(msg->unable.reason));
		break;
	case IPC_MSG_PROBED:
		t->came.answered = true;
		t->came.error = (int)msg->probed.error;
		break;
	default:
		break;
	}
	return true;
}

static const struct process_hooks trial_hooks = { .frame = trial_said };

static void
verify_converse(struct trial *t)
{
	const uint64_t end = clock_ns() + CONTRACT_READY_MS * CLOCK_MS;

	while (!t->came.answered && clock_ns() < end && process_look(&t->process, (const int[]){ -1, -1 }, 1000))
		;
}

/* The signal by which a child of the probed process died; 0: none did. */
static int
bury_part(void)
{
	const uint64_t end = clock_ns() + PART_NS;
	siginfo_t dead = { .si_pid = 0 };
	int signal = 0;

	while (clock_ns() < end && waitid(P_ALL, 0, &dead, WEXITED | WNOHANG) == 0) {
		if (dead.si_pid != 0 && dead.si_code != CLD_EXITED)
			signal = dead.si_status;
		else if (dead.si_pid == 0)
			usleep(1000);
	}
	return signal;
}

/* A process that closed its channel is ending by itself: its exit status is the verdict. */
static void
verify_collect(struct trial *t)
{
	struct pollfd dead = { t->process.pidfd, POLLIN, 0 };
	struct death d = { .signalled = false };

	if (t->came.answered || poll(&dead, 1, 2000) <= 0)
		process_kill(&t->process, DEATH_BY_STOP);
	if (process_reap(&t->process, &d)) {
		t->came.signal = d.signalled ? d.status : t->part != IPC_PART_SELF ? bury_part() : 0;
		if (!t->came.asked && t->why[0] == '\0')
			death_text(&d, t->why, sizeof(t->why));
	}
	trial_end(t);
}

/* The configuration of an unconnected worker; contains nothing of the project, and a path only of our own. */
static int
configure_unconnected(struct trial *t)
{
	struct buf none = { 0 };
	struct ipc_configure_sql m = {
		.connection = SPAN("verify"), .driver = span_str(t->driver->name), .timeout_ms = 1000, .max_rows = 1,
		.result_bytes = 1024, .memory_max = t->cfg->worker_memory, .max_requests = 1, .stand_in = 1,
		.best_effort = t->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};
	uint8_t key[PROOF_KEY];
	int r;

	if (t->driver->place == DRIVER_FILE)
		m.path = span_str(t->only.path);
	keys_derive_local(t->sup->local_root, ipc_role_name(t->process.role), key, sizeof(key));
	m.local_key = span_of(key, sizeof(key));
	mp_put_array(&none, 0);
	m.schemas = m.enabled_tables = m.functions = m.columns = m.team = buf_view(&none);
	t->process.config.type = IPC_MSG_CONFIGURE_SQL;
	t->process.config.body.max = IPC_CONTROL_MAX;
	r = ipc_pack(t->process.config.type, &m, &t->process.config.body);
	buf_fini(&none);
	return r;
}

static int
trial_pack(struct trial *t, struct err *err)
{
	if (!t->unconnected)
		return configure_pack(t->sup, t->cfg, t->process.role, t->connection, &t->process.config, err);
	return configure_unconnected(t) == 0 ? 0 : err_set(err, ERR_INTERNAL, "the configuration cannot be packed");
}

int
trial_start(struct trial *t, const struct process_hooks *hooks, void *arg)
{
	struct err err;

	t->why[0] = '\0';
	process_init(&t->process, t->process.role, hooks, arg, NULL, NULL);
	if (trial_pack(t, &err) == 0 && process_start(&t->process, t->sup->bin_dir, t->binary, 0, &err) == 0)
		return 0;
	snprintf(t->why, sizeof(t->why), "%.250s", err.message);
	process_close(&t->process);
	return -1;
}

void
trial_end(struct trial *t)
{
	struct death d;

	process_kill(&t->process, DEATH_BY_STOP);
	(void)process_reap(&t->process, &d);
	process_close(&t->process);
	orphans_reap(t->sup);
}

static void
try_act(struct trial *t, const struct policy_act *act)
{
	t->act = act->number;
	t->came = (struct policy_trial){ .nothing = false };
	t->why[0] = '\0';
	if (aims_find(&t->aims, act->aim, t->path, t->why, sizeof(t->why)) == NULL || strlen(t->path) > IPC_SMALL) {
		t->came.nothing = true;
		return;
	}
	if (trial_start(t, &trial_hooks, t) != 0)
		return;
	verify_converse(t);
	verify_collect(t);
}

static void
outcome_text(const struct trial *t, char *out, size_t cap)
{
	const struct policy_trial *c = &t->came;
	const char *name;

	if (c->nothing)
		snprintf(out, cap, "%s", t->why);
	else if (!c->asked)
		snprintf(out, cap, "it could not be started: %s", t->why);
	else if (c->answered && c->error == 0)
		snprintf(out, cap, "succeeded");
	else if (c->answered)
		snprintf(out, cap, "%s", (name = strerrorname_np(c->error)) != NULL ? name : "an unknown errno");
	else if (c->signal != 0)
		snprintf(out, cap, "killed by SIG%s", (name = sigabbrev_np(c->signal)) != NULL ? name : "?");
	else
		snprintf(out, cap, "no answer");
}

static void
put_text(struct buf *line, const char *member, const char *text)
{
	json_put_cstr(line, member, text != NULL && text[0] != '\0' ? text : NULL);
}

void
verify_print(const struct verify_line *l)
{
	static const char *const words[] = { "refused", "not tried", "failed" };
	struct buf line = { 0 };

	json_put_object(&line, NULL);
	json_put_cstr(&line, "process", l->process);
	json_put_cstr(&line, "act", l->act);
	put_text(&line, "what", l->what);
	put_text(&line, "at", l->at);
	put_text(&line, "path", l->path);
	put_text(&line, "expected", l->expected);
	put_text(&line, "outcome", l->outcome);
	put_text(&line, "standIn", l->note);
	json_put_cstr(&line, "result", words[l->judgement]);
	json_put_bool(&line, "ok", l->judgement != POLICY_FAILED);
	json_end_object(&line);
	buf_byte(&line, '\n');
	fputs(buf_cstr(&line), stdout);
	fflush(stdout);
	buf_fini(&line);
}

static enum policy_judgement
verify_report(const struct trial *t, const struct policy_profile *p)
{
	const struct policy_act *act = policy_act(t->act);
	enum policy_claim claim = policy_act_claim(p, t->act);
	enum policy_judgement judgement = policy_judge(claim, &t->came);
	char outcome[512];

	outcome_text(t, outcome, sizeof(outcome));
	verify_print(&(struct verify_line){ .process = p->name, .act = act->name, .what = act->what, .path = t->path,
	    .expected = policy_claim_name(claim), .outcome = outcome, .note = t->note, .judgement = judgement });
	return judgement;
}

/* The first connection other than `but` of the driver, or (driver NULL) to a file; else NULL. */
static const struct config_connection *
connection_of(const struct config *cfg, const struct db_driver *driver, const struct config_connection *but)
{
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (&cfg->connections[i] != but && cfg->connections[i].driver != NULL &&
		    (driver == NULL || driver == cfg->connections[i].driver) &&
		    (cfg->connections[i].path != NULL ||
			(driver != NULL && (driver->place != DRIVER_FILE || driver->files != NULL))))
			return &cfg->connections[i];
	return NULL;
}

struct config_connection
standin_connection(const struct standins *s, const struct db_driver *file)
{
	return (struct config_connection){ .id = "verify", .name = "verify", .driver_name = file->name, .driver = file,
		.path = s->database, .workers = 1 };
}

static void
stand_in_file(struct trial *t, const struct standins *s, const char *note)
{
	t->stand_in = *t->sup->cfg;
	t->only = standin_connection(s, t->driver);
	t->stand_in.nconnections = 1;
	t->stand_in.connections = &t->only;
	t->cfg = &t->stand_in;
	t->connection = t->only.id;
	t->aims.database = s->database;
	t->unconnected = (t->driver->traits & DRIVER_EMPTY) == 0;
	t->note = note;
}

/* Configure the SQL worker as for serving, but with a database that does not answer. */
bool
trial_without_database(struct trial *t, const struct standins *s)
{
	if (t->note != NULL || t->driver == NULL)
		return false;
	if (t->driver->place == DRIVER_FILE)
		stand_in_file(t, s,
		    (t->driver->traits & DRIVER_EMPTY) != 0 ?
			"the configured database could not be opened; tried with an empty one" :
			"the configured database could not be opened; tried without opening one");
	else {
		t->unconnected = true;
		t->note = "the configured database could not be reached; tried without a connection";
	}
	return true;
}

/* The worker reads one file, or those of its connection, of which the first one is tried. */
static void
aim_at_files(struct trial *t, const struct config_connection *c)
{
	t->aims.database = c->path;
	if (c->path != NULL)
		return;
	t->driver->files(c, &t->found);
	t->aims.files = &t->found.files;
	t->aims.database = t->found.files.n > 0 ? t->found.files.v[0] : NULL;
}

static void
stand_for_sql(struct trial *t, const struct standins *s)
{
	const struct config_connection *c = connection_of(t->sup->cfg, t->driver, NULL), *other;

	if (c != NULL) {
		t->connection = c->id;
		if (t->driver->place == DRIVER_FILE)
			aim_at_files(t, c);
	} else {
		bool file = t->driver->place == DRIVER_FILE;

		snprintf(t->said, sizeof(t->said), "no %s connection is configured; tried with%s", t->driver->display,
		    (t->driver->traits & DRIVER_EMPTY) != 0 ? " an empty database" : "out one");
		if (file)
			stand_in_file(t, s, t->said);
		t->unconnected = t->unconnected || !file;
		t->note = t->said;
	}
	if (t->driver->place == DRIVER_FILE)
		t->aims.other = (other = connection_of(t->sup->cfg, NULL, c)) != NULL ? other->path : s->other;
}

static void
stand_for_git(struct trial *t, const struct standins *s)
{
	if (t->aims.git != NULL)
		return;
	t->stand_in = *t->sup->cfg;
	t->stand_in.project_dir = s->project;
	t->cfg = &t->stand_in;
	t->aims.git = s->git;
	t->note = "the project lies in no git repository; tried with an empty one";
}

/* The keys of this run are drawn: they must not meet the project's own store. */
static void
stand_for_auth(struct trial *t, const struct standins *s)
{
	t->stand_in = *t->sup->cfg;
	t->stand_in.state = s->state;
	t->stand_in.state_url = NULL;
	t->cfg = &t->stand_in;
	t->binary = configure_binary(t->sup->cfg, IPC_AUTH, "");
	t->note = "tried with an empty state store";
}

/* Without a receiver nothing is sent to it, and its headers are not needed. */
static void
stand_for_telemetry(struct trial *t, const struct standins *s)
{
	(void)s;
	t->stand_in = *t->sup->cfg;
	t->stand_in.telemetry.otlp = NULL;
	t->cfg = &t->stand_in;
}

/* The roles that use data of the project: a trial replaces the data, or supplies it where the project has none. */
static const struct {
	enum ipc_role role;
	void (*stand_for)(struct trial *t, const struct standins *s);
} possessions[] = {
	{ IPC_SQL, stand_for_sql },
	{ IPC_GIT, stand_for_git },
	{ IPC_AUTH, stand_for_auth },
	{ IPC_TELEMETRY, stand_for_telemetry },
};

void
trial_stand_for(struct trial *t, const struct policy_profile *p, const struct standins *s, const char *git)
{
	const struct config *cfg = t->sup->cfg;
	const struct config_connection *file = connection_of(cfg, NULL, NULL), *second = connection_of(cfg, NULL, file);

	t->cfg = cfg;
	t->driver = drivers_of_profile(p->name);
	t->part = p->part;
	t->unconnected = false;
	t->note = NULL;
	wildcards_fini(&t->found);
	t->aims = (struct aims){
		.project = t->sup->project_dir, .config = cfg->file, .home = launch_getenv(&t->sup->launch, "HOME"),
		.git = git,
		.database = file != NULL ? file->path : s->database, .other = second != NULL ? second->path : s->other
	};
	t->binary = p->binary;
	t->connection = "";
	t->process.role = hostile_role(p);
	for (size_t i = 0; i < sizeof(possessions) / sizeof(possessions[0]); i++)
		if (possessions[i].role == t->process.role)
			possessions[i].stand_for(t, s);
}

/* True when all that was tried was refused. */
static bool
try_process(struct trial *t, const struct policy_profile *p, const struct standins *s)
{
	bool all = true;

	if (!policy_acts_concern(p))
		return true;
	for (const struct policy_act *act = policy_acts; act->number != 0; act++) {
		if (policy_act_permitted(p, act->number))
			continue;
		try_act(t, act);
		if (!t->came.nothing && !t->came.asked && trial_without_database(t, s))
			try_act(t, act);
		all = verify_report(t, p) != POLICY_FAILED && all;
		if (!t->came.nothing && !t->came.asked)
			break; /* the next instance would not get further */
	}
	return all;
}

/* The messages to workers, then theirs to the front, then those of all processes to the supervisor. */
static bool
try_words(struct trial *t, const struct standins *s, const char *git)
{
	struct verify_tools tools = { .of = { { 0 } } };
	bool all = true;

	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++) {
		trial_stand_for(t, p, s, git);
		if ((t->process.role & IPC_WORKER) != 0)
			all = verify_worker(t, p, s, &tools) && all;
	}
	trial_stand_for(t, hostile_profile(IPC_FRONT), s, git);
	all = verify_front(t, s, &tools) && all;
	all = verify_household(t->sup, s) && all;
	for (unsigned i = 0; i < IPC_ROLES; i++)
		buf_fini(&tools.of[i]);
	return all;
}

int
verify_sandbox(struct supervisor *sup)
{
	struct trial *t = mem_new(1, sizeof(*t));
	struct repository *r = mem_new(1, sizeof(*r));
	struct standins s = { .dir = "" };
	const char *git = NULL;
	struct err err;
	bool all = true;

	t->sup = sup;
	randombytes_buf(sup->root_key, sizeof(sup->root_key));
	randombytes_buf(sup->local_root, sizeof(sup->local_root));
	if (repository_find(sup->cfg->project_dir, r, NULL) == 1)
		git = r->common_dir;
	if (standins_make(&s, &err) != 0) {
		log_error("%s", err.message);
		all = false;
	}
	for (const struct policy_profile *p = policy_profiles; s.dir[0] != '\0' && p->name != NULL; p++) {
		trial_stand_for(t, p, &s, git);
		all = try_process(t, p, &s) && all;
	}
	if (s.dir[0] != '\0')
		all = try_words(t, &s, git) && all;
	/* Keepers hold their repository until they are gone. */
	orphans_reap_last(sup);
	standins_remove(&s);
	wildcards_fini(&t->found);
	free(r);
	free(t);
	return all ? 0 : 1;
}
