/*
 * propose.c - see propose.h.
 *
 * How a note is read
 *
 * A note is free text by a person or an agent.  What is to become of it is decided by one asymmetry: a wrong measure
 * in the semantic layer gives wrong figures without a sign, while a definition kept in the note's own words costs
 * nothing.  So a formula becomes a measure only if every word near it was understood; in all other cases the proposal
 * has a reason (`refused`) and its words go to the wiki, where search finds them.
 *
 *	1. sentences_read() cuts the text into sentences, rows of tables, blocks of code and headings; it marks what
 *	   is quoted, struck out or commented out.
 *	2. For each, propose() makes proposals: fragment.c reads models of other tools, statement.c a SELECT,
 *	   definition.c "X is defined as ...".  The subject gives the name, and what stands with it must be a
 *	   condition (read_subject()); the formula is split from its own WHERE; what follows it must be a condition or
 *	   an idle remark (make_measure()).
 *	3. surroundings_weigh() then looks at the rest of the note, since "all figures here are without test orders"
 *	   may stand two headings above.  Near sentences must be understood, far ones only be unsuspicious.
 *
 * "Understood" is narrow on purpose.  condition.h knows SQL, and "without test orders" where exactly one boolean
 * column has that name; unit.h knows whether cents were divided; subject.h knows names that limit what they name
 * ("paid revenue").  Everything else that may restrict rows is CONDITION_UNKNOWN, and the refusal quotes it, so the
 * writer knows which words to put into the formula.  A sentence with several definitions is doubted as a whole: a
 * condition in it may belong to each of them (doubt_sentence()).
 *
 * This room is pure: text and sources in, proposals out, all in the caller's arena, at most PROPOSALS_MAX; what is
 * more is counted.  No formula is run here.  ingest/ has each one compiled and tried against the database, and only
 * writes what passed; its header has the stages of a run and the journal between them.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "workers/memory/read/condition.h"
#include "workers/memory/read/definition.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/fragment.h"
#include "workers/memory/read/reading.h"
#include "workers/memory/read/remark.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/statement.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/surroundings.h"
#include "workers/memory/read/words_note.h"

struct proposal *
propose_add(struct proposals *out, enum proposal_kind kind)
{
	struct proposal *p;

	if (out->n == PROPOSALS_MAX) {
		out->more++;
		return NULL;
	}
	p = &out->v[out->n++];
	*p = (struct proposal){ .kind = kind };
	return p;
}

void
propose_description(struct arena *a, struct proposals *out, const struct mention *of, struct span said)
{
	struct proposal *p = propose_add(out, PROPOSAL_DESCRIPTION);

	if (p == NULL)
		return;
	p->said = p->formula = said;
	p->measure = (struct measure){ .column = of->column != NULL, .source = arena_span(a, span_str(of->source->name)),
		.name = arena_span(a, span_str(of->column != NULL ? of->column->name : of->measure->name)) };
}

/* The proposal that the sentence `at` makes. */
static struct proposal *
add_proposal(struct text_reading *r, enum proposal_kind kind, size_t at)
{
	struct proposal *p = propose_add(r->out, kind);

	if (p != NULL)
		r->place[r->out->n - 1] = at;
	return p;
}

void
reading_refuse(const struct text_reading *r, struct proposal *p, const char *why)
{
	p->refused = arena_span(r->a, span_str(why));
	if (p->refused.len == 0)
		p->refused = SPAN("it cannot be read");
}

void
reading_refuse_words(const struct text_reading *r, struct proposal *p, struct span words)
{
	p->refused = span_str(arena_printf(r->a,
	    "\"%.*s%s\" may limit it and is not understood; write the condition into the formula, as in "
	    "sum(x.y) where z = 1, or hand the definition in without it",
	    (int)(words.len < 120 ? words.len : 120), (const char *)words.p, words.len > 120 ? "..." : ""));
}

struct condition_of
reading_source(const struct text_reading *r, struct span name)
{
	return (struct condition_of){ .source = r->source != NULL && name.len > 0 ? r->source(r->arg, name) : NULL,
		.name = name };
}

