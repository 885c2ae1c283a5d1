/* config_schema.c - the key table (config.def) as a JSON Schema, for editors. */
#include <string.h>

#include "base/json/json.h"
#include "project/config/config_value.h"

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
    [CONFIG_IDENTITY] = "^[^<>]+ <[^<>]+>$",
    [CONFIG_MONTH_DAY] = "^[0-1][0-9]-[0-3][0-9]$",
    [CONFIG_ZONE] = "^[A-Za-z][A-Za-z0-9_+/-]*$",
    [CONFIG_SHARE] = NULL /* the last kind */
};

static void
put_words(struct buf *out, const char *words)
{
	buf_byte(out, '[');
	for (const char *w = words; *w != '\0';) {
		size_t n = strcspn(w, "|");

		json_write_string(out, span_of(w, n));
		buf_byte(out, ',');
		w += n + (w[n] == '|');
	}
	buf_str(out, "null]");
}

/* The default as the value that the file would hold; a FLAG's and a number's text is JSON already. */
static void
put_default(const struct config_key *k, bool literal, struct buf *out)
{
	if (k->def == NULL)
		return;
	buf_str(out, ",\"default\":");
	if (literal)
		buf_str(out, k->def);
	else
		json_write_string(out, span_str(k->def));
}

/* A list's in its short form. */
static void
put_default_list(const struct config_key *k, struct buf *out)
{
	const char *p = k->def + 1;

	buf_str(out, ",\"default\":[");
	while (*p != ']') {
		size_t n = strcspn(p, ",]");

		json_write_string(out, span_of(p, n));
		p += n;
		if (*p == ',') {
			buf_byte(out, ',');
			p += 1 + strspn(p + 1, " ");
		}
	}
	buf_byte(out, ']');
}

static void
put_text(const struct config_key *k, struct buf *out)
{
	/* The key decides the type: 2024 is a name, too.  A byte is a character at most. */
	buf_printf(out, "\"type\":[\"string\",\"number\",\"null\"],\"minLength\":%d,\"maxLength\":%llu", k->low > 0,
	    (unsigned long long)k->high);
	if (patterns[k->kind] != NULL) {
		buf_str(out, ",\"pattern\":");
		json_write_string(out, span_str(patterns[k->kind]));
	}
	put_default(k, false, out);
}

/* The rules for everybody, or for callers with only a scope. */
static void
put_columns(bool scopes, struct buf *out)
{
	static const char *const actions[] = { "hide", "mask", "hash" };

	buf_printf(out, "\"type\":[\"object\"%s],\"additionalProperties\":false,\"properties\":{",
	    scopes ? ",\"null\"" : "");
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		buf_printf(out,
		    "%s\"%s\":{\"type\":[\"array\",\"string\",\"null\"],\"minLength\":1,"
		    "\"items\":{\"type\":\"string\",\"minLength\":1}}",
		    i > 0 ? "," : "", actions[i]);
	if (scopes) {
		buf_str(out, ",\"scopes\":{\"type\":\"object\",\"additionalProperties\":{");
		put_columns(false, out);
		buf_str(out, "}}");
	}
	buf_byte(out, '}');
}

static void
put_ontologies(const struct config_key *k, struct buf *out)
{
	buf_printf(out,
	    "\"type\":[\"array\",\"null\"],\"maxItems\":%llu,\"items\":{\"type\":\"object\","
	    "\"additionalProperties\":false,\"required\":[\"id\",\"name\",\"connection\"],\"properties\":{"
	    "\"id\":{\"type\":\"string\",\"pattern\":\"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$\"},"
	    "\"name\":{\"type\":[\"string\",\"number\"]},\"description\":{\"type\":[\"string\",\"number\",\"null\"]},"
	    "\"connection\":{\"type\":[\"string\",\"number\"]},"
	    "\"sources\":{\"type\":[\"array\",\"string\",\"null\"],\"minItems\":1,"
	    "\"items\":{\"type\":[\"string\",\"number\"]}}}}",
	    (unsigned long long)k->high);
	put_default(k, true, out);
}

