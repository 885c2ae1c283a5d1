#include "workers/libpq/libpq_connect.h"

#include <stdlib.h>
#include <string.h>

#include "workers/libpq/libpq_url.h"

#define KEYWORDS_MAX	64

struct libpq_keywords {
	size_t		 n;
	const char	*name[KEYWORDS_MAX + 1], *value[KEYWORDS_MAX + 1];
};

static void
put_keyword(struct libpq_keywords *k, const char *name, const char *value)
{
	if (k->n == KEYWORDS_MAX)
		abort(); /* libpq has about forty */
	k->name[k->n] = name;
	k->value[k->n++] = value;
}

/* The last value of a keyword holds. */
static void
gather(struct libpq_keywords *k, const PQconninfoOption *given, const char *const (*pinned)[2])
{
	for (const PQconninfoOption *o = given; o->keyword != NULL; o++)
		if (o->val != NULL && strcmp(o->keyword, "replication") != 0)
			put_keyword(k, o->keyword, o->val);
	put_keyword(k, "fallback_application_name", "carrel");
	put_keyword(k, "client_encoding", "UTF8");
	put_keyword(k, "gssencmode", "disable");
	if (libpq_url_option(given, "connect_timeout") == NULL)
		put_keyword(k, "connect_timeout", "15");
	if (libpq_url_option(given, "passfile") == NULL) /* do not use the account's own .pgpass */
		put_keyword(k, "passfile", "/nonexistent/pgpass");
	if (libpq_url_binds_channel(given))
		put_keyword(k, "channel_binding", "require");
	for (; (*pinned)[0] != NULL; pinned++)
		if ((*pinned)[1][0] != '\0')
			put_keyword(k, (*pinned)[0], (*pinned)[1]);
}

PGconn *
libpq_connect(const PQconninfoOption *given, const char *const (*pinned)[2])
{
	struct libpq_keywords k = { 0 };
	PGconn *conn;

	gather(&k, given, pinned);
	if ((conn = PQconnectdbParams(k.name, k.value, 0)) == NULL)
		abort();
	return conn;
}
