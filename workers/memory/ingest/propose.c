/* propose.c - see propose.h. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "workers/memory/ingest/condition.h"
#include "workers/memory/ingest/formula.h"
#include "workers/memory/ingest/propose.h"
#include "workers/memory/ingest/signals.h"

#define SENTENCES_MAX	4000
#define SUBJECT_MAX	120

enum sentence_kind { SENTENCE_PROSE, SENTENCE_HEADING, SENTENCE_ROW, SENTENCE_CODE };

struct sentence {
	enum sentence_kind	kind;
	struct span		text;
	unsigned		block;		/* a paragraph, an item of a list */
	bool			said;		/* a proposal has taken all of it */
};

struct reading {
	struct arena		*a;
	propose_source		*source;
	void			*arg;
	struct proposals	*out;
	size_t			 n;
	bool			 cut;
	struct sentence		*v;
};

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

static void
refuse(struct arena *a, struct proposal *p, const char *why)
{
	p->refused = arena_span(a, span_str(why));
	if (p->refused.len == 0)
		p->refused = SPAN("it cannot be read");
}

/* --- sentences -------------------------------------------------------------------------- */

static bool
begins(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && memcmp(s.p, with, n) == 0;
}

static void
note(struct reading *r, enum sentence_kind kind, struct span text, unsigned block)
{
	text = span_trim(text);
	if (text.len == 0)
		return;
	if (r->n == SENTENCES_MAX) {
		r->cut = true;
		return;
	}
	r->v[r->n++] = (struct sentence){ kind, text, block, false };
}

/* Whether the full stop at s.p[at] belongs to the word before it. */
static bool
is_abbreviated(struct span s, size_t at)
{
	static const char *const words[] = { "e.g", "i.e", "excl", "incl", "approx", "resp", "vs", "cf", "no", "nr", "ca", "z.b", "d.h", "bzw", "inkl",
		"exkl", "u.a", "usw", "p.ex", NULL };
	size_t start = at;

	while (start > 0 && !ascii_is_space(s.p[start - 1]) && strchr("(,", s.p[start - 1]) == NULL)
		start--;
	return at - start < 2 || span_is_any_word(span_of(s.p + start, at - start), words);
}

static void
note_sentences(struct reading *r, struct span s, unsigned block)
{
	size_t start = 0, n;

	for (size_t i = 0; i < s.len; i += n) {
		const uint8_t *end;

		n = 1;
		if (s.p[i] == '`' && i + 1 < s.len && (end = memchr(s.p + i + 1, '`', s.len - i - 1)) != NULL)
			n = (size_t)(end + 1 - (s.p + i));
		if (strchr(".!?", s.p[i]) == NULL || s.p[i] == '\0' || (i + 1 < s.len && !ascii_is_space(s.p[i + 1])) ||
		    (s.p[i] == '.' && is_abbreviated(s, i)))
			continue;
		note(r, SENTENCE_PROSE, span_of(s.p + start, i + 1 - start), block);
		start = i + 1;
	}
	note(r, SENTENCE_PROSE, formula_from(s, start), block);
}

static bool
is_item(struct span line)
{
	size_t digits = 0;

	if (line.len > 1 && strchr("-*+", line.p[0]) != NULL && line.p[1] == ' ')
		return true;
	while (digits < line.len && ascii_is_digit(line.p[digits]))
		digits++;
	return digits > 0 && digits + 1 < line.len && strchr(".)", line.p[digits]) != NULL && line.p[digits + 1] == ' ';
}

static struct span
without_bullet(struct span line)
{
	const uint8_t *blank = is_item(line) ? memchr(line.p, ' ', line.len) : NULL;

	return blank == NULL ? line : span_trim(formula_from(line, (size_t)(blank - line.p)));
}

static void
read_sentences(struct reading *r, struct span content)
{
	const uint8_t *code = NULL, *prose = NULL;
	struct span rest = content, line;
	unsigned block = 0;

	while (span_line(&rest, &line)) {
		const uint8_t *raw = line.p;
		struct span s = span_trim(line);
		bool fence = begins(s, "```") || begins(s, "~~~");

		if (fence && code == NULL) {
			if (prose != NULL)
				note_sentences(r, span_of(prose, (size_t)(raw - prose)), block++);
			prose = NULL;
			code = rest.len > 0 ? rest.p : content.p + content.len;
			continue;
		}
		if (code != NULL) {
			if (fence) {
				note(r, SENTENCE_CODE, span_of(code, (size_t)(raw - code)), block++);
				code = NULL;
			}
			continue;
		}
		if (prose != NULL && (s.len == 0 || s.p[0] == '#' || s.p[0] == '|' || is_item(s))) {
			note_sentences(r, span_of(prose, (size_t)(raw - prose)), block++);
			prose = NULL;
		}
		if (s.len == 0)
			continue;
		if (s.p[0] == '#') {
			while (s.len > 0 && s.p[0] == '#')
				s = formula_from(s, 1);
			note(r, SENTENCE_HEADING, s, block++);
		} else if (s.p[0] == '|')
			note(r, SENTENCE_ROW, s, block++);
		else if (prose == NULL)
			prose = without_bullet(s).p;
	}
	if (prose != NULL)
		note_sentences(r, span_of(prose, (size_t)(content.p + content.len - prose)), block);
	if (code != NULL)
		note(r, SENTENCE_CODE, span_of(code, (size_t)(content.p + content.len - code)), block);
}

