#include <string.h>

#include "base/text/markup.h"
#include "front/wire/template.h"

#define DEPTH	4u	/* sections in one another; the pages are our own */

/* Rows that names are looked for in, the innermost last. */
struct template_scope {
	const struct template_row	*row[DEPTH];
	size_t				 n;
};

static const struct template_value *
value_of(const struct template_scope *s, struct span name)
{
	for (size_t i = s->n; i > 0; i--)
		for (size_t j = 0; j < s->row[i - 1]->n; j++)
			if (span_is_str(name, s->row[i - 1]->values[j].name))
				return &s->row[i - 1]->values[j];
	return NULL;
}

/* Cut the text up to the next "{{…}}" off; *tag is its content.  False if absent. */
static bool
next_tag(struct span *page, struct span *before, struct span *tag)
{
	const uint8_t *open = page->len == 0 ? NULL : memmem(page->p, page->len, "{{", 2), *close;
	size_t n;

	*before = *page;
	if (open == NULL)
		return false;
	n = (size_t)(open - page->p) + 2;
	close = memmem(open + 2, page->len - n, "}}", 2);
	if (close == NULL)
		return false;
	*before = span_of(page->p, n - 2);
	*tag = span_of(open + 2, (size_t)(close - open) - 2);
	n += tag->len + 2;
	*page = span_of(page->p + n, page->len - n);
	return true;
}

/* Cut a section off page, which is behind its opening.  A section of the same name is not nested in it. */
static struct span
section_of(struct span *page, struct span name)
{
	struct span rest = *page, before, tag;

	while (next_tag(&rest, &before, &tag))
		if (tag.len == name.len + 1 && tag.p[0] == '/' && memcmp(tag.p + 1, name.p, name.len) == 0) {
			struct span inside = span_of(page->p, (size_t)(tag.p - page->p) - 2);

			*page = rest;
			return inside;
		}
	before = *page;
	*page = span_of(page->p + page->len, 0);
	return before;
}

static void
put_part(struct buf *out, struct span page, const struct template_scope *scope)
{
	struct span before, tag;

	while (next_tag(&page, &before, &tag)) {
		bool section = tag.len > 1 && (tag.p[0] == '#' || tag.p[0] == '^');
		struct span name = section ? span_of(tag.p + 1, tag.len - 1) : tag, inside;
		const struct template_value *v = value_of(scope, name);
		size_t n = v == NULL ? 0 : v->rows != NULL ? v->nrows : v->text.len > 0;

		buf_span(out, before);
		if (!section) {
			markup_escape(out, v != NULL ? v->text : SPAN(""));
			continue;
		}
		inside = section_of(&page, name);
		if (tag.p[0] == '^')
			n = n == 0;
		for (size_t i = 0; i < n; i++) {
			struct template_scope inner = *scope;

			if (v != NULL && v->rows != NULL && tag.p[0] == '#' && inner.n < DEPTH)
				inner.row[inner.n++] = &v->rows[i];
			put_part(out, inside, &inner);
		}
	}
	buf_span(out, before);
}

void
template_put(struct buf *out, const char *page, const struct template_row *values)
{
	put_part(out, span_str(page), &(struct template_scope){ .row = { values }, .n = 1 });
}
