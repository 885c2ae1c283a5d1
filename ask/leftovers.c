#include "ask/leftovers.h"
#include "ask/thresholds.h"

static bool
leads_to(const struct plan *p, uint32_t node, uint32_t to)
{
	for (size_t i = 0; i < p->m->nodes[node].nedges; i++)
		if (p->m->nodes[node].edges[i].to == to)
			return true;
	return false;
}

/* "downtime of Vexel machines", whose models Vexel makes: what the only way from the root to the node leads over. */
static bool
source_is_on_way(const struct plan *p, uint32_t source, uint32_t to)
{
	const struct ask_routes *r = &p->routes;

	for (uint32_t node = 0; node < p->m->nnodes && r->hops[to] != ASK_NONE && !r->several[to];)
		if (r->hops[node] == ASK_NONE || r->hops[node] + 1 != r->hops[to] || !leads_to(p, node, to))
			node++;
		else if (p->m->nodes[node].source == source)
			return true;
		else {
			to = node;
			node = 0;
		}
	return false;
}

/* Whether the reading uses the source: for the measure, a filter or a group. */
static bool
source_is_used(const struct plan *p, uint32_t source)
{
	if (plan_root(p) == source)
		return true;
	for (size_t i = 0; i < p->nconditions; i++)
		if (p->m->nodes[p->conditions[i].at.node].source == source ||
		    source_is_on_way(p, source, p->conditions[i].at.node))
			return true;
	for (size_t i = 0; i < p->nperiods; i++)
		if (p->m->nodes[p->periods[i].date.node].source == source)
			return true;
	return false;
}

/* "employees have employees": other rows of the source, as which the first word says. */
static bool
has_the_same(const struct plan *p, size_t i, uint32_t source)
{
	size_t before = plan_before(p, i), len;

	if (before == PLAN_NO_ITEM || !plan_names_of(p, before, ASK_KIND_SOURCE, source))
		return false;
	while (++before < i) {
		const struct ask_word_row *with = ask_word(p->q.language, plan_word(p, before), 1, ASK_WORD_WITH, &len);

		if (with != NULL && with->arg == 0)
			return true;
	}
	return false;
}

static bool
names_used_source(const struct plan *p, size_t i, const struct ask_entry *e)
{
	return (e->kind == ASK_KIND_SOURCE || e->kind == ASK_KIND_EVENT) && source_is_used(p, e->source) &&
	    !has_the_same(p, i, e->source);
}

bool
leftovers_is_used(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < p->ndimensions; k++)
		if (p->dimensions[k].grain < 0 &&
		    plan_names_of(p, i, ASK_KIND_SOURCE, p->m->nodes[p->dimensions[k].at.node].source))
			return true;
	for (size_t k = 0; k < p->q.items[i].nhits; k++)
		if (names_used_source(p, i, p->q.items[i].hits[k]))
			return true;
	return false;
}

static bool
was_probed(const struct plan *p, struct span source, struct span column, struct span text)
{
	for (size_t i = 0; p->known != NULL && i < p->known->nprobed; i++)
		if (span_is(p->known->probed[i].source, source) && span_is(p->known->probed[i].column, column) &&
		    span_is_folded(p->known->probed[i].value, text))
			return true;
	return false;
}

/* Ask the data whether the column, of which no sample tells all values, has the text. */
static void
add_probe(struct plan *p, const struct ask_source *s, uint32_t column, struct span text)
{
	const struct ask_column *c = &s->columns[column];

	if (c->type == ASK_TYPE_TEXT && ask_is_shown(c) && c->nvalues == 0 &&
	    !was_probed(p, s->names.name, c->names.name, text))
		p->out->probes[p->out->nprobes++] = ask_probe_of(p->a, s->names.name, c->names.name, text);
}

/* Probe for the text in the text columns that the root reaches. */
static void
probe_text(struct plan *p, struct span text)
{
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < p->m->nnodes && i < p->m->nsources; i++) {
			const struct ask_source *s = &p->m->sources[i];

			if (p->routes.hops[i] == ASK_NONE || s->covered)
				continue;
			for (uint32_t k = 0; k < s->ncolumns && p->out->nprobes < ASK_PROBES_MAX; k++)
				if ((pass == 0) == (k == s->label))
					add_probe(p, s, k, text);
		}
}

