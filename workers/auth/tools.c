#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/text/parameter_types.h"
#include "policy/scopes.h"
#include "workers/auth/admin.h"
#include "workers/auth/claims.h"
#include "workers/auth/audit/audit_nodes_tools.h"
#include "workers/auth/audit/audit_tools.h"
#include "workers/auth/files/files_tools.h"
#include "workers/auth/handovers.h"
#include "workers/auth/nodes.h"
#include "workers/auth/nodes_tools.h"
#include "workers/auth/notes.h"
#include "workers/auth/oauth/accounts.h"
#include "workers/auth/oauth/clients.h"
#include "workers/auth/tokens/concierge.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tools.h"
#include "workers/auth/tools_text.h"
#include "workers/auth/datasets_tools.h"
#include "workers/auth/preferences_tools.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/store/store_token.h"
#include "workers/shared/call.h"

#define TOKEN_GOOD_S		(UINT64_C(90) * 24 * 3600)	/* how long a token is good for when nothing is said */
#define ENDED_LONG_AGO_MS	(UINT64_C(30) * 24 * 3600 * 1000)	/* token_list omits older ones */

/* A label is shown in tables and logs: one line of text. */
int
auth_read_label(const struct mp_value *args, struct store_token *t, struct err *err)
{
	struct span label = mp_get_str(args, "label", SPAN(""));

	if (label.len == 0 || label.len > STORE_LABEL_MAX || label.p[0] == ' ' || label.p[label.len - 1] == ' ')
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "a label is a line of 1 to %d bytes, without blanks around it", STORE_LABEL_MAX);
	for (size_t i = 0; i < label.len; i++)
		if (label.p[i] < ' ' || label.p[i] == 0x7f)
			return err_set(err, ERR_INVALID_ARGUMENTS, "a label holds no control characters");
	memcpy(t->label, label.p, label.len);
	t->label[label.len] = '\0';
	return 0;
}

/* tools:NAME, of a tool that the configuration may have or come to have. */
static bool
take_tool(struct store_token *t, struct span scope)
{
	struct policy_named named;
	bool taken;

	memcpy(named.text, t->tools, sizeof(named.text));
	taken = span_begins(scope, POLICY_TOOL_SCOPE) &&
	    policy_named_add(&named,
		span_of(scope.p + strlen(POLICY_TOOL_SCOPE), scope.len - strlen(POLICY_TOOL_SCOPE)));
	memcpy(t->tools, named.text, sizeof(t->tools));
	return taken;
}

static int
read_scopes(const struct mp_value *args, struct store_token *t, struct err *err)
{
	struct mp_value list, item;
	struct mp_iter it;

	t->scopes = POLICY_SCOPES_EXT;
	if (!mp_get(args, "scopes", &list) || list.class == MP_NIL)
		return 0;
	t->scopes = 0;
	for (it = mp_iter(&list); mp_next(&it, &item);) {
		struct span text = item.class == MP_STR ? item.s : SPAN("");
		uint32_t scope = policy_scope_named(text) & POLICY_SCOPES_TOKEN;
		struct buf all = { 0 };

		t->scopes |= scope;
		if (scope != 0 || take_tool(t, text))
			continue;
		policy_scopes_text(POLICY_SCOPES_TOKEN, &all);
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "\"%.*s\" is no scope of a token; there are %s, and " POLICY_TOOL_SCOPE "NAME of a tool",
		    (int)(text.len < 64 ? text.len : 64), (const char *)text.p, buf_cstr(&all));
		buf_fini(&all);
		return -1;
	}
	return t->scopes != 0 || t->tools[0] != '\0' ?
	    0 :
	    err_set(err, ERR_INVALID_ARGUMENTS, "a token without a scope is good for nothing");
}

int
auth_read_grant(struct auth *a, const struct mp_value *args, struct store_token *t, struct err *err)
{
	uint64_t seconds = mp_get_uint(args, "expires_s", TOKEN_GOOD_S);

	t->expires_ms = seconds == 0 ? 0 : store_now_ms(a->store) + seconds * 1000;
	return read_scopes(args, t, err);
}

