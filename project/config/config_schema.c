#include <string.h>

#include "base/json/json_put.h"
#include "project/config/config_reach.h"
#include "project/config/config_value.h"
#include "project/config/config_schema.h"

/* "type": these, and null. */
static void
put_types(struct buf *out, const char *one, const char *other)
{
	json_put_list(out, "type");
	json_put_cstr(out, NULL, one);
	if (other != NULL)
		json_put_cstr(out, NULL, other);
	json_put_cstr(out, NULL, "null");
	json_end_list(out);
}

/* No other members than the properties that follow. */
static void
begin_closed(struct buf *out)
{
	json_put_bool(out, "additionalProperties", false);
	json_put_object(out, "properties");
}

/* Texts, which may look like numbers: the key decides the type, 2024 is a name, too. */
static void
put_texts(struct buf *out, const char *key, const char *pattern)
{
	json_put_object(out, key);
	if (pattern == NULL)
		json_put_raw(out, "type", SPAN("[\"string\",\"number\"]"));
	else {
		json_put_cstr(out, "type", "string");
		json_put_cstr(out, "pattern", pattern);
	}
	json_end_object(out);
}

/* Patterns for the texts of each kind; NULL: any text. */
static const char *const patterns[] = {
    [CONFIG_URL] = "^https?://",
    [CONFIG_LISTEN] = "^unix:/",
    [CONFIG_NAME] = "^[a-z][a-z0-9_-]*$",
    [CONFIG_SCHEME] = "^[a-z][a-z0-9+.-]*$",
    [CONFIG_PREFIX] = "^[a-z][a-z0-9]*$",
    [CONFIG_TOOLS] = "^(?!(audit|dictionary|wiki)$)[a-z]([a-z0-9_-]*[a-z0-9])?$",
    [CONFIG_HEADER] = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    [CONFIG_STORE] = "^(?!(env|file|cred):).*[^/]$",
    [CONFIG_STATE] = "^(?!.*://).*[^/]$",
    [CONFIG_IDENTITY] = "^[^<>]+ <[^<>]+>$",
    [CONFIG_MONTH_DAY] = "^[0-1][0-9]-[0-3][0-9]$",
    [CONFIG_ZONE] = "^[A-Za-z][A-Za-z0-9_+/-]*$",
    [CONFIG_SHARE] = NULL /* the last kind */
};

static void
put_words(struct buf *out, const char *words)
{
	json_put_list(out, "enum");
	for (const char *w = words; *w != '\0';) {
		size_t n = strcspn(w, "|");

		json_put_str(out, NULL, span_of(w, n));
		w += n + (w[n] == '|');
	}
	json_put_cstr(out, NULL, NULL);
	json_end_list(out);
}

/* The default as the value that the file would hold; a FLAG's and a number's text is JSON already. */
static void
put_default(const struct config_key *k, bool literal, struct buf *out)
{
	if (k->def != NULL && literal)
		json_put_raw(out, "default", span_str(k->def));
	else if (k->def != NULL)
		json_put_cstr(out, "default", k->def);
}

/* A list's in its short form. */
static void
put_default_list(const struct config_key *k, struct buf *out)
{
	const char *p = k->def + 1;

	json_put_list(out, "default");
	while (*p != ']') {
		size_t n = strcspn(p, ",]");

		json_put_str(out, NULL, span_of(p, n));
		p += n + strspn(p + n, ", ");
	}
	json_end_list(out);
}

static void
put_text(const struct config_key *k, struct buf *out)
{
	put_types(out, "string", "number");
	/* A byte is a character at most. */
	json_put_uint(out, "minLength", k->low > 0);
	json_put_uint(out, "maxLength", k->high);
	if (patterns[k->kind] != NULL)
		json_put_cstr(out, "pattern", patterns[k->kind]);
	put_default(k, false, out);
}

