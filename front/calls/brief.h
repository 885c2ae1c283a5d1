/*
 * brief - which clients hand structuredContent to their model, so that one line of text with it is enough
 * (surface.result_text).  The table is what was measured with the real clients: tests/clients/agents.test.mjs.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

/* client: "name version", as it says of itself; one that is not known reads the text alone. */
bool brief_reads_structured(struct span client);
