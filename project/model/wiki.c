#include <string.h>

#include "base/ascii.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "project/format/files.h"
#include "project/model/wiki.h"
#include "project/format/yaml.h"

/* The line that starts at s, without its end; *rest is what follows it. */
static struct span
take_line(struct span s, struct span *rest)
{
	const uint8_t *nl = s.len == 0 ? NULL : memchr(s.p, '\n', s.len);
	size_t n = nl == NULL ? s.len : (size_t)(nl - s.p);

	*rest = nl == NULL ? span_of(s.p + s.len, 0) : span_of(nl + 1, s.len - n - 1);
	if (n > 0 && s.p[n - 1] == '\r')
		n--;
	return span_of(s.p, n);
}

/*
 * Split text into front matter and body.  As in ktx the matter ends at the
 * first line that begins with ---, and what stands behind the dashes belongs
 * to the body.  1: there is front matter, 0 if absent, -1: it never ends.
 */
static int
wiki_split(struct span text, struct span *matter, struct span *body)
{
	struct span start, rest, line, at;

	line = take_line(text, &start);
	if (!span_is(line, SPAN("---"))) {
		*body = text;
		return 0;
	}
	for (at = start; at.len > 0; at = rest) {
		line = take_line(at, &rest);
		if (line.len >= 3 && memcmp(line.p, "---", 3) == 0) {
			*matter = span_of(start.p, (size_t)(at.p - start.p));
			*body = span_of(at.p + 3, at.len - 3);
			return 1;
		}
	}
	return -1;
}

/* True when a YAML reader would not read the scalar as text: `summary: 2024` is a number. */
static bool
is_text(const struct yaml_node *n)
{
	struct buf b = BUF_MAX(64);
	struct mp_value v;
	bool text;

	if (n == NULL || n->kind != YAML_SCALAR)
		return false;
	if (n->quoted || n->text.len > 32)
		return true;
	yaml_to_mp(n, &b);
	text = b.full || (mp_value(buf_view(&b), &v) && v.class == MP_STR);
	buf_fini(&b);
	return text;
}

static struct span
text_of(const struct yaml_node *front, const char *key)
{
	const struct yaml_node *n = yaml_get(front, key);

	return is_text(n) ? span_trim(n->text) : (struct span){ 0 };
}

/* As text_of(), for keys whose value may look like a number or a date. */
static struct span
scalar_of(const struct yaml_node *front, const char *key)
{
	const struct yaml_node *n = yaml_get(front, key);

	return n != NULL && n->kind == YAML_SCALAR ? span_trim(n->text) : (struct span){ 0 };
}

static int
read_strings(struct arena *a, const struct yaml_node *front, const char *key,
    struct wiki_strings *out, struct err *err)
{
	const struct yaml_node *n = yaml_get(front, key);

	if (n == NULL || n->kind != YAML_SEQUENCE || n->n == 0)
		return 0;
	if ((out->v = arena_array(a, n->n, sizeof(*out->v))) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the front matter is too large");
	for (size_t i = 0; i < n->n; i++)
		if (is_text(&n->items[i]))
			out->v[out->n++] = n->items[i].text;
	return 0;
}

/* A single text is a list of one. */
static int
read_one_or_more(struct arena *a, const struct yaml_node *front, const char *key, struct wiki_strings *out,
    struct err *err)
{
	struct span one = scalar_of(front, key);

	if (one.len == 0)
		return read_strings(a, front, key, out, err);
	if ((out->v = arena_array(a, 1, sizeof(*out->v))) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the front matter is too large");
	out->v[out->n++] = one;
	return 0;
}

static int
read_front(struct arena *a, struct span matter, struct wiki_page *page, struct err *err)
{
	static const char *const connections[] = { "connections", "connection", "connection_ids", "connection_id",
		"connectionIds", "connectionId" };
	const struct yaml_node *front = yaml_parse(a, matter, err);

	if (front == NULL)
		return -1;
	if (front->kind == YAML_NULL)
		return 0;
	if (front->kind != YAML_MAPPING)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the front matter is not a mapping");
	page->summary = text_of(front, "summary");
	page->author = scalar_of(front, "author");
	page->at = scalar_of(front, "at");
	page->run_id = scalar_of(front, "run_id");
	page->status = scalar_of(front, "status");
	page->has_provenance = page->author.len + page->at.len + page->run_id.len + page->status.len > 0;
	if (read_strings(a, front, "tags", &page->tags, err) != 0 ||
	    read_strings(a, front, "refs", &page->refs, err) != 0)
		return -1;
	if (read_strings(a, front, "sl_refs", &page->sl_refs, err) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(connections) / sizeof(connections[0]) && page->connections.n == 0; i++)
		if (read_one_or_more(a, front, connections[i], &page->connections, err) != 0)
			return -1;
	return 0;
}

/* CRLF becomes LF; a text without CR is borrowed unchanged. */
static int
read_body(struct arena *a, struct span body, struct span *out, struct err *err)
{
	uint8_t *copy;
	size_t n = 0;

	body = span_trim(body);
	*out = body;
	if (body.len == 0 || memchr(body.p, '\r', body.len) == NULL)
		return 0;
	if ((copy = arena_alloc(a, body.len)) == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the page is too large");
	for (size_t i = 0; i < body.len; i++)
		if (body.p[i] != '\r' || i + 1 == body.len || body.p[i + 1] != '\n')
			copy[n++] = body.p[i];
	*out = span_of(copy, n);
	return 0;
}

int
wiki_parse(struct arena *a, struct span text, struct wiki_page *page, struct err *err)
{
	struct span matter, body;

	*page = (struct wiki_page){ 0 };
	if (text.len >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		text = span_of(text.p + 3, text.len - 3);
	if (!utf8_valid(text.p, text.len))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the text is not valid UTF-8");
	switch (wiki_split(text, &matter, &body)) {
	case -1:
		return err_set(err, ERR_INVALID_ARGUMENTS, "the front matter has no closing --- line");
	case 1:
		if (read_front(a, matter, page, err) != 0)
			return -1;
		break;
	}
	return read_body(a, body, &page->body, err);
}

bool
wiki_is_addition(struct span line)
{
	return span_begins(line, WIKI_ADDITION) &&
	    memmem(line.p, line.len, WIKI_ADDITION_RUN, sizeof(WIKI_ADDITION_RUN) - 1) != NULL;
}

/* As ktx: slashes and illegal runs become one dash, dashes collapse, ends are stripped. */
void
wiki_suggest_key(struct span key, struct buf *out)
{
	size_t start = out->len;

	key = span_trim(key);
	for (size_t i = 0; i < key.len && out->len - start < FILES_NAME_MAX; i++) {
		uint8_t c = key.p[i];

		if (ascii_is_alnum(c) || (c == '_' && out->len > start))
			buf_byte(out, c);
		else if (c != '_' && out->len > start && out->p[out->len - 1] != '-')
			buf_byte(out, '-');
	}
	while (out->len > start && (out->p[out->len - 1] == '-' || out->p[out->len - 1] == '_'))
		out->len--;
	if (out->len == start)
		buf_str(out, "page-key");
}
