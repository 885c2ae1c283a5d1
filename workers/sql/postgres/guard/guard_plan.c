/*
 * guard_plan.c - see guard_plan.h.  The server writes one member of the JSON
 * per line, and a string of JSON contains no line break: text from the
 * statement cannot be mistaken for a line of the plan.
 */
#include "workers/sql/postgres/guard/guard_plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_weight.h"

#define DEPTH_MAX     512u  /* nested objects */
#define ROW_BYTES     24.0  /* overhead of one value that is kept */
#define WIDENED       2.0   /* json and text forms of a stored value are larger by this factor */
#define OUT_OF_LINE   18.0  /* bytes of the pointer that stands for a value stored out of line */
#define ROWS_PER_COST 100.0 /* cpu_tuple_cost: a scan costs at least this for each row */

enum kind { KIND_OTHER, KIND_SCAN, KIND_JOIN, KIND_HASH_JOIN, KIND_ALL, KIND_AGGREGATE, KIND_SET, KIND_RECURSION };

static const struct {
	const char *name;
	enum kind kind;
} kinds[] = {
	{"Seq Scan", KIND_SCAN},
	{"Sample Scan", KIND_SCAN},
	{"Index Scan", KIND_SCAN},
	{"Index Only Scan", KIND_SCAN},
	{"Bitmap Heap Scan", KIND_SCAN},
	{"Tid Scan", KIND_SCAN},
	{"Nested Loop", KIND_JOIN},
	{"Merge Join", KIND_JOIN},
	{"Hash Join", KIND_HASH_JOIN},
	{"Append", KIND_ALL},
	{"Merge Append", KIND_ALL},
	{"Aggregate", KIND_AGGREGATE},
	{"WindowAgg", KIND_AGGREGATE},
	{"SetOp", KIND_SET},
	{"Recursive Union", KIND_RECURSION},
};

/* One object: a step of the plan, with the sums over the steps below it. */
struct plan_step {
	enum kind kind;
	bool step, aside, with, gathers, one_row, hashed_set, hashed_below, expression;
	double rows, width, cost, stored;
	double product, sum, most, inputs; /* of the rows of the steps below; inputs: how many there are */
	double child_width;                /* the widest step below */
	double held;                       /* bytes per row that aggregates below gathered, not in `width` */
	double last_bytes, last_width;     /* of the last step below */
	double aside_bytes, aside_width;   /* of the sub-selects of this step, without WITH queries */
	double aside_held;
};

struct guard_plan {
	const struct guard_memory *m;
	const struct guard_plan_stored *stored;
	size_t nstored;
	struct plan_step steps[DEPTH_MAX];
	unsigned depth;
	bool too_deep;
	double width; /* width of the widest row of a step that keeps too many rows; 0: none */
};

struct plan_line {
	struct span key, value; /* value without its comma; a string without its quotes */
	bool opens, closes;
};

static bool
next_line(struct span *rest, struct plan_line *l)
{
	const uint8_t *end;
	struct span s;

	if (rest->len == 0)
		return false;
	end = memchr(rest->p, '\n', rest->len);
	s = span_of(rest->p, end == NULL ? rest->len : (size_t)(end - rest->p));
	*rest = end == NULL ? span_of("", 0) : span_of(end + 1, rest->len - s.len - 1);
	while (s.len > 0 && s.p[0] == ' ')
		s = span_of(s.p + 1, s.len - 1);
	if (s.len > 0 && s.p[s.len - 1] == ',')
		s.len--;
	*l = (struct plan_line){ .key = span_of("", 0), .value = s };
	if (s.len > 1 && s.p[0] == '"') {
		const uint8_t *quote = memchr(s.p + 1, '"', s.len - 1);

		if (quote != NULL && (size_t)(quote - s.p) + 3 <= s.len && quote[1] == ':' && quote[2] == ' ') {
			l->key = span_of(s.p + 1, (size_t)(quote - s.p) - 1);
			l->value = span_of(quote + 3, s.len - (size_t)(quote + 3 - s.p));
		}
	}
	l->opens = l->value.len == 1 && l->value.p[0] == '{';
	l->closes = l->key.len == 0 && l->value.len == 1 && l->value.p[0] == '}';
	if (l->value.len > 1 && l->value.p[0] == '"')
		l->value = span_of(l->value.p + 1, l->value.len - 2);
	return true;
}

