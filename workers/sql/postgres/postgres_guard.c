#include "base/utf8.h"
#include "workers/sql/postgres/postgres_guard.h"

#include <string.h>

#include "workers/sql/postgres/guard/guard_rules.h"
#include "workers/sql/postgres/postgres_scan.h"
#include "workers/sql/postgres/postgres_text.h"

/* Limit for the scanner's work, some milliseconds.  A line of 80 operator characters costs 6,400. */
#define OPERATOR_WORK_MAX	(2u << 20)

/* Advice for statements that agents try, by their first word. */
static const struct {
	const char	*word, *says;
} refused[] = {
	{ "INSERT", "INSERT is not allowed: this connection only reads; write a SELECT" },
	{ "UPDATE", "UPDATE is not allowed: this connection only reads; write a SELECT" },
	{ "DELETE", "DELETE is not allowed: this connection only reads; write a SELECT" },
	{ "MERGE", "MERGE is not allowed: this connection only reads; write a SELECT" },
	{ "TRUNCATE", "TRUNCATE is not allowed: this connection only reads; write a SELECT" },
	{ "CREATE", "CREATE is not allowed: this connection only reads; use WITH for intermediate results" },
	{ "COPY", "COPY is not allowed; a SELECT returns the same rows" },
	{ "DO", "DO is not allowed: procedural code cannot be checked; write a SELECT" },
	{ "CALL", "CALL is not allowed: procedures may write; write a SELECT" },
	{ "SET", "SET is not allowed: session settings are fixed; use AT TIME ZONE or to_char() in the query" },
	{ "RESET", "RESET is not allowed: session settings are fixed" },
	{ "DISCARD", "DISCARD is not allowed: the session is reset after each statement anyway" },
	{ "BEGIN", "BEGIN is not allowed: each statement runs in a read-only transaction of its own" },
	{ "START", "START TRANSACTION is not allowed: each statement runs in a read-only transaction of its own" },
	{ "COMMIT", "COMMIT is not allowed: each statement runs in a read-only transaction of its own" },
	{ "END", "END is not allowed: each statement runs in a read-only transaction of its own" },
	{ "ROLLBACK", "ROLLBACK is not allowed: each statement runs in a read-only transaction of its own" },
	{ "ABORT", "ABORT is not allowed: each statement runs in a read-only transaction of its own" },
	{ "SAVEPOINT", "SAVEPOINT is not allowed: each statement runs in a read-only transaction of its own" },
	{ "RELEASE", "RELEASE is not allowed: each statement runs in a read-only transaction of its own" },
	{ "PREPARE", "PREPARE is not allowed; send the statement itself, with its values" },
	{ "EXECUTE", "EXECUTE is not allowed; send the statement itself, with its values" },
	{ "DEALLOCATE", "DEALLOCATE is not allowed; nothing is kept between calls" },
	{ "DECLARE", "DECLARE CURSOR is not allowed; send the SELECT itself, with LIMIT and OFFSET" },
	{ "FETCH", "FETCH is not allowed; send the SELECT itself, with LIMIT and OFFSET" },
	{ "LISTEN", "LISTEN is not allowed: this connection only answers queries" },
	{ "NOTIFY", "NOTIFY is not allowed: this connection only reads" },
	{ "LOCK", "LOCK is not allowed: locks would block the application" },
	{ "VACUUM", "VACUUM is not allowed: this connection only reads" },
	{ "ANALYZE", "ANALYZE is not allowed: this connection only reads" },
};

static bool
is_query_word(const struct sqltext_token *t)
{
	return sqltext_is(t, "SELECT") || sqltext_is(t, "WITH") || sqltext_is(t, "VALUES") || sqltext_is(t, "TABLE");
}

static int
refuse_word(const struct sqltext_token *t, struct err *err)
{
	if (t->kind == SQLTEXT_WORD)
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
			if (sqltext_is(t, refused[i].word))
				return err_set(err, ERR_FORBIDDEN_SQL, "%s", refused[i].says);
	return err_set(err, t->kind == SQLTEXT_WORD ? ERR_FORBIDDEN_SQL : ERR_INVALID_SQL,
	    "a statement beginning with \"%.*s\" is not allowed; begin with SELECT, WITH, VALUES, TABLE, "
	    "EXPLAIN or SHOW",
	    (int)(t->text.len < 40 ? t->text.len : 40), (const char *)t->text.p);
}

/* The first token after opening parentheses. */
static struct sqltext_token
first_inside(struct sqltext *s)
{
	struct sqltext_token t;

	do
		t = sqltext_next(s);
	while (sqltext_is_punct(&t, '('));
	return t;
}

static int
refuse_analyze(struct err *err)
{
	return err_set(err, ERR_FORBIDDEN_SQL,
	    "EXPLAIN ANALYZE is not allowed: it runs the statement; use EXPLAIN without ANALYZE, "
	    "or run the query itself (limits.explain_analyze in the configuration allows it where no column policy "
	    "is)");
}

static bool
is_analyze(const struct sqltext_token *t)
{
	return sqltext_is(t, "ANALYZE") || sqltext_is(t, "ANALYSE");
}

