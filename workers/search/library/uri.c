#include <string.h>

#include "base/text/percent.h"
#include "base/utf8.h"
#include "workers/search/library/uri.h"

#define PARTS_MAX	2u

/* By kind. */
static const struct {
	const char	*authority;
	unsigned	 parts;
	const char	*between;	/* what comes before the last part; NULL: nothing */
	const char	*variables;
} kinds[URI_KINDS] = {
	[URI_WIKI]       = { "wiki", 1, NULL, "/{key}" },
	[URI_SEMANTIC]   = { "semantic-layer", 2, NULL, "/{connection}/{source}" },
	[URI_SCHEMA]     = { "schema", 2, NULL, "/{connection}/{table}" },
	[URI_DIALECT]    = { "dialect", 1, NULL, "/{connection}" },
	[URI_ONTOLOGIES] = { "ontologies", 0, NULL, "" },
	[URI_ONTOLOGY]   = { "ontologies", 1, NULL, "/{id}" },
	[URI_DATASET]    = { "ontologies", 2, "datasets", "/{id}/datasets/{name}" },
};

static void
put_part(struct span s, struct buf *out)
{
	buf_byte(out, '/');
	percent_put(out, s, percent_is_unreserved);
}

void
uri_put(const char *scheme, const struct uri *u, struct buf *out)
{
	buf_printf(out, "%s://%s", scheme, kinds[u->kind].authority);
	if (kinds[u->kind].parts > 1)
		put_part(u->connection, out);
	if (kinds[u->kind].between != NULL)
		buf_printf(out, "/%s", kinds[u->kind].between);
	if (kinds[u->kind].parts > 0)
		put_part(u->name, out);
}

void
uri_put_template(const char *scheme, enum uri_kind kind, struct buf *out)
{
	buf_printf(out, "%s://%s%s", scheme, kinds[kind].authority, kinds[kind].variables);
}

/* One part, decoded to the end of scratch. */
static bool
read_part(struct span part, struct buf *scratch)
{
	size_t from = scratch->len;

	for (size_t i = 0; i < part.len;) {
		uint8_t written = part.p[i];
		int c = percent_next(part, &i);

		if (written == '?' || written == '#' || written < 0x20 || written == 0x7f || c <= 0)
			return false;
		buf_byte(scratch, (uint8_t)c);
	}
	return scratch->len > from && utf8_valid(scratch->p + from, scratch->len - from);
}

/* What follows "scheme://"; schemes are compared without case (RFC 3986 section 3.1). */
static bool
skip_scheme(const char *scheme, struct span text, struct span *rest)
{
	size_t n = strlen(scheme);

	if (text.len < n + 3 || !span_begins_word(text, scheme) || memcmp(text.p + n, "://", 3) != 0)
		return false;
	*rest = span_of(text.p + n + 3, text.len - n - 3);
	return true;
}

static struct span
cut_part(struct span *rest)
{
	const uint8_t *slash = rest->len > 0 ? memchr(rest->p, '/', rest->len) : NULL;
	size_t n = slash == NULL ? rest->len : (size_t)(slash - rest->p);
	struct span part = span_of(rest->p, n);

	*rest = slash == NULL ? SPAN_NONE : span_of(slash + 1, rest->len - n - 1);
	return part;
}

/* What follows the authority, as the parts of kind. */
static bool
read_parts(enum uri_kind kind, struct span rest, struct buf *scratch, struct uri *out)
{
	size_t ends[PARTS_MAX + 1] = { scratch->len };
	unsigned n;

	for (n = 0; n < kinds[kind].parts; n++) {
		if (n + 1 == kinds[kind].parts && kinds[kind].between != NULL &&
		    (rest.p == NULL || !span_is_str(cut_part(&rest), kinds[kind].between)))
			return false;
		if (rest.p == NULL || !read_part(cut_part(&rest), scratch))
			return false;
		ends[n + 1] = scratch->len;
	}
	if (rest.p != NULL)
		return false;
	*out = (struct uri){ .kind = kind };
	if (n == 0)
		return true;
	if (kind != URI_WIKI)
		out->connection = span_of(scratch->p + ends[0], ends[1] - ends[0]);
	out->name = span_of(scratch->p + ends[n - 1], ends[n] - ends[n - 1]);
	return true;
}

bool
uri_read(const char *scheme, struct span text, struct buf *scratch, struct uri *out)
{
	size_t mark = scratch->len;
	struct span rest, authority;

	if (!skip_scheme(scheme, text, &rest))
		return false;
	authority = cut_part(&rest);
	for (unsigned kind = 0; kind < URI_KINDS; kind++) {
		scratch->len = mark;
		if (span_is_str(authority, kinds[kind].authority) &&
		    read_parts((enum uri_kind)kind, rest, scratch, out))
			return true;
	}
	return false;
}
