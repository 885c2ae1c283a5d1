#include "front/calls/team_values.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json/cell.h"
#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "base/utf8.h"
#include "front/calls/team_arguments.h"
#include "front/calls/tool_result_parts.h"

#define SHOWN_MOST	40u	/* bytes of a value that an error repeats */
#define PER_MILLE_LEAST	250u	/* of the pairs of letters that near values share */
#define CONTAINED	1000u	/* nearness of a value that contains the other one */

void
team_values_put_call(const struct tool_entry *query, const struct mp_value *value, struct buf *out)
{
	struct buf arguments = { 0 };

	mp_put_pairs(&arguments, mp_when(value != NULL, mp_raw("value", value != NULL ? value->raw : SPAN_NONE)));
	team_arguments_put_call(query, buf_view(&arguments), false, out);
	buf_fini(&arguments);
}

/* The next row's value as text, in out; NULL is left out.  False: no more. */
static bool
next_value(struct tool_result *r, struct buf *out)
{
	struct mp_value row, cell;
	struct mp_iter cells;

	while (result_rows_have(r) && mp_next(&r->rows, &row)) {
		cells = mp_iter(&row);
		if (row.class != MP_ARRAY || !mp_next(&cells, &cell) || cell.class == MP_NIL)
			continue;
		out->len = 0;
		cell_put_text(out, &cell);
		return true;
	}
	return false;
}

/* Where part begins in whole, ASCII letters of any case; SIZE_MAX: nowhere. */
static size_t
place_in(struct span whole, struct span part)
{
	for (size_t at = 0; at + part.len <= whole.len; at++) {
		size_t i = 0;

		while (i < part.len && ascii_lower(whole.p[at + i]) == ascii_lower(part.p[i]))
			i++;
		if (i == part.len)
			return at;
	}
	return SIZE_MAX;
}

/* The values that contain what was typed: written in two rounds, those that begin with it in the first. */
struct found_values {
	struct span	typed;
	size_t		most, written, total;
	struct buf	*out;
};

static void
note_value(struct found_values *f, struct span value, bool again)
{
	size_t at = place_in(value, f->typed);

	if (at == SIZE_MAX || !utf8_valid(value.p, value.len))
		return;
	f->total += !again;
	if ((at > 0) != again || f->written == f->most)
		return;
	json_put_str(f->out, NULL, value);
	f->written++;
}

static void
end_found(struct found_values *f, bool unseen)
{
	json_end_list(f->out);
	json_put_uint(f->out, "total", f->total);
	json_put_bool(f->out, "hasMore", unseen || f->total > f->written);
}

void
team_values_put(struct tool_result *all, struct span typed, size_t most, struct buf *out)
{
	struct found_values f = { .typed = typed, .most = most, .out = out };
	struct result_facts facts;
	struct buf value = { 0 };

	(void)result_facts(all, &facts);
	json_put_list(out, "values");
	for (unsigned round = 0; round < 2; round++) {
		result_rows_rewind(all);
		while (next_value(all, &value))
			note_value(&f, buf_view(&value), round == 1);
	}
	end_found(&f, facts.truncated);
	buf_fini(&value);
}

void
team_values_put_listed(const struct mp_value *listed, struct span typed, size_t most, struct buf *out)
{
	struct found_values f = { .typed = typed, .most = most, .out = out };
	struct buf text = { 0 };
	struct mp_value v;

	json_put_list(out, "values");
	for (unsigned round = 0; round < 2 && listed->class == MP_ARRAY; round++)
		for (struct mp_iter it = mp_iter(listed); mp_next(&it, &v);) {
			text.len = 0;
			cell_put_text(&text, &v);
			note_value(&f, buf_view(&text), round == 1);
		}
	end_found(&f, false);
	buf_fini(&text);
}

