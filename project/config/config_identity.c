#include "project/config/config_identity.h"

#include <string.h>

#include "base/text/identity_text.h"
#include "project/config/config_member.h"

#define ROLES_MAX	64u
#define NAME_MAX_LEN	63u	/* of a setting, a variable or a role: the servers' own limit */
#define RESERVED	"carrel"	/* settings and variables of ours */

static const char *
read_template(struct config_reader *r, const struct yaml_node *node, const char *name)
{
	const char *text = node->kind == YAML_SCALAR ? yaml_cstr(r->arena, node) : NULL;
	const char *fault = text == NULL ? "expected a text" : identity_text_fault(span_str(text));

	if (fault == NULL)
		return text;
	config_issue(r, true, node->line, name, "%s", fault);
	return NULL;
}

static void
read_settings(struct config_reader *r, struct config_identity *id, const struct yaml_node *node, const char *name)
{
	if (node == NULL)
		return;
	id->settings.v = config_member_room(r, node, YAML_MAPPING, 0, IDENTITY_SETTINGS_MAX, sizeof(*id->settings.v),
	    "settings, each with a template", name);
	for (size_t i = 0; id->settings.v != NULL && i < node->n; i++) {
		const char *own = config_below(r, name, node->keys[i].text);
		const char *key = yaml_cstr(r->arena, &node->keys[i]);
		const char *value = read_template(r, &node->items[i], own);

		if (key == NULL || value == NULL)
			continue;
		for (size_t k = 0; k < id->settings.n; k++)
			if (strcmp(id->settings.v[k].key, key) == 0)
				config_issue(r, true, node->keys[i].line, own, "is set twice");
		id->settings.v[id->settings.n].key = key;
		id->settings.v[id->settings.n++].value = value;
	}
}

static void
read_roles(struct config_reader *r, struct config_identity *id, const struct yaml_node *node, const char *name)
{
	if (node == NULL)
		return;
	id->roles.v = config_member_room(r, node, YAML_SEQUENCE, 1, ROLES_MAX, sizeof(*id->roles.v), "roles", name);
	for (size_t i = 0; id->roles.v != NULL && i < node->n; i++) {
		const struct yaml_node *item = &node->items[i];
		const char *role = item->kind == YAML_SCALAR ? yaml_cstr(r->arena, item) : NULL;

		if (role == NULL || *role == '\0' || strlen(role) > NAME_MAX_LEN)
			config_issue(r, true, item->line, name, "expected the name of a role, of 1 to %u bytes",
			    NAME_MAX_LEN);
		else if (strcasecmp(role, "none") == 0 || strcasecmp(role, "default") == 0)
			config_issue(r, true, item->line, name, "%s means the account's own role, and is no role",
			    role);
		else
			id->roles.v[id->roles.n++] = role;
	}
}

static void
read_claims(struct config_reader *r, struct config_person *p, const struct yaml_node *node, const char *name)
{
	if (node == NULL)
		return;
	p->claims.v = config_member_room(r, node, YAML_MAPPING, 0, IDENTITY_CLAIMS_MAX, sizeof(*p->claims.v),
	    "claims, each with a text", name);
	for (size_t i = 0; p->claims.v != NULL && i < node->n; i++) {
		const struct yaml_node *item = &node->items[i];
		const char *key = yaml_cstr(r->arena, &node->keys[i]);
		const char *value = item->kind == YAML_SCALAR ? yaml_cstr(r->arena, item) : NULL;

		if (key == NULL || value == NULL || !identity_text_is_name(span_str(key)) ||
		    !identity_text_is_value(span_str(value))) {
			config_issue(r, true, node->keys[i].line, name,
			    "expected the name of a claim and its value, a text of 1 to %u bytes", IDENTITY_VALUE_MAX);
			continue;
		}
		p->claims.v[p->claims.n].key = key;
		p->claims.v[p->claims.n++].value = value;
	}
}

static const char *
claim_of(const struct config_person *p, struct span name)
{
	for (size_t i = 0; i < p->claims.n; i++)
		if (span_is_str(name, p->claims.v[i].key))
			return p->claims.v[i].value;
	return NULL;
}

/* A person of the file has every value that a template needs. */
static void
check_person(struct config_reader *r, const struct config_person *p, const char *template, unsigned line,
    const char *name)
{
	struct span rest = span_str(template);
	struct identity_part part;

	while (identity_text_next(&rest, &part))
		if (part.kind == IDENTITY_USER && p->name == NULL)
			config_issue(r, true, line, name, "name is missing, which {user.name} needs");
		else if (part.kind == IDENTITY_CLAIM && claim_of(p, part.text) == NULL)
			config_issue(r, true, line, name, "claims lacks %.*s, which {claims.%.*s} needs",
			    SPAN_FMT(part.text), SPAN_FMT(part.text));
}

static void
read_person(struct config_reader *r, const struct config_identity *id, struct config_person *p,
    const struct yaml_node *node, const char *name)
{
	static const char *const members[] = { "name", "claims", NULL };
	const struct yaml_node *called;

	if (node == NULL)
		return;
	if (!config_member_keys(r, node, "name and claims", name))
		return;
	p->set = true;
	(void)config_member_known(r, node, members, name);
	if ((called = yaml_get(node, "name")) != NULL) {
		p->name = called->kind == YAML_SCALAR ? yaml_cstr(r->arena, called) : NULL;
		if (p->name == NULL || !identity_text_is_value(span_str(p->name)))
			config_issue(r, true, called->line, name, "expected a text of 1 to %u bytes as name",
			    IDENTITY_VALUE_MAX);
	}
	read_claims(r, p, yaml_get(node, "claims"), config_below(r, name, SPAN("claims")));
	for (size_t i = 0; i < id->settings.n; i++)
		check_person(r, p, id->settings.v[i].value, node->line, name);
	if (id->role != NULL)
		check_person(r, p, id->role, node->line, name);
}

