/* echo_worker.c - the smallest worker: tools that exercise the runtime and nothing else. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "workers/shared/child.h"
#include "workers/shared/runtime.h"
#include "workers/shared/serve.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define ANY	"{\"type\":\"object\"}"
#define SPINS	100u	/* calls of idle() that nothing but a loop without a wait makes in a test */

struct state {
	char		project_dir[4096], how[64];
	struct buf	states;		/* "id=1 id=3 " */
	unsigned	idles;
	size_t		memory_max;
	int		ended;		/* a descriptor that stays readable; -1: none */
};

/* Begin a map in the call's own memory. */
static struct buf
map(size_t n)
{
	struct buf b = { .max = 0 };

	mp_put_map(&b, n);
	return b;
}

static int
answer(struct call *c, struct buf *b)
{
	call_result(c, buf_view(b));
	buf_fini(b);
	return 0;
}

static int
answer_number(struct call *c, const char *name, uint64_t n)
{
	struct buf b = map(1);

	mp_pair_uint(&b, name, n);
	return answer(c, &b);
}

/* Give the arguments back, with what the runtime knows about the call. */
static int
echo(struct call *c, const struct mp_value *args, struct err *err)
{
	struct buf b = map(4);

	(void)err;
	mp_put_cstr(&b, "args");
	buf_span(&b, args->raw);
	mp_pair_str(&b, "principal", call_principal(c));
	mp_pair_str(&b, "connection", c->from->msg.connection);
	mp_pair_uint(&b, "scopes", call_scopes(c));
	return answer(c, &b);
}

/* {chunks, per, size}: that many chunks of rows of one number and one text. */
static int
rows(struct call *c, const struct mp_value *args, struct err *err)
{
	uint64_t chunks = mp_get_uint(args, "chunks", 1), per = mp_get_uint(args, "per", 1);
	size_t size = mp_get_uint(args, "size", 1);
	char *text = arena_alloc(call_arena(c), size + 1);
	struct buf b = { .max = 0 };
	uint64_t n = 0;
	int r = 0;

	if (text == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "no room for a row of %zu bytes", size);
	memset(text, 'x', size);
	for (uint64_t i = 0; i < chunks && r == 0; i++) {
		buf_reset(&b, SIZE_MAX);
		mp_put_array(&b, per);
		for (uint64_t j = 0; j < per; j++) {
			mp_put_array(&b, 2);
			mp_put_uint(&b, n++);
			mp_put_str(&b, span_of(text, size));
		}
		r = call_rows(c, buf_view(&b), err);
	}
	buf_fini(&b);
	if (r == -1)
		return -1;
	b = map(1);
	mp_pair_uint(&b, "rowCount", n);
	call_result_rows(c, SPAN("\x81\xa7headers\x92\xa1n\xa1t"), "rows", buf_view(&b));
	buf_fini(&b);
	return 0;
}

/* {ms}: compute, looking at the channels as a good tool does. */
static int
slow(struct call *c, const struct mp_value *args, struct err *err)
{
	uint64_t until = clock_ns() + mp_get_uint(args, "ms", 0) * CLOCK_MS;

	call_progress(c, 0, "Starting");
	while (clock_ns() < until)
		if (!call_poll(c, err))
			return -1;
	return answer_number(c, "slept", 1);
}

/* {ms}: the same, asleep between. */
static int
nap(struct call *c, const struct mp_value *args, struct err *err)
{
	if (mp_get_uint(args, "quiet", 0) == 0)
		call_progress(c, 0, "Sleeping");
	if (!call_wait(c, -1, false, (unsigned)mp_get_uint(args, "ms", 0), err))
		return -1;
	return answer_number(c, "slept", 1);
}

struct taking {
	uint64_t	rows;
	unsigned	stop_after, progress;
};

static int
take_rows(void *arg, const struct mp_value *chunk, struct err *err)
{
	struct taking *t = arg;

	t->rows += chunk->n;
	if (t->stop_after != 0 && t->rows >= t->stop_after)
		return err_set(err, ERR_RESULT_TOO_LARGE, "enough");
	return 0;
}

