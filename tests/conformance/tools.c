/* tools.c - see fixture.h: the fixture's tool table. */
#include "tests/conformance/fixture.h"

#define ANYTHING	"{\"type\":\"object\"}"
#define NOTHING	"{\"type\":\"object\",\"additionalProperties\":false}"
#define ONE_TEXT(name, about)	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"" name "\"]," \
	"\"properties\":{\"" name "\":{\"type\":\"string\",\"description\":\"" about "\"}}}"

static const char every_keyword[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
    "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"
	"\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
    "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"
	"\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
	"\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},"
    "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"
    "\"additionalProperties\":false}";

static const char in_headers[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"region\":{\"type\":\"string\",\"description\":\"Where.\",\"x-mcp-header\":\"Region\"},"
    "\"count\":{\"type\":\"integer\",\"description\":\"How many.\",\"x-mcp-header\":\"Count\"},"
    "\"dry\":{\"type\":\"boolean\",\"description\":\"Whether.\",\"x-mcp-header\":\"Dry\"}}}";

#define TEXT(name, most)	"\"" name "\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":" most ","	\
	"\"description\":\"What is asked.\"}"
#define DATASET	"\"dataset_id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64,"		\
	"\"description\":\"The dataset's id.\"}"
#define TAKES(needed, members)	"{\"type\":\"object\",\"additionalProperties\":false,"		\
	"\"required\":[\"" needed "\"],\"properties\":{" members "}}"
#define GIVES(members)	"{\"type\":\"object\",\"properties\":{" members "}}"
#define LIST(name, members)	"\"" name "\":{\"type\":\"array\",\"items\":" GIVES(members) "}"
#define A(name, kind)	"\"" name "\":{\"type\":\"" kind "\"}"
#define MAYBE(name, kind)	"\"" name "\":{\"type\":[\"" kind "\",\"null\"]}"

static const char list_out[] = GIVES(LIST("datasets", A("id", "string") "," A("name", "string") ","
    MAYBE("description", "string") "," A("type", "string") "," A("row_count", "integer") ","
    A("column_count", "integer") "," A("created_at", "string") "," A("has_vectors", "boolean")) ","
    A("count", "integer"));
static const char schema_out[] = GIVES(A("dataset_id", "string") "," A("table_name", "string") ","
    A("row_count", "integer") "," LIST("columns", A("name", "string") "," A("type", "string") ","
    A("nullable", "boolean") "," MAYBE("description", "string") ",\"sample_values\":"
    "{\"type\":\"array\",\"items\":{}}"));
static const char search_out[] = GIVES(LIST("matches", A("id", "string") "," A("score", "number") ","
    A("text", "string") ",\"metadata\":" GIVES(A("source_file", "string") "," A("dataset_id", "string") ","
    A("dataset_name", "string") "," MAYBE("page", "integer") "," A("chunk_index", "integer"))) ","
    A("count", "integer") "," A("truncated", "boolean") "," A("request_id", "string"));
static const char sql_out[] = GIVES("\"columns\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{}}}," A("row_count", "integer") ","
    A("truncated", "boolean") "," A("execution_ms", "integer") ","
    "\"limits_applied\":" GIVES(A("max_rows", "integer") "," A("max_runtime_ms", "integer") ","
    A("max_memory_mb", "integer")) "," A("request_id", "string"));

static const char search_in[] = TAKES("query", TEXT("query", "1000") "," DATASET
    ",\"top_k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":20,\"description\":\"How many.\"}");

#define PUBLISHED(of, does, takes, gives)								\
	{ .name = #of, .title = #of, .description = does, .input_schema = takes, .output_schema = gives,	\
	  .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = of }

#define TOOL(of, does, takes)										\
	{ .name = #of, .title = #of, .description = does, .input_schema = takes,			\
	  .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = of }

/* While one takes its time, others that do not may be served. */
#define LONG(of, does, takes)										\
	{ .name = #of, .title = #of, .description = does, .input_schema = takes,			\
	  .hints = TOOL_READ_ONLY, .budget_ms = 120000, .waits = true, .run = of }

const struct tool fixture_tools[] = {
	TOOL(test_simple_text, "Returns a text.", NOTHING),
	TOOL(test_image_content, "Returns an image.", NOTHING),
	TOOL(test_audio_content, "Returns a sound.", NOTHING),
	TOOL(test_embedded_resource, "Returns a resource.", NOTHING),
	TOOL(test_multiple_content_types, "Returns a text, an image and a resource.", NOTHING),
	TOOL(test_error_handling, "Fails.", NOTHING),
	TOOL(test_tool_with_logging, "Writes three lines into the client's log.", NOTHING),
	TOOL(test_logging_tool, "Writes three lines into the client's log.", NOTHING),
	TOOL(test_tool_with_progress, "Tells three times how far it is.", NOTHING),
	TOOL(test_sampling, "Asks the client's model.", ONE_TEXT("prompt", "What to ask it.")),
	TOOL(test_elicitation, "Asks the user for a name and an address.", ONE_TEXT("message", "What to show the user.")),
	TOOL(test_elicitation_sep1034_defaults, "Asks the user, with defaults of every type.", NOTHING),
	TOOL(test_elicitation_sep1330_enums, "Asks the user, with choices of every form.", NOTHING),
	TOOL(json_schema_2020_12_tool, "Takes what JSON Schema 2020-12 can say.", every_keyword),
	TOOL(test_x_mcp_header, "Takes arguments that headers repeat.", in_headers),
	TOOL(test_missing_capability, "Works only with clients that can sample.", NOTHING),
	TOOL(test_streaming_elicitation, "Reports progress, then asks the user.", NOTHING),
	TOOL(test_input_required_result_elicitation, "Asks for a name.", NOTHING),
	TOOL(test_input_required_result_sampling, "Asks the client's model.", NOTHING),
	TOOL(test_input_required_result_list_roots, "Asks for the client's roots.", NOTHING),
	TOOL(test_input_required_result_request_state, "Asks for a confirmation and checks its own state.", NOTHING),
	TOOL(test_input_required_result_multiple_inputs, "Asks three things at once.", NOTHING),
	TOOL(test_input_required_result_multi_round, "Asks twice.", NOTHING),
	{ .name = "test_input_required_result_tampered_state", .title = "test_input_required_result_tampered_state",
	  .description = "Asks for a confirmation and checks its own state.", .input_schema = NOTHING,
	  .hints = TOOL_READ_ONLY, .budget_ms = 10000, .run = test_input_required_result_request_state },
	TOOL(test_input_required_result_capabilities, "Asks what the client can be asked.", NOTHING),
	TOOL(greet, "Greets.", ONE_TEXT("name", "Whom.")),
	LONG(slow_compute, "Takes its time.", "{\"type\":\"object\",\"properties\":{\"seconds\":{\"type\":\"integer\",\"minimum\":0,"
	    "\"description\":\"How long.\"},\"label\":{\"type\":\"string\",\"description\":\"What to say then.\"}}}"),
	LONG(failing_job, "Fails, after a while.", ANYTHING),
	LONG(protocol_error_job, "Breaks, after a while.", ANYTHING),
	LONG(confirm_delete, "Asks before it goes on.", ANYTHING),
	LONG(multi_input, "Asks two things before it goes on.", ANYTHING),
	LONG(test_tool_with_task, "Asks, then takes its time.", ANYTHING),
	TOOL(test_trigger_tool_change, "Says that the tools changed.", NOTHING),
	TOOL(test_trigger_prompt_change, "Says that the prompts changed.", NOTHING),
	TOOL(resources_list, "For resources/list.", ANYTHING),
	TOOL(resource_templates_list, "For resources/templates/list.", ANYTHING),
	TOOL(resource_read, "For resources/read.", ANYTHING),
	TOOL(prompts_list, "For prompts/list.", ANYTHING),
	TOOL(prompt_get, "For prompts/get.", ANYTHING),
	TOOL(complete, "For completion/complete.", ANYTHING),
	PUBLISHED(carrel_list_datasets, "Lists.", NOTHING, list_out),
	PUBLISHED(carrel_get_schema, "Shows.", TAKES("dataset_id", DATASET), schema_out),
	PUBLISHED(carrel_search, "Finds.", search_in, search_out),
	PUBLISHED(carrel_sql, "Counts.", TAKES("sql", TEXT("sql", "4096") "," DATASET), sql_out),
	{ .name = NULL },
};
