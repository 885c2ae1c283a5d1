#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "supervisor/events.h"
#include "supervisor/children.h"
#include "supervisor/configure.h"
#include "supervisor/household.h"
#include "supervisor/state_dir.h"
#include "supervisor/team_tools.h"
#include "supervisor/wiring.h"

#define CONFIG_ARENA		((size_t)64 << 20)
#define DRAIN_FRONTS_MS		(CONTRACT_DRAIN_MS - 1500)	/* the fronts' part of the drain */
#define DRAIN_WORKERS_MS	1000				/* the workers' part, after that */
#define DRAIN_LAST_MS		1000	/* of those that stay longest; begins when the others have ended */

int
household_configuration(struct supervisor *sup, struct arena *a, struct config *cfg, struct err *err)
{
	struct config_issues issues;
	int result = config_load(a, sup->project_dir, cfg, &issues, err);
	struct stat st;

	if (result == 0 && fstatat(sup->project_fd, cfg->file, &st, 0) == 0)
		sup->config_modified_ms = (uint64_t)st.st_mtim.tv_sec * 1000 + (uint64_t)st.st_mtim.tv_nsec / 1000000;
	for (size_t i = 0; i < issues.n; i++)
		log_at(issues.list[i].fatal ? LOG_ERROR : LOG_WARN, "%s:%u: %s", cfg->file, issues.list[i].line,
		    issues.list[i].text);
	if (result == 0)
		result = launch_override(&sup->launch, a, cfg, err);
	return result == 0 ? team_tools_check(cfg, err) : -1;
}

static void
use_configuration(struct supervisor *sup, struct arena *a, struct config *cfg)
{
	struct connection_state *states = mem_new(cfg->nconnections, sizeof(*states));

	for (size_t i = 0; i < cfg->nconnections; i++)
		for (size_t j = 0; sup->cfg != NULL && j < sup->cfg->nconnections; j++)
			if (strcmp(cfg->connections[i].id, sup->cfg->connections[j].id) == 0)
				states[i] = sup->states[j];
	free(sup->states);
	arena_free(sup->arena);
	sup->states = states;
	sup->arena = a;
	sup->cfg = cfg;
}

/* The child that holds the place now: neither leaving nor about to be replaced. */
static struct child *
holder(struct supervisor *sup, enum ipc_role role, const char *connection, unsigned index)
{
	struct child *c, *other;

	TAILQ_FOREACH(c, &sup->children, entry) {
		bool replaced = false;

		if (c->role != role || c->index != index || strcmp(c->connection, connection) != 0 ||
		    c->life.state == LIFE_LEAVING)
			continue;
		TAILQ_FOREACH(other, &sup->children, entry)
			replaced = replaced || other->replaces == c;
		if (!replaced)
			return c;
	}
	return NULL;
}

static bool
is_unchanged(struct supervisor *sup, const struct child *c)
{
	struct configuration now = { .alone = c->process.config.alone };
	struct err err;
	bool same = configure_pack(sup, sup->cfg, c->role, c->connection, &now, &err) == 0 &&
	    memcmp(now.digest, c->process.config.digest, sizeof(now.digest)) == 0;

	buf_wipe(&now.body);
	return same;
}

void
household_seek(struct child *now, struct span reason)
{
	struct child *other, *next;

	TAILQ_FOREACH(other, &now->sup->children, entry)
		if (other->replaces == now)
			return;
	next = child_new(now->sup, now->role, now->connection, now->index);
	next->replaces = now;
	next->seeks = true;
	process_text(next->why, sizeof(next->why), reason);
	child_feed(next, LIFE_START, false);
}

