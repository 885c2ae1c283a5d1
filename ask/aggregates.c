#include "ask/aggregates.h"
#include "ask/counts.h"
#include "ask/superlatives.h"

/* Whether the question names the source; with by_column also by a column of the source elsewhere in the question. */
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
		struct ask_clarification *q = plan_ask(p, SAYS_TOPIC_COLUMN, SAYS_WHOSE, SPANS(it->text));

		for (size_t i = 0; i < it->nhits; i++)
			if (it->hits[i]->kind == ASK_KIND_COLUMN)
				plan_suggest(q, ask_label(p->a, &p->m->sources[it->hits[i]->source].names));
	}
	return n == 1;
}

static void
take_aggregate(struct plan *p, const char *function, enum plan_says word, uint32_t source, uint32_t column)
{
	const struct ask_source *s = &p->m->sources[source];
	const struct ask_column *c = &s->columns[column];
	struct span name = plan_text(p, "%s_%.*s", function, SPAN_FMT(c->names.name));

	for (size_t i = 0; i < p->nmeasures; i++)
		if (span_is(p->measures[i].name, name))
			return; /* "mean and average" */
	p->root = source;
	p->extreme = column;
	p->inline_measure = true;
	p->unit = c->type == ASK_TYPE_NUMBER ? plan_column_unit(p, c) : ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_call(p, function, false, s, c->names.name),
		.name = name,
		.label = plan_says(p, word, SPANS(ask_label(p->a, &c->names))),
		.unit = p->unit == ASK_MEASURED ? span_of("", 0) : span_str(ask_unit_name(p->unit)),
		.additive = strcmp(function, "sum") == 0 };
}

/* The column that follows an aggregate: "average number of pages", "average trip duration" (trip: the source). */
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
	if (plan_source_of_column(p, next, next + 1) == ASK_NONE)
		return next;
	*owner = next;
	return next + 1;
}

static bool
is_fold(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_AGGREGATE) ||
	    (plan_is_word(p, i, ASK_WORD_EXTREME) && !plan_is_extreme(p, i, ASK_COMMONEST));
}

/* Aggregate words in a row: "minimum, average and maximum". */
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

/* The SQL function and the word for the aggregate word at i. */
static void
fold_names(const struct plan *p, size_t i, const char **function, enum plan_says *word)
{
	static const char *const folds[] = {
		[ASK_FOLD_AVG] = "avg", [ASK_FOLD_SUM] = "sum", [ASK_FOLD_MEDIAN] = "median"
	};
	static const enum plan_says words[] = { [ASK_FOLD_AVG] = SAYS_FOLD_AVERAGE, [ASK_FOLD_SUM] = SAYS_FOLD_TOTAL,
		[ASK_FOLD_MEDIAN] = SAYS_FOLD_MEDIAN };
	int arg = p->q.items[i].arg;

	if (plan_is_word(p, i, ASK_WORD_AGGREGATE)) {
		*function = folds[arg];
		*word = words[arg];
	} else {
		*function = arg > 0 ? "max" : "min";
		*word = plan_is_word(p, i, ASK_WORD_LATEST) ? (arg > 0 ? SAYS_FOLD_LATEST : SAYS_FOLD_EARLIEST) :
							      (arg > 0 ? SAYS_FOLD_HIGHEST : SAYS_FOLD_LOWEST);
	}
}

void
aggregates_add_sum(struct plan *p, uint32_t source, uint32_t column)
{
	take_aggregate(p, "sum", SAYS_FOLD_TOTAL, source, column);
}

void
aggregates_add_extreme(struct plan *p, bool highest, uint32_t source, uint32_t column)
{
	take_aggregate(p, highest ? "max" : "min", highest ? SAYS_FOLD_HIGHEST : SAYS_FOLD_LOWEST, source, column);
}

void
aggregates_add_fold(struct plan *p, size_t fold, uint32_t source, uint32_t column)
{
	const char *function;
	enum plan_says word;

	fold_names(p, fold, &function, &word);
	take_aggregate(p, function, word, source, column);
	plan_take(p, fold, "aggregate %s", function);
}

static bool
follows_with(const struct plan *p, size_t i)
{
	size_t len;

	while (i-- > 0 && plan_is_word(p, i, ASK_WORD_STOP))
		if (ask_word(p->q.language, &p->q.tokens[p->q.items[i].first], 1, ASK_WORD_WITH, &len) != NULL)
			return true;
	return false;
}

