/*
 * ask.c - see ask.h: reads a question, and says why where it cannot.
 *
 * How a question is planned
 *
 * The question is cut into tokens and these into items: a name of the model with all entries that it may mean (its
 * hits), a function word, a number, a period, a known value, or something unknown (items.h).  catalogue_read()
 * answers questions for what the model has.  Everything else is read by the table of readings (readings/readings.h):
 * rows of readings.def, each a pattern over the items and a builder, are laid over the question from its first item
 * to the last.  A chain of rows that consumes every item is a draft; the draft with the best score is the reading,
 * and two of the best score that ask different things are none.
 *
 * Each source that the question names is tried as the root, the source whose rows are listed or measured; joins are
 * only possible once it is known (ask_routes_from()).  A draft of rows becomes a query in draft.c.  A draft of
 * figures fills the plan (plan.h): measures, groups, conditions, periods; periods_settle() finds the dates,
 * finish_plan() makes the queries and says them in words.
 *
 * The rule of honesty is in two places.  An item that no row consumes makes no draft.  Words that only the asker can
 * explain (big, recent, official) are skipped by all rows; leftovers_settle() asks about them, or takes them where
 * an answer, a preference or the reading says what they mean.  If nothing reads the question, words that nothing
 * knows may be values: the data are asked, each word once (ASK_PROBE).  If they are none, a second search skips
 * them, and the question back is about them in what the rest means.  If that reads nothing either, the question is
 * refused: by what the draft with the best score could not do, else by leftovers_tell(), from the first word that no
 * row came to.
 *
 * No builder may guess.  Where several entries fit, plan_choose() keeps those of the best kind of match (a label
 * before a synonym) and of these the nearest to the root; if more than one is left, it asks.  A draft may be a
 * question back; one that is not wins over it.  The answer to a question back is a text behind the question, which
 * ask_take_answers() reads before anything else, and it decides in the same place in which the question was asked: a
 * reading is a function of its inputs, and nothing is kept between two calls.  So a round can be repeated: after a
 * probe, with the words of agents, with what a language model takes unknown words for, and with each assumption that a
 * caller allows who wants no questions back (ask_assume()).
 *
 * The plan is one struct on the stack; what it points to is in the caller's arena.  Bounds are constants of ask.h
 * and plan.h; a question beyond one of them is refused with that reason.
 */
#include "ask/answers.h"
#include "ask/catalogue.h"
#include "ask/compounds.h"
#include "ask/leftovers.h"
#include "ask/readings/readings.h"
#include "ask/suggestions.h"
#include "base/text/num.h"
#include "base/utf8.h"

/* A number n becomes the condition ">= n".  Empty: neither a number nor a text. */
static struct span
read_condition(struct arena *a, const struct mp_value *v)
{
	if (v->class == MP_STR)
		return v->s;
	return mp_is_number(v) ? span_str(arena_printf(a, ">= %.14e", mp_number(v))) :
				 SPAN(""); /* read in one way only */
}

static void
read_thresholds(struct arena *a, const struct mp_value *map, struct ask_preferences *out)
{
	static const char high_value[] = "highValueThreshold";
	struct mp_value words, v;
	struct ask_threshold *list;
	struct mp_iter it;
	bool any = mp_get(map, "thresholds", &words) && words.class == MP_MAP;

	if ((list = arena_array(a, (any ? words.n : 0) + 1, sizeof(*list))) == NULL)
		return;
	out->thresholds = list;
	if (any)
		it = mp_iter(&words);
	for (struct span word; any && mp_next_pair(&it, &word, &v);)
		list[out->nthresholds++] = (struct ask_threshold){ word, read_condition(a, &v) };
	if (mp_get(map, high_value, &v))
		list[out->nthresholds++] = (struct ask_threshold){ SPAN("high value"), read_condition(a, &v) };
}

