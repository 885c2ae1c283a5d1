#include "project/config/config_server.h"

#include <string.h>

#include "project/config/config_connection.h"

/* Each is schema.name in the catalogue's spelling. */
static void
check_functions(struct config_reader *r, const struct config_connection *c, const char *name)
{
	for (size_t i = 0; i < c->functions.n; i++) {
		const char *text = c->functions.v[i], *dot = strchr(text, '.');

		if (dot == NULL || dot == text || dot[1] == '\0')
			config_issue(r, true, c->line, name,
			    "functions: \"%.60s\" is not a function in its schema, as in sales.score", text);
	}
}

void
config_server_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	struct config_server *s = c->settings;

	(void)cfg;
	if (s->url == NULL && s->host == NULL && s->database == NULL)
		config_issue(r, true, c->line, name, "a %s connection needs a url, or host and database",
		    c->driver->name);
	if (s->ssl && s->sslmode == NULL)
		s->sslmode = s->verify ? "verify-full" : "require";
	check_functions(r, c, name);
}

const char *
config_server_where(const struct config_connection *c, struct arena *a)
{
	const struct config_server *s = c->settings;

	if (s->url != NULL)
		return config_bare_url(a, s->url);
	return arena_printf(a, "%s:%u/%s", s->host != NULL ? s->host : "localhost", s->port,
	    s->database != NULL ? s->database : "");
}
