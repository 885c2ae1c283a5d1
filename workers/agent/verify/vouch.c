#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json/cell.h"
#include "workers/agent/verify/vouch.h"
#include "workers/agent/verify/vouch_names.h"
#include "workers/agent/verify/vouch_read.h"

#define TOKENS_MAX 400u
#define DOUBLE_DIGITS 15u
#define EXACT_BELOW   1e15
#define NAMED_MAX  8u /* rows named in one sentence */

enum sort {
#define VOUCH(NAME, english, german) SORT_##NAME,
#include "workers/agent/verify/vouch.def"
#undef VOUCH
	SORTS
};

static const char *const words[SORTS][2] = {
#define VOUCH(NAME, english, german) [SORT_##NAME] = { english, german },
#include "workers/agent/verify/vouch.def"
#undef VOUCH
};

/* A part of the text: a name, a number, a word of vouch.def, or a mark. */
struct vouch_item {
	enum { ITEM_NAME, ITEM_NUMBER, ITEM_WORD, ITEM_MARK } kind;
	struct span text;	      /* its first token */
	const struct vouch_name *name;
	struct vouch_number number;
	enum sort sort;
	bool end; /* the last of a sentence */
};

struct vouching {
	struct arena *a;
	const struct vouch_about *about;
	const struct sheet *s;
	const struct vouch_names *names;
	struct vouch_item *items;
	size_t nitems;
};

/* A number to be checked, with its context in the sentence. */
struct claim {
	const struct vouch_number *number;
	size_t first, last, at; /* of the sentence; at: of the number */
	bool percent, times, total, signless;
	size_t column; /* the column named before it; SIZE_MAX: none */
	struct span unit;
	bool has_unit;
	struct vouch_rows rows; /* rows that it may belong to */
	bool named;		/* the sentence names a key of them */
};

static bool
has_word(const char *list, struct span word)
{
	for (size_t n; *list != '\0'; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == word.len && memcmp(list, word.p, n) == 0)
			return true;
	}
	return false;
}

static enum sort
sort_of(struct span word, bool german)
{
	for (size_t i = 0; i < SORTS; i++)
		if (has_word(words[i][german], word))
			return (enum sort)i;
	return SORTS;
}

void
vouch_put_words(struct buf *out, bool german)
{
	for (size_t i = 0; i < SORTS; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "", words[i][german]);
}

