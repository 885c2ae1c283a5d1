#include <utf8proc.h>

#include "ask/finish.h"
#include "ask/having.h"
#include "ask/measures.h"
#include "ask/periods.h"
#include "ask/say_plan.h"
#include "base/text/locale_text.h"

static void
put_value(struct plan *p, struct buf *b, struct plan_column at, struct span value)
{
	bool plain = plan_column(p, at)->type == ASK_TYPE_NUMBER && value.len > 0;

	for (size_t i = 0; i < value.len; i++)
		plain &= ascii_is_digit(value.p[i]) || (i > 0 && value.p[i] == '.') ||
		    (i == 0 && value.p[i] == '-' && value.len > 1);
	if (plain)
		buf_span(b, value);
	else
		buf_quoted(b, value, '\'');
}

static bool
is_letter(uint8_t c)
{
	return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '_';
}

/* A segment's expression, its own columns qualified by the node's name. */
static void
put_segment(struct plan *p, struct buf *b, uint32_t node, struct span expr)
{
	const struct ask_source *s = plan_source(p, node);
	size_t i = 0;

	while (i < expr.len) {
		size_t end = i;
		bool own = false, qualified = i > 0 && expr.p[i - 1] == '.';

		if (expr.p[i] == '\'' || expr.p[i] == '"') {
			for (end = i + 1; end < expr.len && expr.p[end] != expr.p[i]; end++)
				;
			end += end < expr.len;
		} else if (is_letter(expr.p[i])) {
			while (end < expr.len && is_letter(expr.p[end]))
				end++;
			for (size_t k = 0; k < s->ncolumns; k++)
				own |= span_is_folded(s->columns[k].names.name, span_of(expr.p + i, end - i));
			own &= !(end < expr.len && (expr.p[end] == '.' || expr.p[end] == '('));
		} else
			end++;
		if (own && !qualified)
			buf_printf(b, "%.*s.", SPAN_FMT(p->m->nodes[node].name));
		buf_span(b, span_of(expr.p + i, end - i));
		i = end;
	}
}

/* A negated segment: rows for which the condition is NULL count as outside. */
static void
make_segment_filter(struct plan *p, const struct plan_condition *c, struct buf *sql, struct buf *text,
    struct ask_filter *out)
{
	const struct ask_segment *s = &plan_source(p, c->at.node)->segments[c->index];

	if (c->negated)
		buf_str(sql, "NOT coalesce((");
	put_segment(p, sql, c->at.node, s->expr);
	if (c->negated)
		buf_str(sql, "), false)");
	buf_span(text, ask_label(p->a, &s->names));
	out->operator= c->negated ? SPAN("not segment") : SPAN("segment");
}

static void
make_number_filter(struct plan *p, const struct plan_condition *c, struct buf *sql, struct buf *text,
    struct ask_filter *out)
{
	bool between = c->test == PLAN_BETWEEN;

	buf_printf(sql, "%s(%.*s %s ", c->negated ? "NOT " : "", SPAN_FMT(out->field), between ? ">=" : c->operator);
	put_value(p, sql, c->at, c->values[0]);
	buf_span(text, c->values[0]);
	if (between) {
		buf_printf(sql, " AND %.*s <= ", SPAN_FMT(out->field));
		put_value(p, sql, c->at, c->values[1]);
		buf_printf(text, " and %.*s", SPAN_FMT(c->values[1]));
	}
	buf_str(sql, ")");
	out->operator= between ? (c->negated ? SPAN("not between") : SPAN("between")) : span_str(c->operator);
}

static void
add_value(struct plan *p, const struct plan_condition *c, struct span value, struct buf *sql, struct buf *text)
{
	buf_str(sql, sql->len > 0 ? ", " : "");
	put_value(p, sql, c->at, value);
	buf_str(text, text->len > 0 ? " or " : "");
	buf_span(text, value);
}

/* A value that the column also has in other spellings means all of them. */
static void
make_value_filter(struct plan *p, const struct plan_condition *c, size_t first, size_t n, struct buf *sql,
    struct buf *text, struct ask_filter *out)
{
	const struct ask_source *s = plan_source(p, c->at.node);
	size_t nknown = p->known == NULL ? 0 : p->known->nvalues, all = n;
	struct buf list = { 0 };