static int
find_token(struct auth *a, const struct mp_value *args, struct store_token *t, struct err *err)
{
	return tokens_find(a, mp_get_str(args, "id", SPAN("")), t, err);
}

/* Answer with the secret, and wipe all copies. */
static void
answer_and_wipe(struct call *c, struct buf *out, char text[TOKEN_TEXT])
{
	call_result(c, buf_view(out));
	buf_wipe(out);
	sodium_memzero(text, TOKEN_TEXT);
}

static int
create_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_token t = { .has_secret = false };
	bool reveal = mp_get_bool(args, "reveal", true);
	char text[TOKEN_TEXT];
	struct buf out = { 0 }, claims = { 0 };
	int result = -1;

	if (auth_read_label(args, &t, err) == 0 && auth_read_grant(a, args, &t, err) == 0 &&
	    claims_read(args, &claims, &t.claims, err) >= 0)
		result = tokens_create(a, c, &t, reveal, text, err);
	buf_fini(&claims);
	if (result != 0)
		return -1;
	mp_put_map(&out, reveal ? 2 : 1);
	mp_put_cstr(&out, "token");
	token_put(a, &t, store_now_ms(a->store), &out);
	if (reveal)
		mp_pair_cstr(&out, "secret", text);
	answer_and_wipe(c, &out, text);
	return 0;
}

static int
reveal_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_token t;
	char text[TOKEN_TEXT];
	struct buf out = { 0 };

	if (find_token(a, args, &t, err) != 0 || tokens_reveal(a, c, &t, text, err) != 0)
		return -1;
	mp_put_pairs(&out, mp_cstr("id", t.id), mp_cstr("secret", text));
	answer_and_wipe(c, &out, text);
	return 0;
}

static int
revoke_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct store_token t;

	return find_token(call_state(c), args, &t, err) != 0 ? -1 : auth_revoke_and_tell(c, &t, err);
}

