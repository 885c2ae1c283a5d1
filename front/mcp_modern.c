/* mcp_modern.c - the 2026-07-28 revision: checks of every request. */
#include <string.h>

#include "base/b64.h"
#include "base/json.h"
#include "base/utf8.h"
#include "front/elicit.h"
#include "front/mcp.h"
#include "front/mcp_handlers.h"
#include "front/mcp_modern.h"
#include "front/tasks.h"

#define META_VERSION		"io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES	"io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT		"io.modelcontextprotocol/clientInfo"
#define META_LOG_LEVEL		"io.modelcontextprotocol/logLevel"

static bool
modern_refuse(struct mcp_refusal *r, int status, int code, const char *message)
{
	r->status = status;
	r->code = code;
	r->message = message;
	return false;
}

bool
mcp_has_claim(const struct mp_value *meta, struct mp_value *version)
{
	return mp_get(meta, META_VERSION, version);
}

/* The required and the optional members of _meta. */
static bool
check_meta(const struct mp_value *meta, struct mp_value *version, struct mcp_refusal *r)
{
	struct mp_value v, member;

	if (!mp_get(meta, META_VERSION, version) || version->class != MP_STR)
		return modern_refuse(r, 400, RPC_INVALID_PARAMS, "_meta[\"" META_VERSION "\"] must be a string");
	if (!mp_get(meta, META_CAPABILITIES, &v) || v.class != MP_MAP)
		return modern_refuse(r, 400, RPC_INVALID_PARAMS, "_meta[\"" META_CAPABILITIES "\"] must be an object");
	if (mp_get(meta, META_CLIENT, &v) &&
	    (v.class != MP_MAP || !mp_get(&v, "name", &member) || member.class != MP_STR ||
		!mp_get(&v, "version", &member) || member.class != MP_STR))
		return modern_refuse(r, 400, RPC_INVALID_PARAMS, "_meta[\"" META_CLIENT "\"] needs name and version");
	if (mp_get(meta, META_LOG_LEVEL, &v) && (v.class != MP_STR || mcp_level_of(v.s) == IPC_LEVELS))
		return modern_refuse(r, 400, RPC_INVALID_PARAMS, "_meta[\"" META_LOG_LEVEL "\"] is no log level");
	return true;
}

/* The parameter that Mcp-Name must repeat, for the methods that have one. */
static const char *
named_by(struct span method)
{
	if (span_is_str(method, "tools/call") || span_is_str(method, "prompts/get"))
		return "name";
	if (span_is_str(method, "resources/read"))
		return "uri";
	if (span_is_str(method, "tasks/get") || span_is_str(method, "tasks/update") ||
	    span_is_str(method, "tasks/cancel"))
		return "taskId";
	return NULL;
}

bool
mcp_decode_name(struct span header, struct buf *out)
{
	static const char opening[] = "=?base64?";
	size_t n = sizeof(opening) - 1;

	if (header.len < n + 2 || memcmp(header.p, opening, n) != 0 ||
	    memcmp(header.p + header.len - 2, "?=", 2) != 0) {
		buf_span(out, header);
		return true;
	}
	return b64_decode(out, span_of(header.p + n, header.len - n - 2)) && utf8_valid(out->p, out->len);
}

/* Mcp-Name must repeat the parameter that named_by() gives for the method. */
static bool
check_name(const struct rpc *rpc, const struct mcp_headers *headers, struct mcp_refusal *r)
{
	const char *member = named_by(rpc->method);
	struct buf decoded = { .max = 16384 };
	struct mp_value v;
	bool same;

	if (member == NULL || !mp_get(&rpc->params, member, &v) || v.class != MP_STR)
		return true;
	if (headers->name.p == NULL)
		return modern_refuse(r, 400, RPC_HEADER_MISMATCH, "the Mcp-Name header is missing");
	same = mcp_decode_name(headers->name, &decoded) && span_is(buf_view(&decoded), v.s);
	buf_fini(&decoded);
	return same || modern_refuse(r, 400, RPC_HEADER_MISMATCH, "the Mcp-Name header does not agree with the body");
}

static bool
check_version(struct span claimed, struct mcp_refusal *r)
{
	if (mcp_revision_of(claimed) == MCP_2026_07_28)
		return true;
	buf_printf(&r->data, "{\"supported\":[\"%s\"],\"requested\":", mcp_revision_name(MCP_2026_07_28));
	json_write_string(&r->data, claimed);
	buf_byte(&r->data, '}');
	return modern_refuse(r, 400, RPC_VERSION_UNSUPPORTED, "this protocol version is not supported");
}

void
mcp_modern_client(struct exchange *x, const struct mp_value *meta)
{
	struct mp_value v;

	mp_get(meta, META_CAPABILITIES, &v);
	x->accepts.can = ask_can(&v);
	x->accepts.tasks = tasks_offered(x->front) && tasks_declared(&v);
	if (mp_get(meta, META_LOG_LEVEL, &v))
		x->accepts.notices = mcp_level_of(v.s) + 1;
}

void
mcp_modern_check(const struct rpc *rpc, const struct mcp_headers *headers, struct mcp_refusal *r)
{
	struct mp_value version;

	r->status = 0;
	if (!check_meta(&rpc->meta, &version, r))
		return;
	if (headers != NULL && headers->version.p != NULL && !span_is(headers->version, version.s))
		modern_refuse(r, 400, RPC_HEADER_MISMATCH,
		    "the MCP-Protocol-Version header does not agree with the body");
	else if (headers != NULL && headers->method.p != NULL && !span_is(headers->method, rpc->method))
		modern_refuse(r, 400, RPC_HEADER_MISMATCH, "the Mcp-Method header does not agree with the body");
	else if (!check_version(version.s, r))
		return;
	else if (headers != NULL && headers->version.p == NULL)
		modern_refuse(r, 400, RPC_HEADER_MISMATCH, "the MCP-Protocol-Version header is missing");
	else if (headers != NULL && headers->method.p == NULL)
		modern_refuse(r, 400, RPC_HEADER_MISMATCH, "the Mcp-Method header is missing");
	else if (headers != NULL)
		check_name(rpc, headers, r);
}