static void
take_progress(void *arg, unsigned permille, struct span message)
{
	(void)message;
	((struct taking *)arg)->progress = permille;
}

/* {tool, connection, args, stopAfter}: ask another worker. */
static int
ask(struct call *c, const struct mp_value *args, struct err *err)
{
	struct taking t = { .stop_after = (unsigned)mp_get_uint(args, "stopAfter", 0) };
	struct mp_value sub_args, result;
	struct buf b;
	char tool[65];

	snprintf(tool, sizeof(tool), "%.*s", SPAN_FMT(mp_get_str(args, "tool", SPAN("other"))));
	(void)mp_get(args, "args", &sub_args);
	if (call_sub(c, &(struct call_ask){ .tool = tool, .connection = mp_get_str(args, "connection", SPAN("")),
	    .args = sub_args.class == MP_MAP ? sub_args.raw : SPAN(""), .on_rows = take_rows,
	    .on_progress = take_progress, .arg = &t }, &result, err) == -1)
		return -1;
	b = map(3);
	mp_pair_uint(&b, "rows", t.rows);
	mp_pair_uint(&b, "progress", t.progress);
	mp_put_cstr(&b, "result");
	buf_span(&b, result.raw);
	return answer(c, &b);
}

/* {n, width}: ask that many others, so many at once. */
struct many {
	uint64_t	next, n;
	struct taking	taken;
	struct buf	ends;		/* in the order they ended: its total, or the code of its failure */
	size_t		nends;
	struct buf	sent[16];	/* the arguments of each, {k} */
};

static bool
next_of_many(void *arg, struct call_ask *a)
{
	struct many *m = arg;
	struct buf *args = &m->sent[m->next % 16];

	if (m->next == m->n)
		return false;
	*args = map(1);
	mp_pair_uint(args, "k", m->next++);
	*a = (struct call_ask){ .tool = "t", .connection = SPAN("c"), .args = buf_view(args), .on_rows = take_rows,
		.arg = &m->taken };
	return true;
}

static int
one_of_many(void *arg, const struct call_ask *a, const struct mp_value *result, const struct err *why, struct err *err)
{
	struct many *m = arg;

	(void)a;
	m->nends++;
	mp_put_uint(&m->ends, result != NULL ? mp_get_uint(result, "total", 0) : (unsigned)why->code);
	return result == NULL && why->code == ERR_INTERNAL ? err_set(err, ERR_BUSY, "stopped by one") : 0;
}

static int
ask_many(struct call *c, const struct mp_value *args, struct err *err)
{
	struct many m = { .n = mp_get_uint(args, "n", 1) };
	struct buf b;
	int r = call_sub_many(c, mp_get_uint(args, "width", 1), next_of_many, one_of_many, &m, err);

	if (r == 0) {
		b = map(2);
		mp_pair_uint(&b, "rows", m.taken.rows);
		mp_put_cstr(&b, "ends");
		mp_put_array(&b, m.nends);
		buf_span(&b, buf_view(&m.ends));
		r = answer(c, &b);
	}
	for (size_t i = 0; i < 16; i++)
		buf_fini(&m.sent[i]);
	buf_fini(&m.ends);
	return r;
}

/* In place of a second ask_once, while the first one waits. */
static int
ask_later(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)c, (void)args;
	return err_set(err, ERR_BUSY, "one is being asked already");
}

/* {how}: die. */
static int
crash(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span how = mp_get_str(args, "how", SPAN("abort"));

	(void)c;
	if (span_is_str(how, "abort"))
		abort();
	if (span_is_str(how, "segv"))
		raise(SIGSEGV);
	if (span_is_str(how, "call"))
		(void)syscall(SYS_ptrace, 0, 0, 0, 0);
	return err_set(err, ERR_INTERNAL, "still here");
}

