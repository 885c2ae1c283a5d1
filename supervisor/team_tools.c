#include "supervisor/team_tools.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "base/text/parameter_types.h"
#include "ipc/messages.h"
#include "policy/scopes.h"
#include "policy/tool_names.h"
#include "policy/tools.h"

#define ROLE_MOST	16	/* characters of a role's name */
#define ROOM	(IPC_CONTROL_MAX / 2)	/* of a CONFIGURE message */

/* Of the queries behind a parameter with the values of a dimension. */
#define COMPANION_MOST		(2 * PARAMETER_NAME_MOST + 3)
#define FILTER_MOST		256	/* a dimension's name, and what compares it */
#define VALUES_LOOKED_AT	10000u
#define VALUE_NAME		"value"

/* A value of the parameter's type, in JSON's own type. */
static void
put_value(struct buf *out, const struct config_parameter *p, const char *text)
{
	switch (p->type) {
	case PARAMETER_INTEGER:
		mp_put_int(out, strtoll(text, NULL, 10));
		break;
	case PARAMETER_NUMBER:
		mp_put_double(out, strtod(text, NULL));
		break;
	case PARAMETER_BOOLEAN:
		mp_put_bool(out, strcmp(text, "true") == 0);
		break;
	default:
		mp_put_cstr(out, text);
	}
}

static void
put_member(struct buf *out, const struct config_parameter *p, const char *key, const char *text)
{
	if (text == NULL)
		return;
	mp_put_cstr(out, key);
	put_value(out, p, text);
}

static const char *
sample_of(const struct config_parameter *p)
{
	return p->preset != NULL ? p->preset :
	    p->values.n > 0      ? p->values.v[0] :
	    p->minimum != NULL   ? p->minimum :
	    p->maximum != NULL   ? p->maximum :
				   parameter_kinds[p->type].sample;
}

static void
put_schema_of(struct buf *out, const struct config_parameter *p)
{
	bool moment = p->type == PARAMETER_DATE || p->type == PARAMETER_TIMESTAMP;
	size_t map =
	    mp_open_pairs(out, mp_cstr("type", parameter_kinds[p->type].json), mp_cstr("description", p->description),
		mp_when(p->type == PARAMETER_STRING && p->values.n == 0, mp_uint("maxLength", p->max_length)));

	if (p->values.n > 0)
		mp_pair_array(out, "enum", p->values.n);
	for (size_t i = 0; i < p->values.n; i++)
		put_value(out, p, p->values.v[i]);
	put_member(out, p, "minimum", p->minimum);
	put_member(out, p, "maximum", p->maximum);
	put_member(out, p, "default", p->preset);
	if (moment && p->preset == NULL)
		mp_pair_cstrs(out, "examples", &(const char *){ sample_of(p) }, 1);
	mp_end(out, map);
}

static void
put_input(struct buf *out, const struct config_tool *t)
{
	size_t map = mp_open_pairs(out, mp_cstr("type", "object"), mp_bool("additionalProperties", false)), list, names;

	list = mp_pair_open_array(out, "required");
	for (size_t i = 0; i < t->nparameters; i++)
		if (!t->parameters[i].optional)
			mp_put_cstr(out, t->parameters[i].name);
	mp_end(out, list);
	mp_put_cstr(out, "properties");
	names = mp_open_map(out);
	for (size_t i = 0; i < t->nparameters; i++) {
		mp_put_cstr(out, t->parameters[i].name);
		put_schema_of(out, &t->parameters[i]);
	}
	mp_end(out, names);
	mp_end(out, map);
}

static uint32_t
scopes_of(const struct config_tool *t)
{
	uint32_t scopes = 0;

	for (size_t i = 0; i < t->scopes.n; i++)
		scopes |= policy_scope_named(span_str(t->scopes.v[i]));
	return scopes;
}

static void
print_companion(char out[COMPANION_MOST], const struct config_tool *t, const struct config_parameter *p, bool one)
{
	snprintf(out, COMPANION_MOST, "%s.%s%s", t->name, p->name, one ? "=" : "");
}

/*
 * One of the queries behind a parameter with the values of a dimension, in the form of a tool: TOOL.PARAMETER for all
 * values, TOOL.PARAMETER= for the one of a call.  No tool can be called so.
 */