void
ask_preferences_read(struct arena *a, const struct mp_value *map, struct ask_preferences *out)
{
	struct span fiscal, order;

	*out = (struct ask_preferences){ .default_period = span_of("", 0) };
	if (map->class != MP_MAP)
		return;
	out->default_period = mp_get_str(map, "defaultTimePeriod", span_of("", 0));
	out->sunday = span_is_word(mp_get_str(map, "weekStart", span_of("", 0)), "sunday");
	order = mp_get_str(map, "dateOrder", span_of("", 0));
	out->date_order = span_is_word(order, "dmy") ? ASK_ORDER_DMY :
	    span_is_word(order, "mdy")               ? ASK_ORDER_MDY :
						       ASK_ORDER_UNSAID;
	fiscal = mp_get_str(map, "fiscalYearStart", span_of("", 0));
	if (fiscal.len == 5 && fiscal.p[2] == '-' && ascii_is_digit(fiscal.p[0]) && ascii_is_digit(fiscal.p[1]) &&
	    ascii_is_digit(fiscal.p[3]) && ascii_is_digit(fiscal.p[4])) {
		unsigned month = (fiscal.p[0] - '0') * 10u + (fiscal.p[1] - '0'),
			 day = (fiscal.p[3] - '0') * 10u + (fiscal.p[4] - '0');

		if (month >= 1 && month <= 12 && day >= 1 && day <= 28) {
			out->fiscal_month = month;
			out->fiscal_day = day;
		}
	}
	read_thresholds(a, map, out);
}

/* Phrases that may be values. */
struct phrases {
	size_t		 n;
	struct span	*texts;
};

static void
phrase_add(struct phrases *list, struct span text)
{
	if (text.len > 0 && list->n < ASK_PHRASES_MAX)
		list->texts[list->n++] = text;
}

/* The phrase with its last word in the other number: singular for plural, plural for singular. */
static void
phrase_add_other_number(struct phrases *list, struct arena *a, struct span phrase, const struct ask_token *last)
{
	if (!last->number && last->stem.len >= 3)
		phrase_add(list,
		    span_str(arena_printf(a, "%.*s%.*s%s", (int)(phrase.len - last->text.len), (const char *)phrase.p,
			SPAN_FMT(last->plural ? last->stem : last->folded), last->plural ? "" : "s")));
}

/* "round trips" as a code may be written: round_trip.  Only for two or three words. */
static void
phrase_add_code(struct phrases *list, struct arena *a, struct span phrase, const struct ask_token *last)
{
	struct buf text = { 0 };
	size_t gaps = 0;

	for (size_t i = 0; i < phrase.len; i++) {
		bool gap = phrase.p[i] == ' ' || phrase.p[i] == '-';

		gaps += gap;
		buf_byte(&text, gap ? '_' : phrase.p[i]);
	}
	if (last->plural)
		text.len -= last->text.len - last->stem.len <= text.len ? last->text.len - last->stem.len : 0;
	if (gaps != 1 && gaps != 2)
		text.len = 0;
	phrase_add(list, ask_text(a, &text));
}

static bool
is_stop_word(enum ask_language language, const struct ask_token *t)
{
	size_t len;
	const struct ask_word_row *row = ask_word(language, t, 1, ASK_WORD_STOP, &len);

	return row != NULL && !ask_stop_may_be_value(row->arg);
}

/* "in repair", "on hold": a state of two words that begins with a word without a meaning. */
static bool
begins_state(const struct ask_token *t, size_t words)
{
	return words == 2 && ask_is_any(t->folded, "in on at im auf");
}

/* "with a newsletter", "haben einen Newsletter" */
static bool
says_presence(enum ask_language language, const struct ask_token *t, size_t n)
{
	const struct ask_word_row *row[2];
	size_t len;

	for (size_t i = 0; i < 2; i++)
		row[i] = i < n ? ask_word(language, t + i, 1, ASK_WORD_WITH, &len) : NULL;
	return row[0] != NULL && row[0]->arg == 0 && row[1] != NULL && row[1]->arg == 1;
}

