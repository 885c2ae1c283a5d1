#include "workers/auth/oauth/device.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/system/log.h"
#include "policy/scopes.h"
#include "workers/auth/oauth/events.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/worker.h"

#define WORD		8u	/* letters of the user's code */
#define TRIES		4	/* to draw one that no other device has */

/* No vowels, so that no words come of it, and none that is taken for another (RFC 8628 6.1). */
static const char letters[] = "BCDFGHJKLMNPQRSTVWXZ";

static const char unavailable[] = "the server cannot decide this now; try again in a moment";

static void
word_digest(const struct auth *a, const char *word, uint8_t digest[STORE_DIGEST])
{
	static const char purpose[] = "device word ";
	crypto_generichash_state h;

	crypto_generichash_init(&h, a->conf.seal_key, AUTH_KEY, STORE_DIGEST);
	crypto_generichash_update(&h, (const uint8_t *)purpose, sizeof(purpose) - 1);
	crypto_generichash_update(&h, (const uint8_t *)word, WORD);
	crypto_generichash_final(&h, digest, STORE_DIGEST);
	sodium_memzero(&h, sizeof(h));
}

static void
word_draw(char word[WORD + 1])
{
	for (unsigned i = 0; i < WORD; i++)
		word[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
	word[WORD] = '\0';
}

/* What was typed as it was drawn: case, blanks and dashes do not count.  False: it is no code. */
static bool
word_read(struct span typed, char word[WORD + 1])
{
	unsigned n = 0;

	for (size_t i = 0; i < typed.len; i++) {
		char c = (char)(ascii_is_lower(typed.p[i]) ? typed.p[i] & ~0x20 : typed.p[i]);

		if (c == '-' || c == ' ')
			continue;
		if (n == WORD || c == '\0' || strchr(letters, c) == NULL)
			return false;
		word[n++] = c;
	}
	word[n] = '\0';
	return n == WORD;
}

/* ---- the device asks ---------------------------------------------------------- */

static void
begun_say(struct ipc_device_begun *out, enum ipc_oauth outcome, const char *message, unsigned wait_s)
{
	*out = (struct ipc_device_begun){ .outcome = outcome, .message = span_str(message), .retry_after_s = wait_s };
}

/* The request as a row, without its codes.  False: it is answered. */
static bool
read_request(struct auth *a, const struct ipc_device_begin *m, uint64_t now_ms, struct store_device *d,
    struct ipc_device_begun *out)
{
	const char *part = NULL;
	struct role_share asked;
	bool any;

	if (m->resource.len > 0 && !oauth_resource(m->issuer, m->resource, &part)) {
		begun_say(out, IPC_OAUTH_INVALID_TARGET, "resource is not one of this server", 0);
		return false;
	}
	roles_read(m->scope, &asked, &any);
	if (!any)
		asked = ROLE_ALL;
	*d = (struct store_device){ .scopes = asked.scopes, .named = asked.named, .created_ms = now_ms,
		.expires_ms = now_ms + a->conf.device_code_ttl_s * UINT64_C(1000),
		.pause_ms = DEVICE_PAUSE_S * UINT64_C(1000) };
	if (any && d->scopes == 0) {
		begun_say(out, IPC_OAUTH_INVALID_SCOPE, "none of these scopes is known here", 0);
		return false;
	}
	auth_text(d->client, sizeof(d->client), m->client_id);
	auth_text(d->issuer, sizeof(d->issuer), m->issuer);
	auth_text(d->address, sizeof(d->address), m->address);
	if (part != NULL)
		snprintf(d->resource, sizeof(d->resource), "%.*s%s", SPAN_FMT(m->issuer), part);
	return true;
}

/* 1: there is a client of this id that may ask; 0: it is answered; -1. */
static int
check_client(struct auth *a, const struct ipc_device_begin *m, struct store_client *c, struct ipc_device_begun *out,
    struct err *err)
{
	int found = m->client_id.len == 0 ? 0 : oauth_client(a, m->client_id, SPAN(""), c, err);

	if (found < 0)
		return -1;
	if (found == 1 && c->source != IPC_CLIENT_UNKNOWN &&
	    (c->source != IPC_CLIENT_DOCUMENT || a->conf.client_metadata))
		return 1;
	if (m->client_id.len == 0)
		begun_say(out, IPC_OAUTH_INVALID_REQUEST, "client_id is missing", 0);
	else
		begun_say(out, IPC_OAUTH_INVALID_CLIENT, "this client is not known here; register it first", 0);
	return 0;
}

/* Within the transaction: 1: the row is there; 0: too many wait; -1. */
static int
write_device(struct auth *a, const struct ipc_device_begin *m, const struct store_client *c, uint64_t now_ms,
    struct device_said *said, struct err *err)
{
	struct store_device *d = &said->device, other;
	uint64_t waiting;
	int taken = 1;

	if (store_devices_waiting(a->store, now_ms, &waiting, err) != 0)
		return -1;
	if (waiting >= OAUTH_DEVICES_MAX)
		return 0;
	oauth_draw(said->code);
	oauth_digest(span_str(said->code), d->digest);
	for (int i = 0; i < TRIES && taken == 1; i++) {
		word_draw(said->word);
		word_digest(a, said->word, d->word);
		taken = store_device_named(a->store, d->word, &other, err);
	}
	if (taken != 0)
		return taken < 0 ? -1 : 0;
	if (store_device_add(a->store, d, err) != 0 || store_client_used(a->store, d->client, now_ms, err) != 0 ||
	    oauth_note(a,
		&(struct oauth_note){ .action = AUDIT_ACTION_OAUTH_DEVICE,
		    .surface = AUDIT_SURFACE_REST,
		    .outcome = IPC_OAUTH_DONE,
		    .target = span_str(d->client),
		    .client = span_str(c->name),
		    .address = m->address,
		    .receipt = m->receipt },
		err) != 0)
		return -1;
	return 1;
}

static void
begin_with(struct auth *a, const struct ipc_device_begin *m, uint64_t now_ms, struct device_said *said,
    struct ipc_device_begun *out)
{
	struct store_client c = { .source = 0 };
	struct err err;
	int result = check_client(a, m, &c, out, &err);

	if (result == 0)
		return;
	if (result == 1 && !read_request(a, m, now_ms, &said->device, out))
		goto out;
	if (result == 1 && (result = store_begin(a->store, &err)) == 0) {
		result = write_device(a, m, &c, now_ms, said, &err);
		if (oauth_commit(a, result < 0 ? -1 : 0, &err) != 0)
			result = -1;
	}
	if (result < 0) {
		log_error("a device's code cannot be issued: %s", err.message);
		begun_say(out, IPC_OAUTH_UNAVAILABLE, unavailable, 0);
	} else if (result == 0)
		begun_say(out, IPC_OAUTH_TOO_MANY, "too many devices wait for their users; try again in a minute", 60);
	else {
		memmove(said->word + WORD / 2 + 1, said->word + WORD / 2, WORD / 2 + 1);
		said->word[WORD / 2] = '-';
		*out = (struct ipc_device_begun){ .outcome = IPC_OAUTH_DONE, .device_code = span_str(said->code),
			.user_code = span_str(said->word), .expires_s = a->conf.device_code_ttl_s,
			.interval_s = DEVICE_PAUSE_S };
	}
out:
	store_client_fini(&c);
}

static bool
device_is_served(const struct auth *a, struct span issuer)
{
	return a->conf.oauth && a->conf.device_code_ttl_s > 0 &&
	    oauth_issuer_fine(issuer, a->conf.public_url, a->conf.port);
}

void
device_begin(struct auth *a, const struct ipc_device_begin *m, uint64_t now_ms, uint64_t now_ns,
    struct device_said *said, struct ipc_device_begun *out)
{
	const struct event e = { "device", m->address, SPAN(""), a->conf.authorize_per_min, 60, a->oauth->devices };
	struct err err;
	int wait;

	memset(said, 0, sizeof(*said));
	if (!device_is_served(a, m->issuer))
		begun_say(out, IPC_OAUTH_UNAVAILABLE, "devices do not sign in here", 0);
	else if ((wait = events_take(a, &e, now_ns, &err)) > 0)
		begun_say(out, IPC_OAUTH_TOO_MANY, "too many devices ask from this address; wait a moment",
		    (unsigned)wait);
	else if (wait < 0)
		begun_say(out, IPC_OAUTH_UNAVAILABLE, unavailable, 0);
	else
		begin_with(a, m, now_ms, said, out);
}

/* ---- its user decides --------------------------------------------------------- */

struct device_viewing {
	struct auth			*a;
	const struct ipc_device_look	*m;
	uint64_t			 now_ms, now_ns;
	struct store_user		 user;
	struct store_client		 client;
	char				 counted[sizeof("user:") + STORE_USER_MAX];
	bool				 wrong;		/* the code */
	struct role_share		 offered;
	struct device_said		*said;
	struct ipc_device_shown		*out;
	struct err			 err;
};

static bool
look_say(struct device_viewing *l, enum ipc_oauth outcome, const char *message)
{
	l->out->outcome = outcome;
	l->out->message = span_str(message);
	return false;
}

static bool
look_unavailable(struct device_viewing *l)
{
	log_error("a device's code cannot be looked at: %s", l->err.message);
	return look_say(l, IPC_OAUTH_UNAVAILABLE, unavailable);
}

static bool
look_user(struct device_viewing *l)
{
	uint64_t expires;
	int found = login_user(l->a, l->m->session, l->m->asserted, l->now_ms, &l->user, &expires, &l->err);

	if (found < 0)
		return look_unavailable(l);
	if (found == 0)
		return look_say(l, IPC_OAUTH_LOGIN, "");
	snprintf(l->said->user, sizeof(l->said->user), "%s", l->user.name);
	l->out->user = span_str(l->said->user);
	return true;
}

/* granted: NULL, if nothing was. */
static int
look_note(struct device_viewing *l, enum ipc_oauth outcome, const struct role_share *granted)
{
	return oauth_note(l->a,
	    &(struct oauth_note){ .action = AUDIT_ACTION_OAUTH_AUTHORIZE,
		.surface = AUDIT_SURFACE_PAGE,
		.outcome = outcome,
		.user = l->user.name,
		.target = span_str(l->said->device.client),
		.client = span_str(l->client.name),
		.address = l->m->address,
		.receipt = l->m->receipt,
		.scopes = granted != NULL ? granted->scopes : 0,
		.named = granted != NULL ? granted->named.text : NULL },
	    &l->err);
}

/* There is no such code: a guess, or a typing error. */
static bool
look_wrong(struct device_viewing *l)
{
	static const char none[] =
	    "there is no such code, or it is not good any more; look at the device again, or start there again";
	int result = store_begin(l->a->store, &l->err);

	l->wrong = true;
	if (result == 0)
		result = oauth_commit(l->a, look_note(l, IPC_OAUTH_INVALID_GRANT, NULL), &l->err);
	return result != 0 ? look_unavailable(l) : look_say(l, IPC_OAUTH_INVALID_GRANT, none);
}

/* Guesses are counted by user and by address. */
static struct event
look_event(struct device_viewing *l)
{
	snprintf(l->counted, sizeof(l->counted), "user:%s", l->user.name);
	return (struct event){ "word", span_str(l->counted), l->m->address, OAUTH_WRONG_MAX, OAUTH_WRONG_S,
		l->a->oauth->wrong_words };
}

/* Whether the user and the address may try a code: it counts as wrong until it was right, also while others try. */
static bool
look_may(struct device_viewing *l)
{
	const struct event e = look_event(l);
	int wait = events_take(l->a, &e, l->now_ns, &l->err);

	if (wait == 0)
		return true;
	if (wait < 0)
		return look_unavailable(l);
	l->out->retry_after_s = (unsigned)wait;
	return look_say(l, IPC_OAUTH_TOO_MANY, "too many wrong codes were typed; wait before the next one");
}

/* The device that the code is of, and waits. */
static bool
look_device(struct device_viewing *l)
{
	struct store_device *d = &l->said->device;
	char word[WORD + 1];
	uint8_t digest[STORE_DIGEST];
	int found = 0;

	if (word_read(l->m->user_code, word)) {
		word_digest(l->a, word, digest);
		found = store_device_named(l->a->store, digest, d, &l->err);
	}
	if (found < 0)
		return look_unavailable(l);
	if (found == 0 || d->state != STORE_DEVICE_WAITING || d->expires_ms <= l->now_ms ||
	    !span_is_str(l->m->issuer, d->issuer))
		return look_wrong(l);
	if ((found = oauth_client(l->a, span_str(d->client), SPAN(""), &l->client, &l->err)) < 0)
		return look_unavailable(l);
	return found == 1 || look_wrong(l);
}

static void
look_describe(struct device_viewing *l)
{
	const struct store_device *d = &l->said->device;
	struct ipc_device_shown *out = l->out;

	snprintf(l->said->name, sizeof(l->said->name), "%s", l->client.name);
	out->client_id = span_str(d->client);
	out->client_name = span_str(l->said->name);
	out->client_source = l->client.source;
	out->resource = span_str(d->resource);
	out->from = oauth_address_shown(span_str(d->address));
	/* Two addresses that are not known are not known to be the same. */
	out->same =
	    span_is_str(l->m->address, d->address) && l->m->address.len > 0 && !span_is_str(l->m->address, "unknown");
	out->since_s = l->now_ms > d->created_ms ? (l->now_ms - d->created_ms) / 1000 : 0;
	out->offered = l->offered.scopes;
	out->ticked = l->offered.scopes & ~OAUTH_UNTICKED;
	out->tools = span_str(l->said->offered.named.text);
}

/* Only one decision is kept, however many look at the same code. */
static bool
look_decide(struct device_viewing *l)
{
	const struct store_device *d = &l->said->device;
	struct role_share granted = { .scopes = (uint32_t)l->m->ticked };
	enum store_device_state state;
	int decided;

	auth_text(granted.named.text, sizeof(granted.named.text), l->m->ticked_tools);
	roles_both(&granted, l->offered.scopes, l->offered.named.text);
	if (l->m->decision != IPC_DECISION_ALLOW)
		granted = (struct role_share){ .scopes = 0 };
	state = granted.scopes != 0 ? STORE_DEVICE_ALLOWED : STORE_DEVICE_DENIED;
	if (store_begin(l->a->store, &l->err) != 0)
		return look_unavailable(l);
	decided = store_device_decide(l->a->store, d->digest, state, l->user.name, granted.scopes, granted.named.text,
	    l->now_ms, &l->err);
	if (decided == 1 && look_note(l, granted.scopes != 0 ? IPC_OAUTH_DONE : IPC_OAUTH_ACCESS_DENIED, &granted) != 0)
		decided = -1;
	if (oauth_commit(l->a, decided < 0 ? -1 : 0, &l->err) != 0)
		return look_unavailable(l);
	if (decided == 0)
		return look_wrong(l);
	l->out->ticked = granted.scopes;
	return look_say(l, IPC_OAUTH_DONE, "");
}

/* A code may be tried. */
static void
look_at_code(struct device_viewing *l)
{
	if (!look_device(l))
		return;
	l->offered = (struct role_share){ .scopes = l->said->device.scopes, .named = l->said->device.named };
	roles_limit(l->a, span_str(l->user.role), &l->offered);
	l->said->offered = l->offered;
	look_describe(l);
	if (l->offered.scopes == 0 || l->user.disabled)
		look_say(l, IPC_OAUTH_ACCESS_DENIED, "the user's role has none of the scopes that were asked for");
	else if (l->m->decision == IPC_DECISION_NONE)
		look_say(l, IPC_OAUTH_CONSENT, "");
	else
		look_decide(l);
}

void
device_look(struct auth *a, const struct ipc_device_look *m, uint64_t now_ms, uint64_t now_ns,
    struct device_said *said, struct ipc_device_shown *out)
{
	struct device_viewing l = { .a = a, .m = m, .now_ms = now_ms, .now_ns = now_ns, .said = said, .out = out };
	struct event e;

	memset(said, 0, sizeof(*said));
	*out = (struct ipc_device_shown){ .outcome = IPC_OAUTH_DONE, .client_source = IPC_CLIENT_UNKNOWN };
	if (!device_is_served(a, m->issuer))
		look_say(&l, IPC_OAUTH_UNAVAILABLE, "devices do not sign in here");
	else if (look_user(&l) && m->user_code.len > 0 && look_may(&l)) {
		look_at_code(&l);
		e = look_event(&l);
		if (!l.wrong)
			events_back(a, &e, now_ns);
	}
	store_client_fini(&l.client);
}
