#include "base/ascii.h"
#include "ask/comparisons.h"
#include "ask/measures.h"
#include "ask/thresholds.h"

#define THRESHOLDS_SHOWN 3u /* of a vague word: segments may be suggested as well */

/* Longer operators before their prefixes. */
static const struct { const char *written, *means; } operators[] = {
	{ ">=", ">=" }, { "<=", "<=" }, { "<>", "<>" }, { "!=", "<>" }, { ">", ">" }, { "<", "<" }, { "=", "=" }
};

static bool
find_operator(struct span text, size_t *at, size_t *which)
{
	for (*at = 0; *at < text.len; ++*at)
		for (*which = 0; *which < sizeof(operators) / sizeof(operators[0]); ++*which)
			if (span_begins(span_of(text.p + *at, text.len - *at), operators[*which].written))
				return true;
	return false;
}

static struct span
without_quotes(struct span s)
{
	bool quoted = s.len >= 2 && (s.p[0] == '\'' || s.p[0] == '"') && s.p[s.len - 1] == s.p[0];

	return quoted ? span_of(s.p + 1, s.len - 2) : s;
}

/* Take a sign and the unit's sign or word away before the number, in any order: "-$5", "\u20ac 10.000", "EUR -5". */
static struct span
after_unit(struct span s, bool unit, bool *negative)
{
	static const struct span signs[] = { SPAN("-"), SPAN("\u2212"), SPAN("+") };
	bool is_signed = false;

	*negative = false;
	while (s.len > 0 && !ascii_is_digit(s.p[0]) && !ascii_is_any(s.p[0], ".,")) {
		size_t i = 0;

		while (i < 3 && !span_begins(s, (const char *)signs[i].p))
			i++;
		if (i == 3 ? !unit : is_signed)
			return SPAN_NONE;
		is_signed |= i < 3;
		*negative |= i < 2;
		s = span_of(s.p + (i < 3 ? signs[i].len : 1), s.len - (i < 3 ? signs[i].len : 1));
	}
	return s;
}

/*
 * "$10,000", "10,000 EUR", "-5", "1e6", without the unit.  False: no number of the language, or also another one of the
 * other language.
 */
static bool
read_value(struct span s, enum ask_measured unit, enum ask_language language, double *out)
{
	bool negative, read;
	double other;

	s = after_unit(s, unit != ASK_MEASURED, &negative);
	while (unit != ASK_MEASURED && s.len > 0 && !ascii_is_digit(s.p[s.len - 1]))
		s.len--;
	read = s.len > 0 && !ask_items_number_of_both(s, language, &other) && ask_items_number(s, language, out);
	*out = read && negative ? -*out : *out;
	return read;
}

/* An answer is in the language of the question, a preference in English.  False: the text is not a condition. */
static bool
read_threshold(struct plan *p, struct span text, bool preferred, struct plan_threshold *out)
{
	enum ask_language language = preferred ? ASK_ENGLISH : p->q.language;
	size_t at, which;
	struct span value;

	if (!find_operator(text, &at, &which))
		return false;
	value = span_trim(span_of(text.p + at, text.len - at));
	value = span_trim(span_of(value.p + strlen(operators[which].written),
	    value.len - strlen(operators[which].written)));
	*out = (struct plan_threshold){ .field = span_trim(span_of(text.p, at)), .operator = operators[which].means,
		.value = without_quotes(value), .preferred = preferred, .unit = ASK_MEASURED };
	if (out->value.len == 0 || memchr(out->value.p, '\0', out->value.len) != NULL)
		return false;
	if (value.p == out->value.p) {
		enum ask_measured unit = ask_unit_of(p->a, value);

		if (read_value(value, unit, language, &out->number)) {
			out->is_number = true;
			out->unit = unit;
			out->value = plan_text(p, "%.15g", out->number);
		}
	}
	return out->is_number || out->operator[0] == '=' || out->operator[1] == '>';
}

/* The entity after the word, else the root. */
static uint32_t
node_meant(const struct plan *p, size_t i)
{
	uint32_t source = plan_source_after(p, i);

	return source == ASK_NONE ? p->root : plan_only_node(p, source);
}

static bool
column_called(const struct ask_source *s, struct arena *a, struct span name, uint32_t *out)
{
	for (*out = 0; *out < s->ncolumns; ++*out)
		if (span_is_folded(s->columns[*out].names.name, name) ||
		    span_is_folded(ask_label(a, &s->columns[*out].names), name))
			return !s->columns[*out].masked;
	return false;
}

static bool
column_named(const struct plan *p, uint32_t node, struct span name, struct plan_column *out)
{
	out->node = node;
	return column_called(plan_source(p, node), p->a, name, &out->column);
}

