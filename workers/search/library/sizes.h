/*
 * sizes - how many rows and columns published tables have, as their databases said it: they are not asked again at each
 * call, and a slow one is asked less and less often.
 *
 * A number is SIZES_FRESH_NS old at most where the database answers; where it does not, the last one holds for
 * SIZES_KEPT_NS.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/system/clock.h"
#include "policy/columns.h"
#include "words/names.h"

#define SIZES_FRESH_NS	(60 * CLOCK_SECOND)
#define SIZES_KEPT_NS	(3600 * CLOCK_SECOND)
#define SIZES_ROWS	UINT32_MAX	/* no scopes: all callers see the same rows */

struct size_known {
	char		policy[COLUMNS_DIGEST_TEXT];	/* the column policy at the time */
	bool		has;
	uint64_t	n;
	uint64_t	said_ns, asked_ns;	/* asked 0: never */
	unsigned	late;			/* how often in a row there was no answer in time */
};

struct sizes {
	struct names		 names;
	size_t			 cap;
	struct size_known	*v;	/* by number of the name */
};

/*
 * What is known of the columns that callers with these scopes see, or of SIZES_ROWS; valid until the next call.  Under
 * another policy nothing is known.
 */
struct size_known *sizes_of(struct sizes *s, struct span dataset, uint32_t scopes, const char *policy);

/* Whether it is time to ask the database again. */
bool size_is_due(const struct size_known *k, uint64_t now_ns);

/* Keep what was answered; note that no answer came in time. */
void size_said(struct size_known *k, uint64_t n, uint64_t now_ns);
void size_late(struct size_known *k, uint64_t now_ns);

/* Whether the number is recent enough to be told. */
bool size_holds(const struct size_known *k, uint64_t now_ns);

void sizes_fini(struct sizes *s);