size_t
ask_phrases(struct arena *a, struct span question, const struct span **phrases)
{
	struct phrases list = { .texts = arena_array(a, ASK_PHRASES_MAX, sizeof(*list.texts)) };
	size_t n, whole;
	struct ask_token *t = ask_tokens(a, question, false, ASK_WORDS_MAX, &n);
	enum ask_language language;
	const struct ask_token *last[ASK_PHRASES_MAX];

	*phrases = list.texts;
	if (list.texts == NULL || t == NULL || n > ASK_WORDS_MAX)
		return 0;
	language = ask_language_of(t, n);
	for (size_t words = ASK_PHRASE_WORDS_MAX; words > 0; words--)
		for (size_t i = 0; i + words <= n && list.n < ASK_PHRASES_MAX; i++) {
			const struct ask_token *z = &t[i + words - 1];

			/* A short one alone may be a code: "sex M". */
			if ((is_stop_word(language, &t[i]) || is_stop_word(language, z)) &&
			    !begins_state(&t[i], words) && (words > 1 || t[i].text.len > 3))
				continue;
			last[list.n] = z;
			phrase_add(&list, ask_from_to(t[i].text, z->text));
		}
	whole = list.n;
	for (size_t i = 0; i < n; i++) {
		struct ask_code code;

		for (size_t at = 0; list.n + 2 <= ASK_PHRASES_MAX && ask_code(language, &t[i], &at, &code);) {
			phrase_add(&list, code.code);
			phrase_add(&list, code.other);
		}
	}
	for (size_t i = 0; i < n; i++) {
		size_t len = 1;

		if (ask_word(language, t + i, n - i, ASK_WORD_NOT, &len) == NULL &&
		    !says_presence(language, t + i, n - i))
			continue;
		for (size_t k = 0; ask_nothings[k] != NULL; k++)
			phrase_add(&list, span_str(ask_nothings[k]));
		/* "no eye colour" may be a value "No Colour" */
		for (size_t k = i + len; k < n && k < i + len + 3; k++)
			phrase_add(&list, span_str(arena_printf(a, "no %.*s", SPAN_FMT(t[k].stem))));
		break;
	}
	for (size_t i = 0; i < whole; i++)
		phrase_add_code(&list, a, list.texts[i], last[i]);
	for (size_t i = 0; i < whole; i++)
		if (!is_stop_word(language, last[i]))
			phrase_add_other_number(&list, a, list.texts[i], last[i]);
	return list.n;
}

/* Whether the item is a measure, or begins a count. */
static bool
names_measure(const struct plan *p, size_t i)
{
	return i != PLAN_NO_ITEM && (plan_has(p, i, ASK_KIND_MEASURE) || plan_is_word(p, i, ASK_WORD_COUNT));
}

/* "revenue against orders", "relation between revenue and orders": two measures, and the points show how they go. */
static void
find_relation(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		bool of = plan_is_word(p, i, ASK_WORD_RELATION);
		size_t first = of ? plan_after(p, i) : plan_before(p, i), and = of ? first : i;

		while (of && and != PLAN_NO_ITEM && !plan_is_word(p, and, ASK_WORD_AND))
			and = plan_after(p, and);
		if ((!of && !plan_is_word(p, i, ASK_WORD_VERSUS)) || and == PLAN_NO_ITEM || !names_measure(p, first) ||
		    !names_measure(p, plan_after(p, and)))
			continue;
		p->relation = true;
		p->q.items[i].word = of ? ASK_WORD_STOP : ASK_WORD_AND;
		p->q.items[i].arg = 0;
	}
}

/* What is not answered by its kind: causes, forecasts, writing, … */
static void
refuse_intents(struct plan *p)
{
	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		bool times =
		    plan_is_word(p, i, ASK_WORD_TIMES) && (i == 0 || p->q.items[i - 1].kind != ASK_ITEM_NUMBER);
		enum ask_reason reason = plan_is_word(p, i, ASK_WORD_RELATION) ? ASK_REASON_CORRELATION :
		    times                                                      ? ASK_REASON_ARITHMETIC :
										 (enum ask_reason)p->q.items[i].arg;

		if (!times && !plan_is_word(p, i, ASK_WORD_REFUSED) && !plan_is_word(p, i, ASK_WORD_RELATION))
			continue;
		plan_refuse(p,
		    reason == ASK_REASON_WRITE       ? SAYS_NOTHING_WRITTEN :
			reason == ASK_REASON_CONTEXT ? SAYS_NO_CONTEXT :
						       SAYS_NOTHING_SAYS_SO,
		    SPANS(p->q.items[i].text));
		p->out->reason = reason;
	}
}

