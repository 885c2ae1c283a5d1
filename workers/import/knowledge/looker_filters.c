/* looker_filters.c - see looker_filters.h; the grammar is that of Looker's documentation on filter expressions. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/date.h"
#include "workers/import/knowledge/looker_filters.h"

#define UNCLEAR		"has a form that is not known here"
#define TERMS_MAX	200	/* of an expression */

/* The condition: any of what is wanted, and none of what is not. */
struct condition {
	struct span	x;
	struct buf	wanted, unwanted;
	unsigned	months;		/* of the periods that x is compared by; 0: any day may be named */
};

static struct span
rest_from(struct span s, size_t n)
{
	return span_of(s.p + n, s.len - n);
}

static struct span
skip_blank(struct span s)
{
	while (s.len > 0 && ascii_is_space(s.p[0]))
		s = rest_from(s, 1);
	return s;
}

/* Take the word, in any case, if it ends there. */
static bool
take_word(struct span *s, const char *word)
{
	size_t n = strlen(word);

	if (!span_begins_word(*s, word) || (s->len > n && (ascii_is_alnum(s->p[n]) || s->p[n] == '_')))
		return false;
	*s = skip_blank(rest_from(*s, n));
	return true;
}

static bool
take_text(struct span *s, const char *text)
{
	if (!span_begins(*s, text))
		return false;
	*s = skip_blank(rest_from(*s, strlen(text)));
	return true;
}

static void
put_text(struct buf *out, struct span text)
{
	buf_quoted(out, text, '\'');
}

/* Adds a term that is wanted, or one that is not: then a row without a value meets it. */
static void
add_term(struct condition *c, bool wanted, bool null, struct span term)
{
	struct buf *out = wanted ? &c->wanted : &c->unwanted;

	buf_str(out, out->len == 0 ? "" : wanted ? " or " : " and ");
	if (wanted)
		buf_span(out, term);
	else if (null)
		buf_printf(out, "not (%.*s)", SPAN_FMT(term));
	else
		buf_printf(out, "(%.*s is null or not (%.*s))", SPAN_FMT(c->x), SPAN_FMT(term));
}

/* A piece of a pattern between two "%": letters, of which those that are any letter are marked. */
struct pattern_piece {
	uint8_t	letters[256], any[256];	/* bytes of UTF-8 */
	size_t	n;
};

struct pattern {
	struct pattern_piece	pieces[3];
	size_t			n;	/* one more than there are "%" */
};

static bool
has_any(const struct pattern_piece *p)
{
	return memchr(p->any, 1, p->n) != NULL;
}

/* Characters in the first n bytes. */
static size_t
count_letters(const struct pattern_piece *p, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (p->letters[i] & 0xc0) != 0x80;
	return count;
}

/* Take one term up to a comma; false: it is one that is not read here. */
static bool
take_pattern(struct span *s, struct pattern *out)
{
	bool quoted = s->len > 0 && s->p[0] == '"', any;
	size_t i = quoted, end;
	struct pattern_piece *p = out->pieces;

	*out = (struct pattern){ .n = 1 };
	for (; i < s->len && s->p[i] != (quoted ? '"' : ','); i++) {
		uint8_t c = s->p[i];

		if (c == '\\' || c == '{' || (c == '"' && !quoted))
			return false;
		if (c == '%' && !quoted) {
			if (out->n == 3)
				return false;
			p = &out->pieces[out->n++];
			continue;
		}
		any = c == '_' && !quoted;
		if (c == '^' && !quoted && ++i < s->len)
			c = s->p[i];
		if (p->n == sizeof(p->letters) || i == s->len)
			return false;
		p->letters[p->n] = c;
		p->any[p->n++] = any;
	}
	if (quoted && i++ == s->len)
		return false;
	end = i;
	*s = skip_blank(rest_from(*s, end));
	/* Blanks at the end belong to the text only in quotes. */
	while (!quoted && p->n > 0 && ascii_is_space(p->letters[p->n - 1]))
		p->n--;
	return s->len == 0 || s->p[0] == ',';
}

