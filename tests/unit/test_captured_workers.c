// libs: carrel_front_rig
/*
 * test_captured_workers.c - a worker that was taken over sends all of captured.h to the real front: for no call, in the
 * place of the answer to a call, and under the id of another worker's call.  What the row or the conversation does not
 * let it say ends that one channel, with a complaint that names it; the client is answered by another worker or told
 * that this one was lost, never twice and never with what was said by a worker that was not asked.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "tests/unit/captured.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"
#include "ipc/control.h"

static struct rig *r;
static struct channel captured;
static enum ipc_role role;
static unsigned sent;

static void
attach(void)
{
	int other = peer_channel(&captured, role, IPC_FRONT, 0);
	struct ipc_attach m = { .kind = IPC_ATTACH_DATA, .role = role, .generation = ++r->generation,
		.connection = role == IPC_SQL ? SPAN("warehouse") : SPAN("") };

	captured.generation = m.generation;
	assert_int_equal(control_send(r->control, IPC_MSG_ATTACH, &m, other), 0);
	close(other);
	rig_sync(r);
}

/* The front's answers are read until it cuts the channel, with a complaint about this one. */
static void
await_cut(const char *what)
{
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;
	unsigned before = r->complaints;
	enum channel_status status;
	struct ipc_frame f;

	while ((status = peer_hear(&captured, &f, 0)) != CHANNEL_CLOSED) {
		if (status == CHANNEL_BROKEN || clock_ns() > until)
			fail_msg("the front listens to %s of %s", what, ipc_role_name(role));
		rig_pump(r, 1);
	}
	while (r->complaints == before && clock_ns() < until)
		rig_pump(r, 1);
	if (r->complaints != before + 1 || r->complained != captured.generation)
		fail_msg("the front does not complain of %s of %s", what, ipc_role_name(role));
	channel_fini(&captured);
}

/* may: the channel may stay open.  Then a frame that is no message ends it: either way there is one complaint. */
static void
try_frame(unsigned type, unsigned flags, uint64_t id, struct span body, size_t promised, bool may, const char *what)
{
	attach();
	captured_write(&captured, type, flags, id, body, promised);
	if (may)
		captured_write(&captured, 0, 0, 0, body, body.len);
	sent++;
	await_cut(what);
}

static void
try_all(void)
{
	struct buf body = { 0 };
	char what[64];

	for (size_t i = 0; i < ipc_schema_count(); i++)
		for (enum form form = 0; form < FORMS; form++) {
			const struct ipc_schema *s = ipc_schema_at(i);
			bool may = form_is_good(form) && (s->from & role) != 0 && (s->to & IPC_FRONT) != 0;

			if (!captured_body(s, form, &body))
				continue;
			for (size_t k = 0; k < (form_is_good(form) ? CAPTURED_IDS : 1); k++) {
				snprintf(what, sizeof(what), "%s, form %d, id %zu", s->name, (int)form, k);
				try_frame(s->type, 0, captured_ids[k], buf_view(&body), body.len, may, what);
			}
		}
	for (size_t i = 0; i < CAPTURED_HEADS; i++)
		try_frame(captured_heads[i].type, captured_heads[i].flags, 7, SPAN("\x90"), captured_heads[i].promised,
		    false, "no message");
	print_message("%s: %u frames\n", ipc_role_name(role), sent);
	sent = 0;
	buf_fini(&body);
}

static void
send_sql(int fd, const char *sql)
{
	char body[512];

	snprintf(body, sizeof(body),
	    RPC("1", "tools/call",
		META ",\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"%s\"}"),
	    sql);
	rig_send_post(fd, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n",
	    body);
}

/* Nobody asked: every role that has a channel with fronts. */
static void
unasked_words_cost_their_speaker(void **state)
{
	static const enum ipc_role roles[] = { IPC_SQL, IPC_SEARCH, IPC_MEMORY, IPC_AGENT, IPC_AUTH };
	struct reply a;
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL, .oauth = true });
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		role = roles[i];
		try_all();
	}
	auth_start(r);
	rig_worker(r, IPC_SQL, "warehouse");
	fd = rig_connect(r);
	send_sql(fd, "one");
	a = rig_read(fd);
	assert_holds(a.body, "\"rowCount\":1");
	close(fd);
	rig_stop(r);
}

/* The id of the call that the captured worker was sent. */
static uint64_t
await_call(void)
{
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;
	struct ipc_frame f;

	while (clock_ns() < until) {
		rig_pump(r, 1);
		if (peer_hear(&captured, &f, 1) == CHANNEL_FRAME && f.type == IPC_MSG_CALL)
			return f.id;
	}
	fail_msg("no call came");
	return 0;
}

/*
 * Whether a well-formed body has the maps and arrays that messages.def asks for: no value of FORM_NILS is one, the
 * forms with maps everywhere lack ROWS' and RESULT's arrays, FORM_ARRAYS lacks the maps.
 */