static void
refuse_nameless(const struct text_reading *r, struct proposal *p)
{
	reading_refuse(r, p, SUBJECT_NAMELESS);
}

/* A formula with the texts around it in its sentence, row or statement. */
struct formula_draft {
	struct span		 subject;	/* its name, perhaps with conditions, as written */
	struct span		 expr, own;	/* own: the condition within the formula itself */
	struct span		 rest;		/* what follows the formula */
	struct span		 alias;		/* the statement's own name for it; empty: use the subject */
	struct formula_scope	 scope;
	bool			 alone;		/* the only definition in its sentence */
	const char		*fault;		/* why it cannot be a measure; NULL: no objection */
};

/* The length of a separator of the subject's pieces at s.p[at]; 0: none. */
static size_t
parting_length(struct span s, size_t at)
{
	if (strchr(",():;", s.p[at]) != NULL && s.p[at] != '\0')
		return 1;
	if (at > 0 && s.p[at] == '-' && s.p[at - 1] == ' ' && at + 1 < s.len && s.p[at + 1] == ' ')
		return 1;
	return s.len - at >= 3 && s.p[at] == 0xe2 && s.p[at + 1] == 0x80 &&
		(s.p[at + 2] == 0x93 || s.p[at + 2] == 0x94) ?
	    3 :
	    0;
}

/* The words of an identifier: net revenue for net_revenue. */
static struct span
name_words(const struct text_reading *r, struct span name)
{
	struct buf b = { 0 };
	struct span out;

	for (size_t i = 0; i < name.len; i++)
		buf_byte(&b, name.p[i] == '_' ? ' ' : name.p[i]);
	out = arena_span(r->a, buf_view(&b));
	buf_fini(&b);
	return out;
}

/*
 * Finds the name among the subject's pieces, separated by commas, colons and brackets; the other pieces must be
 * conditions.  limited: the formula has a condition that the name may express.
 */
static bool
read_subject(const struct text_reading *r, struct proposal *p, struct condition_of *of, struct span subject,
    bool limited, struct span *name, struct buf *filter)
{
	struct span rest = subject, what = subject, words;
	size_t names = 0, n;

	*name = SPAN_NONE;
	while (rest.len > 0) {
		struct span piece;

		for (n = 0; n < rest.len && parting_length(rest, n) == 0; n++)
			;
		piece = subject_plain(span_of(rest.p, n));
		rest = n < rest.len ? formula_from(rest, n + parting_length(rest, n)) : SPAN_NONE;
		if (piece.len == 0 || subject_is_label(piece))
			continue;
		if (condition_part(of, piece, filter, &what) != CONDITION_UNKNOWN ||
		    (names > 0 && remark_is_idle(of, NULL, 0, piece)))
			continue;
		if (names++ > 0 || (subject_limit(piece) == 0 && !limited)) {
			reading_refuse_words(r, p, subject);
			return false;
		}
		*name = of->subject = piece;
	}
	if (name->len == 0) {
		refuse_nameless(r, p);
		return false;
	}
	words = name_words(r, *name);
	n = subject_limit(words);
	if (n < words.len && !limited &&
	    condition_part(of, formula_from(words, n), filter, &what) == CONDITION_UNKNOWN) {
		reading_refuse_words(r, p, subject);
		return false;
	}
	return true;
}

/* Appends a condition to a filter, in brackets if needed. */
static void
put_condition(struct buf *filter, struct span condition)
{
	bool either = signals_find(condition, "or") != NULL;

	if (filter->len > 0)
		buf_str(filter, " and ");
	buf_str(filter, either ? "(" : "");
	buf_span(filter, condition);
	buf_str(filter, either ? ")" : "");
}

/*
 * Whether a condition compares with a literal, which a name may express in other words: country = 'DE' as Germany.  A
 * flag is named like its column.
 */
static bool
compares_literal(struct span condition)
{
	for (size_t i = 0; i < condition.len; i++)
		if (condition.p[i] == '\'' ||
		    (ascii_is_digit(condition.p[i]) && (i == 0 || !formula_is_name(condition.p[i - 1]))))
			return true;
	return false;
}

