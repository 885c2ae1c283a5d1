#include "ask/aggregates.h"
#include "ask/counts.h"
#include "ask/finish.h"
#include "ask/leftovers.h"
#include "ask/measures.h"
#include "ask/readings/around.h"
#include "ask/readings/draft.h"
#include "ask/readings/figures.h"
#include "ask/say_plan.h"
#include "ask/thresholds.h"

uint32_t
draft_node(const struct plan *p, const struct draft *d, size_t of)
{
	return of == DRAFT_ROOT ? p->root : d->related[of].node;
}

bool
draft_leads_to(const struct plan *p, const struct draft *d, uint32_t parent)
{
	uint32_t from = draft_node(p, d, d->last), row;
	const struct ask_routes *near = around_routes(p, from), *far;

	if (parent == ASK_NONE || near == NULL || near->hops[parent] == ASK_NONE || near->several[parent])
		return false;
	if (d->last == DRAFT_ROOT)
		return true;
	row = draft_node(p, d, d->related[d->last].of);
	far = around_routes(p, row);
	return far != NULL &&
	    (far->hops[parent] == ASK_NONE || near->hops[parent] != near->hops[row] + far->hops[parent]);
}

uint32_t
draft_parent(const struct plan *p, const struct draft *d, uint32_t source)
{
	uint32_t parent = around_parent(p, draft_node(p, d, d->last), source);

	return draft_leads_to(p, d, parent) ? parent : ASK_NONE;
}

size_t
draft_conditions_of(const struct draft *d, size_t of)
{
	size_t n = 0;

	for (size_t i = 0; i < d->nconditions; i++)
		n += d->conditions[i].of == of;
	return n;
}

bool
draft_lacks_period(const struct plan *p, const struct draft *d, size_t related)
{
	const struct draft_related *r = &d->related[related];

	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].of == related && d->conditions[i].is.test == PLAN_WITHIN)
			return false;
	return plan_source(p, r->node)->time != ASK_NONE ||
	    (r->through != ASK_NONE && plan_source(p, r->through)->time != ASK_NONE);
}

static void
put_word(const struct plan *p, struct buf *parts, const char *operator)
{
	buf_span(parts, ask_operator(span_str(operator), p->out->german));
}

static void
put_joined(const struct plan *p, struct buf *parts, const char *word)
{
	buf_str(parts, " ");
	put_word(p, parts, word);
	buf_str(parts, " ");
}

/* The conditions on these rows, joined by AND and OR as the question does; parts: the same for people. */
static void
put_conditions(struct plan *p, const struct draft *d, size_t of, struct buf *sql, struct buf *parts)
{
	bool open = false, any = false;

	for (size_t i = 0; i < d->nconditions; i++) {
		const struct draft_condition *c = &d->conditions[i];
		bool either = i + 1 < d->nconditions && d->conditions[i + 1].either && d->conditions[i + 1].of == of;
		struct span operator;
		struct ask_filter f;

		if (c->of != of)
			continue;
		finish_filter(p, &c->is, 0, c->is.nvalues, &f);
		if (any) {
			buf_str(sql, c->either ? " OR " : " AND ");
			put_joined(p, parts, c->either ? "or" : "and");
		}
		buf_str(sql, either && !open ? "(" : "");
		buf_span(sql, f.sql);
		buf_str(sql, open && !either ? ")" : "");
		operator= ask_operator(f.operator, p->out->german);
		buf_printf(parts, "%.*s%s%.*s %.*s", SPAN_FMT(f.field), f.field.len > 0 ? " " : "", SPAN_FMT(operator),
		    SPAN_FMT(f.value));
		open = either;
		any = true;
	}
}

/* The row that a link leads to is there. */
static void
put_link(struct plan *p, const struct draft_related *r, struct buf *sql)
{
	struct plan_condition there = { .test = PLAN_PRESENT };
	struct ask_filter f;

	if (r->through == ASK_NONE)
		return;
	there.at = (struct plan_column){ r->through, plan_key_column(plan_source(p, r->through)) };
	finish_filter(p, &there, 0, 0, &f);
	buf_str(sql, sql->len > 0 ? " AND " : "");
	buf_span(sql, f.sql);
}

/* The column by which the related rows lead to the row. */
static struct span
key_of_way(const struct plan *p, const struct draft_related *r)
{
	const struct ask_node *n = &p->m->nodes[r->node];

	for (size_t e = 0; e < n->nedges; e++)
		if (n->edges[e].to == r->way)
			return n->edges[e].here;
	return SPAN("");
}

