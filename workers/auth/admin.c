#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/proof.h"
#include "policy/scopes.h"
#include "policy/tools.h"
#include "workers/auth/admin.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/change.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/serve.h"
#include "workers/shared/call.h"

#define ADMIN_LINKS	8u	/* at one time; a new link replaces the oldest */
#define ADMIN_SESSIONS	32u
#define ADMIN_ROLES	8u
#define ADMIN_LINK_S	300u
#define ADMIN_WHO	64u
#define CLI		"cli:"	/* principal prefix of the owner's command line, as the front sets it */

/* A link, or a session that a link opened. */
struct pass {
	uint8_t		digest[STORE_DIGEST];
	uint64_t	until_ns;	/* 0: free */
	char		who[ADMIN_WHO];	/* local:UID */
};

struct admin {
	struct pass	links[ADMIN_LINKS], sessions[ADMIN_SESSIONS];
	struct {
		char		role[16];
		uint8_t		key[PROOF_KEY];
	}		keys[ADMIN_ROLES];
	size_t		nkeys;
	struct proof_seen	seen;		/* proofs of calls that were handed over */
};

static const char unavailable[] = "the server cannot decide this now; try again in a moment";

struct admin *
admin_new(struct span keys)
{
	struct admin *m = mem_new(1, sizeof(*m));
	struct mp_value map, v;
	struct mp_iter it;
	struct span role;

	if (!mp_value(keys, &map) || map.class != MP_MAP)
		return m;
	it = mp_iter(&map);
	while (m->nkeys < ADMIN_ROLES && mp_next_pair(&it, &role, &v)) {
		if (v.class != MP_BIN || v.s.len != PROOF_KEY || role.len >= sizeof(m->keys[0].role))
			continue;
		auth_text(m->keys[m->nkeys].role, sizeof(m->keys[0].role), role);
		memcpy(m->keys[m->nkeys++].key, v.s.p, PROOF_KEY);
	}
	return m;
}

void
admin_free(struct admin *m)
{
	if (m == NULL)
		return;
	sodium_memzero(m, sizeof(*m));
	free(m);
}

/* Make a pass in a free or ended slot, else in the one that ends first. */
static void
pass_make(struct pass *all, size_t n, const char *who, uint64_t until_ns, char secret[OAUTH_SECRET + 1])
{
	struct pass *p = &all[0];

	for (size_t i = 1; i < n; i++)
		if (all[i].until_ns < p->until_ns)
			p = &all[i];
	oauth_draw(secret);
	oauth_digest(span_str(secret), p->digest);
	p->until_ns = until_ns;
	snprintf(p->who, sizeof(p->who), "%s", who);
}

static struct pass *
pass_find(struct pass *all, size_t n, struct span secret, uint64_t now_ns)
{
	uint8_t digest[STORE_DIGEST];
	struct pass *found = NULL;

	if (secret.len != OAUTH_SECRET)
		return NULL;
	oauth_digest(secret, digest);
	for (size_t i = 0; i < n; i++)
		if (sodium_memcmp(digest, all[i].digest, sizeof(digest)) == 0 && all[i].until_ns > now_ns)
			found = &all[i];
	return found;
}

static void
pass_end(struct pass *p)
{
	sodium_memzero(p, sizeof(*p));
}

int
admin_link_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct span by = call_principal(c);
	char secret[OAUTH_SECRET + 1], who[ADMIN_WHO];
	struct buf url = { 0 }, out = { 0 };
	size_t map;

	(void)args;
	if (!span_begins(by, CLI))
		return err_set(err, ERR_SCOPE_DENIED, "a link to the administration page is made at the command line");
	snprintf(who, sizeof(who), "local:%.*s", (int)(by.len - strlen(CLI)), by.p + strlen(CLI));
	pass_make(a->admin->links, ADMIN_LINKS, who, clock_ns() + ADMIN_LINK_S * CLOCK_SECOND, secret);
	login_put_origin(a, &url);
	/* Browsers never send the part after the #: it appears in no log and leaks to no other page. */
	buf_printf(&url, "/admin#link=%s", secret);
	map = mp_open_pairs(&out, mp_cstr("url", buf_cstr(&url)));
	mp_put_cstr(&out, "expires_at");
	token_put_time(&out, store_now_ms(a->store) + ADMIN_LINK_S * UINT64_C(1000));
	mp_end(&out, map);
	call_result(c, buf_view(&out));
	sodium_memzero(secret, sizeof(secret));
	buf_wipe(&url);
	buf_wipe(&out);
	return 0;
}

static int
record(struct auth *a, enum audit_action action, const char *who, struct span address, struct span receipt,
    struct err *err)
{
	struct audit_entry e = audit_entry_of(action, AUDIT_OUTCOME_OK);
	int result;

	e.surface = AUDIT_SURFACE_PAGE;
	e.kind = AUDIT_KIND_LOCAL;
	e.id = span_str(who);
	e.target = SPAN("/admin");
	e.address = oauth_address_shown(address);
	e.receipt = receipt;
	if (store_begin(a->store, err) != 0)
		return -1;
	result = audit_append(a->audit, &e, err);
	return change_end(a, result, err);
}

