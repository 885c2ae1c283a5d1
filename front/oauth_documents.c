/* oauth_documents.c - see oauth_documents.h. */
#include "front/conn.h"
#include "front/conn_write.h"
#include "front/documents.h"
#include "front/oauth_documents.h"
#include "front/oauth_issuer.h"
#include "web/pages.h"

static void
send_document(struct conn *c, struct buf *out)
{
	struct http_reply r = {
		.status = 200, .type = "application/json",
		.fields = "Cache-Control: max-age=300\r\nAccess-Control-Allow-Origin: *\r\n"
			  "X-Content-Type-Options: nosniff\r\n",
	};

	c->cors = NULL; /* one field that allows everybody */
	conn_reply(c, &r, buf_view(out));
	buf_fini(out);
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
send_resource(struct conn *c, const struct http_request *q, const char *path)
{
	struct buf issuer = { .max = 0 }, out = { .max = 0 };

	oauth_put_issuer(c->front, q->field[HTTP_HOST], &issuer);
	document_put_resource(&out, buf_view(&issuer), path);
	buf_fini(&issuer);
	send_document(c, &out);
}

static void
send_server(struct conn *c, const struct http_request *q, bool openid)
{
	struct buf issuer = { .max = 0 }, out = { .max = 0 };

	oauth_put_issuer(c->front, q->field[HTTP_HOST], &issuer);
	document_put_server(&out, buf_view(&issuer), c->front->oauth->registration, c->front->oauth->client_metadata,
	    openid);
	buf_fini(&issuer);
	send_document(c, &out);
}

void
oauth_documents_mcp(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_resource(c, q, DOCUMENTS_MCP);
}

void
oauth_documents_data_agent(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_resource(c, q, DOCUMENTS_DATA_AGENT);
}

void
oauth_documents_server(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_server(c, q, false);
}

void
oauth_documents_openid(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)who, (void)body;
	send_server(c, q, true);
}

void
oauth_documents_keys(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct buf out = { .max = 0 };

	(void)q, (void)who, (void)body;
	document_put_keys(&out, c->front->oauth->keys, c->front->oauth->nkeys);
	send_document(c, &out);
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
