/* tools.c - the memory worker's tools and their descriptions. */
#include "workers/memory/handovers.h"
#include "workers/memory/ingest/ingest.h"
#include "workers/memory/scan/scan.h"
#include "workers/memory/tools_text.h"

const struct tool memory_tools[] = {
	{ TOOL_memory_ingest .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = ingest_run },
	{ TOOL_memory_ingest_status .hints = TOOL_READ_ONLY, .budget_ms = 5000, .run = ingest_status },
	{ TOOL_scan .hints = TOOL_IDEMPOTENT, .budget_ms = 1800000, .waits = true, .run = handovers_run,
	    .meanwhile = scan_meanwhile },
	{ TOOL_memory_log .hints = TOOL_READ_ONLY, .budget_ms = 30000, .waits = true, .run = handovers_run,
	    .meanwhile = handovers_meanwhile },
	{ TOOL_memory_show .hints = TOOL_READ_ONLY, .budget_ms = 15000, .waits = true, .run = handovers_run,
	    .meanwhile = handovers_meanwhile },
	{ TOOL_memory_approve .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = handovers_run },
	{ TOOL_memory_revert .hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .waits = true, .run = handovers_run },
	{ TOOL_import_knowledge .hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 1800000, .waits = true,
	    .run = ingest_knowledge },
	{ .name = NULL },
};
