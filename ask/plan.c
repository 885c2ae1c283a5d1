#include <stdarg.h>
#include <stdio.h>

#include "ask/plan.h"
#include "base/ascii.h"
#include "base/text/locale_text.h"
#include "base/text/sql_quote.h"
#include "base/utf8.h"

#define BELOW_TRIED 8u /* sources that are looked at for one that leads to two others */

/* about: the topic of a question, the reason of a refusal, whether a remark is an assumption. */
static const struct {
	const char *text[2];
	int about;
} says[SAYS_N] = {
#define SAYS(NAME, english, german) [SAYS_##NAME] = { { english, german }, 0 },
#define ASKS(NAME, topic, english, german) [SAYS_##NAME] = { { english, german }, SAYS_TOPIC_##topic },
#define REFUSES(NAME, reason, english, german) [SAYS_##NAME] = { { english, german }, ASK_REASON_##reason },
#define ASSUMES(NAME, english, german) [SAYS_##NAME] = { { english, german }, true },
#define WARNS(NAME, english, german) [SAYS_##NAME] = { { english, german }, false },
#include "ask/says.def"
};

bool
plan_reads(const struct plan *p, size_t w, const char *words)
{
	return w < p->q.ntokens && ask_is_any(p->q.tokens[w].folded, words);
}

bool
plan_reads_before(const struct plan *p, size_t i, const char *words)
{
	return p->q.items[i].first > 0 && plan_reads(p, p->q.items[i].first - 1, words);
}

bool
plan_reads_behind(const struct plan *p, size_t i, const char *words)
{
	return plan_reads(p, p->q.items[i].first + p->q.items[i].n, words);
}

bool
plan_is_free(const struct plan *p, size_t i)
{
	return i < p->q.n && p->q.items[i].consumed_by.len == 0;
}

bool
plan_is_word(const struct plan *p, size_t i, enum ask_word_kind kind)
{
	return i < p->q.n && p->q.items[i].kind == ASK_ITEM_WORD && p->q.items[i].word == kind;
}

bool
plan_is_left(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_VAGUE) || plan_is_word(p, i, ASK_WORD_VAGUE_TIME) ||
	    plan_is_word(p, i, ASK_WORD_STAKES) || (p->leaves && p->q.items[i].kind == ASK_ITEM_UNKNOWN);
}

bool
plan_has(const struct plan *p, size_t i, enum ask_kind kind)
{
	return plan_is_free(p, i) && plan_names_any(p, i, kind);
}

const struct ask_entry *
plan_next_hit(const struct plan *p, size_t i, enum ask_kind kind, size_t *k)
{
	while (i < p->q.n && *k < p->q.items[i].nhits) {
		const struct ask_entry *e = p->q.items[i].hits[(*k)++];

		if (e->kind == kind)
			return e;
	}
	return NULL;
}

bool
plan_names_any(const struct plan *p, size_t i, enum ask_kind kind)
{
	return plan_next_hit(p, i, kind, &(size_t){ 0 }) != NULL;
}

bool
plan_names_of(const struct plan *p, size_t i, enum ask_kind kind, uint32_t source)
{
	const struct ask_entry *e;

	for (size_t k = 0; (e = plan_next_hit(p, i, kind, &k)) != NULL;)
		if (e->source == source)
			return true;
	return false;
}

uint32_t
plan_source_named(const struct plan *p, size_t i)
{
	const struct ask_entry *e = plan_next_hit(p, i, ASK_KIND_SOURCE, &(size_t){ 0 });

	return e == NULL ? ASK_NONE : e->source;
}

bool
plan_names_column(const struct plan *p, size_t i, enum ask_kind kind, struct plan_column at)
{
	const struct ask_entry *e;

	for (size_t k = 0; (e = plan_next_hit(p, i, kind, &k)) != NULL;)
		if (e->source == p->m->nodes[at.node].source && e->index == at.column)
			return true;
	return false;
}

uint32_t
plan_source_of_column(const struct plan *p, size_t source, size_t column)
{
	const struct ask_entry *e;

	for (size_t k = 0; (e = plan_next_hit(p, source, ASK_KIND_SOURCE, &k)) != NULL;)
		if (plan_names_of(p, column, ASK_KIND_COLUMN, e->source))
			return e->source;
	return ASK_NONE;
}