/* The name around an unknown word: it and its neighbours that begin with a capital. */
static struct span
name_around(const struct plan *p, size_t i)
{
	size_t first = i, last = i;
	const struct ask_token *t = p->q.tokens;
	bool quoted = t[p->q.items[i].first].quoted;

	/* "A Love of a Lifetime" in quotes is one name */
	while (quoted && first > 0 && t[p->q.items[first - 1].first].quoted)
		first--;
	while (quoted && last + 1 < p->q.n && t[p->q.items[last + 1].first].quoted)
		last++;
	while (!quoted && last + 1 < p->q.n && p->q.items[last + 1].kind == ASK_ITEM_UNKNOWN &&
	    !t[p->q.items[last + 1].first].comma)
		last++;
	if (t[p->q.items[i].first].capital && !quoted) {
		while (first > 0 && t[p->q.items[first - 1].first].capital && p->q.items[first - 1].first > 0)
			first--;
		while (last + 1 < p->q.n && t[p->q.items[last + 1].first].capital)
			last++;
	}
	return ask_from_to(p->q.items[first].text, p->q.items[last].text);
}

/* Whether the item is a value, or nothing that is known. */
static bool
may_name_row(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];

	return ask_item_is_value(it) && (it->kind == ASK_ITEM_UNKNOWN || (it->kind == ASK_ITEM_NAME && it->nhits > 0));
}

/* Whether the question names the source, a column of it or what it belongs to, or none: "how long is the Ohio". */
static bool
names_part_of(const struct plan *p, uint32_t source)
{
	bool none = true;

	for (size_t i = 0; i < p->q.n; i++) {
		if (plan_names_of(p, i, ASK_KIND_COLUMN, source) || plan_names_of(p, i, ASK_KIND_SOURCE, source))
			return true;
		for (size_t k = 0; k < p->q.items[i].nhits; k++)
			if (p->q.items[i].hits[k]->kind == ASK_KIND_SOURCE &&
			    plan_belongs(p, source, p->q.items[i].hits[k]->source))
				return true;
		none &= !plan_names_any(p, i, ASK_KIND_COLUMN) && !plan_names_any(p, i, ASK_KIND_SOURCE);
	}
	return none;
}

/* "colorado river", where rivers are a source */
static bool
ends_in_source(const struct plan *p, size_t i, const struct ask_source *s)
{
	const struct ask_item *it = &p->q.items[i];

	return it->n > 1 && it->kind == ASK_ITEM_NAME &&
	    span_is_folded(s->names.name, p->q.tokens[it->first + it->n - 1].folded);
}

/* The text of a possible name: of "colorado river" the beginning. */
static struct span
name_text(const struct plan *p, size_t i, const struct ask_source *s)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_token *last = &p->q.tokens[it->first + it->n - 1];

	if (it->kind == ASK_ITEM_UNKNOWN)
		return name_around(p, i);
	if (ends_in_source(p, i, s))
		return ask_from_to(it->text, last[-1].text);
	return it->text;
}

void
leftovers_probe_names(struct plan *p, bool all)
{
	for (size_t i = 0; i < p->q.n && (p->known == NULL || p->known->nprobed < 2 * ASK_PROBES_MAX); i++)
		for (uint32_t k = 0; may_name_row(p, i) && k < p->m->nsources; k++) {
			const struct ask_source *s = &p->m->sources[k];

			if (s->label == ASK_NONE || s->covered || p->out->nprobes == ASK_PROBES_MAX ||
			    (all ? !names_part_of(p, k) : !ends_in_source(p, i, s)))
				continue;
			add_probe(p, s, s->label, name_text(p, i, s));
		}
	if (p->out->nprobes > 0) {
		p->out->status = ASK_PROBE;
		p->done = true;
	}
}

/*
 * Whether the known value is only in sources that the root does not reach; reachable columns without samples may have
 * it, too.
 */
static bool
is_value_elsewhere(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];

	if (it->kind != ASK_ITEM_NAME || !plan_is_free(p, i) || it->nhits == 0 || !ask_item_is_value(it))
		return false;
	for (size_t k = 0; k < it->nhits; k++)
		if (plan_reaches(p, it->hits[k]->source))
			return false;
	return true;
}