/* The only source that the words name, in the singular or plural; empty: none, or several. */
static struct span
name_source(const struct text_reading *r, const struct wording *w)
{
	struct span found = SPAN_NONE;
	char plural[64];

	for (size_t i = 0; r->source != NULL && i < w->n; i++) {
		const struct source *s = r->source(r->arg, w->v[i]);

		if (s == NULL && w->v[i].len < sizeof(plural) - 1) {
			snprintf(plural, sizeof(plural), "%.*ss", SPAN_FMT(w->v[i]));
			plural[0] = (char)ascii_lower((uint8_t)plural[0]);
			s = r->source(r->arg, span_str(plural));
		}
		if (s == NULL || span_is_str(found, s->name))
			continue;
		if (found.len > 0)
			return SPAN_NONE;
		found = span_str(s->name);
	}
	return found;
}

/* "count(*) from orders", "Number of orders": the source of a formula that names no column. */
static void
find_source(const struct text_reading *r, struct formula_draft *d)
{
	static const char *const links[] = { "from", "over", "of", "in", "aus", "von",
		"\xc3\xbc"
		"ber",
		NULL };
	struct span words = d->rest;
	struct wording w;

	if (d->scope.source.len > 0 || formula_source(d->expr).len > 0)
		return;
	wording_split(d->rest, &w);
	w.n = w.n > 2 ? 2 : w.n;
	if (w.n == 2 && span_is_any_word(w.v[0], links) &&
	    (d->scope.source = name_source(r, &(struct wording){ .n = 1, .v = { w.v[1] } })).len > 0) {
		d->rest = formula_from(words, (size_t)(w.v[1].p + w.v[1].len - words.p));
		return;
	}
	wording_split(d->subject, &w);
	d->scope.source = name_source(r, &w);
}

/* Makes the draft's measure if its own sentence is understood completely. */
static void
make_measure(struct text_reading *r, struct proposal *p, struct formula_draft *d)
{
	struct condition_of of;
	bool limited = compares_literal(d->own) || (signals_find(d->expr, "case") != NULL && compares_literal(d->expr));
	struct span name, what, filter = d->own;
	struct buf conditions = { 0 };
	size_t own;
	const char *misfit;
	enum condition sense;
	struct err err;

	find_source(r, d);
	of = reading_source(r, d->scope.source.len > 0 ? d->scope.source : formula_source(d->expr));
	unit_read(of.source, d->expr, &of.unit);
	if (d->own.len > 0)
		put_condition(&conditions, d->own);
	own = conditions.len;
	if (d->fault != NULL || (d->fault = subject_fault(d->subject)) != NULL) {
		reading_refuse(r, p, d->fault);
		goto out;
	}
	if (!read_subject(r, p, &of, d->subject, limited, &name, &conditions))
		goto out;
	/* "Without test orders, net is ... and gross is ..." */
	if (!d->alone && conditions.len > own) {
		reading_refuse_words(r, p, d->subject);
		goto out;
	}
	sense = condition_part(&of, d->rest, &conditions, &what);
	if (sense == CONDITION_UNKNOWN || (sense == CONDITION_TAKEN && !d->alone)) {
		reading_refuse_words(r, p, sense == CONDITION_UNKNOWN ? what : span_trim(d->rest));
		goto out;
	}
	/* A measure's only condition keeps its original text. */
	if (d->own.len == 0 || conditions.len > own)
		filter = arena_span(r->a, buf_view(&conditions));
	if ((misfit = subject_misfit(&of, name_words(r, name), d->expr, filter, limited)) != NULL)
		reading_refuse(r, p, misfit);
	else if (measure_make(r->a, d->alias.len > 0 ? d->alias : arena_span(r->a, name), d->expr, filter, &d->scope,
		     &p->measure, &err) != 0)
		reading_refuse(r, p, err.message);
out:
	buf_fini(&conditions);
}

static void
propose_draft(struct text_reading *r, struct formula_draft *d, size_t at)
{
	struct proposal *p = add_proposal(r, PROPOSAL_MEASURE, at);

	if (p == NULL)
		return;
	p->subject = d->subject;
	p->formula = d->expr;
	make_measure(r, p, d);
}

