/* thresholds.c - see thresholds.h. */
#include <math.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "ask/conditions.h"
#include "ask/thresholds.h"

#define THRESHOLDS_SHOWN 3u /* of a vague word: segments are suggested as well */

/* A condition in its parts. */
struct threshold {
	struct span	field;		/* "orders.total", "total"; empty: no column is named */
	const char	*operator;
	struct span	value;
	bool		number;
};

/* --- the condition -------------------------------------------------------------------------------------- */

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

/* "$10,000" without the unit in front and the commas between groups of three. */
static struct span
plain_number(struct plan *p, struct span s)
{
	struct buf text = { 0 };
	struct span out;

	while (s.len > 0 && (s.p[0] == '$' || s.p[0] >= 0x80))
		s = span_of(s.p + 1, s.len - 1);
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] != ',' || i == 0 || i + 3 >= s.len || !ascii_is_digit(s.p[i + 3]))
			buf_byte(&text, s.p[i]);
	out = plan_text(p, "%s", buf_cstr(&text));
	buf_fini(&text);
	return out;
}

/* False: the text is not a condition. */
static bool
read_threshold(struct plan *p, struct span text, struct threshold *out)
{
	size_t at, which;
	struct span value;
	char *end;

	if (!find_operator(text, &at, &which))
		return false;
	value = span_trim(span_of(text.p + at, text.len - at));
	value = span_trim(span_of(value.p + strlen(operators[which].written),
	    value.len - strlen(operators[which].written)));
	*out = (struct threshold){ .field = span_trim(span_of(text.p, at)), .operator = operators[which].means,
		.value = without_quotes(value) };
	if (out->value.len == 0 || memchr(out->value.p, '\0', out->value.len) != NULL)
		return false;
	if (value.p == out->value.p) {
		struct span copy = plain_number(p, value);
		double n = copy.p == NULL ? 0 : strtod((const char *)copy.p, &end);

		if (copy.p != NULL && (const uint8_t *)end == copy.p + copy.len && isfinite(n)) {
			out->number = true;
			out->value = plan_text(p, "%.15g", n);
		}
	}
	return out->number || out->operator[0] == '=' || out->operator[1] == '>';
}

/* --- the column ------------------------------------------------------------------------------------------- */

/* The only reachable node of the source; ASK_NONE: none, or several. */
static uint32_t
node_of(const struct plan *p, uint32_t source)
{
	uint32_t found = ASK_NONE;

	for (uint32_t j = 0; j < p->m->nnodes; j++) {
		if (p->m->nodes[j].source != source || p->routes.hops[j] == ASK_NONE)
			continue;
		if (found != ASK_NONE || p->routes.several[j])
			return ASK_NONE;
		found = j;
	}
	return found;
}

/* The entity after the word, else the root. */
static uint32_t
node_meant(const struct plan *p, size_t i)
{
	uint32_t source = plan_source_after(p, i);

	return source == ASK_NONE ? p->root : node_of(p, source);
}

static bool
column_named(const struct plan *p, uint32_t node, struct span name, struct plan_column *out)
{
	const struct ask_source *s = plan_source(p, node);

	for (uint32_t k = 0; k < s->ncolumns; k++)
		if (span_is_folded(s->columns[k].names.name, name) ||
		    span_is_folded(ask_label(p->a, &s->columns[k].names), name)) {
			*out = (struct plan_column){ node, k };
			return !s->columns[k].masked;
		}
	return false;
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
			return (node = node_of(p, s)) != ASK_NONE &&
			    column_named(p, node, span_of(dot + 1, field.len - (size_t)(dot - field.p) - 1), out);
	return false;
}

/* A number column that is not a key and whose values are not enumerated. */
static bool
may_be_compared(const struct ask_source *s, uint32_t k)
{
	const struct ask_column *c = &s->columns[k];

	for (size_t i = 0; i < s->ngrain; i++)
		if (span_is(c->names.name, s->grain[i]))
			return false;
	return c->type == ASK_TYPE_NUMBER && !c->internal && !c->masked && c->nvalues == 0;
}

