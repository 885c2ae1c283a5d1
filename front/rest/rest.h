/*
 * rest - what the owner published, for clients of plain HTTP: the operations at /api/v1/ext.
 *
 * An operation is a call of the tool that its row names (rest.def).  It passes the gateway like every call, and from
 * there on it is served by the same code; only its outcome is written in another form: the tool's object alone, or
 * {"error":{"code":…,"message":…,"details":…},"request_id":…} with the code's status.  REST_PATH/tools/NAME is a call
 * of the team's tool NAME, and of no other; REST_PATH/tools/NAME/values/PARAMETER gives a parameter's values.
 */
#pragma once

#include "base/err.h"
#include "front/http/conn.h"
#include "front/mcp/call_gate.h"

struct transport;

#define REST_PATH	"/api/v1/ext"
#define REST_TOOLS	"/tools/"	/* and the name of a tool of the team's */
#define REST_VALUES	"/values/"	/* and behind it that of a parameter */

struct rest_operation {
	const char		*path;		/* below REST_PATH; {id} is the argument dataset_id */
	enum http_method	 method;
	const char		*tool, *id;	/* the tool's name in policy/tools.def; the operationId */
	const char		*summary, *text;
	const char		*request, *answer;	/* examples, as JSON; request NULL: it has no body */
};

#define REST_OPERATIONS	4u

extern const struct rest_operation rest_operations[REST_OPERATIONS];

/* What the administration page asks for, in the same form; who is of kind PRINCIPAL_PAGE.  params as of tools/call. */
struct exchange *rest_page_exchange(struct conn *c, struct principal *who);
void rest_page_call(struct conn *c, struct principal *who, const struct mp_value *params);

/* The same of any transport that answers in this form, and the functions that such a transport and its calls share. */
struct exchange *rest_exchange(struct conn *c, struct principal *who, const struct transport *t);
bool rest_can_notify(const struct exchange *x);
bool rest_notify(struct exchange *x, struct span message);
void rest_cut(struct exchange *x);
void rest_failure(struct exchange *x, const struct err *err, struct span details);
void rest_deny(struct exchange *x);
void rest_hold(struct exchange *x, const struct held *held);

/* Handlers of struct site_place. */
void rest_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void rest_tool_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void rest_values_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void rest_health(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
