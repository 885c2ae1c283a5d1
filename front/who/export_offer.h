/* export_offer - the link to an export that one who was given a result can open: front/calls/export_link.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/calls/export_link.h"
#include "front/calls/tool_result.h"

struct front;
struct principal;

/* By whom a call was made, as its request came. */
struct export_caller {
	struct principal	*who;
	struct span		 grant, tools;	/* of a user; empty: none */
	uint32_t		 scopes;
};

/*
 * Append the URL of the export of this call as CSV; *until_unix_s is its expiry.  False: the result has no link, and
 * out is as before.
 */
bool export_offer(struct front *f, const struct export_caller *by, struct span call, struct buf *out,
    uint64_t *until_unix_s);

/* How many rows such an export has at most. */
uint64_t export_offer_rows(const struct front *f, struct result_file file);

/* Append the object that tells of it, msgpack: {url, formats, maxRows, expiresAt}. */
void export_offer_put(const struct front *f, struct result_file file, struct span url, uint64_t until_unix_s,
    struct buf *out);

/* Append who owns links that this principal is given: its binding, of the owner's own processes their account. */
void export_offer_put_owner(const struct front *f, const struct principal *who, struct buf *out);
