#include "project/config/config_issue.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The first problem of a connection is reported as the reason why it is not served. */
static void
spoil_connection(struct config_reader *r, unsigned line, const char *name, const char *text)
{
	struct config_connection *c = r->connection;
	const char *key = strchr(name, '.');

	/* "connections.warehouse.columns.mask" -> "columns.mask"; the connection is known where this is shown. */
	key = key != NULL ? strchr(key + 1, '.') : NULL;
	key = key != NULL ? key + 1 : NULL;
	if (c->unusable == NULL &&
	    (c->unusable = arena_printf(r->arena, "%s%s%s (line %u of the configuration)", key != NULL ? key : "",
		 key != NULL ? ": " : "", text, line)) == NULL)
		r->full = true;
}

void
config_issue(struct config_reader *r, bool is_fatal, unsigned line, const char *name, const char *fmt, ...)
{
	struct config_issues *issues = r->issues;
	struct config_issue *issue;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (is_fatal && r->connection != NULL) {
		is_fatal = false;
		spoil_connection(r, line, name, text);
	}
	issues->nfatal += is_fatal;
	if (issues->n < CONFIG_ISSUES_MAX)
		issue = &issues->list[issues->n++];
	else if (is_fatal && !issues->list[CONFIG_ISSUES_MAX - 1].fatal)
		issue = &issues->list[CONFIG_ISSUES_MAX - 1]; /* an error matters more than a warning */
	else
		return;
	issue->fatal = is_fatal;
	issue->line = line;
	if ((issue->text = arena_printf(r->arena, "%s: %s", name, text)) == NULL) {
		issue->text = name;
		r->full = true;
	}
}
