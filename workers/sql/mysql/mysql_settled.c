/* mysql_settled.c - see mysql_settled.h. */
#include "workers/sql/mysql/mysql_settled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/sql/mysql/mysql_db.h"
#include "workers/sql/mysql/mysql_statement.h"

#define LOOK_MS		500u	/* for one look at the catalogue */
#define LOOK_SHARE	200u	/* a look takes at most one part in this of the time */

static struct mysql_settled_table *
find_table(struct mysql_settled *s, const char *schema, const char *name)
{
	for (size_t i = 0; i < MYSQL_SETTLED_TABLES; i++) {
		struct mysql_settled_table *t = &s->known[i];

		if (t->seen_ns != 0 && strcmp(t->name, name) == 0 && strcmp(t->schema, schema) == 0)
			return t;
	}
	return NULL;
}

/* The place of a table that is not known: a free one, else the oldest. */
static struct mysql_settled_table *
oldest_table(struct mysql_settled *s)
{
	struct mysql_settled_table *oldest = &s->known[0];

	for (size_t i = 1; i < MYSQL_SETTLED_TABLES; i++)
		if (s->known[i].seen_ns < oldest->seen_ns)
			oldest = &s->known[i];
	return oldest;
}

static bool
is_recent(uint64_t at_ns, uint64_t now_ns)
{
	return at_ns != 0 && now_ns - at_ns < MYSQL_SETTLED_MS * CLOCK_MS;
}

static struct mysql_settled_table
name_table(const struct sql_db *db, const struct mysql_plain_table *t)
{
	struct mysql_settled_table named = { .kind = MYSQL_SETTLED_ABSENT };
	struct span schema = t->schema.len > 0 ? t->schema : span_str(db->database);

	snprintf(named.schema, sizeof(named.schema), "%.*s", SPAN_FMT(schema));
	snprintf(named.name, sizeof(named.name), "%.*s", SPAN_FMT(t->name));
	return named;
}

bool
mysql_settled_goes_without(struct sql_db *db, const struct mysql_node *statement)
{
	struct mysql_settled *s = &db->settled;
	uint64_t now = clock_ns();
	struct mysql_plain plain;
	bool known = is_recent(s->proved_ns, now), all = true;

	s->nwanted = 0;
	if (db->cfg->identity != NULL || strlen(db->database) >= sizeof(s->known[0].schema) ||
	    !mysql_plain_read(statement, &plain))
		return false;
	for (size_t i = 0; i < plain.n; i++) {
		struct mysql_settled_table named = name_table(db, &plain.tables[i]);
		const struct mysql_settled_table *t = find_table(s, named.schema, named.name);

		s->wanted[s->nwanted++] = named;
		known = known && t != NULL && is_recent(t->seen_ns, now);
		all = all && t != NULL &&
		    (t->kind == MYSQL_SETTLED_TABLE || (t->kind == MYSQL_SETTLED_ABSENT && plain.tables[i].cte));
	}
	if (known)
		s->nwanted = 0;
	return known && all;
}

void
mysql_settled_note(struct sql_db *db)
{
	db->dirty = false;
	db->settled.unproved = true;
}

bool
mysql_settled_is_due(const struct sql_db *db)
{
	return db->settled.unproved && !is_recent(db->settled.proved_ns, clock_ns());
}

/* One row for each table that is there: its place among those that are wanted, and whether it is a plain table. */
static void
put_look(const struct sql_db *db, struct buf *sql)
{
	const struct mysql_settled *s = &db->settled;

	for (size_t i = 0; i < s->nwanted; i++) {
		struct buf place = { .max = 0 };

		buf_str(&place, " WHERE TABLE_SCHEMA = ");
		mysql_statement_put_schema(db, &place, span_str(s->wanted[i].schema));
		buf_str(&place, " AND TABLE_NAME = ");
		mysql_statement_put_schema(db, &place, span_str(s->wanted[i].name));
		buf_printf(sql,
		    "%sSELECT %zu, TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND "
		    "ENGINE IN ('InnoDB', 'Aria', 'MyISAM', 'MEMORY', 'ARCHIVE', 'CSV') AND NOT EXISTS "
		    "(SELECT 1 FROM information_schema.COLUMNS",
		    i > 0 ? " UNION ALL " : "", i);
		buf_span(sql, buf_view(&place));
		buf_str(sql, " AND GENERATION_EXPRESSION <> '') FROM information_schema.TABLES");
		buf_span(sql, buf_view(&place));
		buf_fini(&place);
	}
}

static bool
always(void *arg)
{
	(void)arg;
	return true;
}

static void
take_rows(struct mysql_settled *s, MYSQL_RES *result)
{
	MYSQL_ROW row;

	while (mysql_num_fields(result) == 2 && (row = mysql_fetch_row(result)) != NULL) {
		size_t i = row[0] == NULL ? SIZE_MAX : strtoul(row[0], NULL, 10);

		if (i < s->nwanted)
			s->wanted[i].kind =
			    row[1] != NULL && strcmp(row[1], "1") == 0 ? MYSQL_SETTLED_TABLE : MYSQL_SETTLED_OTHER;
	}
}

int
mysql_settled_proved(struct sql_db *db, struct err *err)
{
	struct mysql_settled *s = &db->settled;
	struct buf sql = { .max = 0 };
	uint64_t now = clock_ns();
	MYSQL_RES *result;
	int rc;

	s->proved_ns = now;
	s->unproved = false;
	if (s->nwanted == 0 || now < s->rest_ns)
		return 0;
	put_look(db, &sql);
	rc = mysql_session_ask(db->session, buf_view(&sql), now + LOOK_MS * CLOCK_MS, always, NULL, &result, err);
	buf_fini(&sql);
	s->rest_ns = now + LOOK_SHARE * (clock_ns() - now);
	if (rc == -1)
		return err->code == ERR_DATABASE_UNAVAILABLE ? -1 : 0;
	take_rows(s, result);
	mysql_free_result(result);
	for (size_t i = 0; i < s->nwanted; i++) {
		struct mysql_settled_table *t = find_table(s, s->wanted[i].schema, s->wanted[i].name);

		if (t == NULL)
			t = oldest_table(s);
		*t = s->wanted[i];
		t->seen_ns = now;
	}
	s->nwanted = 0;
	return 0;
}