/* {unix}: that moment in local time, asked of libc in the sandbox. */
static int
local(struct call *c, const struct mp_value *args, struct err *err)
{
	time_t t = (time_t)mp_get_uint(args, "unix", 0);
	struct buf b = map(1);
	struct tm *tm = localtime(&t);
	char text[64];

	(void)err;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", tm);
	mp_pair_cstr(&b, "local", text);
	return answer(c, &b);
}

/* {code, message}: fail so, with details. */
static int
fail(struct call *c, const struct mp_value *args, struct err *err)
{
	char code[64];

	snprintf(code, sizeof(code), "%.*s", SPAN_FMT(mp_get_str(args, "code", SPAN("busy"))));
	mp_put_map(call_details(c), 1);
	mp_pair_cstr(call_details(c), "hint", "try again");
	err_set(err, err_from_name(code), "%.*s", SPAN_FMT(mp_get_str(args, "message", SPAN("no"))));
	if (mp_get_bool(args, "badText", false))
		err->message[0] = '\xff';
	return err_detail(err, "only the log sees this");
}

/* Let the front go on elsewhere. */
static int
go_on(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	call_continue(c, "other", SPAN("there"), SPAN("\x81\xa1x\x01"), SPAN("\x81\xa1y\x02"));
	return 0;
}

static int
silent(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)c, (void)args, (void)err;
	return 0;
}

static int
stop(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	serve_stop_after_call(EXIT_RECYCLE, "asked to by a test");
	return answer_number(c, "stopping", 1);
}

/* What happened between the calls. */
static int
seen(struct call *c, const struct mp_value *args, struct err *err)
{
	struct state *s = call_state(c);
	struct buf b = map(1), report = map(2);

	(void)args, (void)err;
	mp_pair_bool(&report, "idles", s->idles > 0);
	mp_pair_bool(&report, "spins", s->idles > SPINS);
	serve_report(buf_view(&report));
	buf_fini(&report);
	mp_pair_str(&b, "states", buf_view(&s->states));
	return answer(c, &b);
}

/* {mb}: allocate in the arena until told no. */
static int
hoard(struct call *c, const struct mp_value *args, struct err *err)
{
	unsigned mib = 0;

	(void)args;
	while (arena_alloc(call_arena(c), 1 << 20) != NULL)
		mib++;
	return err_set(err, ERR_RESULT_TOO_LARGE, "the arena ends at %u MiB", mib);
}

#define TOOL(fn, blocks)								\
	{ .name = #fn, .title = #fn, .description = "for tests", .input_schema = ANY,	\
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .waits = blocks, .run = fn }

/* The product's table knows none of them. */
#define ROW(fn)	{ .name = #fn, .role = IPC_SEARCH, .toolset = POLICY_TOOLSET_RESEARCH, .effect = POLICY_READS }

const struct policy_tool policy_tools[] = {
	ROW(ask_many), ROW(ask_once), ROW(echo), ROW(rows), ROW(slow), ROW(nap), ROW(ask), ROW(crash), ROW(local),
	ROW(fail), ROW(go_on), ROW(silent), ROW(stop), ROW(seen), ROW(hoard),
	/* Whom the runtime lets through. */
	{ .name = "guarded", .role = IPC_SEARCH, .scopes = POLICY_SCOPE_RESEARCH_QUERY, .askers = POLICY_ASKER_MEMORY },
	{ .name = "inner", .role = IPC_SEARCH, .toolset = POLICY_TOOLSET_INNER, .askers = POLICY_ASKER_MEMORY },
	{ .name = "owners", .role = IPC_SEARCH, .toolset = POLICY_TOOLSET_LOCAL, .scopes = POLICY_SCOPE_LOCAL },
	{ .name = "foreign", .role = IPC_MEMORY },
};
const size_t policy_ntools = sizeof(policy_tools) / sizeof(policy_tools[0]);