/* The only number of the meant entity.  False if absent, or the user is asked which one. */
static bool
choose_number(struct plan *p, size_t i, const struct threshold *t, struct plan_column *out)
{
	uint32_t node = node_meant(p, i);
	const struct ask_source *s = node == ASK_NONE ? NULL : plan_source(p, node);
	struct ask_clarification *q;
	size_t n = 0;

	for (uint32_t k = 0; s != NULL && k < s->ncolumns; k++)
		if (may_be_compared(s, k)) {
			*out = (struct plan_column){ node, k };
			n++;
		}
	if (n == 1)
		return true;
	if (n == 0)
		return false;
	q = plan_ask(p, SAYS_TOPIC_CONDITION, SAYS_PREFERRED_OF_WHAT,
	    SPANS(p->q.items[i].text, span_str(t->operator), t->value));
	for (uint32_t k = 0; k < s->ncolumns; k++)
		if (may_be_compared(s, k))
			plan_suggest(q,
			    plan_text(p, "%.*s %s %.*s", SPAN_FMT(ask_label(p->a, &s->columns[k].names)), t->operator,
				SPAN_FMT(t->value)));
	return false;
}

/* --- the word --------------------------------------------------------------------------------------------- */

static bool
is_said(const struct plan *p, size_t i, struct span word)
{
	const struct ask_item *it = &p->q.items[i];
	size_t n;
	struct ask_token *t = ask_tokens(p->a, word, false, 8, &n);

	if (t == NULL || n != it->n)
		return false;
	for (size_t k = 0; k < n; k++)
		if (!span_is(t[k].folded, p->q.tokens[it->first + k].folded) &&
		    !span_is(t[k].stem, p->q.tokens[it->first + k].stem))
			return false;
	return true;
}

static void
take_threshold(struct plan *p, size_t i, struct span text, bool preferred)
{
	struct threshold t;
	struct plan_condition *c;
	struct plan_column at;
	size_t not = plan_negation(p, i);

	if (not != PLAN_NO_ITEM || !read_threshold(p, text, &t))
		return;
	if (t.field.len > 0 ? !find_column(p, i, t.field, &at) : !t.number || !choose_number(p, i, &t, &at))
		return;
	if (t.number != (plan_source(p, at.node)->columns[at.column].type == ASK_TYPE_NUMBER))
		return;
	if ((c = plan_add_condition(p, at, t.number ? PLAN_COMPARED : PLAN_IS)) == NULL)
		return;
	c->operator= t.operator;
	c->negated = !t.number && t.operator[0] == '<';
	c->values[c->nvalues++] = t.value;
	p->q.items[i].kind = ASK_ITEM_WORD;
	p->q.items[i].word = ASK_WORD_VAGUE;
	plan_take(p, i, "%s on %.*s", preferred ? "condition of your preferences" : "your condition",
	    SPAN_FMT(plan_field(p, at)));
	if (!preferred)
		return;
	plan_note(p->out->caveats, &p->out->ncaveats,
	    plan_says(p, SAYS_PREFERRED,
		SPANS(p->q.items[i].text, plan_column_label(p, at), span_str(t.operator), t.value)));
}

void
plan_suggest_thresholds(struct plan *p, size_t i, struct ask_clarification *q)
{
	uint32_t node = node_meant(p, i);
	const struct ask_source *s = node == ASK_NONE ? NULL : plan_source(p, node);

	for (uint32_t k = 0; s != NULL && k < s->ncolumns && q->nsuggestions < THRESHOLDS_SHOWN; k++)
		if (may_be_compared(s, k))
			plan_suggest(q, plan_text(p, "%.*s > 1000", SPAN_FMT(ask_label(p->a, &s->columns[k].names))));
}

void
plan_thresholds(struct plan *p)
{
	const struct ask_preferences *own = &p->c->preferences;

	for (size_t i = 0; i < p->q.n && !p->done; i++)
		for (size_t k = 0; k < p->nthresholds && plan_is_free(p, i); k++)
			if ((p->thresholds[k].word.len == 0 && plan_is_word(p, i, ASK_WORD_VAGUE)) ||
			    ((p->q.items[i].kind == ASK_ITEM_UNKNOWN || plan_is_word(p, i, ASK_WORD_VAGUE)) &&
				is_said(p, i, p->thresholds[k].word)))
				take_threshold(p, i, p->thresholds[k].condition, false);
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		for (size_t k = 0; k < own->nthresholds && plan_is_free(p, i); k++)
			if ((p->q.items[i].kind == ASK_ITEM_UNKNOWN || plan_is_word(p, i, ASK_WORD_VAGUE)) &&
			    is_said(p, i, own->thresholds[k].word))
				take_threshold(p, i, own->thresholds[k].condition, true);
}
