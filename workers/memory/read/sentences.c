#include <string.h>

#include "base/ascii.h"
#include "project/model/wiki.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/sentences.h"
#include "workers/memory/read/words_note.h"

/* The current paragraph. */
struct page_reader {
	struct sentences	*out;
	const uint8_t		*prose;		/* NULL: none */
	bool			 item, quote;	/* a list item; within a quotation */
	bool			 comment;	/* within "<!--" */
	unsigned		 block, group;
};

static struct sentence *
add_sentence(struct page_reader *r, enum sentence_kind kind, struct span text)
{
	struct sentences *out = r->out;

	text = span_trim(text);
	if (text.len == 0)
		return NULL;
	if (out->n == SENTENCES_MAX) {
		out->cut = true;
		return NULL;
	}
	out->v[out->n] = (struct sentence){ .kind = kind, .text = text, .block = r->block, .group = r->group };
	return &out->v[out->n++];
}

/* Whether the full stop at s.p[at] belongs to the word before it. */
static bool
is_abbreviated(struct span s, size_t at)
{
	size_t start = at;

	while (start > 0 && !ascii_is_space(s.p[start - 1]) && strchr("(,", s.p[start - 1]) == NULL)
		start--;
	return at - start < 2 || span_is_any_word(span_of(s.p + start, at - start), words_abbreviations);
}

/* Struck out or commented out; *comment carries over to the next paragraph. */
static bool
is_taken_back(struct span s, bool *comment)
{
	static const char *const marks[] = { "~~", "<del", "<s>", "<strike" };
	const uint8_t *open = memmem(s.p, s.len, "<!--", 4), *close = memmem(s.p, s.len, "-->", 3);
	bool hidden = *comment || open != NULL || close != NULL;

	if (open != NULL || close != NULL)
		*comment = open != NULL && (close == NULL || close < open);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		hidden = hidden || memmem(s.p, s.len, marks[i], strlen(marks[i])) != NULL;
	return hidden;
}

static void
add_prose(struct page_reader *r, struct span text, bool hidden)
{
	struct sentence *s = add_sentence(r, SENTENCE_PROSE, text);
	size_t end;

	if (s == NULL)
		return;
	for (end = s->text.len; end > 0 && strchr("*_`\"')", s->text.p[end - 1]) != NULL; end--)
		;
	s->open = end > 0 && strchr(".!?", s->text.p[end - 1]) == NULL;
	s->quoted = r->quote || hidden;
}

static void
add_paragraph(struct page_reader *r, struct span s)
{
	bool hidden = is_taken_back(s, &r->comment);
	size_t start = 0, n;

	for (size_t i = 0; i < s.len; i += n) {
		const uint8_t *end;

		n = 1;
		if (s.p[i] == '`' && i + 1 < s.len && (end = memchr(s.p + i + 1, '`', s.len - i - 1)) != NULL)
			n = (size_t)(end + 1 - (s.p + i));
		if (strchr(".!?", s.p[i]) == NULL || s.p[i] == '\0' || (i + 1 < s.len && !ascii_is_space(s.p[i + 1])) ||
		    (s.p[i] == '.' && is_abbreviated(s, i)))
			continue;
		add_prose(r, span_of(s.p + start, i + 1 - start), hidden);
		start = i + 1;
	}
	add_prose(r, formula_from(s, start), hidden);
	r->block++;
}

/* The paragraph ends before the line at raw. */
static void
end_paragraph(struct page_reader *r, const uint8_t *raw)
{
	if (r->prose != NULL)
		add_paragraph(r, span_of(r->prose, (size_t)(raw - r->prose)));
	r->prose = NULL;
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

/* The level of a heading whose underline is this line of = or -; 0: none. */
static unsigned
underline_level(struct span line)
{
	size_t n = 0;

	while (n < line.len && line.p[n] == line.p[0])
		n++;
	return line.len < 2 || n < line.len ? 0 : line.p[0] == '=' ? 1 : line.p[0] == '-' ? 2 : 0;
}

/* "---", "* * *": a thematic break. */
static bool
is_rule(struct span line)
{
	size_t marks = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.p[i] != line.p[0] && line.p[i] != ' ')
			return false;
		marks += line.p[i] == line.p[0];
	}
	return marks >= 3 && strchr("-*_", line.p[0]) != NULL;
}