/* Why a definition cannot be a measure, whatever its formula; NULL: no objection. */
static const char *
definition_fault(const struct definition *d)
{
	if (d->question)
		return SUBJECT_DOUBTS;
	if (d->footnote)
		return "its name points to a footnote";
	return d->words_before ? "there are words between the name and the formula that it may need" : NULL;
}

/* Whether no other sentence of the section has a formula: then the heading names the one at i. */
static bool
is_only_formula(const struct text_reading *r, size_t i)
{
	for (size_t k = 0; k < r->text.n; k++)
		if (k != i && r->text.v[k].kind != SENTENCE_HEADING &&
		    sentences_heading(&r->text, k) == sentences_heading(&r->text, i) &&
		    formula_aggregates(r->text.v[k].text))
			return false;
	return true;
}

/* One definition with a formula as a proposal. */
static void
propose_formula(struct text_reading *r, const struct definition *d, size_t at, bool alone)
{
	struct formula_draft draft = {
		.subject = d->subject, .expr = d->formula, .rest = d->rest, .alone = alone, .fault = definition_fault(d)
	};
	struct span *expr = &draft.expr;
	size_t where;

	/* "It is defined as ..." below the heading "Net revenue" */
	if (subject_is_pronoun(d->subject) && is_only_formula(r, at) && sentences_title(&r->text, at).len > 0)
		draft.subject = sentences_title(&r->text, at);
	while (expr->len > 0 && strchr(".; \r\n", expr->p[expr->len - 1]) != NULL)
		expr->len--;
	if ((where = formula_outer_word(*expr, "where")) < expr->len) {
		draft.own = span_trim(formula_from(*expr, where + 5));
		expr->len = where;
	}
	propose_draft(r, &draft, at);
}

/*
 * Proposes each aggregate of a statement.  d: the definition that the statement is the formula of; NULL: it stands
 * alone, and title names an aggregate without alias.  False: not such a statement.
 */
static bool
propose_statement(struct text_reading *r, struct span text, struct span title, const struct definition *d, size_t at)
{
	struct span item, list;
	struct statement s;
	size_t aggregates = 0;
	unsigned unnamed = 0;

	if (!statement_read(text, &s))
		return false;
	for (list = s.list; statement_item(&list, &item);)
		aggregates += formula_aggregates(item);
	for (list = s.list; statement_item(&list, &item);) {
		struct formula_draft draft = { .subject = title, .expr = item, .own = span_trim(s.filter),
			.scope = s.scope, .alone = aggregates == 1, .fault = s.fault };
		size_t as;

		if (!formula_aggregates(item))
			continue;
		if ((as = formula_outer_word(item, "as")) < item.len && as > 0) {
			draft.alias = span_trim(formula_from(item, as + 2));
			draft.expr.len = as;
			draft.subject = draft.alias;
		} else if (unnamed++ > 0)
			draft.subject = SPAN_NONE;
		if (d != NULL) {
			/* A single name cannot name several aggregates. */
			draft.subject = draft.alias.len > 0 || aggregates == 1 ? d->subject : SPAN_NONE;
			draft.rest = d->rest;
			if (draft.fault == NULL)
				draft.fault = definition_fault(d);
		}
		propose_draft(r, &draft, at);
	}
	return true;
}

/* Proposes a definition in words.  True: it defines a term, and does not restrict rows. */
static bool
propose_words(struct text_reading *r, const struct definition *d, size_t at)
{
	struct proposal *p = add_proposal(r, PROPOSAL_WORDS, at);
	struct wording w;

	if (p != NULL) {
		p->subject = d->subject;
		p->formula = d->meaning;
	}
	wording_split(d->subject, &w);
	/* Not: "Country = DE", "this means paid ones", "the scope is defined as Germany". */
	return !d->equals && w.n > 0 && !w.cut && subject_fault(d->subject) == NULL && !wording_has(&w, words_scopes);
}

