/* head.c - what is measured: measures, a count of an entity, an aggregate of a column. */
#include "ask/plan.h"

static bool
follows_by(const struct plan *p, size_t i)
{
	size_t b = plan_before(p, i);

	return b != PLAN_NO_ITEM && plan_is_word(p, b, ASK_WORD_BY);
}

/*
 * "top 3 wards by cost", "by number of stays": the word "by", when the item behind it says by what things named before
 * are ranked.  PLAN_NO_ITEM: it says something else.
 */
static size_t
ranking_by(const struct plan *p, size_t i)
{
	size_t top = plan_find(p, ASK_WORD_TOP), by = plan_before(p, i);

	if (by != PLAN_NO_ITEM && plan_is_word(p, by, ASK_WORD_COUNT))
		by = plan_before(p, by);
	if (top == PLAN_NO_ITEM || by == PLAN_NO_ITEM || !plan_is_word(p, by, ASK_WORD_BY) || p->q.items[by].arg == 1)
		return PLAN_NO_ITEM;
	for (size_t k = top + 1; k < by; k++)
		if (plan_has(p, k, ASK_KIND_SOURCE) || plan_has(p, k, ASK_KIND_COLUMN) ||
		    plan_has(p, k, ASK_KIND_ALIAS))
			return by;
	return PLAN_NO_ITEM;
}

/* --- measures of the model -------------------------------------------------------------------------------- */

static void
add_measure(struct plan *p, uint32_t source, uint32_t index)
{
	const struct ask_source *s = &p->m->sources[source];
	const struct ask_source_measure *f = &s->measures[index];
	struct ask_measure *out = &p->measures[p->nmeasures++];
	enum ask_measured unit;

	*out = (struct ask_measure){ .expr = plan_text(p, "%.*s.%.*s", SPAN_FMT(s->names.name),
		SPAN_FMT(f->names.name)),
		.name = span_of("", 0), .label = ask_label(p->a, &f->names), .unit = f->unit,
		.additive = f->additive && f->nnone_over == 0,
		.nnone_over = f->nnone_over, .none_over = f->none_over };
	out->ratio = f->aggregate == ASK_AGGREGATE_DERIVED;
	p->averages = f->aggregate == ASK_AGGREGATE_AVG;
	unit = ask_unit_of(p->a, f->unit.len > 0 ? f->unit : f->names.description);
	if (f->aggregate == ASK_AGGREGATE_COUNT || f->aggregate == ASK_AGGREGATE_COUNT_DISTINCT)
		unit = ASK_MEASURED;
	if (p->nmeasures > 1 && unit != p->unit) {
		struct ask_clarification *q =
		    plan_ask(p, "Measure", "The measures have different units: %s and %s. Which one do you want?",
			ask_unit_name(p->unit), ask_unit_name(unit));

		plan_suggest(q, p->measures[0].label);
		plan_suggest(q, out->label);
	}
	p->unit = unit;
	if (out->unit.len == 0 && unit != ASK_MEASURED)
		out->unit = span_str(ask_unit_name(unit));
}

/* The one measure that the item names.  NULL: several, and it is asked which. */
static const struct ask_entry *
choose_measure(struct plan *p, size_t item)
{
	const struct ask_item *it = &p->q.items[item];
	const struct ask_entry *best = NULL;
	bool several = false;
	struct ask_clarification *q;

	for (size_t i = 0; i < it->nhits; i++) {
		const struct ask_entry *e = it->hits[i];

		if (e->kind != ASK_KIND_MEASURE || (best != NULL && e->tier > best->tier))
			continue;
		several = best != NULL;
		best = e;
	}
	for (size_t i = 0; i < it->nhits && several; i++)
		for (size_t k = 0; k < p->nanswers; k++)
			if (it->hits[i]->kind == ASK_KIND_MEASURE &&
			    span_is_folded(p->answers[k],
				ask_label(p->a,
				    &p->m->sources[it->hits[i]->source].measures[it->hits[i]->index].names)))
				return it->hits[i];
	if (!several)
		return best;
	q = plan_ask(p, "Measure", "Which measure does \"%.*s\" mean?", SPAN_FMT(it->text));
	for (size_t i = 0; i < it->nhits; i++)
		if (it->hits[i]->kind == ASK_KIND_MEASURE)
			plan_suggest(q,
			    ask_label(p->a, &p->m->sources[it->hits[i]->source].measures[it->hits[i]->index].names));
	return NULL;
}

static void
take_measure(struct plan *p, size_t item)
{
	const struct ask_entry *e = choose_measure(p, item);
	struct span name;

	if (e == NULL)
		return;
	if (p->nmeasures > 0 && e->source != p->root) {
		add_measure(p, e->source, e->index);
		if (!p->done)
			plan_refuse(p, ASK_REASON_UNSUPPORTED,
			    "\"%.*s\" and \"%.*s\" belong to different sources with dates of their own; ask for one "
			    "after the other.",
			    SPAN_FMT(p->measures[0].label), SPAN_FMT(p->measures[1].label));
		return;
	}
	if (p->nmeasures == ASK_MEASURES_MAX) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, "These are too many measures at once.");
		return;
	}
	p->root = e->source;
	p->worst = e->tier > p->worst ? (enum ask_tier)e->tier : p->worst;
	add_measure(p, e->source, e->index);
	name = p->measures[p->nmeasures - 1].expr;
	plan_take(p, item, "measure %.*s", SPAN_FMT(name));
}

