#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "supervisor/metering_sums.h"
#include "supervisor/status_map.h"

#define REPORT_MAX	(32u * 1024)	/* a longer report of a worker is left out */

static void
put_text(struct buf *out, const char *key, const char *text)
{
	mp_pair_cstr(out, key, text != NULL && *text != '\0' ? text : NULL);
}

static void
put_time(struct buf *out, const char *key, uint64_t unix_ms)
{
	char at[25];

	clock_iso8601(unix_ms, at);
	put_text(out, key, unix_ms != 0 ? at : NULL);
}

static void
put_sandbox(struct buf *out, const struct child *c)
{
	size_t map;

	mp_put_cstr(out, "sandbox");
	if (!child_is_serving(c)) {
		mp_put_nil(out);
		return;
	}
	map = mp_open_pairs(out, mp_uint("landlockAbi", c->process.landlock_abi),
	    mp_bool("namespaces", c->process.namespaces), mp_bool("degraded", c->process.degraded));
	put_text(out, "note", c->process.note);
	mp_end(out, map);
}

/* The CPU time of a process, from its clock. */
static bool
used_cpu_ms(pid_t pid, uint64_t *ms)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return false;
	*ms = (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
	return true;
}

/* False: this /proc does not show it, as in a unit with ProtectProc=. */
static bool
resident_kb(pid_t pid, uint64_t *kb)
{
	char path[64], text[128] = "";
	unsigned long pages;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0 || sscanf(text, "%*u %lu", &pages) != 1)
		return false;
	*kb = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	return true;
}

static void
put_child(struct buf *out, const struct child *c)
{
	bool running = c->process.pid >= 0, known;
	uint64_t value = 0;

	mp_put_map(out, 13);
	put_text(out, "role", ipc_role_name(c->role));
	put_text(out, "connection", c->connection);
	mp_pair_uint(out, "index", c->index);
	mp_pair_known(out, "pid", running, (uint64_t)c->process.pid);
	known = running && used_cpu_ms(c->process.pid, &value);
	mp_pair_known(out, "cpuMs", known, value);
	known = running && resident_kb(c->process.pid, &value);
	mp_pair_known(out, "memoryKb", known, value);
	put_text(out, "state", life_state_name(c->life.state));
	mp_pair_uint(out, "restarts", c->restarts);
	put_text(out, "lastExit", c->last_exit);
	put_text(out, "reason", c->why);
	put_time(out, "startedAt", running ? c->started_unix_ms : 0);
	mp_pair_uint(out, "answered",
	    running ? atomic_load_explicit(&c->process.watch->answered, memory_order_relaxed) : 0);
	put_sandbox(out, c);
}

static void
put_children(struct buf *out, struct supervisor *sup)
{
	const struct child *c;
	size_t mark;

	mark = mp_pair_open_array(out, "children");
	TAILQ_FOREACH(c, &sup->children, entry)
		put_child(out, c);
	mp_end(out, mark);
}

static void
put_connections(struct buf *out, const struct supervisor *sup)
{
	mp_pair_array(out, "connections", sup->cfg->nconnections);
	for (size_t i = 0; i < sup->cfg->nconnections; i++) {
		const struct config_connection *conn = &sup->cfg->connections[i];

		mp_put_map(out, 5);
		put_text(out, "id", conn->id);
		put_text(out, "driver", conn->driver_name);
		put_text(out, "state", ipc_pool_state_name(sup->states[i].state));
		put_text(out, "reason", sup->states[i].reason);
		left_put(out, &sup->left, conn->id);
	}
}

static void
put_reports(struct buf *out, struct supervisor *sup, size_t longest)
{
	const struct child *c;
	size_t mark;

	mp_put_cstr(out, "reports");
	mark = mp_open_map(out);
	TAILQ_FOREACH(c, &sup->children, entry) {
		/* One report for each role and connection: that of the first worker. */
		if (c->index != 0 || c->role == IPC_FRONT || c->life.state == LIFE_LEAVING || c->report.len == 0 ||
		    c->report.len > longest)
			continue;
		mp_put_cstr(out, c->connection[0] != '\0' ? c->connection : ipc_role_name(c->role));
		buf_span(out, buf_view(&c->report));
	}
	mp_end(out, mark);
}

/* A child of the old configuration still holds a place whose next holder is starting. */
static bool
is_reloading(struct supervisor *sup)
{
	const struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->replaces != NULL && c->process.pid >= 0 && !c->seeks)
			return true;
	return false;
}

static bool
is_degraded(struct supervisor *sup)
{
	const struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (child_is_serving(c) && c->process.degraded)
			return true;
	return false;
}

static void
pack_all(struct supervisor *sup, struct buf *out, size_t longest_report)
{
	static const char *const phases[] = {
		[PHASE_STARTING] = "starting", [PHASE_SERVING] = "serving",
		[PHASE_DRAINING] = "stopping", [PHASE_ENDING] = "stopping", [PHASE_CLOSING] = "stopping",
	};
	char url[300] = "", commit[REPOSITORY_COMMIT + 1];

	if (sup->listener.n > 0)
		listen_url(&sup->listener, url, sizeof(url));
	mp_put_map(out, 20);
	put_text(out, "version", CARREL_VERSION);
	put_text(out, "project", sup->project_dir);
	put_text(out, "revision", metering_revision(sup, commit) ? commit : NULL);
	put_text(out, "configuration", sup->cfg->file);
	mp_pair_uint(out, "configurationModifiedMs", sup->config_modified_ms);
	mp_pair_uint(out, "reloads", sup->reloads);
	mp_pair_bool(out, "reloading", is_reloading(sup));
	put_text(out, "reloadError", sup->reload_error);
	mp_pair_uint(out, "pid", (uint64_t)getpid());
	put_time(out, "startedAt", sup->started_unix_ms);
	put_text(out, "state", phases[sup->phase]);
	put_text(out, "url", url);
	put_text(out, "host", sup->listener.host);
	mp_pair_uint(out, "port", sup->listener.port);
	mp_pair_bool(out, "degraded", is_degraded(sup));
	mp_pair_uint(out, "endedSessions", ended_count(sup->sessions));
	put_children(out, sup);
	put_connections(out, sup);
	put_reports(out, sup, longest_report);
	mp_put_cstr(out, "metrics");
	metering_pack(sup, out);
}

void
status_pack(struct supervisor *sup, struct buf *out)
{
	pack_all(sup, out, REPORT_MAX);
	if (!out->full)
		return;
	buf_reset(out, SIZE_MAX);
	pack_all(sup, out, 0);
	if (!out->full)
		return;
	/* The names alone exceed one message. */
	buf_reset(out, SIZE_MAX);
	mp_put_map(out, 0);
}
