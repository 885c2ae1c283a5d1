#include "ask/readings/around.h"
#include "ask/readings/columns.h"

const struct ask_routes *
around_routes(const struct plan *p, uint32_t node)
{
	struct ask_routes *routes = p->names->routes[node];

	if (routes == NULL && (routes = arena_alloc(p->a, sizeof(*routes))) != NULL) {
		if (ask_routes_from(p->m, node, p->a, routes) != 0)
			return NULL;
		p->names->routes[node] = routes;
	}
	return routes;
}

bool
around_names(const struct plan *p, size_t i, uint32_t source)
{
	return i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && plan_names_of(p, i, ASK_KIND_SOURCE, source);
}

bool
around_is_named(const struct plan *p, uint32_t source)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (around_names(p, i, source))
			return true;
	return false;
}

bool
around_leads_to(const struct plan *p, uint32_t source, uint32_t node, unsigned most)
{
	const struct ask_routes *routes = around_routes(p, source);

	return source != node && routes != NULL && routes->hops[node] <= most && !routes->several[node];
}

/* The nearest: "members of the district" are those of their own, not of their branch's. */
uint32_t
around_parent(const struct plan *p, uint32_t from, uint32_t source)
{
	const struct ask_routes *routes = around_routes(p, from);
	uint32_t found = ASK_NONE;
	bool several = false;

	if (routes == NULL)
		return ASK_NONE;
	for (uint32_t node = 0; node < p->m->nnodes; node++) {
		if (node == from || p->m->nodes[node].source != source || routes->hops[node] == ASK_NONE ||
		    (found != ASK_NONE && routes->hops[node] > routes->hops[found]))
			continue;
		several = routes->several[node] || (found != ASK_NONE && routes->hops[node] == routes->hops[found]);
		found = node;
	}
	return several ? ASK_NONE : found;
}

bool
around_reaches(const struct plan *p, uint32_t from, uint32_t source)
{
	const struct ask_routes *routes = around_routes(p, from);

	for (uint32_t node = 0; routes != NULL && node < p->m->nnodes; node++)
		if (node != from && p->m->nodes[node].source == source && routes->hops[node] != ASK_NONE)
			return true;
	return routes == NULL;
}

/* "released in May", "not released": whether the word may tell a date, too. */
static bool
may_tell_a_date(const struct plan *p, size_t i)
{
	size_t next = i + 1;

	while (next < p->q.n && plan_is_word(p, next, ASK_WORD_STOP))
		next++;
	return next == p->q.n || p->q.items[next].kind == ASK_ITEM_PERIOD || plan_is_word(p, next, ASK_WORD_AND);
}

/* A date, or a column that is also called by the verb: the year that a car was "produced". */
static bool
may_be_its_date(const struct plan *p, const struct ask_entry *e)
{
	return e->kind == ASK_KIND_DATE ||
	    (e->kind == ASK_KIND_COLUMN &&
		(e->tier == ASK_TIER_SYNONYM || p->m->sources[e->source].columns[e->index].time));
}

bool
around_is_verb(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	bool any = false;

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		any |= it->hits[k]->kind == ASK_KIND_VERB;
		if (it->hits[k]->kind != ASK_KIND_VERB && it->hits[k]->kind != ASK_KIND_EVENT &&
		    (!may_be_its_date(p, it->hits[k]) || may_tell_a_date(p, i)))
			return false;
	}
	return any;
}

/* The next item that is no article, negation or period; step: 1 or -1. */
static size_t
item_next_to(const struct plan *p, size_t i, int step)
{
	do
		i += (size_t)step;
	while (i < p->q.n &&
	    (p->q.items[i].kind == ASK_ITEM_PERIOD || plan_is_word(p, i, ASK_WORD_STOP) ||
		plan_is_word(p, i, ASK_WORD_NOT)));
	return i;
}

