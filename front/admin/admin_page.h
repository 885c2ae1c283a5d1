/*
 * admin_page - the administration page and what it asks for: handlers of struct site_place.
 *
 * The page is a file of web/.  It asks by POST of JSON at /admin/api.  Whose session its cookie is, and whether what it
 * asks for may be done, carrel-auth decides each time (PROVE): the front has no key for it.  What it calls passes
 * the gateway as every call does.
 */
#pragma once

#include "front/http/conn.h"

#define ADMIN_PATH	"/admin"
#define ADMIN_API	"/admin/api"

void admin_page_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void admin_script_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void admin_style_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void admin_icon_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* "/": browsers are sent to the page. */
void admin_root_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* {"link"}: sign in by a link of `carrel admin`. */
void admin_enter_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* {"link", "name", "password"}: make the first administrator and sign it in, by a link of `carrel mcp start`. */
void admin_setup_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Answer with who is signed in and, where the cookie is enough, with the page's key.  Refuses no caller. */
void admin_session_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void admin_leave_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Answer with the output of `carrel status`, of `carrel doctor`, or of /metrics. */
void admin_status_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void admin_doctor_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void admin_metrics_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Call the tool of policy/page.def that the path's last segment names; the body holds its arguments. */
void admin_tool_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
