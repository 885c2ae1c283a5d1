#include "workers/sql/mysql/mysql_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers/shared/call.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_statement.h"
#include "workers/sql/mysql/mysql_types.h"

/* How the values of a type become text. */
static const struct {
	const char	*open, *close;
} texts[] = {
	[MYSQL_TYPES_OTHER] = { "CAST(", " AS CHAR CHARACTER SET utf8mb4)" },
	[MYSQL_TYPES_BITS] = { "CAST(", " AS CHAR CHARACTER SET utf8mb4)" },
	[MYSQL_TYPES_BYTES] = { "IF(", " IS NULL, NULL, '')" },
	[MYSQL_TYPES_GEOMETRY] = { "ST_AsText(", ")" },
};

/* The name of the column's type, in the arena; NULL with *err. */
static const char *
ask_type(struct sql_db *db, struct call *c, const struct profile_ask *a, struct err *err)
{
	const char *const names[][2] = { { "SELECT DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ",
					     a->db == NULL ? db->database : a->db },
		{ " AND TABLE_NAME = ", a->table }, { " AND COLUMN_NAME = ", a->column } };
	struct buf sql = { 0 };
	const char *type = NULL;
	MYSQL_RES *result;
	MYSQL_ROW row;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		buf_str(&sql, names[i][0]);
		mysql_print_string(&sql, span_str(names[i][1]));
	}
	result = mysql_statement_ask_until(db, c, buf_view(&sql), "!", a->deadline_ns, err);
	buf_fini(&sql);
	if (result == NULL)
		return NULL;
	if ((row = mysql_fetch_row(result)) != NULL)
		type = arena_cstr(call_arena(c), span_str(row[0]));
	else
		err_set(err, ERR_DATABASE_ERROR, "the column %s does not exist any more", a->column);
	mysql_free_result(result);
	return type;
}

/* The sample grouped by its values, which are compared by their characters, not by the column's collation. */
static void
put_groups(struct buf *out, const struct profile_ask *a, unsigned text)
{
	buf_printf(out,
	    "(SELECT s.v, COUNT(*) AS n, MIN(s.l) AS lo, MAX(s.l) AS hi FROM (SELECT CONVERT(LEFT(q.t, %d), CHAR(%d)) "
	    "COLLATE "
	    "utf8mb4_bin AS v, CHAR_LENGTH(q.t) AS l FROM (SELECT %s",
	    PROFILE_TEXT_SEEN, PROFILE_TEXT_SEEN, texts[text].open);
	mysql_print_name(out, a->column);
	buf_printf(out, "%s AS t FROM ", texts[text].close);
	mysql_print_table(out, a->db, a->table);
	buf_printf(out, " LIMIT %llu) q) s GROUP BY s.v) g", (unsigned long long)a->rows);
}

void
mysql_profile_counts(MYSQL_RES *result, uint64_t *const *counts, size_t n)
{
	MYSQL_ROW row = mysql_fetch_row(result);

	for (size_t i = 0; row != NULL && i < n; i++)
		*counts[i] = row[i] == NULL ? 0 : strtoull(row[i], NULL, 10);
	mysql_free_result(result);
}

/* Runs before the groups, groups and what stands behind them. */
static MYSQL_RES *
ask_groups(struct sql_db *db, struct call *c, const struct profile_ask *a, unsigned text, const char *before,
    const char *behind, const char *shape, struct err *err)
{
	struct buf sql = { 0 };
	MYSQL_RES *result;

	buf_str(&sql, before);
	put_groups(&sql, a, text);
	buf_str(&sql, behind);
	result = mysql_statement_ask_until(db, c, buf_view(&sql), shape, a->deadline_ns, err);
	buf_fini(&sql);
	return result;
}

static int
read_counts(struct sql_db *db, struct call *c, const struct profile_ask *a, unsigned text, struct profile_column *p,
    struct err *err)
{
	uint64_t *const places[] = { &p->rows, &p->nulls, &p->distinct, &p->shortest, &p->longest };
	MYSQL_RES *result = ask_groups(db, c, a, text,
	    "SELECT SUM(g.n), SUM(IF(g.v IS NULL, g.n, 0)), COUNT(g.v), MIN(g.lo), MAX(g.hi) FROM ", "", ".....", err);

	if (result != NULL)
		mysql_profile_counts(result, places, sizeof(places) / sizeof(places[0]));
	return result == NULL ? -1 : 0;
}

/* The sample is read again: the servers are slow where one statement counts all groups and shows some. */
static int
read_values(struct sql_db *db, struct call *c, const struct profile_ask *a, unsigned text, struct profile_column *p,
    struct err *err)
{
	uint64_t most = a->values > PROFILE_DISTINCT ? a->values : PROFILE_DISTINCT;
	uint64_t shown = p->distinct > most && a->values > PROFILE_FEW ? PROFILE_FEW : a->values;
	char behind[128];
	MYSQL_RES *result;
	MYSQL_ROW row;

	snprintf(behind, sizeof(behind), " WHERE g.v IS NOT NULL AND g.hi <= %d ORDER BY g.n DESC, g.v LIMIT %llu",
	    PROFILE_TEXT_MAX, (unsigned long long)shown);
	if ((result = ask_groups(db, c, a, text, "SELECT g.v FROM ", behind, "!", err)) == NULL)
		return -1;
	while ((row = mysql_fetch_row(result)) != NULL)
		profile_add(p, span_of(row[0], mysql_fetch_lengths(result)[0]));
	mysql_free_result(result);
	return 0;
}

int
mysql_profile(struct sql_db *db, struct call *c, const struct profile_ask *a, struct profile_column *p, struct err *err)
{
	const char *type = ask_type(db, c, a, err);
	unsigned text;
	int rc;

	if (type == NULL)
		return -1;
	text = mysql_types_class(type);
	p->is_enum = strcmp(type, "enum") == 0;
	db->as = a->as;
	rc = read_counts(db, c, a, text, p, err) == -1 ? -1 : read_values(db, c, a, text, p, err);
	db->as = NULL;
	return rc;
}
