/* relate_put - writes the artifacts about relationships in ktx's format; see relate.h. */
#pragma once

#include "workers/memory/scan/relate.h"

/* The two artifacts as maps. */
void relate_put(const struct relate *r, const char *connection, struct buf *out);
void relate_put_diagnostics(const struct relate *r, const char *connection, uint64_t at_ms, struct buf *out);
