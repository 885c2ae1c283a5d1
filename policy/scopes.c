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
