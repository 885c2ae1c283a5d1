#include <string.h>

#include "base/text/locale_text.h"
#include "base/text/parameter_types.h"
#include "cli/show/answer_text.h"

/* A bit for each column whose figures are not all whole. */
static uint64_t
fractions_of(struct view rows)
{
	struct view_iter it = view_iter(rows), cells;
	struct view row, cell;
	uint64_t found = 0;

	while (view_next(&it, &row)) {
		cells = view_iter(row);
		for (unsigned at = 0; at < 64 && view_next(&cells, &cell); at++) {
			struct buf text = { 0 };
			struct decimal d;

			view_text(cell, &text);
			if (decimal_read(buf_view(&text), &d) && d.scale > 0)
				found |= UINT64_C(1) << at;
			buf_fini(&text);
		}
	}
	return found;
}

struct answer_look
answer_look_of(struct arena *a, struct view answer)
{
	return (struct answer_look){
		.german = strcmp(view_cstr(a, view_get(answer, "interpretation.language"), "en"), "de") == 0,
		.granularity = span_str(view_cstr(a, view_get(answer, "interpretation.granularity"), "")),
		.nkeys = view_count(view_get(answer, "interpretation.grain")),
		.fractions = fractions_of(view_get(answer, "rows.data")),
	};
}

static const struct {
	const char *name, *text[2];
} words[ANSWER_WORDS] = {
#define WORD(NAME, english, german) [ANSWER_WORD_##NAME] = { #NAME, { english, german } },
#include "cli/show/answer_text.def"
#undef WORD
};

const char *
answer_word(const struct answer_look *look, enum answer_word word)
{
	return words[word].text[look->german];
}

struct span
answer_outcome(const struct answer_look *look, struct span outcome)
{
	for (size_t i = ANSWER_WORD_passed; i <= ANSWER_WORD_not_applicable; i++)
		if (span_is_str(outcome, words[i].name))
			return span_str(words[i].text[look->german]);
	return outcome;
}

enum answer_cell
answer_put_cell(const struct answer_look *look, struct view cell, size_t column, struct buf *out)
{
	bool is_key = column < look->nkeys;
	struct buf text = { 0 };
	enum answer_cell set = ANSWER_CELL_TEXT;
	struct decimal d;

	view_text(cell, &text);
	if (cell.kind == VIEW_NULL) {
		set = ANSWER_CELL_NONE;
		buf_str(out, is_key ? answer_word(look, ANSWER_WORD_NONE) : "–");
	} else if (!is_key && decimal_read(buf_view(&text), &d)) {
		set = ANSWER_CELL_FIGURE;
		(column < 64 && (look->fractions >> column & 1) != 0 ? locale_put_fractional : locale_put_decimal)(out,
		    &d, 2, look->german);
	} else if (!is_key || look->granularity.len > 0 ||
	    (look->german && parameter_fits(PARAMETER_DATE, buf_view(&text))))
		locale_put_period(out, buf_view(&text), look->granularity, look->german, false);
	else
		buf_span(out, buf_view(&text));
	buf_fini(&text);
	return set;
}
