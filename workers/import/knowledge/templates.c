/* templates.c - the calls of Jinja that stand for a name; nothing is run. */
#include <string.h>

#include "base/ascii.h"
#include "workers/import/knowledge/templates.h"
#include "workers/import/knowledge/trees.h"

bool
template_is(struct span text)
{
	for (size_t i = 0; i + 1 < text.len; i++)
		if ((text.p[i] == '{' && (text.p[i + 1] == '{' || text.p[i + 1] == '%' || text.p[i + 1] == '#')) ||
		    (text.p[i] == '}' && text.p[i + 1] == '}'))
			return true;
	return false;
}

static struct span
skip_blank(struct span s)
{
	while (s.len > 0 && ascii_is_space(s.p[0]))
		s = span_of(s.p + 1, s.len - 1);
	return s;
}

/* Take 'text' or "text"; false: none is there, or it has an escape. */
static bool
take_quoted(struct span *s, struct span *out)
{
	const uint8_t *end;

	*s = skip_blank(*s);
	if (s->len < 2 || (s->p[0] != '\'' && s->p[0] != '"') || (end = memchr(s->p + 1, s->p[0], s->len - 1)) == NULL)
		return false;
	*out = span_of(s->p + 1, (size_t)(end - s->p - 1));
	*s = skip_blank(span_of(end + 1, s->len - out->len - 2));
	return memchr(out->p, '\\', out->len) == NULL;
}

bool
template_call(struct span text, struct template_call *out)
{
	struct span s = span_trim(text);
	size_t n = 0;

	if (s.len > 4 && memcmp(s.p, "{{", 2) == 0 && memcmp(s.p + s.len - 2, "}}", 2) == 0)
		s = span_trim(span_of(s.p + 2, s.len - 4));
	while (n < s.len && (ascii_is_alnum(s.p[n]) || s.p[n] == '_'))
		n++;
	if (n == 0)
		return false;
	out->name = span_of(s.p, n);
	out->nargs = 0;
	s = skip_blank(span_of(s.p + n, s.len - n));
	if (s.len == 0 || s.p[0] != '(')
		return false;
	s = span_of(s.p + 1, s.len - 1);
	do {
		if (out->nargs == 3 || !take_quoted(&s, &out->args[out->nargs]) || s.len == 0)
			return false;
		out->nargs++;
		if (s.p[0] == ')')
			return skip_blank(span_of(s.p + 1, s.len - 1)).len == 0;
		s = span_of(s.p + 1, s.len - 1);
	} while (s.p[-1] == ',');
	return false;
}

int
template_next(struct span *text, struct span *before, struct template_call *out)
{
	const uint8_t *open = tree_find(*text, "{{"), *close;

	*before = open == NULL ? *text : span_of(text->p, (size_t)(open - text->p));
	if (template_is(*before))
		return -1;
	if (open == NULL)
		return 0;
	close = memmem(open, text->len - before->len, "}}", 2);
	if (close == NULL || !template_call(span_of(open, (size_t)(close + 2 - open)), out))
		return -1;
	*text = span_of(close + 2, text->len - (size_t)(close + 2 - text->p));
	return 1;
}

struct span
template_model(struct knowledge *k, struct span text)
{
	struct template_call c;

	if (!template_call(text, &c))
		return SPAN_NONE;
	/* ref('package', 'model') names the model by its second word. */
	if (span_is_str(c.name, "ref"))
		return knowledge_copy(k, c.args[c.nargs > 1 ? 1 : 0]);
	if (span_is_str(c.name, "source") && c.nargs == 2)
		return knowledge_text(k, "%.*s.%.*s", SPAN_FMT(c.args[0]), SPAN_FMT(c.args[1]));
	return SPAN_NONE;
}
