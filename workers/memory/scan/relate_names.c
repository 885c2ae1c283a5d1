#include <string.h>

#include "base/ascii.h"
#include "workers/memory/scan/relate_names.h"

#define JOINED_LEAST	3	/* letters before the ending of a name whose words are run together */
#define PREFIX_MOST	3	/* letters of a prefix of all columns */

static bool
is_word(uint8_t c)
{
	return ascii_is_alnum(c) || c >= 0x80;
}

/* Whether a new word begins at i: orderId, HTTPServer. */
static bool
begins_word(struct span s, size_t i)
{
	return ascii_is_upper(s.p[i]) && i > 0 &&
	    (ascii_is_lower(s.p[i - 1]) || (ascii_is_upper(s.p[i - 1]) && i + 1 < s.len && ascii_is_lower(s.p[i + 1])));
}

struct span
relate_fold(struct arena *a, struct span name)
{
	uint8_t *out = arena_alloc(a, name.len * 2 + 1);
	size_t n = 0;

	if (out == NULL)
		return SPAN("");
	for (size_t i = 0; i < name.len; i++) {
		if ((!is_word(name.p[i]) || begins_word(name, i)) && n > 0 && out[n - 1] != '_')
			out[n++] = '_';
		if (is_word(name.p[i]))
			out[n++] = ascii_is_upper(name.p[i]) ? (uint8_t)(name.p[i] | 0x20) : name.p[i];
	}
	while (n > 0 && out[n - 1] == '_')
		n--;
	return span_of(out, n);
}

static bool
has_prefix(struct span s, struct span prefix)
{
	return s.len > prefix.len && memcmp(s.p, prefix.p, prefix.len) == 0;
}

static bool
has_suffix(struct span s, struct span suffix)
{
	return s.len > suffix.len && memcmp(s.p + s.len - suffix.len, suffix.p, suffix.len) == 0;
}

struct span
relate_fold_table(struct arena *a, struct span name)
{
	static const char *const prefixes[] = { "stg_", "stage_", "staging_", "dim_", "fct_", "fact_", "int_", "mart_",
		"tbl_", "t_" };
	struct span s = relate_fold(a, name);

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (has_prefix(s, span_str(prefixes[i])))
			return span_of(s.p + strlen(prefixes[i]), s.len - strlen(prefixes[i]));
	return s;
}

struct span
relate_singular(struct arena *a, struct span s)
{
	struct span copy;

	if (has_suffix(s, SPAN("ies")) && s.len > 4) {
		copy = arena_span(a, s);
		if (copy.p == NULL)
			return s;
		((uint8_t *)(uintptr_t)copy.p)[s.len - 3] = 'y';
		return span_of(copy.p, s.len - 2);
	}
	if (has_suffix(s, SPAN("sses")) || has_suffix(s, SPAN("xes")) || has_suffix(s, SPAN("ches")) ||
	    has_suffix(s, SPAN("shes")) || has_suffix(s, SPAN("uses")))
		return span_of(s.p, s.len - 2);
	if (has_suffix(s, SPAN("s")) && !has_suffix(s, SPAN("ss")) && !has_suffix(s, SPAN("us")) &&
	    !has_suffix(s, SPAN("is")) && !has_suffix(s, SPAN("ias")) && s.len > 2)
		return span_of(s.p, s.len - 1);
	return s;
}

static const char *const endings[] = { "_id", "_key", "_code", "_uuid", "_guid", "_no", "_nr", "_num", "_number",
	"_ref", "_fk", "_sk", NULL };
static const char *const beginnings[] = { "id_", "fk_", "ref_", NULL };

struct span
relate_base(struct span s)
{
	for (const char *const *e = endings; *e != NULL; e++)
		if (has_suffix(s, span_str(*e)) && s.len - strlen(*e) > 1)
			return span_of(s.p, s.len - strlen(*e));
	for (const char *const *b = beginnings; *b != NULL; b++)
		if (has_prefix(s, span_str(*b)) && s.len - strlen(*b) > 1)
			return span_of(s.p + strlen(*b), s.len - strlen(*b));
	for (const char *const *e = endings; *e != NULL; e++) {
		size_t n = strlen(*e) - 1;

		if (has_suffix(s, span_str(*e + 1)) && s.len - n >= JOINED_LEAST && s.p[s.len - n - 1] != '_')
			return span_of(s.p, s.len - n);
	}
	return SPAN("");
}

struct span
relate_unnumbered(struct span s)
{
	size_t n = s.len;

	while (n > 0 && ascii_is_digit(s.p[n - 1]))
		n--;
	while (n > 0 && s.p[n - 1] == '_')
		n--;
	return n > 0 ? span_of(s.p, n) : s;
}

size_t
relate_common_prefix(const struct span *folded, size_t n)
{
	const uint8_t *end = n < 2 ? NULL : memchr(folded[0].p, '_', folded[0].len);
	size_t len = end == NULL ? 0 : (size_t)(end - folded[0].p) + 1;

	if (len == 0 || len > PREFIX_MOST + 1)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!has_prefix(folded[i], span_of(folded[0].p, len)))
			return 0;
	return len;
}

bool
relate_is_role(struct span s)
{
	static const char *const roles[] = { "by", "creator", "author", "owner", "updater", "editor", "approver",
		"reviewer", "assignee", "reporter", "requester", "uploader", "sender", "recipient", "receiver",
		"follower", "subscriber", "voter", "moderator", NULL };
	const uint8_t *last = memrchr(s.p, '_', s.len);

	return span_is_any(last == NULL ? s : span_of(last + 1, (size_t)(s.p + s.len - last - 1)), roles);
}

const char *const relate_persons[] = { "user", "person", "people", "account", "employee", "staff", "member", NULL };

bool
relate_is_self(struct span s)
{
	static const char *const names[] = { "parent", "parent_id", "manager_id", "reports_to_id", "reported_to_id",
		"supervisor_id", "reports_to", "parent_key", "parent_code", NULL };

	return span_is_any(s, names);
}

bool
relate_is_generic(struct span s)
{
	static const char *const names[] = { "id", "key", "code", "uuid", "guid", "no", "nr", "num", "number", "name",
		"ref", "type", "pk", "oid", "row_id", NULL };

	return s.len < 2 || span_is_any(s, names);
}

bool
relate_is_part(struct span s)
{
	static const char *const names[] = { "line", "pos", "position", "seq", "sequence", "version", "year", "month",
		"quarter", "week", "day", "date", "period", "country", "currency", "region", "lang", "language",
		"locale", NULL };

	return relate_base(s).len > 0 || span_is_any(s, names);
}