/* "Are all bikes electric", "is the cheapest bike electric": whether it is so, unlike "are there" and "do we have". */
static void
refuse_yes_or_no(struct plan *p)
{
	static const char *const english[] = { "is", "are", "was", "were", "do", "does", "did", "has", "have", NULL },
		*const german[] = { "ist", "sind", "war", "waren", "hat", "haben", "hatte", "hatten", NULL },
		*const finds[] = { "there", "any", "we", "you", "i", "es", "wir", "sie", "ich", NULL };
	const struct ask_token *t = p->q.tokens;

	if (p->q.ntokens > 1 && span_is_any(t[0].folded, p->q.language == ASK_GERMAN ? german : english) &&
	    !span_is_any(t[1].folded, finds))
		plan_refuse(p, SAYS_YES_OR_NO, NULL);
}

/* Ask which number is meant, unless an answer says it. */
static void
settle_numbers(struct plan *p)
{
	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		struct ask_item *it = &p->q.items[i];
		bool range = plan_is_word(p, i, ASK_WORD_RANGE);
		double whole;

		for (size_t k = it->first; (range || plan_is_number(p, i)) && k < it->first + it->n && !p->done; k++) {
			struct ask_clarification *q;
			struct span large, small;

			if (!p->q.tokens[k].number ||
			    !ask_items_number_of_both(p->q.tokens[k].text, p->q.language, &whole))
				continue;
			large = plan_text(p, "%.0f", whole);
			small = plan_text(p, "%.15g", whole / 1000);
			if (!range && plan_is_answered(p, large))
				it->number = it->number < 0 ? -whole : whole;
			else if (range || !plan_is_answered(p, small)) {
				q = plan_ask(p, SAYS_WHICH_NUMBER, SPANS(p->q.tokens[k].text));
				plan_suggest(q, large);
				plan_suggest(q, small);
			}
		}
	}
}

static void
report_words(struct plan *p)
{
	size_t near = 0;

	for (size_t i = 0; i < p->q.n && p->out->nwords < ASK_WORDS_MAX; i++) {
		p->out->words[p->out->nwords++] = (struct ask_word){ p->q.items[i].text, p->q.items[i].consumed_by };
		for (size_t k = 0; p->out->status == ASK_REFUSE && k < p->q.items[i].nhits && near < ASK_CLOSEST_MAX;
		     k++)
			if (p->q.items[i].hits[k]->kind == ASK_KIND_MEASURE)
				p->out->closest[near++] = plan_entry_label(p, p->q.items[i].hits[k]);
	}
	p->out->nclosest = near;
}

/* What nothing knows; where no source is named, which there are. */
static void
report_unknown(struct plan *p)
{
	struct ask_reading *out = p->out;

	for (size_t i = 0; i < p->q.n && out->nunknown < ASK_UNKNOWN_MAX; i++)
		if (p->q.items[i].kind == ASK_ITEM_UNKNOWN && p->q.items[i].consumed_by.len == 0)
			out->unknown[out->nunknown++] = p->q.items[i].text;
	if (out->status != ASK_REFUSE || (out->reason != ASK_REASON_UNKNOWN && out->reason != ASK_REASON_NO_MEASURE))
		return;
	for (size_t s = 0; s < p->m->nsources && out->nunknown > 0 && out->navailable < ASK_AVAILABLE_MAX; s++)
		if (!p->m->sources[s].covered)
			out->available[out->navailable++] = ask_label(p->a, &p->m->sources[s].names);
}

/* Name the pages of agents that gave words their meaning. */
static void
tell_agents(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		const struct ask_item *it = &p->q.items[i];

		for (size_t k = 0; ask_item_is_others(it) && k < it->nhits; k++) {
			const struct span page = p->m->declared[it->hits[k]->declared].page;

			if (k == 0 || !span_is(page, p->m->declared[it->hits[k - 1]->declared].page))
				plan_note(p, SAYS_AGENTS_MEANING, SPANS(it->text, page));
		}
	}
}

