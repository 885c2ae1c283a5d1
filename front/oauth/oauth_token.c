#include "base/json/json_read.h"
#include "front/who/access_token.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_reply.h"
#include "front/oauth/oauth_token.h"
#include "policy/scopes.h"

#define TOO_LONG	SPAN("A parameter is too long.")

static bool
form_fits(const struct form *form, const struct oauth_bound *bounds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (form_get(form, bounds[i].name).len > bounds[i].max)
			return false;
	return true;
}

void
oauth_token_refused(struct oauth_request *r, uint64_t outcome, struct span message, uint64_t retry_after_s)
{
	int status = outcome == IPC_OAUTH_TOO_MANY                        ? 429 :
	    outcome == IPC_OAUTH_BUSY || outcome == IPC_OAUTH_UNAVAILABLE ? 503 :
	    outcome == IPC_OAUTH_INVALID_CLIENT                           ? 401 :
									    400;
	const char *error = oauth_error((enum ipc_oauth)outcome);

	oauth_reply_error(r, status, error != NULL ? error : "invalid_request", message,
	    status == 503 && retry_after_s == 0 ? 1 : (unsigned)retry_after_s);
}

struct oauth_request *
oauth_token_form(struct conn *c, const struct http_request *q, struct span body, const struct oauth_bound *bounds,
    size_t n)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *wrong = oauth_request_forms(r, q, body, NULL);

	if (wrong != NULL)
		oauth_reply_error(r, 400, "invalid_request", span_str(wrong), 0);
	else if (!form_fits(&r->body, bounds, n))
		oauth_reply_error(r, 400, "invalid_request", TOO_LONG, 0);
	else
		return r;
	return NULL;
}

static void
on_redeemed(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_redeemed *a;
	struct policy_named named = { "" };
	struct buf scope = { .max = 0 };
	cJSON *document;

	if (answer == NULL) {
		oauth_reply_unavailable(r, false);
		return;
	}
	a = &answer->redeemed;
	if (a->outcome != IPC_OAUTH_DONE) {
		oauth_token_refused(r, a->outcome, a->message, a->retry_after_s);
		return;
	}
	document = document_new();
	document_put_span(document, "access_token", a->access_token);
	document_put_text(document, "token_type", "Bearer");
	document_put_uint(document, "expires_in", a->expires_s);
	if (a->refresh_token.len > 0)
		document_put_span(document, "refresh_token", a->refresh_token);
	policy_scopes_text((uint32_t)a->scopes, &scope);
	if (a->tools.len < sizeof(named.text)) {
		memcpy(named.text, a->tools.p, a->tools.len);
		policy_named_text(named.text, &scope);
	}
	document_put_span(document, "scope", buf_view(&scope));
	buf_fini(&scope);
	oauth_reply_json(r, 200, document);
}

void
oauth_token_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	static const struct oauth_bound bounds[] = {
		{ "grant_type", 256 }, { "client_id", 4096 }, { "code", 1024 }, { "redirect_uri", 4096 },
		{ "code_verifier", 1024 }, { "refresh_token", 1024 }, { "device_code", 1024 },
		{ "resource", 4096 }, { "scope", 8192 },
	};
	struct oauth_request *r = oauth_token_form(c, q, body, bounds, sizeof(bounds) / sizeof(bounds[0]));

	(void)who;
	if (r == NULL)
		return;
	oauth_request_ask(r, IPC_MSG_REDEEM, &(struct ipc_redeem){ .issuer = r->issuer,
	    .address = span_str(r->address), .receipt = span_str(r->receipt),
	    .grant_type = form_get(&r->body, "grant_type"), .client_id = form_get(&r->body, "client_id"),
	    .code = form_get(&r->body, "code"), .redirect_uri = form_get(&r->body, "redirect_uri"),
	    .verifier = form_get(&r->body, "code_verifier"), .refresh_token = form_get(&r->body, "refresh_token"),
	    .device_code = form_get(&r->body, "device_code"), .resource = form_get(&r->body, "resource"),
	    .scope = form_get(&r->body, "scope") },
	    IPC_MSG_REDEEMED, on_redeemed);
}

static bool
wants_device(const struct oauth_request *r, const struct mp_value *said)
{
	struct mp_value list, each;
	struct mp_iter it;

	if (!r->front->oauth->device || !mp_get(said, "grant_types", &list) || list.class != MP_ARRAY)
		return false;
	for (it = mp_iter(&list); mp_next(&it, &each);)
		if (each.class == MP_STR && span_is_str(each.s, DOCUMENTS_DEVICE_GRANT))
			return true;
	return false;
}