/* --- counts ------------------------------------------------------------------------------------------------ */

/* "ticket count", "number of tickets" for "tickets" and for "support tickets"; "count" for everything. */
static bool
is_count_of(struct plan *p, struct span measure, struct span source)
{
	size_t n, k;
	struct ask_token *t = ask_tokens(p->a, measure, true, 8, &n), *own = ask_tokens(p->a, source, true, 8, &k);

	if (t == NULL || own == NULL || n == 0 || n > 8 || k > 8)
		return false;
	if (span_is_str(t[n - 1].folded, "count"))
		n--;
	else if (n > 2 && span_is_str(t[0].folded, "number") && span_is_str(t[1].folded, "of")) {
		t += 2;
		n -= 2;
	} else
		return false;
	return n == 0 || (n <= k && span_is(ask_key(p->a, t, n, false), ask_key(p->a, own + k - n, n, false)));
}

static bool
is_count_of_any(struct plan *p, struct span measure, const struct ask_names *source)
{
	bool named = is_count_of(p, measure, source->name) || is_count_of(p, measure, source->label);

	for (size_t i = 0; i < source->nsynonyms && !named; i++)
		named = is_count_of(p, measure, source->synonyms[i]);
	return named;
}

/* Is the measure called after its source? */
static bool
is_named_count(struct plan *p, const struct ask_source *s, const struct ask_source_measure *f)
{
	bool named = is_count_of_any(p, f->names.name, &s->names) || is_count_of_any(p, f->names.label, &s->names);

	for (size_t i = 0; i < f->names.nsynonyms && !named; i++)
		named = is_count_of_any(p, f->names.synonyms[i], &s->names);
	return named;
}

/* Whether a row is an entity: it has a key of its own, not only keys of other sources, which relate them. */
static bool
is_entity(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	bool own = s->ngrain == 1;

	for (size_t i = 0; i < s->ngrain && !own; i++) {
		own = true;
		for (size_t e = 0; e < p->m->nodes[source].nedges; e++)
			own &= !span_is(p->m->nodes[source].edges[e].here, s->grain[i]);
	}
	return own;
}

/* A count of rows over everything: the source's own count, else its rows. */
static void
take_count(struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	uint32_t named = ASK_NONE, plain = ASK_NONE;
	size_t nplain = 0;

	for (uint32_t i = 0; i < s->nmeasures; i++) {
		const struct ask_source_measure *f = &s->measures[i];

		if (f->aggregate != ASK_AGGREGATE_COUNT || f->filter.len > 0 || f->column.len > 0)
			continue;
		if (named == ASK_NONE && is_named_count(p, s, f))
			named = i;
		if (f->nsegments == 0 && nplain++ == 0)
			plain = i;
	}
	p->root = source;
	p->counted = true;
	if (named == ASK_NONE && nplain == 1)
		named = plain;
	if (named != ASK_NONE) {
		add_measure(p, source, named);
		return;
	}
	if (!is_entity(p, source)) {
		plan_refuse(p, ASK_REASON_NO_MEASURE,
		    "Nothing says what one row of %.*s is, so that it cannot be counted.", SPAN_FMT(s->names.name));
		return;
	}
	p->inline_measure = true;
	p->unit = ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_text(p, "count(%.*s.%.*s)", SPAN_FMT(s->names.name), SPAN_FMT(s->grain[0])),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(s->names.name)),
		.label = plan_text(p, "number of %.*s", SPAN_FMT(ask_label(p->a, &s->names))), .unit = span_of("", 0),
		.additive = true };
}

/* The source that the item names; ASK_NONE: none, or it is asked which. */
static uint32_t
choose_source(struct plan *p, size_t item)
{
	const struct ask_item *it = &p->q.items[item];
	uint32_t best = ASK_NONE;
	unsigned tier = 99;
	struct ask_clarification *q;
	bool several = false;

	for (size_t i = 0; i < it->nhits; i++) {
		const struct ask_entry *e = it->hits[i];

		if (e->kind != ASK_KIND_SOURCE || e->tier > tier)
			continue;
		several = tier == e->tier && best != e->source;
		tier = e->tier;
		best = e->source;
	}
	if (!several)
		return best;
	q = plan_ask(p, "Source", "Which one does \"%.*s\" mean?", SPAN_FMT(it->text));
	for (size_t i = 0; i < it->nhits; i++)
		if (it->hits[i]->kind == ASK_KIND_SOURCE)
			plan_suggest(q, ask_label(p->a, &p->m->sources[it->hits[i]->source].names));
	return ASK_NONE;
}

/* The key by which rows of a source belong to what is counted.  NULL: there is none; *several: more than one. */
static const struct ask_edge *
way_to_counted(const struct plan *p, uint32_t source, uint32_t counted, bool *several)
{
	const struct ask_edge *way = NULL;

	*several = false;
	for (size_t k = 0; k < p->m->nodes[source].nedges; k++) {
		const struct ask_edge *e = &p->m->nodes[source].edges[k];

		if (p->m->nodes[e->to].source != counted)
			continue;
		*several |= way != NULL || e->here.len == 0;
		way = e;
	}
	return way;
}