/* x is long enough, and has each run of letters of the piece where it stands, from the beginning or the end. */
static void
put_runs(struct buf *out, struct span x, const struct pattern_piece *p, bool last, const char *between)
{
	for (size_t i = 0, n; i<p->n; i += n> 0 ? n : 1) {
		size_t at = count_letters(p, i), behind = count_letters(p, p->n) - at;

		for (n = 0; i + n < p->n && !p->any[i + n]; n++)
			;
		if (n == 0)
			continue;
		buf_str(out, between);
		between = " and ";
		if (last)
			buf_printf(out, "substr(%.*s, length(%.*s) - %zu, ", SPAN_FMT(x), SPAN_FMT(x), behind - 1);
		else
			buf_printf(out, "substr(%.*s, %zu, ", SPAN_FMT(x), at + 1);
		buf_printf(out, "%zu) = ", count_letters(p, i + n) - at);
		put_text(out, span_of(p->letters + i, n));
	}
}

/* The condition of a pattern; false: it is one of several parts. */
static bool
put_pattern(struct buf *out, struct span x, const struct pattern *p)
{
	const struct pattern_piece *first = &p->pieces[0], *last = &p->pieces[p->n - 1], *middle = &p->pieces[1];
	size_t n = count_letters(first, first->n) + (p->n > 1 ? count_letters(last, last->n) : 0);

	if (p->n == 1 && !has_any(first)) {
		buf_printf(out, "%.*s = ", SPAN_FMT(x));
		put_text(out, span_of(first->letters, first->n));
		return true;
	}
	if (p->n == 3 && middle->n > 0) {
		if (n > 0 || has_any(middle))
			return false;
		buf_printf(out, "length(replace(%.*s, ", SPAN_FMT(x));
		put_text(out, span_of(middle->letters, middle->n));
		buf_printf(out, ", '')) < length(%.*s)", SPAN_FMT(x));
		return true;
	}
	buf_printf(out, "length(%.*s) %s %zu", SPAN_FMT(x), p->n == 1 ? "=" : ">=", n);
	put_runs(out, x, first, false, " and ");
	if (p->n > 1)
		put_runs(out, x, last, true, " and ");
	return true;
}

static const char *
read_string_term(struct condition *c, struct span *s)
{
	bool wanted = !take_text(s, "-");
	struct span rest = *s;
	struct buf term = { 0 };
	struct pattern pattern = { .n = 0 };
	const char *why = NULL;

	if ((take_word(&rest, "null") || take_word(&rest, "empty")) && (rest.len == 0 || rest.p[0] == ',')) {
		buf_printf(&term, "%.*s is null", SPAN_FMT(c->x));
		if (span_begins_word(*s, "empty"))
			buf_printf(&term, " or length(%.*s) = 0", SPAN_FMT(c->x));
		add_term(c, wanted, true, buf_view(&term));
		*s = rest;
	} else if (!take_pattern(s, &pattern) || (pattern.n == 1 && pattern.pieces[0].n == 0))
		why = UNCLEAR;
	else if (!put_pattern(&term, c->x, &pattern))
		why = "has a pattern of several parts";
	else
		add_term(c, wanted, false, buf_view(&term));
	buf_fini(&term);
	return why;
}

static const char *
read_string(struct condition *c, struct span s)
{
	const char *why = NULL;

	for (size_t n = 0; why == NULL && s.len > 0; n++)
		if ((why = n == TERMS_MAX ? UNCLEAR : read_string_term(c, &s)) == NULL && take_text(&s, ",") &&
		    s.len == 0)
			why = UNCLEAR;
	return why;
}

/* Take a number; empty if another token stands there. */
static struct span
take_number(struct span *s)
{
	size_t n = s->len > 0 && (s->p[0] == '-' || s->p[0] == '+'), digits = 0;
	struct span number;

	for (; n < s->len && (ascii_is_digit(s->p[n]) || (s->p[n] == '.' && digits > 0)); n++)
		digits += ascii_is_digit(s->p[n]);
	number = span_of(s->p, digits > 0 ? n : 0);
	if (digits > 0)
		*s = skip_blank(rest_from(*s, n));
	return number;
}

/* ">= 5" */
static bool
take_comparison(struct span *s, struct span x, struct buf *out)
{
	static const char *const operators[] = { ">=", "<=", ">", "<" };
	struct span number;

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (take_text(s, operators[i])) {
			number = take_number(s);
			buf_printf(out, "%.*s %s %.*s", SPAN_FMT(x), operators[i], SPAN_FMT(number));
			return number.len > 0;
		}
	return false;
}

