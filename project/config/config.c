/* config.c - finds, reads and checks carrel.yaml, or a ktx project's ktx.yaml; see config.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/net.h"
#include "base/text/identity_text.h"
#include "base/text/safe_text.h"
#include "base/text/web_url.h"
#include "base/utf8.h"
#include "project/config/config_connection.h"
#include "project/config/secret.h"
#include "project/config/config_issuers.h"
#include "project/config/config_ontologies.h"
#include "project/config/config_reach.h"
#include "project/config/config_identity.h"
#include "project/config/config_tools.h"
#include "project/config/config_typo.h"
#include "project/paths.h"
#include "project/format/yaml.h"

/* Other sections of ktx.yaml, which do not concern serving. */
static const char *const ktx_sections[] = { "setup", "storage", "llm", "ingest", "agent", "scan", NULL };

/* Keys of ktx's connections that have no meaning here: how it connects and what it ingests. */
static const char *const ktx_connection_keys[] = {
	"context", "historicSql", "maxConnections", "query_timeout_ms", NULL
};

static const char *
real_directory(struct arena *a, const char *dir, struct err *err)
{
	char *real = realpath(dir, NULL);
	const char *copy = NULL;
	struct stat st;

	if (real == NULL) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the project directory %s cannot be used: %s", dir,
		    strerror(errno));
		return NULL;
	}
	if (stat(real, &st) != 0 || !S_ISDIR(st.st_mode))
		err_set(err, ERR_INVALID_ARGUMENTS, "the project directory %s is not a directory", dir);
	else if ((copy = arena_cstr(a, span_str(real))) == NULL)
		err_set(err, ERR_INTERNAL, "out of memory");
	free(real);
	return copy;
}

static bool
has_configuration(const char *dir)
{
	static const char *const names[] = { "carrel.yaml", "ktx.yaml" };
	bool has = false;
	struct stat st;
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < 2 && !has; i++)
		has = fstatat(fd, names[i], &st, 0) == 0 && S_ISREG(st.st_mode);
	if (fd >= 0)
		close(fd);
	return has;
}

const char *
config_find_project(struct arena *a, const char *explicit_dir, struct err *err)
{
	const char *variable = getenv("CARREL_PROJECT_DIR") != NULL ? "CARREL_PROJECT_DIR" : "KTX_PROJECT_DIR";
	const char *set = getenv(variable), *here;
	char *up, *slash;

	if (explicit_dir != NULL && *explicit_dir == '\0') {
		err_set(err, ERR_INVALID_ARGUMENTS, "--project-dir requires a value");
		return NULL;
	}
	if (explicit_dir == NULL && set != NULL && *set == '\0') {
		err_set(err, ERR_INVALID_ARGUMENTS, "%s must not be empty", variable);
		return NULL;
	}
	if (explicit_dir != NULL || set != NULL)
		return real_directory(a, explicit_dir != NULL ? explicit_dir : set, err);
	if ((here = real_directory(a, ".", err)) == NULL)
		return NULL;
	if ((up = arena_cstr(a, span_str(here))) == NULL)
		return here;
	while (!has_configuration(up)) {
		slash = strrchr(up, '/');
		if (slash == NULL || up[1] == '\0')
			return here;
		slash[slash == up ? 1 : 0] = '\0';
	}
	return up;
}

/* "connections.warehouse.url", cut where a hostile key would fill the page. */
static const char *
dotted(struct config_reader *r, const char *prefix, struct span key)
{
	const char *name = arena_printf(r->arena, "%s%s%.*s", prefix, *prefix != '\0' ? "." : "",
	    (int)utf8_cut(key.p, key.len, 80), (const char *)key.p);

	if (name == NULL)
		r->full = true;
	return name != NULL ? name : prefix;
}

/* The setting of a key, as text; NULL: it is not set, or no text. */
static const char *
text_setting(const struct config_connection *c, const struct config_key *k)
{
	const char *text = NULL;

	if (c->settings != NULL &&
	    (k->kind == CONFIG_TEXT || k->kind == CONFIG_SECRET || k->kind == CONFIG_PASSWORD ||
		k->kind == CONFIG_WORD_TEXT))
		memcpy(&text, (const char *)c->settings + k->offset, sizeof(text));
	return text;
}

