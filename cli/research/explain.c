#include "cli/research/explain.h"
#include "cli/show/table_text.h"
#include "cli/say.h"

static void
text_cell(struct text_table *t, struct view v)
{
	struct buf text = { 0 };

	view_text(v, &text);
	table_cell(t, buf_view(&text));
	buf_fini(&text);
}

/* The texts of an array, joined. */
static void
joined(struct view list, const char *between, struct buf *out)
{
	struct view_iter it = view_iter(list);
	struct view one;
	bool first = true;

	while (view_next(&it, &one)) {
		if (!first)
			buf_str(out, between);
		first = false;
		view_text(one, out);
	}
}

static void
explain_reason(struct text_table *t, struct view reason)
{
	struct buf text = { 0 };

	table_row(t);
	table_cell(t, SPAN(""));
	joined(view_get(reason, "words"), " ", &text);
	table_cell(t, buf_view(&text));
	text_cell(t, view_get(reason, "found"));
	table_cellf(t, "%.2f", view_number(view_get(reason, "score"), 0));
	text.len = 0;
	joined(view_get(reason, "in"), ", ", &text);
	if (view_count(view_get(reason, "above")) > 0) {
		buf_str(&text, text.len > 0 ? "; parent's " : "parent's ");
		joined(view_get(reason, "above"), ", ", &text);
	}
	table_cell(t, buf_view(&text));
	buf_fini(&text);
}

/* The terms of one lane's score. */
static int
explain_sum(struct cli *cli, struct view lane)
{
	struct view_iter it = view_iter(view_get(lane, "familyWords"));
	struct view one;
	int code = cli_print(
	    "    by its words %.2f (%.0f %% kept), family %.2f, connection %.2f, x %.2f for others of its family;"
	    " the family has:",
	    view_number(view_get(lane, "matched"), 0), 100 * view_number(view_get(lane, "kept"), 0),
	    view_number(view_get(lane, "family"), 0), view_number(view_get(lane, "connection"), 0),
	    view_number(view_get(lane, "spread"), 0));

	while (code == CLI_OK && view_next(&it, &one))
		code = cli_print(" %s", view_cstr(cli->arena, one, ""));
	return code != CLI_OK ? code : cli_print("\n");
}

/* A lane, or several that are the same but for their names. */
static int
explain_lane(struct cli *cli, struct view lane, const char *names, bool several)
{
	static const char *const headers[] = { " ", "ASKED", "FOUND", "SCORE", "WHERE", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(lane, "reasons"));
	struct view one;
	int code;

	code = cli_print("  %s lane%s: place %.0f with %.2f, which adds %.6f%s; answers %.0f %% of the question\n",
	    names, several ? "s" : "", view_number(view_get(lane, "rank"), 0), view_number(view_get(lane, "score"), 0),
	    view_number(view_get(lane, "contribution"), 0), several ? " each" : "",
	    100 * view_number(view_get(lane, "share"), 0));
	if (code == CLI_OK)
		code = explain_sum(cli, lane);
	if (code != CLI_OK)
		return code;
	while (view_next(&it, &one))
		explain_reason(t, one);
	if ((code = cli_table(t)) != CLI_OK)
		return code;
	it = view_iter(view_get(lane, "fields"));
	code = cli_print("    by field:");
	while (code == CLI_OK && view_next(&it, &one))
		code = cli_print(" %s %.2f", view_cstr(cli->arena, view_get(one, "field"), ""),
		    view_number(view_get(one, "score"), 0));
	return code != CLI_OK ? code : cli_print("\n");
}

/* Without guessed words the lexical and the fuzzy lane differ in their names alone. */
static bool
is_same_lane(struct view a, struct view b)
{
	struct view_iter it = view_iter(a), jt = view_iter(b);
	struct span key, other;
	struct view x, y;
	bool same = true;

	while (same && view_next_member(&it, &key, &x) && view_next_member(&jt, &other, &y))
		same = span_is(key, other) && (span_is_str(key, "lane") || span_is(x.raw, y.raw));
	return same;
}

static int
explain_ref(struct cli *cli, struct view ref, unsigned place)
{
	struct view_iter it = view_iter(view_get(ref, "lanes"));
	struct buf id = { 0 }, safe = { 0 };
	struct view lane, next;
	int code;

	view_text(view_get(ref, "id"), &id);
	table_safe(buf_view(&id), false, &safe);
	code = cli_print("%s%u. %s (%s): score %.6f; name x %.2f\n", place > 1 ? "\n" : "", place, buf_cstr(&safe),
	    view_cstr(cli->arena, view_get(ref, "kind"), ""), view_number(view_get(ref, "score"), 0),
	    view_number(view_get(ref, "nameBonus"), 0));
	buf_fini(&id);
	buf_fini(&safe);
	for (bool more = view_next(&it, &lane); code == CLI_OK && more; lane = next) {
		const char *names = view_cstr(cli->arena, view_get(lane, "lane"), "");
		bool several = false;

		while ((more = view_next(&it, &next)) && is_same_lane(lane, next)) {
			names = arena_printf(cli->arena, "%s and %s", names,
			    view_cstr(cli->arena, view_get(next, "lane"), ""));
			several = true;
		}
		code = explain_lane(cli, lane, names != NULL ? names : "", several);
	}
	return code;
}

int
explain_show(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "WORD", "WEIGHT", "STANDS FOR", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "words"));
	struct view one, variant;
	unsigned place = 0;
	int code;

	while (view_next(&it, &one)) {
		struct view_iter variants = view_iter(view_get(one, "standsFor"));
		struct buf text = { 0 };

		while (view_next(&variants, &variant)) {
			buf_str(&text, text.len > 0 ? ", " : "");
			view_text(view_get(variant, "word"), &text);
			buf_printf(&text, " %s%.2f", view_true(view_get(variant, "guessed")) ? "~" : "",
			    view_number(view_get(variant, "likeness"), 0));
		}
		table_row(t);
		text_cell(t, view_get(one, "word"));
		table_cellf(t, "%.2f", view_number(view_get(one, "weight"), 0));
		table_cell(t, buf_view(&text));
		buf_fini(&text);
	}
	if ((code = cli_table(t)) == CLI_OK)
		code = cli_write(SPAN("\n"));
	it = view_iter(view_get(result, "refs"));
	while (code == CLI_OK && view_next(&it, &one))
		code = explain_ref(cli, one, ++place);
	return code == CLI_OK && place == 0 ? cli_print("Nothing found.\n") : code;
}