static double
number_of(struct span s)
{
	char text[40];

	if (s.len == 0 || s.len >= sizeof(text))
		return 0;
	memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	return fmax(strtod(text, NULL), 0);
}

static bool
guard_plan_holds(struct span s, const char *word)
{
	return memmem(s.p, s.len, word, strlen(word)) != NULL;
}

/* A condition on plain columns has only names, casts and =; "(lower(a.x) = b.y)" calls a function. */
static bool
has_expression(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (memchr("*+-/|'%<>", s.p[i], 9) != NULL)
			return true;
		if (s.p[i] == '(' && i > 0 && s.p[i - 1] != '(' && s.p[i - 1] != ' ')
			return true;
	}
	return false;
}

static void
read_member(const struct guard_plan *p, struct plan_step *s, const struct plan_line *l)
{
	if (span_is_str(l->key, "Node Type")) {
		s->step = true;
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (span_is_str(l->value, kinds[i].name))
				s->kind = kinds[i].kind;
	} else if (span_is_str(l->key, "Plan Rows"))
		s->rows = number_of(l->value);
	else if (span_is_str(l->key, "Plan Width"))
		s->width = number_of(l->value);
	else if (span_is_str(l->key, "Total Cost"))
		s->cost = number_of(l->value);
	else if (span_is_str(l->key, "Strategy")) {
		s->hashed_set = span_is_str(l->value, "Hashed");
		s->one_row = span_is_str(l->value, "Plain");
	} else if (span_is_str(l->key, "Output") || span_is_str(l->key, "Filter"))
		s->gathers = s->gathers || guard_memory_tells_gathering(l->value);
	else if (span_is_str(l->key, "Parent Relationship"))
		s->aside = span_is_str(l->value, "SubPlan") || span_is_str(l->value, "InitPlan");
	else if (span_is_str(l->key, "Subplan Name"))
		s->with = l->value.len > 4 && memcmp(l->value.p, "CTE ", 4) == 0;
	else if (span_is_str(l->key, "Hash Cond"))
		s->expression = has_expression(l->value);
	else if (span_is_str(l->key, "Relation Name")) {
		for (size_t i = 0; i < p->nstored; i++)
			if (span_is(p->stored[i].name, l->value))
				s->stored = fmax(s->stored, p->stored[i].bytes);
	}
	if (guard_plan_holds(l->value, "hashed SubPlan"))
		s->hashed_below = true;
}

/* The largest number of rows that the step may return. */
static double
rows_of(const struct guard_plan *p, const struct plan_step *s)
{
	double doubted = fmax(s->rows, 1) * p->m->doubt * p->m->made;

	if (s->kind == KIND_AGGREGATE && s->one_row)
		return 1;
	if (s->inputs == 0)
		return s->kind == KIND_SCAN ? fmin(doubted, fmax(s->rows, s->cost * ROWS_PER_COST)) : doubted;
	switch (s->kind) {
	case KIND_JOIN:
	case KIND_HASH_JOIN:
		return fmin(doubted, fmax(s->product, 1));
	case KIND_ALL:
	case KIND_RECURSION:
		return fmin(doubted, fmax(s->sum, 1));
	default:
		return fmin(doubted, fmax(s->most, 1));
	}
}

/* Notes a step that keeps that many bytes in rows of that width. */
static void
guard_plan_keep(struct guard_plan *p, double bytes, double width)
{
	if (bytes > GUARD_GATHERED_MAX || p->m->recurs)
		p->width = fmax(p->width, width);
}

