/* tools.c - the memory worker's tools and their descriptions. */
#include "workers/memory/ingest/ingest.h"
#include "workers/memory/memory.h"

#define RUN_ID_IN	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"runId\"],\"properties\":{"		\
    "\"runId\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,\"description\":\"What memory_ingest returned.\","	\
    "\"examples\":[\"mem-1764547200000-0123456789abcdef01234567\"]}}}"

static const char ingest_in[] = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"content\"],\"properties\":{"
    "\"content\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":262144,\"description\":\"What was found out, as markdown: one "
    "subject, a heading that names it, definitions and warnings in full sentences, SQL in a fenced block.\",\"examples\":["
    "\"# Net revenue\\n\\nNet revenue is defined as `sum(orders.net_ct) / 100.0`, in euros, without test orders.\"]},"
    "\"connectionId\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The connection it is about; only then can a "
    "formula become a measure of its semantic layer.\",\"examples\":[\"warehouse\"]}}}";

static const char ingest_out[] = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"runId\"],\"properties\":{"
    "\"runId\":{\"type\":\"string\",\"description\":\"For memory_ingest_status.\"}}}";

#define NAMES		"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define STRINGS(about)	"{\"type\":\"array\",\"description\":\"" about "\",\"items\":{\"type\":\"string\"}}"
#define MAYBE(about)	"{\"type\":[\"string\",\"null\"],\"description\":\"" about "\"}"
#define TEXT(about)	"{\"type\":\"string\",\"description\":\"" about "\"}"
#define FLAG(about)	"{\"type\":\"boolean\",\"description\":\"" about "\"}"

static const char status_out[] = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"runId\",\"status\",\"stage\","
    "\"done\",\"captured\",\"error\",\"commitHash\",\"signalDetected\",\"startedAt\",\"finishedAt\",\"changes\"],\"properties\":{"
    "\"runId\":{\"type\":\"string\"},"
    "\"status\":{\"enum\":[\"running\",\"done\",\"error\"],\"description\":\"running: ask again.\"},"
    "\"stage\":{\"enum\":[\"queued\",\"triage\",\"propose\",\"validate\",\"write\",\"commit\",\"done\",\"error\"]},"
    "\"done\":" FLAG("It has ended; status says how.") ","
    "\"captured\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"wiki\",\"sl\",\"xrefs\"],"
	"\"properties\":{"
	"\"wiki\":" NAMES ",\"sl\":" NAMES ","
	"\"xrefs\":" NAMES "}},"
    "\"error\":" MAYBE("Why it failed; nothing was changed then.") ","
    "\"commitHash\":" MAYBE("The commit that holds it; null: no commit was made.") ","
    "\"signalDetected\":" "{\"type\":\"boolean\"}" ","
    "\"startedAt\":{\"type\":[\"string\",\"null\"]},\"finishedAt\":{\"type\":[\"string\",\"null\"]},"
    "\"changes\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
	"\"additionalProperties\":false,\"required\":[\"kind\",\"path\",\"action\",\"summary\",\"reason\"],\"properties\":{"
	"\"kind\":{\"enum\":[\"wiki\",\"semantic_layer\"]},"
	"\"path\":{\"type\":\"string\"},"
	"\"action\":{\"enum\":[\"created\",\"updated\",\"skipped\"],\"description\":\"skipped: left as it was.\"},"
	"\"summary\":{\"type\":\"string\"},\"reason\":{\"type\":\"string\"}}}}}}";

const struct tool memory_tools[] = {
	{
		.name = "memory_ingest", .title = "Memory Ingest",
		.description = "Keeps what research found out, so that the next question finds it: definitions, business rules, "
		    "formulas, gotchas, what the user asks to remember. Extends the wiki page about the subject or makes one; "
		    "with a connectionId a formula over one source also becomes a measure, if it compiles and runs. "
		    "Returns at once; memory_ingest_status says what became of it. The same text within ten minutes is the "
		    "same run. Example: {\"content\": \"# Active customer\\n\\nActive means an order in the last 180 days.\"}",
		.input_schema = ingest_in, .output_schema = ingest_out,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .run = ingest_run,
	},
	{
		.name = "memory_ingest_status", .title = "Memory Ingest Status",
		.description = "Says how far a memory_ingest run is and, file by file, what it changed and why. "
		    "Example: {\"runId\": \"mem-1764547200000-0123456789abcdef01234567\"}",
		.input_schema = RUN_ID_IN, .output_schema = status_out,
		.hints = TOOL_READ_ONLY, .budget_ms = 5000, .run = ingest_status,
	},
	{
		.name = "scan",
		.title = "Scan",
		.description = "Take a snapshot of a connection's schema: tables, views, columns, keys and comments "
		    "become scan artifacts and the manifest of the semantic layer.",
		.input_schema = "{\"type\":\"object\",\"properties\":{"
		    "\"connectionId\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,"
		    "\"description\":\"The connection to scan.\"},"
		    "\"deep\":{\"type\":\"boolean\","
		    "\"description\":\"Also sample the data: counts and frequent values of every column, for dictionary_search.\"}},"
		    "\"required\":[\"connectionId\"]}",
		.hints = TOOL_IDEMPOTENT,
		.budget_ms = 1800000,
		.waits = true,
		.run = scan_run,
		.meanwhile = scan_meanwhile,
	},
	{
		.name = "memory_log", .title = "Memory Log",
		.description = "The last ingest runs, newest first.",
		.input_schema = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"limit\":{\"type\":\"integer\","
		    "\"minimum\":1,\"maximum\":1000,\"default\":20,\"description\":\"How many at most.\"}}}",
		.hints = TOOL_READ_ONLY, .budget_ms = 30000, .run = ingest_log,
	},
	{
		.name = "memory_show", .title = "Memory Show",
		.description = "A run with its content, its signals and every file's text before and after.",
		.input_schema = RUN_ID_IN,
		.hints = TOOL_READ_ONLY, .budget_ms = 5000, .run = ingest_show,
	},
	{
		.name = "memory_approve", .title = "Memory Approve",
		.description = "Puts what a run proposed in force: its page is no longer marked, or becomes a part of the page about "
		    "the subject, and its measure is added.",
		.input_schema = RUN_ID_IN,
		.hints = TOOL_NOT_IDEMPOTENT, .budget_ms = 30000, .waits = true, .run = ingest_approve,
	},
	{
		.name = "memory_revert", .title = "Memory Revert",
		.description = "Takes a run's changes back, unless a file was changed since.",
		.input_schema = RUN_ID_IN,
		.hints = TOOL_DESTRUCTIVE, .budget_ms = 30000, .run = ingest_revert,
	},
	{ .name = NULL },
};
