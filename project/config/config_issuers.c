#include "project/config/config_issuers.h"

#include <string.h>

#include "base/text/web_url.h"
#include "project/config/config_member.h"

#define URL_MOST	1024u	/* bytes */
#define CLAIM_MOST	128u
#define CLAIMS_MOST	32u
#define AUDIENCE_MOST	512u
#define PATH_MOST	4096u
#define GROUPS_MOST	256u
#define AGE_MIN		60u
#define AGE_MOST	86400u
#define AGE		3600u	/* when max_age_s is left out */

static const char *const members[] = { "issuer", "audience", "typ", "scope_claim", "role_claim", "roles", "max_age_s",
	"sslrootcert", "claims", NULL };

/* A text of at most `most` bytes.  otherwise: when it is left out; NULL: it must not be.  empty: it may be. */
static const char *
read_member(struct config_reader *r, const struct yaml_node *node, const char *key, size_t most, const char *otherwise,
    bool empty, const char *name)
{
	const struct yaml_node *value = yaml_get(node, key);
	const char *text = value == NULL || value->kind == YAML_NULL ? NULL : yaml_cstr(r->arena, value);

	if (value == NULL || value->kind == YAML_NULL) {
		if (otherwise == NULL)
			config_issue(r, true, node->line, name, "%s is missing", key);
		return otherwise;
	}
	if (text != NULL && (*text != '\0' || empty) && strlen(text) <= most)
		return text;
	config_issue(r, true, value->line, name, "expected a text of 1 to %zu bytes as %s", most, key);
	return NULL;
}

#define ROLES_EXPECTED \
	"expected groups and their roles as roles: viewer, contributor, admin or one of auth.roles"

static void
read_roles(struct config_reader *r, const struct yaml_node *node, struct config_pairs *out, const char *name)
{
	const struct yaml_node *map = yaml_get(node, "roles");
	size_t n = map != NULL && map->kind == YAML_MAPPING ? map->n : 0;

	if (n > GROUPS_MOST)
		n = 0;
	if (n > 0 && (out->v = arena_array(r->arena, n, sizeof(*out->v))) == NULL) {
		r->full = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		out->v[out->n].key = yaml_cstr(r->arena, &map->keys[i]);
		out->v[out->n].value = yaml_cstr(r->arena, &map->items[i]);
		out->n += out->v[out->n].key != NULL && out->v[out->n].value != NULL;
	}
	if (out->n != n || n == 0)
		config_issue(r, true, map != NULL ? map->line : node->line, name, ROLES_EXPECTED);
}

static void
read_age(struct config_reader *r, const struct yaml_node *node, unsigned *out, const char *name)
{
	const struct yaml_node *value = yaml_get(node, "max_age_s");
	unsigned long long n = AGE;

	if (value != NULL && value->kind != YAML_NULL && (!yaml_uint(value, &n) || n < AGE_MIN || n > AGE_MOST))
		config_issue(r, true, value->line, name, "expected a whole number from %u to %u as max_age_s", AGE_MIN,
		    AGE_MOST);
	*out = (unsigned)n;
}

/* Names of claims that the issuer may assert, of those that templates name.  Absent: all of these. */
static void
read_claims(struct config_reader *r, const struct yaml_node *node, struct config_strings *out, const char *name)
{
	const struct yaml_node *list = yaml_get(node, "claims");

	if (list == NULL || list->kind == YAML_NULL)
		return;
	out->v = config_member_room(r, list, YAML_SEQUENCE, 1, CLAIMS_MOST, sizeof(*out->v), "names as claims", name);
	for (size_t i = 0; out->v != NULL && i < list->n; i++) {
		const char *claim = list->items[i].kind == YAML_SCALAR ? yaml_cstr(r->arena, &list->items[i]) : NULL;

		if (claim == NULL || *claim == '\0' || strlen(claim) > CLAIM_MOST)
			config_issue(r, true, list->items[i].line, name, "claims holds what is no name of a claim");
		else
			out->v[out->n++] = claim;
	}
}