/* --- measures --------------------------------------------------------------------------------- */

static struct condition_of
source_of(const struct reading *r, struct span name)
{
	return (struct condition_of){ .source = r->source != NULL && name.len > 0 ? r->source(r->arg, name) : NULL, .name = name };
}

/* The source that a formula's names say, before it is known to be one. */
static struct span
source_in(struct span formula)
{
	struct span owner, last;
	size_t n;

	for (size_t i = 0; i < formula.len; i += n) {
		n = 1;
		if (formula.p[i] == '\'' && (n = formula_quoted(formula_from(formula, i))) == 0)
			break;
		if (!formula_is_letter(formula.p[i]))
			continue;
		n = formula_dotted(formula_from(formula, i), &owner, &last);
		if (owner.len > 0)
			return owner;
	}
	return span_of(NULL, 0);
}

/* Where a word stands in s outside of brackets; s.len: it does not. */
static size_t
outer_word(struct span s, const char *word)
{
	size_t depth = 0, n, len = strlen(word);

	for (size_t i = 0; i < s.len; i += n) {
		n = 1;
		if (s.p[i] == '\'' && (n = formula_quoted(formula_from(s, i))) == 0)
			return s.len;
		depth += s.p[i] == '(';
		if (s.p[i] == ')' && depth > 0)
			depth--;
		if (!formula_is_letter(s.p[i]))
			continue;
		while (i + n < s.len && formula_is_name(s.p[i + n]))
			n++;
		if (depth == 0 && n == len && span_begins_word(formula_from(s, i), word))
			return i;
	}
	return s.len;
}

/* The proposal's measure: subject, expr and filter, as they stand in the text. */
static void
make(struct reading *r, struct proposal *p, struct span subject, struct span expr, struct span filter,
    struct formula_scope *scope)
{
	struct err err;

	p->subject = subject;
	p->formula = expr;
	if (measure_make(r->a, subject, expr, filter, scope, &p->measure, &err) != 0)
		refuse(r->a, p, err.message);
}

/* --- a statement: "select sum(net_ct) as net_revenue from orders where not is_test" -------------- */

/* "orders o" or "main.orders as o". */
static bool
read_table(struct span s, struct formula_scope *scope)
{
	struct span owner;
	size_t n;

	s = span_trim(s);
	if (s.len == 0 || !formula_is_letter(s.p[0]))
		return false;
	n = formula_dotted(s, &owner, &scope->source);
	s = span_trim(formula_from(s, n));
	if (s.len > 3 && span_begins_word(s, "as "))
		s = span_trim(formula_from(s, 3));
	scope->alias = s;
	for (size_t i = 0; i < s.len; i++)
		if (!formula_is_name(s.p[i]))
			return false;
	return true;
}

/* The next item of a select list; false: there is none. */
static bool
next_item(struct span *list, struct span *item)
{
	size_t depth = 0, i;

	if (list->len == 0)
		return false;
	for (i = 0; i < list->len && (depth > 0 || list->p[i] != ','); i++) {
		depth += list->p[i] == '(';
		depth -= list->p[i] == ')' && depth > 0;
	}
	*item = span_trim(span_of(list->p, i));
	*list = i < list->len ? formula_from(*list, i + 1) : span_of(NULL, 0);
	return true;
}

struct statement {
	struct span		list, filter;
	struct formula_scope	scope;
	const char		*fault;		/* NULL: none */
};