bool
plan_is_number(const struct plan *p, size_t i)
{
	return plan_is_free(p, i) && p->q.items[i].kind == ASK_ITEM_NUMBER;
}

size_t
plan_after(const struct plan *p, size_t i)
{
	for (i++; i < p->q.n; i++)
		if (!plan_is_word(p, i, ASK_WORD_STOP))
			return i;
	return PLAN_NO_ITEM;
}

size_t
plan_before(const struct plan *p, size_t i)
{
	while (i-- > 0)
		if (!plan_is_word(p, i, ASK_WORD_STOP))
			return i;
	return PLAN_NO_ITEM;
}

uint32_t
plan_source_after(const struct plan *p, size_t i)
{
	return plan_source_named(p, plan_after(p, i));
}

bool
plan_belongs(const struct plan *p, uint32_t source, uint32_t to)
{
	const struct ask_node *node = &p->m->nodes[source];

	for (size_t e = 0; e < node->nedges; e++)
		if (p->m->nodes[node->edges[e].to].source == to)
			return true;
	return false;
}

size_t
plan_find(const struct plan *p, enum ask_word_kind kind)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_free(p, i) && plan_is_word(p, i, kind))
			return i;
	return PLAN_NO_ITEM;
}

static struct span __attribute__((format(printf, 2, 0)))
format_text(struct plan *p, const char *format, va_list ap)
{
	char text[600];
	int n = vsnprintf(text, sizeof(text), format, ap);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;

	return arena_span(p->a, span_of(text, utf8_cut((const uint8_t *)text, len, len)));
}

void
plan_worsen(struct plan *p, unsigned tier)
{
	enum ask_tier as = tier == ASK_TIER_DECLARED ? ASK_TIER_SYNONYM : (enum ask_tier)tier;

	p->worst = as > p->worst ? as : p->worst;
}

bool
plan_is_answered(const struct plan *p, struct span text)
{
	for (size_t k = 0; k < p->nanswers; k++)
		if (span_is_folded(p->answers[k], text))
			return true;
	return false;
}

struct span
plan_text(struct plan *p, const char *format, ...)
{
	struct span text;
	va_list ap;

	va_start(ap, format);
	text = format_text(p, format, ap);
	va_end(ap);
	return text;
}

void
plan_take(struct plan *p, size_t i, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	p->q.items[i].consumed_by = format_text(p, format, ap);
	va_end(ap);
}

bool
plan_is_topic_of(struct span text, enum plan_says topic)
{
	return span_is_word(text, says[topic].text[false]) || span_is_word(text, says[topic].text[true]);
}

bool
plan_is_topic(struct span text)
{
	for (enum plan_says topic = SAYS_TOPIC_COLUMN; topic <= SAYS_TOPIC_TIME_PERIOD; topic++)
		if (plan_is_topic_of(text, topic))
			return true;
	return false;
}

struct span
plan_says(const struct plan *p, enum plan_says which, const struct span *args)
{
	return locale_fill(p->a, says[which].text[p->out->german], args);
}

struct span
plan_unit(const struct plan *p, enum ask_measured unit)
{
	return locale_unit(span_str(ask_unit_name(unit)), p->out->german);
}

bool
plan_refuse(struct plan *p, enum plan_says which, const struct span *args)
{
	if (p->done)
		return false;
	p->done = true;
	p->out->status = ASK_REFUSE;
	p->out->reason = (enum ask_reason)says[which].about;
	p->out->message = plan_says(p, which, args);
	return false;
}

struct ask_clarification
plan_question(const struct plan *p, enum plan_says which, const struct span *args)
{
	return (struct ask_clarification){ .topic = plan_says(p, (enum plan_says)says[which].about, NULL),
		.question = plan_says(p, which, args) };
}

struct ask_clarification *
plan_ask(struct plan *p, enum plan_says which, const struct span *args)
{
	struct ask_clarification *q;

	p->done = true;
	p->nowhere = (struct ask_clarification){ .topic = { NULL, 0 } };
	if (p->out->status == ASK_REFUSE || p->out->nquestions == ASK_QUESTIONS_MAX)
		return &p->nowhere;
	p->out->status = ASK_CLARIFY;
	p->asked = which;
	q = &p->out->questions[p->out->nquestions++];
	*q = plan_question(p, which, args);
	return q;
}