	for (size_t i = first; i < first + n; i++) {
		add_value(p, c, c->values[i], &list, text);
		for (size_t k = 0; k < nknown; k++) {
			const struct ask_value *v = &p->known->values[k];

			if (!span_is(v->source, s->names.name) ||
			    !span_is(v->column, s->columns[c->at.column].names.name) ||
			    span_is(v->value, c->values[i]) || !ask_is_same_value(p->a, v->value, c->values[i]))
				continue;
			add_value(p, c, v->value, &list, text);
			all++;
		}
	}
	out->operator= all> 1 ? c->negated ? SPAN("NOT IN") : SPAN("IN") : c->negated ? SPAN("<>") : SPAN("=");
	buf_printf(sql, all > 1 ? "%.*s %.*s (%.*s)" : "%.*s %.*s %.*s", SPAN_FMT(out->field), SPAN_FMT(out->operator),
	    (int)list.len, (const char *)list.p);
	buf_fini(&list);
}

/* "Visits of Ada Stern": the name of a row; a first and a last name are one. */
static void
note_named(struct plan *p, const struct plan_condition *c, size_t first, size_t n, const struct ask_filter *f)
{
	struct plan_condition own = *c;
	struct ask_filter of_source;
	const struct ask_source *s = plan_source(p, c->at.node);
	uint32_t key = plan_key_column(s);
	struct ask_named *last = p->out->nnamed > 0 ? &p->out->named[p->out->nnamed - 1] : NULL, named;

	if (c->negated || key == ASK_NONE || s->columns[key].masked || p->m->governed ||
	    !(c->at.column == s->label || s->columns[c->at.column].of_person))
		return;
	/* The rows of an alias are those of its source. */
	if (p->m->nodes[c->at.node].owner != ASK_NONE) {
		own.at.node = p->m->nodes[c->at.node].source;
		finish_filter(p, &own, first, n, &of_source);
		if (p->out->nnamed > 0)
			p->out->named[p->out->nnamed - 1].root = false;
		return;
	}
	named = (struct ask_named){ .filter = f->sql, .rows = plan_call(p, "count", true, s, s->grain[0]),
		.label = ask_label(p->a, &s->names), .value = f->value, .field = f->field, .expected = n,
		.root = c->at.node == p->root };
	for (size_t i = 0; i < p->out->nnamed; i++)
		if (span_is(p->out->named[i].filter, named.filter))
			return;
	if (last != NULL && s->columns[c->at.column].of_person && span_is(last->rows, named.rows) &&
	    !span_is(last->field, named.field)) {
		last->filter = plan_text(p, "%.*s AND %.*s", SPAN_FMT(last->filter), SPAN_FMT(named.filter));
		last->value = plan_text(p, "%.*s %.*s", SPAN_FMT(last->value), SPAN_FMT(named.value));
	} else if (p->out->nnamed < ASK_FILTERS_MAX)
		p->out->named[p->out->nnamed++] = named;
}

#define LIKE_LETTERS_MAX 3u	/* letters of a pattern beyond ASCII: each is looked for in both cases */

/* The letters beyond ASCII that have two cases; LIKE_LETTERS_MAX + 1: more, or bytes that are no text. */
static unsigned
letters_with_cases(struct span text)
{
	utf8proc_int32_t letter;
	unsigned n = 0;

	for (size_t i = 0; i < text.len;) {
		utf8proc_ssize_t len = utf8proc_iterate(text.p + i, (utf8proc_ssize_t)(text.len - i), &letter);

		if (len <= 0)
			return LIKE_LETTERS_MAX + 1;
		n += letter >= 0x80 && utf8proc_toupper(letter) != letter;
		i += (size_t)len;
	}
	return n < LIKE_LETTERS_MAX + 1 ? n : LIKE_LETTERS_MAX + 1;
}

bool
finish_may_be_like(struct span text)
{
	return letters_with_cases(text) <= LIKE_LETTERS_MAX;
}

