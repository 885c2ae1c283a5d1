#include "workers/auth/handovers.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/utf8.h"
#include "policy/proof.h"
#include "policy/scopes.h"
#include "policy/tools.h"
#include "workers/auth/admin.h"
#include "workers/auth/change.h"
#include "workers/auth/handover_form.h"
#include "workers/auth/nodes.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/store/store_handover.h"
#include "workers/auth/store/store_node.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/call.h"

#define OLD_MS		UINT64_C(86400000)	/* by this node's clock; older ones are not begun */
#define PATIENCE_MS	UINT64_C(60000)		/* at most */
#define USER		"page:user:"

static void
answer_state(struct call *c, const char *state, struct span node)
{
	struct buf out = { 0 };

	mp_put_pairs(&out, mp_cstr("state", state), mp_some("node", node));
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

/* The bytes of a member that has them as hexadecimal digits; the number of bytes. */
static size_t
read_hex(const struct mp_value *map, const char *key, uint8_t *out, size_t cap)
{
	struct span hex = mp_get_str(map, key, SPAN(""));
	size_t len = 0;

	return sodium_hex2bin(out, cap, (const char *)hex.p, hex.len, NULL, &len, NULL) == 0 ? len : 0;
}

static struct proof_call
call_of(const struct mp_value *map, struct mp_value *args)
{
	if (!mp_get(map, "args", args) || args->class != MP_MAP)
		(void)mp_value(MP_EMPTY_MAP, args);
	return (struct proof_call){ mp_get_str(map, "tool", SPAN("")), mp_get_str(map, "connection", SPAN("")),
		args->raw };
}

/* Whether the project's owner, or an administrator on the page, asked this node for it. */
static bool
is_proved(struct auth *a, const struct mp_value *args)
{
	uint8_t proof[PROOF_SIZE];
	struct mp_value of;
	struct proof_call what = call_of(args, &of);
	const struct policy_tool *tool = policy_tool(what.tool);
	size_t len = read_hex(args, "proof", proof, sizeof(proof));

	return tool != NULL && policy_tool_handed_over(tool) &&
	    admin_accepts(a->admin, tool, &what, span_of(proof, len));
}

static int
give_handover(struct call *c, struct auth *a, const struct mp_value *args, struct err *err)
{
	uint64_t patience = mp_get_uint(args, "patienceMs", 0);
	struct buf sealed = { 0 }, out = { 0 };
	char id[STORE_HANDOVER_ID + 1];
	uint8_t drawn[STORE_HANDOVER_ID / 2];
	struct mp_value of;
	struct proof_call what = call_of(args, &of);
	int given;

	if (!is_proved(a, args))
		return err_set(err, ERR_SCOPE_DENIED, "%s", err_text(ERR_SCOPE_DENIED));
	randombytes_buf(drawn, sizeof(drawn));
	sodium_bin2hex(id, sizeof(id), drawn, sizeof(drawn));
	handover_form_put_asked(a->conf.seal_key, span_str(id), &(struct handover_asked){
	    .at_unix_ms = clock_unix_ms(), .node = span_str(a->conf.node), .principal = call_principal(c),
	    .tool = what.tool, .connection = what.connection, .ticket = mp_get_str(args, "ticket", SPAN("")),
	    .args = what.args }, &sealed);
	given =
	    store_handover_give(a->store, id, patience < PATIENCE_MS ? patience : PATIENCE_MS, buf_view(&sealed), err);
	if (given == 0)
		err_set(err, ERR_BUSY, "%u other things wait for the node that writes this project; try again",
		    STORE_HANDOVERS);
	if (given == 1) {
		mp_put_pairs(&out, mp_cstr("state", "given"), mp_cstr("id", id));
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	buf_fini(&sealed);
	return given == 1 ? 0 : -1;
}

struct handover_found {
	struct auth	*a;
	struct store_handover of;	/* without its spans */
	char		 node[STORE_NODE + 1];
	struct handover_answered answer;	/* of plain */
	struct buf	 plain;
	bool		 opened;
};

/* What became of it, from a node that has the key. */
static void
take_found(void *arg, const struct store_handover *h)
{
	struct handover_found *f = arg;

	f->of = (struct store_handover){ .state = h->state, .late = h->late, .gone = h->gone };
	snprintf(f->node, sizeof(f->node), "%.*s", SPAN_FMT(h->writer));
	f->opened = h->state == STORE_HANDOVER_ENDED &&
	    handover_form_read_answered(f->a->conf.seal_key, h->id, h->sealed, &f->plain, &f->answer);
}

static void
answer_ended(struct call *c, const struct handover_found *f)
{
	const struct handover_answered *h = &f->answer;
	struct span node = h->node.len > 0 ? h->node : span_str(f->node);
	struct buf out = { 0 };
	size_t map = mp_open_pairs(&out, mp_cstr("state", "ended"), mp_str("node", node));

	if (h->result.len > 0)
		mp_pair_raw(&out, "result", h->result);
	else {
		mp_pair_str(&out, "code", h->code);
		mp_pair_str(&out, "message", h->message);
	}
	mp_end(&out, map);
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

static int
look_handover(struct call *c, struct auth *a, struct span id, struct err *err)
{
	struct handover_found f = { .a = a };
	bool writes = nodes_may_write(a), waits;
	int found = store_handover_look(a->store, id, take_found, &f, err), back = 0;

	waits = found == 1 && f.of.state == STORE_HANDOVER_WAITS;
	/* Also what has ended is not kept for longer than it takes to answer. */
	if (found == 1 && (f.of.state == STORE_HANDOVER_ENDED || (waits && (writes || f.of.late))))
		back = store_handover_take_back(a->store, id, err);
	if (found < 0 || back < 0) {
		buf_wipe(&f.plain);
		return -1;
	}
	if (f.opened)
		answer_ended(c, &f);
	else if (found == 0 || f.of.state == STORE_HANDOVER_ENDED)
		answer_state(c, "lost", SPAN(""));
	else if (waits)
		answer_state(c, back == 0 ? "waits" : writes ? "here" : "late", SPAN(""));
	else
		answer_state(c, f.of.gone ? "gone" : writes ? "moved" : "waits", span_str(f.node));
	buf_wipe(&f.plain);
	return 0;
}

int
handovers_ask_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct span id = mp_get_str(args, "id", SPAN(""));
	struct store_writer w = store_writer(a->store);

	if (!store_is_shared(a->store) || (id.len == 0 && nodes_may_write(a))) {
		answer_state(c, "here", SPAN(""));
		return 0;
	}
	if (id.len > 0)
		return look_handover(c, a, id, err);
	if (w.own && !w.drained) {
		answer_state(c, "wait", SPAN(""));
		return 0;
	}
	return give_handover(c, a, args, err);
}

/* Whether the principal may still do what an administrator may: the owner of any node, or a user who is one now. */
static int
check_principal(struct auth *a, struct span principal, struct err *err)
{
	struct store_user u;
	struct span name = span_of(principal.p + strlen(USER), principal.len - strlen(USER));
	int found;

	if (span_begins(principal, "cli:") || span_begins(principal, "page:local:"))
		return 0;
	if (!span_begins(principal, USER))
		return err_set(err, ERR_SCOPE_DENIED, "%s", err_text(ERR_SCOPE_DENIED));
	if ((found = store_user(a->store, name, &u, err)) < 0)
		return -1;
	if (found == 1 && !u.disabled && (oauth_user_scopes(a, &u) & POLICY_SCOPE_CONNECTIVITY_ADMIN) != 0)
		return 0;
	return err_set(err, ERR_SCOPE_DENIED, "%.*s is no administrator any more", SPAN_FMT(name));
}

/* What was taken, with its texts in plain. */
struct handover_taken {
	struct auth	*a;
	char		 id[STORE_HANDOVER_ID + 1], node[STORE_NODE + 1];
	bool		 again, read;
	struct buf	 plain;
	struct handover_asked asked;	/* of plain */
};

static void
take_next(void *arg, const struct store_handover *h)
{
	struct handover_taken *t = arg;
	struct span node;

	snprintf(t->id, sizeof(t->id), "%.*s", SPAN_FMT(h->id));
	t->again = h->again;
	t->read = handover_form_read_asked(t->a->conf.seal_key, h->id, h->sealed, &t->plain, &t->asked);
	node = t->read && t->asked.node.len > 0 ? t->asked.node : h->node;
	snprintf(t->node, sizeof(t->node), "%.*s", SPAN_FMT(node));
}

/*
 * The act, on record before it is begun: "memory_approve mem-…, asked on south".  Also where the store says that this
 * node has begun it before: the store can say that of any.
 */
static int
record_begin(struct auth *a, const struct handover_taken *t, const struct proof_call *what, struct err *err)
{
	struct mp_value args;
	struct span of;
	char target[256];

	(void)mp_value(what->args, &args);
	of = mp_get_str(&args, "runId", mp_get_str(&args, "connectionId", SPAN("")));
	snprintf(target, sizeof(target), "%.*s %.*s, asked on %s%s", SPAN_FMT(what->tool), (int)utf8_prefix(of, 96),
	    (const char *)of.p, t->node, t->again ? ", taken up again" : "");
	if (store_begin(a->store, err) != 0)
		return -1;
	return change_end(a, change_record_for(a, t->asked.principal, AUDIT_ACTION_NODE_HANDOVER, target, err), err);
}

/* Whether it may be begun here; *what is the call. */
static int
check_taken(struct auth *a, const struct handover_taken *t, struct proof_call *what, struct err *err)
{
	uint64_t at = t->asked.at_unix_ms, now = clock_unix_ms();
	const struct policy_tool *tool;

	if (!t->read)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "what was asked cannot be read in the state store");
	*what = (struct proof_call){ t->asked.tool, t->asked.connection, t->asked.args };
	tool = policy_tool(what->tool);
	if (tool == NULL || !policy_tool_handed_over(tool))
		return err_set(err, ERR_SCOPE_DENIED, "this node does not do that for another one");
	if ((now > at ? now - at : at - now) > OLD_MS)
		return err_set(err, ERR_BUSY, "this was asked more than a day ago, by this node's clock");
	if (check_principal(a, t->asked.principal, err) != 0)
		return -1;
	return tool->effect == POLICY_WRITES ? record_begin(a, t, what, err) : 0;
}

static int
end_with(struct auth *a, struct span id, const struct mp_value *result, const char *code, struct span message,
    struct err *err)
{
	struct handover_answered h = { .node = span_str(a->conf.node), .message = message };
	struct buf sealed = { 0 };
	int ended;

	if (result != NULL)
		h.result = result->raw;
	else
		h.code = span_str(code);
	handover_form_put_answered(a->conf.seal_key, id, &h, &sealed);
	ended = store_handover_end(a->store, id, buf_view(&sealed), err);
	buf_fini(&sealed);
	return ended < 0 ? -1 : 0;
}

static void
answer_taken(struct call *c, struct auth *a, const struct handover_taken *t, const struct proof_call *what)
{
	uint8_t proof[PROOF_SIZE] = { 0 };
	char hex[2 * PROOF_SIZE + 1];
	struct buf out = { 0 };
	size_t map;

	(void)admin_makes(a->admin, policy_tool(what->tool), what, proof);
	sodium_bin2hex(hex, sizeof(hex), proof, sizeof(proof));
	map = mp_open_pairs(&out, mp_cstr("id", t->id), mp_str("tool", what->tool),
	    mp_str("connection", what->connection), mp_cstr("proof", hex), mp_str("ticket", t->asked.ticket),
	    mp_bool("again", t->again), mp_bool("may", nodes_may_write(a)));
	mp_pair_raw(&out, "args", what->args);
	mp_end(&out, map);
	call_result(c, buf_view(&out));
	buf_wipe(&out);
	sodium_memzero(proof, sizeof(proof));
}

static int
step_next(struct call *c, struct auth *a, struct err *err)
{
	struct handover_taken t = { .a = a };
	struct proof_call what = { SPAN(""), SPAN(""), MP_EMPTY_MAP };
	struct err why = { .code = ERR_NONE };
	struct buf out = { 0 };
	int found = store_handovers_open(a->store) == 0 ?
	    0 :
	    store_handover_next(a->store, nodes_may_write(a), take_next, &t, err);

	if (found == 1 && check_taken(a, &t, &what, &why) == 0)
		answer_taken(c, a, &t, &what);
	else if (found == 0) {
		call_result(c, MP_EMPTY_MAP);
	} else if (found == 1) {
		log_warn("what was asked on %s is not done here: %s", t.node, why.message);
		found = end_with(a, span_str(t.id), NULL, err_name(why.code), span_str(why.message), err);
		mp_put_pairs(&out, mp_bool("more", true));
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	buf_wipe(&t.plain);
	return found < 0 ? -1 : 0;
}

int
handovers_step_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct span id = mp_get_str(args, "id", SPAN(""));
	struct mp_value result;
	char code[64];
	int ended;

	if (!store_is_shared(a->store))
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "no store that nodes share is configured");
	if (id.len == 0)
		return step_next(c, a, err);
	snprintf(code, sizeof(code), "%.*s", SPAN_FMT(mp_get_str(args, "code", SPAN(""))));
	ended = mp_get(args, "result", &result) ?
	    end_with(a, id, &result, NULL, SPAN(""), err) :
	    end_with(a, id, NULL, code, mp_get_str(args, "message", SPAN("")), err);
	if (ended == 0)
		call_result(c, MP_EMPTY_MAP);
	return ended;
}