/* The client's own words stay in r->target, as msgpack, until they are repeated in the answer. */
static void
on_registered(struct oauth_request *r, const union ipc_any *answer)
{
	const struct ipc_registered *a;
	struct mp_value said, redirects, name;
	cJSON *document;

	if (answer == NULL) {
		oauth_reply_unavailable(r, false);
		return;
	}
	a = &answer->registered;
	if (a->outcome != IPC_OAUTH_DONE || !mp_value(buf_view(&r->target), &said) ||
	    !mp_get(&said, "redirect_uris", &redirects)) {
		oauth_token_refused(r, a->outcome, a->message, a->retry_after_s);
		return;
	}
	document = document_new();
	document_put_span(document, "client_id", a->client_id);
	document_put_uint(document, "client_id_issued_at", a->issued_unix_s);
	document_put_value(document, "redirect_uris", &redirects);
	document_put_text(document, "token_endpoint_auth_method", "none");
	document_put_texts(document, "grant_types", "authorization_code", "refresh_token",
	    wants_device(r, &said) ? DOCUMENTS_DEVICE_GRANT : NULL, NULL);
	document_put_texts(document, "response_types", "code", NULL);
	if (mp_get(&said, "client_name", &name) && name.class == MP_STR)
		document_put_value(document, "client_name", &name);
	oauth_reply_json(r, 201, document);
}

/* The fault of a registration; NULL: none.  *error: the OAuth error code. */
static const char *
read_registration(const struct http_request *q, struct span body, struct buf *out, const char **error)
{
	struct span type = q->field[HTTP_CONTENT_TYPE];
	struct mp_value document, v, element;
	struct mp_iter it;
	size_t at;

	*error = "invalid_client_metadata";
	if (type.p == NULL || !http_media_type_is(type, "application/json"))
		return "The body must be application/json.";
	if (body.len > OAUTH_CLIENT_MAX)
		return "The document is larger than 16 KiB.";
	if (json_read(body, out, &at) != JSON_OK || !mp_value(buf_view(out), &document) || document.class != MP_MAP)
		return "The document is no JSON object.";
	if (mp_get(&document, "client_name", &v) && v.class != MP_STR && v.class != MP_NIL)
		return "client_name must be a string.";
	*error = "invalid_redirect_uri";
	if (!mp_get(&document, "redirect_uris", &v) || v.class != MP_ARRAY || v.n == 0)
		return "redirect_uris must be an array of URIs, at least one.";
	it = mp_iter(&v);
	while (mp_next(&it, &element))
		if (element.class != MP_STR)
			return "redirect_uris must be an array of strings.";
	return NULL;
}

void
oauth_register_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct oauth_request *r = oauth_request_begin(c, q);
	const char *error = NULL, *wrong;
	struct mp_value document, redirects;

	(void)who;
	if (!c->front->oauth->registration) {
		oauth_reply_error(r, 403, "access_denied",
		    SPAN("Clients cannot register here; the owner adds them: carrel client add."), 0);
		return;
	}
	wrong = read_registration(q, body, &r->target, &error);
	if (wrong != NULL || !mp_value(buf_view(&r->target), &document) ||
	    !mp_get(&document, "redirect_uris", &redirects)) {
		oauth_reply_error(r, 400, error, span_str(wrong), 0);
		return;
	}
	oauth_request_ask(r, IPC_MSG_REGISTER, &(struct ipc_register_client){ .address = span_str(r->address),
	    .receipt = span_str(r->receipt), .client_name = mp_get_str(&document, "client_name", SPAN("")),
	    .redirects = redirects.raw }, IPC_MSG_REGISTERED, on_registered);
}

static void
on_revoked(struct oauth_request *r, const union ipc_any *answer)
{
	if (answer == NULL)
		oauth_reply_unavailable(r, false);
	else if (answer->revoked.outcome != IPC_OAUTH_DONE)
		oauth_token_refused(r, answer->revoked.outcome, answer->revoked.message, 0);
	else
		oauth_reply_json(r, 200, document_new());
}

void
oauth_revoke_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	static const struct oauth_bound bounds[] = { { "client_id", 4096 }, { "token", 16384 } };
	struct oauth_request *r = oauth_token_form(c, q, body, bounds, sizeof(bounds) / sizeof(bounds[0]));
	struct span token, grant = SPAN("");
	struct jws access;

	(void)who;
	if (r == NULL)
		return;
	token = form_get(&r->body, "token");
	if (token.len == 0) {
		oauth_reply_error(r, 400, "invalid_request", SPAN("token is missing."), 0);
		return;
	}
	if (access_token_is_ours(r->front, token, &access) && access.grant.len <= 64)
		grant = access.grant;
	oauth_request_ask(r, IPC_MSG_REVOKE, &(struct ipc_revoke){ .address = span_str(r->address),
	    .receipt = span_str(r->receipt), .client_id = form_get(&r->body, "client_id"), .token = token,
	    .grant = grant }, IPC_MSG_REVOKED, on_revoked);
	jws_fini(&access);
}
