/* config_schema - the key table (config.def) as a JSON Schema, for editors. */
#pragma once

#include "project/config/config.h"

/* The same as a JSON Schema (2020-12), for editors: `carrel doctor --config-schema`. */
void config_schema(struct buf *out);