/* The column "orders.total", or "total" of the meant entity. */
static bool
find_column(const struct plan *p, size_t i, struct span field, struct plan_column *out)
{
	const uint8_t *dot = memrchr(field.p, '.', field.len);
	uint32_t node = node_meant(p, i);

	if (dot == NULL)
		return node != ASK_NONE && column_named(p, node, field, out);
	for (uint32_t s = 0; s < p->m->nsources; s++)
		if (span_is_folded(p->m->sources[s].names.name, span_of(field.p, (size_t)(dot - field.p))))
			return (node = plan_only_node(p, s)) != ASK_NONE &&
			    column_named(p, node, span_of(dot + 1, field.len - (size_t)(dot - field.p) - 1), out);
	return false;
}

/* A number column that is not a key and whose values are not enumerated; money: that holds money. */
static bool
may_be_compared(const struct plan *p, uint32_t node, uint32_t k, bool money)
{
	const struct ask_column *c = &plan_source(p, node)->columns[k];
	enum ask_measured unit = money ? plan_column_unit(p, c) : ASK_MEASURED;

	if (money && !ask_is_money(unit) &&
	    !(unit == ASK_MEASURED && comparisons_is_of_degree(p, SPAN("money"), c, false)))
		return false;
	return comparisons_is_own_number(p, (struct plan_column){ node, k }) && c->nvalues == 0;
}

/* The measures that people call so, with or without the name of their source.  Returns their number. */
static size_t
measures_called(const struct plan *p, struct span name, const struct ask_entry **out)
{
	const uint8_t *dot = memrchr(name.p, '.', name.len);
	struct span source = span_of(name.p, dot == NULL ? 0 : (size_t)(dot - name.p)),
		    leaf = dot == NULL ? name : span_of(dot + 1, name.len - source.len - 1);
	size_t kept = 0;
	struct ask_words words = ask_words_of(p->a, leaf, true);

	for (unsigned german = 0; german < 2 && kept == 0 && words.n > 0; german++) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t n = ask_lexicon_words(p->m->lexicon, p->a, words.t, words.n, german, found);

		for (size_t i = 0; i < n; i++)
			if (found[i]->kind == ASK_KIND_MEASURE &&
			    (dot == NULL || span_is_folded(p->m->sources[found[i]->source].names.name, source)))
				out[kept++] = found[i];
	}
	return kept;
}

static bool
is_money_measure(const struct plan *p, const struct ask_source_measure *f)
{
	enum ask_measured unit = measures_unit(p, f);

	return f->additive && f->nnone_over == 0 && (ask_is_money(unit) || unit == ASK_CENTS);
}

/* The money that adds up over rows of the source, else over rows that belong to one.  Returns how many measures. */
static size_t
money_of(const struct plan *p, uint32_t source, const struct ask_entry **out)
{
	size_t n = 0;

	for (unsigned others = 0; others < 2 && n == 0; others++)
		for (uint32_t s = 0; s < p->m->nsources; s++) {
			const struct ask_source *from = &p->m->sources[s];

			if (from->covered || (others ? !plan_belongs(p, s, source) : s != source))
				continue;
			for (uint32_t k = 0; k < from->nmeasures && n < ASK_HITS_MAX; k++) {
				struct ask_entry *e;

				if (!is_money_measure(p, &from->measures[k]) ||
				    (e = arena_alloc(p->a, sizeof(*e))) == NULL)
					continue;
				*e = (struct ask_entry){ .source = s, .index = k, .kind = ASK_KIND_MEASURE,
					.tier = ASK_TIER_NAME };
				out[n++] = e;
			}
		}
	return n;
}

/* Whether the measure adds up this column, so that both are one figure of a row. */
static bool
sums_column(const struct plan *p, const struct ask_entry *e, const struct ask_column *c)
{
	return span_is(p->m->sources[e->source].measures[e->index].column, c->names.name);
}

/* A measure chooses groups, and what they come to together is not answered: tell how to ask for their list. */
static void
refuse_groups(struct plan *p, size_t i, struct span label, const struct plan_threshold *t)
{
	size_t group = plan_after(p, i);

	plan_refuse(p, SAYS_GROUPS_AS_LIST,
	    SPANS(label, span_str(t->operator), t->value, p->q.items[i].text,
		group == PLAN_NO_ITEM ? SPAN("") : p->q.items[group].text));
}

static bool
is_about_money(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_VAGUE) && p->q.items[i].arg == ASK_VAGUE_MONEY;
}