/* Makes sure that a child with the current configuration holds the place. */
static void
hold_place(struct supervisor *sup, enum ipc_role role, const char *connection, unsigned index)
{
	struct child *now = holder(sup, role, connection, index), *next;

	if (now != NULL && now->process.pid < 0) {
		now->why[0] = '\0';                 /* the reason belongs to the old configuration */
		child_feed(now, LIFE_START, false); /* it gets the new configuration when it starts */
		return;
	}
	if (now != NULL && is_unchanged(sup, now))
		return;
	next = child_new(sup, role, connection, index);
	/* Two tunnels would have one socket: the old one ends first, and the workers wait for the new one. */
	if (now != NULL && child_is_serving(now) && role != IPC_TUNNEL)
		next->replaces = now;
	else if (now != NULL) {
		next->replaces = now->replaces;
		now->replaces = NULL;
		child_stop(now, 0);
	}
	child_feed(next, LIFE_START, false);
}

/* The processes of one client end with its command, before anything could be sent. */
static bool
wants_telemetry(const struct supervisor *sup)
{
	return sup->cfg->telemetry.otlp != NULL && sup->launch.private_fd < 0;
}

static bool
is_wanted(const struct supervisor *sup, const struct child *c)
{
	if (c->role == IPC_FRONT)
		return c->index < (sup->launch.private_fd >= 0 ? 1 : sup->cfg->fronts);
	if (c->role == IPC_TELEMETRY)
		return wants_telemetry(sup);
	if (!ipc_role_is_pooled(c->role) && c->role != IPC_TUNNEL)
		return true;
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		if (strcmp(sup->cfg->connections[i].id, c->connection) == 0)
			return c->role == IPC_TUNNEL ? sup->cfg->connections[i].ssh.host != NULL :
						       c->index < configure_workers(&sup->cfg->connections[i]);
	return false;
}

/*
 * SQL tools are listed even if no connection has a worker (none is
 * configured, or none correctly).  Then one worker is started only to
 * announce the tools, so that a call is answered with the configuration's
 * fault.
 */
static void
learn_tools(struct supervisor *sup)
{
	struct child *c;

	if (sup->tools[ipc_role_index(IPC_SQL)].len > 0)
		return;
	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->role == IPC_SQL && c->process.pid >= 0)
			return;
	c = child_new(sup, IPC_SQL, "", 0);
	c->tells_only = true;
	child_feed(c, LIFE_START, false);
}

bool
household_has(const struct supervisor *sup, const struct ipc_role_row *row)
{
	return row->place == IPC_PLACE_FRONT || row->place == IPC_PLACE_POOL ||
	    (row->place == IPC_PLACE_SINGLE && ((row->traits & IPC_STATE) == 0 || sup->state_fd >= 0));
}

void
household_start(struct supervisor *sup)
{
	unsigned fronts = sup->launch.private_fd >= 0 ? 1 : sup->cfg->fronts;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (ipc_roles[i].place == IPC_PLACE_SINGLE && household_has(sup, &ipc_roles[i]))
			hold_place(sup, ipc_roles[i].role, "", 0);
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		if (sup->cfg->connections[i].ssh.host != NULL && sup->cfg->connections[i].driver != NULL)
			hold_place(sup, IPC_TUNNEL, sup->cfg->connections[i].id, 0);
	/* Those who waited for what is not configured any more; the others go on waiting. */
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		children_go_on(sup, sup->cfg->connections[i].id, NULL);
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		for (unsigned j = 0; j < configure_workers(&sup->cfg->connections[i]); j++)
			hold_place(sup, IPC_SQL, sup->cfg->connections[i].id, j);
	if (wants_telemetry(sup))
		hold_place(sup, IPC_TELEMETRY, "", 0);
	learn_tools(sup);
	for (unsigned i = 0; i < fronts; i++)
		hold_place(sup, IPC_FRONT, "", i);
	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		wiring_connection(sup, sup->cfg->connections[i].id);
}

static bool
listens_elsewhere(const struct config *a, const struct config *b)
{
	const char *x = a->listen != NULL ? a->listen : "", *y = b->listen != NULL ? b->listen : "";

	return a->port != b->port || strcmp(a->host, b->host) != 0 || strcmp(x, y) != 0;
}