static const struct tool tools[] = {
	{ .name = "guarded", .title = "guarded", .description = "for tests", .input_schema = ANY,
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = echo },
	{ .name = "inner", .title = "inner", .description = "for tests", .input_schema = ANY,
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = echo },
	{ .name = "owners", .title = "owners", .description = "for tests", .input_schema = ANY,
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = echo },
	{ .name = "foreign", .title = "foreign", .description = "for tests", .input_schema = ANY,
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = echo },
	{ .name = "ask_many", .title = "ask_many", .description = "for tests", .input_schema = ANY,
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .waits = true, .run = ask_many },
	{ .name = "ask_once", .title = "ask_once", .description = "for tests", .input_schema = ANY,
	  .hints = TOOL_READ_ONLY, .budget_ms = 30000, .waits = true, .run = ask, .meanwhile = ask_later },
	TOOL(echo, false), TOOL(rows, false), TOOL(slow, false), TOOL(nap, false), TOOL(ask, true),
	TOOL(crash, false), TOOL(local, false), TOOL(fail, false), TOOL(go_on, false),
	TOOL(silent, false), TOOL(stop, false), TOOL(seen, false), TOOL(hoard, false),
	{ .name = NULL },
};

static struct role role;

/* wiki_user says how the start goes wrong, that calls are served side by side, or that a connection has ended. */
static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max,
    bool *best_effort, struct err *err)
{
	const struct ipc_configure_search *m = msg;
	struct state *s = calloc(1, sizeof(*s));

	if (s == NULL)
		abort();
	*state = s;
	snprintf(s->project_dir, sizeof(s->project_dir), "%.*s", SPAN_FMT(m->project_dir));
	snprintf(s->how, sizeof(s->how), "%.*s", SPAN_FMT(m->wiki_user));
	s->ended = strcmp(s->how, "ended") == 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	*places = (struct confine_places){ .project_dir = s->project_dir };
	*memory_max = s->memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	role.at_once = strcmp(s->how, "side by side") == 0 ? 4 : 0;
	if (strcmp(s->how, "bad-config") == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the configuration is bad on purpose");
	return 0;
}

/* Takes more memory than the process may have. */
static int
connect_role(void *state, struct err *err)
{
	const struct state *s = state;
	void *large = strcmp(s->how, "greedy") == 0 ? malloc(s->memory_max) : NULL;

	if (strcmp(s->how, "greedy") == 0)
		err_set(err, ERR_DATABASE_UNAVAILABLE, "memory %s", large == NULL ? "ends" : "does not end");
	free(large);
	return strcmp(s->how, "greedy") == 0 ? -1 : 0;
}

static int
open_role(void *state, struct err *err)
{
	const struct state *s = state;

	if (strcmp(s->how, "bad-open") == 0)
		return err_set(err, ERR_INTERNAL, "opening fails on purpose");
	if (strcmp(s->how, "unavailable") == 0)
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "nothing there on purpose");
	return 0;
}

static void
idle(void *state)
{
	((struct state *)state)->idles++;
}

/* It is noticed at the first call of idle(). */
static int
watch(void *state)
{
	const struct state *s = state;

	return s->idles == 0 ? s->ended : -1;
}

static void
connection_state(void *state, const struct ipc_connection_state *msg)
{
	buf_printf(&((struct state *)state)->states, "%.*s=%u ", SPAN_FMT(msg->connection), (unsigned)msg->state);
}

static void
close_role(void *state)
{
	struct state *s = state;

	buf_fini(&s->states);
	free(s);
}

static struct role role = {
	.binary = "carrel-echo", .role = IPC_SEARCH,
	.tools = tools,
	.configure = IPC_MSG_CONFIGURE_SEARCH, .configure_size = sizeof(struct ipc_configure_search),
	.local_key = offsetof(struct ipc_configure_search, local_key),
	.configure_with = configure_with, .connect = connect_role, .open = open_role, .idle = idle, .watch = watch,
	.connection_state = connection_state, .close = close_role,
};

int
main(void)
{
	return child_main(&role);
}