/* The driver whose keys were read, though the connection may be unusable. */
static const struct db_driver *
driver_read(const struct config_connection *c)
{
	return c->settings == NULL ? NULL : drivers_served(span_str(c->driver_name));
}

const char *
config_setting(const struct config_connection *c, const char *key)
{
	const struct db_driver *d = driver_read(c);
	const struct config_key *k = d == NULL ? NULL : drivers_key_of(d, span_str(key));

	return k == NULL ? NULL : text_setting(c, k);
}

enum config_holds
config_key_holds(const struct config_key *k)
{
	return k->kind == CONFIG_PASSWORD ? CONFIG_HOLDS_SECRET :
	    k->kind != CONFIG_SECRET      ? CONFIG_HOLDS_PLAIN :
	    strcmp(k->key, "url") == 0    ? CONFIG_HOLDS_URL :
					    CONFIG_HOLDS_SECRET;
}

static void
warn_about_secrets(struct config_reader *r, const struct config_connection *c, const char *name)
{
	for (const struct config_key *k = c->driver->keys; k->key != NULL; k++) {
		const char *text = k->kind == CONFIG_SECRET || k->kind == CONFIG_PASSWORD ? text_setting(c, k) : NULL;

		if (text != NULL && !config_is_reference(text) &&
		    (config_key_holds(k) == CONFIG_HOLDS_SECRET || config_holds_password(text)))
			config_issue(r, false, c->line, dotted(r, name, span_str(k->key)),
			    "a literal password in the file; use env:NAME, file:PATH or cred:NAME");
	}
}

/* The driver's schema where none is named. */
static void
finish_schemas(struct config_reader *r, struct config_connection *c)
{
	if (c->schemas.n > 0 || c->driver->schema == NULL)
		return;
	if ((c->schemas.v = arena_array(r->arena, 1, sizeof(*c->schemas.v))) == NULL) {
		r->full = true;
		return;
	}
	c->schemas.v[0] = c->driver->schema;
	c->schemas.n = 1;
}

/* The names of the drivers with these traits, for a sentence. */
static const char *
driver_names(struct config_reader *r, unsigned traits, const char *word)
{
	struct buf names = { 0 };
	const char *text;

	drivers_put_names(&names, traits, word);
	text = arena_printf(r->arena, "%s", buf_cstr(&names));
	buf_fini(&names);
	r->full = r->full || text == NULL;
	return text != NULL ? text : "";
}

static void
finish_connection(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	if (c->driver_name == NULL) {
		config_issue(r, true, c->line, name, "driver is missing: %s", driver_names(r, 0, "or"));
		return;
	}
	if ((c->driver = drivers_served(span_str(c->driver_name))) == NULL) {
		config_issue(r, true, c->line, name, "driver \"%.60s\" is not served by this version, which serves %s",
		    c->driver_name, driver_names(r, 0, "and"));
		return;
	}
	warn_about_secrets(r, c, name);
	c->driver->finish(r, c, cfg, name);
	config_reach_finish(r, c, cfg, name);
	finish_schemas(r, c);
	if (c->functions.n > 0 && (c->driver->traits & DRIVER_FUNCTIONS) == 0)
		config_issue(r, true, c->line, name, "functions can only be added to a %s connection",
		    driver_names(r, DRIVER_FUNCTIONS, "or"));
	else if (c->functions.n > 0)
		config_issue(r, false, c->line, name,
		    "functions: %zu are called for every caller; Carrel cannot check that they only read",
		    c->functions.n);
	config_identity_check(r, c, name);
}

static const struct config_key *
find_key(const struct config_key *table, const char *section, struct span key)
{
	for (const struct config_key *k = table; k->key != NULL; k++)
		if (strcmp(k->section, section) == 0 && span_is_str(key, k->key))
			return k;
	return NULL;
}

const char *
config_library(const struct config *cfg, const char *driver)
{
	const struct config_key *k = find_key(config_keys, "engines", span_str(driver));

	return k == NULL ? NULL : *(const char *const *)((const char *)cfg + k->offset);
}