void
leftovers_probes(struct plan *p)
{
	/* A question of many unknown words is not worth probing. */
	for (size_t i = 0; i < p->q.n && (p->known == NULL || p->known->nprobed < 2 * ASK_PROBES_MAX); i++)
		if (p->q.items[i].kind == ASK_ITEM_UNKNOWN)
			probe_text(p, name_around(p, i));
		else if ((plan_is_word(p, i, ASK_WORD_STOP) && ask_stop_may_be_value(p->q.items[i].arg)) ||
		    is_value_elsewhere(p, i) || (plan_is_free(p, i) && ask_item_is_others(&p->q.items[i])))
			probe_text(p, p->q.items[i].text);
	if (p->out->nprobes > 0) {
		p->out->status = ASK_PROBE;
		p->done = true;
	}
}

static bool
asks_for_figure(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_COUNT) || plan_names_any(p, i, ASK_KIND_MEASURE))
			return true;
	return false;
}

/* "laons by gendre": all that nothing knows at once, each word as the nearest one, where all have one. */
static void
ask_about_all(struct plan *p)
{
	size_t first = PLAN_NO_ITEM, last = 0, n = 0;
	struct ask_clarification *q;
	struct buf text = { 0 };
	const uint8_t *end = NULL;
	bool all = true;

	for (size_t i = 0; i < p->q.n; i++) {
		const struct ask_token *t = plan_word(p, i);
		const struct ask_entry *near[1];
		struct span word;

		if (p->q.items[i].kind != ASK_ITEM_UNKNOWN)
			continue;
		if (ask_lexicon_near(p->m->lexicon, t->stem, near, 1) == 0 ||
		    (word = ask_lexicon_nearest(t->stem, near[0]->key)).len == 0) {
			all = false;
			break;
		}
		if (end != NULL)
			buf_append(&text, end, (size_t)(p->q.items[i].text.p - end));
		buf_printf(&text, "%.*s%s", SPAN_FMT(word), t->plural ? "s" : "");
		end = p->q.items[i].text.p + p->q.items[i].text.len;
		first = first == PLAN_NO_ITEM ? i : first;
		last = i;
		n++;
	}
	/* "delivery date" is one name */
	if (!all || n < 2 || last - first + 1 == n) {
		buf_fini(&text);
		return;
	}
	q = &p->out->instead;
	*q = plan_question(p, SAYS_NO_WORDS,
	    SPANS(span_of(p->q.items[first].text.p, (size_t)(end - p->q.items[first].text.p))));
	plan_ask_instead(p, q, first, last);
	plan_suggest(q, ask_text(p->a, &text));
}

static void
ask_about_unknown(struct plan *p, size_t i, struct span text)
{
	const struct ask_entry *near[5];
	size_t n = ask_lexicon_near(p->m->lexicon, plan_word(p, i)->stem, near, 5);
	size_t before = plan_before(p, i);
	/* "by Land" names a group, and no value of one. */
	bool capital = plan_word(p, i)->capital && p->q.items[i].first > 0 &&
	    !(before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY));

	if (n > 0) {
		/* the word alone: what is suggested says nothing of the words around it */
		struct ask_clarification *q = plan_ask(p, SAYS_NO_WORD, SPANS(p->q.items[i].text));

		for (size_t k = 0; k < n; k++) {
			struct span stem = plan_word(p, i)->stem, word = ask_lexicon_nearest(stem, near[k]->key);

			if (word.len > 0 && !span_is(word, stem) && !span_is_folded(word, plan_entry_label(p, near[k])))
				plan_suggest(q, word);
			plan_suggest(q, plan_entry_label(p, near[k]));
		}
		q->topic = p->q.items[i].text;
		ask_about_all(p);
	} else if (capital && (p->nmeasures > 0 || asks_for_figure(p)))
		(void)plan_ask(p, SAYS_NO_SUCH_VALUE, SPANS(text));
	else
		plan_refuse(p, SAYS_UNKNOWN_WORD, SPANS(text));
}

static void
left_unknown(struct plan *p, size_t i)
{
	ask_about_unknown(p, i, name_around(p, i));
}