static void
put_related(struct plan *p, const struct draft *d, size_t i, struct buf *sql, struct buf *parts)
{
	const struct draft_related *r = &d->related[i];
	struct buf conditions = { 0 }, about = { 0 };
	bool some;

	put_conditions(p, d, i, &conditions, &about);
	for (size_t k = i + 1; k < d->nrelated; k++)
		if (d->related[k].of == i) {
			buf_str(&conditions, conditions.len > 0 ? " AND " : "");
			if (about.len > 0)
				put_joined(p, &about, "and");
			put_word(p, &about, d->related[k].negated ? "has no" : "has");
			buf_str(&about, " ");
			put_related(p, d, k, &conditions, &about);
		}
	put_link(p, r, &conditions);
	some = conditions.len > 0;
	buf_printf(sql, "%s%s(", r->negated ? "NOT " : "", r->operator!= NULL ? "number_of" : "has");
	/* quoted always: "match" and "order" begin no operand */
	buf_quoted(sql, plan_source(p, r->node)->names.name, '"');
	if (r->way != ASK_NONE) {
		buf_byte(sql, '.');
		buf_quoted(sql, key_of_way(p, r), '"');
	}
	buf_printf(sql, "%s%.*s)", some ? ", " : "", (int)conditions.len, (const char *)conditions.p);
	if (r->operator!= NULL) {
		buf_printf(sql, " %s %.0f", r->operator, r->number);
		buf_printf(parts, "%s %.0f ", r->operator, r->number);
	}
	buf_span(parts,
	    ask_label(p->a,
		&plan_source(p, r->through == ASK_NONE || r->way != ASK_NONE ? r->node : r->through)->names));
	if (r->through != ASK_NONE && r->way == ASK_NONE) {
		put_joined(p, parts, "by");
		buf_span(parts, ask_label(p->a, &plan_source(p, r->node)->names));
	}
	if (about.len > 0)
		buf_printf(parts, " (%.*s)", (int)about.len, (const char *)about.p);
	if (r->negated && draft_lacks_period(p, d, i))
		plan_note(p, SAYS_AT_ANY_TIME, SPANS(plan_source(p, r->node)->names.name));
	buf_fini(&conditions);
	buf_fini(&about);
}

static void
add_filter(struct ask_query *q, struct plan *p, struct span field, struct span operator, struct buf *sql,
    struct buf *parts)
{
	if (q->nfilters < ASK_FILTERS_MAX)
		q->filters[q->nfilters++] = (struct ask_filter){ .sql = arena_span(p->a, buf_view(sql)),
			.field = field, .operator= operator, .value = arena_span(p->a, buf_view(parts)) };
	buf_fini(sql);
	buf_fini(parts);
}

/* "cities with customers under 30 and customers over 40": of each group, whether it has such rows. */
static void
filter_alike(struct plan *p, const struct draft *d, struct ask_query *q)
{
	for (size_t i = 0; i < d->nrelated; i++) {
		struct buf sql = { 0 }, when = { 0 }, about = { 0 }, rows = { 0 };

		if (!d->related[i].alike)
			continue;
		put_conditions(p, d, i, &when, &about);
		buf_printf(&rows, "%.*s (%.*s)", SPAN_FMT(ask_label(p->a, &plan_source(p, p->root)->names)),
		    (int)about.len, (const char *)about.p);
		buf_printf(&sql, "sum(CASE WHEN %.*s THEN 1 ELSE 0 END) %s 0", (int)when.len, (const char *)when.p,
		    d->related[i].negated ? "=" : ">");
		add_filter(q, p, plan_column_label(p, d->columns[0]),
		    d->related[i].negated ? SPAN("has no") : SPAN("has"), &sql, &rows);
		buf_fini(&when);
		buf_fini(&about);
	}
}

/* One filter of all that OR joins, related rows too. */
static void
filter_any_of(struct plan *p, const struct draft *d, struct ask_query *q)
{
	struct buf sql = { 0 }, parts = { 0 };

	put_conditions(p, d, DRAFT_ROOT, &sql, &parts);
	for (size_t i = 0; i < d->nrelated; i++) {
		if (d->related[i].of != DRAFT_ROOT)
			continue;
		buf_str(&sql, sql.len > 0 ? " OR " : "");
		if (parts.len > 0)
			put_joined(p, &parts, "or");
		put_word(p, &parts, "has");
		buf_str(&parts, " ");
		put_related(p, d, i, &sql, &parts);
	}
	add_filter(q, p, SPAN(""), SPAN(""), &sql, &parts);
}