/* Refused where it may have been meant to protect something, else passed over; a ktx project is served as it is. */
static void
unknown_key(struct config_reader *r, const struct config_key *table, const char *section, const struct yaml_node *key,
    const char *name, bool ktx)
{
	const char *meant = config_meant(table, section, key->text);
	char keys[384];

	if (!ktx && meant != NULL && config_protects(section, meant))
		config_issue(r, true, key->line, name,
		    "unknown key: %s is probably meant, and misspelt it protects nothing", meant);
	else if (!ktx && config_closed_keys(section, keys, sizeof(keys)))
		config_issue(r, true, key->line, name, "unknown key%s%s%s; %s has %s", meant != NULL ? ": is " : "",
		    meant != NULL ? meant : "", meant != NULL ? " meant?" : "", section, keys);
	else if (!ktx && table == config_connection_keys && config_would_close(key->text))
		config_issue(r, true, key->line, name,
		    "unknown key, and ignored it would protect nothing%s%s%s; remove it (connections only read), or "
		    "see `carrel doctor --config-reference`",
		    meant != NULL ? ": is " : "", meant != NULL ? meant : "", meant != NULL ? " meant?" : "");
	else if (meant == NULL)
		config_issue(r, false, key->line, name, "unknown key, ignored");
	else
		config_issue(r, false, key->line, name, "unknown key, ignored; is %s meant?", meant);
}

/* Whether any driver has the key. */
static bool
is_of_drivers(struct span key)
{
	const struct config_key *k;

	for (size_t i = 0; (k = drivers_key(i)) != NULL; i++)
		if (span_is_str(key, k->key))
			return true;
	return false;
}

static bool
is_section(struct span key)
{
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		if (k->section[0] != '\0' && span_is_str(key, k->section))
			return true;
	return false;
}

static void read_section(struct config_reader *r, struct config *cfg, const struct yaml_node *node,
    const char *section);

/* Every key of one mapping: set by the table, passed over, or noted as unknown.  passed_over: NULL, none. */
static void
read_members(struct config_reader *r, const struct config_key *table, const char *section, void *base,
    const struct yaml_node *node, const char *prefix, const char *const *passed_over)
{
	for (size_t i = 0; i < node->n; i++) {
		const struct config_key *k = find_key(table, section, node->keys[i].text);
		const char *name = dotted(r, prefix, node->keys[i].text);

		if (k != NULL)
			config_set(r, k, base, &node->items[i], name);
		else if (table == config_keys && is_section(span_str(name)))
			read_section(r, base, &node->items[i], name);
		else if (passed_over == NULL || !span_is_any(node->keys[i].text, passed_over))
			unknown_key(r, table, section, &node->keys[i], name, passed_over != NULL);
	}
}

/* Memory for what the driver's keys say, with their defaults. */
static void
begin_settings(struct config_reader *r, struct config_connection *c, const struct db_driver *d)
{
	if ((c->settings = arena_alloc(r->arena, d->settings_size)) == NULL) {
		r->full = true;
		return;
	}
	memset(c->settings, 0, d->settings_size);
	for (const struct config_key *k = d->keys; k->key != NULL; k++)
		config_set_default(r, k, c->settings);
}

/* Of a connection without a driver, the keys of all of them are passed over. */
static void
read_settings(struct config_reader *r, struct config_connection *c, const struct db_driver *d,
    const struct yaml_node *node, const char *prefix, const char *const *passed_over)
{
	for (size_t i = 0; i < node->n; i++) {
		struct span key = node->keys[i].text;
		const struct config_key *k = find_key(config_connection_keys, "connections", key),
					*own = d == NULL ? NULL : drivers_key_of(d, key);
		const char *name = dotted(r, prefix, key);

		if (k != NULL)
			config_set(r, k, c, &node->items[i], name);
		else if (own != NULL)
			config_set(r, own, c->settings, &node->items[i], name);
		else if (is_of_drivers(key)) {
			if (d != NULL && passed_over == NULL)
				config_issue(r, false, node->keys[i].line, name,
				    "a %s connection has no such key; ignored", d->name);
		} else if (passed_over == NULL || !span_is_any(key, passed_over))
			unknown_key(r, config_connection_keys, "connections", &node->keys[i], name,
			    passed_over != NULL);
	}
}

