#include "project/config/config_reach.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "project/config/config_connection.h"
#include "project/config/config_member.h"
#include "project/config/config_server.h"
#include "project/config/secret.h"

#define ARGV_MAX	64u
#define ARGUMENT_MAX	4096u

/* A text without control characters, of at most max bytes; NULL: it is something else. */
static const char *
reach_text(struct config_reader *r, const struct yaml_node *node, size_t max)
{
	if (node == NULL || node->kind != YAML_SCALAR || node->text.len == 0 || node->text.len > max)
		return NULL;
	for (size_t i = 0; i < node->text.len; i++)
		if (node->text.p[i] < ' ' || node->text.p[i] == 0x7f)
			return NULL;
	return yaml_cstr(r->arena, node);
}

static bool
read_number(const struct yaml_node *node, unsigned low, unsigned high, unsigned *out)
{
	struct yaml_node plain = *node;
	unsigned long long v;

	plain.quoted = false;
	if (!yaml_uint(&plain, &v) || v < low || v > high)
		return false;
	*out = (unsigned)v;
	return true;
}

void
config_reach_command(struct config_reader *r, const struct yaml_node *node, const char *name)
{
	static const char *const known[] = { "command", "ttl_s", NULL };
	const struct yaml_node *command = yaml_get(node, "command"), *ttl = yaml_get(node, "ttl_s");
	struct config_command *c = &r->connection->password_command;

	if (!config_member_known(r, node, known, name))
		return;
	c->ttl_s = CONFIG_REACH_TTL_S;
	if (command == NULL || command->kind != YAML_SEQUENCE || command->n == 0 || command->n > ARGV_MAX ||
	    (c->argv.v = arena_array(r->arena, command->n + 1, sizeof(*c->argv.v))) == NULL) {
		config_issue(r, true, node->line, name,
		    "expected command: [program, argument, …], run without a shell; found none");
		return;
	}
	for (size_t i = 0; i < command->n; i++)
		if ((c->argv.v[i] = reach_text(r, &command->items[i], ARGUMENT_MAX)) == NULL) {
			config_issue(r, true, command->items[i].line, name,
			    "command: the arguments are texts of 1 to %u bytes on one line", ARGUMENT_MAX);
			return;
		}
	if (ttl != NULL && ttl->kind != YAML_NULL && !read_number(ttl, 0, CONFIG_REACH_TTL_MAX_S, &c->ttl_s)) {
		config_issue(r, true, ttl->line, name, "ttl_s: expected a whole number from 0 to %u",
		    CONFIG_REACH_TTL_MAX_S);
		return;
	}
	c->argv.v[command->n] = NULL;
	c->argv.n = command->n;
}

/* What ssh(1) takes as a user's name and cannot take for an option. */
static bool
is_user(const char *s)
{
	if (*s == '-' || strlen(s) > 64)
		return false;
	for (; *s != '\0'; s++)
		if (!ascii_is_alnum((uint8_t)*s) && strchr("._-", *s) == NULL)
			return false;
	return true;
}

/* The path of "file:PATH"; ssh would expand or split one with these characters. */
static const char *
file_of(const char *ref)
{
	return ref != NULL && strncmp(ref, "file:", 5) == 0 && ref[5] != '\0' && strpbrk(ref, "%$\"'\\ ") == NULL ?
	    ref + 5 :
	    NULL;
}

void
config_reach_ssh(struct config_reader *r, struct config_ssh *ssh, const struct yaml_node *node, const char *name)
{
	static const char *const known[] = { "host", "port", "user", "identity", "known_hosts", NULL };
	const struct yaml_node *port;
	struct config_ssh s = { .port = CONFIG_REACH_SSH_PORT };
	const char *wrong = NULL;

	if (node->kind == YAML_NULL)
		return;
	if (!config_member_keys(r, node, "host, user, identity and known_hosts", name) ||
	    !config_member_known(r, node, known, name))
		return;
	port = yaml_get(node, "port");
	if ((s.host = reach_text(r, yaml_get(node, "host"), 253)) == NULL || !config_is_host(s.host))
		wrong = "host: expected the name or address of the SSH server";
	else if ((s.user = reach_text(r, yaml_get(node, "user"), 64)) == NULL || !is_user(s.user))
		wrong = "user: expected the account on the SSH server, of letters, digits, dots, _ and -";
	else if (port != NULL && port->kind != YAML_NULL && !read_number(port, 1, 65535, &s.port))
		wrong = "port: expected a whole number from 1 to 65535";
	else if ((s.identity = file_of(reach_text(r, yaml_get(node, "identity"), 1024))) == NULL)
		wrong = "identity: expected file:PATH of a private key, without blanks, quotes, %, $ and backslashes";
	else if ((s.known_hosts = file_of(reach_text(r, yaml_get(node, "known_hosts"), 1024))) == NULL)
		wrong =
		    "known_hosts: expected file:PATH of the server's host keys as `ssh-keyscan` writes them, without "
		    "blanks, quotes, %, $ and backslashes";
	if (wrong != NULL)
		config_issue(r, true, node->line, name, "%s", wrong);
	else
		*ssh = s;
}