/* The source's count of its key.  Without one, and with a filtered count of rows, the user is asked which are meant. */
static bool
take_distinct_measure(struct plan *p, uint32_t source, struct span key)
{
	const struct ask_source *s = &p->m->sources[source];
	uint32_t found = ASK_NONE;
	size_t n = 0;
	bool filtered = false;

	for (uint32_t i = 0; i < s->nmeasures; i++) {
		const struct ask_source_measure *f = &s->measures[i];

		filtered |= f->aggregate == ASK_AGGREGATE_COUNT && f->column.len == 0 &&
		    (f->filter.len > 0 || f->nsegments > 0) && is_named_count(p, s, f);
		if (f->aggregate != ASK_AGGREGATE_COUNT_DISTINCT || !span_is_folded(f->column, key))
			continue;
		found = i;
		n++;
	}
	if (n == 1) {
		add_measure(p, source, found);
		return true;
	}
	if (n == 0 && !filtered)
		return false;
	struct ask_clarification *q =
	    plan_ask(p, "Measure", "Which rows of %.*s count there?", SPAN_FMT(s->names.name));

	for (uint32_t i = 0; i < s->nmeasures; i++)
		if (s->measures[i].aggregate == ASK_AGGREGATE_COUNT_DISTINCT ||
		    s->measures[i].aggregate == ASK_AGGREGATE_COUNT)
			plan_suggest(q, ask_label(p->a, &s->measures[i].names));
	return true;
}

/* "How many different customers opened a ticket": over the key by which tickets lead to customers. */
static bool
take_distinct_key(struct plan *p, size_t item, uint32_t counted, size_t event, uint32_t source)
{
	bool several;
	const struct ask_edge *way = way_to_counted(p, source, counted, &several);

	if (several)
		plan_refuse(p, ASK_REASON_NO_PATH, "There are several ways from %.*s to %.*s.",
		    SPAN_FMT(p->m->sources[source].names.name), SPAN_FMT(p->m->sources[counted].names.name));
	if (several || way == NULL)
		return several;
	p->root = source;
	p->through = true;
	plan_take(p, item, "counted: %.*s", SPAN_FMT(p->m->sources[counted].names.name));
	/* A date says of which rows: the period behind it takes it. */
	if (!plan_has(p, event, ASK_KIND_DATE))
		plan_take(p, event, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	if (take_distinct_measure(p, source, way->here))
		return true;
	p->inline_measure = true;
	p->unit = ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_text(p, "count(distinct %.*s.%.*s)", SPAN_FMT(p->m->sources[source].names.name),
		SPAN_FMT(way->here)),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(p->m->sources[counted].names.name)),
		.label = plan_text(p, "different %.*s with %.*s",
		SPAN_FMT(ask_label(p->a, &p->m->sources[counted].names)),
		    SPAN_FMT(ask_label(p->a, &p->m->sources[source].names))), .unit = span_of("", 0) };
	return true;
}

/* Whether something between the items says how often, or that it did not happen. */
static bool
is_qualified(const struct plan *p, size_t first, size_t last)
{
	for (size_t i = first; i <= last && i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_NOT) || plan_is_word(p, i, ASK_WORD_COMPARATOR) ||
		    plan_is_word(p, i, ASK_WORD_RANGE) || plan_is_word(p, i, ASK_WORD_EXTREME) ||
		    p->q.items[i].kind == ASK_ITEM_NUMBER)
			return true;
	return false;
}

/* "with orders", "made a trip", "opened a ticket": what stands before the noun says that it happened. */
static bool
verb_before(const struct plan *p, size_t i, bool with)
{
	size_t before = plan_before(p, i), len;

	if (before != PLAN_NO_ITEM && plan_has(p, before, ASK_KIND_DATE))
		return true;
	for (size_t k = i; k-- > 0 && (plan_is_word(p, k, ASK_WORD_STOP) || p->q.items[k].kind == ASK_ITEM_PERIOD);)
		if (p->q.items[k].kind == ASK_ITEM_PERIOD)
			continue;
		else if (p->q.items[k].arg == ASK_STOP_HAPPENS ||
		    (with &&
			ask_word(p->q.language, &p->q.tokens[p->q.items[k].first], 1, ASK_WORD_WITH, &len) != NULL))
			return true;
	return false;
}

/* "created": what happens to each row of whatever it is, and says nothing of another source's. */
static bool
is_of_any_row(const struct plan *p, size_t i)
{
	static const char *const words[] = { "created", "updated", "modified", "inserted", "added", "changed",
		"deleted", "recorded", "loaded", "imported", "registered", "erstellt", "angelegt", "geändert",
		"gelöscht", NULL };

	for (size_t k = 0; words[k] != NULL; k++)
		if (span_is_str(p->q.tokens[p->q.items[i].first].folded, words[k]))
			return true;
	return false;
}

/*
 * The event through which an entity is counted, and its source: a verb ("customers who ordered"), the word of a
 * date that the entity has none of ("patients admitted"), or a noun behind a verb.  PLAN_NO_ITEM: there is none,
 * or several.
 */