/* Whether the connection is served: otherwise only its driver matters, and other keys are not checked. */
static bool
is_served(const struct yaml_node *node, const struct db_driver **d)
{
	const struct yaml_node *driver = yaml_get(node, "driver");

	*d = driver == NULL || driver->kind != YAML_SCALAR ? NULL : drivers_served(driver->text);
	return driver == NULL || driver->kind != YAML_SCALAR || *d != NULL;
}

static void
read_keys(struct config_reader *r, struct config *cfg, struct config_connection *c, const struct yaml_node *node,
    const char *name)
{
	static const char *const described[] = { "driver", "name", "description" };
	const struct yaml_node *policy = yaml_get(node, "query_policy");
	const struct db_driver *d;
	bool served = is_served(node, &d);

	if (served && d != NULL)
		begin_settings(r, c, d);
	if (served && !r->full)
		read_settings(r, c, d, node, name, cfg->ktx ? ktx_connection_keys : NULL);
	for (size_t i = 0; !served && i < 3; i++) {
		const struct yaml_node *value = yaml_get(node, described[i]);

		if (value != NULL)
			config_set(r, find_key(config_connection_keys, "connections", span_str(described[i])), c, value,
			    dotted(r, name, span_str(described[i])));
	}
	/* Elsewhere an empty value means the default; here the default would allow everything. */
	if (policy != NULL && policy->kind == YAML_NULL)
		config_issue(r, true, policy->line, dotted(r, name, SPAN("query_policy")),
		    "expected open or semantic-layer-only, found nothing");
	if (!r->full)
		finish_connection(r, c, cfg, name);
}

/* False: the connection has no usable name and is left out. */
static bool
read_connection(struct config_reader *r, struct config *cfg, struct config_connection *c,
    const struct yaml_node *key, const struct yaml_node *node)
{
	const char *name = dotted(r, "connections", key->text);

	*c = (struct config_connection){ .line = key->line };
	for (const struct config_key *k = config_connection_keys; k->key != NULL; k++)
		config_set_default(r, k, c);
	if ((c->id = yaml_cstr(r->arena, key)) == NULL || !paths_is_id(key->text)) {
		config_issue(r, false, key->line, name,
		    "left out: a connection's name is of letters, digits, - and _, begins with a letter or digit, "
		    "and has at most %d characters",
		    PATHS_ID_MAX);
		return false;
	}
	r->connection = c;
	if (node->kind == YAML_MAPPING)
		read_keys(r, cfg, c, node, name);
	else
		config_issue(r, true, node->line, name, "expected a mapping with driver and path or url");
	r->connection = NULL;
	if (c->name == NULL)
		c->name = c->id;
	if (c->driver_name == NULL)
		c->driver_name = "unknown";
	if (c->unusable != NULL) {
		c->driver = NULL;
		c->workers = 0;
	}
	return true;
}

static void
read_connections(struct config_reader *r, struct config *cfg, const struct yaml_node *node)
{
	if (node == NULL || node->kind == YAML_NULL)
		return;
	if (node->kind != YAML_MAPPING) {
		config_issue(r, true, node->line, "connections", "expected a mapping of names to connections");
		return;
	}
	if (node->n > CONFIG_CONNECTIONS_MAX) {
		config_issue(r, true, node->line, "connections", "more than %d connections", CONFIG_CONNECTIONS_MAX);
		return;
	}
	if (node->n == 0)
		return;
	if ((cfg->connections = arena_array(r->arena, node->n, sizeof(*cfg->connections))) == NULL) {
		r->full = true;
		return;
	}
	for (size_t i = 0; i < node->n; i++)
		cfg->nconnections +=
		    read_connection(r, cfg, &cfg->connections[cfg->nconnections], &node->keys[i], &node->items[i]);
}

