#include <string.h>

#include "base/text/parameter_types.h"
#include "policy/scopes.h"

static const struct {
	uint32_t	 bit;
	const char	*text;
} scopes_named[] = {
#define SCOPE(name, bit, text)	{ POLICY_SCOPE_##name, text },
#include "policy/scopes.def"
#undef SCOPE
};

static const struct {
	const char	*name;
	uint32_t	 scopes;
} roles[] = {
#define ROLE(name, text, mask)	{ text, mask },
#include "policy/scopes.def"
#undef ROLE
};

uint32_t
policy_scope_named(struct span name)
{
	for (size_t i = 0; i < sizeof(scopes_named) / sizeof(scopes_named[0]); i++)
		if (span_is_str(name, scopes_named[i].text))
			return scopes_named[i].bit;
	return 0;
}

static void
scopes_join(uint32_t scopes, struct buf *out, const char *quote, const char *comma)
{
	const char *separator = "";

	for (size_t i = 0; i < sizeof(scopes_named) / sizeof(scopes_named[0]); i++)
		if ((scopes & scopes_named[i].bit) != 0) {
			buf_str(out, separator);
			buf_str(out, quote);
			buf_str(out, scopes_named[i].text);
			buf_str(out, quote);
			separator = comma;
		}
}

void
policy_scopes_text(uint32_t scopes, struct buf *out)
{
	scopes_join(scopes, out, "", " ");
}

void
policy_scopes_json(uint32_t scopes, struct buf *out)
{
	buf_byte(out, '[');
	scopes_join(scopes, out, "\"", ",");
	buf_byte(out, ']');
}

const char *
policy_role_name(enum policy_role role)
{
	return roles[role].name;
}

void
policy_roles_text(struct buf *out)
{
	size_t n = sizeof(roles) / sizeof(roles[0]);

	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", roles[i].name);
}

uint32_t
policy_role_scopes(struct span name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (span_is_str(name, roles[i].name))
			return roles[i].scopes;
	return 0;
}

bool
policy_named_has(const char *named, struct span name)
{
	for (const char *at = named; at != NULL && (at = strchr(at, ' ')) != NULL; at++)
		if (strncmp(at + 1, (const char *)name.p, name.len) == 0 && at[1 + name.len] == ' ')
			return true;
	return false;
}

bool
policy_named_next(const char **at, struct span *name)
{
	*at += strspn(*at, " ");
	*name = span_of(*at, strcspn(*at, " "));
	*at += name->len;
	return name->len > 0;
}

bool
policy_named_add(struct policy_named *to, struct span name)
{
	size_t used = strlen(to->text), n = 0;
	const char *at = to->text;
	struct span each;

	while (policy_named_next(&at, &each))
		n++;
	if (!parameter_is_name(name))
		return false;
	if (policy_named_has(to->text, name))
		return true;
	if (n >= POLICY_NAMED_MAX || used + name.len + 2 > POLICY_NAMED_BYTES)
		return false;
	if (used == 0)
		to->text[used++] = ' ';
	memcpy(to->text + used, name.p, name.len);
	memcpy(to->text + used + name.len, " ", 2);
	return true;
}

void
policy_named_read(struct policy_named *to, struct span scopes)
{
	const size_t prefix = strlen(POLICY_TOOL_SCOPE);

	while (scopes.len > 0) {
		const uint8_t *blank = memchr(scopes.p, ' ', scopes.len);
		struct span word = span_of(scopes.p, blank == NULL ? scopes.len : (size_t)(blank - scopes.p));
		size_t used = word.len + (blank != NULL);

		if (span_begins(word, POLICY_TOOL_SCOPE))
			(void)policy_named_add(to, span_of(word.p + prefix, word.len - prefix));
		scopes = span_of(scopes.p + used, scopes.len - used);
	}
}

/* Keep the names that are, or are not, among those of other. */
static void
named_sift(struct policy_named *to, const char *other, bool among)
{
	struct policy_named kept = { "" };
	const char *at = to->text;
	struct span name;

	while (policy_named_next(&at, &name))
		if (policy_named_has(other, name) == among)
			(void)policy_named_add(&kept, name);
	*to = kept;
}

void
policy_named_limit(struct policy_named *to, const char *other)
{
	named_sift(to, other, true);
}

void
policy_named_drop(struct policy_named *from, const char *other)
{
	named_sift(from, other, false);
}

void
policy_named_join(struct policy_named *to, const char *other)
{
	struct span name;

	while (policy_named_next(&other, &name))
		(void)policy_named_add(to, name);
}

bool
policy_named_within(const char *some, const char *all)
{
	struct span name;

	while (policy_named_next(&some, &name))
		if (!policy_named_has(all, name))
			return false;
	return true;
}

void
policy_named_text(const char *named, struct buf *out)
{
	struct span name;

	while (policy_named_next(&named, &name))
		buf_printf(out, "%s" POLICY_TOOL_SCOPE "%.*s", out->len > 0 ? " " : "", SPAN_FMT(name));
}