/* "[1, 5)", whose ends may be missing or "inf". */
static bool
take_interval(struct span *s, struct span x, struct buf *out)
{
	bool open = s->p[0] == '(';
	struct span from, to;

	*s = skip_blank(rest_from(*s, 1));
	(void)take_text(s, "-inf");
	from = take_number(s);
	if (!take_text(s, ","))
		return false;
	(void)take_text(s, "inf");
	to = take_number(s);
	if ((from.len == 0 && to.len == 0) || s->len == 0 || (s->p[0] != ')' && s->p[0] != ']'))
		return false;
	if (from.len > 0)
		buf_printf(out, "%.*s %s %.*s", SPAN_FMT(x), open ? ">" : ">=", SPAN_FMT(from));
	if (to.len > 0)
		buf_printf(out, "%s%.*s %s %.*s", from.len > 0 ? " and " : "", SPAN_FMT(x),
		    s->p[0] == ')' ? "<" : "<=", SPAN_FMT(to));
	*s = skip_blank(rest_from(*s, 1));
	return true;
}

/* "5", "5 to 10", ">1 AND <100", "(1, 7]"; *plain: it is just a number. */
static bool
take_numbers(struct span *s, struct span x, struct buf *out, bool *plain)
{
	struct span from, to;

	*plain = false;
	if (s->len > 0 && (s->p[0] == '(' || s->p[0] == '['))
		return take_interval(s, x, out);
	if (s->len > 0 && (s->p[0] == '<' || s->p[0] == '>')) {
		if (!take_comparison(s, x, out))
			return false;
		if (take_word(s, "and")) {
			buf_str(out, " and ");
			return take_comparison(s, x, out);
		}
		return true;
	}
	if ((from = take_number(s)).len == 0)
		return false;
	if (take_word(s, "to")) {
		to = take_number(s);
		buf_printf(out, "%.*s >= %.*s and %.*s <= %.*s", SPAN_FMT(x), SPAN_FMT(from), SPAN_FMT(x),
		    SPAN_FMT(to));
		return to.len > 0;
	}
	*plain = true;
	buf_printf(out, "%.*s = %.*s", SPAN_FMT(x), SPAN_FMT(from));
	return true;
}

/*
 * Numbers and intervals, any of which is wanted; those behind "NOT" are not.  "NOT 66, 99" excludes both, if nothing is
 * in front of it.
 */
static const char *
read_number(struct condition *c, struct span s)
{
	const char *why = NULL;
	bool first_not = false, seen_not = false, plain;

	for (size_t n = 0; why == NULL && s.len > 0; n++) {
		bool not = take_word(&s, "not") || take_text(&s, "<>") || take_text(&s, "!=");
		struct buf term = { 0 };

		first_not = first_not || (not &&n == 0);
		if (take_word(&s, "null")) {
			buf_printf(&term, "%.*s is null", SPAN_FMT(c->x));
			add_term(c, !not, true, buf_view(&term));
		} else if (n == TERMS_MAX || !take_numbers(&s, c->x, &term, &plain) ||
		    (!not &&seen_not && !(first_not && plain)))
			why = UNCLEAR;
		else
			add_term(c, !not &&!seen_not, false, buf_view(&term));
		seen_not = seen_not || not ;
		buf_fini(&term);
		if (why == NULL && s.len > 0 && ((!take_text(&s, ",") && !take_word(&s, "or")) || s.len == 0))
			why = UNCLEAR;
	}
	return why;
}

/* A day, month or year: its first day, and the first day behind it. */
struct period {
	char	first[16], behind[16];
};

static void
print_date(char out[16], struct date d)
{
	snprintf(out, 16, "%04u-%02u-%02u", (unsigned)d.year % 10000, d.month % 100, d.day % 100);
}

/* Take n digits; false: there are fewer. */
static bool
take_digits(struct span *s, size_t n, unsigned *out)
{
	*out = 0;
	for (; n > 0 && s->len > 0 && ascii_is_digit(s->p[0]); n--) {
		*out = *out * 10 + (unsigned)(s->p[0] - '0');
		*s = rest_from(*s, 1);
	}
	return n == 0;
}

