#include "ask/catalogue.h"

/* Whether the question holds nothing but the asking item, names, and words without meaning of their own. */
static bool
is_about_model(const struct plan *p, size_t asking, size_t *name)
{
	*name = PLAN_NO_ITEM;
	for (size_t i = 0; i < p->q.n; i++) {
		const struct ask_item *it = &p->q.items[i];

		if (i == asking || plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i, ASK_WORD_WHICH) ||
		    plan_is_word(p, i, ASK_WORD_BY) || plan_is_word(p, i, ASK_WORD_MEANING) ||
		    plan_is_word(p, i, ASK_WORD_LIST) || plan_is_word(p, i, ASK_WORD_KINDS) ||
		    ask_is_any(plan_word(p, i)->folded,
			plan_is_word(p, asking, ASK_WORD_MEANING) ? "about mean" : "about"))
			continue;
		if (it->kind != ASK_ITEM_NAME)
			return false;
		if (*name == PLAN_NO_ITEM)
			*name = i;
	}
	return true;
}

struct catalogue_listing {
	struct plan	*p;
	size_t		 n, room;
	struct span	*cells;
};

static void
list_row(struct catalogue_listing *l, const struct ask_names *names, struct span owner, struct span undescribed)
{
	if (l->n == l->room)
		return;
	l->cells[3 * l->n] = ask_label(l->p->a, names);
	l->cells[3 * l->n + 1] = owner;
	l->cells[3 * l->n + 2] = names->description.len > 0 ? names->description : undescribed;
	l->n++;
}

static void
list_source(struct catalogue_listing *l, const struct ask_source *s, int kind)
{
	if (s->covered)
		return;
	if (kind == ASK_LIST_SOURCES)
		list_row(l, &s->names, s->names.name, SPAN_NONE);
	for (size_t i = 0; kind == ASK_LIST_MEASURES && i < s->nmeasures; i++)
		list_row(l, &s->measures[i].names, s->names.name, s->measures[i].expr);
	for (size_t i = 0; kind == ASK_LIST_DIMENSIONS && i < s->ncolumns; i++)
		if (!s->columns[i].internal)
			list_row(l, &s->columns[i].names, s->names.name, SPAN_NONE);
}

static bool
list_begin(struct plan *p, struct catalogue_listing *l)
{
	*l = (struct catalogue_listing){ .p = p, .room = 200, .cells = arena_array(p->a, 600, sizeof(struct span)) };
	return l->cells != NULL;
}

static bool
list_end(struct catalogue_listing *l, enum plan_says text)
{
	struct span *headers = arena_array(l->p->a, 3, sizeof(*headers));

	if (l->n == 0 || headers == NULL)
		return false;
	for (size_t i = 0; i < 3; i++)
		headers[i] = plan_says(l->p, (enum plan_says)(SAYS_HEAD_NAME + i), NULL);
	l->p->out->status = ASK_CATALOGUE;
	l->p->out->rows = (struct ask_rows){ 3, l->n, headers, l->cells };
	l->p->out->interpretation = plan_says(l->p, text, NULL);
	l->p->done = true;
	return true;
}

static bool
list_kinds(struct plan *p, size_t asking, size_t name)
{
	uint32_t source = plan_source_named(p, name);
	struct catalogue_listing l;

	if ((name != PLAN_NO_ITEM && source == ASK_NONE) || !list_begin(p, &l))
		return false;
	for (uint32_t i = 0; i < p->m->nsources; i++)
		if (source == ASK_NONE || source == i)
			list_source(&l, &p->m->sources[i], p->q.items[asking].arg);
	return list_end(&l, SAYS_CATALOGUE_KINDS);
}

static bool
list_meaning(struct plan *p, size_t name)
{
	struct catalogue_listing l;

	if (name == PLAN_NO_ITEM || !list_begin(p, &l))
		return false;
	for (size_t k = 0; k < p->q.items[name].nhits; k++) {
		const struct ask_entry *e = p->q.items[name].hits[k];
		const struct ask_source *s = &p->m->sources[e->source];
		struct ask_names expression = { .label = plan_says(p, SAYS_EXPRESSION, NULL) };

		if (e->kind == ASK_KIND_MEASURE || e->kind == ASK_KIND_COLUMN || e->kind == ASK_KIND_SEGMENT ||
		    e->kind == ASK_KIND_SOURCE)
			list_row(&l, plan_entry_names(p, e), s->names.name, SPAN_NONE);
		if (e->kind == ASK_KIND_MEASURE)
			list_row(&l, &expression, s->names.name, s->measures[e->index].expr);
	}
	return list_end(&l, SAYS_CATALOGUE_MEANING);
}

/* "which statuses are there": reads the distinct values of a column. */
static bool
list_values(struct plan *p, size_t asking)
{
	struct ask_query *q = &p->out->queries[0];
	const struct ask_entry *column = NULL;
	uint32_t source = ASK_NONE;
	size_t n = 0;

	for (size_t i = 0; i < p->q.n; i++)
		if (i != asking && plan_names_any(p, i, ASK_KIND_SOURCE))
			source = plan_source_named(p, i);
	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0; i != asking && k < p->q.items[i].nhits; k++) {
			const struct ask_entry *e = p->q.items[i].hits[k];

			if (e->kind != ASK_KIND_COLUMN || (source != ASK_NONE && e->source != source))
				continue;
			column = e;
			n++;
		}
	if (n != 1 || p->m->sources[column->source].columns[column->index].masked)
		return false;
	p->out->nqueries = q->ndimensions = 1;
	q->dimensions[0] = (struct ask_dimension){
		.field = plan_field(p, (struct plan_column){ column->source, column->index }),
		.granularity = span_of("", 0),
		.label = ask_label(p->a, &p->m->sources[column->source].columns[column->index].names),
	};
	q->no_empty = true;
	p->out->shape = ASK_LIST;
	p->out->status = ASK_ANSWER;
	p->out->confidence = "high";
	p->out->interpretation = plan_says(p, SAYS_VALUES_OF, SPANS(q->dimensions[0].field));
	p->done = true;
	return true;
}

bool
catalogue_read(struct plan *p)
{
	size_t kinds = plan_find(p, ASK_WORD_KINDS), values = plan_find(p, ASK_WORD_VALUES),
	       meaning = plan_find(p, ASK_WORD_MEANING), name;

	if (values != PLAN_NO_ITEM && is_about_model(p, values, &name) && list_values(p, values))
		return true;
	if (kinds != PLAN_NO_ITEM && is_about_model(p, kinds, &name) && list_kinds(p, kinds, name))
		return true;
	return meaning != PLAN_NO_ITEM && is_about_model(p, meaning, &name) && list_meaning(p, name);
}