static int
check_listener(struct supervisor *sup, const struct config *cfg, struct listener *fresh, bool *moved, struct err *err)
{
	int token = configure_has_token(sup, cfg, err);

	*moved = false;
	if (token < 0 || sup->launch.private_fd >= 0)
		return token < 0 ? -1 : 0;
	if (configure_check_state(sup, cfg, err) != 0)
		return -1;
	if (!sup->listener.given && listens_elsewhere(sup->cfg, cfg)) {
		*moved = true;
		return listen_open(fresh, cfg, token == 1, err);
	}
	return listen_check(&sup->listener, cfg, token == 1, err);
}

static void
drop_unwanted(struct supervisor *sup)
{
	struct child *c, *next;

	for (c = TAILQ_FIRST(&sup->children); c != NULL; c = next) {
		next = TAILQ_NEXT(c, entry);
		if (c->life.state != LIFE_LEAVING && !is_wanted(sup, c))
			wiring_retire(c);
	}
}

void
household_reload(struct supervisor *sup)
{
	struct arena *a = arena_new(CONFIG_ARENA);
	struct config *cfg = arena_alloc(a, sizeof(*cfg));
	struct listener fresh;
	struct err err = { .code = ERR_NONE };
	bool moved;

	sup->reloads++;
	sup->reload_error[0] = '\0';
	if (sup->state_fd >= 0 && launch_refresh(&sup->launch, sup->state_fd, &err) != 0)
		log_warn("the variables were not read again: %s", err.message);
	if (sup->phase > PHASE_SERVING || household_configuration(sup, a, cfg, &err) != 0 ||
	    check_listener(sup, cfg, &fresh, &moved, &err) != 0) {
		log_error("the configuration was not reloaded, the old one stays: %s", err.message);
		snprintf(sup->reload_error, sizeof(sup->reload_error), "%.500s", err.message);
		events_tell(sup, AUDIT_ACTION_DAEMON_RELOAD, AUDIT_OUTCOME_ERROR, NULL, err.message);
		arena_free(a);
		return;
	}
	if (moved) {
		listen_close(&sup->listener);
		sup->listener = fresh;
	}
	use_configuration(sup, a, cfg);
	drop_unwanted(sup);
	household_start(sup);
	if (sup->phase == PHASE_SERVING)
		state_dir_announce(sup); /* it may be found elsewhere, or ask for a token now */
	events_tell(sup, AUDIT_ACTION_DAEMON_RELOAD, AUDIT_OUTCOME_OK, NULL, NULL);
	log_info("the configuration was reloaded");
}

/* The phase in which a child is told to stop. */
static enum phase
leaves_in(const struct child *c)
{
	return c->role == IPC_FRONT                          ? PHASE_DRAINING :
	    (ipc_role_row(c->role)->traits & IPC_STAYS) != 0 ? PHASE_CLOSING :
							       PHASE_ENDING;
}

static void
enter_phase(struct supervisor *sup, enum phase phase, uint64_t now_ns)
{
	static const unsigned grace_ms[] = { [PHASE_DRAINING] = DRAIN_FRONTS_MS, [PHASE_ENDING] = DRAIN_WORKERS_MS,
		[PHASE_CLOSING] = DRAIN_LAST_MS };
	const uint64_t last = now_ns + DRAIN_LAST_MS * CLOCK_MS;
	struct child *c, *next;

	sup->phase = phase;
	if (phase == PHASE_CLOSING && sup->phase_until_ns < last)
		sup->phase_until_ns = last;
	for (c = TAILQ_FIRST(&sup->children); c != NULL; c = next) {
		next = TAILQ_NEXT(c, entry);
		if (leaves_in(c) == phase)
			child_stop(c, grace_ms[phase]);
	}
}

/* Whether all that were told to stop have ended. */
static bool
phase_is_over(const struct supervisor *sup)
{
	const struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (leaves_in(c) <= sup->phase)
			return false;
	return true;
}

