#include <string.h>

#include "project/model/wiki.h"
#include "project/model/wiki_words.h"

void
wiki_words_begin(struct wiki_words *w, const struct wiki_page *page)
{
	*w = (struct wiki_words){ .rest = page->body, .agent = wiki_is_agents(page) };
}

/* Cut the next cell off a line that begins with the bar before it.  False if absent. */
static bool
cut_cell(struct span *line, struct span *cell)
{
	size_t i = 1;
	bool code = false;

	if (line->len < 2 || line->p[0] != '|')
		return false;
	while (i < line->len && (line->p[i] != '|' || code || line->p[i - 1] == '\\')) {
		code = code != (line->p[i] == '`');
		i++;
	}
	*cell = span_trim(span_of(line->p + 1, i - 1));
	*line = span_of(line->p + i, line->len - i);
	return true;
}

static bool
read_row(struct span line, struct span *first, struct span *second)
{
	return cut_cell(&line, first) && cut_cell(&line, second);
}

/* "---", ":---:" */
static bool
is_rule(struct span cell)
{
	size_t dashes = 0;

	for (size_t i = 0; i < cell.len; i++)
		if (cell.p[i] == '-')
			dashes++;
		else if (cell.p[i] != ':' || (i > 0 && i + 1 < cell.len))
			return false;
	return dashes > 0;
}

/* The line is a table's head when it says so and the next one is the rule below it. */
static bool
begins_table(struct wiki_words *w, struct span line)
{
	struct span first, second, rest = w->rest, next;

	if (!read_row(line, &first, &second) || !span_is_word(first, "word") || !span_is_word(second, "means") ||
	    !span_line(&rest, &next) || !read_row(span_trim(next), &first, &second) || !is_rule(first) ||
	    !is_rule(second))
		return false;
	w->rest = rest;
	return true;
}

/* Read lines up to the next row of such a table.  False if absent. */
static bool
next_row(struct wiki_words *w)
{
	struct span line;

	while (span_line(&w->rest, &line)) {
		line = span_trim(line);
		w->agent = w->agent || wiki_is_addition(line);
		if (wiki_is_fence(line)) {
			w->code = !w->code;
			w->inside = false;
		} else if (w->code)
			continue;
		else if (w->inside && read_row(line, &w->words, &w->cell))
			return true;
		else
			w->inside = begins_table(w, line);
	}
	return false;
}

/* The text in the next backticks of the second cell. */
static bool
next_name(struct wiki_words *w, struct span *name)
{
	while (w->names.len > 0) {
		const uint8_t *open = memchr(w->names.p, '`', w->names.len), *close;
		size_t left = open == NULL ? 0 : w->names.len - (size_t)(open + 1 - w->names.p);

		close = left == 0 ? NULL : memchr(open + 1, '`', left);
		if (close == NULL) {
			w->names.len = 0;
			return false;
		}
		*name = span_trim(span_of(open + 1, (size_t)(close - open) - 1));
		w->names = span_of(close + 1, left - (size_t)(close - open));
		if (name->len > 0 && name->len <= WIKI_WORD_BYTES_MAX)
			return true;
	}
	return false;
}

static bool
next_word(struct wiki_words *w)
{
	while (w->words.len > 0) {
		const uint8_t *comma = memchr(w->words.p, ',', w->words.len);
		size_t n = comma == NULL ? w->words.len : (size_t)(comma - w->words.p);

		w->word = span_trim(span_of(w->words.p, n));
		w->words = comma == NULL ? SPAN_NONE : span_of(comma + 1, w->words.len - n - 1);
		if (w->word.len > 0 && w->word.len <= WIKI_WORD_BYTES_MAX)
			return true;
	}
	return false;
}

bool
wiki_words_next(struct wiki_words *w, struct span *word, struct span *means)
{
	while (w->n < WIKI_WORDS_MAX) {
		if (next_name(w, means)) {
			*word = w->word;
			w->n++;
			return true;
		}
		if (!next_word(w)) {
			if (!next_row(w))
				return false;
			continue;
		}
		w->names = w->cell;
	}
	return false;
}
