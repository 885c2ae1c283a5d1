#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/who/oauth_issuer.h"
#include "front/oauth/oauth_documents.h"
#include "front/who/oauth_issuer.h"
#include "web/pages.h"

static void
send_document(struct conn *c, const struct buf *document)
{
	struct http_reply r = {
		.status = 200, .type = "application/json",
		.fields = "Cache-Control: max-age=300\r\nAccess-Control-Allow-Origin: *\r\n"
			  "X-Content-Type-Options: nosniff\r\n",
	};

	c->cors = NULL; /* one field that allows everybody */
	conn_reply(c, &r, buf_view(document));
}

void
oauth_documents_preflight(struct conn *c)
{
	struct http_reply r = {
		.status = 204,
		.fields = "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: GET\r\n"
			  "Access-Control-Allow-Headers: mcp-protocol-version, content-type, authorization\r\n"
			  "Access-Control-Max-Age: 600\r\n",
	};

	c->cors = NULL;
	conn_reply(c, &r, SPAN_NONE);
}

static void
send_site_document(struct conn *c, const struct http_request *q, enum oauth_document which)
{
	send_document(c, &oauth_site(c->front, q->field[HTTP_HOST])->documents[which]);
}

void
oauth_documents_mcp(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_site_document(c, q, OAUTH_MCP);
}

void
oauth_documents_data_agent(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_site_document(c, q, OAUTH_DATA_AGENT);
}

void
oauth_documents_server(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_site_document(c, q, OAUTH_SERVER);
}

void
oauth_documents_openid(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_site_document(c, q, OAUTH_OPENID);
}

void
oauth_documents_keys(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)q, (void)who, (void)body;
	send_document(c, &c->front->oauth->keys_document);
}

static void
send_file(struct conn *c, const char *type, const char *text)
{
	struct http_reply r = {
		.status = 200,
		.type = type,
		.fields = "Cache-Control: max-age=300\r\nX-Content-Type-Options: nosniff\r\n"
			  "Content-Security-Policy: default-src 'none'\r\n",
	};

	conn_reply(c, &r, span_str(text));
}

void
oauth_documents_style(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)q, (void)who, (void)body;
	send_file(c, "text/css; charset=utf-8", web_style_css);
}

void
oauth_documents_icon(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)q, (void)who, (void)body;
	send_file(c, "image/svg+xml", web_icon_svg);
}
