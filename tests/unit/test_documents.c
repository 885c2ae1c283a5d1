// libs: carrel_front
/* test_documents.c - the documents of OAuth, member by member. */
#include "base/json/document.h"
#include "front/wire/documents.h"
#include "front/oauth/oauth_reply.h"
#include "tests/unit/harness.h"
#include "web/pages.h"

#define SCOPES "[\"research:read\",\"research:query\",\"memory:write\",\"ontologies:read\",\"data_agent:read\"," \
	"\"data_agent:write\",\"ext:datasets\",\"ext:schema\",\"ext:search\",\"ext:sql\",\"connectivity:admin\"]"

#define SERVER_TO(register) \
	"{\"issuer\":\"https://h\",\"authorization_endpoint\":\"https://h/api/oauth/authorize\"," \
	"\"token_endpoint\":\"https://h/api/oauth/token\"," register \
	"\"revocation_endpoint\":\"https://h/api/oauth/revoke\",\"jwks_uri\":\"https://h/api/oauth/jwks.json\"," \
	"\"response_types_supported\":[\"code\"],\"response_modes_supported\":[\"query\"]," \
	"\"grant_types_supported\":[\"authorization_code\",\"refresh_token\"]," \
	"\"code_challenge_methods_supported\":[\"S256\"],\"token_endpoint_auth_methods_supported\":[\"none\"]," \
	"\"revocation_endpoint_auth_methods_supported\":[\"none\"],\"scopes_supported\":" SCOPES "," \
	"\"authorization_response_iss_parameter_supported\":true,\"client_id_metadata_document_supported\":false"

static void
resources(void **state)
{
	struct buf out = { .max = 0 };

	(void)state;
	document_put_resource(&out, SPAN("https://h"), DOCUMENTS_MCP, SPAN(""), SPAN(""));
	assert_buf(&out,
	    "{\"resource\":\"https://h/mcp\",\"authorization_servers\":[\"https://h\"],"
	    "\"scopes_supported\":" SCOPES ",\"bearer_methods_supported\":[\"header\"],"
	    "\"resource_name\":\"Carrel\"}");
	buf_fini(&out);
}

static void
server(void **state)
{
	struct buf out = { .max = 0 };

	(void)state;
	document_put_server(&out, SPAN("https://h"), DOCUMENT_REGISTRATION, SPAN(""));
	assert_buf(&out, SERVER_TO("\"registration_endpoint\":\"https://h/api/oauth/register\",") "}");
	buf_reset(&out, SIZE_MAX);
	document_put_server(&out, SPAN("https://h"), DOCUMENT_OPENID, SPAN(""));
	assert_buf(&out,
	    SERVER_TO("") ",\"subject_types_supported\":[\"public\"],"
			  "\"id_token_signing_alg_values_supported\":[\"EdDSA\"]}");
	buf_reset(&out, SIZE_MAX);
	document_put_server(&out, SPAN("https://h"), DOCUMENT_DEVICE, SPAN(""));
	assert_holds(buf_cstr(&out), "\"device_authorization_endpoint\":\"https://h/api/oauth/device\",\"revocation");
	assert_holds(buf_cstr(&out),
	    "[\"authorization_code\",\"refresh_token\",\"urn:ietf:params:oauth:grant-type:device_code\"]");
	buf_fini(&out);
}

static void
keys(void **state)
{
	struct document_key all[2] = { { .kid = "a" }, { .kid = "b", .until_unix_ms = 7 } };
	struct buf out = { .max = 0 };

	(void)state;
	document_put_keys(&out, all, 2);
	assert_buf(&out,
	    "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\","
	    "\"kid\":\"a\",\"use\":\"sig\",\"alg\":\"EdDSA\"},{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
	    "\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"kid\":\"b\",\"use\":\"sig\",\"alg\":\"EdDSA\"}]}");
	buf_reset(&out, SIZE_MAX);
	document_put_keys(&out, NULL, 0);
	assert_buf(&out, "{\"keys\":[]}");
	buf_fini(&out);
}

/* The path of public_url stands behind the name of the document (RFC 9728 3.1). */
static void
places(void **state)
{
	struct buf out = { .max = 0 };

	(void)state;
	document_put_place(&out, SPAN("https://h:8443"), DOCUMENTS_MCP);
	assert_buf(&out, "https://h:8443/.well-known/oauth-protected-resource/mcp");
	buf_reset(&out, SIZE_MAX);
	document_put_place(&out, SPAN("https://h/carrel"), DOCUMENTS_DATA_AGENT);
	assert_buf(&out, "https://h/.well-known/oauth-protected-resource/carrel/api/data-agent/mcp");
	buf_fini(&out);
	assert_int_equal(document_origin(SPAN("https://h/carrel")), 9);
	assert_int_equal(document_origin(SPAN("https://h")), 9);
}

/* What a policy names for a redirect, and nothing that would say more there. */
static void
sources(void **state)
{
	static const struct {
		const char *redirect, *source;
	} rows[] = {
		{ "https://claude.ai/api/mcp/auth_callback", " https://claude.ai" },
		{ "http://127.0.0.1:53411/callback?x=1", " http://127.0.0.1:53411" },
		{ "http://localhost/callback", " http://localhost" },
		{ "http://[::1]:5/cb", " http:" },
		{ "cursor://anysphere.cursor-mcp/oauth/callback", " cursor:" },
		{ "vscode-insiders://x/y", " vscode-insiders:" },
		{ "https://h;script-src *", " https:" },
		{ "https://h?x=/", " https://h" },
		{ "https://a b/", " https:" },
		{ "'unsafe inline':x", "" },
		{ "no scheme", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = { .max = 0 };

		oauth_reply_put_source(&out, span_str(rows[i].redirect));
		assert_string_equal(out.len == 0 ? "" : buf_cstr(&out), rows[i].source);
		buf_fini(&out);
	}
}

/* What front/rest/rest_openapi.c puts operations into; the servers stand behind all of it. */
static void
openapi_frame(void **state)
{
	cJSON *document = document_read(span_str(web_openapi_json)), *components;

	(void)state;
	assert_non_null(document);
	assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(document, "paths"), "/health"));
	assert_non_null(components = cJSON_GetObjectItem(document, "components"));
	assert_non_null(cJSON_GetObjectItem(components, "schemas"));
	assert_non_null(cJSON_GetObjectItem(components, "responses"));
	assert_null(cJSON_GetObjectItem(document, "servers"));
	document_free(document);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resources),
		cmocka_unit_test(server),
		cmocka_unit_test(keys),
		cmocka_unit_test(places),
		cmocka_unit_test(sources),
		cmocka_unit_test(openapi_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