/* Marks of ordinary sentences, which no text renderer interprets on their own. */
static bool
is_plain_mark(struct span mark)
{
	static const char *const marks[] = { ".", ",", ";", ":", "(", ")", "-", "–", "—", "%", "'", "’", "/", "&", "€",
		"£", "$" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (span_is_str(mark, marks[i]))
			return true;
	return false;
}

static bool
is_item_mark(const struct vouch_item *item, const char *mark)
{
	return item->kind == ITEM_MARK && span_is_str(item->text, mark);
}

static bool
is_sort(const struct vouch_item *item, enum sort sort)
{
	return item->kind == ITEM_WORD && item->sort == sort;
}

/* A name of digits only counts as a name where a figure cannot stand: after a preposition, or before a colon. */
static bool
stands_as_name(const struct vouching *v, const struct vouch_token *t, size_t i, size_t used, size_t n)
{
	const struct vouch_item *before = v->nitems > 0 ? &v->items[v->nitems - 1] : NULL;
	bool begins = before == NULL || before->end || t[i].line;

	if (i + used < n &&
	    (vouch_starts_unit(v->names, &t[i + used], n - i - used) || span_is_str(t[i + used].text, "%") ||
		span_is_str(t[i + used].text, "€")))
		return false;
	return begins ? i + used < n && span_is_str(t[i + used].text, ":") : is_sort(before, SORT_NEAR);
}

/* Read the item at token i; returns the number of tokens, 0: none is allowed there. */
static size_t
take_item(struct vouching *v, const struct vouch_token *t, size_t i, size_t n, struct vouch_item *out)
{
	size_t used = vouch_find_name(v->names, &t[i], n - i, &out->name);

	*out = (struct vouch_item){ .text = t[i].text, .name = out->name };
	if (used > 0 && (!out->name->digits || stands_as_name(v, t, i, used, n))) {
		out->kind = ITEM_NAME;
		return used;
	}
	if ((used = vouch_number(v->a, &t[i], n - i, v->about->german, &out->number)) == SIZE_MAX)
		return 0;
	if (used > 0) {
		out->kind = ITEM_NUMBER;
		return used;
	}
	if (t[i].kind == VOUCH_WORD) {
		out->kind = ITEM_WORD;
		out->sort = sort_of(t[i].text, v->about->german);
		return out->sort < SORTS;
	}
	out->kind = ITEM_MARK;
	out->end = ascii_is_any(t[i].text.p[0], ".;");
	return is_plain_mark(t[i].text) && !vouch_is_address(t, i, n);
}

static const char *
problem_of(struct vouching *v, struct span text, const char *problem)
{
	return arena_printf(v->a, "\"%.*s\" %s", SPAN_FMT(text), problem);
}

static const char *
take_items(struct vouching *v, const struct vouch_token *t, size_t n)
{
	if ((v->items = arena_array(v->a, n > 0 ? n : 1, sizeof(*v->items))) == NULL)
		return "The text is too long.";
	for (size_t i = 0, used; i < n; i += used) {
		struct vouch_item *item = &v->items[v->nitems];

		if ((used = take_item(v, t, i, n, item)) == 0)
			return problem_of(v, t[i].text,
			    "is not allowed in the text; it is no name of the result and "
			    "none of the words that there are.");
		if (v->nitems > 0 && t[i].line)
			v->items[v->nitems - 1].end = true;
		v->nitems++;
	}
	return NULL;
}

static bool
is_key(const struct vouch_item *item)
{
	return item->kind == ITEM_NAME && item->name->keys;
}

/* The rows with the keys among the items from first to last; a later key of the same column replaces an earlier one. */
static bool
rows_of_keys(const struct vouching *v, size_t first, size_t last, struct vouch_rows *rows)
{
	const struct vouch_name *bound[SHEET_COLUMNS_MAX] = { NULL };
	bool any = false;

	vouch_rows_all(rows, v->s->nrows);
	for (size_t i = first; i < last; i++)
		for (size_t k = 0; is_key(&v->items[i]) && k < v->s->ncolumns; k++)
			if ((v->items[i].name->columns >> k & 1) != 0)
				bound[k] = v->items[i].name;
	for (size_t k = 0; k < v->s->ncolumns; k++)
		if (bound[k] != NULL) {
			vouch_rows_meet(rows, &bound[k]->rows);
			any = true;
		}
	return any;
}

/* The rows named right after the number and its unit: "(Nordics)" or "in May 2025". */
static bool
rows_right_behind(const struct vouching *v, const struct claim *c, struct vouch_rows *rows)
{
	size_t i = c->at + 1, end;

	while (i <= c->last &&
	    (is_item_mark(&v->items[i], "%") || is_sort(&v->items[i], SORT_PERCENT) ||
		(v->items[i].kind == ITEM_NAME && v->items[i].name->unit)))
		i++;
	if (i >= c->last || !(is_item_mark(&v->items[i], "(") || is_sort(&v->items[i], SORT_NEAR)))
		return false;
	for (end = ++i; end <= c->last && (is_key(&v->items[end]) || is_item_mark(&v->items[end], ",")); end++)
		continue;
	return rows_of_keys(v, i, end, rows);
}

static void
find_rows(const struct vouching *v, struct claim *c)
{
	size_t next = c->at + 1;

	if (rows_right_behind(v, c, &c->rows) || rows_of_keys(v, c->first, c->at, &c->rows)) {
		c->named = true;
		return;
	}
	while (next <= c->last && v->items[next].kind != ITEM_NUMBER)
		next++;
	c->named = rows_of_keys(v, c->at + 1, next, &c->rows);
}

/* The column named right after the number, else before it, else later in the sentence. */
static size_t
find_column(const struct vouching *v, const struct claim *c)
{
	if (c->at < c->last && v->items[c->at + 1].kind == ITEM_NAME &&
	    v->items[c->at + 1].name->column < v->s->ncolumns)
		return v->items[c->at + 1].name->column;
	for (size_t i = c->at; i-- > c->first;)
		if (v->items[i].kind == ITEM_NAME && v->items[i].name->column < v->s->ncolumns)
			return v->items[i].name->column;
	for (size_t i = c->at + 1; i <= c->last && v->items[i].kind != ITEM_NUMBER; i++)
		if (v->items[i].kind == ITEM_NAME && v->items[i].name->column < v->s->ncolumns)
			return v->items[i].name->column;
	return SIZE_MAX;
}

static void
find_unit(const struct vouching *v, struct claim *c)
{
	const struct vouch_item *next = c->at < c->last ? &v->items[c->at + 1] : NULL,
				*before = c->at > c->first ? &v->items[c->at - 1] : NULL;

	c->percent = next != NULL && (is_item_mark(next, "%") || is_sort(next, SORT_PERCENT));
	c->times = next != NULL && is_sort(next, SORT_TIMES);
	c->has_unit = next != NULL &&
	    ((next->kind == ITEM_NAME && next->name->unit) || is_item_mark(next, "€") || is_item_mark(next, "£") ||
		is_item_mark(next, "$"));
	if (c->has_unit)
		c->unit = next->kind == ITEM_NAME ? next->name->text : next->text;
	else if (before != NULL && before->kind == ITEM_MARK &&
	    (is_item_mark(before, "€") || is_item_mark(before, "$") || is_item_mark(before, "£"))) {
		c->has_unit = true;
		c->unit = before->text;
	}
}

static struct claim
make_claim(const struct vouching *v, size_t first, size_t last, size_t at)
{
	struct claim c = { .number = &v->items[at].number, .first = first, .last = last, .at = at };

	find_unit(v, &c);
	find_rows(v, &c);
	c.column = find_column(v, &c);
	for (size_t i = first; i < at; i++)
		c.total = is_sort(&v->items[i], SORT_TOTAL) || (c.total && !is_key(&v->items[i]));
	for (size_t i = first; i <= last; i++)
		c.signless = c.signless || is_sort(&v->items[i], SORT_DIFFERENCE) || is_sort(&v->items[i], SORT_RISE) ||
		    is_sort(&v->items[i], SORT_FALL);
	return c;
}

static bool
is_percent_column(const struct sheet_column *column)
{
	return span_is_str(column->unit, "%");
}

static size_t
count_values(const struct sheet *s)
{
	return sheet_count(s, SHEET_VALUE);
}

static bool
is_of_column(const struct vouching *v, const struct claim *c, size_t k)
{
	const struct sheet_column *column = &v->s->columns[k];

	if (column->role != SHEET_VALUE || is_percent_column(column) != c->percent)
		return false;
	if (c->has_unit && !span_is_folded(column->unit, c->unit))
		return false;
	return v->about->derived || count_values(v->s) == 1 || c->column == k ||
	    (c->column == SIZE_MAX && sheet_column_of(v->s, SHEET_VALUE, 0) == k);
}

static bool
says(const struct claim *c, double figure)
{
	return vouch_equals(c->number, figure, SPAN("")) || (c->signless && vouch_equals(c->number, -figure, SPAN("")));
}

/* The digits of a whole part that is too long for a double. */
static struct span
exact_of(struct arena *a, const struct mp_value *cell)
{
	struct buf out = { 0 }, text = { 0 };
	struct span digits;
	const uint8_t *point;

	cell_put_text(&text, cell);
	digits = arena_span(a, buf_view(&text));
	buf_fini(&text);
	point = digits.len > 0 ? memchr(digits.p, '.', digits.len) : NULL;
	if ((point == NULL ? digits.len : (size_t)(point - digits.p)) <= DOUBLE_DIGITS)
		return SPAN("");
	for (size_t i = 0; i < digits.len; i++)
		if (ascii_is_digit(digits.p[i]) && (out.len > 0 || digits.p[i] != '0'))
			buf_byte(&out, digits.p[i]);
	digits = arena_span(a, buf_view(&out));
	buf_fini(&out);
	return digits;
}

static bool
is_cell(const struct vouching *v, const struct claim *c, size_t row)
{
	for (size_t k = 0; k < v->s->ncolumns; k++) {
		const struct mp_value *cell = sheet_cell(v->s, row, k);
		double figure;

		if (!is_of_column(v, c, k) || !cell_number(cell, &figure))
			continue;
		/* Words may replace the sign of a comparison's differences. */
		if (vouch_equals(c->number, figure, exact_of(v->a, cell)) ||
		    (v->about->derived && k + 2 >= v->s->ncolumns && says(c, figure)))
			return true;
	}
	return false;
}

/* The sum over all rows, if the column may be summed. */
static bool
sum_of(const struct vouching *v, size_t k, double *sum)
{
	double figure;

	*sum = 0;
	if (!v->s->columns[k].additive || v->s->truncated || v->about->derived || v->s->nrows < 2)
		return false;
	for (size_t row = 0; row < v->s->nrows; row++)
		if (cell_number(sheet_cell(v->s, row, k), &figure))
			*sum += figure;
	return fabs(*sum) < EXACT_BELOW;
}

/* Whether the number is a column's sum, or a cell as a percentage of it. */
static bool
is_of_sum(const struct vouching *v, const struct claim *c, size_t row)
{
	struct claim whole = *c;
	double sum, figure;

	whole.percent = false;
	for (size_t k = 0; k < v->s->ncolumns; k++) {
		if (!is_of_column(v, &whole, k) || !sum_of(v, k, &sum))
			continue;
		if (!c->percent && (!c->named || c->total) && vouch_equals(c->number, sum, SPAN("")))
			return true;
		if (c->percent && row != SIZE_MAX && sum != 0 && cell_number(sheet_cell(v->s, row, k), &figure) &&
		    vouch_equals(c->number, 100 * figure / sum, SPAN("")))
			return true;
	}
	return false;
}

/* The rows that the sentence names, one by one; of a pair, both. */
static size_t
named_rows(const struct vouching *v, const struct claim *c, size_t rows[NAMED_MAX])
{
	struct vouch_rows one;
	size_t n = 0;

	if (v->s->nrows == 2) {
		rows[0] = 0;
		rows[1] = 1;
		return 2;
	}
	for (size_t i = c->first; i <= c->last && n < NAMED_MAX; i++)
		if (is_key(&v->items[i]) && rows_of_keys(v, c->first, i + 1, &one) &&
		    (rows[n] = vouch_rows_only(&one)) != SIZE_MAX)
			n++;
	return n;
}

/* Whether the number is the difference, ratio or percentage of two figures. */
static bool
is_of_pair(const struct claim *c, double one, double other)
{
	if (c->times)
		return other != 0 && vouch_equals(c->number, one / other, SPAN(""));
	if (c->percent)
		return other != 0 && c->signless && says(c, 100 * (one - other) / other);
	return c->signless && says(c, one - other);
}

static bool
is_derived(const struct vouching *v, const struct claim *c)
{
	size_t rows[NAMED_MAX], n = named_rows(v, c, rows);
	struct claim plain = *c;
	double one, other;

	plain.percent = false;
	for (size_t k = 0; k < v->s->ncolumns && !v->about->derived; k++)
		for (size_t i = 0; i < n && is_of_column(v, &plain, k); i++)
			for (size_t j = 0; j < n; j++)
				if (i != j && cell_number(sheet_cell(v->s, rows[i], k), &one) &&
				    cell_number(sheet_cell(v->s, rows[j], k), &other) && is_of_pair(c, one, other))
					return true;
	return false;
}

static bool
is_true_number(const struct vouching *v, const struct claim *c)
{
	size_t row = vouch_rows_only(&c->rows);

	return (row != SIZE_MAX && !c->times && !c->total && is_cell(v, c, row)) || is_of_sum(v, c, row) ||
	    (v->about->derived && c->total && row != SIZE_MAX && is_cell(v, c, row)) || is_derived(v, c);
}

/* Whether the row named before the word, else after it, has the highest or the lowest figure. */
static bool
is_extreme(const struct vouching *v, size_t first, size_t last, size_t at, bool high)
{
	struct claim c = { .first = first, .last = last, .at = at };
	double figure, own;
	size_t k, row;

	find_rows(v, &c);
	row = vouch_rows_only(&c.rows);
	k = find_column(v, &c);
	k = k < v->s->ncolumns && v->s->columns[k].role == SHEET_VALUE ? k : sheet_column_of(v->s, SHEET_VALUE, 0);
	if (!c.named || row == SIZE_MAX || k == v->s->ncolumns || v->s->truncated ||
	    !cell_number(sheet_cell(v->s, row, k), &own))
		return false;
	for (size_t i = 0; i < v->s->nrows; i++)
		if (cell_number(sheet_cell(v->s, i, k), &figure) && (high ? figure > own : figure < own))
			return false;
	return true;
}

/* Whether two numbers of the sentence, or two periods, differ in this direction. */
static bool
is_change(const struct vouching *v, size_t first, size_t last, bool rise)
{
	const struct vouch_number *from = NULL, *to = NULL;
	double difference;

	for (size_t i = first; i <= last; i++)
		if (v->items[i].kind == ITEM_NUMBER && !make_claim(v, first, last, i).percent) {
			to = from != NULL && to == NULL ? &v->items[i].number : to;
			from = from == NULL ? &v->items[i].number : from;
		}
	for (size_t row = 0; v->about->periods && row < v->s->nrows && v->s->ncolumns == 4; row++)
		if (cell_number(sheet_cell(v->s, row, 2), &difference))
			return rise ? difference > 0 : difference < 0;
	return !v->about->derived && to != NULL && (rise ? to->value > from->value : to->value < from->value);
}

static const char *
check_item(struct vouching *v, size_t first, size_t last, size_t at)
{
	const struct vouch_item *item = &v->items[at];
	struct claim c;

	if (item->kind == ITEM_NUMBER) {
		c = make_claim(v, first, last, at);
		return is_true_number(v, &c) ?
		    NULL :
		    problem_of(v, item->text,
			"begins a number that is no figure of what the sentence names before it.");
	}
	if (is_item_mark(item, "%") && (at == first || v->items[at - 1].kind != ITEM_NUMBER))
		return problem_of(v, item->text, "stands behind no number.");
	if ((is_sort(item, SORT_HIGH) && !is_extreme(v, first, last, at, true)) ||
	    (is_sort(item, SORT_LOW) && !is_extreme(v, first, last, at, false)) ||
	    (is_sort(item, SORT_RISE) && !is_change(v, first, last, true)) ||
	    (is_sort(item, SORT_FALL) && !is_change(v, first, last, false)))
		return problem_of(v, item->text, "is not so.");
	return NULL;
}

static const char *
check_sentences(struct vouching *v)
{
	const char *problem = "The text says nothing of the result.";

	for (size_t i = 0; i < v->nitems; i++)
		if (v->items[i].kind == ITEM_NAME || v->items[i].kind == ITEM_NUMBER)
			problem = NULL;
	for (size_t first = 0, last; first < v->nitems && problem == NULL; first = last + 1) {
		for (last = first; last + 1 < v->nitems && !v->items[last].end; last++)
			continue;
		for (size_t i = first; i <= last && problem == NULL; i++)
			problem = check_item(v, first, last, i);
	}
	return problem;
}

const char *
vouch_text(struct arena *a, const struct vouch_about *about, const struct sheet *s, struct span text)
{
	struct vouching v = { .a = a, .about = about, .s = s };
	const struct vouch_token *tokens;
	const char *problem;
	size_t n;

	if (text.len == 0 || text.len > VOUCH_TEXT_MAX || s->ncolumns > SHEET_COLUMNS_MAX)
		return "The text is empty or too long.";
	if (!vouch_is_visible(text))
		return "The text has invisible characters.";
	if ((tokens = vouch_tokens(a, text, TOKENS_MAX, &n)) == NULL || n == 0 ||
	    (v.names = vouch_names(a, about, s)) == NULL)
		return "The text is empty or too long.";
	if ((problem = take_items(&v, tokens, n)) != NULL)
		return problem;
	return check_sentences(&v);
}
