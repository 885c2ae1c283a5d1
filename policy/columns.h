/*
 * columns - a connection's column policy (docs/columns.md): what a caller may
 * see of a column.  Pure.  All code that shows a value or a name asks here
 * and decides nothing by itself.
 *
 * A rule is an action, a pattern and, possibly, scopes.  A pattern has up to
 * three parts, [[schema.]table.]column.  `*` in a part stands for any
 * characters, "…" around a part takes its dots and stars literally, an
 * omitted part matches everything.  Names are compared without case: names
 * that differ only in case are protected alike.  A rule with scopes binds
 * callers that have one of them, any other rule binds all callers.  If
 * several rules match, the strictest one holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define COLUMNS_RULES_MAX	1000
#define COLUMNS_PATTERN_MAX	512	/* bytes */

/* The stricter the action, the larger its value. */
enum columns_action {
	COLUMNS_CLEAR,
	COLUMNS_HASH,		/* a keyed digest: equal values stay equal */
	COLUMNS_MASK,		/* "***", null stays null */
	COLUMNS_HIDE		/* the column does not exist */
};

#define COLUMNS_MASKED	"***"

/* As `scopes`: for content that is stored and shown to all callers, so every rule binds. */
#define COLUMNS_ANYBODY	UINT32_MAX

struct columns;

/*
 * Reads rules from msgpack: an array of {action: "hide"|"mask"|"hash",
 * pattern, scopes: mask}.  An empty span is an empty policy.  A rule that
 * cannot be read is an error (-1, ERR_INVALID_ARGUMENTS) and never ignored.
 */
int columns_new(struct columns **out, struct span rules, struct err *err);

/* Accepts NULL. */
void columns_free(struct columns *p);

/* Accepts NULL: true. */
bool columns_is_empty(const struct columns *p);

/* Whether any rule has that action. */
bool columns_has(const struct columns *p, enum columns_action action);

/* The part of a caller's scopes that rules name.  Callers with the same view see the same columns and values. */
uint32_t columns_view(const struct columns *p, uint32_t scopes);

enum columns_action columns_decide(const struct columns *p, uint32_t view, struct span schema,
    struct span table, struct span column);

/* Whether a rule may match a column of that table, whatever its name. */
bool columns_binds(const struct columns *p, uint32_t view, struct span schema, struct span table);

size_t columns_count(const struct columns *p);

/* The pattern as the configuration spells it. */
struct span columns_pattern(const struct columns *p, size_t rule);

/* Whether this rule, whatever its scopes, matches that column. */
bool columns_fits(const struct columns *p, size_t rule, struct span schema, struct span table,
    struct span column);

/*
 * Part i (0 schema, 1 table, 2 column) as a pattern of LIKE: `*` becomes '%',
 * and LIKE's own special characters are escaped with a backslash.  NULL if
 * the part matches everything.
 */
const char *columns_like(const struct columns *p, size_t rule, unsigned part);

/*
 * "1-0123456789abcdef", a digest of the rules; "" for an empty policy.
 * Stored with statistics to recognise those that were measured under
 * another policy.  Not a secret.
 */
#define COLUMNS_DIGEST_TEXT	24
void columns_digest(const struct columns *p, char out[COLUMNS_DIGEST_TEXT]);
