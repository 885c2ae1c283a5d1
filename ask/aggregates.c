#include "ask/aggregates.h"

static void
take_aggregate(struct plan *p, const char *function, enum plan_says word, uint32_t source, uint32_t column)
{
	const struct ask_source *s = &p->m->sources[source];
	const struct ask_column *c = &s->columns[column];
	struct span name = plan_text(p, "%s_%.*s", function, SPAN_FMT(c->names.name));

	for (size_t i = 0; i < p->nmeasures; i++)
		if (span_is(p->measures[i].name, name))
			return; /* "mean and average" */
	measures_add_inline(p, source, c->type == ASK_TYPE_NUMBER ? plan_column_unit(p, c) : ASK_MEASURED,
	    (struct ask_measure){ .expr = plan_call(p, function, false, s, c->names.name),
		.name = name,
		.label = plan_says(p, word, SPANS(ask_label(p->a, &c->names))),
		.additive = strcmp(function, "sum") == 0 });
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

	if (plan_is_word(p, i, ASK_WORD_COUNT)) {
		*function = "sum";
		*word = SAYS_FOLD_TOTAL;
	} else if (plan_is_word(p, i, ASK_WORD_AGGREGATE)) {
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
	bool time = p->m->sources[source].columns[column].type == ASK_TYPE_TIME;

	take_aggregate(p, highest ? "max" : "min",
	    highest ? (time ? SAYS_FOLD_LATEST : SAYS_FOLD_HIGHEST) : (time ? SAYS_FOLD_EARLIEST : SAYS_FOLD_LOWEST),
	    source, column);
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

void
aggregates_add_values(struct plan *p, uint32_t source, uint32_t column)
{
	const struct ask_source *s = &p->m->sources[source];
	struct span label = ask_label(p->a, &s->columns[column].names), of = ask_label(p->a, &s->names);

	measures_add_inline(p, source, ASK_MEASURED,
	    (struct ask_measure){ .expr = plan_call(p, "count", true, s, s->columns[column].names.name),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(s->columns[column].names.name)),
		.label = plan_says(p, SAYS_DIFFERENT_OF, SPANS(label, of)),
		.counts = true });
}

/* Whether the n words name the source, or with a column that column of it. */
static bool
words_name(const struct plan *p, size_t first, size_t n, uint32_t source, uint32_t column)
{
	const struct ask_entry *found[ASK_HITS_MAX];
	size_t nfound =
	    ask_lexicon_words(p->m->lexicon, p->a, &p->q.tokens[first], n, p->q.language == ASK_GERMAN, found);

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