bool
around_dates_rows(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	bool german = p->q.language == ASK_GERMAN;
	size_t rows = item_next_to(p, i, german ? -1 : 1), subject;
	uint32_t source = it->nhits > 0 ? it->hits[0]->source : ASK_NONE;

	if (it->kind != ASK_ITEM_NAME || it->n != 1 || !ask_is_participle(p->q.language, plan_word(p, i)->folded) ||
	    rows >= p->q.n || !around_names(p, rows, source) || (german && i + 1 < p->q.n))
		return false;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->source != source ||
		    (it->hits[k]->kind != ASK_KIND_VALUE && it->hits[k]->kind != ASK_KIND_EVENT &&
			((it->hits[k]->kind != ASK_KIND_DATE && it->hits[k]->kind != ASK_KIND_COLUMN) ||
			    it->hits[k]->index != p->m->sources[source].time)))
			return false;
	/* "with reported claims": a state of them */
	if (!german &&
	    (i == 0 ||
		(rows == i + 1 && !plan_names_any(p, i - 1, ASK_KIND_SOURCE) &&
		    !plan_reads_before(p, i, "who that never ever"))))
		return false;
	subject = german ? rows : i;
	while (subject-- > 0)
		if (plan_names_any(p, subject, ASK_KIND_SOURCE))
			return !around_names(p, subject, source);
	return false;
}

bool
around_goes_over(const struct plan *p, uint32_t node, uint32_t other, uint32_t at, uint32_t to)
{
	const struct ask_routes *near = around_routes(p, node), *far = around_routes(p, to);

	return near != NULL && far != NULL && near->hops[other] != ASK_NONE && near->hops[at] != ASK_NONE &&
	    far->hops[other] != ASK_NONE && near->hops[at] + 1 + far->hops[other] == near->hops[other];
}

/* Drugs by allergies: whether other rows join both, too, as prescriptions over visits do. */
static bool
links_further(const struct plan *p, uint32_t link, uint32_t source, uint32_t node)
{
	if (around_reaches(p, source, p->m->nodes[node].source) || around_reaches(p, node, source))
		return false;
	for (uint32_t other = 0; other < p->m->nsources; other++)
		if (!p->m->sources[other].covered && other != link && other != source && other != node &&
		    around_leads_to(p, other, source, AROUND_HOPS_MAX) &&
		    around_leads_to(p, other, node, AROUND_HOPS_MAX) && !around_reaches(p, other, link) &&
		    !around_reaches(p, link, other))
			return true;
	return false;
}

uint32_t
around_bridge(const struct plan *p, uint32_t source, uint32_t node)
{
	uint32_t found = ASK_NONE;

	if (source == node || plan_key_column(&p->m->sources[source]) == ASK_NONE)
		return ASK_NONE;
	for (uint32_t between = 0; between < p->m->nsources; between++) {
		if (p->m->sources[between].covered || p->m->nodes[between].nedges < 2 ||
		    !around_leads_to(p, between, source, 1) || !around_leads_to(p, between, node, 1))
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = between;
	}
	return found == ASK_NONE || links_further(p, found, source, node) ? ASK_NONE : found;
}

bool
around_is_linked(const struct plan *p, uint32_t source, uint32_t node)
{
	for (uint32_t between = 0; between < p->m->nsources; between++)
		if (!p->m->sources[between].covered && between != source && between != node &&
		    around_reaches(p, between, source) && around_reaches(p, between, p->m->nodes[node].source))
			return true;
	return around_reaches(p, source, p->m->nodes[node].source) && source != node;
}

static bool
is_key_part(const struct plan *p, uint32_t link, uint32_t node)
{
	const struct ask_source *s = &p->m->sources[link];
	const struct ask_node *n = &p->m->nodes[link];

	for (size_t e = 0; e < n->nedges; e++)
		for (size_t i = 0; n->edges[e].to == node && i < s->ngrain; i++)
			if (span_is(s->grain[i], n->edges[e].here))
				return true;
	return false;
}

bool
around_links_once(const struct plan *p, uint32_t link, uint32_t source, uint32_t node)
{
	return p->m->sources[link].ngrain == 2 && is_key_part(p, link, source) && is_key_part(p, link, node);
}

/* Whether all columns of the source are parts of its key, or lead to other rows. */
static bool
holds_keys_only(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];

	for (uint32_t c = 0; c < s->ncolumns; c++)
		if (!ask_is_in_grain(s, &s->columns[c]) && !ask_is_foreign(p->m, source, s->columns[c].names.name))
			return false;
	return true;
}

bool
around_is_linked_only(const struct plan *p, uint32_t source, uint32_t node)
{
	for (uint32_t link = 0; link < p->m->nsources; link++)
		if (!p->m->sources[link].covered && link != source && link != node && holds_keys_only(p, link) &&
		    around_leads_to(p, link, source, 1) && around_leads_to(p, link, node, 1))
			return true;
	return false;
}