void
plan_suggest(struct ask_clarification *q, struct span text)
{
	for (size_t i = 0; i < q->nsuggestions; i++)
		if (span_is_folded(q->suggestions[i], text))
			return;
	if (q->nsuggestions < ASK_SUGGESTIONS_MAX)
		q->suggestions[q->nsuggestions++] = text;
}

void
plan_ask_instead(const struct plan *p, struct ask_clarification *q, size_t first, size_t last)
{
	struct span text = ask_from_to(p->q.items[first].text, p->q.items[last].text);

	for (size_t i = 0; i < text.len; i++)
		if (ascii_is_any(text.p[i], "[]:"))
			return;
	q->topic = text;
}

static void
note_add(struct span *notes, size_t *n, struct span text)
{
	if (*n < ASK_NOTES_MAX)
		notes[(*n)++] = text;
}

void
plan_assume(struct plan *p, struct span text)
{
	note_add(p->out->assumptions, &p->out->nassumptions, text);
}

void
plan_note(struct plan *p, enum plan_says which, const struct span *args)
{
	if (says[which].about)
		plan_assume(p, plan_says(p, which, args));
	else
		note_add(p->out->caveats, &p->out->ncaveats, plan_says(p, which, args));
}

bool
plan_has_key(const struct ask_source *s)
{
	return s->ngrain == 1 || (s->ngrain > 0 && s->ngrain < s->ncolumns);
}

const struct ask_source *
plan_source(const struct plan *p, uint32_t node)
{
	return &p->m->sources[p->m->nodes[node].source];
}

const struct ask_column *
plan_column(const struct plan *p, struct plan_column at)
{
	return &plan_source(p, at.node)->columns[at.column];
}

uint32_t
plan_root(const struct plan *p)
{
	return p->m->nodes[p->root].source;
}

/* Whether the text has a word of what the source is called; "likes" may be those of who likes, or of who is "liked". */
static bool
is_called_by(const struct plan *p, struct ask_words name, struct span text)
{
	struct ask_words words = ask_words_of(p->a, text, true);

	for (size_t i = 0; i < words.n; i++)
		if (ask_words_have(name, words.t[i].stem) && !span_is_str(words.t[i].stem, "id"))
			return true;
	return false;
}

uint32_t
plan_way(const struct plan *p, uint32_t link, uint32_t source, uint32_t *far)
{
	const struct ask_node *node = &p->m->nodes[link];
	uint32_t near = *far = ASK_NONE;

	for (size_t i = 0; i < node->nedges; i++) {
		uint32_t to = node->edges[i].to, *way;

		if (p->m->nodes[to].owner != link || p->m->nodes[to].source != source || node->edges[i].here.len == 0)
			continue;
		way = is_called_by(p, p->m->sources[node->source].names.words, node->edges[i].here) ? far : &near;
		if (*way != ASK_NONE)
			return ASK_NONE;
		*way = to;
	}
	return *far == ASK_NONE ? ASK_NONE : near;
}

bool
plan_reaches(const struct plan *p, uint32_t source)
{
	for (uint32_t node = 0; node < p->m->nnodes; node++)
		if (p->m->nodes[node].source == source && p->routes.hops[node] != ASK_NONE)
			return true;
	return false;
}

uint32_t
plan_only_node(const struct plan *p, uint32_t source)
{
	uint32_t found = ASK_NONE;

	if (plan_root(p) == source)
		return p->root;
	for (uint32_t node = 0; node < p->m->nnodes; node++) {
		if (p->m->nodes[node].source != source || p->routes.hops[node] == ASK_NONE)
			continue;
		if (found != ASK_NONE || p->routes.several[node])
			return ASK_NONE;
		found = node;
	}
	return found;
}

struct span
plan_field(struct plan *p, struct plan_column c)
{
	return plan_text(p, "%.*s.%.*s", SPAN_FMT(p->m->nodes[c.node].name),
	    SPAN_FMT(plan_source(p, c.node)->columns[c.column].names.name));
}