static void
left_vague(struct plan *p, size_t i)
{
	const struct ask_entry *near[4];
	struct ask_clarification *q = plan_ask(p, SAYS_WHAT_MEANS, SPANS(p->q.items[i].text));
	bool money = plan_is_word(p, i, ASK_WORD_VAGUE) && p->q.items[i].arg == ASK_VAGUE_MONEY;
	uint32_t about = plan_source_after(p, i), node = about == ASK_NONE ? p->root : plan_only_node(p, about);
	const struct ask_source *s = node == ASK_NONE || p->routes.hops[node] == ASK_NONE ? NULL : plan_source(p, node);

	q->topic = p->q.items[i].text;
	if (p->nmeasures > 0)
		thresholds_suggest(p, i, q);
	/* Conditions of what the word is said of; where amounts of money are meant, they are no answer. */
	for (size_t k = 0; s != NULL && k < s->nsegments && (q->nsuggestions == 0 || !money); k++)
		plan_suggest(q, ask_label(p->a, &s->segments[k].names));
	if (q->nsuggestions == 0 && ask_lexicon_near(p->m->lexicon, plan_word(p, i)->stem, near, 4) > 0)
		plan_suggest(q, plan_entry_label(p, near[0]));
}

/* "net revenue by channel and number of tickets by status": two questions, unless the words behind name no figure. */
static void
left_and(struct plan *p, size_t i)
{
	const struct ask_item *it = p->q.items;
	size_t next = plan_after(p, i);

	if (next == PLAN_NO_ITEM ||
	    !(plan_has(p, next, ASK_KIND_MEASURE) || plan_is_word(p, next, ASK_WORD_COUNT) ||
		plan_is_word(p, next, ASK_WORD_AGGREGATE)))
		plan_refuse(p, SAYS_NOT_ONE_QUERY, SPANS(it[i].text));
	else
		plan_refuse(p, SAYS_TWO_QUESTIONS,
		    SPANS(span_trim(span_of(it[0].text.p, (size_t)(it[i].text.p - it[0].text.p))),
			ask_from_to(it[next].text, it[p->q.n - 1].text)));
}

static void
left_word(struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];

	switch (it->word) {
	case ASK_WORD_VAGUE:
	case ASK_WORD_VAGUE_TIME:
		left_vague(p, i);
		break;
	case ASK_WORD_UNIT: {
		struct ask_clarification *q;

		if (p->nmeasures == 0) {
			plan_refuse(p, SAYS_NOT_ONE_QUERY, SPANS(it->text));
			break;
		}
		q = plan_ask(p, SAYS_OTHER_UNIT, SPANS(plan_unit(p, p->unit), it->text));

		q->assumption = plan_unit(p, p->unit);
		/* no number is said in the other unit */
		if ((i == 0 || p->q.items[i - 1].kind != ASK_ITEM_NUMBER) &&
		    (i + 1 == p->q.n || p->q.items[i + 1].kind != ASK_ITEM_NUMBER)) {
			plan_suggest(q, q->assumption);
			plan_ask_instead(p, q, i, i);
		}
		break;
	}
	case ASK_WORD_STAKES: {
		struct ask_clarification *q = plan_ask(p, SAYS_WHICH_EXACTLY, SPANS(it->text));

		for (size_t k = 0; k < p->nmeasures; k++)
			plan_suggest(q, p->measures[k].label);
		break;
	}
	case ASK_WORD_AND:
		left_and(p, i);
		break;
	case ASK_WORD_CHANGE:
	case ASK_WORD_VERSUS:
	case ASK_WORD_COMPARE:
		plan_refuse(p, SAYS_NEEDS_TWO, SPANS(it->text));
		break;
	default:
		plan_refuse(p, SAYS_NOT_ONE_QUERY, SPANS(it->text));
		break;
	}
}

static void
no_measure(struct plan *p)
{
	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		const struct ask_entry *near[1];

		if (p->q.items[i].kind == ASK_ITEM_UNKNOWN &&
		    ask_lexicon_near(p->m->lexicon, plan_word(p, i)->stem, near, 1) > 0)
			ask_about_unknown(p, i, p->q.items[i].text);
	}
	/* "and by region?" */
	plan_refuse(p, plan_is_word(p, 0, ASK_WORD_AND) ? SAYS_NO_CONTEXT : SAYS_NAMES_NOTHING, NULL);
}

/* "official": nothing else is meant where every reading is by name, or by what the user chose. */
static bool
is_official(struct plan *p, size_t i)
{
	bool is = plan_is_word(p, i, ASK_WORD_STAKES) && p->nmeasures > 0 &&
	    (p->worst <= ASK_TIER_NAME || (p->nmeasures == 1 && plan_is_answered(p, p->measures[0].label)));

	if (is)
		plan_take(p, i, "every reading is by name");
	return is;
}