/* The pattern for the text, with those letters beyond ASCII in capitals whose bit is set in `capitals`. */
static void
put_pattern(const struct plan_condition *c, unsigned capitals, struct buf *out)
{
	struct span text = c->values[0];
	utf8proc_int32_t letter;
	unsigned n = 0;

	buf_str(out, c->index == ASK_BEGINS ? "" : "%");
	for (size_t i = 0; i < text.len;) {
		utf8proc_ssize_t len = utf8proc_iterate(text.p + i, (utf8proc_ssize_t)(text.len - i), &letter);
		utf8proc_uint8_t bytes[4];

		if (len <= 0)
			return;
		i += (size_t)len;
		if (letter < 0x80 && ascii_is_any((uint8_t)letter, "%_!"))
			buf_byte(out, '!');
		if (letter >= 0x80 && utf8proc_toupper(letter) != letter && (capitals >> n++ & 1) != 0)
			letter = utf8proc_toupper(letter);
		len = utf8proc_encode_char(letter, bytes);
		buf_append(out, bytes, (size_t)len);
	}
	buf_str(out, c->index == ASK_ENDS ? "" : "%");
}

/*
 * || makes text of an enumeration, and keeps the order of a text, which a cast does not everywhere.  SQLite's lower()
 * knows ASCII only, so that other letters are looked for in both cases.
 */
static void
make_like_filter(const struct plan_condition *c, struct span field, struct buf *sql)
{
	unsigned n = 1u << letters_with_cases(c->values[0]);

	buf_str(sql, n > 1 ? "(" : "");
	for (unsigned i = 0; i < n; i++) {
		struct buf pattern = { 0 };

		put_pattern(c, i, &pattern);
		buf_printf(sql, "%slower(%.*s || '') %sLIKE ",
		    i == 0         ? "" :
			c->negated ? " AND " :
				     " OR ",
		    SPAN_FMT(field), c->negated ? "NOT " : "");
		buf_quoted(sql, buf_view(&pattern), '\'');
		if (memchr(pattern.p, '!', pattern.len) != NULL)
			buf_str(sql, " ESCAPE '!'");
		buf_fini(&pattern);
	}
	buf_str(sql, n > 1 ? ")" : "");
}

/* Compared with an aggregate of the same column over all rows, or over those of the condition. */
static void
make_overall_filter(struct plan *p, const struct plan_condition *c, struct span field, struct buf *sql,
    struct buf *text)
{
	static const char *const functions[] = { [PLAN_OF_AVERAGE] = "average_of", [PLAN_OF_HIGHEST] = "highest_of",
		[PLAN_OF_LOWEST] = "lowest_of" };

	buf_printf(sql, "%.*s %s %s(%.*s%s%.*s)", SPAN_FMT(field), c->operator, functions[c->index], SPAN_FMT(field),
	    c->nvalues > 0 ? ", " : "", SPAN_FMT(c->nvalues > 0 ? c->values[0] : SPAN("")));
	if (c->index == PLAN_OF_AVERAGE)
		buf_str(text, p->out->german ? "Durchschnitt" : "average");
	else
		buf_span(text, plan_says(p, c->index == PLAN_OF_LOWEST ? SAYS_LOWEST : SAYS_HIGHEST, NULL));
	if (c->nvalues > 1)
		buf_printf(text, " (%.*s)", SPAN_FMT(c->values[1]));
}