/* False: text is no statement that aggregates. */
static bool
read_statement(struct span text, struct statement *s)
{
	static const char *const ends[] = { "group", "order", "limit", "having", "window", "fetch", "offset", "union", "intersect", "except", NULL };
	const uint8_t *select = signals_find(text, "select"), *semicolon;
	struct span rest, tables;
	size_t stop, end, at;

	*s = (struct statement){ .fault = NULL };
	if (select == NULL)
		return false;
	rest = formula_from(text, (size_t)(select + 6 - text.p));
	stop = outer_word(rest, "from");
	if (stop == rest.len || !formula_aggregates(s->list = span_of(rest.p, stop)))
		return false;
	rest = formula_from(rest, stop + 4);
	if ((semicolon = memchr(rest.p, ';', rest.len)) != NULL) {
		if (signals_find(span_of(semicolon, (size_t)(rest.p + rest.len - semicolon)), "select") != NULL)
			s->fault = "it is one of several statements; hand them in one by one";
		rest.len = (size_t)(semicolon - rest.p);
	}
	if (memmem(text.p, text.len, "--", 2) != NULL || memmem(text.p, text.len, "/*", 2) != NULL)
		s->fault = "its statement holds a comment, which may say more";
	else if (outer_word(rest, "having") < rest.len)
		s->fault = "its statement has a having clause";
	else if (outer_word(rest, "union") < rest.len || outer_word(rest, "intersect") < rest.len || outer_word(rest, "except") < rest.len)
		s->fault = "its statement is made of several";
	else if (signals_find(span_of(text.p, (size_t)(select - text.p)), "with") != NULL || signals_find(rest, "select") != NULL)
		s->fault = "its statement has a query within it";
	end = rest.len;
	for (const char *const *e = ends; *e != NULL; e++)
		if ((at = outer_word(rest, *e)) < end)
			end = at;
	rest.len = end;
	tables = span_of(rest.p, outer_word(rest, "where"));
	if (tables.len < rest.len)
		s->filter = formula_from(rest, tables.len + 5);
	if (s->fault == NULL && (signals_find(tables, "join") != NULL || !read_table(tables, &s->scope)))
		s->fault = "its statement reads more than one table";
	return true;
}

/* Each aggregate of a statement is a proposal.  False: it is no such statement. */
static bool
propose_statement(struct reading *r, struct span text, struct span title)
{
	struct span item, list;
	struct statement s;
	unsigned unnamed = 0;

	if (!read_statement(text, &s))
		return false;
	for (list = s.list; next_item(&list, &item); ) {
		struct formula_scope scope = s.scope;
		struct span name = title;
		struct proposal *p;
		size_t as;

		if (!formula_aggregates(item) || (p = propose_add(r->out, PROPOSAL_MEASURE)) == NULL)
			continue;
		if ((as = outer_word(item, "as")) < item.len && as > 0) {
			name = span_trim(formula_from(item, as + 2));
			item.len = as;
		} else if (unnamed++ > 0)
			name = span_of(NULL, 0);
		make(r, p, name, item, s.filter, &scope);
		if (s.fault != NULL)
			refuse(r->a, p, s.fault);
	}
	return true;
}

/* --- a definition: "Net revenue is defined as `sum(orders.net_ct) / 100.0`, in euros" ----------- */

/* What is defined, what of the text around it says which rows count. */
struct definition {
	struct span	subject, meaning;	/* meaning: up to the next definition */
	struct span	formula, rest;		/* formula empty: it has none; rest: what follows it */
	bool		words_before;		/* words that say more than "the formula" stand before it */
	bool		question;		/* its sentence asks */
};

/* The text between backticks at the start of s. */
static bool
read_code(struct span s, struct span *code, struct span *rest)
{
	const uint8_t *end = s.len > 1 && s.p[0] == '`' ? memchr(s.p + 1, '`', s.len - 1) : NULL;

	if (end == NULL)
		return false;
	*code = span_trim(span_of(s.p + 1, (size_t)(end - s.p - 1)));
	*rest = formula_from(s, (size_t)(end + 1 - s.p));
	return true;
}

/* Words that may stand before a formula and say nothing. */
static bool
is_filler(struct span words)
{
	static const char *const filler[] = { "the", "formula", "expression", "sql", "following", "follows", "as", "value", "of", "result", "is", "equal", "to",
		"by", "a", "folgt", "wie", "die", "formel", "der", "ausdruck", "le", "la", "el", "simply", "just", NULL };
	struct span rest = words;

	while (rest.len > 0) {
		size_t n = 0;

		while (rest.len > 0 && strchr(" \t\n:*_\"(=", rest.p[0]) != NULL)
			rest = formula_from(rest, 1);
		while (n < rest.len && strchr(" \t\n:*_\"(=", rest.p[n]) == NULL)
			n++;
		if (n > 0 && !span_is_any_word(span_of(rest.p, n), filler))
			return false;
		rest = formula_from(rest, n);
	}
	return true;
}

