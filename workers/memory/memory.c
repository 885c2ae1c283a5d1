#include "workers/memory/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/log.h"
#include "project/format/atomic.h"
#include "project/paths.h"
#include "project/scan/artifacts.h"
#include "workers/memory/handovers.h"
#include "workers/memory/ingest/assemble.h"
#include "workers/memory/ingest/queue.h"
#include "workers/memory/ingest/shared_notes.h"
#include "workers/memory/ingest/sources.h"
#include "workers/memory/worker.h"

#define IDLE_MS	1000u

static void
close_memory(void *state)
{
	struct memory *m = state;

	if (m == NULL)
		return;
	queue_close(m);
	handovers_free(m);
	assemble_forget(m);
	sources_free(m->sources);
	for (size_t i = 0; i < m->nconnections; i++) {
		free(m->connections[i].id);
		free(m->connections[i].driver);
	}
	free(m->connections);
	free(m->project_dir);
	free(m);
}

static int
read_policy(struct memory_connection *to, const struct mp_value *c, struct err *err)
{
	struct columns *policy = NULL;
	struct mp_value rules, identity;
	int rc = columns_new(&policy, mp_get(c, "columns", &rules) ? rules.raw : span_of("", 0), err);

	if (rc == 0)
		columns_digest(policy, to->policy);
	if (rc == 0 && mp_get(c, "identity", &identity) && identity.class == MP_BIN && identity.s.len > 0) {
		identity_mark(identity.s, to->policy);
		to->valueless = !mp_get_bool(c, "neutral", false);
	}
	columns_free(policy);
	return rc;
}

static int
read_connections(struct memory *m, struct span list, struct err *err)
{
	struct mp_value v, c;
	struct mp_iter it;

	if (!mp_value(list, &v) || v.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "the list of connections is malformed");
	m->connections = mem_new(v.n, sizeof(*m->connections));
	for (it = mp_iter(&v); mp_next(&it, &c);) {
		struct span id = mp_get_str(&c, "id", SPAN(""));

		/* The id becomes a directory name. */
		if (!paths_is_id(id))
			return err_set(err, ERR_INTERNAL, "a connection's id is not safe");
		m->connections[m->nconnections] = (struct memory_connection){
			mem_text(id), mem_text(mp_get_str(&c, "driver", SPAN("unknown"))),
			(size_t)mp_get_uint(&c, "concurrency", 1), mp_get_bool(&c, "semanticOnly", false), "", false };
		if (read_policy(&m->connections[m->nconnections++], &c, err) == -1)
			return -1;
	}
	return 0;
}

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max,
    bool *best_effort, struct err *err)
{
	const struct ipc_configure_memory *conf = msg;
	struct memory *m = mem_new(1, sizeof(*m));

	*state = m;
	m->project_dir = mem_text(conf->project_dir);
	m->sources = sources_new();
	m->limits = (struct profile_limits){ conf->scan_rows, conf->scan_values, conf->scan_statement_ms };
	m->review = conf->review != 0;
	m->shared = conf->shared != 0;
	m->same_subject = (unsigned)conf->same_subject;
	if (read_connections(m, conf->connections, err) != 0)
		return -1;
	/* Project files are world-readable; private state is below .carrel/. */
	(void)umask(022);
	places->project_dir = m->project_dir;
	places->project_as_it_is = conf->read_only_project != 0;
	*memory_max = m->memory_max = conf->memory_max;
	*best_effort = conf->best_effort != 0;
	return 0;
}

static void
warn_of_remains(const char *connection, const struct err *err)
{
	log_warn("remains of a scan of %s: %s", connection, err->message);
}

/* Removes the remains of interrupted scans; a locked one is running. */
static void
sweep_connection(const struct memory *m, int raw, int state_dir, const char *connection)
{
	struct err err;
	int lock = memory_lock(state_dir, connection, &err), place, dir;
	char path[300];

	if (lock < 0)
		return;
	if (artifacts_sweep(raw, connection, &err) != 0)
		warn_of_remains(connection, &err);
	snprintf(path, sizeof(path), "%s/_schema", connection);
	if ((place = memory_open_place(m, "semantic-layer", &err)) >= 0) {
		if ((dir = paths_open(place, path, O_RDONLY | O_DIRECTORY, 0)) >= 0) {
			if (atomic_sweep(dir, &err) != 0)
				warn_of_remains(connection, &err);
			close(dir);
		}
		close(place);
	}
	close(lock);
}

/* Without its directories the worker still serves: a scan then names the missing one. */
static int
open_memory(void *state, struct err *err)
{
	struct memory *m = state;
	int raw = memory_open_place(m, "raw-sources", NULL), own = memory_open_place(m, ".carrel/memory", NULL);

	(void)err;
	if (raw >= 0 && own >= 0)
		for (size_t i = 0; i < m->nconnections; i++)
			sweep_connection(m, raw, own, m->connections[i].id);
	if (raw >= 0)
		close(raw);
	if (own >= 0)
		close(own);
	queue_open(m);
	return 0;
}

static void
idle_work(void *state)
{
	queue_idle(state);
	handovers_idle(state);
}

/* Where nodes share a store, it is asked for notes; else what is due wakes the worker. */
static unsigned
idle_patience(void *state)
{
	const struct memory *m = state;

	return m->shared ? SHARED_NOTES_MS : IDLE_MS;
}

static int
worker_watch(void *state)
{
	return queue_watch(state);
}

static void
committed(void *state, const struct ipc_committed *msg)
{
	queue_committed(state, msg);
}

const struct role memory_role = {
	.role = IPC_MEMORY,
	.tools = memory_tools,
	.configure = IPC_MSG_CONFIGURE_MEMORY,
	.configure_size = sizeof(struct ipc_configure_memory),
	.local_key = offsetof(struct ipc_configure_memory, local_key),
	.configure_with = configure_with,
	.open = open_memory,
	.idle = idle_work,
	.idle_ms = idle_patience,
	.watch = worker_watch,
	.committed = committed,
	.close = close_memory,
};
