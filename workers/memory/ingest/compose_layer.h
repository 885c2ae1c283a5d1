/* compose_layer - a run's changes of the semantic layer: files, formulas, contradictions; see compose.h. */
#pragma once

#include "workers/memory/ingest/compose_parts.h"

/* Whether the proposal is valid at all. */
int compose_is_sound(struct compose *c, const struct proposal *p, struct err *err);

/* The outcomes of all formulas.  A reason to refuse one is reported, not returned as an error. */
void compose_formulas(struct compose *c);
