#include "base/span.h"

int
span_order(const void *a, const void *b)
{
	return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

bool
span_is_any(struct span s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (span_is_str(s, *words))
			return true;
	return false;
}

bool
span_is_any_word(struct span s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (span_is_word(s, *words))
			return true;
	return false;
}

struct span
span_trim(struct span s)
{
	while (s.len > 0 && ascii_is_space(s.p[0]))
		s = span_of(s.p + 1, s.len - 1);
	while (s.len > 0 && ascii_is_space(s.p[s.len - 1]))
		s.len--;
	return s;
}

bool
span_line(struct span *rest, struct span *line)
{
	const uint8_t *nl;

	if (rest->len == 0)
		return false;
	nl = memchr(rest->p, '\n', rest->len);
	*line = span_of(rest->p, nl == NULL ? rest->len : (size_t)(nl - rest->p));
	*rest = nl == NULL ? SPAN_NONE : span_of(nl + 1, rest->len - line->len - 1);
	return true;
}