void
finish_filter(struct plan *p, const struct plan_condition *c, size_t first, size_t n, struct ask_filter *out)
{
	struct span field = c->test == PLAN_SEGMENT ? span_of("", 0) : plan_field(p, c->at);
	struct buf sql = { 0 }, text = { 0 };
	static const char *const likes[2][3] = { { "contains", "begins with", "ends with" },
		{ "does not contain", "does not begin with", "does not end with" } };

	*out = (struct ask_filter){ .field = field, .literal = c->test <= PLAN_BETWEEN };
	switch (c->test) {
	case PLAN_SEGMENT:
		make_segment_filter(p, c, &sql, &text, out);
		break;
	case PLAN_COMPARED:
	case PLAN_BETWEEN:
		make_number_filter(p, c, &sql, &text, out);
		break;
	case PLAN_AVERAGE:
		make_overall_filter(p, c, field, &sql, &text);
		out->operator= span_str(c->operator);
		break;
	case PLAN_EXTREME:
		if (c->nvalues == 2) {
			buf_printf(&sql, "%s(%.*s, %.*s)", c->negated ? "lowest_in" : "highest_in", SPAN_FMT(field),
			    SPAN_FMT(c->values[0]));
			out->operator= SPAN("=");
			buf_span(&text,
			    plan_says(p, c->negated ? SAYS_LOWEST_OF_EACH : SAYS_HIGHEST_OF_EACH, SPANS(c->values[1])));
			break;
		}
		buf_printf(&sql, "%.*s = %s(%.*s)", SPAN_FMT(field), c->negated ? "lowest_of" : "highest_of",
		    SPAN_FMT(field));
		out->operator= SPAN("=");
		buf_span(&text, plan_says(p, c->negated ? SAYS_LOWEST : SAYS_HIGHEST, NULL));
		break;
	case PLAN_LIKE:
		make_like_filter(c, field, &sql);
		out->operator= span_str(likes[c->negated][c->index]);
		buf_span(&text, c->values[0]);
		break;
	case PLAN_WITHIN:
		for (size_t i = 0; i < 2; i++)
			if (c->values[i].len > 0)
				buf_printf(&sql, "%s%.*s %s '%.*s'", sql.len > 0 ? " AND " : "", SPAN_FMT(field),
				    i == 0 ? ">=" : "<", SPAN_FMT(c->values[i]));
		out->operator= SPAN("in");
		buf_span(&text, p->q.items[c->items[0]].text);
		break;
	case PLAN_PRESENT:
		/* An empty text counts as missing; an enumeration or a uuid is compared as text. */
		if (plan_column(p, c->at)->type == ASK_TYPE_TEXT)
			buf_printf(&sql,
			    c->negated ? "(%.*s IS NULL OR CAST(%.*s AS text) = '')" :
					 "(%.*s IS NOT NULL AND CAST(%.*s AS text) <> '')",
			    SPAN_FMT(field), SPAN_FMT(field));
		else
			buf_printf(&sql, "%.*s IS %sNULL", SPAN_FMT(field), c->negated ? "" : "NOT ");
		out->operator= c->negated ? SPAN("is missing") : SPAN("is there");
		break;
	case PLAN_TRUE:
		/* SQLite stores booleans as written: true may be 1 or 'T'. */
		buf_printf(&sql, "lower(CAST(%.*s AS text)) IN (%s)", SPAN_FMT(field),
		    c->negated ? "'0', 'f', 'false', 'n', 'no'" : "'1', 't', 'true', 'y', 'yes'");
		out->operator= SPAN("=");
		buf_str(&text, c->negated ? "false" : "true");
		break;
	case PLAN_IS:
		make_value_filter(p, c, first, n, &sql, &text, out);
		break;
	}
	out->sql = ask_text(p->a, &sql);
	out->value = ask_text(p->a, &text);
	if (c->test == PLAN_IS)
		note_named(p, c, first, n, out);
}

static void
add_filter(struct plan *p, struct ask_query *q, const struct plan_condition *c, size_t first, size_t n)
{
	if (q->nfilters == ASK_FILTERS_MAX)
		plan_refuse(p, SAYS_TOO_MANY_CONDITIONS, NULL);
	else
		finish_filter(p, c, first, n, &q->filters[q->nfilters++]);
}

struct span
finish_day(struct plan *p, int32_t day)
{
	char text[11];

	if (day == ASK_OPEN)
		return span_of("", 0);
	ask_period_day(day, text);
	return arena_span(p->a, span_str(text));
}

void
finish_window(struct plan *p, struct ask_query *q, struct plan_column date, int32_t start, int32_t end,
    struct span label)
{
	struct ask_window w = {
		.field = plan_field(p, date), .start = finish_day(p, start), .end = finish_day(p, end), .label = label,
		.one_day = start != ASK_OPEN && end != ASK_OPEN && end - start == 1
	};
	struct ask_filter *f;