/* The connection of imported files, unless the configuration has one of that name itself. */
static void
add_imports(struct config_reader *r, struct config *cfg)
{
	struct config_connection *list, *c;
	const char *path = arena_printf(r->arena, "%s/" CONFIG_IMPORTS_DIR "/" CONFIG_IMPORTS_FILE, cfg->project_dir);

	if (path == NULL || access(path, F_OK) != 0 || cfg->nconnections == CONFIG_CONNECTIONS_MAX)
		return;
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (strcmp(cfg->connections[i].id, CONFIG_IMPORTS) == 0)
			return;
	if ((list = arena_array(r->arena, cfg->nconnections + 1, sizeof(*list))) == NULL) {
		r->full = true;
		return;
	}
	if (cfg->nconnections > 0)
		memcpy(list, cfg->connections, cfg->nconnections * sizeof(*list));
	cfg->connections = list;
	c = &list[cfg->nconnections++];
	for (const struct config_key *k = config_connection_keys; k->key != NULL; k++)
		config_set_default(r, k, c);
	c->id = CONFIG_IMPORTS;
	c->name = "Imported files";
	c->driver = drivers_with(DRIVER_IMPORTS);
	c->driver_name = c->driver->name;
	c->path = path;
}

static void
read_section(struct config_reader *r, struct config *cfg, const struct yaml_node *node, const char *section)
{
	if (node->kind == YAML_MAPPING)
		read_members(r, config_keys, section, cfg, node, section, NULL);
	else if (node->kind != YAML_NULL)
		config_issue(r, true, node->line, section, "expected a mapping");
}

/* Without a slash at its end: paths are appended. */
static void
finish_public_url(struct config_reader *r, struct config *cfg, const struct yaml_node *root)
{
	size_t len = cfg->public_url != NULL ? strlen(cfg->public_url) : 0;

	if (len == 0)
		return;
	if (cfg->public_url[len - 1] == '/' &&
	    (cfg->public_url = arena_cstr(r->arena, span_of(cfg->public_url, --len))) == NULL) {
		r->full = true;
		return;
	}
	if (len > 4 && strcmp(cfg->public_url + len - 4, "/mcp") == 0)
		config_issue(r, false, yaml_get(yaml_get(root, "server"), "public_url")->line, "server.public_url",
		    "/mcp is appended: clients are sent to %s/mcp", cfg->public_url);
}

bool
config_trusts_loopback(const struct config *cfg)
{
	struct network n;

	for (size_t i = 0; i < cfg->trusted_proxies.n; i++)
		if (network_read(span_str(cfg->trusted_proxies.v[i]), &n) && network_has_loopback(&n))
			return true;
	return false;
}

static unsigned
line_of(const struct yaml_node *root, const char *section, const char *key)
{
	const struct yaml_node *node = yaml_get(root, section), *value = node == NULL ? NULL : yaml_get(node, key);

	return value != NULL ? value->line : node != NULL ? node->line : 0;
}

static void
wrong_oidc(struct config_reader *r, const struct yaml_node *root, const char *key, const char *what)
{
	config_issue(r, true, line_of(root, "auth", "oidc"), dotted(r, "auth.oidc", span_str(key)), "%s", what);
}

static bool
is_empty_list(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_SEQUENCE && node->n == 0;
}

static void
finish_oidc(struct config_reader *r, const struct config *cfg, const struct yaml_node *root)
{
	const struct config_oidc *o = &cfg->oidc;
	const char *scopes;

	if (o->issuer == NULL) {
		/* An owner who turned passwords off must not find them on. */
		if (o->only)
			wrong_oidc(r, root, "only",
			    "needs auth.oidc.issuer: without it passwords would stay on; set the issuer, or take only "
			    "out");
		else if (o->client_id != NULL || o->roles.n > 0)
			config_issue(r, false, line_of(root, "auth", "oidc"), "auth.oidc.issuer",
			    "is missing: the other keys of auth.oidc have no effect without it");
		return;
	}
	if (!web_url_read(span_str(o->issuer), NULL) || strpbrk(o->issuer, "?#") != NULL)
		wrong_oidc(r, root, "issuer",
		    "expected https:// and a host, without a query; http:// only to localhost or 127.0.0.1");
	if (o->client_id == NULL)
		wrong_oidc(r, root, "client_id", "is missing");
	if (o->client_secret != NULL && !config_is_reference(o->client_secret))
		wrong_oidc(r, root, "client_secret",
		    "a literal secret in the file; use env:NAME, file:PATH or cred:NAME");
	if ((scopes = arena_printf(r->arena, " %s ", o->scopes)) != NULL && strstr(scopes, " openid ") == NULL)
		wrong_oidc(r, root, "scopes", "openid is missing: without it there is no identity token");
	if (!config_issuers_name_roles(cfg, &o->roles))
		wrong_oidc(r, root, "roles",
		    "expected groups and their roles: viewer, contributor, admin or one of auth.roles");
	if (is_empty_list(yaml_get(yaml_get(yaml_get(root, "auth"), "oidc"), "claims")))
		wrong_oidc(r, root, "claims",
		    "expected the names of claims: without this key all count that an identity names");
	if (!cfg->oauth.enabled)
		wrong_oidc(r, root, "issuer", "needs oauth.enabled: true");
	if (cfg->proxy_header != NULL)
		wrong_oidc(r, root, "issuer", "cannot be combined with auth.proxy_header: the proxy names the users");
}

