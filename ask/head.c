#include "ask/aggregates.h"
#include "ask/counts.h"
#include "ask/groups.h"
#include "ask/having.h"
#include "ask/head.h"
#include "ask/leftovers.h"
#include "ask/measures.h"

static bool
follows_by(const struct plan *p, size_t i)
{
	size_t b = plan_before(p, i);

	return b != PLAN_NO_ITEM && plan_is_word(p, b, ASK_WORD_BY);
}

/*
 * "top 3 wards by cost", "by number of stays": the word "by" before the item that the ranking uses.  PLAN_NO_ITEM: the
 * "by" means something else.
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

static bool
measures_are_joined(const struct plan *p, size_t first, size_t second)
{
	for (size_t i = first + 1; i < second; i++)
		if (plan_is_word(p, i, ASK_WORD_AND))
			return plan_after(p, first) == i && plan_after(p, i) == second;
	return plan_after(p, first) == second && p->q.tokens[p->q.items[second].first].comma;
}

/* "Show the due dates": dates, where a number of them is called so, too. */
static bool
lists_values(const struct plan *p, size_t item)
{
	bool rows = plan_find(p, ASK_WORD_LIST) != PLAN_NO_ITEM;

	for (size_t i = 0; i < item && plan_is_word(p, i, ASK_WORD_STOP); i++)
		rows |= p->q.items[i].arg == ASK_STOP_ROWS;
	return rows && plan_find(p, ASK_WORD_COUNT) == PLAN_NO_ITEM && plan_find(p, ASK_WORD_BY) == PLAN_NO_ITEM &&
	    measures_counts_values(p, item);
}

static void
head_measures(struct plan *p)
{
	size_t last = PLAN_NO_ITEM;

	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		size_t before = plan_before(p, i);

		if (!plan_has(p, i, ASK_KIND_MEASURE))
			continue;
		/*
		 * "per plan" names a group, even if a measure has that name, too; "top 5 by revenue" names the
		 * measure.
		 */
		if (follows_by(p, i) && ranking_by(p, i) == PLAN_NO_ITEM &&
		    (plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE)))
			continue;
		if (last != PLAN_NO_ITEM && !measures_are_joined(p, last, i))
			continue;
		if (last == PLAN_NO_ITEM && lists_values(p, i)) {
			plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_NOT_ROWS, NULL);
			return;
		}
		if (last != PLAN_NO_ITEM && before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_AND))
			plan_take(p, before, "several measures");
		measures_take(p, i);
		if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY) && !p->done) {
			if (p->q.items[before].arg == 1)
				plan_refuse(p, ASK_REASON_ARITHMETIC, SAYS_NOTHING_PER, SPANS(p->q.items[i].text));
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

/* "the sum of payments", which is no number of them; not "total payments". */
static bool
is_sum_of(const struct plan *p, const struct ask_item *it)
{
	size_t len;

	return ask_word(p->q.language, &p->q.tokens[it->first + it->n - 1], 1, ASK_WORD_OF, &len) != NULL;
}

/* The noun that "number of" counts: past what qualifies it where the measure is a count ("how many paid orders"). */
static size_t
counted_noun(const struct plan *p, size_t count)
{
	size_t i = plan_after(p, count);

	while (p->counts && i != PLAN_NO_ITEM && plan_is_free(p, i) &&
	    (p->q.items[i].kind != ASK_ITEM_WORD || p->q.items[i].word == ASK_WORD_VAGUE))
		i = plan_after(p, i);
	return i;
}

/* Aggregate words before a measure: they repeat its own aggregate, or ask for a second one over it. */
static void
head_words(struct plan *p)
{
	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		const struct ask_item *it = &p->q.items[i];
		size_t next;

		if (!plan_is_free(p, i) || it->kind != ASK_ITEM_WORD)
			continue;
		next = it->word == ASK_WORD_COUNT ? counted_noun(p, i) : plan_after(p, i);
		if (it->word == ASK_WORD_AGGREGATE && it->arg == ASK_FOLD_SUM && sums_up(p) &&
		    !(p->counted && is_sum_of(p, it)))
			plan_take(p, i, "sum over everything");
		else if (it->word == ASK_WORD_AGGREGATE && it->arg == ASK_FOLD_AVG && p->averages &&
		    p->nmeasures == 1 && next != PLAN_NO_ITEM && span_begins(p->q.items[next].consumed_by, "measure"))
			plan_take(p, i, "the measure is an average");
		else if (it->word == ASK_WORD_AGGREGATE && (next == PLAN_NO_ITEM || !aggregates_of_summed(p, i, next)))
			plan_refuse(p, ASK_REASON_NESTED, SAYS_AGGREGATE_TWICE, SPANS(it->text, p->measures[0].label));
		else if (it->word == ASK_WORD_COUNT && next != PLAN_NO_ITEM && p->nmeasures == 1 &&
		    p->measures[0].unit.len == 0 && !p->measures[0].ratio &&
		    /* "number of donations": of their rows, when the measure called so is a sum */
		    (p->counts || !plan_names_any(p, next, ASK_KIND_SOURCE)) &&
		    span_begins(p->q.items[next].consumed_by, "measure"))
			plan_take(p, i, "count");
		else if (it->word == ASK_WORD_ALWAYS) {
			plan_take(p, i, "no window");
			p->always = true;
		}
	}
}