	if (date.node == p->root && q->window.field.len == 0) {
		q->window = w;
		return;
	}
	for (unsigned side = 0; side < 2; side++) {
		struct span day = side == 0 ? w.start : w.end;

		if (day.len == 0 || q->nfilters == ASK_FILTERS_MAX)
			continue;
		f = &q->filters[q->nfilters++];
		*f = (struct ask_filter){
			.field = w.field, .operator= side == 0 ? SPAN(">=") : SPAN("<"), .value = day
		};
		f->sql = plan_text(p, "%.*s %s '%.*s'", SPAN_FMT(w.field), side == 0 ? ">=" : "<", SPAN_FMT(day));
	}
}

/* The date that is cut into buckets: the window's, else the source's own. */
static bool
bucket_date(struct plan *p, struct plan_column *out)
{
	const struct ask_source *s = plan_source(p, p->root);
	size_t n;

	for (size_t i = 0; i < p->nperiods; i++)
		if (p->periods[i].date.node == p->root) {
			*out = p->periods[i].date;
			return true;
		}
	*out = (struct plan_column){ p->root, s->time };
	if (s->time != ASK_NONE)
		return true;
	out->column = periods_only_date(s, &n);
	if (n == 0 && p->nperiods == 1)
		*out = p->periods[0].date;
	else if (n > 1 || (n == 0 && !periods_parent_date(p, out))) {
		periods_suggest_dates(p, plan_ask(p, SAYS_WHICH_DATE, NULL));
		return false;
	}
	return true;
}

bool
finish_is_key(const struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, at.node);
	struct span name = s->columns[at.column].names.name;

	return ask_is_foreign(p->m, at.node, name) || (s->ngrain == 1 && span_is(s->grain[0], name));
}

/* Periods come first, and keys that only tell rows of the same name apart last. */
static bool
set_groups(struct plan *p, struct ask_query *q)
{
	for (unsigned pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < p->ndimensions; i++) {
			struct ask_dimension *d = &q->dimensions[q->ndimensions];
			struct plan_column at = p->dimensions[i].at;

			if (pass != (p->dimensions[i].grain >= 0 ? 0u : p->dimensions[i].identity ? 2u : 1u))
				continue;
			if (pass == 0 && !bucket_date(p, &at))
				return false;
			*d = (struct ask_dimension){
				.field = plan_field(p, at), .granularity = span_of("", 0), .time = pass == 0,
				.key = finish_is_key(p, at),
				.entity = at.node != p->root && at.column == plan_source(p, at.node)->label &&
				    plan_column(p, at)->names.label.len == 0
			};
			/* the employees' boss, who is an employee */
			bool role = at.node != p->root && p->m->nodes[at.node].source == plan_root(p);

			d->label = role || p->m->nodes[at.node].label.len > 0 ?
			    plan_column_label(p, at) :
			    ask_label(p->a, &plan_column(p, at)->names);
			if (pass == 0)
				d->label = d->granularity = span_str(ask_unit_of_time(p->dimensions[i].grain));
			d->identity = p->dimensions[i].identity;
			d->keyed = !d->identity && i + 1 < p->ndimensions && p->dimensions[i + 1].identity;
			q->ndimensions++;
		}
	return true;
}

static void
set_windows(struct plan *p, struct ask_query *q)
{
	for (size_t i = 0; i < p->nperiods; i++) {
		const struct ask_item *it = &p->q.items[p->periods[i].item];

		finish_window(p, q, p->periods[i].date, it->period.start, it->period.end, it->text);
	}
}

/* Begin a query of the measures; both: the condition of whose values it takes only one, the one of its side. */
static struct ask_query *
begin_query(struct plan *p, enum ask_role role, const struct plan_condition *both)
{
	struct ask_query *q = &p->out->queries[p->out->nqueries++];

	q->role = role;
	q->nmeasures = p->nmeasures;
	memcpy(q->measures, p->measures, sizeof(q->measures));
	q->no_empty = true;
	for (size_t i = 0; role != ASK_TOTAL && i < p->nconditions; i++)
		if (&p->conditions[i] == both)
			add_filter(p, q, both, role == ASK_FIRST ? 0 : 1, 1);
		else
			add_filter(p, q, &p->conditions[i], 0, p->conditions[i].nvalues);
	return q;
}