/* How many pairs of neighbouring bytes of a are also b's, each of b's counted once. */
static size_t
shared_pairs(struct span a, struct span b)
{
	uint8_t left[256] = { 0 };
	size_t n = 0;

	/* A pair is known by a hash of eight bits: two that collide make texts look a little nearer than they are. */
	for (size_t i = 0; i + 1 < b.len; i++) {
		uint8_t *k = &left[(uint8_t)(ascii_lower(b.p[i]) * 31 + ascii_lower(b.p[i + 1]))];

		*k = (uint8_t)(*k + (*k < UINT8_MAX));
	}
	for (size_t i = 0; i + 1 < a.len; i++) {
		uint8_t *k = &left[(uint8_t)(ascii_lower(a.p[i]) * 31 + ascii_lower(a.p[i + 1]))];

		n += *k > 0;
		*k = (uint8_t)(*k - (*k > 0));
	}
	return n;
}

static unsigned
measure_nearness(struct span asked, struct span value)
{
	size_t pairs = (asked.len > 0 ? asked.len - 1 : 0) + (value.len > 0 ? value.len - 1 : 0);

	if (asked.len > 0 && value.len > 0 &&
	    (place_in(value, asked) != SIZE_MAX || place_in(asked, value) != SIZE_MAX))
		return CONTAINED;
	return pairs == 0 ? 0 : (unsigned)(2000 * shared_pairs(asked, value) / pairs);
}

struct near_values {
	size_t		n;
	struct {
		unsigned	nearness;
		char		text[SHOWN_MOST + 1];
	} v[TEAM_VALUES_NEAR];
};

/* Keep the nearest, the earlier one of two alike. */
static void
keep_value(struct near_values *near, struct span value, unsigned how_near)
{
	size_t at = near->n, len = utf8_cut(value.p, value.len, SHOWN_MOST);

	if (value.len > SHOWN_MOST)
		return;
	while (at > 0 && near->v[at - 1].nearness < how_near)
		at--;
	if (at == TEAM_VALUES_NEAR)
		return;
	near->n += near->n < TEAM_VALUES_NEAR;
	memmove(&near->v[at + 1], &near->v[at], (near->n - at - 1) * sizeof(near->v[0]));
	near->v[at].nearness = how_near;
	memcpy(near->v[at].text, value.p, len);
	near->v[at].text[len] = '\0';
}

/* "is not one of the values of customers.region; near: \"EU\", \"EMEA\"", or "such as". */
static void
put_issue(const struct tool_values *of, const struct near_values *near, struct schema_result *out)
{
	struct schema_issue *issue = &out->issues[0];
	bool any = near->n > 0 && near->v[0].nearness >= PER_MILLE_LEAST;
	struct buf text = { 0 }, one = { 0 };

	*out = (struct schema_result){ .total = 1 };
	snprintf(issue->path, sizeof(issue->path), "%.*s", (int)of->parameter.len, (const char *)of->parameter.p);
	buf_printf(&text, "is not one of the values of %.*s", (int)(of->dimension.len < 60 ? of->dimension.len : 60),
	    (const char *)of->dimension.p);
	for (size_t i = 0; i < near->n && (!any || near->v[i].nearness >= PER_MILLE_LEAST); i++) {
		one.len = 0;
		json_write_string(&one, span_str(near->v[i].text));
		if (i == 0 && one.len < sizeof(issue->example))
			snprintf(issue->example, sizeof(issue->example), "%s", buf_cstr(&one));
		if (text.len + one.len + sizeof("; such as ") < sizeof(issue->problem))
			buf_printf(&text, "%s%s", i > 0 ? ", " : any ? "; near: " : "; such as ", buf_cstr(&one));
	}
	snprintf(issue->problem, sizeof(issue->problem), "%s", buf_cstr(&text));
	buf_fini(&text);
	buf_fini(&one);
}

bool
team_values_have(struct tool_result *all, const struct tool_values *of, const struct mp_value *value,
    struct schema_result *issues)
{
	struct near_values near = { .n = 0 };
	struct buf asked = { 0 }, one = { 0 };
	bool found = false;

	cell_put_text(&asked, value);
	result_rows_rewind(all);
	while (!found && next_value(all, &one)) {
		found = span_is(buf_view(&one), buf_view(&asked));
		if (utf8_valid(one.p, one.len))
			keep_value(&near, buf_view(&one), measure_nearness(buf_view(&asked), buf_view(&one)));
	}
	if (!found)
		put_issue(of, &near, issues);
	buf_fini(&asked);
	buf_fini(&one);
	return found;
}
