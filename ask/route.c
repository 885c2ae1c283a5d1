#include "ask/route.h"

int
ask_routes_from(const struct ask_model *m, uint32_t root, struct arena *a, struct ask_routes *out)
{
	uint32_t *queue = arena_array(a, m->nnodes + 1, sizeof(*queue));
	size_t head = 0, tail = 0;

	*out = (struct ask_routes){ .root = root };
	out->hops = arena_array(a, m->nnodes + 1, sizeof(*out->hops));
	out->several = arena_array(a, m->nnodes + 1, sizeof(*out->several));
	if (queue == NULL || out->hops == NULL || out->several == NULL)
		return -1;
	for (size_t i = 0; i < m->nnodes; i++)
		out->hops[i] = ASK_NONE;
	out->hops[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		uint32_t at = queue[head++];
		const struct ask_node *node = &m->nodes[at];

		for (size_t i = 0; i < node->nedges; i++) {
			uint32_t to = node->edges[i].to;

			if (out->hops[to] == ASK_NONE) {
				out->hops[to] = out->hops[at] + 1;
				out->several[to] = out->several[at];
				queue[tail++] = to;
			} else if (out->hops[to] == out->hops[at] + 1)
				out->several[to] = true;
		}
	}
	return 0;
}

bool
ask_is_foreign(const struct ask_model *m, uint32_t node, struct span column)
{
	for (size_t i = 0; i < m->nodes[node].nedges; i++)
		if (span_is(m->nodes[node].edges[i].here, column))
			return true;
	return false;
}