/* Suggest the columns, and measures of money, with this condition: at most so many. */
static void
suggest_numbers(struct plan *p, struct ask_clarification *q, size_t i, struct span condition, size_t most)
{
	uint32_t node = node_meant(p, i);
	const struct ask_source *s = node == ASK_NONE ? NULL : plan_source(p, node);
	const struct ask_entry *measures[ASK_HITS_MAX];
	/* A condition on a measure lists the groups that meet it, and is no condition on what is counted or summed. */
	size_t n = s == NULL || !p->entity ? 0 : money_of(p, p->m->nodes[node].source, measures);

	for (uint32_t k = 0; s != NULL && k < s->ncolumns && q->nsuggestions < most; k++)
		if (may_be_compared(p, node, k, is_about_money(p, i)))
			plan_suggest(q,
			    plan_text(p, "%.*s %.*s", SPAN_FMT(ask_label(p->a, &s->columns[k].names)),
				SPAN_FMT(condition)));
	for (size_t k = 0; k < n && q->nsuggestions < most; k++)
		plan_suggest(q,
		    plan_text(p, "%.*s %.*s", SPAN_FMT(plan_entry_label(p, measures[k])), SPAN_FMT(condition)));
}

/* The number as the language of the question writes it, and reads it in one way only: "1.2340". */
static struct span
number_said(struct plan *p, const struct plan_threshold *t)
{
	const uint8_t *point = memchr(t->value.p, '.', t->value.len);
	size_t whole = point == NULL ? t->value.len : (size_t)(point - t->value.p);
	struct span said = t->value;
	double other;

	if (point != NULL && p->q.language == ASK_GERMAN)
		said = plan_text(p, "%.*s,%.*s", (int)whole, (const char *)t->value.p, (int)(t->value.len - whole - 1),
		    (const char *)point + 1);
	return ask_items_number_of_both(said, p->q.language, &other) ? plan_text(p, "%.*s0", SPAN_FMT(said)) : said;
}

/* The only number of the meant entity.  False if absent, or the user is asked which one. */
static bool
choose_number(struct plan *p, size_t i, const struct plan_threshold *t, struct plan_column *out)
{
	bool money = is_about_money(p, i);
	uint32_t node = node_meant(p, i);
	const struct ask_source *s = node == ASK_NONE ? NULL : plan_source(p, node);
	const struct ask_entry *measures[ASK_HITS_MAX];
	size_t n = 0, nmeasures = money && s != NULL ? money_of(p, p->m->nodes[node].source, measures) : 0;

	for (uint32_t k = 0; s != NULL && k < s->ncolumns; k++)
		if (may_be_compared(p, node, k, money)) {
			*out = (struct plan_column){ node, k };
			n++;
		}
	if (n == 1 && nmeasures == 1 && sums_column(p, measures[0], &s->columns[out->column]))
		nmeasures = 0;
	if (n == 0 && nmeasures == 1)
		refuse_groups(p, i, plan_entry_label(p, measures[0]), t);
	else if (n + nmeasures > 1) {
		struct ask_clarification *q =
		    plan_ask(p, SAYS_OF_WHAT, SPANS(p->q.items[i].text, span_str(t->operator), number_said(p, t)));

		plan_ask_instead(p, q, i, i);
		suggest_numbers(p, q, i, plan_text(p, "%s %.*s", t->operator, SPAN_FMT(number_said(p, t))),
		    ASK_SUGGESTIONS_MAX);
	}
	return n == 1 && nmeasures == 0;
}

void
thresholds_suggest(struct plan *p, size_t i, struct ask_clarification *q)
{
	suggest_numbers(p, q, i, SPAN("> 1000"), THRESHOLDS_SHOWN);
}

static bool
is_said(const struct plan *p, size_t i, struct span word)
{
	const struct ask_item *it = &p->q.items[i];
	struct ask_words said = ask_words_of(p->a, word, false);

	for (size_t k = 0; said.n == it->n && k < said.n; k++)
		if (!span_is(said.t[k].folded, p->q.tokens[it->first + k].folded) &&
		    !span_is(said.t[k].stem, p->q.tokens[it->first + k].stem))
			return false;
	return said.n == it->n;
}

/* The k-th condition, the user's answers before preferences, if it is what the word at i means; else NULL. */
static const struct ask_threshold *
threshold_at(const struct plan *p, size_t i, size_t k)
{
	const struct ask_threshold *t =
	    k < p->nthresholds ? &p->thresholds[k] : &p->c->preferences.thresholds[k - p->nthresholds];
	bool vague = plan_is_word(p, i, ASK_WORD_VAGUE);

	if (!plan_is_free(p, i) || (!vague && p->q.items[i].kind != ASK_ITEM_UNKNOWN))
		return NULL;
	return (vague && k < p->nthresholds && t->word.len == 0) || is_said(p, i, t->word) ? t : NULL;
}

