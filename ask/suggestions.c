#include "ask/suggestions.h"

#define READ_MAX	24u			/* questions that are read for one question back */
#define BYTES_MAX	((size_t)16 << 20)	/* of one reading */

/* ENDS_OPEN: in a question that the user answers in words of their own; ENDS_UNKNOWN: the data have to be asked. */
enum end { ENDS_NOWHERE, ENDS_OPEN, ENDS_ANSWERED, ENDS_UNKNOWN };

struct prover {
	const struct plan	*p;
	suggestions_reader	*read;
	size_t			 nread;
	struct ask_reading	 met;	/* the first refusal, or what has to be asked of the data */
};

/* The question with this suggestion, and with what the other questions of the same reading assume. */
static struct span
with_choice(struct arena *a, struct span question, const struct ask_reading *r, size_t chosen, struct span choice)
{
	struct buf text = { 0 };

	buf_span(&text, question);
	for (size_t i = 0; i < r->nquestions; i++) {
		const struct ask_clarification *q = &r->questions[i];
		struct span answer = i == chosen ? choice :
		    q->assumption.len > 0        ? q->assumption :
		    q->nsuggestions > 0          ? q->suggestions[0] :
						   SPAN("");

		if (answer.len > 0)
			buf_printf(&text, " [%.*s: %.*s]", SPAN_FMT(q->topic), SPAN_FMT(answer));
	}
	return ask_text(a, &text);
}

static void
copy_texts(struct arena *a, struct span *to, const struct span *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = arena_span(a, from[i]);
}

/* The first refusal is kept, in memory that stays. */
static void
keep_refusal(struct prover *s, const struct ask_reading *r)
{
	struct arena *a = s->p->a;

	if (s->met.status != ASK_CLARIFY)
		return;
	s->met.status = ASK_REFUSE;
	s->met.reason = r->reason;
	s->met.message = arena_span(a, r->message);
	s->met.nquestions = 0;
	s->met.nclosest = r->nclosest;
	s->met.nunknown = r->nunknown;
	s->met.navailable = r->navailable;
	copy_texts(a, s->met.closest, r->closest, r->nclosest);
	copy_texts(a, s->met.unknown, r->unknown, r->nunknown);
	copy_texts(a, s->met.available, r->available, r->navailable);
}

static void
keep_probes(struct prover *s, const struct ask_reading *r)
{
	struct arena *a = s->p->a;

	s->met.status = ASK_PROBE;
	s->met.nquestions = 0;
	s->met.nprobes = r->nprobes;
	for (size_t i = 0; i < r->nprobes; i++) {
		const struct ask_probe *q = &r->probes[i];

		s->met.probes[i] = (struct ask_probe){ arena_span(a, q->source), arena_span(a, q->column),
			arena_span(a, q->text), arena_span(a, q->field), arena_span(a, q->filter) };
	}
}

static enum end end_of(struct prover *s, struct span question, unsigned rounds);

/* The best of what the suggestions of a further question back lead to. */
static enum end
end_of_questions(struct prover *s, struct arena *a, struct span question, const struct ask_reading *r, unsigned rounds)
{
	enum end best = ENDS_NOWHERE;

	for (size_t i = 0; i < r->nquestions; i++) {
		const struct ask_clarification *q = &r->questions[i];

		/* how a value is written, only the question knows */
		if (q->nsuggestions == 0 && best == ENDS_NOWHERE && !plan_is_topic_of(q->topic, SAYS_TOPIC_VALUE))
			best = ENDS_OPEN;
		for (size_t k = 0; rounds > 0 && best < ENDS_ANSWERED && k < q->nsuggestions; k++) {
			enum end end = end_of(s, with_choice(a, question, r, i, q->suggestions[k]), rounds - 1);

			best = end > best ? end : best;
		}
	}
	return best;
}

/* Where the question leads to; rounds: further questions back that are followed. */
static enum end
end_of(struct prover *s, struct span question, unsigned rounds)
{
	struct arena *a = s->nread++ < READ_MAX ? arena_new(BYTES_MAX) : NULL;
	struct ask_reading *r = a == NULL ? NULL : arena_alloc(a, sizeof(*r));
	enum end end = ENDS_NOWHERE;

	if (r == NULL || s->read(s->p, question, a, r) != 0)
		end = ENDS_NOWHERE;
	else if (r->status == ASK_ANSWER || r->status == ASK_CATALOGUE)
		end = ENDS_ANSWERED;
	else if (r->status == ASK_PROBE && (s->p->known == NULL || s->p->known->nprobed < ASK_PROBES_MAX)) {
		keep_probes(s, r);
		end = ENDS_UNKNOWN;
	} else if (r->status == ASK_REFUSE)
		keep_refusal(s, r);
	else
		end = end_of_questions(s, a, question, r, rounds);
	arena_free(a);
	return end;
}

void
suggestions_prove(const struct plan *p, struct span question, suggestions_reader *read)
{
	struct ask_reading *out = p->out, *shown = arena_alloc(p->a, sizeof(*shown));
	struct prover *s = arena_alloc(p->a, sizeof(*s));
	size_t had = 0, kept = 0, open = 0, nopen[ASK_QUESTIONS_MAX] = { 0 };
	struct plan trial;

	if (shown == NULL || s == NULL)
		return;
	*shown = *out;
	*s = (struct prover){ .p = p, .read = read, .met = *out };
	for (size_t i = 0; i < shown->nquestions; i++) {
		const struct ask_clarification *from = &shown->questions[i];
		struct ask_clarification *q = &out->questions[i];

		q->nsuggestions = 0;
		for (size_t k = 0; k < from->nsuggestions; k++, had++)
			switch (end_of(s, with_choice(p->a, question, shown, i, from->suggestions[k]), 1)) {
			case ENDS_ANSWERED:
				q->suggestions[q->nsuggestions++] = from->suggestions[k];
				kept++;
				break;
			case ENDS_UNKNOWN:
				*out = s->met;
				return;
			case ENDS_OPEN:
				open++;
				shown->questions[i].suggestions[nopen[i]++] = from->suggestions[k];
				break;
			default:
				if (span_is(from->suggestions[k], from->assumption))
					q->assumption = SPAN("");
			}
	}
	for (size_t i = 0; kept == 0 && i < shown->nquestions; i++) {
		struct ask_clarification *q = &out->questions[i];

		q->nsuggestions = nopen[i];
		copy_texts(p->a, q->suggestions, shown->questions[i].suggestions, nopen[i]);
	}
	if (had == 0 || kept + open > 0)
		return;
	if (shown->instead.nsuggestions > 0) {
		shown->nquestions = 1;
		shown->questions[0] = shown->instead;
		if (end_of(s, with_choice(p->a, question, shown, 0, shown->instead.suggestions[0]), 1) ==
		    ENDS_ANSWERED) {
			*out = *shown;
			return;
		}
	}
	if (s->met.status == ASK_REFUSE) {
		*out = s->met;
		return;
	}
	trial = *p;
	plan_refuse(&trial, SAYS_ASKED_IN_VAIN, SPANS(shown->questions[0].question));
}
