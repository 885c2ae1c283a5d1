/* tools.c - carrel-agent's tools and their descriptions. */
#include "base/json/json_schema.h"
#include "workers/agent/agent.h"
#include "workers/agent/embed.h"
#include "workers/shared/tool_schema.h"

#define ANY "{\"type\":\"object\"}"

#define ONTOLOGY_IN                                                                       \
	M("ontologyId",                                                                   \
	    "{\"type\":\"string\",\"pattern\":\"" SCHEMA_UUID "\",\"description\":"          \
	    "\"The id of an ontology, as carrel://ontologies lists them; may be left out where there is one.\"," \
	    "\"examples\":[\"2f1c8a34-5b0e-5c1d-9a77-3d5f0b6c1e22\"]}")
#define QUESTION_IN                                                                                                  \
	M("question",                                                                                                \
	    "{\"type\":\"string\",\"minLength\":1,\"maxLength\":2000,\"description\":"                               \
	    "\"In English or German; what was asked back can be answered behind it: [Time period: last quarter].\"," \
	    "\"examples\":[\"net revenue by region last quarter\"]}")

static const char question_in[] = T("\"question\"", ONTOLOGY_IN "," QUESTION_IN);
static const char ontology_in[] = T("", ONTOLOGY_IN);

static const char question_out[] =
    "{\"type\":\"object\",\"required\":[\"status\",\"mode\",\"interpretation\",\"charts\",\"checks\",\"caveats\","
    "\"assumptions\"],"
    "\"properties\":{" M("status", ENUM0("\"answered\",\"clarification\",\"cannot_answer\"")) "," M("mode",
	ENUM("deterministic: by rules, no model took part.", "\"model\",\"deterministic\"")) "," M("narrative",
	S0) "," M("interpretation",
	T("\"text\",\"measures\",\"dimensions\",\"filters\",\"timeWindow\",\"grain\",\"units\",\"sql\",\"words\"",
	    M("text", S("Compare it with what was meant.")) "," M("measures",
		STRINGS0) "," M("dimensions", STRINGS0) "," M("filters", STRINGS0) "," M("timeWindow",
		"{\"type\":[\"object\",\"null\"]}") "," M("language",
		S0) "," M("granularity", S0) "," M("grain",
		STRINGS0) "," M("units", ANY) "," M("sql",
		STRINGS0) "," M("words",
		LIST("What each word went into.",
		    T("\"word\",\"consumedBy\"",
			M("word", S0) "," M("consumedBy", "{\"type\":[\"string\",\"null\"]}")))))) "," M("rows",
	T("\"headers\",\"data\",\"rowCount\",\"truncated\"",
	    M("headers", STRINGS0) "," M("data", LIST0("{\"type\":\"array\"}")) "," M("rowCount", I0) "," M("truncated",
		B0))) "," M("charts", LIST0(ANY)) "," M("lineage",
	"{\"type\":[\"object\",\"null\"],\"description\":\"Where the figures are from.\"}") "," M("checks",
	LIST0(T("\"id\",\"outcome\"",
	    M("id", S0) "," M("outcome",
		ENUM0("\"passed\",\"caveat\",\"failed\",\"unverified\",\"not_applicable\"")) "," M("note",
		S0)))) "," M("caveats", STRINGS("What to be careful about.")) "," M("assumptions",
	STRINGS("What was taken for granted.")) "," M("questions",
	LIST("To be answered first.",
	    T("\"question\",\"suggestions\",\"assumption\"",
		M("question", S0) "," M("suggestions", STRINGS0) "," M("assumption", S0)))) "," M("reason",
	T("\"code\",\"message\",\"understood\",\"closest\"",
	    M("code", S0) "," M("message", S0) "," M("understood", S0) "," M("closest", STRINGS0))) "}}";

static const char embed_in[] = T("\"texts\"",
    M("texts", "{\"type\":\"array\",\"minItems\":1,\"maxItems\":64,\"items\":{\"type\":\"string\"}}"));

/* More than the maximum of limits.ask_timeout_s, which is what bounds a question. */
#define BUDGET_MS 3660000

const struct tool agent_tools[] = {
	{
	    .name = "ask_question",
	    .title = "Ask Question",
	    .description =
		"Answers a question in plain language with figures that are computed from the semantic layer, asks "
		"back, or says why there is no answer; it never guesses. Pass on its interpretation and caveats with "
		"the figures. Example: {\"question\": \"net revenue by region last quarter\"}",
	    .input_schema = question_in,
	    .output_schema = question_out,
	    .hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT,
	    .budget_ms = BUDGET_MS,
	    .waits = true,
	    .run = tool_ask_question,
	},
	{
	    .name = "ask_trace",
	    .title = "Ask, with the trace",
	    .description = "As ask_question, with what each phase made of it.",
	    .input_schema = question_in,
	    .hints = TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT,
	    .budget_ms = BUDGET_MS,
	    .waits = true,
	    .run = tool_ask_trace,
	},
	{
	    .name = "ask_examples",
	    .title = "Questions to begin with",
	    .description = "Questions that the ontology's own measures and dimensions can answer.",
	    .input_schema = ontology_in,
	    .hints = TOOL_READ_ONLY,
	    .budget_ms = 60000,
	    .waits = true,
	    .run = tool_ask_examples,
	},
	/* These two make no sub-calls: they are also served while a question waits for a sub-call. */
	{
	    .name = "embed",
	    .title = "Vectors of texts",
	    .description = "Vectors of texts, by the endpoint of embeddings.",
	    .input_schema = embed_in,
	    .hints = TOOL_READ_ONLY,
	    .budget_ms = 15000,
	    .run = tool_embed,
	},
	{
	    .name = "embed_texts",
	    .title = "Vectors of texts",
	    .description = "As embed, for the project's own user.",
	    .input_schema = embed_in,
	    .hints = TOOL_READ_ONLY,
	    .budget_ms = 15000,
	    .run = tool_embed,
	},
	{ .name = NULL },
};
