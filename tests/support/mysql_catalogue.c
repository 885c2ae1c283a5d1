#include "tests/support/mysql_catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "workers/sql/mysql/mysql_catalogue.h"

static MYSQL_RES *
ask(MYSQL *server, const char *text)
{
	static const char place[] = "${schemas}";
	const char *at = strstr(text, place);
	struct buf sql = { 0 };
	MYSQL_RES *result = NULL;

	buf_append(&sql, text, (size_t)(at - text));
	buf_str(&sql, "DATABASE()");
	buf_str(&sql, at + sizeof(place) - 1);
	if (mysql_query(server, buf_cstr(&sql)) != 0 || (result = mysql_store_result(server)) == NULL) {
		fprintf(stderr, "%s: %s\n", buf_cstr(&sql), mysql_error(server));
		abort();
	}
	buf_fini(&sql);
	return result;
}

void
mysql_catalogue_read(MYSQL *server, struct arena *a, struct span schema, struct mysql_catalogue *out)
{
	MYSQL_RES *answers[MYSQL_CATALOGUE_PARTS];

	for (unsigned i = 0; i < MYSQL_CATALOGUE_PARTS; i++)
		answers[i] = ask(server, mysql_catalogue_asks[i].text);
	*out = (struct mysql_catalogue){ .schema = schema };
	if (mysql_catalogue_learn(a, answers, out) == -1)
		abort();
	for (unsigned i = 0; i < MYSQL_CATALOGUE_PARTS; i++)
		mysql_free_result(answers[i]);
}