static size_t
event_of(const struct plan *p, size_t item, uint32_t counted, bool distinct, uint32_t *source)
{
	size_t found = PLAN_NO_ITEM;

	*source = ASK_NONE;
	/* A noun or a verb says whose event it is; the word of a date may be of several. */
	for (unsigned pass = 0; pass < 2 && found == PLAN_NO_ITEM; pass++)
		for (size_t i = item + 1; i < p->q.n && !plan_is_word(p, i, ASK_WORD_BY); i++) {
			bool noun = plan_has(p, i, ASK_KIND_SOURCE) && (distinct || verb_before(p, i, true)), several;

			for (size_t k = 0; plan_is_free(p, i) && k < p->q.items[i].nhits; k++) {
				const struct ask_entry *e = p->q.items[i].hits[k];
				bool date = e->kind == ASK_KIND_DATE, event = e->kind == ASK_KIND_EVENT;

				if ((date || event) && e->source == counted)
					return PLAN_NO_ITEM;
				if ((date || event) &&
				    (is_of_any_row(p, i) || plan_has(p, i, ASK_KIND_VALUE) ||
					plan_has(p, i, ASK_KIND_SEGMENT) || plan_has(p, i, ASK_KIND_FLAG)))
					continue;
				if (!(pass == 1 ? date : event || (e->kind == ASK_KIND_SOURCE && noun)) ||
				    e->source == counted || way_to_counted(p, e->source, counted, &several) == NULL)
					continue;
				if (*source != ASK_NONE && *source != e->source)
					return PLAN_NO_ITEM;
				if (found == PLAN_NO_ITEM || e->kind == ASK_KIND_SOURCE)
					found = i;
				*source = e->source;
			}
		}
	return found == PLAN_NO_ITEM || is_qualified(p, item + 1, found) ? PLAN_NO_ITEM : found;
}

/* Rows that say how many pieces of a thing they are about: a passive verb may mean those. */
static bool
has_quantity(struct plan *p, uint32_t source)
{
	static const char *const names[] = { "quantity", "qty", "units", "pieces", "menge", "stückzahl", NULL };
	const struct ask_source *s = &p->m->sources[source];

	for (uint32_t i = 0; i < s->ncolumns; i++)
		for (size_t k = 0; names[k] != NULL; k++)
			if (span_is_folded(s->columns[i].names.name, span_str(names[k])))
				return true;
	return false;
}

static bool
is_counted_through(struct plan *p, size_t item, uint32_t counted, bool distinct)
{
	uint32_t source;
	size_t event = event_of(p, item, counted, distinct, &source);

	if (event == PLAN_NO_ITEM)
		return false;
	if (!distinct && has_quantity(p, source)) {
		struct ask_clarification *q =
		    plan_ask(p, "Measure", "How is \"%.*s\" counted there?", SPAN_FMT(p->q.items[item].text));

		plan_suggest(q, plan_text(p, "how many different %.*s", SPAN_FMT(p->q.items[item].text)));
		plan_suggest(q,
		    plan_text(p, "number of %.*s", SPAN_FMT(ask_label(p->a, &p->m->sources[source].names))));
		return true;
	}
	return take_distinct_key(p, item, counted, event, source) || p->done;
}

/* An entity is counted. */
static void
head_count(struct plan *p, size_t item, size_t counting, size_t distinct)
{
	uint32_t source = choose_source(p, item);

	if (source == ASK_NONE)
		return;
	if (counting != PLAN_NO_ITEM)
		plan_take(p, counting, "count");
	if (distinct != PLAN_NO_ITEM)
		plan_take(p, distinct, "each one counted once");
	if (is_counted_through(p, item, source, distinct != PLAN_NO_ITEM))
		return;
	take_count(p, source);
	plan_take(p, item, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
}

/* --- aggregates of a column ----------------------------------------------------------------------------------- */

/* Whether the question names the source, or, where that says nothing, a column of it elsewhere. */
static bool
names_source(const struct plan *p, size_t item, uint32_t source, bool by_column)
{
	for (size_t k = 0; k < p->q.n; k++)
		for (size_t h = 0; h < p->q.items[k].nhits; h++) {
			const struct ask_entry *e = p->q.items[k].hits[h];

			if (e->source == source &&
			    (e->kind == ASK_KIND_SOURCE || (by_column && k != item && e->kind == ASK_KIND_COLUMN)))
				return true;
		}
	return false;
}

/* The column that an item names by itself: of the only source, or of the nearest entity in the question. */
static bool
column_of_item(struct plan *p, size_t item, enum ask_type type, uint32_t *source, uint32_t *column)
{
	const struct ask_item *it = &p->q.items[item];
	size_t n = 0, own = 0;

	for (unsigned pass = 0; pass < 3 && n != 1; pass++) {
		if (pass == 2 && n > 0)
			break;
		n = 0;
		for (size_t i = 0; i < it->nhits; i++) {
			const struct ask_entry *e = it->hits[i];
			const struct ask_column *c;

			if (e->kind != ASK_KIND_COLUMN)
				continue;
			c = &p->m->sources[e->source].columns[e->index];
			if (c->type != type || c->masked || (pass > 0 && !names_source(p, item, e->source, pass == 2)))
				continue;
			*source = e->source;
			*column = e->index;
			n++;
		}
		own += n;
	}
	if (n == 0 || own == 0)
		return false;
	if (n > 1) {
		struct ask_clarification *q = plan_ask(p, "Column", "Whose \"%.*s\" do you mean?", SPAN_FMT(it->text));

		for (size_t i = 0; i < it->nhits; i++)
			if (it->hits[i]->kind == ASK_KIND_COLUMN)
				plan_suggest(q, ask_label(p->a, &p->m->sources[it->hits[i]->source].names));
	}
	return n == 1;
}

static void
take_aggregate(struct plan *p, const char *function, const char *word, uint32_t source, uint32_t column)
{
	const struct ask_source *s = &p->m->sources[source];
	const struct ask_column *c = &s->columns[column];

	for (size_t i = 0; i < p->nmeasures; i++)
		if (span_begins(p->measures[i].name, function))
			return; /* "mean and average" */
	p->root = source;
	p->inline_measure = true;
	p->unit = c->type == ASK_TYPE_NUMBER ? plan_column_unit(p, c) : ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_text(p, "%s(%.*s.%.*s)", function, SPAN_FMT(s->names.name), SPAN_FMT(c->names.name)),
		.name = plan_text(p, "%s_%.*s", function, SPAN_FMT(c->names.name)),
		.label = plan_text(p, "%s %.*s", word, SPAN_FMT(ask_label(p->a, &c->names))),
		.unit = p->unit == ASK_MEASURED ? span_of("", 0) : span_str(ask_unit_name(p->unit)),
		.additive = strcmp(function, "sum") == 0 };
}

