#include "front/team_check.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/system/log.h"
#include "front/calls/team_arguments.h"
#include "front/calls/router.h"
#include "front/front.h"
#include "front/mcp/subscribe.h"

struct team_check {
	struct front		*f;
	const struct tool_entry	*tool;
	uint64_t		 held;
};

static void check_alone(struct front *f, const struct tool_entry *tool);

/* Changes while it ran may have made the outcome old. */
static void
check_leave(struct team_check *c)
{
	if (tools_end_trial(c->f->tools, c->tool))
		check_alone(c->f, c->tool);
	free(c);
}

static void
check_ended(struct team_check *c, const char *fault)
{
	if (tools_note_fault(c->f->tools, c->tool, fault)) {
		if (fault != NULL)
			log_error("the tool %.*s cannot be served: %s", SPAN_FMT(c->tool->name), fault);
		else
			log_info("the tool %.*s can be served again", SPAN_FMT(c->tool->name));
		subscribe_changed(c->f, IPC_LISTS_TOOLS);
	}
	check_leave(c);
}

static void
check_done(void *arg, struct tool_result *result)
{
	result_free(result);
	check_ended(arg, NULL);
}

static bool
is_of_statement(enum err_code code)
{
	return code == ERR_FORBIDDEN_SQL || code == ERR_INVALID_SQL || code == ERR_SQL_TOO_LONG ||
	    code == ERR_INVALID_QUERY || code == ERR_TABLE_NOT_FOUND || code == ERR_COLUMN_NOT_FOUND;
}

static void
check_failed(void *arg, const struct err *err, struct span details)
{
	struct team_check *c = arg;

	(void)details;
	if (is_of_statement(err->code))
		check_ended(c, err->message);
	else
		check_leave(c);
}

static void
check_progress(void *arg, unsigned permille, struct span message)
{
	(void)arg, (void)permille, (void)message;
}

static const struct sink check_sink = { .progress = check_progress, .done = check_done, .failed = check_failed };

static void
check_alone(struct front *f, const struct tool_entry *tool)
{
	struct team_check *c;
	struct buf args = { .max = IPC_ARGS_MAX }, details = { .max = 4096 };
	struct call_request q = { .tool = tool, .sink = &check_sink };
	struct err e;

	if (!tools_begin_trial(f->tools, tool))
		return;
	c = mem_new(1, sizeof(*c));
	*c = (struct team_check){ .f = f, .tool = tool };
	q.arg = c;
	q.held = &c->held;
	q.serial = ++f->serial;
	team_arguments_put_call(tool, MP_EMPTY_MAP, true, &args);
	q.msg.args = buf_view(&args);
	q.msg.connection = tool->connection;
	q.msg.principal = SPAN("check");
	q.msg.scopes = tool->scopes | tool->policy->scopes;
	if (router_call(f->router, &q, &e, &details) == NULL) {
		tools_end_trial(f->tools, tool);
		free(c);
	}
	buf_fini(&args);
	buf_fini(&details);
}

static void
check_values(struct front *f, const struct tool_entry *tool)
{
	for (size_t i = 0; i < tool->nvalues; i++)
		check_alone(f, &tool->values[i].all);
}

void
team_check_one(struct front *f, const struct tool_entry *tool)
{
	check_alone(f, tool);
	check_values(f, tool);
}

void
team_check_queries(struct front *f)
{
	const struct tool_entry *tool;

	for (size_t i = 0; (tool = tools_team(f->tools, i)) != NULL; i++) {
		if (tool->query.len > 0)
			check_alone(f, tool);
		check_values(f, tool);
	}
}

void
team_check_connection(struct front *f, struct span connection)
{
	const struct tool_entry *tool;

	for (size_t i = 0; (tool = tools_team(f->tools, i)) != NULL; i++)
		if (connection.len == 0 || span_is(tool->connection, connection))
			team_check_one(f, tool);
}