struct span
plan_operand(struct plan *p, const struct ask_source *s, struct span name)
{
	struct buf text = { 0 };

	sql_quote_name(&text, s->names.name);
	buf_byte(&text, '.');
	sql_quote_name(&text, name);
	return ask_text(p->a, &text);
}

struct span
plan_call(struct plan *p, const char *function, bool distinct, const struct ask_source *s, struct span name)
{
	struct span operand = plan_operand(p, s, name);

	return plan_text(p, "%s(%s%.*s)", function, distinct ? "distinct " : "", SPAN_FMT(operand));
}

struct span
plan_column_label(struct plan *p, struct plan_column c)
{
	struct span label = ask_label(p->a, &plan_source(p, c.node)->columns[c.column].names),
		    node = p->m->nodes[c.node].label.len > 0 ? p->m->nodes[c.node].label : p->m->nodes[c.node].name;

	return plan_says(p, SAYS_OF, SPANS(label, node));
}

const struct ask_names *
plan_entry_names(const struct plan *p, const struct ask_entry *e)
{
	const struct ask_source *s = &p->m->sources[e->source];

	switch ((enum ask_kind)e->kind) {
	case ASK_KIND_MEASURE:
		return &s->measures[e->index].names;
	case ASK_KIND_SEGMENT:
		return &s->segments[e->index].names;
	case ASK_KIND_COLUMN:
	case ASK_KIND_DATE:
	case ASK_KIND_FLAG:
		return &s->columns[e->index].names;
	default:
		return &s->names;
	}
}

struct span
plan_entry_label(const struct plan *p, const struct ask_entry *e)
{
	if (e->kind == ASK_KIND_ALIAS)
		return p->m->nodes[e->index].label.len > 0 ? p->m->nodes[e->index].label : p->m->nodes[e->index].name;
	return e->kind == ASK_KIND_VALUE ? e->value : ask_label(p->a, plan_entry_names(p, e));
}

enum ask_measured
plan_column_unit(const struct plan *p, const struct ask_column *c)
{
	enum ask_measured unit = ask_unit_of(p->a, c->names.description);
	struct ask_words name = c->names.words;

	if (unit == ASK_MEASURED)
		unit = ask_unit_of(p->a, c->names.label);
	return unit != ASK_MEASURED || name.n < 2 ? unit : ask_unit_of(p->a, name.t[name.n - 1].text);
}

#define CHOICES_MAX 16u

/* The columns that an item may mean. */
struct item_choice {
	size_t n;
	struct choice_column {
		struct plan_column at;
		unsigned tier;
		bool several;	/* several routes lead there */
	} columns[CHOICES_MAX];
	bool unreached;		/* a further column exists that no route reaches */
};

static void
choice_put(const struct plan *p, struct item_choice *c, struct plan_column at, unsigned tier)
{
	for (size_t k = 0; k < c->n; k++)
		if (c->columns[k].at.node == at.node && c->columns[k].at.column == at.column)
			return;
	if (c->n < CHOICES_MAX)
		c->columns[c->n++] = (struct choice_column){ at, tier, p->routes.several[at.node] };
}

static void
choice_add(struct plan *p, struct item_choice *c, uint32_t source, uint32_t column, unsigned tier)
{
	uint32_t nearest = ASK_NONE;

	for (uint32_t i = 0; i < p->m->nnodes; i++)
		if (p->m->nodes[i].source == source && p->routes.hops[i] < nearest)
			nearest = p->routes.hops[i];
	for (uint32_t i = 0; i < p->m->nnodes && nearest != ASK_NONE; i++)
		if (p->m->nodes[i].source == source && p->routes.hops[i] == nearest)
			choice_put(p, c, (struct plan_column){ i, column }, tier);
	c->unreached |= nearest == ASK_NONE;
}

/* Add a column whose route the words themselves name, however near the others are. */
static void
choice_add_way(struct plan *p, struct item_choice *c, struct plan_column at, unsigned tier)
{
	if (p->routes.hops[at.node] == ASK_NONE)
		c->unreached = true;
	else
		choice_put(p, c, at, tier);
}

bool
plan_says_all(const struct plan *p, size_t first, size_t end)
{
	size_t len;

	for (size_t i = first; i < end; i++)
		if (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_ROWS &&
		    ask_word(p->q.language, plan_word(p, i), 1, ASK_WORD_BELONGS, &len) != NULL)
			return true;
	return false;
}

