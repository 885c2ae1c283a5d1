/* worker.c - see fixture.h: a worker in the search worker's place. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/conformance/fixture.h"

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max,
    bool *best_effort, struct err *err)
{
	const struct ipc_configure_search *m = msg;
	char *dir = strndup((const char *)m->project_dir.p, m->project_dir.len);

	if (dir == NULL)
		return err_set(err, ERR_INTERNAL, "out of memory");
	*state = dir;
	*places = (struct confine_places){ .project_dir = dir };
	*memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	return 0;
}

static int
open_nothing(void *state, struct err *err)
{
	(void)state, (void)err;
	return 0;
}

int
main(void)
{
	struct role role = {
		.role = IPC_SEARCH,
		.tools = fixture_tools,
		.configure = IPC_MSG_CONFIGURE_SEARCH, .configure_size = sizeof(struct ipc_configure_search),
		.local_key = offsetof(struct ipc_configure_search, local_key),
		.configure_with = configure_with, .open = open_nothing, .close = free,
	};

	return child_main(&role);
}
