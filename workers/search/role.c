/* role.c - what makes a worker the search worker. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/search/library/follow.h"
#include "workers/search/library/watch.h"
#include "workers/search/library/news.h"
#include "workers/search/answer/search.h"
#include "workers/shared/serve.h"

#define OPEN_NS		(5 * CLOCK_SECOND)	/* at most this long before the first call; the rest in steps */

#define TRIM_NS		(200 * CLOCK_MS)	/* of reading without a rest: after that free memory is given back */

static const struct follow_budget at_open = { .items = 2000, .ns = 500 * CLOCK_MS };
static const struct follow_budget before_call = { .items = 50, .ns = 5 * CLOCK_MS };

/* The one file outside the project: opened now, before the worker cannot open it any more.  No pipe is waited for. */
static void
open_vectors(struct vectors *v, struct span path)
{
	char *name = mem_text(path);
	struct stat st;

	if (path.len > 0) {
		vectors_init(v, open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
		if (v->fd == -1)
			v->trouble = mem_printf("%s cannot be opened: %s", name, strerror(errno));
		else if (fstat(v->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
			vectors_fini(v);
			v->trouble = mem_printf("%s is no regular file", name);
		}
	}
	free(name);
}

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max,
    bool *best_effort, struct err *err)
{
	const struct ipc_configure_search *c = msg;
	struct mp_value connections, ontologies;
	struct library *l;

	if (!mp_value(c->connections, &connections) || !mp_value(c->ontologies, &ontologies))
		return err_set(err, ERR_INTERNAL, "the lists of connections and ontologies are not readable");
	if ((l = library_new(c->project_dir, c->wiki_user, c->resource_scheme, &connections, &ontologies, err)) == NULL)
		return -1;
	/* As much again while pieces become one; the rest is for everything else. */
	l->chunks.vectors_max = c->memory_max / 4;
	if (c->embeddings_name.len > 0) {
		l->chunks.model = mem_text(c->embeddings_name);
		l->chunks.dimensions = (size_t)c->embeddings_dimensions;
	} else
		open_vectors(&l->chunks.vectors, c->vectors);
	l->limits = (struct dataset_limits){ c->sql_ms, c->sql_rows, c->sql_memory, c->sql_characters, c->sql_threads };
	*state = l;
	places->project_dir = l->project_dir;
	*memory_max = c->memory_max;
	*best_effort = c->best_effort != 0;
	return 0;
}

static void
role_report(struct library *l)
{
	struct buf out = { 0 };

	if (!follow_take_news(l))
		return;
	library_report(l, &out);
	serve_report(buf_view(&out));
	buf_fini(&out);
}

/* False as follow_step(). */
static bool
role_step(struct library *l, const struct follow_budget *budget)
{
	uint64_t since = clock_ns();
	bool ok = follow_step(l, budget);

	since = clock_ns() - since;
	if (!l->settled)
		l->build_ns += since;
	l->reading_ns += since;
	if (!follow_is_busy(l)) {
		/* A scan of many tables leaves tens of megabytes between what stays. */
		if (l->reading_ns >= TRIM_NS)
			malloc_trim(0);
		l->reading_ns = 0;
	}
	return ok;
}

/* Whether questions can be asked: tools/list has ask_question then. */
static bool
role_ready(void *state)
{
	struct library *l = state;

	for (size_t i = 0; i < l->ontologies.n; i++)
		if (ontology_state(l, &l->ontologies.v[i]) == ONTOLOGY_READY)
			return true;
	return false;
}

static int
open_library(void *state, struct err *err)
{
	struct library *l = state;
	uint64_t until = clock_ns() + OPEN_NS;

	if (follow_open(l, err) != 0)
		return -1;
	do
		(void)role_step(l, &at_open);
	while (follow_is_busy(l) && clock_ns() < until);
	l->settled = !follow_is_busy(l);
	l->told_ready = role_ready(l);
	return 0;
}

static void
role_tell_ready(struct library *l)
{
	bool ready = role_ready(l);

	if (l->settled && ready != l->told_ready) {
		l->told_ready = ready;
		serve_changed(IPC_LISTS_TOOLS, SPAN_NONE);
	}
}

static void
role_idle(void *state)
{
	struct library *l = state;

	if (!role_step(l, &before_call))
		serve_stop_after_call(EXIT_RECYCLE, "a directory of the project appeared, went or was replaced");
	/* Everything that was there at the start has been read: from now on changes are told. */
	l->settled = l->settled || !follow_is_busy(l);
	role_tell_ready(l);
	role_report(l);
}

static uint64_t
content(void *state)
{
	return news_digest(state);
}

static int
role_watch(void *state)
{
	return follow_fd(state);
}

static void
connection_state(void *state, const struct ipc_connection_state *msg)
{
	struct connection *c = library_connection(state, msg->connection);

	if (c == NULL)
		return;
	c->state = (enum ipc_pool_state)msg->state;
	free(c->reason);
	c->reason = msg->reason.len == 0 ? NULL : mem_text(msg->reason);
}

static void
close_library(void *state)
{
	library_free(state);
}

const struct role search_role = {
	.role = IPC_SEARCH,
	.tools = search_tools,
	.configure = IPC_MSG_CONFIGURE_SEARCH, .configure_size = sizeof(struct ipc_configure_search),
	.local_key = offsetof(struct ipc_configure_search, local_key),
	.configure_with = configure_with, .open = open_library, .idle = role_idle, .watch = role_watch,
	.content = content, .ready = role_ready,
	.connection_state = connection_state, .close = close_library,
};
