#include "ask/answers.h"
#include "base/ascii.h"

/* Longer phrases before their beginnings. */
static const char *const proceeds[] = { "[proceed with assumptions]", "[proceed]", "please proceed with assumptions",
	"proceed with reasonable assumptions", "proceed with assumptions", "proceed anyway",
	"make reasonable assumptions",
	"[mit annahmen fortfahren]", "[weiter]", "mit annahmen fortfahren", "mit annahmen weiter" };

static const char *const suffixes[] = { " threshold", "-schwelle", " schwelle" };

/* Whether the byte at is part of a word. */
static bool
is_inside(struct span text, size_t at)
{
	return at < text.len && (ascii_is_alnum(text.p[at]) || text.p[at] >= 0x80 || text.p[at] == '_');
}

/* The text behind a replaced word, without the noun with which the answer begins: "orders over 500", then "orders". */
static struct span
without_noun(struct span rest, struct span answer)
{
	struct span noun = answer, next = span_trim(rest);

	for (noun.len = 0; is_inside(answer, noun.len); noun.len++)
		;
	if (noun.len == 0 || next.len < noun.len || !span_is_folded(span_of(next.p, noun.len), noun) ||
	    is_inside(next, noun.len))
		return rest;
	return span_of(next.p + noun.len, next.len - noun.len);
}

/* The text with the first word (or phrase) replaced; empty: it is not there. */
static struct span
replace_word(struct plan *p, struct span text, struct span word, struct span by)
{
	for (size_t i = 0; word.len > 0 && i + word.len <= text.len; i++)
		if (span_is_folded(span_of(text.p + i, word.len), word) && (i == 0 || !is_inside(text, i - 1)) &&
		    (!is_inside(text, i + word.len) || !is_inside(word, word.len - 1)))
			return plan_text(p, "%.*s%.*s%s%.*s", (int)i, (const char *)text.p, SPAN_FMT(by),
			    i + word.len < text.len && ascii_is_digit(text.p[i + word.len]) ? " " : "",
			    SPAN_FMT(without_noun(span_of(text.p + i + word.len, text.len - i - word.len), by)));
	return SPAN("");
}

static struct span
without_suffix(struct span topic)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (topic.len > n && span_is_word(span_of(topic.p + topic.len - n, n), suffixes[i]))
			return span_of(topic.p, topic.len - n);
	}
	return topic;
}

static size_t
number_in(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len && n < 1000000; i++)
		if (ascii_is_digit(s.p[i]))
			n = n * 10 + (s.p[i] - '0');
	return n;
}

/* Take one answer; the question as it is read from now on. */
static struct span
take_answer(struct plan *p, struct span text, struct span topic, struct span answer)
{
	bool general = plan_is_topic(topic);
	struct span replaced;

	if (plan_is_topic_of(topic, SAYS_TOPIC_TIME_PERIOD)) {
		p->period_said = true;
		return plan_text(p, "%.*s, %.*s", SPAN_FMT(text), SPAN_FMT(answer));
	}
	if (plan_is_topic_of(topic, SAYS_TOPIC_PLACES))
		p->places = number_in(answer);
	if (memchr(answer.p, '<', answer.len) != NULL || memchr(answer.p, '>', answer.len) != NULL ||
	    memchr(answer.p, '=', answer.len) != NULL) {
		/* the last answer about a word is looked at first */
		p->nthresholds += p->nthresholds < PLAN_ANSWERS_MAX;
		memmove(&p->thresholds[1], p->thresholds, (p->nthresholds - 1) * sizeof(p->thresholds[0]));
		p->thresholds[0] = (struct ask_threshold){ general ? SPAN("") : without_suffix(topic), answer };
		return text;
	}
	if (p->nanswers < PLAN_ANSWERS_MAX)
		p->answers[p->nanswers++] = answer;
	replaced = general ? SPAN("") : replace_word(p, text, topic, answer);
	return replaced.len > 0 ? replaced : text;
}

/* The length of a request to proceed at the beginning of s; 0: there is none. */
static size_t
proceeds_at(struct span s)
{
	for (size_t i = 0; i < sizeof(proceeds) / sizeof(proceeds[0]); i++)
		if (span_begins_word(s, proceeds[i]) && !is_inside(s, strlen(proceeds[i])))
			return strlen(proceeds[i]);
	return 0;
}

struct span
ask_take_answers(struct plan *p, struct span question)
{
	struct {
		struct span topic, answer;
	} said[PLAN_ANSWERS_MAX];
	struct buf rest = { 0 };
	struct span text;
	size_t n = 0, i = 0, skip;

	while (i < question.len) {
		const uint8_t *end = question.p[i] == '[' ? memchr(question.p + i, ']', question.len - i) : NULL;
		const uint8_t *colon = end == NULL ? NULL : memchr(question.p + i, ':', (size_t)(end - question.p) - i);

		if (colon == NULL) {
			skip = i > 0 && is_inside(question, i - 1) ?
			    0 :
			    proceeds_at(span_of(question.p + i, question.len - i));
			p->proceeds |= skip > 0;
			if (skip == 0)
				buf_byte(&rest, question.p[i++]);
			i += skip;
			continue;
		}
		if (n < PLAN_ANSWERS_MAX) {
			said[n].topic = span_trim(span_of(question.p + i + 1, (size_t)(colon - question.p) - i - 1));
			said[n++].answer = span_trim(span_of(colon + 1, (size_t)(end - colon) - 1));
		}
		i = (size_t)(end - question.p) + 1;
	}
	text = ask_text(p->a, &rest);
	for (i = 0; i < n; i++)
		text = take_answer(p, text, said[i].topic, said[i].answer);
	return text;
}

bool
ask_assume(struct plan *p, struct span *text)
{
	const struct ask_reading *r = p->out;
	struct span choices[ASK_QUESTIONS_MAX];

	if (!p->proceeds || r->status != ASK_CLARIFY || r->nquestions == 0 ||
	    p->nassumed + r->nquestions > PLAN_ANSWERS_MAX)
		return false;
	for (size_t i = 0; i < r->nquestions; i++) {
		choices[i] = r->questions[i].assumption.len > 0 ? r->questions[i].assumption :
		    r->questions[i].nsuggestions > 0            ? r->questions[i].suggestions[0] :
								  SPAN("");
		if (choices[i].len == 0)
			return false;
	}
	for (size_t i = 0; i < r->nquestions; i++) {
		p->assumed[p->nassumed++] =
		    plan_text(p, "%.*s: %.*s", SPAN_FMT(r->questions[i].topic), SPAN_FMT(choices[i]));
		*text = take_answer(p, *text, r->questions[i].topic, choices[i]);
	}
	return true;
}

void
ask_note_assumed(struct plan *p)
{
	for (size_t i = 0; i < p->nassumed && p->out->status == ASK_ANSWER; i++)
		plan_assume(p, p->assumed[i]);
}
