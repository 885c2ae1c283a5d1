/*
 * json_schema - the part of JSON Schema (2020-12) that our tools use, checked
 * against msgpack values.
 *
 * Keywords: type (one name or an array of them), properties, required,
 * additionalProperties (false, true, or a schema), items, minItems, maxItems,
 * minLength, maxLength (in characters), minimum, maximum, enum, const, allOf,
 * anyOf, oneOf (taken as anyOf: the first branch that fits decides),
 * if, then, else, and $ref to "#/$defs/<name>" of the root.  description,
 * title, default, examples, $schema, $anchor and x-mcp-header are ignored, save that default and
 * examples serve as the example of an issue.  pattern: only SCHEMA_UUID.  Any
 * other keyword or pattern makes schema_check_self() fail, so a tool cannot
 * announce what would not be enforced.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/mp.h"

/* The one pattern that is enforced (RFC 9562, section 4). */
#define SCHEMA_UUID "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"

#define SCHEMA_ISSUES_MAX	8	/* more are counted, not described */

struct schema_issue {
	char	path[128];	/* "limit", "entities[0].table"; "" for the root */
	char	problem[160];	/* "is missing", "must be at most 50" */
	char	example[96];	/* JSON text that would be accepted there; "" when none that short is known */
};

struct schema_result {
	size_t			total;
	struct schema_issue	issues[SCHEMA_ISSUES_MAX];
};

/* True when value fits schema; otherwise *result says where and why. */
bool schema_check(const struct mp_value *schema, const struct mp_value *value,
    struct schema_result *result);
