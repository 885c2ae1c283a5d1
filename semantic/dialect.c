/* dialect.c - names, quoting and the grains all dialects share; see dialect.h. */
#include <string.h>

#include "base/ascii.h"
#include "project/config/drivers.h"
#include "semantic/dialect.h"

static const char *const grains[] = { NULL, "hour", "day", "week", "month", "quarter", "year", "decade" };

const char *
dialect_grain_name(enum dialect_grain grain)
{
	return grains[grain];
}

enum dialect_grain
dialect_grain(struct span name)
{
	for (size_t i = 1; i < sizeof(grains) / sizeof(grains[0]); i++)
		if (span_is_word(name, grains[i]))
			return (enum dialect_grain)i;
	return GRAIN_NONE;
}

static const struct {
	const char		*driver;
	const struct dialect	*dialect;
} dialects[] = {
#define DRIVER(name)	{ #name, &dialect_##name },
#define LISTED(name, type, shard)
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED
};

const struct dialect *
dialect_find(struct span driver)
{
	const struct db_driver *d = drivers_served(driver);

	for (size_t i = 0; d != NULL && i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (strcmp(dialects[i].driver, d->name) == 0)
			return dialects[i].dialect;
	return NULL;
}

const char *
dialect_name(const struct dialect *d)
{
	size_t i = 0;

	while (dialects[i].dialect != d)
		i++;
	return dialects[i].driver;
}

/* Words that cannot stand as a bare name in SQLite, PostgreSQL or DuckDB; sorted. */
static const char *const reserved[] = { "add", "all", "alter", "analyse", "analyze", "and", "anti",
	"any", "array", "as", "asc", "asof", "asymmetric", "at", "authorization", "autoincrement",
	"between", "binary", "both", "by", "case", "cast", "check", "collate", "collation",
	"column", "commit", "concurrently", "constraint", "create", "cross", "current_catalog",
	"current_date", "current_role", "current_schema", "current_time", "current_timestamp",
	"current_user", "default", "deferrable", "delete", "desc", "describe", "distinct", "do",
	"drop", "else", "end", "escape", "except", "exists", "false", "fetch", "filter", "for",
	"foreign", "freeze", "from", "full", "glob", "grant", "group", "having", "ilike", "in",
	"index", "initially", "inner", "insert", "intersect", "into", "is", "isnull", "join",
	"key", "lambda", "lateral", "leading", "left", "like", "limit", "localtime",
	"localtimestamp", "natural", "not", "nothing", "notnull", "null", "offset", "on", "only",
	"or", "order", "outer", "over", "overlaps", "partition", "pivot", "pivot_longer",
	"pivot_wider", "placing", "positional", "primary", "qualify", "raise", "range",
	"recursive", "references", "returning", "right", "row", "rows", "select", "semi",
	"session_user", "set", "show", "similar", "some", "summarize", "symmetric", "system_user",
	"table", "tablesample", "then", "to", "trailing", "transaction", "trigger", "true",
	"union", "unique", "unpack", "unpivot", "update", "user", "using", "values", "variadic",
	"verbose", "view", "when", "where", "window", "with" };

static bool
is_reserved(struct span name)
{
	size_t low = 0, high = sizeof(reserved) / sizeof(reserved[0]);
	uint8_t lower[24]; /* longer than every one of them */

	for (size_t i = 0; i < name.len && i < sizeof(lower); i++)
		lower[i] = ascii_lower(name.p[i]);
	name = span_of(lower, name.len < sizeof(lower) ? name.len : sizeof(lower));
	while (low < high) {
		size_t mid = (low + high) / 2;
		int r = span_cmp(name, span_str(reserved[mid]));

		if (r == 0)
			return true;
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

void
dialect_identifier(const struct dialect *d, struct buf *out, struct span name)
{
	bool plain = name.len > 0 && !is_reserved(name);

	for (size_t i = 0; i < name.len && plain; i++) {
		uint8_t c = name.p[i];

		plain = ascii_is_lower(c) || c == '_' || (i > 0 && ascii_is_digit(c));
	}
	if (d->identifier != NULL)
		d->identifier(out, name);
	else if (plain)
		buf_span(out, name);
	else
		buf_quoted(out, name, '"');
}

static bool
is_word(struct span s, bool capitals)
{
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];

		if (!(ascii_is_lower(c) || (capitals && ascii_is_upper(c)) || c == '_' || c >= 0x80 ||
			(i > 0 && (ascii_is_digit(c) || c == '$'))))
			return false;
	}
	return s.len > 0;
}

/* Append the quoted part at `at`, which a dot or the end must follow, as an identifier.  Returns where it ends; `at` if there are no quotes. */
static size_t
put_quoted_part(const struct dialect *d, struct buf *out, struct span name, size_t at)
{
	struct buf part = { 0 };
	size_t end = at;

	if (at >= name.len || name.p[at] != '"')
		return at;
	for (size_t i = at + 1; i < name.len; i++) {
		if (name.p[i] == '"' && (i + 1 == name.len || name.p[i + 1] != '"')) {
			if (part.len > 0 && (i + 1 == name.len || name.p[i + 1] == '.'))
				end = i + 1;
			break;
		}
		buf_byte(&part, name.p[i]);
		i += name.p[i] == '"';
	}
	if (end > at)
		dialect_identifier(d, out, buf_view(&part));
	buf_fini(&part);
	return end;
}

void
dialect_table(const struct dialect *d, struct buf *out, struct span name, bool exact)
{
	/* True when the name has quotes, brackets or arguments: it is used as its author wrote it. */
	if (!exact &&
	    (memchr(name.p, '"', name.len) != NULL || memchr(name.p, '(', name.len) != NULL ||
		memchr(name.p, '`', name.len) != NULL || memchr(name.p, '[', name.len) != NULL)) {
		if (d->respell == NULL || !d->respell(out, name))
			buf_span(out, name);
		return;
	}
	for (size_t at = 0; at <= name.len;) {
		size_t quoted = exact ? put_quoted_part(d, out, name, at) : at;
		const uint8_t *dot = quoted < name.len ? memchr(name.p + quoted, '.', name.len - quoted) : NULL;
		size_t end = dot != NULL ? (size_t)(dot - name.p) : name.len;
		struct span part = span_of(name.p + at, end - at);

		if (quoted > at)
			; /* the part is there */
		else if (!exact && d->identifier == NULL && is_word(part, true) && !is_reserved(part))
			buf_span(out, part);
		else
			dialect_identifier(d, out, part);
		if (dot != NULL)
			buf_byte(out, '.');
		at = end + 1;
	}
}