/* The formula of a meaning, in backticks or plain. */
static void
find_formula(struct definition *d)
{
	struct span s = d->meaning, code, rest;
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		struct span here = formula_from(s, i);

		n = 1;
		if (read_code(here, &code, &rest)) {
			n = here.len - rest.len;
			if (!formula_aggregates(code))
				continue;
			d->formula = code;
			d->rest = rest;
		} else if ((i == 0 || !formula_is_name(s.p[i - 1])) && !ascii_is_space(here.p[0]) && here.p[0] != '+' && here.p[0] != '-' &&
		    (n = formula_length(here)) > 0 && formula_aggregates(span_of(here.p, n))) {
			d->formula = span_of(here.p, n);
			d->rest = formula_from(here, n);
		} else {
			n = formula_is_letter(here.p[0]) && n > 0 ? n : 1;
			continue;
		}
		/* "sum(x)*" points to a footnote, unless the formula itself is emphasised. */
		d->words_before = !is_filler(span_of(s.p, i)) || (d->rest.len > 0 && d->rest.p[0] == '*' &&
		    !(d->rest.len > 1 && d->rest.p[1] == '*') && (i == 0 || s.p[i - 1] != '*'));
		return;
	}
	/* One that does not even end. */
	if (formula_aggregates(s))
		d->formula = s;
}

/* Without the marks of markdown and the words that only ask for it to be kept. */
static struct span
plain(struct span s)
{
	static const char *const openings[] = { "remember that", "please remember that", "please remember", "remember", "note that", "note", "merke",
		"for the record", "by convention", "definition", NULL };

	for (;;) {
		size_t before = s.len;

		while (s.len > 0 && (strchr(" \t\r\n*_`#>-:\"'.,;=", s.p[0]) != NULL && s.p[0] != '\0'))
			s = formula_from(s, 1);
		while (s.len > 0 && strchr(" \t\r\n*_`:\"'=,;.", s.p[s.len - 1]) != NULL && s.p[s.len - 1] != '\0')
			s.len--;
		for (const char *const *o = openings; *o != NULL; o++)
			if (span_begins_word(s, *o) && s.len > strlen(*o) && strchr(" :,", s.p[strlen(*o)]) != NULL) {
				s = formula_from(s, strlen(*o));
				break;
			}
		if (s.len == before)
			return s;
	}
}

/* Where the subject of the definition at `at` begins in s: behind the last formula and what joins the two. */
static size_t
subject_start(struct span s, size_t from, size_t at)
{
	static const char *const joins[] = { "and", "und", "while", "whereas", "et", NULL };
	size_t start = from, n;

	for (size_t i = from; from > 0 && i < at; i += n) {
		n = 1;
		if (s.p[i] == '`') {
			struct span code, rest;

			n = read_code(formula_from(s, i), &code, &rest) ? (size_t)(rest.p - (s.p + i)) : 1;
			start = i + n;
		} else if (strchr(",;", s.p[i]) != NULL)
			start = i + 1;
		else if (ascii_is_alnum(s.p[i]) || s.p[i] >= 0x80) {
			while (i + n < at && (ascii_is_alnum(s.p[i + n]) || s.p[i + n] >= 0x80 || s.p[i + n] == '_'))
				n++;
			if (span_is_any_word(span_of(s.p + i, n), joins))
				start = i + n;
		}
	}
	return start < at ? start : from;
}

/* Whether s begins with a formula that aggregates, in backticks or plain. */
static bool
begins_formula(struct span s)
{
	struct span code, rest;

	s = span_trim(s);
	return (read_code(s, &code, &rest) && formula_aggregates(code)) ||
	    (s.len > 0 && formula_is_letter(s.p[0]) && formula_aggregates(span_of(s.p, formula_length(s))));
}

/* "Net revenue: `sum(…)`" and "net revenue is `sum(…)`", which no phrase tells. */
static bool
short_definition(struct span s, size_t *at, size_t *width)
{
	struct span code, rest;

	for (size_t i = 1; i < s.len; i++) {
		size_t n = s.p[i] == ':' ? 1 : s.len - i > 4 && memcmp(s.p + i, " is ", 4) == 0 ? 4 : 0, skip;

		if (s.p[i] == '`' && read_code(formula_from(s, i), &code, &rest))
			i = (size_t)(rest.p - s.p) - 1;
		if (n == 0 || s.p[i] == '`')
			continue;
		for (skip = i + n; skip < s.len && strchr(" *_", s.p[skip]) != NULL; skip++)
			;
		if (begins_formula(formula_from(s, skip))) {
			*at = i;
			*width = n;
			return true;
		}
	}
	return false;
}

/* A phrase that defines, but not within code; behind the first an equals sign only compares, unless a formula follows. */
static bool
next_definition(struct span s, size_t from, size_t *at, size_t *width)
{
	size_t first = from;

	while (signals_next_definition(s, from, at, width)) {
		size_t ticks = 0;

		for (size_t i = 0; i < *at; i++)
			ticks += s.p[i] == '`';
		if (ticks % 2 == 0 && (first == 0 || s.p[*at] != '=' || begins_formula(formula_from(s, *at + 1))))
			return true;
		from = *at + *width;
	}
	return false;
}