void
household_drain(struct supervisor *sup)
{
	if (sup->phase >= PHASE_DRAINING)
		return;
	log_info("stopping");
	/* The processes of one client come and go with every command. */
	if (sup->launch.private_fd < 0)
		events_tell(sup, AUDIT_ACTION_DAEMON_STOP, AUDIT_OUTCOME_OK, NULL, NULL);
	sup->phase_until_ns = clock_ns() + CONTRACT_DRAIN_MS * CLOCK_MS;
	state_dir_notify("STOPPING=1");
	state_dir_close(sup);
	listen_close(&sup->listener);
	enter_phase(sup, PHASE_DRAINING, clock_ns());
	household_tick(sup, clock_ns());
}

/* The reason why nothing can be served, for the process that started us.  held NULL: a process of role was too slow. */
static void
report_missing(struct supervisor *sup, enum ipc_role role, const struct child *held)
{
	char why[SUPERVISOR_REASON + 128];

	if (held != NULL)
		snprintf(why, sizeof(why), "%s cannot serve: %s; `carrel doctor` says what is missing",
		    held->process.binary, held->why);
	else
		snprintf(why, sizeof(why), "no %s process became ready; see .carrel/logs/mcp.log", ipc_role_name(role));
	log_error("%s", why);
	launch_report(&sup->launch, NULL, why);
}

void
household_front_died(const struct child *front, const struct death *d)
{
	struct supervisor *sup = front->sup;

	if (sup->launch.private_fd < 0 || sup->phase >= PHASE_DRAINING)
		return;
	if (d->signalled || d->status != EXIT_STOPPED)
		sup->exit_code = 1;
	if (front->why[0] != '\0') /* it never served: the waiting launcher is told why */
		report_missing(sup, IPC_FRONT, front);
	household_drain(sup);
}

/* No call can ever be served: reports the reason and ends, so that the starting process notices. */
static void
give_up(struct supervisor *sup, enum ipc_role role, const struct child *held)
{
	report_missing(sup, role, held);
	sup->exit_code = 1;
	household_drain(sup);
}

/* False: there is no process of this role, and none will be. */
static bool
check_role(struct supervisor *sup, enum ipc_role role, bool late)
{
	const struct child *c, *held = NULL;
	bool hope = false, serves = false;

	TAILQ_FOREACH(c, &sup->children, entry) {
		if (c->role != role)
			continue;
		serves = serves || child_is_serving(c);
		if (c->life.state == LIFE_HELD)
			held = c;
		else
			hope = true;
	}
	if ((hope || held == NULL) && (serves || !late))
		return true;
	give_up(sup, role, hope ? NULL : held);
	return false;
}

/* Each role that serving needs has a process, or will have one. */
static void
check_needed(struct supervisor *sup, uint64_t now_ns)
{
	bool late = sup->phase == PHASE_STARTING && now_ns - sup->started_ns > CONTRACT_READY_MS * CLOCK_MS;

	for (unsigned i = 0; i < IPC_ROLES; i++)
		if ((ipc_roles[i].traits & IPC_NEEDED) != 0 && household_has(sup, &ipc_roles[i]) &&
		    !check_role(sup, ipc_roles[i].role, late))
			return;
}

void
household_tick(struct supervisor *sup, uint64_t now_ns)
{
	struct child *c;

	if (sup->phase <= PHASE_SERVING) {
		wiring_settle(sup);
		check_needed(sup, now_ns);
		return;
	}
	if (now_ns > sup->phase_until_ns)
		TAILQ_FOREACH(c, &sup->children, entry)
			if (leaves_in(c) <= sup->phase)
				child_kill(c, DEATH_BY_STOP);
	while (sup->phase < PHASE_CLOSING && phase_is_over(sup))
		enter_phase(sup, sup->phase + 1, now_ns);
	/* One second after the kill, for children that the kernel cannot end. */
	if (TAILQ_EMPTY(&sup->children) || now_ns > sup->phase_until_ns + CLOCK_SECOND)
		event_base_loopbreak(sup->base);
}