void
admin_enter(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_enter *m)
{
	struct ipc_signed_in out = { .outcome = IPC_OAUTH_DONE };
	uint64_t now = clock_ns();
	struct pass *link = pass_find(a->admin->links, ADMIN_LINKS, m->link, now);
	char session[OAUTH_SECRET + 1] = "", who[ADMIN_WHO];
	struct err err;

	if (link == NULL) {
		out.outcome = IPC_OAUTH_ACCESS_DENIED;
		out.message = SPAN("this link is no good any more: it is good once and for five minutes; `carrel "
				   "admin` prints another one");
	} else {
		snprintf(who, sizeof(who), "%s", link->who);
		pass_end(link);
		if (record(a, AUDIT_ACTION_LOGIN, who, m->address, m->receipt, &err) == 0) {
			out.session_s = a->conf.session_h * 3600ull;
			pass_make(a->admin->sessions, ADMIN_SESSIONS, who, now + out.session_s * CLOCK_SECOND, session);
			out.session = span_str(session);
		} else {
			log_error("the administration page could not be opened: %s", err.message);
			out.outcome = IPC_OAUTH_UNAVAILABLE;
			out.message = span_str(unavailable);
		}
	}
	(void)serve_send(peer, IPC_MSG_SIGNED_IN, id, &out);
	sodium_memzero(session, sizeof(session));
}

int
admin_leave(struct auth *a, const struct ipc_logout *m, struct err *err)
{
	struct pass *p = pass_find(a->admin->sessions, ADMIN_SESSIONS, m->session, clock_ns());

	if (p == NULL)
		return 0;
	if (record(a, AUDIT_ACTION_LOGOUT, p->who, m->address, m->receipt, err) != 0)
		return -1;
	pass_end(p);
	return 1;
}

/* Find who is signed in on the page.  principal: at least ADMIN_WHO + 16 bytes. */
static enum ipc_oauth
who_is(struct auth *a, const struct ipc_prove *m, struct ipc_proved *out, char *principal, size_t cap)
{
	uint64_t now = clock_ns(), now_ms = store_now_ms(a->store);
	struct pass *p = pass_find(a->admin->sessions, ADMIN_SESSIONS, m->local, now);
	struct store_user u;
	struct err err;
	int found;

	if (p != NULL) {
		snprintf(principal, cap, "%s", p->who);
		out->scopes = POLICY_SCOPES_ADMIN;
		out->expires_unix_ms = now_ms + (p->until_ns - now) / CLOCK_MS;
		return IPC_OAUTH_DONE;
	}
	found = !a->conf.oauth ? 0 : login_user(a, m->session, m->asserted, now_ms, &u, &out->expires_unix_ms, &err);
	if (found <= 0) {
		if (found < 0)
			log_error("a login session cannot be looked up: %s", err.message);
		return found < 0 ? IPC_OAUTH_UNAVAILABLE : IPC_OAUTH_LOGIN;
	}
	snprintf(principal, cap, "user:%s", u.name);
	out->scopes = oauth_user_scopes(a, &u);
	return (out->scopes & POLICY_SCOPE_CONNECTIVITY_ADMIN) != 0 ? IPC_OAUTH_DONE : IPC_OAUTH_ACCESS_DENIED;
}

static const uint8_t *
key_of(const struct admin *m, const char *role)
{
	for (size_t i = 0; i < m->nkeys; i++)
		if (strcmp(m->keys[i].role, role) == 0)
			return m->keys[i].key;
	return NULL;
}

bool
admin_makes(const struct admin *m, const struct policy_tool *tool, const struct proof_call *call,
    uint8_t proof[PROOF_SIZE])
{
	const uint8_t *key = key_of(m, ipc_role_name(tool->role));
	uint8_t nonce[PROOF_NONCE];

	if (key == NULL)
		return false;
	randombytes_buf(nonce, sizeof(nonce));
	proof_make(key, call, clock_ns(), nonce, proof);
	return true;
}

bool
admin_accepts(struct admin *m, const struct policy_tool *tool, const struct proof_call *call, struct span proof)
{
	const uint8_t *key = key_of(m, ipc_role_name(tool->role));

	return key != NULL && proof_accept(&m->seen, key, proof, call, clock_ns());
}

/* Make the proof for the call.  False: the page may not call this tool. */
static bool
prove(const struct admin *a, const struct ipc_prove *m, uint8_t proof[PROOF_SIZE], struct span *out)
{
	const struct policy_tool *tool = policy_tool(m->tool);

	if (tool == NULL || !policy_tool_of_page(tool))
		return false;
	if (tool->toolset != POLICY_TOOLSET_LOCAL)
		return true;
	if (!admin_makes(a, tool, &(struct proof_call){ m->tool, m->connection, m->args }, proof))
		return false;
	*out = span_of(proof, PROOF_SIZE);
	return true;
}

void
admin_prove(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_prove *m)
{
	struct ipc_proved out = { .outcome = IPC_OAUTH_LOGIN };
	char principal[ADMIN_WHO + 16] = "";
	uint8_t proof[PROOF_SIZE];

	out.outcome = who_is(a, m, &out, principal, sizeof(principal));
	out.principal = span_str(principal);
	if (out.outcome == IPC_OAUTH_DONE && m->tool.len > 0 && !prove(a->admin, m, proof, &out.proof))
		out.outcome = IPC_OAUTH_INVALID_REQUEST;
	(void)serve_send(peer, IPC_MSG_PROVED, id, &out);
	sodium_memzero(proof, sizeof(proof));
}