/* The column after an aggregate: "average number of pages", "average trip duration" with its source. */
static size_t
column_behind(const struct plan *p, size_t next, size_t *owner, size_t *counting)
{
	*owner = *counting = PLAN_NO_ITEM;
	if (next != PLAN_NO_ITEM && plan_is_word(p, next, ASK_WORD_COUNT)) {
		*counting = next;
		next = plan_after(p, next);
	}
	if (next == PLAN_NO_ITEM || plan_has(p, next, ASK_KIND_COLUMN) || !plan_has(p, next, ASK_KIND_SOURCE) ||
	    p->q.tokens[p->q.items[next].first].plural || next + 1 >= p->q.n || !plan_has(p, next + 1, ASK_KIND_COLUMN))
		return next;
	for (size_t k = 0; k < p->q.items[next].nhits; k++)
		for (size_t h = 0; h < p->q.items[next + 1].nhits; h++)
			if (p->q.items[next].hits[k]->kind == ASK_KIND_SOURCE &&
			    p->q.items[next + 1].hits[h]->kind == ASK_KIND_COLUMN &&
			    p->q.items[next].hits[k]->source == p->q.items[next + 1].hits[h]->source) {
				*owner = next;
				return next + 1;
			}
	return next;
}

static bool
is_fold(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_EXTREME) || plan_is_word(p, i, ASK_WORD_AGGREGATE);
}

/* Words of aggregates that stand in a row: "minimum, average and maximum". */
struct folds {
	size_t n, words[ASK_MEASURES_MAX], nands, ands[ASK_MEASURES_MAX];
};

static struct folds
folds_from(const struct plan *p, size_t i)
{
	struct folds out = { .n = 1, .words = { i } };

	while (out.n < ASK_MEASURES_MAX && is_fold(p, i)) {
		size_t next = plan_after(p, i), and = PLAN_NO_ITEM;

		if (next != PLAN_NO_ITEM && plan_is_word(p, next, ASK_WORD_AND)) {
			and = next;
			next = plan_after(p, next);
		}
		if (next == PLAN_NO_ITEM || !is_fold(p, next) ||
		    (and == PLAN_NO_ITEM && !p->q.tokens[p->q.items[next].first].comma))
			break;
		if (and != PLAN_NO_ITEM)
			out.ands[out.nands++] = and;
		out.words[out.n++] = i = next;
	}
	return out;
}

/* What the word at i makes of a column. */
static void
fold_names(const struct plan *p, size_t i, const char **function, const char **word)
{
	static const char *const folds[] = {
		[ASK_FOLD_AVG] = "avg", [ASK_FOLD_SUM] = "sum", [ASK_FOLD_MEDIAN] = "median"
	};
	static const char *const words[] = {
		[ASK_FOLD_AVG] = "average", [ASK_FOLD_SUM] = "total", [ASK_FOLD_MEDIAN] = "median"
	};
	int arg = p->q.items[i].arg;

	if (plan_is_word(p, i, ASK_WORD_AGGREGATE)) {
		*function = folds[arg];
		*word = words[arg];
	} else {
		*function = arg > 0 ? "max" : "min";
		*word = plan_is_word(p, i, ASK_WORD_LATEST) ? (arg > 0 ? "latest" : "earliest") :
							      (arg > 0 ? "highest" : "lowest");
	}
}

/* "average age", "minimum and maximum age", "longest first reply time", "latest invoice date". */
static bool
head_aggregate(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		size_t next, owner, counting;
		uint32_t source, column;
		bool latest = plan_is_word(p, i, ASK_WORD_LATEST);
		struct folds row;

		if (!latest && !is_fold(p, i))
			continue;
		row = folds_from(p, i);
		next = column_behind(p, plan_after(p, row.words[row.n - 1]), &owner, &counting);
		if (next == PLAN_NO_ITEM || !plan_has(p, next, ASK_KIND_COLUMN) ||
		    plan_has(p, next, ASK_KIND_MEASURE) ||
		    !column_of_item(p, next, latest ? ASK_TYPE_TIME : ASK_TYPE_NUMBER, &source, &column))
			continue;
		for (size_t k = 0; k < row.n; k++) {
			const char *function, *word;

			fold_names(p, row.words[k], &function, &word);
			take_aggregate(p, function, word, source, column);
			plan_take(p, row.words[k], "aggregate %s", function);
		}
		for (size_t k = 0; k < row.nands; k++)
			plan_take(p, row.ands[k], "several aggregates");
		if (owner != PLAN_NO_ITEM)
			plan_take(p, owner, "source of the column");
		if (counting != PLAN_NO_ITEM)
			plan_take(p, counting, "the column is a number");
		plan_take(p, next, "column %.*s.%.*s", SPAN_FMT(p->m->sources[source].names.name),
		    SPAN_FMT(p->m->sources[source].columns[column].names.name));
		p->latest = latest;
		return true;
	}
	return false;
}

