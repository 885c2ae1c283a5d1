#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/auth/change.h"
#include "workers/auth/nodes.h"
#include "workers/auth/oauth/clients.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/oauth/register.h"
#include "workers/auth/rows_list.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/store.h"
#include "workers/shared/call.h"

#define ANSWER_MAX	((size_t)8 << 20)	/* further clients are not listed */

static const char *
source_name(unsigned source)
{
	return source == IPC_CLIENT_CONFIGURED ? "configured" :
	    source == IPC_CLIENT_DOCUMENT      ? "document" :
						 "registered";
}

static void
put_client(const struct store_client *cl, struct buf *out)
{
	struct span rest = buf_view(&cl->redirects), line;
	size_t mark;
	size_t map = mp_open_pairs(out, mp_cstr("client_id", cl->id),
	    mp_cstr("client_name", cl->name[0] != '\0' ? cl->name : NULL), mp_cstr("source", source_name(cl->source)));

	mark = mp_pair_open_array(out, "redirect_uris");
	while (span_line(&rest, &line))
		mp_put_str(out, line);
	mp_end(out, mark);
	mp_put_cstr(out, "created_at");
	token_put_time(out, cl->created_ms);
	mp_put_cstr(out, "last_used_at");
	token_put_time(out, cl->last_used_ms);
	mp_pair_uint(out, "grants", cl->grants);
	mp_end(out, map);
}

static bool
list_client(void *arg, const struct store_client *cl)
{
	struct list_rows *l = arg;

	put_client(cl, &l->out);
	l->n++;
	return l->out.len < ANSWER_MAX;
}

int
client_list_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct list_rows l;

	(void)args;
	rows_begin(&l, "clients");
	return rows_end(&l, c, store_clients(a->store, store_now_ms(a->store), list_client, &l, err));
}

static int
read_client(struct auth *a, const struct mp_value *args, struct store_client *cl, struct err *err)
{
	struct span id = mp_get_str(args, "client_id", SPAN("")), name = mp_get_str(args, "name", SPAN(""));
	struct mp_value redirects = { .class = MP_NIL };

	for (size_t i = 0; i < id.len; i++)
		if (id.p[i] <= ' ' || id.p[i] >= 0x7f)
			return err_set(err, ERR_INVALID_ARGUMENTS, "a client's id has visible ASCII characters alone");
	if (name.len == 0 || !register_name_fine(name))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "a client's name is a line of 1 to %d bytes, without characters that cannot be seen",
		    OAUTH_CLIENT_NAME_MAX);
	if (id.len == 0)
		oauth_draw_id(cl->id, 32);
	else
		auth_text(cl->id, sizeof(cl->id), id);
	auth_text(cl->name, sizeof(cl->name), name);
	(void)mp_get(args, "redirects", &redirects);
	return register_redirects(a, &redirects, &cl->redirects, err);
}

static int
add_client(struct auth *a, const struct call *c, const struct store_client *cl, struct err *err)
{
	struct store_client other = { .source = 0 };
	int found = store_client(a->store, span_str(cl->id), &other, err);

	store_client_fini(&other);
	if (found != 0)
		return found < 0 ? -1 :
				   err_set(err, ERR_INVALID_ARGUMENTS,
				       "there is a client with that id already; `carrel client remove` removes it");
	if (store_client_add(a->store, cl, err) != 0)
		return -1;
	return change_record(a, c, AUDIT_ACTION_CLIENT_ADD, cl->id, err);
}

int
client_add_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_client cl = { .source = IPC_CLIENT_CONFIGURED, .created_ms = store_now_ms(a->store) };
	struct buf out = { 0 };
	int result = read_client(a, args, &cl, err);

	if (result == 0 && (result = store_begin(a->store, err)) == 0) {
		result = add_client(a, c, &cl, err);
		result = oauth_commit(a, result, err);
	}
	if (result == 0) {
		mp_put_map(&out, 1);
		mp_put_cstr(&out, "client");
		put_client(&cl, &out);
		call_result(c, buf_view(&out));
		buf_fini(&out);
	}
	store_client_fini(&cl);
	return result;
}