/* Checks the requirements of a server with OAuth. */
static void
finish_oauth(struct config_reader *r, const struct config *cfg, const struct yaml_node *root)
{
	if (cfg->proxy_role != NULL && cfg->proxy_header == NULL)
		config_issue(r, false, line_of(root, "auth", "proxy_role"), "auth.proxy_role",
		    "has no effect without auth.proxy_header");
	if (cfg->proxy_role != NULL && !config_issuers_is_role(cfg, cfg->proxy_role))
		config_issue(r, true, line_of(root, "auth", "proxy_role"), "auth.proxy_role",
		    "expected viewer, contributor, admin or one of auth.roles, found \"%.60s\"", cfg->proxy_role);
	if (!cfg->oauth.enabled) {
		if (cfg->proxy_header != NULL)
			config_issue(r, false, line_of(root, "auth", "proxy_header"), "auth.proxy_header",
			    "has no effect without oauth.enabled: only users that sign in are named so");
		return;
	}
	if (cfg->proxy_header != NULL && cfg->listen == NULL && cfg->proxy_users.n == 0 && config_trusts_loopback(cfg))
		config_issue(r, true, line_of(root, "auth", "proxy_header"), "auth.proxy_header",
		    "every account of this machine can connect from a loopback address of server.trusted_proxies: use "
		    "server.listen, or name the proxy's account, as in server.proxy_users: [www-data]");
	if (cfg->proxy_header != NULL && cfg->listen == NULL && cfg->trusted_proxies.n == 0)
		config_issue(r, false, line_of(root, "auth", "proxy_header"), "auth.proxy_header",
		    "server.trusted_proxies names no proxy: only one at a Unix socket is believed");
	if (cfg->public_url != NULL && strncmp(cfg->public_url, "https://", 8) != 0 &&
	    !config_is_loopback_url(cfg->public_url))
		config_issue(r, true, line_of(root, "server", "public_url"), "server.public_url",
		    "with oauth.enabled it begins with https://, or names this machine: clients refuse to sign in "
		    "otherwise");
	if (cfg->public_url == NULL && cfg->listen != NULL)
		config_issue(r, true, line_of(root, "oauth", "enabled"), "oauth.enabled",
		    "behind server.listen it needs server.public_url, where clients find the server");
	if (cfg->oauth.access_ttl_s <= 300)
		config_issue(r, false, line_of(root, "oauth", "access_ttl_s"), "oauth.access_ttl_s",
		    "some clients ask for a new access token at every call when one lasts 300 s or less");
}

/* A file's absolute path: a relative one is relative to the project. */
static const char *
below_project(struct config_reader *r, const struct config *cfg, const char *path)
{
	const char *whole =
	    path == NULL || path[0] == '/' ? path : arena_printf(r->arena, "%s/%s", cfg->project_dir, path);

	if (path != NULL && whole == NULL)
		r->full = true;
	return whole;
}

