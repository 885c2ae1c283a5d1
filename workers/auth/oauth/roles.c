#include "workers/auth/oauth/roles.h"

#include <string.h>

#include "base/mp.h"
#include "policy/oauth_texts.h"

/* The scopes of a role of auth.roles, as a text.  False: there is no such role. */
static bool
roles_own(const struct auth *a, struct span role, struct span *scopes)
{
	struct mp_value all, text;

	if (!mp_value(buf_view(&a->conf.roles), &all) || !mp_member(&all, role, &text) || text.class != MP_STR)
		return false;
	*scopes = text.s;
	return true;
}

/* Of which scopes a caller of the team's tool needs one; 0: of none, or there is no such tool. */
static uint32_t
tool_scopes(const struct auth *a, struct span tool)
{
	struct mp_value all, scopes;

	return mp_value(buf_view(&a->conf.team), &all) && mp_member(&all, tool, &scopes) && scopes.class == MP_UINT ?
	    (uint32_t)scopes.u :
	    0;
}

static bool
tool_exists(const struct auth *a, struct span tool)
{
	struct mp_value all, scopes;

	return mp_value(buf_view(&a->conf.team), &all) && mp_member(&all, tool, &scopes);
}

void
roles_mark(struct role_share *s)
{
	s->scopes = (s->scopes & ~POLICY_SCOPE_NAMED) | (s->named.text[0] != '\0' ? POLICY_SCOPE_NAMED : 0);
}

void
roles_read(struct span text, struct role_share *out, bool *any)
{
	*out = (struct role_share){ .scopes = oauth_scopes(text, any) };
	policy_named_read(&out->named, text);
	roles_mark(out);
}

void
roles_share(const struct auth *a, struct span role, struct role_share *out)
{
	struct span text;
	bool any;

	*out = (struct role_share){ .scopes = policy_role_scopes(role) };
	if (out->scopes != 0 || !roles_own(a, role, &text))
		return;
	roles_read(text, out, &any);
	out->scopes &= ~(uint32_t)POLICY_SCOPE_CONNECTIVITY_ADMIN;
}

bool
roles_has(const struct auth *a, struct span role)
{
	struct span text;

	return policy_role_scopes(role) != 0 || roles_own(a, role, &text);
}

/* Whether a role that has all of whole may be granted the tool. */
static bool
share_allows(const struct auth *a, const struct role_share *whole, struct span tool)
{
	return tool_exists(a, tool) &&
	    (policy_named_has(whole->named.text, tool) || (tool_scopes(a, tool) & whole->scopes) != 0);
}

void
roles_offer(const struct auth *a, struct span role, struct span text, struct role_share *out)
{
	struct role_share whole, word;
	bool any = false, more;

	*out = (struct role_share){ .scopes = oauth_scopes(text, &any) };
	if (!any)
		*out = ROLE_ALL;
	roles_limit(a, role, out);
	if (!any)
		return;
	/* Word by word, so that what the role may not have takes no room. */
	roles_share(a, role, &whole);
	while (text.len > 0) {
		const uint8_t *blank = memchr(text.p, ' ', text.len);
		size_t n = blank == NULL ? text.len : (size_t)(blank - text.p);

		roles_read(span_of(text.p, n), &word, &more);
		if (word.named.text[0] != '\0' &&
		    share_allows(a, &whole, span_of(word.named.text + 1, strlen(word.named.text) - 2)))
			policy_named_join(&out->named, word.named.text);
		n += blank != NULL;
		text = span_of(text.p + n, text.len - n);
	}
	roles_mark(out);
}

void
roles_limit(const struct auth *a, struct span role, struct role_share *s)
{
	bool all = (s->scopes & POLICY_SCOPE_NAMED) != 0 && s->named.text[0] == '\0';
	struct policy_named asked = s->named;
	struct role_share whole;
	const char *at;
	struct span name;

	roles_share(a, role, &whole);
	at = all ? whole.named.text : asked.text;
	s->scopes &= whole.scopes;
	s->named = (struct policy_named){ "" };
	while (policy_named_next(&at, &name))
		if (share_allows(a, &whole, name))
			(void)policy_named_add(&s->named, name);
	roles_mark(s);
}

void
roles_both(struct role_share *s, uint32_t scopes, const char *named)
{
	s->scopes &= scopes;
	policy_named_limit(&s->named, named);
	roles_mark(s);
}

bool
roles_within(const struct role_share *some, uint32_t scopes, const char *named)
{
	return (some->scopes & ~(scopes | POLICY_SCOPE_NAMED)) == 0 && policy_named_within(some->named.text, named);
}

bool
roles_lessen(const struct auth *a, struct span before, struct span after)
{
	struct role_share had, has;

	roles_share(a, before, &had);
	roles_share(a, after, &has);
	return !roles_within(&had, has.scopes, has.named.text);
}

unsigned
roles_rank(const struct auth *a, struct span role)
{
	struct role_share s;
	struct span name;
	const char *at;
	unsigned n = 1;

	if (!roles_has(a, role))
		return 0;
	roles_share(a, role, &s);
	for (uint32_t left = s.scopes & ~POLICY_SCOPE_NAMED; left != 0; left &= left - 1)
		n += POLICY_NAMED_MAX + 1;
	for (at = s.named.text; policy_named_next(&at, &name);)
		n++;
	return n;
}

void
roles_text(const struct auth *a, struct buf *out)
{
	struct mp_value all, scopes;
	struct mp_iter it;
	struct span name;

	policy_roles_text(out);
	if (!mp_value(buf_view(&a->conf.roles), &all) || all.class != MP_MAP)
		return;
	for (it = mp_iter(&all); mp_next_pair(&it, &name, &scopes);)
		buf_printf(out, ", or %.*s", SPAN_FMT(name));
}

void
roles_tell(struct auth *a, const struct role_share *granted, const struct role_share *whole, struct ipc_verified *out)
{
	a->told_named = granted->named;
	a->told_may = whole->named;
	out->scopes = granted->scopes;
	out->tools = span_str(a->told_named.text);
	out->may = whole->scopes;
	out->may_tools = span_str(a->told_may.text);
}

void
roles_put(const struct auth *a, struct buf *out)
{
	static const enum policy_role built_in[] = {
#define ROLE(NAME, text, mask)	POLICY_ROLE_##NAME,
#include "policy/scopes.def"
#undef ROLE
	};
	size_t list = mp_open_array(out);
	struct mp_value all, scopes;
	struct mp_iter it;
	struct span name;

	for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
		mp_put_cstr(out, policy_role_name(built_in[i]));
	if (mp_value(buf_view(&a->conf.roles), &all) && all.class == MP_MAP)
		for (it = mp_iter(&all); mp_next_pair(&it, &name, &scopes);)
			mp_put_str(out, name);
	mp_end(out, list);
}