struct ending_grants {
	struct ended_grant {
		char	user[STORE_USER_MAX + 1], id[STORE_GRANT_ID + 1];
	}		*v;
	size_t		 n, cap;
};

static bool
note_grant(void *arg, const struct store_grant *g)
{
	struct ending_grants *l = arg;

	l->v = mem_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	memcpy(l->v[l->n].user, g->user, sizeof(g->user));
	memcpy(l->v[l->n++].id, g->id, sizeof(g->id));
	return true;
}

/* Tell the fronts to cut off these grants; *ended: the count of what they cut off. */
static void
tell_grants(struct call *c, const struct ending_grants *l, struct fronts_cut *ended)
{
	struct auth *a = call_state(c);
	struct buf principal = { 0 };

	fronts_begin(&a->fronts);
	for (size_t i = 0; i < l->n; i++) {
		struct ipc_end msg = { .grant = span_str(l->v[i].id), .verdict = IPC_VERDICT_REVOKED };

		buf_reset(&principal, SIZE_MAX);
		buf_printf(&principal, "user:%s", l->v[i].user);
		msg.principal = buf_view(&principal);
		fronts_say(&a->fronts, c, &msg);
	}
	fronts_wait(&a->fronts, c);
	nodes_wait(c);
	*ended = a->fronts.total;
	buf_fini(&principal);
}

static int
remove_client(struct auth *a, const struct call *c, const char *id, uint64_t now_ms, struct err *err)
{
	uint64_t n;

	if (store_grants_end_client(a->store, id, now_ms, &n, err) != 0 || store_client_remove(a->store, id, err) != 0)
		return -1;
	return change_record(a, c, AUDIT_ACTION_CLIENT_REMOVE, id, err);
}

int
client_remove_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_client cl = { .source = 0 };
	struct ending_grants l = { .n = 0 };
	struct fronts_cut ended = { .calls = 0 };
	struct buf out = { 0 };
	uint64_t now = store_now_ms(a->store);
	int result = store_client(a->store, mp_get_str(args, "client_id", SPAN("")), &cl, err);

	if (result != 1)
		return result < 0 ?
		    -1 :
		    err_set(err, ERR_INVALID_ARGUMENTS, "there is no such client; `carrel client list` shows them");
	if ((result = store_begin(a->store, err)) == 0) {
		result = store_grants(a->store, SPAN(""), span_str(cl.id), 0, now, note_grant, &l, err);
		if (result == 0)
			result = remove_client(a, c, cl.id, now, err);
		result = oauth_commit(a, result, err);
	}
	if (result == 0) {
		tell_grants(c, &l, &ended);
		mp_put_map(&out, 2);
		mp_pair_cstr(&out, "removed", cl.id);
		connectivity_put_ended(&ended, l.n, &out);
		call_result(c, buf_view(&out));
		buf_fini(&out);
	}
	free(l.v);
	store_client_fini(&cl);
	return result;
}

int
client_revoke_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct ending_grants l = { .n = 0 };
	struct fronts_cut ended = { .calls = 0 };
	struct store_grant g;
	struct buf out = { 0 };
	int was, result = store_grant(a->store, mp_get_str(args, "grant_id", SPAN("")), &g, err);

	if (result != 1)
		return result < 0 ?
		    -1 :
		    err_set(err, ERR_INVALID_ARGUMENTS, "there is no such grant; `carrel client grants` shows them");
	if (store_begin(a->store, err) != 0)
		return -1;
	was = store_grant_end(a->store, g.id, store_now_ms(a->store), err);
	result = was < 0 ? -1 : was == 0 ? 0 : change_record(a, c, AUDIT_ACTION_OAUTH_REVOKE, g.id, err);
	if (oauth_commit(a, result, err) != 0)
		return -1;
	if (was == 1) {
		(void)note_grant(&l, &g);
		tell_grants(c, &l, &ended);
	}
	mp_put_map(&out, 3);
	mp_pair_bool(&out, "revoked", true);
	mp_pair_cstr(&out, "grant_id", g.id);
	connectivity_put_ended(&ended, l.n, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	free(l.v);
	return 0;
}