static void
read_top(struct config_reader *r, struct config *cfg, const struct yaml_node *root)
{
	for (size_t i = 0; i < root->n; i++) {
		const struct yaml_node *key = &root->keys[i], *node = &root->items[i];
		const struct config_key *k = find_key(config_keys, "", key->text);
		const char *name = dotted(r, "", key->text);

		if (span_is_str(key->text, "connections"))
			read_connections(r, cfg, node);
		else if (cfg->ktx) {
			if (!span_is_any(key->text, ktx_sections))
				config_issue(r, false, key->line, name, "unknown key, ignored");
		} else if (is_section(key->text) && memchr(key->text.p, '.', key->text.len) == NULL)
			read_section(r, cfg, node, name);
		else if (k != NULL)
			config_set(r, k, cfg, node, name);
		else
			unknown_key(r, config_keys, "", key, name, false);
	}
	if (cfg->token != NULL && !config_is_reference(cfg->token))
		config_issue(r, false, yaml_get(yaml_get(root, "auth"), "token")->line, "auth.token",
		    "a literal token in the file; use env:NAME, file:PATH or cred:NAME");
	if (cfg->audit_key != NULL && !config_is_reference(cfg->audit_key))
		config_issue(r, true, yaml_get(yaml_get(root, "audit"), "key")->line, "audit.key",
		    "a literal key in the file would protect nothing; use env:NAME, file:PATH or cred:NAME");
	finish_public_url(r, cfg, root);
	finish_oauth(r, cfg, root);
	finish_oidc(r, cfg, root);
	config_check_ontologies(r, cfg);
	config_check_issuers(r, cfg);
	config_check_tools(r, cfg);
	if (!config_identity_claims(cfg, r->arena, &(struct config_strings){ .n = 0 }))
		config_issue(r, true, 0, "connections", "their identities refer to more than %u claims",
		    IDENTITY_CLAIMS_MAX);
	if (config_is_reference(cfg->state)) {
		config_issue(r, false, yaml_get(root, "state")->line, "state",
		    "several nodes with one store are experimental; docs/nodes.md says what does not hold yet");
		cfg->state_url = cfg->state;
		config_set_default(r, find_key(config_keys, "", SPAN("state")), cfg);
	}
	cfg->state = below_project(r, cfg, cfg->state);
	cfg->vectors = below_project(r, cfg, cfg->vectors);
	cfg->oidc.sslrootcert = below_project(r, cfg, cfg->oidc.sslrootcert);
	for (size_t i = 0; i < cfg->issuers.n; i++)
		cfg->issuers.v[i].sslrootcert = below_project(r, cfg, cfg->issuers.v[i].sslrootcert);
	cfg->duckdb_library = below_project(r, cfg, cfg->duckdb_library);
}

