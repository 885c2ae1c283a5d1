/* json_schema_text.h - private to base/json_schema*.c: what schemas say, in words and examples. */
#ifndef BASE_JSON_SCHEMA_TEXT_H
#define BASE_JSON_SCHEMA_TEXT_H

#include "base/buf.h"
#include "base/mp.h"

/* Is value of the type with this JSON Schema name? */
bool schema_type_fits(struct span name, const struct mp_value *value);

/* Is this one of JSON Schema's seven type names? */
bool schema_type_known(struct span name);

/* What "#/$defs/<name>" names in root.  False: nothing, or the text is no such reference. */
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
 * For an item of a list: the first one of the list's first example.  False,
 * and nothing appended, when items says something of its own or there is none.
 */
bool schema_put_item_example(struct buf *out, const struct mp_value *list, const struct mp_value *items);

#endif