static bool
has_place(const char *template)
{
	return strchr(template, '{') != NULL;
}

static void
check_whole(struct config_reader *r, const struct config_identity *id, unsigned line, const char *name)
{
	bool depends = id->role != NULL && has_place(id->role);

	for (size_t i = 0; i < id->settings.n; i++)
		depends = depends || has_place(id->settings.v[i].value);
	if (!depends)
		config_issue(r, true, line, name,
		    "it is the same for every caller: use {user.name} or {claims.NAME} in a setting or in the role");
	if ((id->role != NULL) != (id->roles.n > 0))
		config_issue(r, true, line, name, "%s",
		    id->role != NULL ? "role needs roles, the list of database roles that it may name" :
				       "roles needs role, the template that names one of them");
}

void
config_identity(struct config_reader *r, struct config_identity *id, const struct yaml_node *node, const char *name)
{
	static const char *const members[] = { "settings", "role", "roles", "owner", "neutral", NULL };
	const struct yaml_node *role;

	memset(id, 0, sizeof(*id));
	if (!config_member_keys(r, node, "settings, or role and roles (docs/identity.md)", name))
		return;
	id->set = true;
	(void)config_member_known(r, node, members, name);
	read_settings(r, id, yaml_get(node, "settings"), config_below(r, name, SPAN("settings")));
	if ((role = yaml_get(node, "role")) != NULL)
		id->role = read_template(r, role, config_below(r, name, SPAN("role")));
	read_roles(r, id, yaml_get(node, "roles"), config_below(r, name, SPAN("roles")));
	read_person(r, id, &id->owner, yaml_get(node, "owner"), config_below(r, name, SPAN("owner")));
	read_person(r, id, &id->neutral, yaml_get(node, "neutral"), config_below(r, name, SPAN("neutral")));
	check_whole(r, id, node->line, name);
}

/* Small letters, digits and _, one to `most` words with dots between; as the servers fold names that are not quoted. */
static bool
is_setting(const char *name, unsigned least, unsigned most)
{
	unsigned words = 1;
	bool begins = true;

	for (const char *p = name; *p != '\0'; p++) {
		if (*p == '.' && !begins && words++ < most)
			begins = true;
		else if ((*p >= 'a' && *p <= 'z') || *p == '_' || (*p >= '0' && *p <= '9' && !begins))
			begins = false;
		else
			return false;
	}
	return !begins && words >= least && strlen(name) <= NAME_MAX_LEN;
}

static void
check_names(struct config_reader *r, const struct config_connection *c, bool variables, const char *name)
{
	for (size_t i = 0; i < c->identity.settings.n; i++) {
		const char *key = c->identity.settings.v[i].key;

		if (variables ? !is_setting(key, 1, 1) : !is_setting(key, 2, 8))
			config_issue(r, true, c->line, name,
			    variables ?
				"identity.settings: a variable is called by small letters, digits and _, as "
				"in app_user; found \"%.60s\"" :
				"identity.settings: a setting has a prefix of its own, as in app.user, in small "
				"letters, digits and _; found \"%.60s\"",
			    key);
		else if (strncmp(key, RESERVED, sizeof(RESERVED) - 1) == 0)
			config_issue(r, true, c->line, name,
			    "identity.settings: names that begin with " RESERVED " are Carrel's own");
	}
}

void
config_identity_check(struct config_reader *r, const struct config_connection *c, const char *name)
{
	bool settings = (c->driver->traits & DRIVER_SETTINGS) != 0;
	bool variables = (c->driver->traits & DRIVER_VARIABLES) != 0;

	if (!c->identity.set)
		return;
	if (!settings && !variables)
		config_issue(r, true, c->line, name,
		    "identity: a %s connection cannot apply row security by caller: all callers would read the same "
		    "rows; "
		    "remove the key, and give each group of readers a connection of its own",
		    c->driver->name);
	else {
		check_names(r, c, variables, name);
		if (c->identity.role != NULL && !settings)
			config_issue(r, true, c->line, name,
			    "identity.role: only PostgreSQL has database roles per caller; use identity.settings");
	}
}

/* Add the claims of the template that are not there yet.  False: there are too many. */
static bool
add_claims(struct config_strings *to, struct arena *a, const char *template)
{
	struct span rest = span_str(template);
	struct identity_part part;

	while (identity_text_next(&rest, &part)) {
		size_t i = 0;

		while (part.kind == IDENTITY_CLAIM && i < to->n && !span_is_str(part.text, to->v[i]))
			i++;
		if (part.kind != IDENTITY_CLAIM || i < to->n)
			continue;
		if (to->n == IDENTITY_CLAIMS_MAX || (to->v[to->n] = arena_cstr(a, part.text)) == NULL)
			return false;
		to->n++;
	}
	return true;
}

bool
config_identity_claims(const struct config *cfg, struct arena *a, struct config_strings *out)
{
	*out = (struct config_strings){ 0, arena_array(a, IDENTITY_CLAIMS_MAX, sizeof(*out->v)) };
	for (size_t i = 0; out->v != NULL && i < cfg->nconnections; i++) {
		const struct config_identity *id = &cfg->connections[i].identity;

		if (!id->set || cfg->connections[i].driver == NULL)
			continue;
		for (size_t k = 0; k < id->settings.n; k++)
			if (!add_claims(out, a, id->settings.v[k].value))
				return false;
		if (id->role != NULL && !add_claims(out, a, id->role))
			return false;
	}
	return out->v != NULL;
}