/* A condition in a sentence with several definitions may belong to all of them: refuse them. */
static void
doubt_sentence(struct text_reading *r, size_t first, bool words)
{
	bool doubtful = words;

	for (size_t k = first; k < r->out->n; k++)
		doubtful = doubtful ||
		    (r->out->v[k].kind == PROPOSAL_MEASURE && r->out->v[k].refused.len > 0 &&
			r->out->v[k].refused.p[0] == '"');
	for (size_t k = first; doubtful && k < r->out->n; k++)
		if (r->out->v[k].kind == PROPOSAL_MEASURE && r->out->v[k].refused.len == 0)
			reading_refuse(r, &r->out->v[k],
			    "what is said of another one in its sentence may limit it, too");
}

/* A formula that only the heading above it names.  False: there is no such heading, or more is said. */
static bool
propose_under_heading(struct text_reading *r, size_t i, struct span before, struct span formula, struct span rest)
{
	struct formula_draft draft = { .subject = sentences_title(&r->text, i), .expr = formula, .rest = rest,
		.alone = true };

	if (draft.subject.len == 0 || subject_is_label(draft.subject) || !definition_is_filler(before) ||
	    formula_aggregates(rest) || !is_only_formula(r, i))
		return false;
	propose_draft(r, &draft, i);
	return true;
}

/* A formula without a name of its own. */
static void
propose_nameless(struct text_reading *r, size_t i, struct span title)
{
	struct span s = r->text.v[i].text;
	struct proposal *p;

	for (size_t at = 0; at < s.len; at++) {
		struct span code, rest;

		if (!definition_code(formula_from(s, at), &code, &rest))
			continue;
		at = (size_t)(rest.p - s.p) - 1;
		if (!formula_aggregates(code) || propose_statement(r, code, title, NULL, i) ||
		    propose_under_heading(r, i, span_of(s.p, (size_t)(code.p - 1 - s.p)), code, rest) ||
		    (p = add_proposal(r, PROPOSAL_MEASURE, i)) == NULL)
			continue;
		p->formula = code;
		refuse_nameless(r, p);
	}
}

/*
 * Proposes the definitions of a sentence; returns their number.  *telling: the sentence needs no further
 * interpretation.
 */
static size_t
propose_definitions(struct text_reading *r, size_t i, bool *telling)
{
	struct sentence *s = &r->text.v[i];
	const struct sentence *next = i + 1 < r->text.n ? s + 1 : NULL;
	struct definition d[DEFINITIONS_MAX];
	size_t n = definition_read(s->text, d), last = n, formulas = 0;

	*telling = true;
	/* The formula of the last definition may be the following block of code. */
	if (n > 0 && d[n - 1].formula.len == 0 && definition_is_filler(d[n - 1].meaning) && next != NULL &&
	    next->kind == SENTENCE_CODE) {
		r->text.v[i + 1].said = true;
		if (propose_statement(r, next->text, d[n - 1].subject, &d[n - 1], i))
			last--;
		else if (formula_aggregates(next->text))
			d[n - 1].formula = next->text;
		else
			r->text.v[i + 1].said = false;
	}
	for (size_t k = 0; k < last; k++) {
		formulas += d[k].formula.len > 0;
		if (d[k].formula.len == 0)
			*telling = propose_words(r, &d[k], i) && *telling;
		else if (signals_find(d[k].formula, "select") == NULL ||
		    !propose_statement(r, d[k].formula, d[k].subject, &d[k], i))
			propose_formula(r, &d[k], i, n == 1);
	}
	*telling = *telling || formulas > 0;
	return n;
}

static void
propose_sentence(struct text_reading *r, size_t i, struct span title)
{
	struct sentence *s = &r->text.v[i];
	size_t first = r->out->n, n;
	bool telling, words = false, formulas = false;

	/* In a statement, an equals sign compares and does not define. */
	if (span_begins_word(s->text, "select") && propose_statement(r, s->text, title, NULL, i)) {
		s->said = true;
		return;
	}
	n = propose_definitions(r, i, &telling);
	s->said = n > 0 && telling;
	for (size_t k = first; k < r->out->n; k++) {
		r->out->v[k].said = n == 1 ? s->text : SPAN_NONE;
		words = words || r->out->v[k].kind == PROPOSAL_WORDS;
		formulas = formulas || r->out->v[k].kind == PROPOSAL_MEASURE;
		/* "Correct is sum(orders.a)": a sentence without a valid subject may be about another formula. */
		if (r->out->v[k].subject.len == 0 || subject_fault(r->out->v[k].subject) != NULL)
			s->said = false;
	}
	if (n > 1)
		doubt_sentence(r, first, words && formulas);
	if (n == 0 && signals_find(s->text, "select") != NULL && propose_statement(r, s->text, title, NULL, i))
		s->said = true;
	else if (n == 0)
		propose_nameless(r, i, title);
}

