#include "base/json/json_read.h"
#include "base/mp.h"
#include "front/http/conn_write.h"
#include "front/oauth/oauth_reply.h"
#include "front/oauth/oauth_request.h"
#include "front/admin/settings.h"
#include "policy/scopes.h"

#define CHANGE_MAX	65536u	/* bytes of PREFERENCES' change */

/* The fault of a PATCH's body; NULL: none. */
static const char *
read_change(struct span body, struct buf *out, struct span *change)
{
	struct mp_value document, v;
	enum json_fault fault;
	size_t at;

	fault = json_read(body, out, &at);
	if (fault != JSON_OK)
		return json_fault_text(fault);
	if (!mp_value(buf_view(out), &document) || document.class != MP_MAP || document.n != 1 ||
	    !mp_get(&document, "dataAgent", &v) || v.class != MP_MAP)
		return "the body must be {\"dataAgent\": {…}}";
	if (v.raw.len > CHANGE_MAX)
		return "dataAgent is larger than 64 KiB";
	*change = v.raw;
	return NULL;
}

static void
on_preferred(struct oauth_request *r, const union ipc_any *answer)
{
	struct mp_value preferences;
	struct buf out = { .max = 0 };

	if (answer == NULL || answer->preferred.outcome == IPC_OAUTH_UNAVAILABLE) {
		oauth_reply_refuse(r, 503, ERR_SERVICE_UNAVAILABLE,
		    "preferences cannot be read at the moment; try again");
		return;
	}
	if (answer->preferred.outcome != IPC_OAUTH_DONE || !mp_value(answer->preferred.preferences, &preferences)) {
		buf_span(&out, answer->preferred.message);
		oauth_reply_refuse(r, 400, ERR_NONE, buf_cstr(&out));
	} else {
		cJSON *document = document_new();

		document_put_value(document, "dataAgent", &preferences);
		oauth_reply_json(r, 200, document);
	}
	buf_fini(&out);
}

void
settings_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	bool changes = q->method == HTTP_PATCH;
	uint32_t needed = changes ? POLICY_SCOPE_DATA_AGENT_WRITE : POLICY_SCOPE_DATA_AGENT_READ;
	struct span change = MP_EMPTY_MAP;
	struct buf room = { .max = 4 * CHANGE_MAX };
	struct oauth_request *r;
	const char *wrong = NULL;

	if (changes)
		wrong = read_change(body, &room, &change);
	if ((who->scopes & needed) == 0)
		conn_refuse(c, 403,
		    changes ? "this needs the scope data_agent:write" : "this needs the scope data_agent:read",
		    &(struct http_reply){ .refusal = ERR_SCOPE_DENIED });
	else if (wrong != NULL)
		conn_refuse(c, 400, wrong, NULL);
	else {
		r = oauth_request_begin(c, q);
		oauth_request_ask(r, IPC_MSG_PREFERENCES, &(struct ipc_preferences){
		    .principal = span_str(who->id), .change = change }, IPC_MSG_PREFERRED, on_preferred);
	}
	buf_fini(&room);
}
