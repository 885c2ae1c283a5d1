/*
 * export_link - links to exports.  The path of a link is EXPORT_PATH, the sealed call, a dot, and the format.
 *
 * A link holds its owner, its expiry, and the call that is made again in the owner's name; the server keeps nothing of
 * it.  A link is no credential: a request for it needs a credential of the owner, and the call passes every check
 * again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/calls/export_rows.h"
#include "front/calls/tools.h"
#include "front/wire/seal.h"

#define EXPORT_PATH	"/export/"
#define EXPORT_LINK_MAX	4096u	/* characters of a sealed call; a longer one has no link */

struct export_link {
	struct span	owner;		/* principal_binding(), of the owner's own processes "local:" and the user id */
	struct span	grant;		/* of a user; empty: none */
	struct span	scopes_tools;	/* of a user: the tools that the credential named */
	uint32_t	scopes;		/* of a user: those of the credential */
	uint64_t	until_unix_s;
	struct span	call;		/* msgpack map: name and arguments, as of tools/call */
};

/* Whether results of this tool can have a link. */
bool export_link_is_for(const struct tool_entry *tool);

/* Write the call of this tool, as export_link.call: its arguments without those that shape the answer. */
void export_link_put_call(const struct tool_entry *tool, const struct mp_value *args, struct buf *out);

/* Append the sealed link.  False: it would be too long; out is as before. */
bool export_link_seal(const struct seal *s, const struct export_link *link, struct buf *out);

/*
 * Read the path of a request.  room holds what link borrows.  False: it is no link of this server.  *format is
 * EXPORT_FORMATS if there is no such one.
 */
bool export_link_read(const struct seal *s, struct span path, struct buf *room, struct export_link *link,
    enum export_format *format);