/* Definitions in quotations are other authors'; definitions struck out are withdrawn. */
static void
refuse_quoted(struct text_reading *r, size_t i, size_t first)
{
	if (!r->text.v[i].quoted)
		return;
	r->text.v[i].said = false;
	for (size_t k = first; k < r->out->n; k++)
		if (r->out->v[k].kind == PROPOSAL_MEASURE && r->out->v[k].refused.len == 0)
			reading_refuse(r, &r->out->v[k], "it is quoted, struck out or commented out");
}

/* "| Net revenue | `sum(orders.net_ct)` | without test orders |" */
static void
propose_row(struct text_reading *r, size_t i)
{
	struct definition d = { .question = false };
	struct span rest = r->text.v[i].text, cell;
	struct buf around = { 0 };
	bool seen = false;

	while (rest.len > 0) {
		size_t n = 0, skip;

		while (n < rest.len && rest.p[n] != '|') {
			struct span code, after;

			skip = definition_code(formula_from(rest, n), &code, &after) ?
			    (size_t)(after.p - (rest.p + n)) :
			    1;
			n += skip;
		}
		cell = span_trim(span_of(rest.p, n));
		rest = n < rest.len ? formula_from(rest, n + 1) : SPAN_NONE;
		if (cell.len == 0)
			continue;
		if (d.subject.len == 0) {
			d.subject = subject_plain(cell);
			d.footnote = subject_has_footnote(cell);
			continue;
		}
		if (!seen) {
			d.meaning = cell;
			definition_find_formula(&d);
			seen = d.formula.len > 0;
			if (seen) {
				buf_span(&around, d.rest);
				continue;
			}
		}
		buf_str(&around, ", ");
		buf_span(&around, cell);
	}
	if (seen) {
		d.rest = arena_span(r->a, buf_view(&around));
		propose_formula(r, &d, i, true);
		r->text.v[i].said = true;
	}
	buf_fini(&around);
}

/* A block of code that no sentence claims as its formula. */
static void
propose_code(struct text_reading *r, size_t i, struct span title)
{
	struct sentence *s = &r->text.v[i];
	struct proposal *p;

	if ((s->said = propose_statement(r, s->text, title, NULL, i)) || !formula_aggregates(s->text) ||
	    (s->said = propose_under_heading(r, i, SPAN_NONE, s->text, SPAN_NONE)) ||
	    (p = add_proposal(r, PROPOSAL_MEASURE, i)) == NULL)
		return;
	p->formula = s->text;
	refuse_nameless(r, p);
}

void
propose(struct arena *a, const struct propose_text *text, propose_source *source, void *arg, struct proposals *out)
{
	struct text_reading r = { .a = a, .source = source, .arg = arg, .out = out };
	bool fragments = false;

	out->n = out->more = 0;
	out->prose = false;
	out->model = SPAN_NONE;
	/* The whole text is a model of another tool. */
	if (fragment_propose(a, text->content, out) || sentences_read(a, text->above, text->content, &r.text) != 0)
		return;
	for (size_t i = 0; i < r.text.n; i++) {
		struct sentence *s = &r.text.v[i];
		size_t first = out->n;

		switch (s->kind) {
		case SENTENCE_HEADING:
			break;
		case SENTENCE_CODE:
			if (s->said || (s->said = fragment_propose(a, s->text, out)))
				fragments = true;
			else
				propose_code(&r, i, text->title);
			break;
		case SENTENCE_ROW:
			propose_row(&r, i);
			break;
		default:
			out->prose = true;
			propose_sentence(&r, i, text->title);
			refuse_quoted(&r, i, first);
		}
	}
	out->prose = out->prose || !fragments;
	surroundings_weigh(&r);
}