static bool
any_either(const struct draft *d, size_t of)
{
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].either && d->conditions[i].of == of)
			return true;
	return false;
}

static void
fill_window(struct plan *p, const struct plan_condition *c, struct ask_query *q)
{
	const struct ask_item *it = &p->q.items[c->items[0]];

	finish_window(p, q, c->at, it->period.start, it->period.end, it->text);
}

/* The conditions on these rows: one filter for OR, else a filter each. */
static void
filter_rows(struct plan *p, const struct draft *d, size_t of, struct ask_query *q)
{
	struct buf sql = { 0 }, parts = { 0 };

	if (any_either(d, of)) {
		put_conditions(p, d, of, &sql, &parts);
		add_filter(q, p, SPAN(""), SPAN(""), &sql, &parts);
	}
	for (size_t i = 0; i < d->nconditions && !any_either(d, of); i++)
		if (d->conditions[i].of != of)
			continue;
		else if (d->conditions[i].is.test == PLAN_WITHIN && d->conditions[i].is.at.node == p->root &&
		    q->window.field.len == 0)
			fill_window(p, &d->conditions[i].is, q);
		else if (q->nfilters < ASK_FILTERS_MAX)
			finish_filter(p, &d->conditions[i].is, 0, d->conditions[i].is.nvalues,
			    &q->filters[q->nfilters++]);
}

/* Whether the listed columns name rows of the root. */
static bool
names_rows(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = &p->m->sources[plan_root(p)];
	bool names = d->rows;

	for (size_t i = 0; i < d->ncolumns; i++)
		names |= d->columns[i].node == p->root && ask_tells_rows(s, d->columns[i].column);
	return names;
}

/* Whether a link may have several rows for each pair, so that their number is not that of the linked rows. */
static bool
links_twice(const struct plan *p, const struct draft *d, size_t i)
{
	const struct draft_related *r = &d->related[i];

	if (r->way != ASK_NONE)
		return r->operator!= NULL && !plan_has_key(plan_source(p, r->node));
	return r->operator!= NULL &&
	    r->through != ASK_NONE && !around_links_once(p, r->node, draft_node(p, d, r->of), r->through);
}

/* "with the most orders", "with more than 3 orders": the rows are shown with the number of related ones. */
static bool
counts_related(const struct plan *p, const struct draft *d)
{
	const struct draft_related *r = &d->related[0];

	return d->most ||
	    (!d->number && !d->ordered && !d->any_of && d->nrelated == 1 &&
		r->operator!=
		NULL &&(r->through == ASK_NONE ? d->rows : names_rows(p, d) && !d->distinct && links_twice(p, d, 0)));
}

static void
filter_related(struct plan *p, const struct draft *d, struct ask_query *q)
{
	for (size_t i = 0; i < d->nrelated; i++) {
		struct buf text = { 0 }, about = { 0 };

		if (d->related[i].of != DRAFT_ROOT || d->related[i].compared)
			continue;
		put_related(p, d, i, &text, &about);
		add_filter(q, p, ask_label(p->a, &plan_source(p, p->root)->names),
		    d->related[i].negated ? SPAN("has no") : SPAN("has"), &text, &about);
	}
}

static bool
shows(const struct ask_query *q, struct span field)
{
	for (size_t i = 0; i < q->ndimensions; i++)
		if (span_is(q->dimensions[i].field, field))
			return true;
	return false;
}

static void
show_column(struct plan *p, struct ask_query *q, struct plan_column at, bool identity)
{
	struct span field = plan_field(p, at);

	if (!shows(q, field) && q->ndimensions < ASK_DIMENSIONS_MAX)
		q->dimensions[q->ndimensions++] = (struct ask_dimension){ .field = field,
			.granularity = SPAN(""),
			.key = finish_is_key(p, at),
			.label = at.node == p->root ?
			    ask_label(p->a, &plan_column(p, at)->names) :
			    plan_column_label(p, at),
			.identity = identity,
			.keyed = !identity && at.node == p->root &&
			    (at.column == plan_source(p, at.node)->label || plan_column(p, at)->of_person) };
}

