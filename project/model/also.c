#include <string.h>

#include "base/ascii.h"
#include "project/model/also.h"

#define CALLED	"also called"

/* True when a sentence may begin at p[at]. */
static bool
is_beginning(struct span s, size_t at)
{
	bool gap = at == 0;

	while (at > 0 && ascii_is_space(s.p[at - 1])) {
		gap = true;
		at--;
	}
	if (at == 0)
		return true;
	return s.p[at - 1] == '(' || (gap && strchr(".!?:;", s.p[at - 1]) != NULL && s.p[at - 1] != '\0');
}

/* The dot at p[at] belongs to a name: it follows a word that has another one. */
static bool
is_inner_dot(struct span s, size_t from, size_t at)
{
	for (size_t i = at; i > from && !ascii_is_space(s.p[i - 1]) && s.p[i - 1] != ','; i--)
		if (s.p[i - 1] == '.')
			return true;
	return false;
}

/* The end of the sentence that begins at `from`: after its full stop, or at the end of the text. */
static size_t
sentence_end(struct span s, size_t from, bool bracket)
{
	for (size_t i = from; i < s.len; i++) {
		bool last = i + 1 == s.len || ascii_is_space(s.p[i + 1]) || s.p[i + 1] == ')' || s.p[i + 1] == '"';

		if (bracket && s.p[i] == ')')
			return i;
		if (s.p[i] == '\n' && i + 1 < s.len && s.p[i + 1] == '\n')
			return i;
		if ((s.p[i] == '!' || s.p[i] == '?') && last)
			return i;
		if (s.p[i] == '.' && last && (i + 1 == s.len || !is_inner_dot(s, from, i)))
			return i;
	}
	return s.len;
}

/* The first such sentence of s: the text before it, its names, the text after it.  False: none. */
static bool
also_find(struct span s, struct span *before, struct span *names, struct span *after)
{
	for (size_t i = 0; i + sizeof(CALLED) <= s.len; i++) {
		size_t from = i + sizeof(CALLED) - 1, end;
		bool bracket;

		if ((s.p[i] != 'a' && s.p[i] != 'A') || !span_begins_word(span_of(s.p + i, s.len - i), CALLED) ||
		    !ascii_is_space(s.p[from]) || !is_beginning(s, i))
			continue;
		bracket = i > 0 && s.p[i - 1] == '(';
		end = sentence_end(s, from, bracket);
		*before = span_of(s.p, i - bracket);
		*names = span_of(s.p + from, end - from);
		end += end < s.len && s.p[end] != '\n';
		*after = span_of(s.p + end, s.len - end);
		return true;
	}
	return false;
}

void
also_begin(struct also *also, struct span text)
{
	*also = (struct also){ .rest = text };
}

/* The length of the separator at the start of s; 0: none. */
static size_t
separator_at(struct span s)
{
	return s.p[0] == ',' || s.p[0] == ';' ? 1 : span_begins_word(s, " or ") ? 4 : 0;
}

/* Marks that stand around a name, in ASCII and in typesetting, UTF-8. */
static struct span
without_quotes(struct span s)
{
	static const char *const marks[] = { "\"", "'", "`", "*", "“", "”", "„", "«", "»", "‘", "’" };
	bool found;

	do {
		found = false;
		s = span_trim(s);
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
			size_t n = strlen(marks[i]);

			if (s.len >= n && memcmp(s.p, marks[i], n) == 0) {
				s = span_of(s.p + n, s.len - n);
				found = true;
			}
			if (s.len >= n && memcmp(s.p + s.len - n, marks[i], n) == 0) {
				s.len -= n;
				found = true;
			}
		}
	} while (found);
	return s;
}

static struct span
cut_name(struct span *names)
{
	size_t i = 0, n = 0;
	struct span name;

	while (i < names->len && (n = separator_at(span_of(names->p + i, names->len - i))) == 0)
		i++;
	name = span_trim(span_of(names->p, i));
	*names = span_of(names->p + i + n, names->len - i - n);
	if (span_begins_word(name, "or "))
		name = span_of(name.p + 3, name.len - 3);
	else if (n == 0 && span_begins_word(name, "and "))
		name = span_of(name.p + 4, name.len - 4); /* the last of a list: "a, b, and c" */
	return without_quotes(name);
}

bool
also_next(struct also *also, struct span *name)
{
	struct span before;

	while (also->n < ALSO_NAMES_MAX) {
		if (also->names.len == 0 && !also_find(also->rest, &before, &also->names, &also->rest))
			return false;
		while (also->names.len > 0) {
			*name = cut_name(&also->names);
			if (name->len > 0 && name->len <= ALSO_NAME_MAX) {
				also->n++;
				return true;
			}
		}
	}
	return false;
}

void
also_without(struct span text, struct buf *out)
{
	struct span before, names, after = text;
	size_t from = out->len;

	while (also_find(after, &before, &names, &after)) {
		buf_span(out, span_trim(before));
		after = span_trim(after);
		if (out->len > from && after.len > 0)
			buf_byte(out, ' ');
	}
	buf_span(out, span_trim(after));
	while (out->len > from && ascii_is_space(out->p[out->len - 1]))
		out->len--;
}
