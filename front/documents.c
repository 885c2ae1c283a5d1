/* documents.c - see documents.h. */
#include <string.h>

#include "base/b64.h"
#include "base/json.h"
#include "front/documents.h"
#include "policy/scopes.h"

static void
put_url(struct buf *out, const char *name, struct span issuer, const char *path)
{
	struct buf url = { .max = 0 };

	buf_span(&url, issuer);
	buf_str(&url, path);
	json_write_string(out, span_str(name));
	buf_byte(out, ':');
	json_write_string(out, buf_view(&url));
	buf_fini(&url);
}

void
document_put_resource(struct buf *out, struct span issuer, const char *path)
{
	buf_byte(out, '{');
	put_url(out, "resource", issuer, path);
	buf_str(out, ",\"authorization_servers\":[");
	json_write_string(out, issuer);
	buf_str(out, "],\"scopes_supported\":");
	policy_scopes_json(POLICY_SCOPES_ALL, out);
	buf_str(out, ",\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"Carrel\"}");
}

void
document_put_server(struct buf *out, struct span issuer, bool registration, bool documents, bool openid)
{
	static const struct {
		const char *name, *path;
	} endpoints[] = {
		{ "authorization_endpoint", "/api/oauth/authorize" },
		{ "token_endpoint", "/api/oauth/token" },
		{ "registration_endpoint", "/api/oauth/register" },
		{ "revocation_endpoint", "/api/oauth/revoke" },
		{ "jwks_uri", "/api/oauth/jwks.json" },
	};

	buf_byte(out, '{');
	put_url(out, "issuer", issuer, "");
	for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
		if (!registration && strcmp(endpoints[i].name, "registration_endpoint") == 0)
			continue;
		buf_byte(out, ',');
		put_url(out, endpoints[i].name, issuer, endpoints[i].path);
	}
	buf_str(out,
	    ",\"response_types_supported\":[\"code\"],\"response_modes_supported\":[\"query\"],"
	    "\"grant_types_supported\":[\"authorization_code\",\"refresh_token\"],"
	    "\"code_challenge_methods_supported\":[\"S256\"],"
	    "\"token_endpoint_auth_methods_supported\":[\"none\"],"
	    "\"revocation_endpoint_auth_methods_supported\":[\"none\"],"
	    "\"scopes_supported\":");
	policy_scopes_json(POLICY_SCOPES_ALL, out);
	buf_str(out,
	    ",\"authorization_response_iss_parameter_supported\":true,"
	    "\"client_id_metadata_document_supported\":");
	buf_str(out, documents ? "true" : "false");
	if (openid)
		buf_str(out,
		    ",\"subject_types_supported\":[\"public\"],"
		    "\"id_token_signing_alg_values_supported\":[\"EdDSA\"]");
	buf_byte(out, '}');
}

void
document_put_keys(struct buf *out, const struct document_key *keys, size_t n)
{
	buf_str(out, "{\"keys\":[");
	for (size_t i = 0; i < n; i++) {
		buf_str(out, i > 0 ? ",{" : "{");
		buf_str(out, "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"");
		b64url_encode(out, span_of(keys[i].x, sizeof(keys[i].x)));
		buf_str(out, "\",\"kid\":");
		json_write_string(out, span_str(keys[i].kid));
		buf_str(out, ",\"use\":\"sig\",\"alg\":\"EdDSA\"}");
	}
	buf_str(out, "]}");
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