static void
add_heading(struct page_reader *r, struct span text, unsigned level)
{
	struct sentence *s;

	r->group++;
	if ((s = add_sentence(r, SENTENCE_HEADING, text)) != NULL)
		s->level = level;
	r->block++;
	r->group++;
}

static void
read_text_line(struct page_reader *r, struct span s, const uint8_t *raw)
{
	unsigned level = 0;

	if (r->prose != NULL && !r->item && !r->quote && (level = underline_level(s)) > 0) {
		add_heading(r, span_of(r->prose, (size_t)(raw - r->prose)), level);
		r->prose = NULL;
		return;
	}
	if (is_rule(s))
		s.len = 0;
	if (s.len == 0 || s.p[0] == '#' || s.p[0] == '|' || is_item(s) || (s.p[0] == '>' && !r->quote))
		end_paragraph(r, raw);
	if (s.len == 0) {
		r->group++;
		return;
	}
	if (s.p[0] == '#') {
		while (s.len > 0 && s.p[0] == '#') {
			s = formula_from(s, 1);
			level++;
		}
		add_heading(r, s, level);
	} else if (s.p[0] == '|') {
		(void)add_sentence(r, SENTENCE_ROW, s);
		r->block++;
	} else if (r->prose == NULL) {
		r->item = is_item(s);
		r->quote = s.p[0] == '>';
		r->prose = without_bullet(s).p;
	}
}

int
sentences_read(struct arena *a, struct span above, struct span content, struct sentences *out)
{
	struct page_reader r = { .out = out };
	struct span rest = content, line;
	const uint8_t *code = NULL, *end = content.p + content.len;

	*out = (struct sentences){ .v = arena_array(a, SENTENCES_MAX, sizeof(*out->v)) };
	if (out->v == NULL)
		return -1;
	while (span_line(&above, &line))
		add_heading(&r, line, 0);
	while (span_line(&rest, &line)) {
		const uint8_t *raw = line.p;
		struct span s = span_trim(line);

		if (code != NULL) {
			if (!wiki_is_fence(s))
				continue;
			(void)add_sentence(&r, SENTENCE_CODE, span_of(code, (size_t)(raw - code)));
			r.block++;
			code = NULL;
		} else if (wiki_is_fence(s)) {
			end_paragraph(&r, raw);
			code = rest.len > 0 ? rest.p : end;
		} else
			read_text_line(&r, s, raw);
	}
	end_paragraph(&r, end);
	if (code != NULL)
		(void)add_sentence(&r, SENTENCE_CODE, span_of(code, (size_t)(end - code)));
	return 0;
}

/* The highest level of the headings strictly between the two; 7: none. */
static unsigned
level_between(const struct sentences *s, size_t from, size_t to)
{
	unsigned level = 7;

	for (size_t i = from + 1; i < to; i++)
		if (s->v[i].kind == SENTENCE_HEADING && s->v[i].level < level)
			level = s->v[i].level;
	return level;
}

bool
sentences_is_over(const struct sentences *s, size_t over, size_t at)
{
	if (over > at)
		return level_between(s, at, over + 1) == 7;
	if (s->v[over].kind == SENTENCE_HEADING) {
		/* A heading without text below it also applies to the next section. */
		while (over + 1 < at && s->v[over + 1].kind == SENTENCE_HEADING &&
		    s->v[over + 1].level <= s->v[over].level && s->v[over].level > 0)
			over++;
		return s->v[over].level == 0 || s->v[over].level < level_between(s, over, at);
	}
	for (size_t k = over; k-- > 0;)
		if (s->v[k].kind == SENTENCE_HEADING)
			return s->v[k].level < level_between(s, over, at);
	return true;
}

size_t
sentences_heading(const struct sentences *s, size_t at)
{
	while (at-- > 0)
		if (s->v[at].kind == SENTENCE_HEADING)
			return at;
	return s->n;
}

struct span
sentences_title(const struct sentences *s, size_t at)
{
	size_t heading = sentences_heading(s, at), n = 0;
	struct span text = heading < s->n && s->v[heading].level > 0 ? s->v[heading].text : SPAN_NONE;

	while (n < text.len && (ascii_is_digit(text.p[n]) || strchr(".)", text.p[n]) != NULL))
		n++;
	/* "2024" is a year, not a section number. */
	return n > 0 && n < 4 && n < text.len && text.p[n] == ' ' ? span_trim(formula_from(text, n)) : text;
}