/* The rules for everybody, or for callers with only a scope. */
static void
put_columns(bool scopes, struct buf *out)
{
	static const char *const actions[] = { "hide", "mask", "hash" };

	json_put_raw(out, "type", scopes ? SPAN("[\"object\",\"null\"]") : SPAN("[\"object\"]"));
	begin_closed(out);
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		json_put_object(out, actions[i]);
		put_types(out, "array", "string");
		json_put_uint(out, "minLength", 1);
		json_put_object(out, "items");
		json_put_cstr(out, "type", "string");
		json_put_uint(out, "minLength", 1);
		json_end_object(out);
		json_end_object(out);
	}
	if (scopes) {
		json_put_object(out, "scopes");
		json_put_cstr(out, "type", "object");
		json_put_object(out, "additionalProperties");
		put_columns(false, out);
		json_end_object(out);
		json_end_object(out);
	}
	json_end_object(out);
}

/* Texts by name. */
static void
put_map_of_texts(const char *key, struct buf *out)
{
	json_put_object(out, key);
	json_put_cstr(out, "type", "object");
	put_texts(out, "additionalProperties", NULL);
	json_end_object(out);
}

static void
put_person(const char *key, struct buf *out)
{
	json_put_object(out, key);
	json_put_cstr(out, "type", "object");
	begin_closed(out);
	put_texts(out, "name", NULL);
	put_map_of_texts("claims", out);
	json_end_object(out);
	json_end_object(out);
}

static void
put_asker(struct buf *out)
{
	json_put_cstr(out, "type", "object");
	begin_closed(out);
	put_map_of_texts("settings", out);
	put_texts(out, "role", NULL);
	json_put_object(out, "roles");
	json_put_cstr(out, "type", "array");
	json_put_uint(out, "minItems", 1);
	put_texts(out, "items", NULL);
	json_end_object(out);
	put_person("owner", out);
	put_person("neutral", out);
	json_end_object(out);
}

/* A path, or a mapping that names the table of one. */
static void
put_files(const struct config_key *k, struct buf *out)
{
	json_put_raw(out, "type", SPAN("[\"array\",\"string\",\"object\"]"));
	json_put_uint(out, "maxItems", k->high);
	json_put_object(out, "items");
	json_put_raw(out, "type", SPAN("[\"string\",\"object\"]"));
	json_put_raw(out, "required", SPAN("[\"name\",\"path\"]"));
	begin_closed(out);
	put_texts(out, "name", NULL);
	put_texts(out, "path", NULL);
	json_end_object(out);
	json_end_object(out);
}

static void
put_ontologies(const struct config_key *k, struct buf *out)
{
	put_types(out, "array", NULL);
	json_put_uint(out, "maxItems", k->high);
	json_put_object(out, "items");
	json_put_cstr(out, "type", "object");
	json_put_raw(out, "required", SPAN("[\"id\",\"name\",\"connection\"]"));
	begin_closed(out);
	put_texts(out, "id", "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$");
	put_texts(out, "name", NULL);
	json_put_object(out, "description");
	put_types(out, "string", "number");
	json_end_object(out);
	put_texts(out, "connection", NULL);
	json_put_object(out, "sources");
	put_types(out, "array", "string");
	json_put_uint(out, "minItems", 1);
	put_texts(out, "items", NULL);
	for (unsigned i = 0; i < 3; i++)
		json_end_object(out);
	put_default(k, true, out);
}

/* A member of any scalar type. */
static void
put_scalar(const char *key, struct buf *out)
{
	json_put_object(out, key);
	json_put_raw(out, "type", SPAN("[\"string\",\"number\",\"boolean\",\"null\"]"));
	json_end_object(out);
}

static void
put_parameter(struct buf *out)
{
	json_put_cstr(out, "type", "object");
	json_put_raw(out, "required", SPAN("[\"type\",\"description\"]"));
	begin_closed(out);
	json_put_object(out, "type");
	json_put_list(out, "enum");
	for (size_t i = 0; i < PARAMETER_TYPES; i++)
		json_put_cstr(out, NULL, parameter_kinds[i].word);
	json_end_list(out);
	json_end_object(out);
	put_texts(out, "description", NULL);
	json_put_object(out, "values");
	put_types(out, "array", "object");
	json_end_object(out);
	put_scalar("default", out);
	put_scalar("minimum", out);
	put_scalar("maximum", out);
	put_scalar("max_length", out);
	json_end_object(out);
}

