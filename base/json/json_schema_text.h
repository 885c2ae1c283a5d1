/* json_schema_text.h - private to base/json_schema*.c: what schemas say, in words and examples. */
#pragma once

#include "base/buf.h"
#include "base/mp.h"

/* Whether value has the type with this JSON Schema name. */
bool schema_type_fits(struct span name, const struct mp_value *value);

/* Whether this is one of JSON Schema's seven type names. */
bool schema_type_known(struct span name);

/* Resolve "#/$defs/<name>" in root.  False: no such definition, or another kind of reference. */
bool schema_find_ref(const struct mp_value *root, struct span ref, struct mp_value *schema);

/* Append "a string" or "an integer or null", from the value of a `type` keyword. */
void schema_put_types(struct buf *out, const struct mp_value *type);

/* Append the elements of an array as JSON, ", " between them. */
void schema_put_list(struct buf *out, const struct mp_value *array);

/* Append a JSON text that fits schema, as short as is easy. */
void schema_put_example(struct buf *out, const struct mp_value *schema);

/* The same without looking at `examples`, which may be long. */
void schema_put_made_example(struct buf *out, const struct mp_value *schema);

/*
 * The example of a list's item: the first one in the list's first example.  False, with nothing appended, when items
 * has its own example or the list has none.
 */
bool schema_put_item_example(struct buf *out, const struct mp_value *list, const struct mp_value *items);