static void
put_companion(struct buf *out, const struct config_tool *t, const struct config_parameter *p, bool one)
{
	char name[COMPANION_MOST], filter[FILTER_MOST];
	size_t map, query, input, properties;

	print_companion(name, t, p, one);
	mp_put_cstr(out, one ? "one" : "all");
	map = mp_open_pairs(out, mp_cstr("name", name), mp_cstr("description", p->description),
	    mp_cstr("connection", t->connection), mp_uint("scopes", scopes_of(t)));
	mp_put_cstr(out, "inputSchema");
	input = mp_open_pairs(out, mp_cstr("type", "object"));
	if (one) {
		mp_put_cstr(out, "properties");
		properties = mp_open_map(out);
		mp_put_cstr(out, VALUE_NAME);
		mp_put_pairs(out, mp_cstr("type", parameter_kinds[p->type].json));
		mp_end(out, properties);
	}
	mp_end(out, input);
	mp_put_cstr(out, "query");
	query =
	    mp_open_pairs(out, mp_cstr("connectionId", t->connection), mp_uint("limit", one ? 1 : VALUES_LOOKED_AT));
	mp_pair_cstrs(out, "dimensions", &p->dimension, 1);
	if (one) {
		snprintf(filter, sizeof(filter), "%s = :" VALUE_NAME, p->dimension);
		mp_pair_cstrs(out, "filters", &(const char *){ filter }, 1);
	}
	mp_end(out, query);
	mp_end(out, map);
}

static bool
has_dimensions(const struct config_tool *t)
{
	for (size_t i = 0; i < t->nparameters; i++)
		if (t->parameters[i].dimension != NULL)
			return true;
	return false;
}

static void
put_values(struct buf *out, const struct config_tool *t)
{
	size_t map, of;

	if (!has_dimensions(t))
		return;
	mp_put_cstr(out, "values");
	map = mp_open_map(out);
	for (size_t i = 0; i < t->nparameters; i++) {
		const struct config_parameter *p = &t->parameters[i];

		if (p->dimension == NULL)
			continue;
		mp_put_cstr(out, p->name);
		of = mp_open_pairs(out, mp_cstr("dimension", p->dimension));
		put_companion(out, t, p, false);
		put_companion(out, t, p, true);
		mp_end(out, of);
	}
	mp_end(out, map);
}

void
team_tools_put_offer(const struct config *cfg, struct buf *out)
{
	mp_put_array(out, cfg->tools.n);
	for (size_t i = 0; i < cfg->tools.n; i++) {
		const struct config_tool *t = &cfg->tools.v[i];
		size_t map = mp_open_pairs(out, mp_cstr("name", t->name), mp_cstr("title", t->title),
		    mp_cstr("description", t->description), mp_uint("hints", TOOL_READ_ONLY | TOOL_IDEMPOTENT),
		    mp_cstr("connection", t->connection), mp_uint("scopes", scopes_of(t)));

		mp_put_cstr(out, "inputSchema");
		put_input(out, t);
		if (t->sql == NULL) {
			mp_put_cstr(out, "query");
			buf_span(out, t->query);
		}
		put_values(out, t);
		mp_end(out, map);
	}
}

void
team_tools_put_scopes(const struct config *cfg, struct buf *out)
{
	size_t map = mp_open_map(out);

	for (size_t i = 0; i < cfg->tools.n; i++) {
		mp_put_cstr(out, cfg->tools.v[i].name);
		mp_put_uint(out, scopes_of(&cfg->tools.v[i]));
	}
	mp_end(out, map);
}

/* Whether the bounds of a whole number are those of 32 bits: the servers' functions take such. */
static bool
is_small(const struct config_parameter *p)
{
	return p->type == PARAMETER_INTEGER && p->minimum != NULL && p->maximum != NULL &&
	    strtoll(p->minimum, NULL, 10) >= INT32_MIN && strtoll(p->maximum, NULL, 10) <= INT32_MAX;
}

static void
put_parameter(struct buf *out, const struct config_parameter *p, const char *name, bool optional, const char *preset)
{
	mp_put_pairs(out, mp_cstr("name", name), mp_cstr("type", parameter_kinds[p->type].word),
	    mp_bool("optional", optional), mp_cstr("preset", preset), mp_cstr("sample", sample_of(p)),
	    mp_bool("small", is_small(p)));
}

/* The semantic layer compiles their SQL: the workers need to know the parameters alone. */
static void
put_companion_statement(struct buf *out, const struct config_tool *t, const struct config_parameter *p, bool one)
{
	char name[COMPANION_MOST];
	size_t map;

	print_companion(name, t, p, one);
	map = mp_open_pairs(out, mp_cstr("name", name), mp_cstr("sql", NULL),
	    mp_uint("maxRows", one ? 1 : VALUES_LOOKED_AT));
	mp_pair_array(out, "parameters", one);
	if (one)
		put_parameter(out, p, VALUE_NAME, false, NULL);
	mp_end(out, map);
}

static void
put_statements(struct buf *out, const struct config_tool *t)
{
	size_t map =
	    mp_open_pairs(out, mp_cstr("name", t->name), mp_cstr("sql", t->sql), mp_uint("maxRows", t->max_rows));

	mp_pair_array(out, "parameters", t->nparameters);
	for (size_t i = 0; i < t->nparameters; i++)
		put_parameter(out, &t->parameters[i], t->parameters[i].name, t->parameters[i].optional,
		    t->parameters[i].preset);
	mp_end(out, map);
	for (size_t i = 0; i < t->nparameters; i++)
		if (t->parameters[i].dimension != NULL) {
			put_companion_statement(out, t, &t->parameters[i], false);
			put_companion_statement(out, t, &t->parameters[i], true);
		}
}

