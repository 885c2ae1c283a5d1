/*
 * tool_names - the names of the dataset tools as clients know them: surface.tool_prefix in the place of "carrel", for
 * `carrel_search` of policy/tools.def "shop_search".  Inside, in the audit and in metrics they have their own names.
 */
#pragma once

#include "base/buf.h"
#include "base/mp.h"
#include "policy/tools.h"

#define TOOL_NAMES_OWN	"carrel"	/* the prefix in policy/tools.def */
#define TOOL_NAMES_MAX	32		/* characters of a prefix */

/* The tool with this name for clients; dataset tools are only known with their prefix.  NULL: none. */
const struct policy_tool *tool_names_find(const char *prefix, struct span name);

/* Whether a tool of the configuration may not have this name: it is another tool's, or begins with the prefix. */
bool tool_names_is_taken(const char *prefix, struct span name);

/* The text, with the names of dataset tools in it as clients know them. */
void tool_names_text(const char *prefix, struct span text, struct buf *out);

/* The same for all texts of a msgpack value that mp_scan() accepted. */
void tool_names_value(const char *prefix, const struct mp_value *v, struct buf *out);