static void
put_issuers(const struct config_key *k, struct buf *out)
{
	put_types(out, "array", NULL);
	json_put_uint(out, "maxItems", k->high);
	json_put_object(out, "items");
	json_put_cstr(out, "type", "object");
	json_put_raw(out, "required", SPAN("[\"issuer\",\"audience\",\"roles\"]"));
	begin_closed(out);
	put_texts(out, "issuer", NULL);
	put_texts(out, "audience", NULL);
	put_texts(out, "typ", NULL);
	put_texts(out, "scope_claim", NULL);
	put_texts(out, "role_claim", NULL);
	json_put_object(out, "roles");
	json_put_cstr(out, "type", "object");
	json_end_object(out);
	json_put_object(out, "claims");
	json_put_cstr(out, "type", "array");
	json_end_object(out);
	json_put_object(out, "max_age_s");
	json_put_cstr(out, "type", "integer");
	json_end_object(out);
	json_end_object(out);
	json_end_object(out);
	put_default(k, true, out);
}

static void
put_team_tools(const struct config_key *k, struct buf *out)
{
	put_types(out, "array", NULL);
	json_put_uint(out, "maxItems", k->high);
	json_put_object(out, "items");
	json_put_cstr(out, "type", "object");
	json_put_raw(out, "required", SPAN("[\"name\",\"description\",\"connection\",\"sql\"]"));
	begin_closed(out);
	put_texts(out, "name", "^[a-z][a-z0-9_]{0,47}$");
	put_texts(out, "title", NULL);
	put_texts(out, "description", NULL);
	put_texts(out, "connection", NULL);
	json_put_object(out, "parameters");
	put_types(out, "object", NULL);
	json_put_object(out, "additionalProperties");
	put_parameter(out);
	json_end_object(out);
	json_end_object(out);
	put_texts(out, "sql", NULL);
	put_scalar("max_rows", out);
	json_put_object(out, "scopes");
	put_types(out, "array", NULL);
	put_texts(out, "items", NULL);
	for (unsigned i = 0; i < 3; i++)
		json_end_object(out);
	put_default(k, true, out);
}

/* A text, or the command that prints it. */
static void
put_password(const struct config_key *k, struct buf *out)
{
	json_put_raw(out, "type", SPAN("[\"string\",\"number\",\"object\",\"null\"]"));
	json_put_uint(out, "maxLength", k->high);
	json_put_raw(out, "required", SPAN("[\"command\"]"));
	begin_closed(out);
	json_put_object(out, "command");
	json_put_cstr(out, "type", "array");
	json_put_uint(out, "minItems", 1);
	put_texts(out, "items", NULL);
	json_end_object(out);
	json_put_object(out, "ttl_s");
	put_types(out, "integer", NULL);
	json_put_uint(out, "minimum", 0);
	json_put_uint(out, "maximum", CONFIG_REACH_TTL_MAX_S);
	json_put_uint(out, "default", CONFIG_REACH_TTL_S);
	json_end_object(out);
	json_end_object(out);
}

static void
put_ssh(struct buf *out)
{
	put_types(out, "object", NULL);
	json_put_raw(out, "required", SPAN("[\"host\",\"user\",\"identity\",\"known_hosts\"]"));
	begin_closed(out);
	put_texts(out, "host", NULL);
	put_texts(out, "user", NULL);
	put_texts(out, "identity", "^file:");
	put_texts(out, "known_hosts", "^file:");
	json_put_object(out, "port");
	put_types(out, "integer", NULL);
	json_put_uint(out, "minimum", 1);
	json_put_uint(out, "maximum", 65535);
	json_put_uint(out, "default", CONFIG_REACH_SSH_PORT);
	json_end_object(out);
	json_end_object(out);
}