/* "When was the most recent ticket opened?" */
static bool
head_latest(struct plan *p)
{
	size_t latest = plan_find(p, ASK_WORD_LATEST), when = plan_find(p, ASK_WORD_WHEN), entity;
	uint32_t source, column;

	if (latest == PLAN_NO_ITEM || when == PLAN_NO_ITEM)
		return false;
	entity = plan_after(p, latest);
	if (entity == PLAN_NO_ITEM || !plan_has(p, entity, ASK_KIND_SOURCE) ||
	    (source = choose_source(p, entity)) == ASK_NONE)
		return false;
	column = p->m->sources[source].time;
	for (size_t i = 0; i < p->q.n; i++)
		if (i != entity && plan_has(p, i, ASK_KIND_DATE))
			for (size_t k = 0; k < p->q.items[i].nhits; k++) {
				const struct ask_entry *e = p->q.items[i].hits[k];

				if (e->kind == ASK_KIND_DATE && e->source == source) {
					column = e->index;
					plan_take(p, i, "date %.*s",
					    SPAN_FMT(p->m->sources[source].columns[column].names.name));
					break;
				}
			}
	if (column == ASK_NONE)
		return false;
	take_aggregate(p, p->q.items[latest].arg > 0 ? "max" : "min",
	    p->q.items[latest].arg > 0 ? "latest" : "earliest", source, column);
	plan_take(p, latest, "latest of a date");
	plan_take(p, when, "a date is asked for");
	plan_take(p, entity, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	p->latest = true;
	return true;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static bool
measures_are_joined(const struct plan *p, size_t first, size_t second)
{
	for (size_t i = first + 1; i < second; i++)
		if (plan_is_word(p, i, ASK_WORD_AND))
			return plan_after(p, first) == i && plan_after(p, i) == second;
	return plan_after(p, first) == second && p->q.tokens[p->q.items[second].first].comma;
}

static void
head_measures(struct plan *p)
{
	size_t last = PLAN_NO_ITEM;

	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		size_t before = plan_before(p, i);

		if (!plan_has(p, i, ASK_KIND_MEASURE))
			continue;
		/* "per plan" means the plan, whatever else is called so; "top 5 by revenue" the measure. */
		if (follows_by(p, i) && ranking_by(p, i) == PLAN_NO_ITEM &&
		    (plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE)))
			continue;
		if (last != PLAN_NO_ITEM && !measures_are_joined(p, last, i))
			continue;
		if (last != PLAN_NO_ITEM && before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_AND))
			plan_take(p, before, "several measures");
		take_measure(p, i);
		if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY) && !p->done) {
			if (p->q.items[before].arg == 1)
				plan_refuse(p, ASK_REASON_ARITHMETIC, "Nothing is defined per \"%.*s\".",
				    SPAN_FMT(p->q.items[i].text));
			plan_take(p, before, "ranked by");
		}
		last = i;
	}
}

static bool
sums_up(const struct plan *p)
{
	return p->nmeasures == 1 && p->measures[0].additive;
}

/* Aggregate words before a measure: what it is already, or a second one over it. */
static void
head_words(struct plan *p)
{
	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		const struct ask_item *it = &p->q.items[i];
		size_t next;

		if (!plan_is_free(p, i) || it->kind != ASK_ITEM_WORD)
			continue;
		next = plan_after(p, i);
		if (it->word == ASK_WORD_AGGREGATE && it->arg == ASK_FOLD_SUM && sums_up(p))
			plan_take(p, i, "sum over everything");
		else if (it->word == ASK_WORD_AGGREGATE && it->arg == ASK_FOLD_AVG && p->averages &&
		    p->nmeasures == 1 && next != PLAN_NO_ITEM && span_begins(p->q.items[next].consumed_by, "measure"))
			plan_take(p, i, "the measure is an average");
		else if (it->word == ASK_WORD_AGGREGATE)
			plan_refuse(p, ASK_REASON_NESTED,
			    "\"%.*s\" would be an aggregate of \"%.*s\", which is one already; nothing says over what.",
			    SPAN_FMT(it->text), SPAN_FMT(p->measures[0].label));
		else if (it->word == ASK_WORD_COUNT && next != PLAN_NO_ITEM && p->nmeasures == 1 &&
		    p->measures[0].unit.len == 0 && !p->measures[0].ratio &&
		    span_begins(p->q.items[next].consumed_by, "measure"))
			plan_take(p, i, "count");
		else if (it->word == ASK_WORD_ALWAYS) {
			plan_take(p, i, "no window");
			p->always = true;
		}
	}
}

/* The entity that the question is about when nothing else is measured. */
static size_t
head_entity(const struct plan *p)
{
	size_t listed = plan_listed(p, NULL),
	       counted = listed == PLAN_NO_ITEM ? listed : plan_after(p, plan_after(p, listed));

	if (counted != PLAN_NO_ITEM && plan_has(p, counted, ASK_KIND_SOURCE))
		return counted;
	size_t most = plan_find(p, ASK_WORD_EXTREME), after = most == PLAN_NO_ITEM ? most : plan_after(p, most);

	if (after != PLAN_NO_ITEM && plan_has(p, after, ASK_KIND_SOURCE))
		return after;
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_has(p, i, ASK_KIND_SOURCE) && !follows_by(p, i))
			return i;
	return PLAN_NO_ITEM;
}