/* The two sides of a comparison of periods; the ends of a range are its sides. */
static void
finish_periods(struct plan *p)
{
	const struct ask_item *first = &p->q.items[p->periods[0].item];

	for (size_t side = 0; side < 2; side++) {
		struct ask_query *q = begin_query(p, side == 0 ? ASK_FIRST : ASK_SECOND, NULL);
		bool of_range = p->nperiods == 1;
		const struct ask_item *it = &p->q.items[p->periods[of_range ? 0 : side].item];

		q->label = of_range ? first->period.parts[side].text : it->text;
		finish_window(p, q, p->periods[0].date, of_range ? first->period.parts[side].start : it->period.start,
		    of_range ? first->period.parts[side].end : it->period.end, q->label);
	}
	p->out->shape = ASK_PERIODS;
}

static struct plan_condition *
compared_values(struct plan *p)
{
	for (size_t i = 0; i < p->nconditions; i++)
		if (p->conditions[i].nvalues == 2 && p->compare && !p->conditions[i].negated)
			return &p->conditions[i];
	return NULL;
}

static void
finish_compare(struct plan *p, const struct plan_condition *both)
{
	for (size_t side = 0; side < 2; side++) {
		struct ask_query *q = begin_query(p, side == 0 ? ASK_FIRST : ASK_SECOND, both);

		q->label = both->values[side];
		set_windows(p, q);
	}
	p->out->shape = ASK_COMPARE;
}

static void
finish_share(struct plan *p)
{
	struct ask_query *part;

	if (p->nmeasures != 1 || (p->ndimensions == 0) == (p->nconditions == 0) ||
	    (p->ndimensions == 0 && p->nconditions != 1)) {
		plan_refuse(p, SAYS_WHICH_TOTAL, NULL);
		return;
	}
	part = begin_query(p, ASK_VALUE, NULL);
	set_windows(p, part);
	set_windows(p, begin_query(p, ASK_TOTAL, NULL));
	if (set_groups(p, part))
		p->out->shape = ASK_SHARE;
}

/* The measure that the groups are ranked by: of several, the user says which one. */
static const struct ask_measure *
ranking_measure(struct plan *p)
{
	for (size_t i = 0; i < p->nmeasures; i++)
		if (plan_is_answered(p, p->measures[i].label))
			return &p->measures[i];
	if (p->nmeasures > 1) {
		struct ask_clarification *q =
		    plan_ask(p, SAYS_RANKED_BY, SPANS(p->measures[0].label, p->measures[1].label));

		for (size_t i = 0; i < p->nmeasures; i++)
			plan_suggest(q, p->measures[i].label);
		q->assumption = p->measures[0].label;
	}
	return &p->measures[0];
}

/* The fewest: of the groups that have some, or, where the user says so and no condition empties any, of all of them. */
static void
rank_nothing(struct plan *p, struct ask_query *q)
{
	q->no_empty = p->dimensions[0].at.node == p->root || p->nconditions + p->nperiods > 0 ||
	    !plan_is_answered(p, plan_says(p, SAYS_WITH_NOTHING, NULL));
	if (q->no_empty && !plan_is_answered(p, plan_says(p, SAYS_WITHOUT_NOTHING, NULL)))
		plan_note(p, SAYS_RANKED_SOME, NULL);
}

static void
finish_single(struct plan *p)
{
	struct ask_query *q = begin_query(p, ASK_VALUE, NULL);
	const struct ask_measure *by;

	if (p->nothing)
		rank_nothing(p, q);
	if (!set_groups(p, q))
		return;
	set_windows(p, q);
	if (p->having.is)
		having_filter(p, q);
	p->out->shape = q->ndimensions == 0        ? ASK_SCALAR :
	    q->dimensions[0].time && !p->having.is ? ASK_TIME :
						     ASK_GROUPS;
	if (p->rank + p->order == 0)
		return;
	by = ranking_measure(p);
	q->order_by = by->name.len > 0 ? by->name : by->expr;
	q->descending = p->rank + p->order > 0;
	if (p->rank == 0)
		return;
	q->limit = p->limit;
	q->ties = p->by_rows || p->limit == 1;
	p->out->shape = ASK_RANKING;
}