#define DEFINITIONS_MAX	16

/* The definitions of a sentence, in order; how many. */
static size_t
read_definitions(struct span s, struct definition out[DEFINITIONS_MAX])
{
	size_t at[DEFINITIONS_MAX], width[DEFINITIONS_MAX], start[DEFINITIONS_MAX + 1], n = 0, from = 0;

	while (n < DEFINITIONS_MAX && next_definition(s, from, &at[n], &width[n])) {
		from = at[n] + width[n];
		n++;
	}
	if (n == 0 && short_definition(s, &at[0], &width[0]))
		n = 1;
	for (size_t i = 0; i < n; i++)
		start[i] = subject_start(s, i == 0 ? 0 : at[i - 1] + width[i - 1], at[i]);
	start[n] = s.len;
	for (size_t i = 0; i < n; i++) {
		size_t m = at[i] + width[i];

		out[i] = (struct definition){ .subject = plain(span_of(s.p + start[i], at[i] - start[i])),
			.meaning = span_trim(span_of(s.p + m, start[i + 1] > m ? start[i + 1] - m : 0)) };
		out[i].question = s.p[s.len - 1] == '?';
		find_formula(&out[i]);
	}
	return n;
}

/* --- what stands around a formula ------------------------------------------------------------- */

static void
refuse_words(struct reading *r, struct proposal *p, struct span words)
{
	p->refused = span_str(arena_printf(r->a, "\"%.*s%s\" may limit it and is not understood; write the condition into the formula, as in "
	    "sum(x.y) where z = 1", (int)(words.len < 120 ? words.len : 120), (const char *)words.p, words.len > 120 ? "..." : ""));
}

/* How many bytes at s.p[at] part the pieces of a subject; 0: none. */
static size_t
parting(struct span s, size_t at)
{
	if (strchr(",():;", s.p[at]) != NULL && s.p[at] != '\0')
		return 1;
	if (at > 0 && s.p[at] == '-' && s.p[at - 1] == ' ' && at + 1 < s.len && s.p[at + 1] == ' ')
		return 1;
	return s.len - at >= 3 && s.p[at] == 0xe2 && s.p[at + 1] == 0x80 && (s.p[at + 2] == 0x93 || s.p[at + 2] == 0x94) ? 3 : 0;
}

/* "Metric", "our key figures": what announces a name and is none. */
static bool
is_label(struct span words)
{
	static const char *const labels[] = { "the", "our", "a", "new", "key", "important", "business", "main", "metric", "metrics", "kpi", "kpis", "measure",
		"measures", "definition", "definitions", "formula", "formulas", "figure", "figures", "rule", "rules", "fact", "facts", "following",
		"unsere", "die", "wichtige", "neue", "kennzahl", "kennzahlen", "definitionen", "formel", NULL };

	while (words.len > 0) {
		size_t n = 0;

		while (n < words.len && !ascii_is_space(words.p[n]))
			n++;
		if (!span_is_any_word(span_of(words.p, n), labels))
			return false;
		words = span_trim(formula_from(words, n));
	}
	return true;
}

/* Which of the subject's pieces, between commas, colons and brackets, is the name; the rest has to say which rows count. */
static bool
read_subject(struct reading *r, struct proposal *p, struct condition_of *of, struct span subject, bool limited,
    struct span *name, struct buf *filter)
{
	struct span rest = subject, what = subject;
	size_t names = 0, n;

	*name = span_of(NULL, 0);
	while (rest.len > 0) {
		struct span piece;

		for (n = 0; n < rest.len && parting(rest, n) == 0; n++)
			;
		piece = plain(span_of(rest.p, n));
		rest = n < rest.len ? formula_from(rest, n + parting(rest, n)) : span_of(NULL, 0);
		if (piece.len == 0 || (span_trim(rest).len > 0 && is_label(piece)))
			continue;
		if (condition_part(of, piece, filter, &what) != CONDITION_UNKNOWN)
			continue;
		if (names++ > 0 || (condition_starts(piece) == 0 && !limited)) {
			refuse_words(r, p, subject);
			return false;
		}
		*name = of->subject = piece;
	}
	if (name->len == 0) {
		refuse(r->a, p, "it has no name of its own; say \"X is defined as ...\"");
		return false;
	}
	n = condition_starts(*name);
	if (n < name->len && !limited && condition_part(of, formula_from(*name, n), filter, &what) == CONDITION_UNKNOWN) {
		refuse_words(r, p, subject);
		return false;
	}
	return true;
}