int
auth_revoke_and_tell(struct call *c, struct store_token *t, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf out = { 0 };
	char principal[32];

	if (tokens_revoke(a, c, t, err) != 0)
		return -1;
	snprintf(principal, sizeof(principal), "token:%s", t->id);
	fronts_end_and_wait(&a->fronts, c, principal, IPC_VERDICT_REVOKED);
	nodes_wait(c);
	mp_put_map(&out, 4);
	mp_pair_bool(&out, "revoked", true);
	mp_pair_cstr(&out, "id", t->id);
	mp_pair_cstr(&out, "label", t->label);
	connectivity_put_ended(&a->fronts.total, 0, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

struct token_listing {
	const struct auth	*a;
	uint64_t		 now_ms;
	bool			 all;
	struct buf		*out;
	size_t			 n, active;
};

static bool
list_one(void *arg, const struct store_token *t)
{
	struct token_listing *l = arg;
	enum token_state state = token_state(t, l->now_ms);
	uint64_t ended = state == TOKEN_REVOKED ? t->revoked_ms :
	    state == TOKEN_EXPIRED ? (t->expires_ms != 0 ? t->expires_ms : t->created_ms + TOKEN_LAPSE_MS) :
				     l->now_ms;

	l->active += state == TOKEN_ACTIVE;
	if (!l->all && ended + ENDED_LONG_AGO_MS < l->now_ms)
		return true;
	token_put(l->a, t, l->now_ms, l->out);
	l->n++;
	return true;
}

static int
list_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf out = { 0 };
	struct token_listing l = {
		.a = a, .now_ms = store_now_ms(a->store), .all = mp_get_bool(args, "all", false), .out = &out
	};
	size_t mark;
	int result;

	mp_put_map(&out, 3);
	mark = mp_pair_open_array(&out, "tokens");
	if ((result = store_tokens(a->store, list_one, &l, err)) == 0) {
		mp_close(&out, mark, l.n);
		mp_pair_uint(&out, "active", l.active);
		mp_pair_uint(&out, "max", a->conf.max_tokens);
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	return result;
}

const struct tool auth_tools[] = {
	{ TOOL_token_create .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = create_run },
	{ TOOL_token_list .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = list_run },
	{ TOOL_token_reveal .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = reveal_run },
	{ TOOL_token_revoke .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = revoke_run },
	{ TOOL_connectivity_set .hints = TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = connectivity_set },
	{ TOOL_connectivity_state .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = connectivity_state },
	{ TOOL_connectivity_guide .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = concierge_guide },
	{ TOOL_connectivity_check .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = concierge_check },
	{ TOOL_connectivity_status .hints = TOOL_READ_ONLY | TOOL_IDEMPOTENT, .budget_ms = 10000, .run = concierge_status },
	{ TOOL_connectivity_enable .hints = TOOL_IDEMPOTENT, .budget_ms = 30000, .run = concierge_enable },
	{ TOOL_connectivity_disable .hints = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = concierge_disable },
	{ TOOL_connectivity_create_token .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = concierge_create },
	{ TOOL_connectivity_revoke_token .hints = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = concierge_revoke },
	{ TOOL_connectivity_generate_setup .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = concierge_setup },
	{ TOOL_connectivity_test .hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = concierge_test },
	{ TOOL_audit_page .hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = run_audit_page },
	{ TOOL_audit_find .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = run_audit_find },
	{ TOOL_audit_state .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = run_audit_state },
	{ TOOL_audit_nodes .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = run_audit_nodes },
	{ TOOL_user_add .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = user_add_run },
	{ TOOL_user_list .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = user_list_run },
	{ TOOL_user_set .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = user_set_run },
	{ TOOL_user_remove .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = user_remove_run },
	{ TOOL_client_add .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = client_add_run },
	{ TOOL_client_list .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = client_list_run },
	{ TOOL_client_remove .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = client_remove_run },
	{ TOOL_client_grants .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = client_grants_run },
	{ TOOL_client_revoke .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = client_revoke_run },
	{ TOOL_key_list .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = key_list_run },
	{ TOOL_key_rotate .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = key_rotate_run },
	{ TOOL_cluster_status .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = nodes_status },
	{ TOOL_cluster_drain .hints = TOOL_IDEMPOTENT, .budget_ms = 10000, .run = nodes_drain },
	{ TOOL_cluster_release .hints = TOOL_DESTRUCTIVE, .budget_ms = 10000, .run = nodes_release },
	{ TOOL_cluster_accept_loss .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .run = nodes_accept_loss },
	{ TOOL_setup_link .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = setup_link_run },
	{ TOOL_admin_link .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = admin_link_run },
	{ TOOL_preferences .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = preferences_run },
	{ TOOL_preferences_get .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = preferences_get_run },
	{ TOOL_preferences_set .hints = TOOL_IDEMPOTENT, .budget_ms = 10000, .run = preferences_set_run },
	{ TOOL_note_offer .hints = TOOL_IDEMPOTENT, .budget_ms = 10000, .run = notes_offer_run },
	{ TOOL_note_look .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = notes_look_run },
	{ TOOL_note_step .hints = TOOL_IDEMPOTENT, .budget_ms = 10000, .run = notes_step_run },
	{ TOOL_handover_ask .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = handovers_ask_run },
	{ TOOL_handover_step .hints = TOOL_IDEMPOTENT, .budget_ms = 10000, .run = handovers_step_run },
	{ TOOL_datasets .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = datasets_run },
	{ TOOL_dataset_publish .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = datasets_publish_run },
	{ TOOL_dataset_unpublish .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = datasets_unpublish_run },
	{ TOOL_dataset_remove .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = datasets_remove_run },
	{ TOOL_dataset_documented .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = datasets_documented_run },
	{ TOOL_dataset_imported .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 10000, .run = datasets_imported_run },
	{ TOOL_files_share .hints = TOOL_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = files_share_run },
	{ .name = NULL },
};