/*
 * Add the number of rows of the first related source that lead to each row; they are the query's rows then.  Of a link,
 * the different rows that it leads to.
 */
static bool
fill_number(struct plan *p, const struct draft *d, struct ask_query *q)
{
	const struct draft_related *r = &d->related[0];
	const struct ask_source *s = plan_source(p, r->node);
	const struct ask_node *node = &p->m->nodes[r->node];
	bool link = r->through != ASK_NONE && r->way == ASK_NONE;
	uint32_t own = link ? ASK_NONE : counts_own_measure(p, node->source);
	struct ask_measure *m = &q->measures[q->nmeasures++];

	if (d->nfolds > 0) {
		aggregates_add_extreme(p, d->descending, node->source, d->folds[0].column);
		*m = p->measures[0];
		return true;
	}
	*m = (struct ask_measure){ .name = plan_text(p, "%.*s_count", SPAN_FMT(s->names.name)),
		.label = counts_label(p, link ? p->m->nodes[r->through].source : node->source), .unit = SPAN(""),
		.additive = !link, .rows = !link, .counts = true };
	if (s->ngrain == 1)
		m->expr = plan_call(p, "count", s->measured > 0, s, s->grain[0]);
	for (size_t i = 0; i < node->nedges; i++)
		if (node->edges[i].to == (link ? r->through : p->root) && node->edges[i].here.len > 0)
			m->expr = plan_call(p, "count", link, s, node->edges[i].here);
	if (own != ASK_NONE) {
		measures_add(p, node->source, own);
		*m = p->measures[0];
		m->rows = true;
	}
	p->root = r->node;
	return m->expr.len > 0 && (r->way == ASK_NONE || plan_has_key(s)) && (own != ASK_NONE || !p->m->governed);
}

static void
put_number_condition(struct plan *p, const char *operator, double number, struct ask_query *q)
{
	struct span value = plan_text(p, "%.0f", number), expr = q->measures[0].expr;

	if (q->nfilters < ASK_FILTERS_MAX)
		q->filters[q->nfilters++] = (struct ask_filter){ .field = q->measures[0].label, .groups = true,
			.operator = span_str(operator), .value = value,
			.sql = plan_text(p, "%.*s %s %.*s", SPAN_FMT(expr), operator, SPAN_FMT(value)) };
}

/* "the three largest lands": the rows with their number, as a figure of each. */
static bool
ranks_figures(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	uint32_t key = plan_key_column(s);

	return d->first && d->rows && !d->most && !d->distinct && d->nthen == 0 && key != ASK_NONE &&
	    !s->columns[key].masked && !p->m->governed && s->columns[d->order.column].type == ASK_TYPE_NUMBER;
}

static void
fill_order(struct plan *p, const struct draft *d, struct ask_query *q)
{
	const struct ask_measure *m = &q->measures[0];

	if (ranks_figures(p, d)) {
		aggregates_add_extreme(p, d->descending, plan_root(p), d->order.column);
		q->measures[q->nmeasures++] = p->measures[0];
	}
	if (d->ordered)
		q->order_by = q->nmeasures == 0 ? plan_field(p, d->order) : m->name.len > 0 ? m->name : m->expr;
	q->descending = d->descending;
	q->spelled = d->spelled;
	q->limit = d->ordered && d->places > 0 ? d->places : d->first ? 1 : 0;
	q->ties = d->first;
}

/* The keys that a link has: rows of one name are told apart, and the query begins at the link. */
static void
show_link(struct plan *p, struct ask_query *q)
{
	const struct ask_source *s = plan_source(p, p->root);
	const struct ask_node *n = &p->m->nodes[p->root];

	for (size_t e = 0; e < n->nedges; e++)
		for (uint32_t c = 0; n->edges[e].here.len > 0 && c < s->ncolumns; c++)
			if (span_is(s->columns[c].names.name, n->edges[e].here) && !s->columns[c].masked &&
			    around_is_named(p, p->m->nodes[n->edges[e].to].source))
				show_column(p, q, (struct plan_column){ p->root, c }, true);
}