/* "average age", "minimum and maximum age", "longest first reply time", "latest invoice date". */
bool
aggregates_measure(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		size_t next, owner, counting;
		uint32_t source, column;
		bool latest = plan_is_word(p, i, ASK_WORD_LATEST);
		struct folds row;

		/* "the stadium with the highest capacity" is a stadium */
		if ((!latest && !is_fold(p, i)) || (!plan_is_word(p, i, ASK_WORD_AGGREGATE) && follows_with(p, i)))
			continue;
		row = folds_from(p, i);
		next = column_behind(p, plan_after(p, row.words[row.n - 1]), &owner, &counting);
		if (next == PLAN_NO_ITEM || !plan_has(p, next, ASK_KIND_COLUMN) ||
		    plan_has(p, next, ASK_KIND_MEASURE) ||
		    !column_of_item(p, next, latest ? ASK_TYPE_TIME : ASK_TYPE_NUMBER, &source, &column))
			continue;
		for (size_t k = 0; k < row.n; k++)
			aggregates_add_fold(p, row.words[k], source, column);
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
bool
aggregates_latest(struct plan *p)
{
	size_t latest = plan_find(p, ASK_WORD_LATEST), when = plan_find(p, ASK_WORD_WHEN), entity;
	uint32_t source, column;

	if (latest == PLAN_NO_ITEM || when == PLAN_NO_ITEM)
		return false;
	entity = plan_after(p, latest);
	if (entity == PLAN_NO_ITEM || !plan_has(p, entity, ASK_KIND_SOURCE) ||
	    (source = counts_choose_source(p, entity)) == ASK_NONE)
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
	    p->q.items[latest].arg > 0 ? SAYS_FOLD_LATEST : SAYS_FOLD_EARLIEST, source, column);
	plan_take(p, latest, "latest of a date");
	plan_take(p, when, "a date is asked for");
	plan_take(p, entity, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	p->latest = true;
	return true;
}

void
aggregates_add_values(struct plan *p, uint32_t source, uint32_t column)
{
	const struct ask_source *s = &p->m->sources[source];
	struct span label = ask_label(p->a, &s->columns[column].names), of = ask_label(p->a, &s->names);

	p->root = source;
	p->inline_measure = true;
	p->unit = ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_call(p, "count", true, s, s->columns[column].names.name),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(s->columns[column].names.name)),
		.label = plan_says(p, SAYS_DIFFERENT_OF, SPANS(label, of)),
		.unit = span_of("", 0), .counts = true
	};
}

/* "how many different models": counts the distinct values of the column, not the rows. */
bool
aggregates_count_values(struct plan *p, size_t count, size_t distinct)
{
	size_t i = distinct == PLAN_NO_ITEM ? distinct : plan_after(p, distinct);
	uint32_t source, column;

	if (i == PLAN_NO_ITEM || count == PLAN_NO_ITEM || plan_after(p, count) != distinct ||
	    !plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE) ||
	    !column_of_item(p, i, ASK_TYPE_TEXT, &source, &column))
		return p->done;
	aggregates_add_values(p, source, column);
	plan_take(p, count, "count");
	plan_take(p, distinct, "each one counted once");
	plan_take(p, i, "column %.*s.%.*s", SPAN_FMT(p->m->sources[source].names.name),
	    SPAN_FMT(p->m->sources[source].columns[column].names.name));
	return true;
}

/* Whether the n words name the source, or with a column that column of it. */
static bool
words_name(const struct plan *p, size_t first, size_t n, uint32_t source, uint32_t column)
{
	const struct ask_entry *found[ASK_HITS_MAX];
	bool german = p->q.language == ASK_GERMAN;
	size_t nfound =
	    ask_lexicon_find(p->m->lexicon, ask_key(p->a, &p->q.tokens[first], n, german), german, found, ASK_HITS_MAX);

	for (size_t i = 0; i < nfound; i++)
		if (found[i]->source == source &&
		    (column == ASK_NONE ? found[i]->kind == ASK_KIND_SOURCE :
					  found[i]->kind == ASK_KIND_COLUMN && found[i]->index == column))
			return true;
	return false;
}

/* "invoice total" of a column invoice_total, or of the column total of invoice. */
static bool
says_column(const struct plan *p, const struct ask_item *it, uint32_t source, uint32_t column)
{
	for (size_t k = 0; k < it->n; k++)
		if (words_name(p, it->first + k, it->n - k, source, column) &&
		    (k == 0 || words_name(p, it->first, k, source, ASK_NONE)))
			return true;
	return false;
}

/* The column that a measure sums over all rows; ASK_NONE: the entry is something else. */
static uint32_t
summed_column(const struct plan *p, const struct ask_entry *e)
{
	const struct ask_source *s = &p->m->sources[e->source];
	const struct ask_source_measure *m;

	if (e->kind != ASK_KIND_MEASURE)
		return ASK_NONE;
	m = &s->measures[e->index];
	for (uint32_t c = 0; m->aggregate == ASK_AGGREGATE_SUM && m->filter.len == 0 && c < s->ncolumns; c++)
		if (span_is(s->columns[c].names.name, m->column) && s->columns[c].type == ASK_TYPE_NUMBER &&
		    !s->columns[c].masked)
			return c;
	return ASK_NONE;
}

bool
aggregates_of_summed(struct plan *p, size_t fold, size_t item)
{
	const struct ask_item *it = &p->q.items[item];

	for (size_t i = 0; i < it->nhits && p->nmeasures == 1; i++) {
		uint32_t source = it->hits[i]->source, column = summed_column(p, it->hits[i]);
		struct span unit = p->measures[0].unit;

		if (column == ASK_NONE || !says_column(p, it, source, column))
			continue;
		p->nmeasures = 0;
		aggregates_add_fold(p, fold, source, column);
		p->measures[0].unit = unit;
		return true;
	}
	return false;
}