/* Whether the formula holds a number, and if not, whether it adds up cents. */
static void
read_scale(struct condition_of *of, struct span formula)
{
	static const char *const cents[] = { "ct", "cts", "cent", "cents", NULL };
	bool counts = false;
	size_t n;

	of->unscaled = true;
	for (size_t i = 0; i < formula.len; i += n) {
		struct span owner, last;
		const uint8_t *cut;

		n = 1;
		of->unscaled = of->unscaled && !ascii_is_digit(formula.p[i]);
		if (!formula_is_letter(formula.p[i]))
			continue;
		n = formula_dotted(formula_from(formula, i), &owner, &last);
		cut = memrchr(last.p, '_', last.len);
		counts = counts || span_is_any_word(cut == NULL ? last : formula_from(last, (size_t)(cut + 1 - last.p)), cents);
		for (size_t k = 0; of->source != NULL && k < of->source->ncolumns; k++)
			counts = counts || (span_is_str(last, of->source->columns[k].name) &&
			    signals_find(of->source->columns[k].description, "cents") != NULL);
	}
	of->cents = of->unscaled && counts;
}

/* One definition with a formula as a proposal. */
static void
propose_formula(struct reading *r, const struct definition *d, bool alone)
{
	struct proposal *p = propose_add(r->out, PROPOSAL_MEASURE);
	struct formula_scope scope = { { NULL, 0 }, { NULL, 0 } };
	struct condition_of of = source_of(r, source_in(d->formula));
	struct span expr = d->formula, own = { NULL, 0 }, name, what;
	struct buf filter = { 0 };
	enum condition sense;
	size_t where;

	if (p == NULL)
		return;
	p->subject = d->subject;
	while (expr.len > 0 && strchr(".; \r\n", expr.p[expr.len - 1]) != NULL)
		expr.len--;
	p->formula = expr;
	if ((where = outer_word(expr, "where")) < expr.len) {
		own = span_trim(formula_from(expr, where + 5));
		expr.len = where;
		buf_str(&filter, signals_find(own, "or") != NULL ? "(" : "");
		buf_span(&filter, own);
		buf_str(&filter, signals_find(own, "or") != NULL ? ")" : "");
	}
	if (d->question || condition_doubts(d->subject)) {
		refuse(r->a, p, "its sentence asks, doubts or looks back; say \"X is defined as ...\"");
		goto out;
	}
	if (condition_divides(d->subject) && memchr(expr.p, '/', expr.len) == NULL && signals_find(expr, "avg") == NULL) {
		refuse(r->a, p, "its name says an average or a quotient, and the formula holds none");
		goto out;
	}
	if (d->words_before) {
		p->refused = span_str(arena_printf(r->a, "there are words between the name and the formula that it may need"));
		goto out;
	}
	read_scale(&of, expr);
	if (!read_subject(r, p, &of, d->subject, own.len > 0, &name, &filter))
		goto out;
	sense = condition_part(&of, d->rest, &filter, &what);
	if (sense == CONDITION_UNKNOWN || (sense == CONDITION_TAKEN && !alone))
		refuse_words(r, p, sense == CONDITION_UNKNOWN ? what : span_trim(d->rest));
	else
		make(r, p, arena_span(r->a, name), expr, own.len > 0 && filter.len == own.len ? own : arena_span(r->a, buf_view(&filter)),
		    &scope);
out:
	p->subject = d->subject;
	buf_fini(&filter);
}

