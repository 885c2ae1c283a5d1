#include <string.h>

#include "workers/memory/read/formula.h"
#include "workers/memory/read/remark.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/surroundings.h"
#include "workers/memory/read/words_note.h"
#include "workers/memory/read/propose.h"

/* A proposal that is checked against its surroundings. */
struct weighing {
	struct text_reading		*r;
	struct proposal		*p;
	size_t			 at;		/* its sentence */
	struct condition_of	 of;
	size_t			 nnames;
	struct span		 names[PROPOSALS_MAX];	/* all names that the note defines */
	bool			 single;	/* the note has no other formula that could be meant */
};

static bool
is_open(const struct proposal *p)
{
	return p->kind == PROPOSAL_MEASURE && !p->fragment && p->refused.len == 0;
}

/* Whether two subjects share a word that is not the last of both: the last one names the kind. */
static bool
rests_on(struct span subject, struct span other)
{
	struct wording a, b;

	wording_split(subject, &a);
	wording_split(other, &b);
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = 0; k < b.n; k++)
			if (a.v[i].len > 3 && wording_is_alike(a.v[i], b.v[k]) && !(i + 1 == a.n && k + 1 == b.n))
				return true;
	return false;
}

/* Whether no other paragraph stands between the two. */
static bool
is_beside(const struct sentences *s, size_t a, size_t b)
{
	size_t from = a < b ? a : b, to = a < b ? b : a;

	for (size_t i = from + 1; i < to; i++)
		if (s->v[i].group != s->v[from].group && s->v[i].group != s->v[to].group)
			return false;
	return true;
}

/* Whether the sentence is near: it must be understood then, and otherwise only be unsuspicious. */
static bool
is_near(const struct weighing *w, size_t i)
{
	const struct sentences *s = &w->r->text;
	const struct sentence *x = &s->v[i];
	size_t own = sentences_heading(s, w->at);

	if (x->kind == SENTENCE_HEADING)
		return i < w->at && sentences_is_over(s, i, w->at);
	if (!sentences_is_over(s, i, w->at))
		return false;
	if (is_beside(s, i, w->at) || (i < w->at && sentences_heading(s, i) != own))
		return true;
	return x->kind == SENTENCE_PROSE &&
	    ((i < w->at && x->open) || remark_refers(&w->of, w->names, w->nnames, x->text));
}

/* The cells of a row as words; empty for the separator line. */
static struct span
row_words(struct arena *a, struct span row)
{
	struct buf text = { 0 };
	struct span out;
	bool line = true;

	for (size_t i = 0; i < row.len; i++) {
		line = line && strchr("|-: \t", row.p[i]) != NULL;
		buf_byte(&text, row.p[i] == '|' ? ' ' : row.p[i]);
	}
	out = line ? SPAN_NONE : arena_span(a, span_trim(buf_view(&text)));
	buf_fini(&text);
	return out;
}

/* "Metric | Formula | Unit": whether these are column headings of definitions. */
static bool
is_head(struct span words)
{
	struct wording w;

	wording_split(words, &w);
	for (size_t i = 0; i < w.n; i++)
		if (!span_is_any_word(w.v[i], words_heads))
			return false;
	return true;
}

/* Adds a sentence's condition to the measure's filter. */
static void
limit_measure(const struct weighing *w, struct span filter)
{
	struct proposal *p = w->p;
	struct formula_scope scope = { p->measure.source, { NULL, 0 } };
	struct measure m;
	struct err err;

	if (measure_make(w->r->a, p->subject, p->measure.expr, filter, &scope, &m, &err) == 0) {
		m.name = p->measure.name;
		p->measure = m;
	} else
		reading_refuse(w->r, p, err.message);
}

/*
 * A sentence next to the formula: a remark, a condition, or not understood.  A heading names what is below it, and
 * limits it only with words of restriction or doubt: "KPIs for Germany".
 */
static void
weigh_near(const struct weighing *w, const struct sentence *s)
{
	struct proposal *p = w->p;
	struct span text = s->kind == SENTENCE_ROW ? row_words(w->r->a, s->text) : s->text;
	enum condition sense = CONDITION_UNKNOWN;
	struct buf filter = { 0 };

	if (s->kind == SENTENCE_HEADING) {
		if (!remark_is_neutral(&w->of, w->names, w->nnames, text) &&
		    (s->level == 0 || subject_limit(text) < text.len || subject_doubts(text) ||
			condition_suspected(text)))
			reading_refuse_words(w->r, p, text);
		return;
	}
	if (s->kind != SENTENCE_CODE &&
	    (remark_is_idle(&w->of, w->names, w->nnames, text) || (s->kind == SENTENCE_ROW && is_head(text))))
		return;
	if (p->measure.filter.len > 0 && signals_find(p->measure.filter, "or") != NULL)
		buf_printf(&filter, "(%.*s)", SPAN_FMT(p->measure.filter));
	else
		buf_span(&filter, p->measure.filter);
	if (w->single && s->kind == SENTENCE_PROSE && !s->quoted)
		sense = condition_sentence(&w->of, text, &filter);
	if (sense == CONDITION_TAKEN)
		limit_measure(w, arena_span(w->r->a, buf_view(&filter)));
	else if (sense == CONDITION_UNKNOWN)
		reading_refuse_words(w->r, p, text);
	buf_fini(&filter);
}

/* Other definitions in words of this subject, or of one in its name. */
static void
weigh_words(const struct weighing *w)
{
	struct proposal *p = w->p;

	for (size_t i = 0; is_open(p) && i < w->r->out->n; i++) {
		const struct proposal *other = &w->r->out->v[i];

		if (other->kind != PROPOSAL_WORDS || other->fragment)
			continue;
		if (span_is_folded(other->subject, p->subject) ?
			!remark_is_neutral(&w->of, w->names, w->nnames, other->formula) :
			rests_on(p->subject, other->subject))
			p->refused = span_str(arena_printf(w->r->a,
			    "the text also says what \"%.*s\" is, which the formula does not hold",
			    SPAN_FMT(other->subject)));
	}
}

static void
weigh_proposal(struct weighing *w)
{
	const struct sentences *s = &w->r->text;
	struct proposal *p = w->p;

	w->of = reading_source(w->r, p->measure.source);
	w->of.subject = p->subject;
	unit_read(w->of.source, p->measure.asked, &w->of.unit);
	for (size_t i = 0; is_open(p) && i < s->n; i++) {
		if (s->v[i].said || i == w->at)
			continue;
		if (is_near(w, i))
			weigh_near(w, &s->v[i]);
		else if (s->v[i].kind != SENTENCE_CODE && condition_suspected(s->v[i].text))
			reading_refuse_words(w->r, p, s->v[i].text);
	}
	weigh_words(w);
	if (is_open(p) && s->cut)
		reading_refuse(w->r, p, "the text is too long to tell what limits it; hand it in on its own");
}

void
surroundings_weigh(struct text_reading *r)
{
	struct weighing w = { .r = r };
	size_t open = 0;

	for (size_t k = 0; k < r->out->n; k++) {
		open += is_open(&r->out->v[k]);
		if (r->out->v[k].subject.len > 0)
			w.names[w.nnames++] = r->out->v[k].subject;
	}
	w.single = open == 1;
	for (size_t k = 0; k < r->out->n; k++)
		if (is_open(&r->out->v[k])) {
			w.p = &r->out->v[k];
			w.at = r->place[k];
			weigh_proposal(&w);
		}
}