static void
read_issuer(struct config_reader *r, struct config_issuers *to, const struct yaml_node *node, const char *name)
{
	struct config_issuer *i = &to->v[to->n];

	if (node->kind != YAML_MAPPING) {
		config_issue(r, true, node->line, name, "expected a mapping with issuer, audience and roles");
		return;
	}
	for (size_t k = 0; k < node->n; k++)
		if (!span_is_any(node->keys[k].text, members))
			config_issue(r, true, node->keys[k].line, config_below(r, name, node->keys[k].text),
			    "is not known here; there are issuer, audience, typ, scope_claim, role_claim, roles, "
			    "claims, max_age_s and sslrootcert");
	*i = (struct config_issuer){ .line = node->line,
		.issuer = read_member(r, node, "issuer", URL_MOST, NULL, false, name),
		.audience = read_member(r, node, "audience", AUDIENCE_MOST, NULL, false, name),
		.typ = read_member(r, node, "typ", CLAIM_MOST, "at+jwt", false, name),
		.scope_claim = read_member(r, node, "scope_claim", CLAIM_MOST, "scope", true, name),
		.role_claim = read_member(r, node, "role_claim", CLAIM_MOST, "groups", false, name),
		.sslrootcert = yaml_get(node, "sslrootcert") == NULL ?
		    NULL :
		    read_member(r, node, "sslrootcert", PATH_MOST, NULL, false, name) };
	read_roles(r, node, &i->roles, name);
	read_age(r, node, &i->max_age_s, name);
	read_claims(r, node, &i->claims, name);
	to->n += i->issuer != NULL && i->audience != NULL && i->typ != NULL && i->scope_claim != NULL &&
	    i->role_claim != NULL;
}

void
config_issuers(struct config_reader *r, struct config_issuers *to, const struct config_key *k,
    const struct yaml_node *node, const char *name)
{
	if (node->kind == YAML_NULL || (node->kind == YAML_SEQUENCE && node->n == 0))
		return;
	if (node->kind != YAML_SEQUENCE || node->n > k->high) {
		config_issue(r, true, node->line, name,
		    "expected a list of at most %u mappings with issuer, audience and roles", (unsigned)k->high);
		return;
	}
	if ((to->v = arena_array(r->arena, node->n, sizeof(*to->v))) == NULL) {
		r->full = true;
		return;
	}
	for (size_t i = 0; i < node->n; i++)
		read_issuer(r, to, &node->items[i], name);
}

bool
config_issuers_is_role(const struct config *cfg, const char *name)
{
	static const char *const names[] = { "viewer", "contributor", "admin", NULL };

	for (size_t i = 0; i < cfg->roles.n; i++)
		if (strcmp(cfg->roles.v[i].key, name) == 0)
			return true;
	return span_is_any(span_str(name), names);
}

bool
config_issuers_name_roles(const struct config *cfg, const struct config_pairs *roles)
{
	for (size_t i = 0; i < roles->n; i++)
		if (!config_issuers_is_role(cfg, roles->v[i].value))
			return false;
	return roles->n > 0;
}

void
config_check_issuers(struct config_reader *r, const struct config *cfg)
{
	for (size_t i = 0; i < cfg->issuers.n; i++) {
		const struct config_issuer *one = &cfg->issuers.v[i];

		if (!web_url_read(span_str(one->issuer), NULL) || strpbrk(one->issuer, "?#") != NULL)
			config_issue(r, true, one->line, "auth.issuers",
			    "expected https:// and a host as issuer, without a query; http:// only to localhost or "
			    "127.0.0.1");
		for (size_t k = 0; k < i; k++)
			if (strcmp(cfg->issuers.v[k].issuer, one->issuer) == 0)
				config_issue(r, true, one->line, "auth.issuers", "the issuer is listed twice");
		/* Its identity tokens are for the client: they are shown to browsers, and are no access tokens. */
		if (cfg->oidc.issuer != NULL && strcmp(cfg->oidc.issuer, one->issuer) == 0 &&
		    cfg->oidc.client_id != NULL && strcmp(cfg->oidc.client_id, one->audience) == 0)
			config_issue(r, true, one->line, "auth.issuers",
			    "the audience is auth.oidc.client_id: identity tokens would be taken for access tokens; "
			    "have the issuer name another audience");
		if (one->roles.n > 0 && !config_issuers_name_roles(cfg, &one->roles))
			config_issue(r, true, one->line, "auth.issuers", ROLES_EXPECTED);
		if (!cfg->oauth.enabled)
			config_issue(r, true, one->line, "auth.issuers", "needs oauth.enabled: true");
	}
}
