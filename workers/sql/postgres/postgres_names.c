#include "workers/sql/postgres/postgres_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "workers/sql/postgres/postgres_sql.h"
#include "workers/sql/postgres/postgres_text.h"

#define NAME_BYTES	63	/* NAMEDATALEN - 1 */
#define WIDEST		4	/* most bytes of a character in any server encoding */

int
pg_names_open(struct pg_names *n, PGconn *conn, struct err *err)
{
	PGresult *res = PQexec(conn, postgres_names_sql);
	bool ok = PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1;

	if (ok) {
		n->utf8 = PQgetvalue(res, 0, 0)[0] == 't';
		n->single = PQgetvalue(res, 0, 1)[0] == 't';
		n->usual = PQgetvalue(res, 0, 2)[0] == 't';
		n->folds = mem_text(span_str(PQgetvalue(res, 0, 3)));
	} else {
		err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the server does not say how it reads names, which the column policy needs");
		err_detail(err, "%s", PQresultErrorMessage(res));
	}
	PQclear(res);
	return ok ? 0 : -1;
}

void
pg_names_fini(struct pg_names *n)
{
	free(n->folds);
	n->folds = NULL;
}

/* The most bytes that the name can have in the server's encoding, quotes included. */
static size_t
longest(const struct pg_names *n, struct span name)
{
	size_t beyond = 0;

	for (size_t i = 0; i < name.len && !n->utf8 && !n->single; i++)
		beyond += (name.p[i] & 0xC0) == 0xC0;
	return name.len + beyond * (WIDEST - 2);
}

/* Whether an unquoted name has a letter that only the server folds. */
static bool
is_folded(const struct pg_names *n, struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		size_t len = 1;

		if (name.p[i] < 0x80)
			continue;
		while (i + len < name.len && (name.p[i + len] & 0xC0) == 0x80)
			len++;
		/* Without an encoding, the server folds single bytes. */
		if (*n->folds != '\0' &&
		    (!utf8_valid((const uint8_t *)n->folds, strlen(n->folds)) ||
			memmem(n->folds, strlen(n->folds), name.p + i, len) != NULL))
			return true;
		i += len - 1;
	}
	return false;
}

static bool
is_ascii(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] >= 0x80)
			return false;
	return true;
}

/* U&"…" behind the current word. */
static bool
is_escaped(struct span sql, const struct sqltext_token *t)
{
	size_t end = (size_t)(t->text.p - sql.p) + t->text.len;

	return sqltext_is(t, "U") && end + 1 < sql.len && sql.p[end] == '&' && sql.p[end + 1] == '"';
}

static const char *
find_fault(const struct pg_names *n, struct span sql, const struct sqltext_token *t)
{
	size_t quotes = t->kind == SQLTEXT_QUOTED ? 2 : 0;

	if (t->kind != SQLTEXT_WORD && t->kind != SQLTEXT_QUOTED)
		return NULL;
	if (!n->utf8 && is_escaped(sql, t))
		return "it is spelt with escapes; write its letters";
	if ((!n->utf8 && !is_ascii(t->text) && longest(n, t->text) - quotes > NAME_BYTES) ||
	    (!n->usual && t->text.len - quotes > NAME_BYTES))
		return "it has more than 63 bytes, and where the server cuts it is unknown; use a view with a "
		       "shorter name";
	if (t->kind == SQLTEXT_WORD && is_folded(n, t->text))
		return "the server reads one of its capital letters as a small one; put it in quotes, as the catalogue "
		       "spells it";
	return NULL;
}

int
pg_names_check(const struct pg_names *n, struct span sql, size_t before, struct err *err)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = sql };
	struct sqltext_token t;
	const char *fault;

	if (n->utf8 && n->usual)
		return 0;
	while ((t = sqltext_next(&s)).kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN)
		if ((fault = find_fault(n, sql, &t)) != NULL)
			return err_set(err, ERR_FORBIDDEN_SQL,
			    "the name %.*s is not allowed (character %zu): this connection has a "
			    "column policy and %s",
			    SPAN_FMT(t.text), before + utf8_count(span_of(sql.p, (size_t)(t.text.p - sql.p))) + 1,
			    fault);
	return 0;
}
