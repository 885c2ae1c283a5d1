#include <stdio.h>
#include <string.h>

#include "base/system/log.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "workers/auth/oauth/register.h"
#include "workers/auth/oauth/events.h"
#include "workers/auth/store/store.h"

bool
register_name_fine(struct span name)
{
	uint32_t c;

	if (name.len > OAUTH_CLIENT_NAME_MAX || !utf8_valid(name.p, name.len))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] < ' ' || name.p[i] == 0x7f || safe_text_hidden_in(name, i, &c) != 0)
			return false;
	return true;
}

int
register_redirects(struct auth *a, const struct mp_value *list, struct buf *out, struct err *err)
{
	struct mp_value schemes = { .class = MP_NIL }, each;
	struct mp_iter it;

	buf_reset(out, SIZE_MAX);
	if (a->conf.redirect_schemes.len > 0)
		(void)mp_value(buf_view(&a->conf.redirect_schemes), &schemes);
	if (list->class != MP_ARRAY || list->n == 0 || list->n > OAUTH_REDIRECTS_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "redirect_uris must be an array of 1 to %d URIs",
		    OAUTH_REDIRECTS_MAX);
	for (it = mp_iter(list); mp_next(&it, &each);) {
		if (each.class != MP_STR || !oauth_redirect_fine(each.s, &schemes))
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "\"%.*s\" cannot be redirected to: https with a host, http to localhost, 127.0.0.1 or "
			    "[::1], "
			    "or one of oauth.redirect_schemes, without a fragment, in %d bytes",
			    each.class == MP_STR ? (int)utf8_cut(each.s.p, each.s.len, 200) : 0,
			    each.class == MP_STR ? (const char *)each.s.p : "", OAUTH_URI_MAX);
		if (out->len > 0)
			buf_byte(out, '\n');
		buf_span(out, each.s);
	}
	return 0;
}

/* Removes the oldest client without a grant. */
int
register_make_room(struct auth *a, uint64_t now_ms, struct err *err)
{
	uint64_t n;

	if (store_clients_count(a->store, &n, err) != 0)
		return -1;
	if (n >= OAUTH_CLIENTS_MAX &&
	    (store_clients_drop(a->store, now_ms + 1, now_ms, (unsigned)(n - OAUTH_CLIENTS_MAX) + 1, err) != 0 ||
		store_clients_count(a->store, &n, err) != 0))
		return -1;
	return n < OAUTH_CLIENTS_MAX ?
	    0 :
	    err_set(err, ERR_BUSY, "there is room for %d clients, and all of them are in use", OAUTH_CLIENTS_MAX);
}

static int
register_write(struct auth *a, const struct ipc_register_client *m, struct store_client *c, struct err *err)
{
	if (register_make_room(a, c->created_ms, err) != 0 || store_client_add(a->store, c, err) != 0)
		return -1;
	return oauth_note(a,
	    &(struct oauth_note){ .action = AUDIT_ACTION_CLIENT_REGISTER,
		.surface = AUDIT_SURFACE_REST,
		.outcome = IPC_OAUTH_DONE,
		.target = span_str(c->id),
		.client = span_str(c->name),
		.address = m->address,
		.receipt = m->receipt },
	    err);
}

static enum ipc_oauth
register_client(struct auth *a, const struct ipc_register_client *m, struct store_client *c, struct register_said *said)
{
	oauth_draw_id(c->id, 32);
	snprintf(c->name, sizeof(c->name), "%.*s", SPAN_FMT(m->client_name));
	c->source = IPC_CLIENT_REGISTERED;
	if (store_begin(a->store, &said->err) != 0 ||
	    oauth_commit(a, register_write(a, m, c, &said->err), &said->err) != 0) {
		log_error("a client was not registered: %s", said->err.message);
		if (said->err.code != ERR_BUSY)
			err_set(&said->err, ERR_SERVICE_UNAVAILABLE,
			    "the server cannot register it now; try again in a moment");
		return IPC_OAUTH_UNAVAILABLE;
	}
	memcpy(said->id, c->id, sizeof(said->id));
	return IPC_OAUTH_DONE;
}

static enum ipc_oauth
register_decide(struct auth *a, const struct ipc_register_client *m, uint64_t now_ms, uint64_t now_ns,
    struct register_said *said, struct ipc_registered *out)
{
	struct store_client c = { .created_ms = now_ms };
	struct mp_value list = { .class = MP_NIL };
	enum ipc_oauth outcome;
	const struct event e = { "register", m->address, SPAN(""), a->conf.register_per_min, 60,
		a->oauth->registered };
	int wait;

	if (!a->conf.oauth || !a->conf.registration) {
		err_set(&said->err, ERR_SCOPE_DENIED,
		    "clients do not register themselves here; ask the owner of the server");
		return IPC_OAUTH_ACCESS_DENIED;
	}
	if ((wait = events_take(a, &e, now_ns, &said->err)) < 0)
		return IPC_OAUTH_UNAVAILABLE;
	if (wait > 0) {
		out->retry_after_s = (unsigned)wait;
		err_set(&said->err, ERR_RATE_LIMITED, "too many clients register from this address; wait a moment");
		return IPC_OAUTH_TOO_MANY;
	}
	if (!register_name_fine(m->client_name)) {
		err_set(&said->err, ERR_INVALID_ARGUMENTS,
		    "client_name must be a line of at most %d bytes, without characters that cannot be seen",
		    OAUTH_CLIENT_NAME_MAX);
		return IPC_OAUTH_INVALID_CLIENT_METADATA;
	}
	(void)mp_value(m->redirects, &list);
	if (register_redirects(a, &list, &c.redirects, &said->err) != 0)
		outcome = IPC_OAUTH_INVALID_REDIRECT_URI;
	else
		outcome = register_client(a, m, &c, said);
	store_client_fini(&c);
	return outcome;
}

void
register_answer(struct auth *a, const struct ipc_register_client *m, uint64_t now_ms, uint64_t now_ns,
    struct register_said *said, struct ipc_registered *out)
{
	memset(said, 0, sizeof(*said));
	*out = (struct ipc_registered){ .retry_after_s = 0 };
	out->outcome = register_decide(a, m, now_ms, now_ns, said, out);
	out->message = span_str(said->err.message);
	if (out->outcome == IPC_OAUTH_DONE) {
		out->message = SPAN("");
		out->client_id = span_str(said->id);
		out->issued_unix_s = now_ms / 1000;
	}
}
