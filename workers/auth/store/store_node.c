#include "workers/auth/store/store_node.h"

#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/auth/store/store_driver.h"
#include "workers/auth/store/store_token.h"

static void
put_name(char names[STORE_NAMES], struct span name)
{
	size_t used = strlen(names);

	snprintf(names + used, STORE_NAMES - used, "%s%.*s", used == 0 ? "" : ", ", SPAN_FMT(name));
}

struct store_change
store_latest(struct store *s)
{
	uint64_t revision = store_revision(s);

	return s->committed >= revision ? (struct store_change){ s->committed, s->committed_ms } :
					  (struct store_change){ revision, store_now_ms(s) };
}

int
store_heard_of(struct store *s, const struct store_change *change, struct store_heard *out, struct err *err)
{
	uint64_t now = store_now_ms(s);
	struct store_query *q;
	int found;

	*out = (struct store_heard){ .nodes = s->node[0] != '\0', .heard = s->node[0] != '\0' };
	if (out->nodes == 0)
		return 0;
	out->incomplete = s->listed_ns > clock_boot_ns();
	out->after_ms = now > change->made_ms ? now - change->made_ms : 0;
	q = STORE_GIVEN(s, STORE_NODES_HEARD, err, STORE_N(change->revision), STORE_N(change->made_ms),
	    STORE_T(s->node));
	while ((found = store_look(q, err)) == 1) {
		out->nodes++;
		if (store_column_uint(q, 1) != 0)
			out->heard++;
		else
			put_name(store_column_uint(q, 2) != 0 ? out->away : out->waiting, store_column(q, 0));
	}
	return found;
}

int
store_nodes(struct store *s, void (*fn)(void *arg, const struct store_node *n), void *arg, struct err *err)
{
	struct store_query *q;
	struct store_node n;
	int found;

	if (s->node[0] == '\0')
		return 0;
	for (q = store_statement(s, STORE_NODES, err); (found = store_look(q, err)) == 1; fn(arg, &n)) {
		store_column_text(q, 0, n.name, sizeof(n.name));
		n.own = strcmp(n.name, s->node) == 0;
		n.confirmed = store_column_uint(q, 1);
		n.lease_ms = store_column_uint(q, 2);
		n.revision = store_column_uint(q, 3);
		n.drained = store_column_uint(q, 4) != 0;
		n.writes = store_column_uint(q, 5) != 0 && !n.drained && n.lease_ms > 0;
		store_column_text(q, 6, n.project, sizeof(n.project));
		n.behind = store_column_uint(q, 7) != 0;
		n.uncopied = (int64_t)store_column_raw(q, 8);
		n.holds = store_column_uint(q, 9);
		n.missing = (int64_t)store_column_raw(q, 10);
	}
	return found;
}

void
store_uncopied(struct store *s, uint64_t entries)
{
	s->uncopied = entries > INT64_MAX ? INT64_MAX : (int64_t)entries;
}

void
store_missing(struct store *s, uint64_t files)
{
	s->missing = files > INT64_MAX ? INT64_MAX : (int64_t)files;
}

int
store_node_id(struct store *own, struct buf *out, struct err *err)
{
	return store_setting(own, STORE_NODE_ID, out, err);
}

int
store_node_leased(struct store *s, void (*fn)(void *arg, const char *name, struct span id), void *arg, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_NODES_LEASED, err);
	char name[STORE_NODE + 1];
	int found;

	while ((found = store_look(q, err)) == 1) {
		store_column_text(q, 0, name, sizeof(name));
		fn(arg, name, store_column(q, 1));
	}
	return found;
}

int
store_node_server(struct store *s, struct store_server *out, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_SERVER, err);

	if (store_look(q, err) != 1)
		return -1;
	store_column_text(q, 0, out->version, sizeof(out->version));
	store_column_text(q, 1, out->commit, sizeof(out->commit));
	store_column_text(q, 2, out->standbys, sizeof(out->standbys));
	store_found(q);
	out->ahead_ms = s->ahead_ms;
	out->round_trip_us = s->round_trip_us;
	return 0;
}

int
store_node_drain(struct store *s, struct span node, bool drain, struct err *err)
{
	char key[sizeof("node.drained.") + STORE_NODE];

	snprintf(key, sizeof(key), "node.drained.%.*s", SPAN_FMT(node));
	return store_set_setting(s, key, drain ? SPAN("yes") : SPAN(""), err);
}

struct store_writer
store_writer(const struct store *s)
{
	return (struct store_writer){ s->writer, s->writer[0] != '\0' && strcmp(s->writer, s->node) == 0,
		s->writer_there, s->drained, s->writer_project };
}

void
store_node_say(struct store *s, const char *project, bool behind)
{
	snprintf(s->project, sizeof(s->project), "%s", project);
	s->behind = behind;
}

int
store_writer_take(struct store *s, struct err *err)
{
	int taken = store_change_one(STORE_GIVEN(s, STORE_WRITER_TAKE, err, STORE_T(s->node)), err);

	if (taken == 1) {
		snprintf(s->writer, sizeof(s->writer), "%s", s->node);
		s->writer_there = true;
	}
	return taken;
}