static void
guard_plan_finish(struct guard_plan *p, struct plan_step *s, struct plan_step *above)
{
	double rows = rows_of(p, s), width, bytes, each = ROW_BYTES + p->m->bytes;

	if (s->stored > 0 && s->width >= OUT_OF_LINE)
		s->held += s->stored;
	width = s->child_width + s->aside_held;
	bytes = s->most * (each + width);
	if (s->kind == KIND_AGGREGATE && s->gathers && s->inputs > 0) {
		guard_plan_keep(p, bytes, each + width);
		s->held = bytes / fmax(s->rows, 1);
	} else if ((s->kind == KIND_SET && s->hashed_set) || (s->kind == KIND_RECURSION && p->m->distinct))
		guard_plan_keep(p, bytes, each + width);
	else if (s->kind == KIND_HASH_JOIN && s->expression)
		guard_plan_keep(p, s->last_bytes, s->last_width);
	/* In the plan, ARRAY(SELECT …) and a scalar sub-select are both sub-plans of this step. */
	if ((s->hashed_below || p->m->gathers) && s->aside_bytes > 0)
		guard_plan_keep(p, s->aside_bytes, s->aside_width);
	if (above == NULL)
		return;
	width = s->width * WIDENED + s->held;
	if (s->aside) {
		if (!s->with) {
			above->aside_bytes += rows * (each + width);
			above->aside_width = fmax(above->aside_width, each + width);
		}
		above->aside_held += s->held;
		above->held += s->held;
		return;
	}
	above->product = (above->inputs == 0 ? 1 : above->product) * rows;
	above->sum += rows;
	above->most = fmax(above->most, rows);
	above->inputs++;
	above->child_width = fmax(above->child_width, width);
	above->held += s->held;
	/* The estimate for a join's input is taken as it is, except for the rows that functions return. */
	above->last_bytes = fmax(s->rows, 1) * p->m->made * (each + width);
	above->last_width = each + width;
}

/* An object that is no step passes the sums of its children on to its parent. */
static void
pass_on(const struct plan_step *s, struct plan_step *above)
{
	if (above == NULL)
		return;
	above->product = s->inputs == 0 ? above->product : (above->inputs == 0 ? 1 : above->product) * s->product;
	above->sum += s->sum;
	above->most = fmax(above->most, s->most);
	above->inputs += s->inputs;
	above->child_width = fmax(above->child_width, s->child_width);
	above->held += s->held;
}

static void
read_line(struct guard_plan *p, const struct plan_line *l)
{
	if (l->opens) {
		if (p->depth == DEPTH_MAX)
			p->too_deep = true;
		else
			p->steps[p->depth++] = (struct plan_step){ .width = 0 };
	} else if (p->depth == 0 || p->too_deep)
		return;
	else if (l->closes) {
		struct plan_step *s = &p->steps[--p->depth], *above = p->depth > 0 ? s - 1 : NULL;

		if (s->step)
			guard_plan_finish(p, s, above);
		else
			pass_on(s, above);
	} else
		read_member(p, &p->steps[p->depth - 1], l);
}

bool
guard_plan_is_needed(const struct guard_memory *m)
{
	return m->gathers || m->hashes || m->distinct;
}

/* The time in which GUARD_PLAN_BYTES are gathered. */
static uint64_t
ms_of(double width)
{
	double ms = GUARD_PLAN_BYTES / (GUARD_PLAN_ROWS * fmax(width, ROW_BYTES)) * 1000;

	return ms < GUARD_PLAN_LEAST_MS ? GUARD_PLAN_LEAST_MS : (uint64_t)ms;
}

uint64_t
guard_plan_ms(struct span json, const struct guard_memory *m, const struct guard_plan_stored *stored, size_t nstored)
{
	struct guard_plan *p = mem_new(1, sizeof(*p));
	uint64_t ms = GUARD_PLAN_UNBOUNDED;
	struct plan_line l;

	p->m = m;
	p->stored = stored;
	p->nstored = nstored;
	while (next_line(&json, &l))
		read_line(p, &l);
	if (p->too_deep || p->depth != 0)
		ms = GUARD_PLAN_LEAST_MS;
	else if (p->width > 0)
		ms = ms_of(p->width);
	free(p);
	return ms;
}

void
guard_plan_relations(struct span json, struct buf *out)
{
	struct plan_line l;
	bool any = false;

	while (next_line(&json, &l))
		if (span_is_str(l.key, "Relation Name") && l.value.len <= 128) {
			/* For quotes and backslashes, JSON and array literals have the same escapes. */
			buf_printf(out, "%s\"%.*s\"", any ? "," : "", SPAN_FMT(l.value));
			any = true;
		}
}