/* Say what a language model takes words for. */
static void
tell_meanings(struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		const struct ask_item *it = &p->q.items[i];
		const struct ask_meaning *meaning;

		if (!ask_item_is_others(it))
			continue;
		meaning = &p->known->meanings[it->hits[0]->declared];
		plan_note(p, meaning->value.len > 0 ? SAYS_MODELS_VALUE : SAYS_MODELS_MEANING,
		    SPANS(it->text, meaning->means, meaning->value));
	}
}

static struct ask_reading
blank_reading(void)
{
	return (struct ask_reading){ .status = ASK_REFUSE, .confidence = "low", .reason = ASK_REASON_UNSUPPORTED,
		.message = SPAN("The question cannot be read."), .interpretation = SPAN(""), .title = SPAN("") };
}

/* The plan before a further reading: what the user answered stays. */
static struct plan
plan_again(const struct plan *first)
{
	struct plan p = { .m = first->m, .c = first->c, .known = first->known, .a = first->a, .out = first->out,
		.unit = ASK_MEASURED, .nanswers = first->nanswers, .nthresholds = first->nthresholds,
		.places = first->places, .proceeds = first->proceeds, .period_said = first->period_said,
		.nassumed = first->nassumed };

	memcpy(p.answers, first->answers, sizeof(p.answers));
	memcpy(p.thresholds, first->thresholds, sizeof(p.thresholds));
	memcpy(p.assumed, first->assumed, sizeof(p.assumed));
	return p;
}

/* Read the question once, with words of others if there are some.  -1: a is full. */
static int
read_once(struct plan *p, struct ask_token *t, size_t n, const struct ask_lexicon *others,
    void (*tell)(struct plan *p))
{
	struct ask_reading *out = p->out;

	*out = blank_reading();
	p->q = (struct ask_items){ .language = ask_language_of(t, n), .others = others, .lists = true };
	out->german = p->q.language == ASK_GERMAN;
	if (ask_items_read(p->m, p->c, p->known, t, n, p->a, &p->q) != 0)
		return -1;
	out->status = ASK_ANSWER;
	if (others != NULL)
		tell(p);
	find_relation(p);
	settle_numbers(p);
	refuse_yes_or_no(p);
	if (!p->done && !catalogue_read(p) && !readings_read(p)) {
		out->status = ASK_ANSWER;
		refuse_intents(p);
		if (!p->done)
			leftovers_tell(p);
	}
	report_words(p);
	if (out->status == ASK_REFUSE || out->status == ASK_CLARIFY)
		report_unknown(p);
	return 0;
}

/* Read the question again with words of others, and keep that reading if it used one. */
static int
read_with_others(const struct plan *first, struct ask_token *t, size_t n, const struct ask_lexicon *others,
    void (*tell)(struct plan *p))
{
	struct plan p = plan_again(first);
	bool used = false;

	p.out = arena_alloc(first->a, sizeof(*p.out));
	if (p.out == NULL || read_once(&p, t, n, others, tell) != 0)
		return -1;
	for (size_t i = 0; i < p.q.n; i++)
		used = used || ask_item_is_others(&p.q.items[i]);
	if (used && p.out->status != ASK_REFUSE)
		*first->out = *p.out;
	return 0;
}

/* Read it again as a language model takes its unknown words. */
static int
read_with_meanings(const struct plan *first, struct ask_token *t, size_t n)
{
	size_t nmeanings = first->known->nmeanings;
	struct ask_declared *words = arena_array(first->a, nmeanings, sizeof(*words));
	struct ask_lexicon *others = NULL;
	int result = -1;

	for (size_t i = 0; words != NULL && i < nmeanings; i++)
		words[i] = (struct ask_declared){ .word = first->known->meanings[i].word,
			.means = first->known->meanings[i].means,
			.value = first->known->meanings[i].value,
			.agent = true };
	if (words != NULL && (others = ask_lexicon_of_others(first->m, first->a, words, nmeanings)) != NULL)
		result = read_with_others(first, t, n, others, tell_meanings);
	ask_lexicon_free(others);
	return result;
}