/* After EXPLAIN "(": reads an option list, unless a query begins there.  Leaves s at the explained statement. */
static int
skip_explain_options(struct sqltext *s, bool analyze, struct err *err)
{
	struct sqltext ahead = *s;
	struct sqltext_token t = first_inside(&ahead);

	if (is_query_word(&t))
		return 0;
	(void)sqltext_next(s);
	for (t = sqltext_next(s); !sqltext_is_punct(&t, ')'); t = sqltext_next(s)) {
		if (t.kind == SQLTEXT_END || t.kind == SQLTEXT_BROKEN)
			return err_set(err, ERR_INVALID_SQL, "the option list of EXPLAIN has no end");
		if (!analyze && (is_analyze(&t) || t.kind == SQLTEXT_QUOTED))
			return refuse_analyze(err);
	}
	return 0;
}

static int
check_explain(struct sqltext *s, bool analyze, struct pg_statement *st, struct err *err)
{
	struct sqltext ahead = *s;
	struct sqltext_token t = sqltext_next(&ahead);

	if (sqltext_is_punct(&t, '(')) {
		if (skip_explain_options(s, analyze, err) == -1)
			return -1;
	} else {
		/* EXPLAIN [ANALYZE] [VERBOSE]; the grammar has no other order. */
		while (is_analyze(&t) || sqltext_is(&t, "VERBOSE")) {
			if (!analyze && is_analyze(&t))
				return refuse_analyze(err);
			*s = ahead;
			t = sqltext_next(&ahead);
		}
	}
	ahead = *s;
	t = first_inside(&ahead);
	if (!is_query_word(&t))
		return refuse_word(&t, err);
	st->kind = STATEMENT_EXPLAIN;
	st->inner = span_of(s->text.p + s->at, s->text.len - s->at);
	return 0;
}

/* guard_pg.c judges the setting's name; this judges where it is written. */
static bool
is_shown(struct span name)
{
	if (name.len >= 2 && name.p[0] == '"')
		name = span_of(name.p + 1, name.len - 2);
	return guard_rules_setting(name);
}

static int
check_show(struct sqltext *s, struct pg_statement *st, struct err *err)
{
	struct sqltext_token name = sqltext_next(s), rest = sqltext_next(s);

	st->kind = STATEMENT_SHOW;
	if (sqltext_is(&name, "TIME") && sqltext_is(&rest, "ZONE"))
		rest = sqltext_next(s);
	else if ((name.kind != SQLTEXT_WORD && name.kind != SQLTEXT_QUOTED) || !is_shown(name.text))
		return err_set(err, ERR_FORBIDDEN_SQL, "SHOW is allowed only for %s", guard_rules_settings);
	if (rest.kind != SQLTEXT_END)
		return err_set(err, ERR_INVALID_SQL, "SHOW takes one name");
	return 0;
}

static int
check_shape(struct span sql, struct pg_statement *st, struct err *err)
{
	switch (sqltext_statement(SQLTEXT_POSTGRES, sql, &st->text)) {
	case SQLTEXT_NONE:
		return err_set(err, ERR_INVALID_SQL, "there is no statement, only white space or comments");
	case SQLTEXT_SEVERAL:
		return err_set(err, ERR_FORBIDDEN_SQL, "several statements are not allowed; send one statement a call");
	case SQLTEXT_UNENDED:
		return err_set(err, ERR_INVALID_SQL, "a comment, string or quoted name in the statement has no end");
	case SQLTEXT_ONE:
		break;
	}
	if (postgres_scan_work(sql) > OPERATOR_WORK_MAX)
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "too many operator characters in a row, or too many "
		    "comments are nested or without a space between them, which would take long to read; "
		    "leave them out or put spaces between them");
	return 0;
}

int
postgres_guard_check(struct span sql, bool analyze, struct pg_statement *st, struct err *err)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES };
	struct sqltext_token t;
	struct span whole = sql;

	memset(st, 0, sizeof(*st));
	/* Skips one byte-order mark, which editors write. */
	if (sql.len >= 3 && memcmp(sql.p, "\xEF\xBB\xBF", 3) == 0)
		sql = span_of(sql.p + 3, sql.len - 3);
	if (check_shape(sql, st, err) == -1)
		return -1;
	st->before = utf8_count(span_of(whole.p, (size_t)(st->text.p - whole.p)));
	s.text = st->text;
	t = first_inside(&s);
	if (is_query_word(&t)) {
		st->kind = STATEMENT_QUERY;
		return 0;
	}
	if (st->text.p[0] == '(')
		return refuse_word(&t, err);
	s.at = 0;
	t = sqltext_next(&s);
	if (sqltext_is(&t, "EXPLAIN"))
		return check_explain(&s, analyze, st, err);
	if (sqltext_is(&t, "SHOW"))
		return check_show(&s, st, err);
	return refuse_word(&t, err);
}

const char *
postgres_guard_culprit(struct span text)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = text };
	struct sqltext_token t, before = { .kind = SQLTEXT_END };
	static const char *const writes[] = { "INSERT", "UPDATE", "DELETE", "MERGE" };

	for (t = sqltext_next(&s); t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN;
	     before = t, t = sqltext_next(&s)) {
		if (sqltext_is(&before, "FOR") &&
		    (sqltext_is(&t, "UPDATE") || sqltext_is(&t, "SHARE") || sqltext_is(&t, "NO") ||
			sqltext_is(&t, "KEY")))
			return "a locking clause (FOR UPDATE, FOR SHARE)";
		if (sqltext_is(&t, "INTO"))
			return sqltext_is(&before, "INSERT") || sqltext_is(&before, "MERGE") ?
			    "a data-modifying statement" :
			    "SELECT INTO";
		for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
			if (sqltext_is(&t, writes[i]) &&
			    (sqltext_is_punct(&before, '(') || sqltext_is_punct(&before, ')')))
				return writes[i];
	}
	return NULL;
}