static void
put_key(const struct config_key *k, struct buf *out)
{
	buf_byte(out, '{');
	switch (k->kind) {
	case CONFIG_UINT:
	case CONFIG_BYTES:
	case CONFIG_MB:
	case CONFIG_SHARE:
		buf_printf(out, "\"type\":[\"%s\",\"null\"],\"minimum\":%llu,\"maximum\":%llu",
		    k->kind == CONFIG_SHARE ? "number" : "integer", (unsigned long long)k->low,
		    (unsigned long long)k->high);
		put_default(k, true, out);
		break;
	case CONFIG_FLAG:
	case CONFIG_SWITCH:
		buf_str(out, "\"type\":[\"boolean\",\"null\"]");
		put_default(k, true, out);
		break;
	case CONFIG_WORD:
	case CONFIG_WORD_TEXT:
		buf_str(out, "\"enum\":");
		put_words(out, k->words);
		put_default(k, false, out);
		break;
	case CONFIG_TEXTS:
	case CONFIG_HOSTS:
	case CONFIG_ORIGINS:
	case CONFIG_ADDRESSES:
	case CONFIG_USERS:
		buf_printf(out,
		    "\"type\":[\"array\",\"string\",\"null\"],\"items\":{\"type\":[\"string\",\"number\"]},"
		    "\"maxItems\":%llu",
		    (unsigned long long)k->high);
		break;
	case CONFIG_SCHEMES:
		buf_printf(out,
		    "\"type\":[\"array\",\"string\",\"null\"],\"items\":{\"type\":\"string\",\"pattern\":\"%s\"},"
		    "\"maxItems\":%llu",
		    patterns[CONFIG_SCHEME], (unsigned long long)k->high);
		put_default_list(k, out);
		break;
	case CONFIG_PAIRS:
		buf_printf(out,
		    "\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"type\":[\"string\",\"number\"]},"
		    "\"maxProperties\":%llu",
		    (unsigned long long)k->high);
		put_default(k, true, out);
		break;
	case CONFIG_COLUMNS:
		put_columns(true, out);
		break;
	case CONFIG_ONTOLOGIES:
		put_ontologies(k, out);
		break;
	default:
		put_text(k, out);
	}
	buf_str(out, ",\"description\":");
	json_write_string(out, span_str(k->doc));
	buf_byte(out, '}');
}

/* The members of one section. */
static void
put_members(const struct config_key *table, const char *section, struct buf *out)
{
	size_t n = 0;

	for (const struct config_key *k = table; k->key != NULL; k++) {
		if (strcmp(k->section, section) != 0)
			continue;
		buf_str(out, n++ > 0 ? "," : "");
		json_write_string(out, span_str(k->key));
		buf_byte(out, ':');
		put_key(k, out);
	}
}

static void
put_driver_keys(struct buf *out)
{
	for (size_t i = 0; drivers_key(i) != NULL; i++) {
		buf_byte(out, ',');
		json_write_string(out, span_str(drivers_key(i)->key));
		buf_byte(out, ':');
		put_key(drivers_key(i), out);
	}
}

static void
put_section(const char *section, struct buf *out)
{
	buf_byte(out, ',');
	json_write_string(out, span_str(section));
	buf_str(out, ":{\"type\":[\"object\",\"null\"],\"additionalProperties\":false,\"properties\":{");
	put_members(config_keys, section, out);
	buf_str(out, "}}");
}

void
config_schema(struct buf *out)
{
	const char *last = "";

	/* Carrel ignores unknown keys with a warning; an editor reports them as errors. */
	buf_str(out,
	    "{\"$schema\":\"https://json-schema.org/draft/2020-12/"
	    "schema\",\"title\":\"carrel.yaml\",\"type\":\"object\","
	    "\"additionalProperties\":false,\"properties\":{\"connections\":{\"type\":[\"object\",\"null\"],"
	    "\"propertyNames\":{\"pattern\":\"^[a-zA-Z0-9][a-zA-Z0-9_-]*$\"},"
	    "\"additionalProperties\":{\"type\":\"object\",\"required\":[\"driver\"],"
	    "\"additionalProperties\":false,\"properties\":{");
	put_members(config_connection_keys, "connections", out);
	put_driver_keys(out);
	buf_str(out, "}}},");
	put_members(config_keys, "", out);
	/* Keys of a section stand together in each table. */
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		if (*k->section != '\0' && strcmp(k->section, last) != 0)
			put_section(last = k->section, out);
	buf_str(out, "}}\n");
}