static int
read_file(const char *project_dir, struct config *cfg, struct buf *text, struct err *err)
{
	int dirfd = open(project_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

	if (dirfd < 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the project directory %s cannot be opened: %s", project_dir,
		    strerror(errno));
	cfg->file = "carrel.yaml";
	result = paths_read(dirfd, cfg->file, PATHS_OURS, YAML_BYTES_MAX, text, err);
	if (result != 0 && err->code == ERR_PAGE_NOT_FOUND) {
		cfg->file = "ktx.yaml";
		cfg->ktx = true;
		result = paths_read(dirfd, cfg->file, PATHS_OURS, YAML_BYTES_MAX, text, err);
		if (result != 0 && err->code == ERR_PAGE_NOT_FOUND)
			err_set(err, ERR_INVALID_ARGUMENTS, "there is no carrel.yaml in %s: run `carrel init` there",
			    project_dir);
	}
	close(dirfd);
	return result;
}

int
config_load(struct arena *a, const char *project_dir, struct config *cfg,
    struct config_issues *issues, struct err *err)
{
	struct config_reader r = { .arena = a, .issues = issues };
	struct buf text = BUF_MAX(YAML_BYTES_MAX + 65536);
	const struct yaml_node *root;
	struct err bad;
	int result = -1;

	memset(cfg, 0, sizeof(*cfg));
	memset(issues, 0, sizeof(*issues));
	cfg->project_dir = project_dir;
	if (read_file(project_dir, cfg, &text, err) != 0)
		goto out;
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		config_set_default(&r, k, cfg);
	if ((root = yaml_parse(a, buf_view(&text), &bad)) == NULL) {
		err_set(err, ERR_INVALID_ARGUMENTS, "%s: %s", cfg->file, bad.message);
		goto out;
	}
	if (root->kind != YAML_MAPPING && root->kind != YAML_NULL) {
		err_set(err, ERR_INVALID_ARGUMENTS, "%s must hold a mapping of keys to values", cfg->file);
		goto out;
	}
	read_top(&r, cfg, root);
	add_imports(&r, cfg);
	if (r.full) {
		err_set(err, ERR_INVALID_ARGUMENTS, "%s holds more than can be read", cfg->file);
		goto out;
	}
	if (issues->nfatal == 0)
		result = 0;
	for (size_t i = 0; result != 0 && i < issues->n; i++)
		if (issues->list[i].fatal) {
			err_set(err, ERR_INVALID_ARGUMENTS, "%s:%u: %s", cfg->file, issues->list[i].line,
			    issues->list[i].text);
			break;
		}
out:
	buf_wipe(&text);
	return result;
}

void
config_issues_print(const struct config *cfg, const struct config_issues *issues, struct buf *out)
{
	for (size_t i = 0; i < issues->n; i++) {
		const struct config_issue *issue = &issues->list[i];

		safe_text_escape(out, span_str(cfg->file), false);
		buf_printf(out, ":%u: %s", issue->line, issue->fatal ? "" : "warning: ");
		safe_text_escape(out, span_str(issue->text), false);
		buf_byte(out, '\n');
	}
}

void
config_each_reference(const struct config *cfg, void (*fn)(void *arg, const char *ref), void *arg)
{
	if (cfg->token != NULL)
		fn(arg, cfg->token);
	if (cfg->audit_key != NULL)
		fn(arg, cfg->audit_key);
	if (cfg->state_url != NULL)
		fn(arg, cfg->state_url);
	if (cfg->oidc.client_secret != NULL)
		fn(arg, cfg->oidc.client_secret);
	if (cfg->telemetry.headers != NULL)
		fn(arg, cfg->telemetry.headers);
	for (size_t i = 0; i < cfg->nconnections; i++) {
		const struct config_connection *c = &cfg->connections[i];
		const struct db_driver *d = driver_read(c);

		for (const struct config_key *k = d == NULL ? NULL : d->keys; k != NULL && k->key != NULL; k++)
			if (text_setting(c, k) != NULL)
				fn(arg, text_setting(c, k));
	}
}

static void
print_key(const struct config_key *k, const char *section, const char *doc, struct buf *out)
{
	struct buf expected = BUF_MAX(256);

	config_expected(k, &expected);
	if (expected.len > 0 && expected.p[0] >= 'a' && expected.p[0] <= 'z')
		expected.p[0] = (uint8_t)(expected.p[0] - 32);
	buf_printf(out, "%s%s%s\n    %s\n    %s. Default: %s\n\n", section, *section != '\0' ? "." : "", k->key, doc,
	    buf_cstr(&expected), k->def != NULL ? k->def : "none");
	buf_fini(&expected);
}

/* With what each driver that has the key says of it: "postgres: connection URL. sqlite: in place of path." */
static void
print_driver_key(const struct config_key *k, struct buf *out)
{
	struct buf doc = { 0 };

	for (size_t i = 0; i < ndrivers; i++) {
		const struct config_key *own = drivers_key_of(drivers[i], span_str(k->key));

		if (own != NULL)
			buf_printf(&doc, "%s%s: %s", doc.len > 0 ? " " : "", drivers[i]->name, own->doc);
	}
	print_key(k, "connections.<name>", buf_cstr(&doc), out);
	buf_fini(&doc);
}

void
config_reference(struct buf *out)
{
	buf_str(out, "carrel.yaml, every key. Paths are relative to the project directory.\n\n");
	for (const struct config_key *k = config_connection_keys; k->key != NULL; k++)
		print_key(k, "connections.<name>", k->doc, out);
	for (size_t i = 0; drivers_key(i) != NULL; i++)
		print_driver_key(drivers_key(i), out);
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		print_key(k, k->section, k->doc, out);
}

const char *
config_default_connection(const struct config *cfg)
{
	const char *only = NULL;

	if (cfg->default_connection != NULL || cfg->nconnections == 1)
		return cfg->default_connection != NULL ? cfg->default_connection : cfg->connections[0].id;
	for (size_t i = 0; i < cfg->nconnections; i++) {
		if (strcmp(cfg->connections[i].id, CONFIG_IMPORTS) == 0)
			continue;
		if (only != NULL)
			return NULL;
		only = cfg->connections[i].id;
	}
	return only;
}