static const char *
whole_path(struct config_reader *r, const struct config *cfg, const char *path)
{
	const char *home = getenv("HOME"), *whole;
	struct passwd *pw;

	if (path[0] == '~' && path[1] == '/') {
		if (home == NULL || *home != '/')
			home = (pw = getpwuid(geteuid())) != NULL ? pw->pw_dir : "/";
		whole = arena_printf(r->arena, "%s%s", home, path + 1);
	} else
		whole = *path == '/' ? path : arena_printf(r->arena, "%s/%s", cfg->project_dir, path);
	r->full = r->full || whole == NULL;
	return whole != NULL ? whole : path;
}

static void
finish_ssh(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	const struct config_server *s = c->settings;
	const char *host;
	unsigned port;
	struct err err;

	c->ssh.identity = whole_path(r, cfg, c->ssh.identity);
	c->ssh.known_hosts = whole_path(r, cfg, c->ssh.known_hosts);
	if (strpbrk(c->ssh.identity, "%$\"'\\ ") != NULL || strpbrk(c->ssh.known_hosts, "%$\"'\\ ") != NULL)
		config_issue(r, true, c->line, name,
		    "ssh: the project directory has blanks, quotes, %%, $ or a backslash in its path: give identity "
		    "and "
		    "known_hosts as absolute paths without");
	if (s->url != NULL && !config_is_reference(s->url)) {
		if (config_reach_server(c, s->url, r->arena, &host, &port, &err) != 0)
			config_issue(r, true, c->line, name, "%s", err.message);
	} else if (s->url == NULL && s->host == NULL)
		config_issue(r, true, c->line, name,
		    "ssh: host is missing: the database server as the SSH server reaches it, as in host: localhost");
	else if (s->url == NULL && !config_is_reference(s->host) && !config_is_host(s->host))
		config_issue(r, true, c->line, name,
		    "ssh: host must be the name or address of the database server as the SSH server reaches it");
}

void
config_reach_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	bool server = c->driver->place == DRIVER_SERVER;

	if (c->ssh.host != NULL && !server)
		config_issue(r, true, c->line, name, "ssh: a %s connection reads files here; SSH leads to servers",
		    c->driver->name);
	else if (c->ssh.host != NULL)
		finish_ssh(r, c, cfg, name);
	if (c->password_command.argv.n > 0 && server && ((const struct config_server *)c->settings)->url != NULL)
		config_issue(r, true, c->line, name,
		    "password: a command gives no password to a url; say host, database and user with keys of their "
		    "own");
}

/* The query must not say another server: libpq lets host, hostaddr, port and service there win. */
static bool
query_moves(const char *query)
{
	static const char *const names[] = { "host", "hostaddr", "port", "service", "socket" };

	while (query != NULL && *query != '\0') {
		size_t n = strcspn(query, "=&");

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if ((strlen(names[i]) == n && strncasecmp(query, names[i], n) == 0) ||
			    memchr(query, '%', n) != NULL)
				return true;
		query = strchr(query, '&');
		query += query != NULL;
	}
	return false;
}

static unsigned
standard_port(const struct db_driver *d)
{
	const struct config_key *k = drivers_key_of(d, SPAN("port"));

	return k == NULL || k->def == NULL ? 0 : (unsigned)strtoul(k->def, NULL, 10);
}

int
config_reach_server(const struct config_connection *c, const char *url, struct arena *a, const char **host,
    unsigned *port, struct err *err)
{
	size_t scheme = drivers_scheme(c->driver, url);
	const char *at, *query, *end;
	char *name, *colon;

	if (scheme == 0)
		goto wrong;
	url += scheme;
	query = strchr(url, '?');
	end = url + strcspn(url, "/?#");
	at = memrchr(url, '@', (size_t)(end - url));
	url = at != NULL ? at + 1 : url;
	if (query_moves(query == NULL ? NULL : query + 1) ||
	    (name = arena_printf(a, "%.*s", (int)(end - url), url)) == NULL)
		goto wrong;
	*port = standard_port(c->driver);
	colon = *name == '[' ? strchr(name, ']') : strchr(name, ':');
	if (*name == '[') {
		if (colon == NULL)
			goto wrong;
		*colon++ = '\0';
		name++;
	}
	if (colon != NULL && *colon == ':') {
		*colon = '\0';
		*port = (unsigned)strtoul(colon + 1, &colon, 10);
	}
	if ((colon != NULL && *colon != '\0') || *port == 0 || *port > 65535 || !config_is_host(name))
		goto wrong;
	*host = name;
	return 0;
wrong:
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "with ssh the url has to name one server, as in %.*s//USER@HOST:PORT/DATABASE, and no host, port, service "
	    "or "
	    "socket behind the ?; or give host, database and user as keys of their own",
	    (int)strcspn(c->driver->schemes, "/"), c->driver->schemes);
}
