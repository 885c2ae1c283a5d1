#include "workers/fetch/identity.h"

#include "base/json/json_read.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/text/b64.h"
#include "base/text/percent.h"
#include "policy/sign_in.h"
#include "workers/jose/id_token.h"

#define NIL	SPAN("\xc0")	/* as msgpack */
#define URL_MAX	2048u
#define GROUPS_MAX	49152u	/* bytes of msgpack */

static bool
is_any_address(const uint8_t address[NET_ADDRESS])
{
	(void)address;
	return true;
}

static void
put_field(struct buf *form, const char *name, struct span value)
{
	buf_printf(form, "%s%s=", form->len > 0 ? "&" : "", name);
	percent_put(form, value, percent_is_unreserved);
}

/* The client's identifier and secret (RFC 6749 2.3.1), in the header where the provider takes it there. */
static void
put_client(const struct ipc_configure_fetch *step, struct fetch *f)
{
	struct buf pair = { 0 };

	if (step->client_secret.len == 0 || step->post != 0)
		put_field(&f->form, "client_id", step->client_id);
	if (step->client_secret.len > 0 && step->post != 0)
		put_field(&f->form, "client_secret", step->client_secret);
	else if (step->client_secret.len > 0) {
		percent_put(&pair, step->client_id, percent_is_unreserved);
		buf_byte(&pair, ':');
		percent_put(&pair, step->client_secret, percent_is_unreserved);
		buf_str(&f->authorization, "Authorization: Basic ");
		b64_encode(&f->authorization, buf_view(&pair));
	}
	buf_wipe(&pair);
}

int
identity_prepare(const struct ipc_configure_fetch *step, const struct fetch_terms *common, struct fetch *f,
    struct err *err)
{
	struct fetch_terms terms = *common;
	struct web_url at = { .tls = false }, issuer;
	bool elsewhere;

	if (!web_url_read(step->url, &at) || !web_url_read(step->issuer, &issuer) || (!at.tls && issuer.tls))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the provider's configuration names a URL that is not asked: %.*s", SPAN_FMT(step->url));
	elsewhere = at.tls && !span_is(at.host, issuer.host);
	terms.not_own = elsewhere && common->not_own;
	terms.may = elsewhere ? common->may : at.tls ? is_any_address : net_is_loopback;
	if (terms.port == 0)
		terms.port = at.port;
	fetch_init(f, step->url, &at, &terms);
	if (step->authorities.len > 0)
		f->terms.authorities = f->own = mem_text(step->authorities);
	if (step->step != IPC_STEP_EXCHANGE)
		return 0;
	put_field(&f->form, "grant_type", SPAN("authorization_code"));
	put_field(&f->form, "code", step->code);
	put_field(&f->form, "redirect_uri", step->redirect_uri);
	put_field(&f->form, "code_verifier", step->verifier);
	put_client(step, f);
	return 0;
}

/* The member, an endpoint that may be asked.  False: it is missing, or no URL. */
static bool
take_url(const struct mp_value *document, const char *name, struct span *out)
{
	*out = mp_get_str(document, name, SPAN(""));
	return out->len <= URL_MAX && web_url_read(*out, NULL);
}

/* Whether the array, which may be missing, has this text: missing counts as otherwise. */
static bool
does_list(const struct mp_value *document, const char *name, const char *text, bool otherwise)
{
	struct mp_value list, each;
	struct mp_iter it;

	if (!mp_get(document, name, &list) || list.class != MP_ARRAY)
		return otherwise;
	for (it = mp_iter(&list); mp_next(&it, &each);)
		if (each.class == MP_STR && span_is_str(each.s, text))
			return true;
	return false;
}

/* OpenID Connect Discovery 1.0, 4.2 and 4.3: the document is the issuer's own, to the byte. */
static const char *
read_discovery(const struct ipc_configure_fetch *step, const struct mp_value *document, struct ipc_identified *out)
{
	static const char auth_methods[] = "token_endpoint_auth_methods_supported";

	if (!span_is(mp_get_str(document, "issuer", SPAN("")), step->issuer))
		return "the provider's configuration is of another issuer than auth.oidc.issuer";
	if (!take_url(document, "authorization_endpoint", &out->authorization) ||
	    !take_url(document, "token_endpoint", &out->token_endpoint) ||
	    !take_url(document, "jwks_uri", &out->jwks_uri))
		return "the provider's configuration lacks an endpoint, or has one that is not asked";
	if (!does_list(document, "code_challenge_methods_supported", "S256", true))
		return "the provider does not take PKCE with S256";
	out->says_issuer = mp_get_bool(document, "authorization_response_iss_parameter_supported", false);
	out->post = !does_list(document, auth_methods, "client_secret_basic", true) &&
	    does_list(document, auth_methods, "client_secret_post", false);
	return NULL;
}

