/* config_value.c - checks and stores single configuration values by their row in config.def. */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/num.h"
#include "base/ascii.h"
#include "base/system/net.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "project/config/config_columns.h"
#include "project/config/config_identity.h"
#include "project/config/config_issuers.h"
#include "project/config/config_ontologies.h"
#include "project/config/config_reach.h"
#include "project/config/config_tools.h"
#include "project/config/preferences.h"
#include "project/config/secret.h"

#define KEY(section, key, KIND, field, low, high, def, words, doc)	\
	{ section, key, CONFIG_##KIND, offsetof(struct config, field), low, high, def, words, doc },
#define CONNECTION_KEY(key, KIND, field, low, high, def, words, doc)
const struct config_key config_keys[] = {
#include "project/config/config.def"
	{ .key = NULL }
};
#undef KEY
#undef CONNECTION_KEY

#define KEY(section, key, KIND, field, low, high, def, words, doc)
#define CONNECTION_KEY(key, KIND, field, low, high, def, words, doc)	\
	{ "connections", key, CONFIG_##KIND, offsetof(struct config_connection, field), low, high, def, words, doc },
const struct config_key config_connection_keys[] = {
#include "project/config/config.def"
	{ .key = NULL }
};
#undef KEY
#undef CONNECTION_KEY

void
config_expected(const struct config_key *k, struct buf *out)
{
	unsigned long long low = k->low, high = k->high;

	switch (k->kind) {
	case CONFIG_UINT:
	case CONFIG_BYTES:
	case CONFIG_MB:
		buf_printf(out, "a whole number from %llu to %llu", low, high);
		return;
	case CONFIG_SHARE:
		buf_printf(out, "a number from %llu to %llu", low, high);
		return;
	case CONFIG_FLAG:
		buf_str(out, "true or false");
		return;
	case CONFIG_SWITCH:
		buf_str(out, "true, false or null");
		return;
	case CONFIG_PREFIX:
		buf_printf(out, "a prefix of [a-z][a-z0-9]*, %llu to %llu long", low, high);
		return;
	case CONFIG_TOOLS:
		buf_printf(out,
		    "a prefix of small letters, digits, _ and -, %llu to %llu long, with a letter in front and no _ "
		    "or - at the end; audit, dictionary and wiki are in use",
		    low, high);
		return;
	case CONFIG_HEADER:
		buf_str(out, "the name of an HTTP header, as in X-Forwarded-User");
		return;
	case CONFIG_STORE:
		buf_str(out, "the path of a file");
		return;
	case CONFIG_STATE:
		buf_str(out, "the path of a file, or env:NAME, file:PATH or cred:NAME for a postgres:// URL");
		return;
	case CONFIG_HOST:
		buf_str(out, "an IP address or a host name");
		return;
	case CONFIG_URL:
		buf_str(out, "a URL like https://carrel.example or https://example.com/carrel");
		return;
	case CONFIG_LISTEN:
		buf_str(out, "unix: and an absolute path of at most 107 bytes");
		return;
	case CONFIG_SECRET:
		buf_str(out, "env:NAME, file:PATH, cred:NAME or text");
		return;
	case CONFIG_PASSWORD:
		buf_str(out, "env:NAME, file:PATH, cred:NAME, text, or the keys command and ttl_s");
		return;
	case CONFIG_SSH:
		buf_str(out, "the keys host, user, identity and known_hosts");
		return;
	case CONFIG_NAME:
		buf_printf(out, "a name of [a-z][a-z0-9_-]*, at most %llu long", high);
		return;
	case CONFIG_SCHEME:
		buf_printf(out, "a URI scheme, [a-z][a-z0-9+.-]*, at most %llu long", high);
		return;
	case CONFIG_TEXT:
		buf_printf(out, "text of %llu to %llu bytes", low, high);
		return;
	case CONFIG_IDENTITY:
		buf_str(out, "a name and a mail address, as in Carrel <carrel@example.com>");
		return;
	case CONFIG_TEXTS:
		buf_printf(out, "a list of at most %llu texts", high);
		return;
	case CONFIG_HOSTS:
		buf_printf(out, "a list of at most %llu host names", high);
		return;
	case CONFIG_ORIGINS:
		buf_str(out, "a list of origins like https://example.com:8443");
		return;
	case CONFIG_ADDRESSES:
		buf_str(out, "a list of IP addresses or networks like 10.0.0.0/8");
		return;
	case CONFIG_USERS:
		buf_printf(out, "a list of at most %llu accounts of this machine, by name or number", high);
		return;
	case CONFIG_SCHEMES:
		buf_printf(out, "a list of at most %llu URI schemes, [a-z][a-z0-9+.-]*", high);
		return;
	case CONFIG_PAIRS:
		buf_printf(out, "a mapping of at most %llu words to texts", high);
		return;
	case CONFIG_FILES:
		buf_printf(out, "a list of at most %llu paths, each on one line, or entries with name and path", high);
		return;
	case CONFIG_ONTOLOGIES:
		buf_printf(out, "a list of at most %llu entries with id, name and connection", high);
		return;
	case CONFIG_TEAM_TOOLS:
		buf_printf(out, "a list of at most %llu entries with name, description, connection and sql", high);
		return;
	case CONFIG_ISSUERS:
		buf_printf(out, "a list of at most %llu entries with issuer, audience and roles", high);
		return;
	case CONFIG_MONTH_DAY:
		buf_str(out, "a month and a day, as in 04-01");
		return;
	case CONFIG_ZONE:
		buf_str(out, "the name of a time zone, as in Europe/Berlin");
		return;
	case CONFIG_COLUMNS:
		buf_str(out,
		    "hide, mask and hash with lists of column patterns, and scopes with the same for some callers");
		return;
	case CONFIG_ASKER:
		buf_str(out, "settings with templates, or role and roles; owner and neutral with name and claims");
		return;
	case CONFIG_WORD:
	case CONFIG_WORD_TEXT:
		buf_str(out, "one of ");
		for (const char *w = k->words; *w != '\0'; w++)
			*w == '|' ? buf_str(out, ", ") : buf_byte(out, (uint8_t)*w);
		return;
	}
}

/* Whether a value may hold a secret, such as a URL with a password. */
static bool
is_secretive(const struct yaml_node *node)
{
	return memmem(node->text.p, node->text.len, "password", 8) != NULL ||
	    (memmem(node->text.p, node->text.len, "://", 3) != NULL &&
		memchr(node->text.p, '@', node->text.len) != NULL);
}

/* Describe the value found, never the text of a secret. */
static void
found(const struct config_key *k, const struct yaml_node *node, struct buf *out)
{
	if (node->kind == YAML_MAPPING)
		buf_str(out, "a mapping");
	else if (node->kind == YAML_SEQUENCE)
		buf_str(out, "a list");
	else if (k->kind == CONFIG_SECRET || k->kind == CONFIG_PASSWORD || is_secretive(node))
		buf_str(out, "something else");
	else
		buf_printf(out, "\"%.*s\"", (int)utf8_cut(node->text.p, node->text.len, 60),
		    (const char *)node->text.p);
}

static void
config_value_complain(struct config_reader *r, const struct config_key *k, const struct yaml_node *node,
    const char *name)
{
	struct buf expected = BUF_MAX(256), instead = BUF_MAX(128);

	config_expected(k, &expected);
	found(k, node, &instead);
	config_issue(r, true, node->line, name, "expected %s, found %s", buf_cstr(&expected), buf_cstr(&instead));
	buf_fini(&expected);
	buf_fini(&instead);
}

static bool
is_made_of(const char *s, const char *others)
{
	for (; *s != '\0'; s++)
		if (!ascii_is_alnum((uint8_t)*s) && strchr(others, *s) == NULL)
			return false;
	return true;
}

bool
config_is_host(const char *s)
{
	struct in6_addr six;

	if (strchr(s, ':') != NULL)
		return inet_pton(AF_INET6, s, &six) == 1;
	return *s != '\0' && strlen(s) <= 253 && *s != '.' && *s != '-' && is_made_of(s, ".-_");
}

/* ":80" */
static bool
is_port(const char *s)
{
	size_t len = *s == ':' ? strspn(s + 1, "0123456789") : 0;

	return len >= 1 && len <= 5 && s[1 + len] == '\0' && atol(s + 1) <= 65535;
}

static void
lower_text(char *s)
{
	for (; *s != '\0'; s++)
		*s = (char)ascii_lower((uint8_t)*s);
}

void
config_host_fold(char *s)
{
	char *end = strchr(s, *s == '[' ? ']' : ':');

	if (end != NULL && *s == '[' && (end[1] == '\0' || is_port(end + 1))) {
		*end = '\0';
		memmove(s, s + 1, (size_t)(end - s));
	} else if (end != NULL && is_port(end))
		*end = '\0';
	lower_text(s);
}

bool
config_is_origin(const char *s)
{
	const char *host, *port;
	char name[256];
	size_t len;

	if (strncmp(s, "http://", 7) != 0 && strncmp(s, "https://", 8) != 0)
		return false;
	host = strstr(s, "://") + 3;
	if (*host == '[') {
		port = strchr(++host, ']');
		len = port != NULL ? (size_t)(port++ - host) : 0;
	} else {
		port = host + strcspn(host, ":");
		len = (size_t)(port - host);
	}
	if (len == 0 || len >= sizeof(name))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	if (!config_is_host(name) || (strchr(name, ':') != NULL) != (host[-1] == '['))
		return false;
	return *port == '\0' || is_port(port);
}

bool
config_is_loopback_url(const char *url)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
	const char *host = strstr(url, "://");

	for (size_t i = 0; host != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (strncasecmp(host + 3, names[i], n) == 0 && strchr(":/", host[3 + n]) != NULL)
			return true;
	}
	return false;
}

/* An origin, and a path possibly; other things are appended to it. */
static bool
is_url(const char *s)
{
	const char *host = strstr(s, "://"), *path = host == NULL ? NULL : strchr(host + 3, '/');
	size_t len = path != NULL ? (size_t)(path - s) : strlen(s);
	char origin[300];

	if (len >= sizeof(origin))
		return false;
	memcpy(origin, s, len);
	origin[len] = '\0';
	return config_is_origin(origin) && is_made_of(s + len, "-._~/%") && strstr(s + len, "//") == NULL &&
	    strstr(s + len, "/..") == NULL;
}

/* "Name <mail>", as it goes into a commit. */
static bool
is_identity(const char *s)
{
	uint32_t c;
	const char *open = strchr(s, '<'), *close = open == NULL ? NULL : strchr(open, '>');

	if (close == NULL || close[1] != '\0' || open < s + 2 || open[-1] != ' ' || close == open + 1 || *s == ' ')
		return false;
	for (const char *p = s; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || safe_text_hidden((const uint8_t *)p, strlen(p), &c) != 0 ||
		    (*p == '<' && p != open) || (p > open && *p == ' '))
			return false;
	return true;
}

/* RFC 9110, 5.6.2: a token; none of the fields that say who the caller or the connection is. */
static bool
is_header(const char *s)
{
	static const char *const own[] = { "authorization", "host", "origin", "cookie", "connection", "content-length",
		"transfer-encoding", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcasecmp(s, own[i]) == 0)
			return false;
	return is_made_of(s, "!#$%&'*+-.^_`|~");
}

/* No reference and no URL; a name of its own, below the root. */
/* The names of tools made with the prefix must not be names of other tools. */
static bool
is_tool_prefix(const char *s)
{
	static const char *const used[] = { "audit", "dictionary", "wiki", NULL };
	size_t n = strlen(s);

	return *s >= 'a' && *s <= 'z' && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0' &&
	    s[n - 1] != '_' && s[n - 1] != '-' && !span_is_any(span_str(s), used);
}

static bool
is_store(const char *s)
{
	size_t len = strlen(s);
	const char *name = memrchr(s, '/', len);

	name = name != NULL ? name + 1 : s;
	return !config_is_reference(s) && strstr(s, "://") == NULL && *name != '\0' && strcmp(name, ".") != 0 &&
	    strcmp(name, "..") != 0;
}

static int
word_index(const char *words, const char *s)
{
	size_t len = strlen(s);
	int i = 0;

	for (const char *w = words; w != NULL && *w != '\0'; i++) {
		size_t n = strcspn(w, "|");

		if (n == len && memcmp(w, s, n) == 0)
			return i;
		w += n + (w[n] == '|');
	}
	return -1;
}

/* Whether one text, alone or in a list, is allowed for the kind. */
static bool
is_fine(const struct config_key *k, const char *s)
{
	switch (k->kind) {
	case CONFIG_HOST:
	case CONFIG_HOSTS:
		return config_is_host(s);
	case CONFIG_ORIGINS:
		return config_is_origin(s);
	case CONFIG_ADDRESSES:
		return network_read(span_str(s), &(struct network){ .bits = 0 });
	case CONFIG_USERS:
		return *s != '\0' && is_made_of(s, "_-.");
	case CONFIG_URL:
		return is_url(s);
	case CONFIG_IDENTITY:
		return is_identity(s);
	case CONFIG_HEADER:
		return is_header(s);
	case CONFIG_STORE:
		return is_store(s);
	case CONFIG_STATE:
		return is_store(s) || config_is_reference(s);
	case CONFIG_PREFIX:
		return *s >= 'a' && *s <= 'z' && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789")] == '\0';
	case CONFIG_TOOLS:
		return is_tool_prefix(s);
	case CONFIG_MONTH_DAY:
		return preferences_is_month_day(span_str(s));
	case CONFIG_ZONE:
		return preferences_is_zone(span_str(s));
	case CONFIG_LISTEN:
		return strncmp(s, "unix:/", 6) == 0 && strlen(s) <= 5 + 107;
	case CONFIG_NAME:
	case CONFIG_SCHEME:
	case CONFIG_SCHEMES:
		return *s >= 'a' && *s <= 'z' && s[strcspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0' &&
		    is_made_of(s, k->kind == CONFIG_NAME ? "_-" : "+.-");
	case CONFIG_WORD:
	case CONFIG_WORD_TEXT:
		return word_index(k->words, s) >= 0;
	default:
		return true;
	}
}

/* Write a value, the arena's, as it is compared: host names in lower case, allowed ones without port and brackets. */
static void
config_value_fold(const struct config_key *k, const char *text)
{
	char *s = (char *)(uintptr_t)text;

	if (k->kind == CONFIG_HOSTS)
		config_host_fold(s);
	else if (k->kind == CONFIG_HOST || k->kind == CONFIG_ORIGINS)
		lower_text(s);
}

static bool
set_text(struct config_reader *r, const struct config_key *k, void *field, const struct yaml_node *node)
{
	bool bounded = k->kind != CONFIG_WORD && k->kind != CONFIG_WORD_TEXT;
	const char *s;
	int word;

	if (node->kind != YAML_SCALAR || (bounded && (node->text.len < k->low || node->text.len > k->high)) ||
	    (s = yaml_cstr(r->arena, node)) == NULL)
		return false;
	config_value_fold(k, s);
	if (!is_fine(k, s))
		return false;
	if (k->kind == CONFIG_WORD) {
		word = (int)k->low + word_index(k->words, s);
		memcpy(field, &word, sizeof(word));
	} else
		memcpy(field, &s, sizeof(s));
	return true;
}

/* A single text is a list of one, as `schema: public` is. */
static bool
set_texts(struct config_reader *r, const struct config_key *k, void *field, const struct yaml_node *node)
{
	const struct yaml_node *items = node->kind == YAML_SEQUENCE ? node->items : node;
	struct config_strings list = { .n = node->kind == YAML_SEQUENCE ? node->n : 1 };

	if (node->kind == YAML_MAPPING || list.n > k->high)
		return false;
	if (list.n == 0)
		return true;
	if ((list.v = arena_array(r->arena, list.n, sizeof(*list.v))) == NULL)
		return false;
	for (size_t i = 0; i < list.n; i++) {
		if (items[i].kind != YAML_SCALAR || items[i].text.len == 0 || items[i].text.len > 1024 ||
		    (list.v[i] = yaml_cstr(r->arena, &items[i])) == NULL)
			return false;
		config_value_fold(k, list.v[i]);
		if (!is_fine(k, list.v[i]))
			return false;
	}
	memcpy(field, &list, sizeof(list));
	return true;
}

/* A text of a path or a name, that fits on a line of a list; NULL if it does not. */
static const char *
file_text(struct config_reader *r, const struct yaml_node *node)
{
	if (node == NULL || node->kind != YAML_SCALAR || node->text.len == 0 || node->text.len > 1024)
		return NULL;
	for (size_t i = 0; i < node->text.len; i++)
		if (node->text.p[i] < ' ' || node->text.p[i] == 0x7f)
			return NULL;
	return yaml_cstr(r->arena, node);
}

/* Pairs of a name, NULL where none is written, and a path. */
static bool
set_files(struct config_reader *r, const struct config_key *k, void *field, const struct yaml_node *node)
{
	const struct yaml_node *items = node->kind == YAML_SEQUENCE ? node->items : node;
	struct config_pairs list = { .n = node->kind == YAML_SEQUENCE ? node->n : 1 };

	if (list.n == 0 || list.n > k->high || (list.v = arena_array(r->arena, list.n, sizeof(*list.v))) == NULL)
		return false;
	for (size_t i = 0; i < list.n; i++) {
		bool named = items[i].kind == YAML_MAPPING;

		list.v[i].key = named ? file_text(r, yaml_get(&items[i], "name")) : NULL;
		list.v[i].value = file_text(r, named ? yaml_get(&items[i], "path") : &items[i]);
		if (list.v[i].value == NULL || (named && (list.v[i].key == NULL || items[i].n != 2)))
			return false;
	}
	memcpy(field, &list, sizeof(list));
	return true;
}

static bool
set_pairs(struct config_reader *r, const struct config_key *k, void *field, const struct yaml_node *node)
{
	struct config_pairs list = { .n = node->n };

	if (node->kind != YAML_MAPPING || node->n > k->high)
		return false;
	if (list.n > 0 && (list.v = arena_array(r->arena, list.n, sizeof(*list.v))) == NULL)
		return false;
	for (size_t i = 0; i < list.n; i++) {
		const struct yaml_node *key = &node->keys[i], *value = &node->items[i];

		if (value->kind != YAML_SCALAR || !preferences_is_word(key->text) ||
		    !preferences_is_text(value->text) || (list.v[i].key = yaml_cstr(r->arena, key)) == NULL ||
		    (list.v[i].value = yaml_cstr(r->arena, value)) == NULL)
			return false;
	}
	memcpy(field, &list, sizeof(list));
	return true;
}

/* The key determines the type, so quotes around a number change nothing. */
static bool
set_number(const struct config_key *k, void *field, const struct yaml_node *node)
{
	struct yaml_node plain = *node;
	unsigned long long v;
	unsigned small;
	uint64_t large;

	plain.quoted = false;
	if (!yaml_uint(&plain, &v) || v < k->low || v > k->high)
		return false;
	if (k->kind == CONFIG_UINT) {
		small = (unsigned)v;
		memcpy(field, &small, sizeof(small));
	} else {
		large = k->kind == CONFIG_MB ? (uint64_t)v << 20 : v;
		memcpy(field, &large, sizeof(large));
	}
	return true;
}

/* A share is kept in thousandths. */
static bool
set_share(const struct config_key *k, void *field, const struct yaml_node *node)
{
	unsigned thousandths;
	double v;

	if (node->kind != YAML_SCALAR || !num_read_double((const char *)node->text.p, node->text.len, &v) ||
	    v < (double)k->low || v > (double)k->high)
		return false;
	thousandths = (unsigned)(v * 1000 + 0.5);
	memcpy(field, &thousandths, sizeof(thousandths));
	return true;
}

static bool
set_switch(void *field, const struct yaml_node *node)
{
	enum config_switch v;
	bool on;

	if (!yaml_bool(node, &on))
		return false;
	v = on ? CONFIG_SWITCH_ON : CONFIG_SWITCH_OFF;
	memcpy(field, &v, sizeof(v));
	return true;
}

static bool
set_value(struct config_reader *r, const struct config_key *k, void *base, const struct yaml_node *node)
{
	void *field = (char *)base + k->offset;
	struct yaml_node plain = *node;

	switch (k->kind) {
	case CONFIG_TEXTS:
	case CONFIG_HOSTS:
	case CONFIG_ORIGINS:
	case CONFIG_ADDRESSES:
	case CONFIG_USERS:
	case CONFIG_SCHEMES:
		return set_texts(r, k, field, node);
	case CONFIG_PAIRS:
		return set_pairs(r, k, field, node);
	case CONFIG_FILES:
		return set_files(r, k, field, node);
	case CONFIG_UINT:
	case CONFIG_BYTES:
	case CONFIG_MB:
		return set_number(k, field, node);
	case CONFIG_SHARE:
		return set_share(k, field, node);
	case CONFIG_FLAG:
		plain.quoted = false;
		return yaml_bool(&plain, field);
	case CONFIG_SWITCH:
		plain.quoted = false;
		return set_switch(field, &plain);
	default:
		return set_text(r, k, field, node);
	}
}

const char *
config_below(struct config_reader *r, const char *name, struct span key)
{
	const char *full =
	    arena_printf(r->arena, "%s.%.*s", name, (int)utf8_cut(key.p, key.len, 80), (const char *)key.p);

	return full != NULL ? full : name;
}

void
config_set_default(struct config_reader *r, const struct config_key *k, void *base)
{
	struct yaml_node text = { .kind = YAML_SCALAR, .text = span_str(k->def) };
	const struct yaml_node *node = &text;

	if (k->def == NULL || k->kind == CONFIG_ONTOLOGIES || k->kind == CONFIG_TEAM_TOOLS ||
	    k->kind == CONFIG_ISSUERS) /* none */
		return;
	if (k->kind == CONFIG_SCHEMES || k->kind == CONFIG_PAIRS)
		node = yaml_parse(r->arena, text.text, NULL);
	if (node == NULL || !set_value(r, k, base, node))
		r->full = true;
}

void
config_set(struct config_reader *r, const struct config_key *k, void *base,
    const struct yaml_node *node, const char *name)
{
	if (k->kind == CONFIG_COLUMNS)
		config_columns(r, (struct config_column_rules *)(void *)((char *)base + k->offset), node, name);
	else if (k->kind == CONFIG_ASKER)
		config_identity(r, (struct config_identity *)(void *)((char *)base + k->offset), node, name);
	else if (k->kind == CONFIG_ONTOLOGIES)
		config_ontologies(r, (struct config_ontologies *)(void *)((char *)base + k->offset), k, node, name);
	else if (k->kind == CONFIG_TEAM_TOOLS)
		config_tools(r, (struct config_tools *)(void *)((char *)base + k->offset), k, node, name);
	else if (k->kind == CONFIG_SSH)
		config_reach_ssh(r, (struct config_ssh *)(void *)((char *)base + k->offset), node, name);
	else if (k->kind == CONFIG_PASSWORD && node->kind == YAML_MAPPING)
		config_reach_command(r, node, name);
	else if (k->kind == CONFIG_ISSUERS)
		config_issuers(r, (struct config_issuers *)(void *)((char *)base + k->offset), k, node, name);
	else if (node->kind != YAML_NULL && !set_value(r, k, base, node))
		config_value_complain(r, k, node, name);
}
