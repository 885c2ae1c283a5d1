/* tools.c - carrel-agent's tools and their descriptions. */
#include "workers/agent/ask_question.h"
#include "workers/agent/embed.h"
#include "workers/agent/tools_text.h"

/* More than the maximum of limits.ask_timeout_s, which is what bounds a question. */
#define BUDGET_MS 3660000

const struct tool agent_tools[] = {
	{ TOOL_ask_question .hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT, .budget_ms = BUDGET_MS, .waits = true, .run = tool_ask_question },
	{ TOOL_ask_trace .hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT, .budget_ms = BUDGET_MS, .waits = true, .run = tool_ask_trace },
	{ TOOL_ask_examples .hints = TOOL_READ_ONLY, .budget_ms = 60000, .waits = true, .run = tool_ask_examples },
	/* These two make no sub-calls: they are also served while a question waits for a sub-call. */
	{ TOOL_embed .hints = TOOL_READ_ONLY, .budget_ms = 15000, .run = tool_embed },
	{ TOOL_embed_texts .hints = TOOL_READ_ONLY, .budget_ms = 15000, .run = tool_embed },
	{ .name = NULL },
};