static bool
is_shaped(const struct ipc_schema *s, enum form form)
{
	switch (s->type) {
	case IPC_MSG_ROWS:
		return form == FORM_ARRAYS;
	case IPC_MSG_RESULT:
		return false;
	case IPC_MSG_FAIL:
	case IPC_MSG_CONTINUE:
	case IPC_MSG_ASK:
		return form < FORM_ARRAYS;
	default:
		return form <= FORM_NILS;
	}
}

/* One call each, which the captured worker answers so: what is no answer is not passed on, the call is made again. */
static void
answers_that_are_none_are_not_passed_on(void **state)
{
	struct buf body = { 0 };
	unsigned calls = 0, again = 0;
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = rig_connect(r);
	role = IPC_SQL;
	for (size_t i = 0; i < ipc_schema_count(); i++)
		for (enum form form = 0; form < FORMS; form++) {
			const struct ipc_schema *s = ipc_schema_at(i);
			uint64_t id;
			bool may = (s->from & role) != 0 && (s->to & IPC_FRONT) != 0, shaped = is_shaped(s, form);
			struct reply a;

			/* All forms of what this role may say at all; of the rest the first. */
			if (!captured_body(s, form, &body) || (!may && form > FORM_LEAST))
				continue;
			attach();
			rig_state(r, "warehouse", IPC_POOL_READY, "");
			send_sql(fd, "one");
			id = await_call();
			captured_write(&captured, s->type, 0, id, buf_view(&body), body.len);
			/* Its channel ends, and the call is made again with an honest worker. */
			if (!may || !shaped)
				await_cut(s->name);
			else
				channel_fini(&captured);
			rig_sync(r);
			rig_worker(r, IPC_SQL, "warehouse");
			a = rig_read(fd);
			if (strstr(a.body, "\"rowCount\":1") != NULL)
				again++;
			else if (!may || !shaped)
				fail_msg("after %s, form %d: %s", s->name, (int)form, a.body);
			kill(r->workers[0].pid, SIGKILL);
			assert_true(rig_worker_ended(r, 0));
			rig_detach(r, 0, IPC_DETACH_OUTSIDE);
			r->nworkers = 0;
			calls++;
		}
	print_message("%u calls, %u of them made again\n", calls, again);
	close(fd);
	rig_stop(r);
	buf_fini(&body);
}

/* A call is answered by the worker that it was sent to. */
static void
others_calls_are_not_answered(void **state)
{
	static const struct ipc_result lie = { .head = SPAN("\x81\xa4said\xa3lie"), .tail = MP_EMPTY_MAP,
		.content = SPAN("\x90") };
	static const struct ipc_fail failure = {
		.code = ERR_INTERNAL, .message = SPAN("a lie"), .details = MP_EMPTY_MAP
	};
	static const struct ipc_subcall sub = { .parent = 1, .tool = SPAN("introspect"),
		.connection = SPAN("warehouse"),
		.deadline_ns = UINT64_MAX, .args = MP_EMPTY_MAP };
	static const struct {
		enum ipc_role role;
		unsigned type;
		const void *msg;
	} rows[] = { { IPC_SQL, IPC_MSG_RESULT, &lie }, { IPC_SQL, IPC_MSG_FAIL, &failure },
		{ IPC_SEARCH, IPC_MSG_RESULT, &lie }, { IPC_MEMORY, IPC_MSG_FAIL, &failure },
		{ IPC_AGENT, IPC_MSG_RESULT, &lie }, { IPC_AUTH, IPC_MSG_RESULT, &lie },
		{ IPC_AGENT, IPC_MSG_SUBCALL, &sub }, { IPC_MEMORY, IPC_MSG_SUBCALL, &sub } };
	struct ipc_frame f;
	struct reply a;
	int fd;

	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_worker(r, IPC_SQL, "warehouse");
	fd = rig_connect(r);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake_shared->let = fake_shared->begun = 0;
		send_sql(fd, "wait");
		rig_until(r, &fake_shared->begun, 1);
		role = rows[i].role;
		/* The front numbers calls from one on: all ids that it can have given. */
		for (uint64_t id = 1; id < 32; id++) {
			uint64_t used = rows[i].type == IPC_MSG_SUBCALL ? IPC_SUB | id : id;

			attach();
			assert_int_equal(peer_say(&captured, rows[i].type, used, rows[i].msg), 0);
			if (used != id) { /* a sub-call for a call that is not its own */
				assert_int_equal(peer_hear(&captured, &f, RIG_PATIENCE_MS), CHANNEL_FRAME);
				assert_int_equal(f.type, IPC_MSG_FAIL);
				captured_write(&captured, 0, 0, 0, f.body, f.body.len);
			}
			await_cut(ipc_type_name(rows[i].type));
		}
		fake_shared->let = 1;
		a = rig_read(fd);
		assert_holds(a.body, "\"rowCount\":1");
		assert_lacks(a.body, "lie");
	}
	close(fd);
	rig_stop(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unasked_words_cost_their_speaker),
		cmocka_unit_test(answers_that_are_none_are_not_passed_on),
		cmocka_unit_test(others_calls_are_not_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