/* "List the company with the most orchestras", "the most common nationality": the first of groups, and no rows. */
static bool
lists_first(const struct plan *p, size_t entity)
{
	size_t most = plan_find(p, ASK_WORD_EXTREME);

	return most != PLAN_NO_ITEM && (plan_is_commonest(p, most) || plan_after(p, most) == entity);
}

/* "top 3 wards by stays": ranked by how many there are. */
static bool
head_ranking_count(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		size_t by = ranking_by(p, i), before = plan_before(p, i);
		uint32_t source;

		if (by == PLAN_NO_ITEM || !plan_has(p, i, ASK_KIND_SOURCE))
			continue;
		if ((source = choose_source(p, i)) == ASK_NONE)
			return p->done;
		take_count(p, source);
		plan_take(p, by, "ranked by");
		if (before != by)
			plan_take(p, before, "count");
		plan_take(p, i, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
		return true;
	}
	return false;
}

/* "how many large accounts", "how many emergencies": a segment, where nothing else is named. */
static bool
head_segment(struct plan *p, size_t count)
{
	for (size_t i = 0; i < p->q.n && count != PLAN_NO_ITEM; i++)
		for (size_t k = 0; k < p->q.items[i].nhits; k++)
			if (p->q.items[i].hits[k]->kind == ASK_KIND_SEGMENT && plan_after(p, count) == i) {
				plan_take(p, count, "count");
				take_count(p, p->q.items[i].hits[k]->source);
				return true;
			}
	return false;
}

/* "average number of pages": no count of rows. */
static bool
aggregates_number(const struct plan *p, size_t count)
{
	size_t before = plan_before(p, count), after = plan_after(p, count);

	return before != PLAN_NO_ITEM && after != PLAN_NO_ITEM &&
	    (plan_is_word(p, before, ASK_WORD_AGGREGATE) || plan_is_word(p, before, ASK_WORD_EXTREME)) &&
	    plan_has(p, after, ASK_KIND_COLUMN) && !plan_has(p, after, ASK_KIND_SOURCE);
}

/* "how many novels": a value that only one column has may stand for its rows; "cities" may be other things. */
static bool
head_value(struct plan *p, size_t count)
{
	struct span label;
	bool answered = false;
	size_t i = count == PLAN_NO_ITEM ? count : plan_after(p, count);
	const struct ask_entry *first;

	if (i == PLAN_NO_ITEM || p->q.items[i].kind != ASK_ITEM_NAME || p->q.items[i].nhits == 0 ||
	    !p->q.tokens[p->q.items[i].first + p->q.items[i].n - 1].plural)
		return false;
	first = p->q.items[i].hits[0];
	for (size_t k = 0; k < p->q.items[i].nhits; k++)
		if (p->q.items[i].hits[k]->kind != ASK_KIND_VALUE || p->q.items[i].hits[k]->source != first->source ||
		    p->q.items[i].hits[k]->index != first->index)
			return false;
	label = plan_column_label(p, (struct plan_column){ first->source, first->index });
	for (size_t k = 0; k < p->nanswers; k++)
		answered |= span_is_folded(p->answers[k], label);
	if (!answered) {
		plan_suggest(plan_ask(p, "Meaning", "\"%.*s\" is known as a value only. Is it meant as one?",
				 SPAN_FMT(p->q.items[i].text)),
		    label);
		return true;
	}
	plan_take(p, count, "count");
	take_count(p, first->source);
	return true;
}

/* "how many different models": of the column, each value once; nothing else is counted there. */
static bool
head_distinct_column(struct plan *p, size_t count, size_t distinct)
{
	size_t i = distinct == PLAN_NO_ITEM ? distinct : plan_after(p, distinct);
	uint32_t source, column;
	const struct ask_source *s;

	if (i == PLAN_NO_ITEM || count == PLAN_NO_ITEM || count > distinct || !plan_has(p, i, ASK_KIND_COLUMN) ||
	    plan_has(p, i, ASK_KIND_SOURCE) || !column_of_item(p, i, ASK_TYPE_TEXT, &source, &column))
		return p->done;
	s = &p->m->sources[source];
	p->root = source;
	p->inline_measure = true;
	p->unit = ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_text(p, "count(distinct %.*s.%.*s)", SPAN_FMT(s->names.name),
		SPAN_FMT(s->columns[column].names.name)),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(s->columns[column].names.name)),
		.label = plan_text(p, "different values of %.*s of %.*s",
		SPAN_FMT(ask_label(p->a, &s->columns[column].names)),
		    SPAN_FMT(ask_label(p->a, &s->names))), .unit = span_of("", 0) };
	plan_take(p, count, "count");
	plan_take(p, distinct, "each one counted once");
	plan_take(p, i, "column %.*s.%.*s", SPAN_FMT(s->names.name), SPAN_FMT(s->columns[column].names.name));
	return true;
}