static void
put_resources(const struct store_grant *g, struct buf *out)
{
	mp_put_array(out, g->resource[0] != '\0' ? 1 : OAUTH_RESOURCES);
	if (g->resource[0] != '\0') {
		mp_put_cstr(out, g->resource);
		return;
	}
	for (size_t i = 0; i < OAUTH_RESOURCES; i++) {
		size_t mark = mp_open_str(out);

		buf_str(out, g->issuer);
		buf_str(out, oauth_resources[i]);
		mp_close_str(out, mark);
	}
}

static bool
list_grant(void *arg, const struct store_grant *g)
{
	struct list_rows *l = arg;
	size_t map = mp_open_pairs(&l->out, mp_cstr("grant_id", g->id), mp_cstr("user", g->user),
	    mp_cstr("client_id", g->client), mp_cstr("client_name", g->client_name[0] != '\0' ? g->client_name : NULL));

	mp_put_cstr(&l->out, "scopes");
	token_put_scopes(&l->out, g->scopes, g->named.text);
	mp_put_cstr(&l->out, "resource");
	put_resources(g, &l->out);
	mp_put_cstr(&l->out, "created_at");
	token_put_time(&l->out, g->created_ms);
	mp_put_cstr(&l->out, "last_used_at");
	token_put_time(&l->out, g->last_used_ms);
	mp_put_cstr(&l->out, "expires_at");
	token_put_time(&l->out, g->expires_ms);
	mp_end(&l->out, map);
	l->n++;
	return l->out.len < ANSWER_MAX;
}

int
client_grants_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct list_rows l;

	redeem_write_uses(a);
	rows_begin(&l, "grants");
	return rows_end(&l, c,
	    store_grants(a->store, mp_get_str(args, "user", SPAN("")), mp_get_str(args, "client_id", SPAN("")), 0,
		store_now_ms(a->store), list_grant, &l, err));
}

static bool
list_key(void *arg, const struct store_key *k)
{
	struct list_rows *l = arg;
	size_t map;

	if (k->until_ms != 0 && k->until_ms <= l->now_ms)
		return true;
	map = mp_open_pairs(&l->out, mp_cstr("kid", k->kid), mp_cstr("alg", "EdDSA"));
	mp_put_cstr(&l->out, "created_at");
	token_put_time(&l->out, k->created_ms);
	mp_pair_cstr(&l->out, "state", k->until_ms == 0 ? "current" : "retiring");
	mp_put_cstr(&l->out, "until");
	token_put_time(&l->out, k->until_ms);
	mp_end(&l->out, map);
	l->n++;
	return true;
}

int
key_list_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct list_rows l;

	(void)args;
	rows_begin(&l, "keys");
	l.now_ms = store_now_ms(a->store);
	return rows_end(&l, c, store_keys(a->store, list_key, &l, err));
}

int
key_rotate_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	uint64_t now = store_now_ms(a->store), until = now + a->conf.access_ttl_s * UINT64_C(1000);
	int result;

	if (store_begin(a->store, err) != 0)
		return -1;
	if ((result = signing_rotate(a->store, a->conf.seal_key, now, until, err)) == 0)
		result = change_record(a, c, AUDIT_ACTION_KEY_ROTATE, NULL, err);
	if (oauth_commit(a, result, err) != 0 ||
	    signing_load(&a->oauth->key, a->store, a->conf.seal_key, false, now, until, err) != 0)
		return -1;
	if (a->conf.oauth)
		oauth_tell_keys(a);
	return key_list_run(c, args, err);
}

int
setup_link_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf url = { 0 }, out = { 0 };
	uint64_t expires = 0;
	int wanted = login_setup_link(a, store_now_ms(a->store), &url, &expires, err);
	size_t map;

	(void)args;
	if (wanted < 0)
		return -1;
	map = mp_open_pairs(&out, mp_cstr("url", wanted == 1 ? buf_cstr(&url) : NULL));
	mp_put_cstr(&out, "expires_at");
	token_put_time(&out, expires);
	mp_end(&out, map);
	call_result(c, buf_view(&out));
	buf_wipe(&url);
	buf_wipe(&out);
	return 0;
}