/* Take "2024", "2024-03" or "2024-03-09"; false: another text, or no date. */
static bool
take_period(struct span *s, struct period *out)
{
	unsigned year, month = 1, day = 1, n = 1;
	struct date behind;

	if (!take_digits(s, 4, &year))
		return false;
	for (; n < 3 && s->len > 0 && (s->p[0] == '-' || s->p[0] == '/'); n++) {
		*s = rest_from(*s, 1);
		if (!take_digits(s, 2, n == 1 ? &month : &day))
			return false;
	}
	if ((s->len > 0 && !ascii_is_space(s->p[0])) || year == 0 || year == 9999 || !date_exists(year, month, day))
		return false;
	*s = skip_blank(*s);
	behind = n == 1 ? (struct date){ year + 1, 1, 1 } :
	    n == 2      ? (struct date){ year + month / 12, month % 12 + 1, 1 } :
			  date_of_days(date_days(year, month, day) + 1);
	print_date(out->first, (struct date){ year, month, day });
	print_date(out->behind, behind);
	return true;
}

/* Whether a period that is compared as a whole begins on that day: "2024-04-01" is the first of a quarter. */
static bool
is_first_day(const struct condition *c, const char *date)
{
	return c->months == 0 || date[0] == '\0' ||
	    (strcmp(date + 8, "01") == 0 && ((unsigned)((date[5] - '0') * 10 + date[6] - '0') - 1) % c->months == 0);
}

/* Dates that stand there; what is relative to today is another number each day. */
static const char *
read_time(struct condition *c, struct span s)
{
	bool not = take_word(&s, "not");
	struct period from = { .first = "" }, to = { .first = "" };
	struct buf term = { 0 };
	const char *why = NULL;
	bool null = take_word(&s, "null"), after = take_word(&s, "after"), before = !after && take_word(&s, "before");

	if (null)
		buf_printf(&term, "%.*s is null", SPAN_FMT(c->x));
	else if (not || !take_period(&s, &from) || (!after && !before && take_word(&s, "to") && !take_period(&s, &to)))
		why = "is relative to today, or has a form that is not known here";
	else if (after || before)
		buf_printf(&term, "%.*s %s '%s'", SPAN_FMT(c->x), after ? ">=" : "<", from.first);
	else
		buf_printf(&term, "%.*s >= '%s' and %.*s < '%s'", SPAN_FMT(c->x), from.first, SPAN_FMT(c->x),
		    to.first[0] != '\0' ? to.first : from.behind);
	if (why == NULL && s.len > 0)
		why = UNCLEAR;
	if (why == NULL &&
	    (!is_first_day(c, from.first) || !is_first_day(c, to.first) ||
		(!after && !before && to.first[0] == '\0' && !is_first_day(c, from.behind))))
		why = "names a part of the period that it is compared by";
	if (why == NULL)
		add_term(c, !not, true, buf_view(&term));
	buf_fini(&term);
	return why;
}

static const char *
read_yesno(struct condition *c, struct span s)
{
	const char *why = NULL;

	if (span_is_word(s, "yes") || span_is_word(s, "true"))
		add_term(c, true, false, c->x);
	else if (span_is_word(s, "no") || span_is_word(s, "false"))
		add_term(c, false, false, c->x);
	else
		why = UNCLEAR;
	return why;
}

const char *
looker_filter(enum looker_type type, struct span expression, struct span x, struct buf *out)
{
	static const char *(*const readers[])(struct condition *, struct span) = { [LOOKER_STRING] = read_string,
		[LOOKER_NUMBER] = read_number, [LOOKER_TIME] = read_time, [LOOKER_MONTH] = read_time,
		[LOOKER_QUARTER] = read_time, 		[LOOKER_YEAR] = read_time, [LOOKER_YESNO] = read_yesno };
	struct condition c = { .x = x,
		.months = type == LOOKER_MONTH ? 1 :
		    type == LOOKER_QUARTER     ? 3 :
		    type == LOOKER_YEAR        ? 12 :
						 0 };
	struct span s = span_trim(expression);
	const char *why = s.len == 0 ? NULL : memchr(s.p, '\0', s.len) != NULL ? UNCLEAR : readers[type](&c, s);

	if (why == NULL && c.wanted.len > 0)
		buf_printf(out, "(%.*s)", SPAN_FMT(buf_view(&c.wanted)));
	if (why == NULL && c.unwanted.len > 0)
		buf_printf(out, "%s(%.*s)", c.wanted.len > 0 ? " and " : "", SPAN_FMT(buf_view(&c.unwanted)));
	buf_fini(&c.wanted);
	buf_fini(&c.unwanted);
	return why;
}