/* Read the question; if words are left that nothing knows, also with those of agents, then with a model's meanings. */
static int
read_words(struct plan *p, struct ask_token *t, size_t n)
{
	const struct ask_lexicon *agents = p->m->agents;

	if (read_once(p, t, n, NULL, NULL) != 0)
		return -1;
	if (p->out->nunknown > 0 && agents != NULL && agents->n > 0 &&
	    read_with_others(p, t, n, agents, tell_agents) != 0)
		return -1;
	return p->out->nunknown > 0 && p->known != NULL && p->known->nmeanings > 0 ? read_with_meanings(p, t, n) : 0;
}

/* Reads the question; what it suggests is not read. */
static int
read_question(struct plan *first, struct span question, struct err *err)
{
	struct plan p = *first;
	struct arena *a = p.a;
	struct ask_reading *out = p.out;
	struct ask_token *t;
	struct span text;
	size_t n;

	*out = blank_reading();
	if (question.len > ASK_QUESTION_MAX || !utf8_valid(question.p, question.len)) {
		plan_refuse(&p, SAYS_TOO_MANY_BYTES, SPANS(plan_text(&p, "%u", ASK_QUESTION_MAX)));
		return 0;
	}
	text = ask_take_answers(&p, question);
	do {
		p = plan_again(&p);
		t = ask_tokens(a, text, false, ASK_WORDS_MAX, &n);
		if (t == NULL || (question.len > 0 && text.p == NULL))
			return err_set(err, ERR_BUSY, "There is no memory for the question.");
		if (n <= ASK_WORDS_MAX && ask_language_of(t, n) == ASK_GERMAN &&
		    (t = compounds_split(p.m, a, t, &n)) == NULL)
			return err_set(err, ERR_BUSY, "There is no memory for the question.");
		if (n > ASK_WORDS_MAX) {
			plan_refuse(&p, SAYS_TOO_MANY_WORDS, SPANS(plan_text(&p, "%u", ASK_WORDS_MAX)));
			return 0;
		}
		if (read_words(&p, t, n) != 0)
			return err_set(err, ERR_BUSY, "There is no memory for the question.");
	} while (ask_assume(&p, &text));
	ask_note_assumed(&p);
	return 0;
}

static struct plan
plan_begin(const struct ask_model *m, const struct ask_context *c, const struct ask_known *known, struct arena *a,
    struct ask_reading *out)
{
	return (struct plan){ .m = m, .c = c, .known = known, .a = a, .out = out, .unit = ASK_MEASURED };
}

static int
read_suggested(const struct plan *p, struct span question, struct arena *a, struct ask_reading *out)
{
	struct plan again = plan_begin(p->m, p->c, p->known, a, out);
	struct err err;

	return read_question(&again, question, &err);
}

int
ask_read(const struct ask_model *m, const struct ask_context *c, struct span question, const struct ask_known *known,
    struct arena *a, struct ask_reading *out, struct err *err)
{
	struct plan p = plan_begin(m, c, known, a, out);

	if (read_question(&p, question, err) != 0)
		return -1;
	if (out->status == ASK_CLARIFY)
		suggestions_prove(&p, question, read_suggested);
	return 0;
}

size_t
ask_order_column(const struct ask_query *q)
{
	for (size_t i = 0; i < q->ndimensions; i++)
		if (q->order_by.len > 0 && span_is(q->dimensions[i].field, q->order_by))
			return i;
	for (size_t i = 0; i < q->nmeasures; i++)
		if (span_is(q->measures[i].name.len > 0 ? q->measures[i].name : q->measures[i].expr, q->order_by))
			return q->ndimensions + i;
	return q->ndimensions;
}

struct span
ask_operator(struct span operator, bool german)
{
	static const struct {
		const char *operator, * english, *german;
	} operators[] = {
#define OPERATOR(operator, english, german) { operator, english, german },
#include "ask/operators.def"
#undef OPERATOR
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (span_is_str(operator, operators[i].operator))
			return span_str(german ? operators[i].german : operators[i].english);
	return operator;
}

const char *
ask_reason_code(enum ask_reason reason)
{
	static const char *const codes[] = {
#define X(NAME, code) [ASK_REASON_##NAME] = code,
		ASK_REASONS(X)
#undef X
	};

	return codes[reason];
}