void
thresholds_tell(struct plan *p, size_t i, struct span of, const struct plan_threshold *t)
{
	if (t->preferred)
		plan_note(p, SAYS_PREFERRED, SPANS(p->q.items[i].text, of, span_str(t->operator), t->value));
}

/* Nothing is converted: ask about a number in another unit than the column's. */
static bool
is_in_unit(struct plan *p, const struct plan_threshold *t, struct plan_column at)
{
	const struct ask_column *c = plan_column(p, at);
	enum ask_measured kept = plan_column_unit(p, c);

	if (t->unit == ASK_MEASURED || kept == ASK_MEASURED || t->unit == kept)
		return true;
	(void)plan_ask(p, SAYS_KEPT_IN, SPANS(ask_label(p->a, &c->names), plan_unit(p, kept), plan_unit(p, t->unit)));
	return false;
}

static void
ask_for_number(struct plan *p, size_t i, struct span field)
{
	struct ask_clarification *q = plan_ask(p, SAYS_NO_SUCH_NUMBER, SPANS(field, p->q.items[i].text));

	q->topic = p->q.items[i].text;
	thresholds_suggest(p, i, q);
}

static void
take_threshold(struct plan *p, size_t i, const struct ask_threshold *said, bool preferred)
{
	const struct ask_entry *measures[ASK_HITS_MAX];
	struct plan_threshold t;
	struct plan_condition *c;
	struct plan_column at;

	if (plan_negation(p, i) != PLAN_NO_ITEM || !read_threshold(p, said->condition, preferred, &t))
		return;
	if (t.field.len > 0 && !find_column(p, i, t.field, &at)) {
		if (t.is_number && measures_called(p, t.field, measures) > 0)
			refuse_groups(p, i, t.field, &t);
		else
			ask_for_number(p, i, t.field);
		return;
	}
	if (t.field.len == 0 && plan_source_after(p, i) != ASK_NONE && !plan_reaches(p, plan_source_after(p, i)))
		plan_refuse_unreached(p, plan_after(p, i));
	if (t.field.len == 0 && (!t.is_number || !choose_number(p, i, &t, &at)))
		return;
	if (t.is_number != (plan_column(p, at)->type == ASK_TYPE_NUMBER) || !is_in_unit(p, &t, at) ||
	    (c = plan_add_condition(p, at, t.is_number ? PLAN_COMPARED : PLAN_IS)) == NULL)
		return;
	c->operator= t.operator;
	c->negated = !t.is_number && t.operator[0] == '<';
	c->values[c->nvalues++] = t.value;
	p->q.items[i].kind = ASK_ITEM_WORD;
	p->q.items[i].word = ASK_WORD_VAGUE;
	plan_take(p, i, "%s on %.*s", preferred ? "condition of your preferences" : "your condition",
	    SPAN_FMT(plan_field(p, at)));
	thresholds_tell(p, i, plan_column_label(p, at), &t);
}

/* The only money of the source, where no column of it is another. */
static size_t
only_money(struct plan *p, uint32_t source, const struct ask_entry **out)
{
	const struct ask_source *s = &p->m->sources[source];
	size_t n = money_of(p, source, out);

	for (uint32_t k = 0; n == 1 && k < s->ncolumns; k++)
		if (may_be_compared(p, source, k, true) && !sums_column(p, out[0], &s->columns[k]))
			n = 0;
	return n == 1;
}

bool
thresholds_on_measure(struct plan *p, size_t i, uint32_t source, struct plan_threshold *out)
{
	struct ask_item *it = &p->q.items[i];
	uint32_t column;
	size_t n = 0;

	for (size_t k = 0; k < p->nthresholds + p->c->preferences.nthresholds && n == 0; k++) {
		const struct ask_threshold *said = threshold_at(p, i, k);

		if (said == NULL || !read_threshold(p, said->condition, k >= p->nthresholds, out) || !out->is_number ||
		    out->operator[1] == '>' || column_called(&p->m->sources[source], p->a, out->field, &column))
			continue;
		n = out->field.len > 0   ? measures_called(p, out->field, it->hits) :
		    is_about_money(p, i) ? only_money(p, source, it->hits) :
					   0;
	}
	if (n > 0) {
		it->kind = ASK_ITEM_NAME;
		it->nhits = n;
	}
	return n > 0;
}

void
thresholds_read(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0; k < p->nthresholds + p->c->preferences.nthresholds && !p->done; k++) {
			const struct ask_threshold *said = threshold_at(p, i, k);

			if (said != NULL)
				take_threshold(p, i, said, k >= p->nthresholds);
		}
}

bool
thresholds_is_said(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < p->nthresholds + p->c->preferences.nthresholds; k++)
		if (threshold_at(p, i, k) != NULL)
			return true;
	return false;
}
