/* oauth_documents - serves what OAuth clients read, and the style sheet and the icon of the pages. */
#pragma once

#include "front/front.h"
#include "front/wire/http_parse.h"

struct conn;

void oauth_documents_mcp(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_documents_data_agent(struct conn *c, const struct http_request *q, struct principal *who,
    struct span body);
void oauth_documents_server(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_documents_openid(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_documents_keys(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_documents_style(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_documents_icon(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Answer the CORS preflight of a document: any origin may read it. */
void oauth_documents_preflight(struct conn *c);
