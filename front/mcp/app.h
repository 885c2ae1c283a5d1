/*
 * app - the page that draws the charts of ask_question in a client's frame: an app resource of MCP
 * (extension io.modelcontextprotocol/ui, revision 2026-01-26 of MCP Apps).
 *
 * The page is the same for everybody and holds no data: the client's own page hands it what the tool answered.  It
 * fetches nothing, and its content security policy names its one script and one style by their digests.
 */
#pragma once

#include "base/buf.h"

#define APP_EXTENSION	"io.modelcontextprotocol/ui"
#define APP_URI		"ui://carrel/charts.html"
#define APP_TYPE	"text/html;profile=mcp-app"

/* The members of the result of resources/read for APP_URI, as JSON. */
void app_put_content(struct buf *out);
