#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "semantic/shown.h"

struct shown_reading {
	const struct sem_model	*m;
	struct arena		*a;
	bool			 changed, full;
};

/* True for a.b of letters, digits and _, which parses as that reference. */
static bool
is_plain(struct span s)
{
	size_t dots = 0;

	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] == '.')
			dots++;
		else if (!ascii_is_alnum(s.p[i]) && s.p[i] != '_')
			return false;
	return dots < 2;
}

/* The member's name when text is node's name, a dot and a member of it; empty: it is not. */
static struct span
member_of(const struct sem_node *node, struct span text)
{
	size_t n = node->name.len;
	struct span rest;

	if (text.len < n + 2 || text.p[n] != '.' || memcmp(text.p, node->name.p, n) != 0)
		return SPAN_NONE;
	rest = span_of(text.p + n + 1, text.len - n - 1);
	return sem_find_column(node, rest) != NULL || sem_find_measure(node, rest) != NULL ||
		sem_find_segment(node, rest) != NULL ?
	    rest :
	    SPAN_NONE;
}

static struct span
read_name(struct shown_reading *r, struct span text)
{
	const struct sem_node *found = NULL;
	struct span member = { NULL, 0 }, out;
	struct buf quoted = { 0 };

	if (is_plain(text))
		return text;
	for (uint32_t i = 0; i < sem_model_nodes(r->m); i++) {
		const struct sem_node *node = sem_model_node(r->m, i);
		struct span rest = member_of(node, text);

		if (rest.len == 0)
			continue;
		if (found != NULL)
			return text;
		found = node;
		member = rest;
	}
	if (found == NULL)
		return text;
	buf_quoted(&quoted, found->name, '\"');
	buf_byte(&quoted, '.');
	buf_quoted(&quoted, member, '\"');
	out = arena_span(r->a, buf_view(&quoted));
	buf_fini(&quoted);
	r->changed = true;
	r->full = r->full || out.p == NULL;
	return out;
}

const struct sem_query *
sem_shown(const struct sem_model *m, const struct sem_query *q, struct arena *a)
{
	struct shown_reading r = { .m = m, .a = a };
	struct sem_query *out = arena_alloc(a, sizeof(*out));
	struct sem_measure_item *measures = arena_array(a, q->nmeasures + 1, sizeof(*measures));
	struct sem_dimension_item *dimensions = arena_array(a, q->ndimensions + 1, sizeof(*dimensions));
	struct span *segments = arena_array(a, q->nsegments + 1, sizeof(*segments));
	struct sem_order_item *order = arena_array(a, q->norder + 1, sizeof(*order));

	if (out == NULL || measures == NULL || dimensions == NULL || segments == NULL || order == NULL)
		return NULL;
	*out = *q;
	for (size_t i = 0; i < q->nmeasures; i++) {
		measures[i] = q->measures[i];
		measures[i].expr = read_name(&r, q->measures[i].expr);
	}
	for (size_t i = 0; i < q->ndimensions; i++) {
		dimensions[i] = q->dimensions[i];
		dimensions[i].field = read_name(&r, q->dimensions[i].field);
	}
	for (size_t i = 0; i < q->nsegments; i++)
		segments[i] = read_name(&r, q->segments[i]);
	for (size_t i = 0; i < q->norder; i++) {
		order[i] = q->order[i];
		order[i].field = read_name(&r, q->order[i].field);
	}
	out->measures = measures;
	out->dimensions = dimensions;
	out->segments = segments;
	out->order = order;
	return r.full ? NULL : r.changed ? out : q;
}