/* "round trips", "orders status": a value or a column whose words name its source.  ASK_NONE: none or several do. */
static uint32_t
owner_named(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	size_t ends[2] = { it->first, it->first + it->n - 1 };
	uint32_t owner = ASK_NONE;

	for (size_t side = 0; side < 2 && it->kind == ASK_ITEM_NAME && it->n > 1; side++) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t n = ask_lexicon_find(p->m->lexicon, ask_key(p->a, &p->q.tokens[ends[side]], 1, false), false,
		    found, ASK_HITS_MAX);

		for (size_t k = 0; k < n; k++)
			for (size_t h = 0; h < it->nhits; h++) {
				if (found[k]->kind != ASK_KIND_SOURCE || found[k]->source != it->hits[h]->source ||
				    found[k]->source == owner)
					continue;
				if (owner != ASK_NONE)
					return ASK_NONE;
				owner = found[k]->source;
			}
	}
	return owner;
}

static bool
head_owner(struct plan *p, size_t count)
{
	for (size_t i = 0; i < p->q.n; i++) {
		uint32_t owner = follows_by(p, i) ? ASK_NONE : owner_named(p, i);

		if (owner == ASK_NONE)
			continue;
		if (count != PLAN_NO_ITEM)
			plan_take(p, count, "count");
		p->entity = count == PLAN_NO_ITEM;
		take_count(p, owner);
		return true;
	}
	return false;
}

/* --- of a condition on groups ------------------------------------------------------------------------------------- */

bool
plan_measure_named(struct plan *p, size_t item)
{
	take_measure(p, item);
	return !p->done && p->nmeasures == 1;
}

bool
plan_measure_count(struct plan *p, size_t item)
{
	uint32_t source = choose_source(p, item);

	if (source == ASK_NONE)
		return false;
	take_count(p, source);
	plan_take(p, item, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	return !p->done;
}

bool
plan_measure_fold(struct plan *p, size_t fold, size_t item)
{
	const char *function, *word;
	uint32_t source, column;

	if (!column_of_item(p, item, ASK_TYPE_NUMBER, &source, &column))
		return false;
	fold_names(p, fold, &function, &word);
	take_aggregate(p, function, word, source, column);
	p->averages = p->q.items[fold].arg != ASK_FOLD_SUM || plan_is_word(p, fold, ASK_WORD_EXTREME);
	plan_take(p, fold, "aggregate %s", function);
	plan_take(p, item, "column %.*s.%.*s", SPAN_FMT(p->m->sources[source].names.name),
	    SPAN_FMT(p->m->sources[source].columns[column].names.name));
	return true;
}

bool
plan_measure_times(struct plan *p, size_t item, size_t before)
{
	uint32_t counted = choose_source(p, item), source;
	size_t event = counted == ASK_NONE ? PLAN_NO_ITEM : event_of(p, item, counted, false, &source);

	if (event == PLAN_NO_ITEM || event >= before || has_quantity(p, source))
		return false;
	take_count(p, source);
	plan_take(p, event, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	return !p->done;
}

void
plan_head(struct plan *p)
{
	size_t count = plan_find(p, ASK_WORD_COUNT), distinct = plan_find(p, ASK_WORD_DISTINCT), item;

	if (plan_having(p) || p->done) {
		if (!p->done)
			head_words(p);
		return;
	}
	head_measures(p);
	if (p->done)
		return;
	if (p->nmeasures == 0 && plan_listing(p))
		return;
	if (p->nmeasures == 0 && (count == PLAN_NO_ITEM || aggregates_number(p, count)) &&
	    (head_aggregate(p) || head_latest(p) || p->done)) {
		head_words(p);
		return;
	}
	if (p->nmeasures == 0) {
		size_t listing = plan_find(p, ASK_WORD_LIST), which = plan_find(p, ASK_WORD_WHICH);

		if (head_ranking_count(p)) {
			if (!p->done)
				head_words(p);
			return;
		}
		if (head_distinct_column(p, count, distinct)) {
			if (!p->done)
				head_words(p);
			return;
		}
		item = head_entity(p);
		if (item == PLAN_NO_ITEM) {
			if ((head_segment(p, count) || head_value(p, count) || head_owner(p, count)) && !p->done)
				head_words(p);
			return;
		}
		if (count == PLAN_NO_ITEM &&
		    (plan_find(p, ASK_WORD_TOP) != PLAN_NO_ITEM ||
			(plan_find(p, ASK_WORD_EXTREME) != PLAN_NO_ITEM &&
			    !plan_is_commonest(p, plan_find(p, ASK_WORD_EXTREME)) &&
			    plan_before(p, item) != plan_find(p, ASK_WORD_EXTREME)))) {
			struct ask_clarification *q = plan_ask(p, "Measure", "Ranked by which measure?");

			for (uint32_t s = 0; s < p->m->nsources && q->nsuggestions < 4; s++)
				for (uint32_t k = 0; k < p->m->sources[s].nmeasures && k < 1; k++)
					plan_suggest(q, ask_label(p->a, &p->m->sources[s].measures[k].names));
			return;
		}
		if ((listing != PLAN_NO_ITEM && plan_listed(p, NULL) == PLAN_NO_ITEM && !lists_first(p, item)) ||
		    (which != PLAN_NO_ITEM && count == PLAN_NO_ITEM &&
			plan_find(p, ASK_WORD_EXTREME) == PLAN_NO_ITEM)) {
			plan_refuse(p, ASK_REASON_UNSUPPORTED,
			    "Lists of single rows are not answered here; ask for a number, or for one by a column.");
			return;
		}
		p->entity = count == PLAN_NO_ITEM && distinct == PLAN_NO_ITEM;
		head_count(p, item, count, distinct);
	}
	if (!p->done && p->nmeasures > 0)
		head_words(p);
}