/* "show me the customers in Germany" asks for rows; the plan could only count them. */
static bool
asks_for_rows(const struct plan *p)
{
	if (p->ndimensions > 0 || p->share || p->compare || p->change)
		return false;
	/* After the entity, "who" only joins a condition. */
	for (size_t i = 0; i < p->q.n && plan_is_word(p, i, ASK_WORD_STOP); i++)
		if (p->q.items[i].arg == ASK_STOP_ROWS || p->q.items[i].arg == ASK_STOP_WHAT || plan_asks_which(p, i))
			return true;
	return false;
}

/* "Who has the most goals" asks for people, and a figure alone names no one. */
static bool
asks_for_people(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n && p->ndimensions == 0 && having_may_lead(p, i); i++) {
		struct span word = plan_word(p, i)->folded;

		if (span_is_str(word, "who") || span_is_str(word, "wer"))
			return true;
	}
	return false;
}

/* "Which states border Maine" asks for states: whether the reading counts them, or has another use for them. */
static bool
asks_for_others(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++) {
		size_t at = i + 1;

		while (at < p->q.n &&
		    (plan_is_word(p, at, ASK_WORD_STOP) || span_begins(p->q.items[at].consumed_by, "segment") ||
			span_begins(p->q.items[at].consumed_by, "value")))
			at++;
		if (plan_asks_which(p, i) && plan_names_any(p, at, ASK_KIND_SOURCE) &&
		    (span_begins(p->q.items[at].consumed_by, "source ") ||
			span_begins(p->q.items[at].consumed_by, "measure ")))
			return true;
	}
	return false;
}

static bool
text_holds(struct span text, struct span part)
{
	for (size_t i = 0; part.len > 0 && i + part.len <= text.len; i++)
		if (span_is_folded(span_of(text.p + i, part.len), part))
			return true;
	return false;
}

/* The only measure gives way to another one of the source, which the user chose. */
static bool
take_another_measure(struct plan *p, size_t but)
{
	const struct ask_source *s = plan_source(p, p->root);

	for (uint32_t i = 0; p->nmeasures == 1 && i < s->nmeasures; i++)
		if (i != but && plan_is_answered(p, ask_label(p->a, &s->measures[i].names))) {
			p->nmeasures = 0;
			measures_add(p, plan_root(p), i);
			return true;
		}
	return false;
}

static bool
ask_another_measure(struct plan *p, const struct ask_source_measure *f, struct span value)
{
	const struct ask_source *s = plan_source(p, p->root);
	struct ask_clarification *q = plan_ask(p, SAYS_DECIDES_ITSELF, SPANS(ask_label(p->a, &f->names), value));

	for (size_t i = 0; i < s->nmeasures; i++)
		plan_suggest(q, ask_label(p->a, &s->measures[i].names));
	return true;
}

/*
 * Whether the measure's own filter excludes the condition's value: void invoices in a count of those that are not
 * void.
 */
static bool
contradicts_measure(struct plan *p)
{
	const struct ask_source *s = plan_source(p, p->root);

	for (size_t i = 0; i < s->nmeasures; i++) {
		const struct ask_source_measure *f = &s->measures[i];
		struct span expr = plan_operand(p, s, f->names.name);
		bool used = false;

		for (size_t k = 0; k < p->nmeasures; k++)
			used |= p->measures[k].name.len == 0 && span_is(p->measures[k].expr, expr);
		for (size_t c = 0; used && c < p->nconditions; c++) {
			const struct plan_condition *d = &p->conditions[c];
			bool held = false;

			if (d->test != PLAN_IS || d->at.node != p->root)
				continue;
			for (size_t g = 0; g <= f->nsegments; g++) {
				struct span held_by = f->filter;

				for (size_t n = 0; g < f->nsegments && n < s->nsegments; n++)
					if (span_is(s->segments[n].names.name, f->segments[g]))
						held_by = s->segments[n].expr;
				held |= text_holds(held_by, s->columns[d->at.column].names.name) &&
				    text_holds(held_by, d->values[0]);
			}
			if (held)
				return !take_another_measure(p, i) && ask_another_measure(p, f, d->values[0]);
		}
	}
	return false;
}