static void
put_key(const struct config_key *k, struct buf *out)
{
	json_put_object(out, k->key);
	switch (k->kind) {
	case CONFIG_UINT:
	case CONFIG_BYTES:
	case CONFIG_MB:
	case CONFIG_SHARE:
		put_types(out, k->kind == CONFIG_SHARE ? "number" : "integer", NULL);
		json_put_uint(out, "minimum", k->low);
		json_put_uint(out, "maximum", k->high);
		put_default(k, true, out);
		break;
	case CONFIG_FLAG:
	case CONFIG_SWITCH:
		put_types(out, "boolean", NULL);
		put_default(k, true, out);
		break;
	case CONFIG_WORD:
	case CONFIG_WORD_TEXT:
		put_words(out, k->words);
		put_default(k, false, out);
		break;
	case CONFIG_TEXTS:
	case CONFIG_HOSTS:
	case CONFIG_ORIGINS:
	case CONFIG_ADDRESSES:
	case CONFIG_USERS:
		put_types(out, "array", "string");
		put_texts(out, "items", NULL);
		json_put_uint(out, "maxItems", k->high);
		break;
	case CONFIG_SCHEMES:
		put_types(out, "array", "string");
		put_texts(out, "items", patterns[CONFIG_SCHEME]);
		json_put_uint(out, "maxItems", k->high);
		put_default_list(k, out);
		break;
	case CONFIG_PAIRS:
		put_types(out, "object", NULL);
		put_texts(out, "additionalProperties", NULL);
		json_put_uint(out, "maxProperties", k->high);
		put_default(k, true, out);
		break;
	case CONFIG_FILES:
		put_files(k, out);
		break;
	case CONFIG_COLUMNS:
		put_columns(true, out);
		break;
	case CONFIG_ASKER:
		put_asker(out);
		break;
	case CONFIG_ONTOLOGIES:
		put_ontologies(k, out);
		break;
	case CONFIG_ISSUERS:
		put_issuers(k, out);
		break;
	case CONFIG_TEAM_TOOLS:
		put_team_tools(k, out);
		break;
	case CONFIG_PASSWORD:
		put_password(k, out);
		break;
	case CONFIG_SSH:
		put_ssh(out);
		break;
	default:
		put_text(k, out);
	}
	json_put_cstr(out, "description", k->doc);
	json_end_object(out);
}

/* The members of one section. */
static void
put_members(const struct config_key *table, const char *section, struct buf *out)
{
	for (const struct config_key *k = table; k->key != NULL; k++)
		if (strcmp(k->section, section) == 0)
			put_key(k, out);
}

static void
put_driver_keys(struct buf *out)
{
	for (size_t i = 0; drivers_key(i) != NULL; i++)
		put_key(drivers_key(i), out);
}

/* Whether inner is a section within section: "auth.oidc" in "auth".  "" has those without a dot. */
static bool
is_within(const char *inner, const char *section)
{
	size_t n = strlen(section);
	const char *dot = strrchr(inner, '.');

	return *inner != '\0' && (n == 0 ? dot == NULL : dot == inner + n && memcmp(inner, section, n) == 0);
}

static void put_section(const char *section, struct buf *out);

/* Keys of a section stand together in each table. */
static void
put_sections(const char *section, struct buf *out)
{
	const char *last = "";

	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		if (is_within(k->section, section) && strcmp(k->section, last) != 0)
			put_section(last = k->section, out);
}

static void
put_section(const char *section, struct buf *out)
{
	const char *dot = strrchr(section, '.');

	json_put_object(out, dot != NULL ? dot + 1 : section);
	put_types(out, "object", NULL);
	begin_closed(out);
	put_members(config_keys, section, out);
	put_sections(section, out);
	json_end_object(out);
	json_end_object(out);
}

void
config_schema(struct buf *out)
{
	/* Carrel ignores unknown keys with a warning; an editor reports them as errors. */
	json_put_object(out, NULL);
	json_put_cstr(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_put_cstr(out, "title", "carrel.yaml");
	json_put_cstr(out, "type", "object");
	begin_closed(out);
	json_put_object(out, "connections");
	put_types(out, "object", NULL);
	json_put_object(out, "propertyNames");
	json_put_cstr(out, "pattern", "^[a-zA-Z0-9][a-zA-Z0-9_-]*$");
	json_end_object(out);
	json_put_object(out, "additionalProperties");
	json_put_cstr(out, "type", "object");
	json_put_raw(out, "required", SPAN("[\"driver\"]"));
	begin_closed(out);
	put_members(config_connection_keys, "connections", out);
	put_driver_keys(out);
	for (unsigned i = 0; i < 3; i++)
		json_end_object(out);
	put_members(config_keys, "", out);
	put_sections("", out);
	json_end_object(out);
	json_end_object(out);
	buf_byte(out, '\n');
}