/* The entity that the question counts when it names no measure. */
static size_t
head_entity(const struct plan *p)
{
	size_t listed = groups_lead(p, NULL),
	       counted = listed == PLAN_NO_ITEM ? listed : plan_after(p, plan_after(p, listed));

	if (counted != PLAN_NO_ITEM && plan_has(p, counted, ASK_KIND_SOURCE))
		return counted;
	size_t most = plan_find(p, ASK_WORD_EXTREME), after = most == PLAN_NO_ITEM ? most : plan_after(p, most);

	if (after != PLAN_NO_ITEM && plan_has(p, after, ASK_KIND_SOURCE))
		return after;
	/* "movie ratings" are ratings. */
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_has(p, i, ASK_KIND_SOURCE) && !follows_by(p, i) &&
		    !(plan_has(p, i + 1, ASK_KIND_SOURCE) && !p->q.tokens[p->q.items[i + 1].first].comma &&
			!ask_is_participle(p->q.language, p->q.tokens[p->q.items[i + 1].first].folded)))
			return i;
	return PLAN_NO_ITEM;
}

/*
 * "List the company with the most orchestras", "the most common nationality": the first group of a ranking, not rows.
 */
static bool
lists_first(const struct plan *p, size_t entity)
{
	size_t most = plan_find(p, ASK_WORD_EXTREME);

	return most != PLAN_NO_ITEM && (plan_is_extreme(p, most, ASK_COMMONEST) || plan_after(p, most) == entity);
}

/* "how many large accounts", "how many emergencies": counts a segment when the question names no entity. */
static bool
head_segment(struct plan *p, size_t count)
{
	for (size_t i = 0; i < p->q.n && count != PLAN_NO_ITEM; i++)
		for (size_t k = 0; k < p->q.items[i].nhits; k++)
			if (p->q.items[i].hits[k]->kind == ASK_KIND_SEGMENT && plan_after(p, count) == i) {
				plan_take(p, count, "count");
				counts_rows(p, p->q.items[i].hits[k]->source);
				return true;
			}
	return false;
}

/* "average number of pages": aggregates a column; "number" does not count rows. */
static bool
aggregates_number(const struct plan *p, size_t count)
{
	size_t before = plan_before(p, count), after = plan_after(p, count);

	return before != PLAN_NO_ITEM && after != PLAN_NO_ITEM &&
	    (plan_is_word(p, before, ASK_WORD_AGGREGATE) || plan_is_word(p, before, ASK_WORD_EXTREME)) &&
	    plan_has(p, after, ASK_KIND_COLUMN) && !plan_has(p, after, ASK_KIND_SOURCE);
}

/*
 * "how many novels": a value of only one column may stand for its rows; a value such as "cities" may mean another
 * entity.
 */
static bool
head_value(struct plan *p, size_t count)
{
	struct span label;
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
	if (!plan_is_answered(p, label)) {
		plan_suggest(plan_ask(p, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(p->q.items[i].text)), label);
		return true;
	}
	plan_take(p, count, "count");
	counts_rows(p, first->source);
	return true;
}

/*
 * "round trips", "orders status": the one source that the words of a value or column name.  ASK_NONE: none or several.
 */
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
		counts_rows(p, owner);
		return true;
	}
	return false;
}

/* What is measured when no measure of the model is named.  False: nothing is left for head_words(). */
static bool
head_unnamed(struct plan *p)
{
	size_t count = plan_find(p, ASK_WORD_COUNT), distinct = plan_find(p, ASK_WORD_DISTINCT), item, listing, which,
	       most;

	if ((count == PLAN_NO_ITEM || aggregates_number(p, count)) &&
	    (aggregates_measure(p) || aggregates_latest(p) || p->done))
		return true;
	if (aggregates_count_values(p, count, distinct))
		return true;
	if ((item = head_entity(p)) == PLAN_NO_ITEM)
		return head_segment(p, count) || head_value(p, count) || head_owner(p, count);
	listing = plan_find(p, ASK_WORD_LIST);
	which = plan_find(p, ASK_WORD_WHICH);
	most = plan_find(p, ASK_WORD_EXTREME);
	if ((listing != PLAN_NO_ITEM && groups_lead(p, NULL) == PLAN_NO_ITEM && !lists_first(p, item)) ||
	    (which != PLAN_NO_ITEM && count == PLAN_NO_ITEM && most == PLAN_NO_ITEM)) {
		leftovers_refuse_list(p);
		return false;
	}
	p->entity = count == PLAN_NO_ITEM && distinct == PLAN_NO_ITEM;
	counts_entity(p, item, count, distinct);
	return p->nmeasures > 0;
}

void
head_measure(struct plan *p)
{
	bool having = having_read(p);

	if (!having && !p->done)
		head_measures(p);
	if (!p->done && (having || p->nmeasures > 0 || head_unnamed(p)))
		head_words(p);
}