/* Verify the token and take the identity from it.  Spans borrow from the token's room, the claims are in room. */
static void
read_identity(const struct ipc_configure_fetch *step, struct span token, const struct mp_value *keys, uint64_t now_s,
    struct jose *t, struct buf *room, struct ipc_identified *out)
{
	struct mp_value names;
	const struct id_token_terms terms = { .issuer = step->issuer, .client = step->client_id, .nonce = step->nonce,
		.name_claim = step->name_claim, .role_claim = step->role_claim };
	struct id_token id;

	if ((out->outcome = jose_read(token, t)) != SIGN_IN_DONE ||
	    (out->outcome = jose_verify(t, keys)) != SIGN_IN_DONE ||
	    (out->outcome = id_token_check(&t->claims, &terms, now_s, &id)) != SIGN_IN_DONE)
		return;
	out->subject = id.subject;
	out->name = id.name;
	if (id.groups.class == MP_STR || (id.groups.class == MP_ARRAY && id.groups.n <= ID_TOKEN_GROUPS))
		out->groups = id.groups.raw.len <= GROUPS_MAX ? id.groups.raw : NIL;
	if (mp_scan(step->claims) == MP_OK && mp_value(step->claims, &names))
		id_token_keep(&t->claims, &names, room);
	out->claims = buf_view(room);
}

/* The answer to a code (OpenID Connect Core 1.0, 3.1.3.3); a token of an unknown key goes back, for the step after. */
static const char *
read_exchange(const struct ipc_configure_fetch *step, const struct mp_value *document, uint64_t now_s, struct jose *t,
    struct buf *room, struct ipc_identified *out)
{
	struct span token = mp_get_str(document, "id_token", SPAN(""));
	struct mp_value keys = { .class = MP_NIL };

	if (token.len == 0 || token.len > JOSE_TOKEN_MAX)
		return "the provider's answer has no identity token, or one that is too long";
	(void)mp_value(step->keys, &keys);
	read_identity(step, token, &keys, now_s, t, room, out);
	if (out->outcome == SIGN_IN_KEY_UNKNOWN)
		out->token = token;
	return NULL;
}

/* Of an issuer of access tokens only the keys are of interest; its document is its own, to the byte, as well. */
static const char *
read_issuer(const struct ipc_configure_fetch *step, const struct mp_value *document, struct ipc_identified *out)
{
	if (!span_is(mp_get_str(document, "issuer", SPAN("")), step->issuer))
		return "the issuer's configuration is of another issuer than that of auth.issuers";
	return take_url(document, "jwks_uri", &out->jwks_uri) ?
	    NULL :
	    "the issuer's configuration lacks jwks_uri, or has one that is not asked";
}

static const char *
read_keys(const struct ipc_configure_fetch *step, const struct mp_value *document, uint64_t now_s, struct jose *t,
    struct buf *room, struct ipc_identified *out)
{
	struct mp_value keys;

	if (!mp_get(document, "keys", &keys) || keys.class != MP_ARRAY || keys.n > JOSE_KEYS_MAX)
		return "the provider's key set is no key set, or too large";
	out->keys = document->raw;
	if (step->token.len > 0)
		read_identity(step, step->token, document, now_s, t, room, out);
	return NULL;
}

void
identity_tell(const struct ipc_configure_fetch *step, const struct fetched *got, uint64_t now_s)
{
	struct ipc_identified out = { .outcome = SIGN_IN_DONE, .keep_s = got->keep_s, .keys = NIL, .groups = NIL };
	struct buf storage = { 0 }, room = { 0 };
	struct mp_value document;
	struct jose t = { .room = { 0 } };
	const char *wrong = NULL;
	size_t at;

	if (json_read(buf_view(&got->body), &storage, &at) != JSON_OK || !mp_value(buf_view(&storage), &document) ||
	    document.class != MP_MAP)
		wrong = "the provider's answer is no JSON object";
	else if (step->step == IPC_STEP_DISCOVER)
		wrong = read_discovery(step, &document, &out);
	else if (step->step == IPC_STEP_ISSUER || step->step == IPC_STEP_SERVER)
		wrong = read_issuer(step, &document, &out);
	else if (step->step == IPC_STEP_KEYS)
		wrong = read_keys(step, &document, now_s, &t, &room, &out);
	else
		wrong = read_exchange(step, &document, now_s, &t, &room, &out);
	if (wrong == NULL && control_send(CONTRACT_FD_CONTROL, IPC_MSG_IDENTIFIED, &out, -1) != 0)
		wrong = "the provider's answer is too large";
	if (wrong != NULL)
		identity_fail(span_str(wrong), false);
	jose_fini(&t);
	buf_fini(&room);
	buf_wipe(&storage);
}

void
identity_fail(struct span reason, bool missing)
{
	(void)control_send(CONTRACT_FD_CONTROL, IPC_MSG_IDENTIFIED,
	    &(struct ipc_identified){
		.outcome = SIGN_IN_PROVIDER, .reason = reason, .missing = missing, .keys = NIL, .groups = NIL },
	    -1);
}