/* In an order, rows of the same values are told apart by the key. */
static void
fill_rows(struct plan *p, const struct draft *d, bool counts, struct ask_query *q)
{
	const struct ask_source *s = plan_source(p, p->root);
	uint32_t key = plan_key_column(s);

	/* The query begins at the rows, whose columns are not listed. */
	if (d->behind)
		show_column(p, q, (struct plan_column){ p->root, key }, true);
	/* A row without a parent is listed, too: the query begins at the source of its first column. */
	for (unsigned parents = 0; parents < 2; parents++)
		for (size_t i = 0; i < d->ncolumns; i++)
			if ((d->columns[i].node != p->root) == parents) {
				show_column(p, q, d->columns[i], false);
				q->no_empty &= !parents || counts || d->link;
			}
	if (d->ordered && !d->most && !ranks_figures(p, d))
		show_column(p, q, d->order, false);
	if (d->link)
		show_link(p, q);
	for (size_t i = 0; i < d->nthen; i++) {
		show_column(p, q, d->then[i].at, false);
		q->then[q->nthen++] = (struct ask_then){ plan_field(p, d->then[i].at), d->then[i].descending };
	}
	if (d->each && s->label != ASK_NONE && ask_is_shown(&s->columns[s->label]))
		show_column(p, q, (struct plan_column){ p->root, s->label }, false);
	if ((d->ordered || d->each || counts) && !d->distinct && key != ASK_NONE && !s->columns[key].masked)
		show_column(p, q, (struct plan_column){ p->root, key }, true);
	if (d->rows && !d->ordered && !counts && s->ngrain == 1 && !p->m->governed)
		q->rows = plan_call(p, "count", false, s, s->grain[0]);
}

/* A number of related rows, which only a measure may say where a policy allows nothing else. */
static bool
counts_any(const struct draft *d)
{
	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].operator!= NULL)
			return true;
	return false;
}

static void
take_verbs(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		if ((around_is_verb(p, i) || around_dates_rows(p, i)) && plan_is_free(p, i))
			plan_take(p, i, "verb of a join");
}

void
draft_take_words(struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_STOP))
			plan_take(p, i, "no meaning of its own");
	take_verbs(p);
	for (size_t i = 0; i < d->nsteps; i++)
		for (size_t k = d->steps[i].first; k < d->steps[i].end; k++)
			/* what the plan made of a word says more */
			if (!plan_is_word(p, k, ASK_WORD_STOP) && !plan_is_left(p, k) && plan_is_free(p, k))
				plan_take(p, k, "reading %s", d->steps[i].row);
	if (d->assumption.len > 0)
		plan_assume(p, d->assumption);
}

/* Conditions of figures that are not the plan's: joined by OR, and on related rows. */
static bool
answer_figures(struct plan *p, const struct draft *d)
{
	bool further = d->nrelated > 0 || any_either(d, DRAFT_ROOT);

	take_verbs(p);
	if (!figures_fill(p, d))
		return false;
	if (p->out->status == ASK_CLARIFY)
		return true;
	draft_take_words(p, d);
	(void)leftovers_settle(p);
	if (!p->done)
		finish_plan(p);
	if (p->out->status != ASK_ANSWER)
		return p->out->status == ASK_CLARIFY;
	if (further && (p->share || p->out->nqueries > 1))
		return false;
	if (any_either(d, DRAFT_ROOT))
		filter_rows(p, d, DRAFT_ROOT, &p->out->queries[0]);
	filter_related(p, d, &p->out->queries[0]);
	if (further)
		say_plan(p);
	return p->out->queries[0].nfilters < ASK_FILTERS_MAX;
}

/* The conditions on the rows that the root's are compared with become a part of the comparison. */
static void
fill_compared(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->nrelated; i++)
		for (size_t k = 0; d->related[i].compared && k < d->nconditions; k++) {
			struct buf sql = { 0 }, about = { 0 };

			if (d->conditions[k].is.test != PLAN_AVERAGE)
				continue;
			put_conditions(p, d, i, &sql, &about);
			if (sql.len > 0) {
				d->conditions[k].is.nvalues = 2;
				d->conditions[k].is.values[0] = arena_span(p->a, buf_view(&sql));
				d->conditions[k].is.values[1] = arena_span(p->a, buf_view(&about));
			}
			buf_fini(&sql);
			buf_fini(&about);
		}
}

