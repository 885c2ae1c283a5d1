#include "base/text/b64.h"
#include "base/json/document.h"
#include "front/wire/documents.h"
#include "policy/scopes.h"

static void
put_url(cJSON *document, const char *name, struct span issuer, const char *path)
{
	struct buf url = { .max = 0 };

	buf_span(&url, issuer);
	buf_str(&url, path);
	document_put_span(document, name, buf_view(&url));
	buf_fini(&url);
}

static void
put_scopes(cJSON *document, struct span team)
{
	cJSON *list = document_put_list(document, "scopes_supported");
	struct buf scope = { .max = 0 };
	struct mp_value all, each;
	struct mp_iter it;

	for (unsigned bit = 0; bit < 32; bit++) {
		buf_reset(&scope, SIZE_MAX);
		policy_scopes_text(POLICY_SCOPES_ALL & UINT32_C(1) << bit, &scope);
		if (scope.len > 0)
			document_put_span(list, NULL, buf_view(&scope));
	}
	if (mp_value(team, &all) && all.class == MP_ARRAY)
		for (it = mp_iter(&all); mp_next(&it, &each);) {
			buf_reset(&scope, SIZE_MAX);
			buf_printf(&scope, POLICY_TOOL_SCOPE "%.*s", SPAN_FMT(mp_get_str(&each, "name", SPAN(""))));
			document_put_span(list, NULL, buf_view(&scope));
		}
	buf_fini(&scope);
}

void
document_put_resource(struct buf *out, struct span issuer, const char *path, struct span others,
    struct span team)
{
	cJSON *document = document_new(), *servers;
	struct mp_value all, each;
	struct mp_iter it;

	put_url(document, "resource", issuer, path);
	servers = document_put_list(document, "authorization_servers");
	/* Clients take the first: who names other issuers wants people to sign in there. */
	if (mp_value(others, &all) && all.class == MP_ARRAY)
		for (it = mp_iter(&all); mp_next(&it, &each);)
			document_put_span(servers, NULL, mp_get_str(&each, "issuer", SPAN("")));
	document_put_span(servers, NULL, issuer);
	put_scopes(document, team);
	document_put_texts(document, "bearer_methods_supported", "header", NULL);
	document_put_text(document, "resource_name", "Carrel");
	document_finish(out, document);
}

void
document_put_server(struct buf *out, struct span issuer, unsigned traits, struct span team)
{
	bool device = (traits & DOCUMENT_DEVICE) != 0;
	cJSON *document = document_new();

	put_url(document, "issuer", issuer, "");
	put_url(document, "authorization_endpoint", issuer, "/api/oauth/authorize");
	put_url(document, "token_endpoint", issuer, "/api/oauth/token");
	if ((traits & DOCUMENT_REGISTRATION) != 0)
		put_url(document, "registration_endpoint", issuer, "/api/oauth/register");
	if (device)
		put_url(document, "device_authorization_endpoint", issuer, "/api/oauth/device");
	put_url(document, "revocation_endpoint", issuer, "/api/oauth/revoke");
	put_url(document, "jwks_uri", issuer, "/api/oauth/jwks.json");
	document_put_texts(document, "response_types_supported", "code", NULL);
	document_put_texts(document, "response_modes_supported", "query", NULL);
	document_put_texts(document, "grant_types_supported", "authorization_code", "refresh_token",
	    device ? DOCUMENTS_DEVICE_GRANT : NULL, NULL);
	document_put_texts(document, "code_challenge_methods_supported", "S256", NULL);
	document_put_texts(document, "token_endpoint_auth_methods_supported", "none", NULL);
	document_put_texts(document, "revocation_endpoint_auth_methods_supported", "none", NULL);
	put_scopes(document, team);
	document_put_bool(document, "authorization_response_iss_parameter_supported", true);
	document_put_bool(document, "client_id_metadata_document_supported", (traits & DOCUMENT_CLIENT_DOCUMENTS) != 0);
	if ((traits & DOCUMENT_OPENID) != 0) {
		document_put_texts(document, "subject_types_supported", "public", NULL);
		document_put_texts(document, "id_token_signing_alg_values_supported", "EdDSA", NULL);
	}
	document_finish(out, document);
}

void
document_put_keys(struct buf *out, const struct document_key *keys, size_t n)
{
	cJSON *document = document_new(), *list = document_put_list(document, "keys");
	struct buf x = { .max = 0 };

	for (size_t i = 0; i < n; i++) {
		cJSON *key = document_put_object(list, NULL);

		buf_reset(&x, SIZE_MAX);
		b64url_encode(&x, span_of(keys[i].x, sizeof(keys[i].x)));
		document_put_text(key, "kty", "OKP");
		document_put_text(key, "crv", "Ed25519");
		document_put_span(key, "x", buf_view(&x));
		document_put_text(key, "kid", keys[i].kid);
		document_put_text(key, "use", "sig");
		document_put_text(key, "alg", "EdDSA");
	}
	document_finish(out, document);
	buf_fini(&x);
}

size_t
document_origin(struct span url)
{
	size_t i = 0, slashes = 0;

	while (i < url.len && (url.p[i] != '/' || ++slashes < 3))
		i++;
	return i;
}

void
document_put_place(struct buf *out, struct span issuer, const char *path)
{
	size_t origin = document_origin(issuer);

	buf_span(out, span_of(issuer.p, origin));
	buf_str(out, DOCUMENTS_RESOURCE);
	buf_span(out, span_of(issuer.p + origin, issuer.len - origin));
	buf_str(out, path);
}