size_t
plan_groups(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->ndimensions; i++)
		n += !p->dimensions[i].identity;
	return n;
}

uint32_t
plan_key_column(const struct ask_source *s)
{
	for (uint32_t i = 0; s->ngrain == 1 && i < s->ncolumns; i++)
		if (span_is(s->columns[i].names.name, s->grain[0]))
			return i;
	return ASK_NONE;
}

/*
 * The column that stands for a source's rows: one called like the item, else the one that names the rows, else their
 * key.
 */
static uint32_t
column_of_rows(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];

	return s->label != ASK_NONE ? s->label : plan_key_column(s);
}

/* Whether this column of the choice stays; item: the word. */
typedef bool choice_stays(const struct plan *p, const struct item_choice *c, const struct choice_column *at,
    size_t item);

/* Drop the others, if any stays. */
static void
choice_keep(struct item_choice *c, choice_stays *stays, const struct plan *p, size_t item)
{
	struct item_choice kept = { .unreached = c->unreached };

	for (size_t i = 0; i < c->n; i++)
		if (stays(p, c, &c->columns[i], item))
			kept.columns[kept.n++] = c->columns[i];
	if (kept.n > 0)
		*c = kept;
}

bool
plan_names_value(const struct plan *p, size_t column, size_t value)
{
	if (column == PLAN_NO_ITEM || value == PLAN_NO_ITEM || !plan_has(p, column, ASK_KIND_COLUMN) ||
	    !plan_has(p, value, ASK_KIND_VALUE))
		return false;
	for (size_t k = 0; k < p->q.items[column].nhits; k++)
		for (size_t h = 0; h < p->q.items[value].nhits; h++)
			if (ask_is_value_of(p->q.items[column].hits[k], p->q.items[value].hits[h]))
				return true;
	return false;
}

static bool
is_nearest(const struct plan *p, const struct item_choice *c, const struct choice_column *at, size_t item)
{
	(void)item;
	for (size_t k = 0; k < c->n; k++)
		if (p->routes.hops[c->columns[k].at.node] < p->routes.hops[at->at.node])
			return false;
	return true;
}

/* Whether the item names the join by which the node is reached. */
static bool
names_alias(const struct plan *p, size_t item, uint32_t node)
{
	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];

		if (e->kind == ASK_KIND_ALIAS && span_is(p->m->nodes[e->index].name, p->m->nodes[node].name))
			return true;
	}
	return false;
}

/* An alias of a join next to the item decides: "agent office", "team of the seller". */
static bool
is_of_alias(const struct plan *p, const struct item_choice *c, const struct choice_column *at, size_t item)
{
	size_t near[2] = { plan_before(p, item), plan_after(p, item) };
	/* "from start station A to end station B": each station has its own alias. */
	size_t sides = near[0] != PLAN_NO_ITEM && plan_names_any(p, near[0], ASK_KIND_ALIAS) ? 1 : 2;

	(void)c;
	for (size_t side = 0; side < sides; side++)
		/* "the friends of Kyle", counted in the table friends: its rows, not who is joined as a friend. */
		if (near[side] != PLAN_NO_ITEM && p->q.items[near[side]].kind == ASK_ITEM_NAME &&
		    !plan_names_of(p, near[side], ASK_KIND_SOURCE, plan_root(p)) &&
		    names_alias(p, near[side], at->at.node))
			return true;
	return false;
}

static bool
is_best_tier(const struct plan *p, const struct item_choice *c, const struct choice_column *at, size_t item)
{
	(void)p;
	(void)item;
	for (size_t k = 0; k < c->n; k++)
		if (c->columns[k].tier < at->tier)
			return false;
	return true;
}

static bool
is_answered(const struct plan *p, const struct item_choice *c, const struct choice_column *at, size_t item)
{
	struct plan q = *p;

	(void)c;
	(void)item;
	return plan_is_answered(p, plan_column_label(&q, at->at));
}