/* Of these rows, only those are meant that the model counts.  False: there is no room for the condition. */
static bool
limit_to_counted(struct plan *p, struct draft *d, size_t of)
{
	uint32_t node = draft_node(p, d, of);
	const struct ask_source *s = plan_source(p, node);
	uint32_t own = counts_own_measure(p, p->m->nodes[node].source);

	for (size_t k = 0; own != ASK_NONE && k < s->measures[own].nsegments; k++)
		for (uint32_t i = 0; i < s->nsegments; i++) {
			if (!span_is(s->segments[i].names.name, s->measures[own].segments[k]))
				continue;
			if (d->nconditions == DRAFT_CONDITIONS_MAX)
				return false;
			d->conditions[d->nconditions++] = (struct draft_condition){ .of = of,
				.is = { .at = { node, 0 }, .test = PLAN_SEGMENT, .index = i, .implied = true } };
			plan_note(p, SAYS_COUNTED_ONLY,
			    SPANS(ask_label(p->a, &s->names), ask_label(p->a, &s->measures[own].names)));
		}
	return true;
}

/* Related rows, and those that are ranked or averaged, are the counted ones. */
static bool
limit_rows(struct plan *p, struct draft *d)
{
	bool folds =
	    d->nfolds > 0 && d->nmeasures == 0 && !d->latest && plan_is_word(p, d->folds[0].item, ASK_WORD_AGGREGATE);
	bool fits = !((d->first && !d->most) || folds) || (!d->any_of && limit_to_counted(p, d, DRAFT_ROOT));

	for (size_t i = 0; i < d->nrelated && fits; i++)
		if (!d->related[i].compared)
			fits = limit_to_counted(p, d, i);
	return fits;
}

/* Where rows are counted that lead to the root in two ways, the query reaches its rows by one of them. */
static void
go_by_way(struct plan *p, struct draft *d)
{
	uint32_t way = d->related[0].way, root = p->root;

	if (way == ASK_NONE)
		return;
	p->root = way;
	for (size_t i = 0; i < d->ncolumns; i++)
		d->columns[i].node = d->columns[i].node == root ? way : d->columns[i].node;
	for (size_t i = 0; i < d->nconditions; i++)
		d->conditions[i].is.at.node = d->conditions[i].is.at.node == root ? way : d->conditions[i].is.at.node;
	for (size_t i = 0; i < d->nthen; i++)
		d->then[i].at.node = d->then[i].at.node == root ? way : d->then[i].at.node;
}

bool
draft_answer(struct plan *p, const struct draft *draft)
{
	struct ask_query *q = &p->out->queries[0];
	struct draft told = *draft, *d = &told;
	bool counts;

	fill_compared(p, d);
	counts = counts_related(p, d);
	if (!limit_rows(p, d))
		return false;

	for (size_t i = 0; i < d->nrelated && !counts; i++)
		if (links_twice(p, d, i))
			return false;
	if (d->leads || d->number)
		return answer_figures(p, d);
	for (size_t i = 0; i < p->q.n; i++)
		if (thresholds_is_said(p, i))
			return false;
	if (leftovers_settle(p))
		return p->out->status == ASK_CLARIFY;
	if (d->nperiods + d->ngroups + d->nmentions + d->nmeasures > 0)
		return false;
	*q = (struct ask_query){ .role = ASK_VALUE, .no_empty = true };
	if (counts)
		go_by_way(p, d);
	fill_rows(p, d, counts, q);
	if (counts ? !fill_number(p, d, q) : p->m->governed && counts_any(d))
		return false;
	fill_order(p, d, q);
	if (d->any_of)
		filter_any_of(p, d, q);
	else
		filter_rows(p, d, DRAFT_ROOT, q);
	/* Whose rows are counted is joined, with its conditions. */
	if (counts)
		filter_rows(p, d, 0, q);
	else if (!d->any_of)
		filter_related(p, d, q);
	filter_alike(p, d, q);
	if (counts && !d->most)
		put_number_condition(p, d->related[0].operator, d->related[0].number, q);
	draft_take_words(p, d);
	for (size_t i = 0; i < d->nconditions; i++)
		plan_tell_left_out(p, &d->conditions[i].is);
	finish_note_rows(p);
	p->out->nqueries = 1;
	p->out->shape = q->nmeasures == 0 ? ASK_LIST : d->first ? ASK_RANKING : ASK_GROUPS;
	p->out->status = ASK_ANSWER;
	p->out->confidence = "high";
	p->lists = q->nmeasures == 0;
	p->rank = p->out->shape != ASK_RANKING ? 0 : d->descending ? 1 : -1;
	p->limit = q->limit;
	say_plan(p);
	return q->nfilters < ASK_FILTERS_MAX;
}
