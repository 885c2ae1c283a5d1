#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/wording.h"

/* The length of the code at the start of s, its backticks included; 1: the code does not end. */
size_t
wording_code_length(struct span s)
{
	const uint8_t *end = s.len > 1 ? memchr(s.p + 1, '`', s.len - 1) : NULL;

	return end == NULL ? 1 : (size_t)(end + 1 - s.p);
}

struct span
wording_bare(struct span w)
{
	while (w.len > 0 && ascii_is_any(w.p[0], "*_\"'([,;:.!?"))
		w = formula_from(w, 1);
	while (w.len > 0 && ascii_is_any(w.p[w.len - 1], "*_\"')],;:.!?"))
		w.len--;
	return w;
}

void
wording_split(struct span s, struct wording *out)
{
	size_t n;

	out->n = 0;
	out->cut = false;
	for (size_t i = 0; i < s.len; i += n) {
		struct span w;

		n = 1;
		if (ascii_is_space(s.p[i]))
			continue;
		if (s.p[i] == '`') {
			n = wording_code_length(formula_from(s, i));
			w = span_of(s.p + i, n);
		} else {
			while (i + n < s.len && !ascii_is_space(s.p[i + n]) && s.p[i + n] != '`')
				n++;
			w = wording_bare(span_of(s.p + i, n));
			/* "!`is_test`" and "! `is_test`": keep the sign, it is not punctuation. */
			if (w.len == 0 && i + n < s.len && memchr(s.p + i, '!', n) != NULL)
				w = span_of(s.p + i, n);
		}
		if (w.len == 0)
			continue;
		if (out->n == WORDING_MAX) {
			out->cut = true;
			return;
		}
		out->v[out->n++] = w;
	}
}

/* How many words of w the phrase takes at `at`; 0: the phrase is not there. */
size_t
wording_phrase_at(const struct wording *w, size_t at, const char *phrase)
{
	size_t n = 0;

	while (*phrase != '\0') {
		size_t len = strcspn(phrase, " ");

		if (at + n >= w->n || !span_is_folded(w->v[at + n], span_of(phrase, len)))
			return 0;
		n++;
		phrase += len;
		phrase += strspn(phrase, " ");
	}
	return n;
}

size_t
wording_any_at(const struct wording *w, size_t at, const char *const *phrases)
{
	size_t n = 0;

	for (; *phrases != NULL && n == 0; phrases++)
		n = wording_phrase_at(w, at, *phrases);
	return n;
}

bool
wording_is_year(struct span word)
{
	return word.len == 4 && (memcmp(word.p, "19", 2) == 0 || memcmp(word.p, "20", 2) == 0) &&
	    ascii_is_digit(word.p[2]) && ascii_is_digit(word.p[3]);
}

/* Phrases as whole words, within words rather than within code. */
bool
wording_has(const struct wording *w, const char *const *phrases)
{
	for (size_t i = 0; i < w->n; i++)
		if (wording_any_at(w, i, phrases) > 0)
			return true;
	return false;
}

/* Equal but for the case of letters and a plural's s. */
bool
wording_is_alike(struct span a, struct span b)
{
	if (a.len > 3 && ascii_lower(a.p[a.len - 1]) == 's')
		a.len--;
	if (b.len > 3 && ascii_lower(b.p[b.len - 1]) == 's')
		b.len--;
	return span_is_folded(a, b);
}
