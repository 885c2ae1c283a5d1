/* json_schema_self - a schema may use only what json_schema.c enforces. */
#ifndef BASE_JSON_JSON_SCHEMA_SELF_H
#define BASE_JSON_JSON_SCHEMA_SELF_H

#include "base/json/json_schema.h"

/* Whether schema uses only what schema_check() enforces; otherwise why names the unknown keyword. */
bool schema_check_self(const struct mp_value *schema, char *why, size_t cap);

#endif