/* Not a foreign key to a source that the item names, too: "by country" means the country's name, not its key. */
static bool
is_no_key(const struct plan *p, const struct item_choice *c, const struct choice_column *at, size_t item)
{
	const struct ask_node *node = &p->m->nodes[at->at.node];

	(void)item;
	for (size_t k = 0; k < c->n; k++)
		for (size_t e = 0; &c->columns[k] != at && e < node->nedges; e++)
			if (node->edges[e].to == c->columns[k].at.node &&
			    span_is(node->edges[e].here, plan_column(p, at->at)->names.name))
				return false;
	return true;
}

static void
take_aliases(struct plan *p, size_t item, uint32_t node)
{
	size_t near[2] = { plan_before(p, item), plan_after(p, item) };

	for (size_t side = 0; side < 2 && node >= p->m->nsources; side++)
		if (near[side] != PLAN_NO_ITEM && plan_is_free(p, near[side]) && names_alias(p, near[side], node))
			plan_take(p, near[side], "join %.*s", SPAN_FMT(p->m->nodes[node].name));
}

/* "region of regions over accounts, over staff": the ways to each column, by their last node but one. */
static struct span
ways_to(struct plan *p, const struct item_choice *c)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < p->m->nnodes; k++)
			for (size_t e = 0; e < p->m->nodes[k].nedges; e++)
				if (p->m->nodes[k].edges[e].to == c->columns[i].at.node &&
				    p->routes.hops[k] != ASK_NONE &&
				    p->routes.hops[k] + 1 == p->routes.hops[c->columns[i].at.node]) {
					struct span label = plan_column_label(p, c->columns[i].at),
						    way = plan_says(p, SAYS_OVER, SPANS(label, p->m->nodes[k].name));

					buf_printf(&text, "%s%.*s", text.len > 0 ? ", " : "", SPAN_FMT(way));
				}
	return ask_text(p->a, &text);
}

/* No answer could choose a column to which several routes lead. */
static void
ask_which_column(struct plan *p, const struct item_choice *c, size_t item)
{
	struct ask_clarification *q = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (c->columns[i].several)
			continue;
		if (q == NULL)
			q = plan_ask(p, SAYS_WHAT_MEANS, SPANS(p->q.items[item].text));
		plan_suggest(q, plan_column_label(p, c->columns[i].at));
		q->assumption = q->suggestions[0];
	}
	if (q == NULL)
		(void)plan_ask(p, SAYS_WHICH_WAY, SPANS(p->q.items[item].text, ways_to(p, c)));
	plan_take(p, item, "a question back");
}

/*
 * "by country" of invoices: the customer has a country, but the invoice has a billing_country, which is nearer and may
 * be meant as well.
 */
static void
choice_add_nearer(struct plan *p, struct item_choice *c, size_t item)
{
	const struct ask_item *it = &p->q.items[item];
	const struct ask_source *s = plan_source(p, p->root);
	struct choice_column first = c->columns[0];

	for (uint32_t i = 0; i < s->ncolumns && first.at.node != p->root && first.tier != ASK_TIER_DECLARED; i++) {
		struct ask_words name = s->columns[i].names.words;
		size_t k = 0;

		if (name.n <= it->n || s->columns[i].internal || s->columns[i].type != ASK_TYPE_TEXT)
			continue;
		while (k < it->n && span_is(name.t[name.n - it->n + k].stem, p->q.tokens[it->first + k].stem))
			k++;
		if (k == it->n)
			choice_put(p, c, (struct plan_column){ p->root, i }, first.tier);
	}
}

/* A source whose rows lead to the measured source and to one that the item names: where a measure could be. */
static uint32_t
source_below(const struct plan *p, const struct ask_item *it)
{
	struct ask_routes routes;

	for (uint32_t n = 0, tried = 0; n < p->m->nnodes && tried < BELOW_TRIED; n++) {
		uint32_t below = p->m->nodes[n].source;

		if (p->m->sources[below].covered || !plan_belongs(p, below, plan_root(p)))
			continue;
		tried++;
		if (ask_routes_from(p->m, n, p->a, &routes) != 0)
			break;
		for (uint32_t to = 0; to < p->m->nnodes; to++)
			for (size_t k = 0; routes.hops[to] != ASK_NONE && k < it->nhits; k++)
				if (it->hits[k]->source == p->m->nodes[to].source)
					return below;
	}
	return ASK_NONE;
}

