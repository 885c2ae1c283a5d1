#include "workers/sql/mysql/mysql_audit.h"

#include "base/arena.h"
#include "base/system/clock.h"
#include "workers/shared/call.h"
#include "workers/shared/serve.h"
#include "workers/sql/attack_rows.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_statement.h"

#define HONEST_NS	(10 * CLOCK_SECOND)
#define HONEST_ROWS	100u
#define TREE_MAX	((size_t)4 << 20)	/* bytes of the tree of an input */

static const struct audit_input inputs[] = {
#include "workers/sql/mysql/guard/attacks_mysql.def"
};

#define INPUTS	(sizeof(inputs) / sizeof(inputs[0]))

struct mysql_audit {
	struct sql_db	*db;
	struct call	*call;
	struct arena	*arena;		/* of the tree of the current input */
	bool		 writes, creates, super;	/* what the account may */
};

/* Judges by one half of the guard; a text that is no statement names no functions. */
static void
ask_guard(struct mysql_audit *a, struct audit_row *row, enum audit_layer layer)
{
	struct mysql_guard guard = a->db->guard;
	const struct mysql_node *tree;
	struct err why;
	size_t at;

	arena_reset(a->arena);
	tree = mysql_parse(a->arena, span_str(row->input->sql), &at, &why);
	if (tree == NULL && layer == AUDIT_PARSER)
		audit_say(row, layer, AUDIT_IS_STOPPED, "%s", why.message);
	guard.mode = layer == AUDIT_PARSER ? MYSQL_GUARD_ONLY_FORM : MYSQL_GUARD_ONLY_FUNCTIONS;
	if (tree != NULL && mysql_guard_judge(&guard, tree, &at, &why) == -1)
		audit_say(row, layer, AUDIT_IS_STOPPED, "%s", why.message);
}

/* Runs it as it is printed. */
static int
try_honest(struct mysql_audit *a, struct audit_row *row)
{
	const struct mysql_node *tree;
	struct buf printed = { 0 };
	MYSQL_RES *result = NULL;
	MYSQL_ROW cells;
	unsigned n = 0;
	int got = -1;
	struct err why;
	size_t at;

	arena_reset(a->arena);
	if ((tree = mysql_parse(a->arena, span_str(row->input->sql), &at, &why)) == NULL)
		return 0; /* the parser refuses it */
	mysql_print(&printed, tree);
	if (mysql_statement_run(a->db, a->call, buf_view(&printed), clock_ns() + HONEST_NS, &result, &why) == 0)
		while ((got = mysql_statement_row(a->db, a->call, result, &cells, &why)) == 1 && ++n < HONEST_ROWS)
			;
	if (got == -1)
		audit_say(row, AUDIT_SESSION, AUDIT_IS_STOPPED, "%s", why.message);
	mysql_statement_end(a->db, result, got != 1);
	buf_fini(&printed);
	return a->db->dead ? -1 : 0;
}

static int
read_account(struct mysql_audit *a, struct err *err)
{
	static const char *const creating[] = { "CREATE", "DROP", "ALTER", "INDEX", "TRIGGER", "EVENT", "CREATE VIEW",
		"CREATE ROUTINE", NULL };
	MYSQL_RES *result = mysql_statement_ask(a->db, a->call, span_str(mysql_privileges_sql), "!!", err);
	MYSQL_ROW row;

	if (result == NULL)
		return -1;
	while ((row = mysql_fetch_row(result)) != NULL) {
		a->writes = a->writes || row[1][0] == '1';
		a->creates = a->creates || span_is_any(span_str(row[0]), creating);
		a->super = a->super || span_is_str(span_str(row[0]), "SUPER");
	}
	mysql_free_result(result);
	return 0;
}

static void
ask_account(const struct mysql_audit *a, struct audit_row *row)
{
	enum audit_account needs = row->input->account;

	if ((needs == AUDIT_WRITER && !a->writes) || (needs == AUDIT_CREATOR && !a->creates) ||
	    (needs == AUDIT_SUPERUSER && !a->super))
		audit_say(row, AUDIT_ACCOUNT, AUDIT_IS_STOPPED, "the account has no such privilege");
}

static int
judge_input(struct mysql_audit *a, struct audit_row *row)
{
	ask_guard(a, row, AUDIT_PARSER);
	ask_guard(a, row, AUDIT_FUNCTIONS);
	if (row->input->kind == AUDIT_HONEST)
		return try_honest(a, row);
	audit_know_session(row, a->db->cfg->timeout_ms);
	ask_account(a, row);
	return 0;
}

int
mysql_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err)
{
	struct mysql_audit a = { .db = db, .call = c, .arena = arena_new(TREE_MAX) };
	struct audit_row row;
	int rc = read_account(&a, err);

	for (size_t i = 0; i < INPUTS && rc == 0; i++) {
		audit_row_begin(&row, &inputs[i]);
		if (judge_input(&a, &row) == -1)
			rc = err_set(err, ERR_DATABASE_UNAVAILABLE, "the connection was lost in the audit");
		else
			rc = audit_add(r, &row, err);
		call_progress(c, (unsigned)(1000 * i / INPUTS), "%zu inputs", i + 1);
		if (rc == 0 && !call_poll(c, err))
			rc = -1;
	}
	arena_free(a.arena);
	mysql_statement_give_up(db, EXIT_RECYCLE, "an audit was run");
	return rc;
}