/* Whether field has a single value in every group of q. */
static bool
holds_still(const struct ask_query *q, struct span field)
{
	for (size_t i = 0; i < q->ndimensions; i++)
		if (span_is(q->dimensions[i].field, field) && q->dimensions[i].granularity.len == 0)
			return true;
	for (size_t i = 0; i < q->nfilters; i++)
		if (span_is(q->filters[i].field, field) && span_is_str(q->filters[i].operator, "="))
			return true;
	return q->window.one_day && span_is(q->window.field, field);
}

/* Refuse to sum a measure over a column that forbids it: balances of several days do not add up. */
static void
refuse_sums_over(struct plan *p, const struct ask_query *q)
{
	for (size_t i = 0; i < q->nmeasures; i++)
		for (size_t k = 0; k < q->measures[i].nnone_over; k++) {
			struct span over = q->measures[i].none_over[k];

			if (!holds_still(q,
				plan_text(p, "%.*s.%.*s", SPAN_FMT(p->m->nodes[p->root].name), SPAN_FMT(over))))
				plan_refuse(p, SAYS_NOT_SUMMED_OVER, SPANS(q->measures[i].label, over));
		}
}

void
finish_note_rows(struct plan *p)
{
	const struct ask_source *s = plan_source(p, p->root);
	struct buf rows = { 0 };

	if (!p->inline_measure)
		return;
	if (p->counted && s->measured > 0) {
		locale_put_double(&rows, (double)s->measured, 0, p->q.language != ASK_ENGLISH);
		plan_note(p, SAYS_MEASURED_KEY, SPANS(s->grain[0], s->names.name, ask_text(p->a, &rows)));
	} else if (!p->counted && !plan_has_key(s) &&
	    (span_begins(p->measures[0].name, "sum_") || span_begins(p->measures[0].name, "avg_")))
		plan_note(p, SAYS_KEYLESS, SPANS(s->names.name));
}

/* What no query says, though each part of it could be said. */
static void
refuse_together(struct plan *p, const struct plan_condition *both)
{
	bool sides = p->change || both != NULL;

	/* what the compiler would refuse under query_policy: semantic-layer-only is no reading */
	if (p->m->governed && p->inline_measure && !p->latest)
		plan_refuse(p, SAYS_MEASURES_ONLY, NULL);
	else if (sides &&
	    (p->ndimensions > 0 || p->share || p->rank != 0 || (p->change && both != NULL) || p->nmeasures != 1))
		plan_refuse(p, SAYS_COMPARES_ONE, NULL);
	else if (p->having.is && (sides || p->share || p->rank != 0))
		plan_refuse(p, SAYS_NO_COMBINATION, NULL);
	else if (p->rank != 0 && !p->by_rows && plan_groups(p) != 1)
		plan_refuse(p, SAYS_ONE_RANKING, NULL);
	else if ((p->entity && asks_for_rows(p)) || asks_for_others(p) || asks_for_people(p))
		plan_refuse(p, SAYS_NOT_ROWS, NULL);
	else if (contradicts_measure(p))
		return;
	else if (p->relation && p->ndimensions == 0)
		plan_refuse(p, SAYS_RELATION_BY, NULL);
	else if (p->compare && !sides)
		plan_refuse(p, SAYS_COMPARES_WHAT, NULL);
}

void
finish_plan(struct plan *p)
{
	const struct plan_condition *both = compared_values(p);

	refuse_together(p, both);
	if (p->done)
		return;
	p->out->relation = p->relation;
	if (p->share)
		finish_share(p);
	else if (p->change)
		finish_periods(p);
	else if (both != NULL)
		finish_compare(p, both);
	else
		finish_single(p);
	for (size_t i = 0; i < p->out->nqueries; i++)
		refuse_sums_over(p, &p->out->queries[i]);
	if (p->done)
		return;
	for (size_t i = 0; i < p->nconditions; i++)
		plan_tell_left_out(p, &p->conditions[i]);
	finish_note_rows(p);
	p->out->status = ASK_ANSWER;
	p->out->confidence = p->worst <= ASK_TIER_SYNONYM ? "high" : "medium";
	say_plan(p);
}
