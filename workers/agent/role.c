/* role.c - the role of carrel-agent. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "workers/agent/agent.h"
#include "workers/agent/embed.h"
#include "workers/agent/model/model_endpoint.h"
#include "workers/agent/model/model_http.h"
#include "workers/agent/models_cache.h"
#include "workers/agent/data/zones.h"

#define ZONES "/usr/share/zoneinfo"

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max, bool *best_effort,
    struct err *err)
{
	const struct ipc_configure_agent *m = msg;
	struct agent *a = mem_new(1, sizeof(*a));

	(void)places, (void)err;
	a->timeout_ms = m->timeout_ms;
	a->models = models_new();
	a->engine = model_open(m);
	a->embedder = embed_open(m);
	*state = a;
	*memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	return 0;
}

/* Read the time zones before the sandbox takes the files away. */
static int
read_zones(void *state, struct err *err)
{
	struct agent *a = state;

	(void)err;
	a->zones = zones_read(ZONES);
	return 0;
}

static void
close_agent(void *state)
{
	struct agent *a = state;

	if (a == NULL)
		return;
	models_free(a->models);
	model_close(a->engine);
	embed_close(a->embedder);
	zones_free(a->zones);
	free(a);
}

static void
take_connection(void *state, enum ipc_outside place, uint64_t serial, int fd)
{
	struct agent *a = state;

	if (place == IPC_OUTSIDE_MODEL && a->engine != NULL)
		model_http_dialled(model_engine_http(a->engine), serial, fd);
	else if (place == IPC_OUTSIDE_EMBEDDINGS && a->embedder != NULL)
		model_http_dialled(embed_http(a->embedder), serial, fd);
	else
		close(fd);
}

const struct role agent_role = {
	.role = IPC_AGENT,
	.tools = agent_tools,
	.at_once = CHILD_AT_ONCE_MAX,
	.configure = IPC_MSG_CONFIGURE_AGENT,
	.configure_size = sizeof(struct ipc_configure_agent),
	.local_key = offsetof(struct ipc_configure_agent, local_key),
	.configure_with = configure_with,
	.connect = read_zones,
	.dialled = take_connection,
	.close = close_agent,
};