bool
plan_refuse_unreached(struct plan *p, size_t item)
{
	const struct ask_item *it = &p->q.items[item];
	uint32_t below = source_below(p, it);
	struct span root = plan_source(p, p->root)->names.name;

	if (below == ASK_NONE)
		return plan_refuse(p, SAYS_NO_SAFE_WAY, SPANS(it->text, root));
	return plan_refuse(p, SAYS_WAY_BELOW, SPANS(it->text, root, p->m->sources[below].names.name));
}

/* "friends by student": whose friends they are */
static bool
is_of_way(const struct plan *p, const struct item_choice *c, const struct choice_column *at, size_t item)
{
	uint32_t far;

	(void)c;
	(void)item;
	return at->at.node == plan_way(p, p->root, p->m->nodes[at->at.node].source, &far);
}

bool
plan_choose(struct plan *p, size_t item, unsigned kinds, uint32_t only, struct plan_column *out)
{
	const struct ask_item *it = &p->q.items[item];
	struct item_choice c = { 0 };

	for (size_t i = 0; i < it->nhits; i++) {
		const struct ask_entry *e = it->hits[i];
		uint32_t column =
		    e->kind == ASK_KIND_SOURCE || e->kind == ASK_KIND_ALIAS ? column_of_rows(p, e->source) : e->index;

		if ((kinds & 1u << e->kind) == 0 || column == ASK_NONE || (only != ASK_NONE && only != e->source))
			continue;
		if (e->kind == ASK_KIND_ALIAS)
			choice_add_way(p, &c, (struct plan_column){ e->index, column }, e->tier);
		else
			choice_add(p, &c, e->source, column, e->tier);
	}
	if (c.n == 0 && c.unreached)
		plan_refuse_unreached(p, item);
	if (c.n == 0)
		return false;
	choice_keep(&c, is_of_alias, p, item);
	choice_keep(&c, is_of_way, p, item);
	if ((kinds & (1u << ASK_KIND_VALUE)) == 0) {
		choice_keep(&c, is_no_key, p, item);
		choice_keep(&c, is_best_tier, p, item);
		choice_keep(&c, is_nearest, p, item);
		if (only == ASK_NONE && plan_has(p, item, ASK_KIND_COLUMN))
			choice_add_nearer(p, &c, item);
	}
	choice_keep(&c, is_answered, p, item);
	if (c.n > 1 || c.columns[0].several) {
		ask_which_column(p, &c, item);
		return false;
	}
	*out = c.columns[0].at;
	plan_worsen(p, c.columns[0].tier);
	take_aliases(p, item, out->node);
	return true;
}

struct plan_condition *
plan_add_condition(struct plan *p, struct plan_column at, enum plan_test test)
{
	struct plan_condition *c;

	if (p->nconditions == PLAN_CONDITIONS_MAX) {
		plan_refuse(p, SAYS_TOO_MANY_CONDITIONS, NULL);
		return NULL;
	}
	c = &p->conditions[p->nconditions++];
	*c = (struct plan_condition){ .at = at, .test = test };
	return c;
}

void
plan_tell_left_out(struct plan *p, const struct plan_condition *c)
{
	if (c->negated && !c->implied && (c->test == PLAN_IS || c->test == PLAN_TRUE))
		plan_note(p, SAYS_LEFT_OUT, SPANS(plan_column_label(p, c->at)));
}

size_t
plan_negation(const struct plan *p, size_t i)
{
	size_t before = plan_before(p, i);

	return before != PLAN_NO_ITEM && plan_is_free(p, before) && plan_is_word(p, before, ASK_WORD_NOT) ?
	    before :
	    PLAN_NO_ITEM;
}

bool
plan_is_extreme(const struct plan *p, size_t i, int strength)
{
	return i != PLAN_NO_ITEM && plan_is_word(p, i, ASK_WORD_EXTREME) &&
	    (p->q.items[i].arg >= strength || p->q.items[i].arg <= -strength);
}

bool
plan_asks_which(const struct plan *p, size_t i)
{
	size_t len;

	return plan_is_word(p, i, ASK_WORD_WHICH) ||
	    (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].n == 1 &&
		ask_word(p->q.language, plan_word(p, i), 1, ASK_WORD_WHICH, &len) != NULL);
}
