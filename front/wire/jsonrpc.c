#include <inttypes.h>

#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "front/wire/jsonrpc.h"

bool
rpc_is_id(const struct mp_value *v)
{
	return v->class == MP_STR || v->class == MP_INT || v->class == MP_UINT;
}

static void
invalid(struct rpc *out, const char *problem)
{
	out->kind = RPC_INVALID;
	out->problem = problem;
}

void
rpc_read(const struct mp_value *message, struct rpc *out)
{
	struct mp_value version, method, outcome;
	bool has_id;

	*out = (struct rpc){ .kind = RPC_INVALID };
	out->id.class = out->params.class = out->meta.class = MP_NIL;
	if (message->class != MP_MAP) {
		invalid(out, "a message must be an object");
		return;
	}
	has_id = mp_get(message, "id", &out->id);
	if (has_id && (!rpc_is_id(&out->id) || (out->id.class == MP_STR && out->id.s.len > JSONRPC_ID_MAX))) {
		out->id.class = MP_NIL;
		invalid(out, "the id must be a string or an integer");
		return;
	}
	if (!mp_get(message, "jsonrpc", &version) || version.class != MP_STR || !span_is_str(version.s, "2.0")) {
		invalid(out, "\"jsonrpc\" must be \"2.0\"");
		return;
	}
	if (!mp_get(message, "method", &method)) {
		if (has_id && (mp_get(message, "result", &outcome) || mp_get(message, "error", &outcome)))
			out->kind = RPC_RESPONSE;
		else
			invalid(out, "\"method\" is missing");
		return;
	}
	if (method.class != MP_STR) {
		invalid(out, "\"method\" must be a string");
		return;
	}
	out->method = method.s;
	if (mp_get(message, "params", &out->params) && out->params.class != MP_MAP) {
		out->params.class = MP_NIL;
		invalid(out, "\"params\" must be an object");
		return;
	}
	mp_get(&out->params, "_meta", &out->meta);
	out->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
}

void
rpc_put_id(struct buf *out, const struct mp_value *id)
{
	switch (id->class) {
	case MP_STR:
		json_write_string(out, id->s);
		break;
	case MP_INT:
		buf_printf(out, "%" PRId64, id->i);
		break;
	case MP_UINT:
		buf_uint(out, id->u);
		break;
	default:
		break;
	}
}

void
rpc_put_error(struct buf *out, struct span id, int code, const char *message, struct span data)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "jsonrpc", "2.0");
	if (id.len > 0)
		json_put_raw(out, "id", id);
	json_put_object(out, "error");
	json_put_key(out, "code");
	buf_printf(out, "%d", code);
	json_put_cstr(out, "message", message);
	if (data.len > 0)
		json_put_raw(out, "data", data);
	json_end_object(out);
	json_end_object(out);
}

int
rpc_code_of_fault(enum json_fault fault)
{
	return fault == JSON_DUPLICATE_KEY ? RPC_INVALID_REQUEST : RPC_PARSE;
}

void
rpc_begin_notification(struct buf *out, const char *method)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "jsonrpc", "2.0");
	json_put_cstr(out, "method", method);
	json_put_object(out, "params");
}