void
team_tools_put_statements(const struct config *cfg, const char *connection, struct buf *out)
{
	size_t list = mp_open_array(out);

	for (size_t i = 0; i < cfg->tools.n; i++)
		if (strcmp(cfg->tools.v[i].connection, connection) == 0)
			put_statements(out, &cfg->tools.v[i]);
	mp_end(out, list);
}

static int
check_room(const struct config *cfg, struct err *err)
{
	struct buf offer = BUF_MAX(ROOM), statements = BUF_MAX(ROOM);
	bool full;

	team_tools_put_offer(cfg, &offer);
	for (size_t i = 0; i < cfg->tools.n; i++)
		put_statements(&statements, &cfg->tools.v[i]);
	full = offer.full || statements.full;
	buf_fini(&offer);
	buf_fini(&statements);
	return !full ?
	    0 :
	    err_set(err, ERR_INVALID_ARGUMENTS,
		"the texts or the statements of tools take more than %u bytes: shorten descriptions, or take "
		"statements into views of the database",
		ROOM);
}

/* The word after another one, or the first, of a text of scopes.  False: the text has no more. */
static bool
next_scope(const char **at, struct span *scope)
{
	*at += strspn(*at, " ");
	*scope = span_of(*at, strcspn(*at, " "));
	*at += scope->len;
	return scope->len > 0;
}

static bool
is_configured(const struct config *cfg, struct span tool)
{
	for (size_t i = 0; i < cfg->tools.n; i++)
		if (span_is_str(tool, cfg->tools.v[i].name))
			return true;
	return false;
}

/* Whether users of a role may be granted this: not what administers the server. */
static bool
is_grantable(const struct config *cfg, struct span scope)
{
	size_t n = strlen(POLICY_TOOL_SCOPE);

	if (span_begins(scope, POLICY_TOOL_SCOPE))
		return is_configured(cfg, span_of(scope.p + n, scope.len - n));
	return (policy_scope_named(scope) & POLICY_SCOPES_ALL & ~(uint32_t)POLICY_SCOPE_CONNECTIVITY_ADMIN) != 0;
}

static int
check_role(const struct config *cfg, const char *role, const char *scopes, struct err *err)
{
	struct policy_named named = { "" };
	const char *at = scopes;
	struct span scope;
	size_t n = 0, names = 0;

	if (!parameter_is_name(span_str(role)) || strlen(role) > ROLE_MOST || policy_role_scopes(span_str(role)) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s: auth.roles: \"%.60s\" is no name for a role: small letters, digits and _, at most %d, and not "
		    "one that is built in",
		    cfg->file, role, ROLE_MOST);
	for (; next_scope(&at, &scope); n++) {
		if (!is_grantable(cfg, scope))
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "%s: auth.roles.%s: \"%.*s\" is no scope for users, or there is no such tool; write "
			    "scopes of docs/users.md, or " POLICY_TOOL_SCOPE "NAME of one of tools:",
			    cfg->file, role, (int)(scope.len < 60 ? scope.len : 60), (const char *)scope.p);
		names += span_begins(scope, POLICY_TOOL_SCOPE);
	}
	policy_named_read(&named, span_str(scopes));
	for (at = named.text; policy_named_next(&at, &scope); names--)
		continue;
	if (n == 0 || names != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s: auth.roles.%s: expected one scope or more, each once, and at most %u tools", cfg->file, role,
		    POLICY_NAMED_MAX);
	return 0;
}

int
team_tools_check(const struct config *cfg, struct err *err)
{
	for (size_t i = 0; i < cfg->tools.n; i++) {
		const struct config_tool *t = &cfg->tools.v[i];

		if (tool_names_is_taken(cfg->tool_prefix, span_str(t->name)))
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "%s:%u: tools.%s: the name is one of Carrel's own, or begins with the prefix of its "
			    "dataset "
			    "tools",
			    cfg->file, t->line, t->name);
		for (size_t k = 0; k < t->scopes.n; k++)
			if (policy_scope_named(span_str(t->scopes.v[k])) == 0)
				return err_set(err, ERR_INVALID_ARGUMENTS,
				    "%s:%u: tools.%s: \"%.60s\" is no scope; write research:query, ext:tools or "
				    "another "
				    "of docs/tokens.md, or an empty list for tokens with " POLICY_TOOL_SCOPE "%s alone",
				    cfg->file, t->line, t->name, t->scopes.v[k], t->name);
	}
	for (size_t i = 0; i < cfg->roles.n; i++)
		if (check_role(cfg, cfg->roles.v[i].key, cfg->roles.v[i].value, err) != 0)
			return -1;
	return check_room(cfg, err);
}
