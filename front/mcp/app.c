#include <sodium.h>
#include <string.h>

#include "base/text/b64.h"
#include "base/json/json_put.h"
#include "front/mcp/app.h"
#include "web/pages.h"

static void
put_digest(struct buf *out, const char *text)
{
	uint8_t digest[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(digest, (const uint8_t *)text, strlen(text));
	buf_str(out, "'sha256-");
	b64_encode(out, span_of(digest, sizeof(digest)));
	buf_byte(out, '\'');
}

/* Append the page with its style sheet and script in it. */
static void
app_put_page(struct buf *out)
{
	buf_str(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
	    "form-action 'none'; script-src ");
	put_digest(out, web_app_js);
	buf_str(out, "; style-src ");
	put_digest(out, web_app_css);
	buf_str(out,
	    "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>Charts</title>\n<style>");
	buf_str(out, web_app_css);
	buf_str(out, "</style>\n</head>\n<body>\n<main></main>\n<script>");
	buf_str(out, web_app_js);
	buf_str(out, "</script>\n</body>\n</html>\n");
}

void
app_put_content(struct buf *out)
{
	struct buf page = { .max = 0 };

	app_put_page(&page);
	json_put_list(out, "contents");
	json_put_object(out, NULL);
	json_put_cstr(out, "uri", APP_URI);
	json_put_cstr(out, "mimeType", APP_TYPE);
	json_put_str(out, "text", buf_view(&page));
	json_put_object(out, "_meta");
	json_put_object(out, "ui");
	/* An empty content security policy: the page may connect to no domain and load from none. */
	json_put_object(out, "csp");
	json_end_object(out);
	json_put_bool(out, "prefersBorder", true);
	json_end_object(out);
	json_end_object(out);
	json_end_object(out);
	json_end_list(out);
	buf_fini(&page);
}
