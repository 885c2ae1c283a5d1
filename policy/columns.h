/*
 * columns - a connection's column policy (docs/columns.md): what a caller may
 * see of a column.  Pure; whoever shows a value or a name asks
 * here, nobody decides by himself.
 *
 * A rule is an action, a pattern and, possibly, scopes.  A pattern has up to
 * three parts, [[schema.]table.]column; `*` in one stands for any characters,
 * "…" around one takes its dots and stars literally, a part that is left out
 * fits everything.  Names are compared without case: what a database would
 * tell apart by case alone is protected alike.  A rule with scopes binds
 * callers that have one of them, any other rule everybody.  Of several rules
 * that fit, the strictest holds.
 */
#ifndef POLICY_COLUMNS_H
#define POLICY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define COLUMNS_RULES_MAX	1000
#define COLUMNS_PATTERN_MAX	512	/* bytes */

/* The stricter, the larger. */
enum columns_action {
	COLUMNS_CLEAR,
	COLUMNS_HASH,		/* a keyed digest: equal values stay equal */
	COLUMNS_MASK,		/* "***", null stays null */
	COLUMNS_HIDE		/* the column does not exist */
};

#define COLUMNS_MASKED	"***"

/* Bits of enum policy_scope; for what is kept and shown to anybody. */
#define COLUMNS_ANYBODY	UINT32_MAX

struct columns;

/*
 * From msgpack: an array of {action: "hide"|"mask"|"hash", pattern, scopes:
 * mask}.  An empty span is an empty policy.  -1, ERR_INVALID_ARGUMENTS: a rule
 * that cannot be read; never ignored.
 */
int columns_new(struct columns **out, struct span rules, struct err *err);

/* Accepts NULL. */
void columns_free(struct columns *p);

/* Accepts NULL: true. */
bool columns_is_empty(const struct columns *p);

/* Whether any rule has that action. */
bool columns_has(const struct columns *p, enum columns_action action);

/* The part of a caller's scopes that matters: callers with the same view see the same. */
uint32_t columns_view(const struct columns *p, uint32_t scopes);

enum columns_action columns_decide(const struct columns *p, uint32_t view, struct span schema,
    struct span table, struct span column);

/* Checks a pattern as it is written; -1 with what is wrong. */
int columns_check_pattern(struct span pattern, struct err *err);

/* --- for those who ask a database which columns a rule may mean ------------------- */

size_t columns_count(const struct columns *p);

/* The pattern as written. */
struct span columns_pattern(const struct columns *p, size_t rule);

/* Whether this rule, for whomever, means that column. */
bool columns_fits(const struct columns *p, size_t rule, struct span schema, struct span table,
    struct span column);

/*
 * Part i (0 schema, 1 table, 2 column) with `*` as '%' and what LIKE takes
 * specially behind a backslash; NULL when it fits everything.
 */
const char *columns_like(const struct columns *p, size_t rule, unsigned part);

/*
 * "1-0123456789abcdef", the same for the same rules; "" for an empty policy.
 * What was measured under another policy is told by it.  No secret.
 */
#define COLUMNS_DIGEST_TEXT	24
void columns_digest(const struct columns *p, char out[COLUMNS_DIGEST_TEXT]);

#endif