bool
leftovers_settle(struct plan *p)
{
	bool any = false;

	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		if (!plan_is_left(p, i) || !plan_is_free(p, i) || is_official(p, i))
			continue;
		any = true;
		if (p->q.items[i].kind == ASK_ITEM_UNKNOWN)
			left_unknown(p, i);
		else
			left_word(p, i);
	}
	return any;
}

static bool
names_anything(const struct plan *p)
{
	static const enum ask_kind kinds[] = { ASK_KIND_SOURCE, ASK_KIND_MEASURE, ASK_KIND_EVENT };

	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (plan_names_any(p, i, kinds[k]))
				return true;
	return false;
}

/* Whether the item is a measure or rows. */
static bool
names_figure(const struct plan *p, size_t i)
{
	return plan_names_any(p, i, ASK_KIND_SOURCE) || plan_names_any(p, i, ASK_KIND_MEASURE);
}

/* "more than 3 orders": a condition on groups, or on related rows. */
static void
tell_group_condition(struct plan *p, size_t i)
{
	size_t number = plan_after(p, i), what = number == PLAN_NO_ITEM ? number : plan_after(p, number);

	if (plan_is_word(p, i, ASK_WORD_COMPARATOR) && what != PLAN_NO_ITEM &&
	    p->q.items[number].kind == ASK_ITEM_NUMBER && names_figure(p, what))
		plan_refuse(p, SAYS_GROUP_CONDITION,
		    SPANS(p->q.items[i].text, p->q.items[number].text, p->q.items[what].text));
}

/* "average revenue", "average orders": over what, nothing says. */
static void
tell_aggregate(struct plan *p, size_t i)
{
	size_t what = plan_after(p, i);

	if (plan_is_word(p, i, ASK_WORD_AGGREGATE) && what != PLAN_NO_ITEM && names_figure(p, what))
		plan_refuse(p, SAYS_AGGREGATE_TWICE, SPANS(p->q.items[i].text, p->q.items[what].text));
}

/* "revenue by country and number of customers by country" */
static void
tell_two_questions(struct plan *p, size_t i)
{
	size_t next = plan_after(p, i);
	bool figure = false;

	for (size_t k = 0; k < i; k++)
		figure |= plan_names_any(p, k, ASK_KIND_MEASURE) || plan_is_word(p, k, ASK_WORD_COUNT) ||
		    plan_is_word(p, k, ASK_WORD_AGGREGATE);
	if (figure && plan_is_word(p, i, ASK_WORD_AND) && next != PLAN_NO_ITEM &&
	    (plan_names_any(p, next, ASK_KIND_MEASURE) || plan_is_word(p, next, ASK_WORD_COUNT)))
		left_and(p, i);
}

static void
tell_denial(struct plan *p, size_t i)
{
	if (plan_is_word(p, i, ASK_WORD_NOT))
		plan_refuse(p, SAYS_NO_ROW_DOES, SPANS(p->q.items[i].text));
}

/* "orders per customer" */
static void
tell_ratio(struct plan *p, size_t i)
{
	size_t what = plan_after(p, i);

	if (plan_is_word(p, i, ASK_WORD_BY) && p->q.items[i].arg == 1 && what != PLAN_NO_ITEM)
		plan_refuse(p, SAYS_NOTHING_PER, SPANS(p->q.items[what].text));
}

void
leftovers_tell(struct plan *p)
{
	/* what such a question is about, the first that fits */
	static void (*const about[])(struct plan *p, size_t i) = { tell_two_questions, tell_group_condition,
		tell_denial, tell_aggregate, tell_ratio };

	size_t i = p->far;

	if (!names_anything(p)) {
		no_measure(p);
		return;
	}
	for (size_t k = 0; k < p->q.n && !p->done; k++)
		if (p->q.items[k].kind == ASK_ITEM_UNKNOWN)
			left_unknown(p, k);
	for (size_t k = 0; k < sizeof(about) / sizeof(about[0]); k++)
		for (size_t at = 0; at < p->q.n && !p->done; at++)
			about[k](p, at);
	while (i < p->q.n && plan_is_word(p, i, ASK_WORD_STOP))
		i++;
	if (p->done)
		return;
	if (i < p->q.n && p->q.items[i].kind == ASK_ITEM_WORD)
		left_word(p, i);
	else if (i < p->q.n)
		plan_refuse(p, SAYS_NOT_ONE_QUERY, SPANS(p->q.items[i].text));
	else
		plan_refuse(p, SAYS_UNREADABLE, NULL);
}
