/* json_schema_self - a schema may use only what json_schema.c enforces. */
#pragma once

#include "base/json/json_schema.h"

/* Whether schema uses only what schema_check() enforces; otherwise why names the unknown keyword. */
bool schema_check_self(const struct mp_value *schema, char *why, size_t cap);