static void
propose_sentence(struct reading *r, size_t i, struct span title)
{
	struct sentence *s = &r->v[i];
	struct definition d[DEFINITIONS_MAX];
	size_t n, first = r->out->n;
	bool doubtful = false;
	struct proposal *p;

	/* A statement compares with what otherwise defines. */
	if (span_begins_word(s->text, "select") && propose_statement(r, s->text, title)) {
		s->said = true;
		return;
	}
	n = read_definitions(s->text, d);

	/* The formula may be the block of code that follows. */
	if (n > 0 && d[n - 1].formula.len == 0 && is_filler(d[n - 1].meaning) && i + 1 < r->n && r->v[i + 1].kind == SENTENCE_CODE) {
		struct span code = r->v[i + 1].text;

		r->v[i + 1].said = true;
		if (propose_statement(r, code, d[n - 1].subject))
			n--;
		else if (formula_aggregates(code))
			d[n - 1].formula = code;
	}
	for (size_t k = 0; k < n; k++) {
		if (d[k].formula.len > 0 && signals_find(d[k].formula, "select") != NULL &&
		    propose_statement(r, d[k].formula, d[k].subject)) {
			struct span rest = d[k].rest, what;
			struct buf none = { 0 };
			struct condition_of of = source_of(r, span_of(NULL, 0));

			if (condition_part(&of, rest, &none, &what) != CONDITION_NONE)
				refuse_words(r, &r->out->v[r->out->n - 1], span_trim(rest));
			buf_fini(&none);
		} else if (d[k].formula.len > 0)
			propose_formula(r, &d[k], n == 1);
		else if ((p = propose_add(r->out, PROPOSAL_WORDS)) != NULL) {
			p->subject = d[k].subject;
			p->formula = d[k].meaning;
		}
	}
	s->said = n > 0;
	for (size_t k = first; k < r->out->n; k++)
		r->out->v[k].said = n == 1 ? s->text : span_of(NULL, 0);
	/* Of several in one sentence a condition may belong to all. */
	for (size_t k = first; n > 1 && k < r->out->n; k++)
		doubtful = doubtful || (r->out->v[k].kind == PROPOSAL_MEASURE && r->out->v[k].refused.len > 0 &&
		    begins(r->out->v[k].refused, "\""));
	for (size_t k = first; doubtful && k < r->out->n; k++)
		if (r->out->v[k].kind == PROPOSAL_MEASURE && r->out->v[k].refused.len == 0)
			refuse(r->a, &r->out->v[k], "what is said of another one in its sentence may limit it, too");
	if (n > 0)
		return;
	if (signals_find(s->text, "select") != NULL && propose_statement(r, s->text, title)) {
		s->said = true;
		return;
	}
	/* A formula that nothing names. */
	for (size_t at = 0; at < s->text.len; at++) {
		struct span code, rest;

		if (!read_code(formula_from(s->text, at), &code, &rest))
			continue;
		at = (size_t)(rest.p - s->text.p) - 1;
		if (!formula_aggregates(code) || propose_statement(r, code, title) || (p = propose_add(r->out, PROPOSAL_MEASURE)) == NULL)
			continue;
		p->formula = code;
		refuse(r->a, p, "it has no name of its own; say \"X is defined as ...\"");
	}
}

/* "| Net revenue | `sum(orders.net_ct)` | without test orders |" */
static void
propose_row(struct reading *r, size_t i)
{
	struct definition d = { .question = false };
	struct span rest = r->v[i].text, cell;
	struct buf around = { 0 };
	bool seen = false;

	while (rest.len > 0) {
		size_t n = 0, skip;

		while (n < rest.len && rest.p[n] != '|') {
			struct span code, after;

			skip = read_code(formula_from(rest, n), &code, &after) ? (size_t)(after.p - (rest.p + n)) : 1;
			n += skip;
		}
		cell = span_trim(span_of(rest.p, n));
		rest = n < rest.len ? formula_from(rest, n + 1) : span_of(NULL, 0);
		if (cell.len == 0)
			continue;
		if (d.subject.len == 0) {
			d.subject = plain(cell);
			continue;
		}
		if (!seen) {
			d.meaning = cell;
			find_formula(&d);
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
		propose_formula(r, &d, true);
		r->v[i].said = true;
	}
	buf_fini(&around);
}

/* --- the rest of the text ----------------------------------------------------------------------- */

static bool
is_open(const struct proposal *p)
{
	return p->kind == PROPOSAL_MEASURE && !p->fragment && p->refused.len == 0;
}

/* Whether two subjects share a word that is not what both are kinds of. */
static bool
rests_on(struct span subject, struct span other)
{
	struct span a = subject, wa;

	while (a.len > 0) {
		struct span b = other, wb;
		size_t n = 0;

		while (n < a.len && !ascii_is_space(a.p[n]))
			n++;
		wa = span_of(a.p, n);
		a = span_trim(formula_from(a, n));
		if (wa.len > 4 && wa.p[wa.len - 1] == 's')
			wa.len--;
		while (wa.len > 3 && b.len > 0) {
			n = 0;
			while (n < b.len && !ascii_is_space(b.p[n]))
				n++;
			wb = span_of(b.p, n);
			b = span_trim(formula_from(b, n));
			if (wb.len > 4 && wb.p[wb.len - 1] == 's')
				wb.len--;
			if (span_is_folded(wa, wb) && !(a.len == 0 && b.len == 0))
				return true;
		}
	}
	return false;
}

/* What stands over several: a heading, "These are our measures for Germany:". */
static bool
is_over(const struct reading *r, const struct sentence *s)
{
	const struct sentence *next = s + 1 < r->v + r->n ? s + 1 : NULL;

	return s->kind == SENTENCE_HEADING || s->text.p[s->text.len - 1] == ':' ||
	    (s->kind == SENTENCE_PROSE && next != NULL && (next->kind == SENTENCE_ROW || next->kind == SENTENCE_CODE) &&
	    strchr(".!?", s->text.p[s->text.len - 1]) == NULL);
}

/* A sentence that no proposal has taken, against one of them. */
static void
weigh(struct reading *r, struct proposal *p, const struct sentence *s, bool single, bool near)
{
	struct condition_of of = source_of(r, p->measure.source);
	struct buf filter = { 0 };
	struct measure m;
	struct err err;

	of.name = p->measure.source;
	if (!condition_suspected(s->text) && !(near && (condition_mentions(&of, s->text) || condition_takes_away(s->text))) &&
	    !(is_over(r, s) && condition_starts(s->text) < s->text.len))
		return;
	buf_span(&filter, p->measure.filter);
	if (filter.len > 0 && signals_find(p->measure.filter, "or") != NULL) {
		buf_reset(&filter, SIZE_MAX);
		buf_printf(&filter, "(%.*s)", SPAN_FMT(p->measure.filter));
	}
	switch (single ? condition_sentence(&of, s->text, &filter) : CONDITION_UNKNOWN) {
	case CONDITION_NONE:
		break;
	case CONDITION_TAKEN: {
		struct formula_scope scope = { p->measure.source, { NULL, 0 } };

		if (measure_make(r->a, p->subject, p->measure.expr, arena_span(r->a, buf_view(&filter)), &scope, &m, &err) == 0) {
			m.name = p->measure.name;
			p->measure = m;
			break;
		}
		refuse(r->a, p, err.message);
		break;
	}
	default:
		refuse_words(r, p, s->text);
	}
	buf_fini(&filter);
}

static bool
defines_beside(const struct sentence *s, const struct sentence *beside)
{
	return beside->said && (beside->block == s->block || beside->kind == SENTENCE_CODE);
}

/* Whether a sentence stands next to what defines, in its paragraph or beside its block of code. */
static bool
is_near(const struct reading *r, size_t i)
{
	const struct sentence *s = &r->v[i];

	return s->kind == SENTENCE_PROSE && ((i > 0 && defines_beside(s, s - 1)) || (i + 1 < r->n && defines_beside(s, s + 1)));
}

static void
weigh_all(struct reading *r)
{
	size_t open = 0;

	for (size_t k = 0; k < r->out->n; k++)
		open += is_open(&r->out->v[k]);
	for (size_t k = 0; k < r->out->n; k++) {
		struct proposal *p = &r->out->v[k];

		for (size_t i = 0; is_open(p) && i < r->n; i++) {
			if (r->v[i].said || r->v[i].kind == SENTENCE_CODE)
				continue;
			weigh(r, p, &r->v[i], open == 1, is_near(r, i));
		}
		/* What another definition in words says of the same, or of what this one is named after. */
		for (size_t i = 0; is_open(p) && i < r->out->n; i++) {
			const struct proposal *w = &r->out->v[i];

			if (w->kind != PROPOSAL_WORDS)
				continue;
			if (span_is_folded(w->subject, p->subject) ? condition_suspected(w->formula) : rests_on(p->subject, w->subject))
				p->refused = span_str(arena_printf(r->a, "the text also says what \"%.*s\" is, which the formula does not hold",
				    SPAN_FMT(w->subject)));
		}
		if (is_open(p) && r->cut)
			refuse(r->a, p, "the text is too long to tell what limits it; hand it in on its own");
	}
}

void
propose(struct arena *a, struct span content, struct span title, propose_source *source, void *arg, struct proposals *out)
{
	struct reading r = { .a = a, .source = source, .arg = arg, .out = out };
	bool fragments = false;

	out->n = out->more = 0;
	out->prose = false;
	out->model = span_of(NULL, 0);
	/* A text that is nothing but a model. */
	if (fragment_propose(a, content, out))
		return;
	if ((r.v = arena_array(a, SENTENCES_MAX, sizeof(*r.v))) == NULL)
		return;
	read_sentences(&r, content);
	for (size_t i = 0; i < r.n; i++) {
		struct sentence *s = &r.v[i];

		switch (s->kind) {
		case SENTENCE_HEADING:
			break;
		case SENTENCE_CODE:
			if (s->said || (s->said = fragment_propose(a, s->text, out))) {
				fragments = true;
				break;
			}
			s->said = propose_statement(&r, s->text, title);
			if (!s->said && formula_aggregates(s->text)) {
				struct proposal *p = propose_add(out, PROPOSAL_MEASURE);

				if (p != NULL) {
					p->formula = s->text;
					refuse(a, p, "it has no name of its own; say \"X is defined as ...\"");
				}
			}
			break;
		case SENTENCE_ROW:
			propose_row(&r, i);
			break;
		default:
			out->prose = true;
			propose_sentence(&r, i, title);
		}
	}
	out->prose = out->prose || !fragments;
	weigh_all(&r);
}
