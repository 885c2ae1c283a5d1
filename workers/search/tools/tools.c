/* tools.c - the search worker's tool table: what each tool says of itself. */
#include "workers/datasets/datasets.h"
#include "workers/ontology/ask_model_tools.h"
#include "workers/search/tools/search.h"
#include "workers/surface/surface.h"

/* Pieces of JSON Schema.  T(…) is an object that allows exactly the members listed. */
#define Q(text)			"\"" text "\""
#define T(required, members)	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required \
    "],\"properties\":{" members "}}"
#define M(name, schema)		Q(name) ":" schema
#define S(about)		"{\"type\":\"string\",\"description\":" Q(about) "}"
#define SN(about)		"{\"type\":[\"string\",\"null\"],\"description\":" Q(about) "}"
#define I(about)		"{\"type\":\"integer\",\"minimum\":0,\"description\":" Q(about) "}"
#define IN(about)		"{\"type\":[\"integer\",\"null\"],\"description\":" Q(about) "}"
#define B(about)		"{\"type\":\"boolean\",\"description\":" Q(about) "}"
#define BN(about)		"{\"type\":[\"boolean\",\"null\"],\"description\":" Q(about) "}"
/* The same without words, where the name says it all: every list of tools carries these. */
#define S0			"{\"type\":\"string\"}"
#define SN0			"{\"type\":[\"string\",\"null\"]}"
#define I0			"{\"type\":\"integer\",\"minimum\":0}"
#define IN0			"{\"type\":[\"integer\",\"null\"]}"
#define B0			"{\"type\":\"boolean\"}"
#define ENUM0(values)		"{\"enum\":[" values "]}"
#define LIST0(items)		"{\"type\":\"array\",\"items\":" items "}"
#define STRINGS0		LIST0(S0)
#define SCORE			"{\"type\":\"number\",\"minimum\":0,\"maximum\":1}"
#define ENUM(about, values)	"{\"enum\":[" values "],\"description\":" Q(about) "}"
#define LIST(about, items)	"{\"type\":\"array\",\"description\":" Q(about) ",\"items\":" items "}"
#define STRINGS(about)		LIST(about, "{\"type\":\"string\"}")

#define KIND_NAMES	"\"wiki\",\"sl_source\",\"sl_measure\",\"sl_dimension\",\"table\",\"column\""
#define FIELD_NAMES	"\"name\",\"display\",\"description\",\"comment\",\"expr\",\"sample_value\",\"body\""
#define DICT_STATES	"\"ready\",\"no_profile_artifact\",\"no_candidate_columns\""

#define TABLE_REF	T("\"catalog\",\"db\",\"name\"", M("catalog", SN0) "," \
    M("db", SN0) "," M("name", S0))

#define PROVENANCE_GIVEN	T("\"author\",\"at\",\"runId\",\"status\"",			\
    M("author", SN0) "," M("at", SN0) ","								\
    M("runId", SN0) ","										\
    M("status", SN("proposed: not reviewed yet.")))
#define PROVENANCE	"{\"anyOf\":[{\"type\":\"null\"}," PROVENANCE_GIVEN "]}"

#define TEXT_IN(name, about, example)									\
    M(name, "{\"type\":\"string\",\"minLength\":1,\"description\":" Q(about) ",\"examples\":["		\
    Q(example) "]}")
#define LIMIT_IN(most, usual)										\
    M("limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":" #most ",\"default\":" #usual			\
    ",\"description\":\"How many results at most.\",\"examples\":[" #usual "]}")
#define CONNECTION_IN(about)	TEXT_IN("connectionId", about, "warehouse")
#define DATASET_IN(about)										\
    M("dataset_id", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":64,\"description\":" Q(about)		\
    ",\"examples\":[\"5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11\"]}")

/* --- sl_query: shapes only, so that every error of meaning comes with its category ---------- */

static const char sl_query_in[] = T("\"measures\"",
    CONNECTION_IN("Whose semantic layer; may be left out when there is only one.") ","
    M("measures", "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},"
	T("\"expr\",\"name\"", M("expr", S("An aggregate, or arithmetic over measures.")) "," M("name", S("What to call it."))) "]},"
	"\"description\":\"source.measure, an aggregate like sum(orders.amount), or {expr, name}; empty for "
	"distinct dimension values.\",\"examples\":[[\"orders.revenue\"]]}") ","
    M("dimensions", "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},"
	T("\"field\"", M("field", S("source.column or alias.column.")) ","
	    M("granularity", S("hour, day, week, month, quarter, year or decade."))) "]},"
	"\"description\":\"What to group by.\",\"examples\":[[\"customers.segment\"]]}") ","
    M("filters", LIST("SQL conditions, AND-ed, on rows (orders.status = 'paid') or groups (orders.revenue > 100).",
	"{\"type\":\"string\"}")) ","
    M("segments", STRINGS("source.segment: predefined conditions on that source's measures.")) ","
    M("order_by", "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},"
	T("\"field\"", M("field", S("A measure or dimension of the query.")) ","
	    M("direction", "{\"enum\":[\"asc\",\"desc\"],\"description\":\"asc when left out.\"}") ","
	    M("desc", B("true: descending."))) "]},"
	"\"description\":\"Order of the rows; the dimensions when left out.\",\"examples\":[[\"orders.revenue desc\"]]}") ","
    M("limit", "{\"type\":\"integer\",\"default\":1000,\"description\":\"Most groups to return, 0 to 10000.\",\"examples\":[100]}") ","
    M("include_empty", B("false: only groups where every measured source has rows.")) ","
    M("include", LIST("Also give these.", ENUM0("\"sql\",\"plan\""))));

static const char sl_query_out[] =
    "{\"type\":\"object\",\"required\":[\"connectionId\",\"dialect\",\"headers\",\"rows\",\"rowCount\",\"totalRows\","
    "\"truncated\",\"notes\"],\"properties\":{"
    M("connectionId", S0) ","
    M("dialect", S0) ","
    M("sql", S0) ","
    M("notes", STRINGS("What to know about these numbers.")) ","
    M("plan", "{\"type\":\"object\",\"description\":\"Where the numbers come from.\"}") ","
    M("headers", STRINGS("Dimensions, then measures, in the order asked for.")) ","
    M("headerTypes", STRINGS0) ","
    M("rows", LIST0("{\"type\":\"array\"}")) ","
    M("rowCount", I0) ","
    M("totalRows", I0) ","
    M("truncated", B0) ","
    M("truncatedBy", ENUM0("\"rows\",\"bytes\"")) "}}";

/* --- connection_list ------------------------------------------------------------------ */

static const char connection_list_in[] = T("", "");

static const char connection_list_out[] = T("\"connections\"",
    M("connections", LIST0(
	T("\"id\",\"name\",\"connectionType\",\"driver\",\"readOnly\",\"state\",\"lastScan\",\"dictionary\"",
	    M("id", S("What other tools take as connectionId.")) ","
	    M("name", S0) ","
	    M("connectionType", S("POSTGRESQL, SQLITE, …: which SQL dialect to write.")) ","
	    M("driver", S0) ","
	    M("description", S0) ","
	    M("readOnly", "{\"const\":true}") ","
	    M("queryPolicy", "{\"const\":\"semantic-layer-only\"}") ","
	    M("state", ENUM("connecting, unavailable: SQL fails, what files say is found.",
	        "\"ready\",\"indexing\",\"connecting\",\"unavailable\"")) ","
	    M("stateReason", S("Why it is not ready, or which files cannot be used.")) ","
	    M("schemas", STRINGS0) ","
	    M("lastScan", "{\"anyOf\":[{\"type\":\"null\"}," T("\"syncId\",\"extractedAt\"",
	        M("syncId", S0) "," M("extractedAt", S0)) "],"
	        "\"description\":\"null: never scanned.\"}") ","
	    M("dictionary", ENUM0(DICT_STATES))))) ","
    M("problems", LIST("Files that cannot be used; their last good version is.",
	T("\"path\",\"reason\"", M("path", S0) "," M("reason", S0)))));

/* --- discover_data ---------------------------------------------------------------------- */

static const char discover_data_in[] = T("\"query\"",
    TEXT_IN("query", "Words or an identifier; misspellings are forgiven.", "monthly revenue by customer") ","
    CONNECTION_IN("Only this connection (wiki pages always take part). Omitted: all.") ","
    M("kinds", "{\"type\":\"array\",\"description\":\"Which kinds take part. Omitted: all.\","
	"\"items\":{\"enum\":[" KIND_NAMES "]},\"examples\":[[\"table\",\"column\"]]}") ","
    LIMIT_IN(50, 15));

static const char discover_data_out[] = T("\"refs\",\"confident\"",
    M("confident", B("False: a guess.")) ","
    M("refs", LIST("Best first.", T("\"kind\",\"id\",\"score\",\"summary\",\"snippet\",\"matchedOn\"",
	M("kind", ENUM0(KIND_NAMES)) ","
	M("id", S("For the tool of its kind.")) ","
	M("score", SCORE) ","
	M("summary", SN0) ","
	M("snippet", SN0) ","
	M("matchedOn", ENUM0(FIELD_NAMES)) ","
	M("connectionId", S0) ","
	M("tableRef", TABLE_REF) ","
	M("columnName", S0) ","
	M("sameAs", S0) ","
	M("provenance", PROVENANCE_GIVEN)))));

/* --- discover_explain: the same, and why --------------------------------------------------- */

#define N(about)	"{\"type\":\"number\",\"minimum\":0,\"description\":" Q(about) "}"

#define VARIANT_OUT T("\"word\",\"likeness\",\"as\",\"guessed\"",						\
    M("word", S("In the index.")) "," M("likeness", N("1: the word itself.")) ","			\
    M("as", S("How it came to stand for the word.")) ","							\
    M("guessed", B("By its spelling: counts in the fuzzy lane only.")))
#define FIELD_OUT T("\"field\",\"score\"",								\
    M("field", S("A field, or parent.")) "," M("score", N("Its part.")))
#define REASON_OUT T("\"words\",\"found\",\"score\",\"in\",\"above\"",				\
    M("words", STRINGS("Of the question.")) "," M("found", S("What stands for them here.")) ","	\
    M("score", N("What it adds.")) "," M("in", STRINGS("Its fields.")) ","				\
    M("above", STRINGS("Fields of its parent.")))
#define LANE_OUT T("\"lane\",\"rank\",\"score\",\"contribution\",\"matched\",\"family\",\"familyWords\","	\
    "\"connection\",\"spread\",\"share\",\"kept\",\"fields\",\"reasons\"",				\
    M("lane", ENUM("By the words, with guesses at misspelt ones, or with what word vectors say is like them.",	\
	"\"lexical\",\"fuzzy\",\"semantic\"")) ","							\
    M("rank", I("Its place.")) "," M("score", N("(matched x nameBonus + family + connection) x spread.")) ","			\
    M("contribution", N("1 / (60 + rank): what the fused score gets.")) ","				\
    M("matched", N("By its words: the sum of the reasons, times what is kept.")) ","				\
    M("family", N("By its table or source with all its parts, as one text.")) ","			\
    M("familyWords", STRINGS("Of the question, which that holds.")) ","					\
    M("connection", N("By the best tables and sources of its connection.")) ","				\
    M("spread", N("What is left, as others of its family stand before it.")) ","			\
    M("share", N("How much of the question it answers.")) ","						\
    M("kept", N("What answering so much leaves of the sum.")) ","					\
    M("fields", LIST("The words' scores by field; parent: by the table's or source's name.", FIELD_OUT)) ","	\
    M("reasons", LIST("Word by word.", REASON_OUT)))

static const char discover_explain_out[] = T("\"confident\",\"words\",\"refs\"",
    M("confident", B("As in discover_data.")) ","
    M("words", LIST("The question's words, with the pieces of those written in one.",
	T("\"word\",\"weight\",\"standsFor\"",
	    M("word", S("As it is looked up.")) "," M("weight", N("Its part of the question.")) ","
	    M("standsFor", LIST("Words of the index it may mean.", VARIANT_OUT))))) ","
    M("refs", LIST("As discover_data gives them.",
	T("\"kind\",\"id\",\"score\",\"nameBonus\",\"lanes\"",
	    M("kind", ENUM("What it is.", KIND_NAMES)) "," M("id", S("As in discover_data.")) ","
	    M("connectionId", S0) "," M("score", SCORE) ","
	    M("nameBonus", N("What the exact name or id adds, as a factor.")) ","
	    M("lanes", LIST("The lists it stands in.", LANE_OUT))))));

/* --- wiki ----------------------------------------------------------------------------------- */

static const char wiki_search_in[] = T("\"query\"",
    TEXT_IN("query", "Words to look for in keys, tags, summaries and bodies.", "refund policy") ","
    M("connectionId", S("Pages about this connection, or about none.")) ","
    LIMIT_IN(50, 10));

static const char wiki_search_out[] = T("\"results\",\"totalFound\"",
    M("results", LIST("Best first.",
	T("\"key\",\"path\",\"scope\",\"summary\",\"score\",\"snippet\",\"tags\",\"matchReasons\",\"provenance\"",
	    M("key", S("For wiki_read.")) ","
	    M("path", S0) ","
	    M("scope", ENUM("USER pages stand before GLOBAL ones of the same key.", "\"GLOBAL\",\"USER\"")) ","
	    M("summary", SN0) ","
	    M("score", SCORE) ","
	    M("snippet", SN0) ","
	    M("tags", STRINGS0) ","
	    M("matchReasons", LIST0("{\"enum\":[\"lexical\",\"fuzzy\",\"semantic\"]}")) ","
	    M("provenance", PROVENANCE)))) ","
    M("totalFound", I("Also beyond the limit.")));

static const char wiki_read_in[] = T("\"key\"",
    TEXT_IN("key", "The page's key, as discover_data and wiki_search give it.", "refund-policy"));

static const char wiki_read_out[] = T(
    "\"key\",\"path\",\"scope\",\"summary\",\"content\",\"tags\",\"refs\",\"slRefs\",\"provenance\"",
    M("key", S0) ","
    M("path", S0) ","
    M("scope", ENUM0("\"GLOBAL\",\"USER\"")) ","
    M("summary", S0) ","
    M("content", S0) ","
    M("tags", STRINGS0) ","
    M("refs", STRINGS0) ","
    M("slRefs", STRINGS0) ","
    M("provenance", PROVENANCE) ","
    M("problem", S0));

/* --- entity_details ---------------------------------------------------------------------------- */

static const char entity_details_in[] = T("\"connectionId\",\"entities\"",
    CONNECTION_IN("Whose tables: an id from connection_list.") ","
    M("entities", "{\"type\":\"array\",\"minItems\":1,\"maxItems\":20,\"description\":\"At most 20.\",\"items\":" T("\"table\"",
	M("table", "{\"description\":\"name, schema.name or catalog.schema.name, quoted or "
	    "not, any case; or in parts.\",\"examples\":[\"public.orders\"],\"anyOf\":["
	    "{\"type\":\"string\",\"minLength\":1},"
	    T("\"name\"", M("catalog", SN("Database or catalog.")) "," M("db", SN("Schema.")) ","
	        M("name", "{\"type\":\"string\",\"minLength\":1,\"description\":\"Table.\"}")) "]}") ","
	M("columns", "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1},\"description\":"
	    "\"Only these columns. Omitted: all.\",\"examples\":[[\"id\",\"status\"]]}"))
	",\"examples\":[[{\"table\":\"public.orders\"}]]}"));

#define COLUMN_OUT T(											\
    "\"name\",\"nativeType\",\"normalizedType\",\"dimensionType\",\"nullable\",\"primaryKey\",\"comment\",\"description\"",\
    M("name", S0) ","								\
    M("nativeType", S0) ","							\
    M("normalizedType", S("Comparable between databases.")) ","				\
    M("dimensionType", ENUM0("\"time\",\"string\",\"number\",\"boolean\"")) ","	\
    M("nullable", B0) ","								\
    M("primaryKey", B0) ","							\
    M("comment", SN0) ","							\
    M("description", SN("What it means.")) ","							\
    M("enumLabels", STRINGS0) "," M("moreLabels", B0))

#define KEY_OUT T(											\
    "\"fromColumn\",\"toCatalog\",\"toDb\",\"toTable\",\"toColumn\",\"constraintName\"",			\
    M("fromColumn", S0) "," M("toCatalog", SN0) ","			\
    M("toDb", SN0) "," M("toTable", S0) ","				\
    M("toColumn", S0) "," M("constraintName", SN0))

#define INDEX_OUT T("\"name\",\"columns\",\"unique\"",						\
    M("name", S0) ","										\
    M("columns", LIST0(SN0)) ","									\
    M("unique", B0) "," M("primary", B0) "," M("definition", S0))

#define DETAILS_OUT T(											\
    "\"ok\",\"connectionId\",\"tableRef\",\"display\",\"kind\",\"comment\",\"description\",\"estimatedRows\","	\
    "\"columns\",\"foreignKeys\",\"snapshot\"",								\
    M("ok", "{\"const\":true}") ","									\
    M("connectionId", S0) ","								\
    M("tableRef", TABLE_REF) ","									\
    M("display", S("How to write it in SQL, unquoted.")) ","						\
    M("kind", ENUM("Partitioned tables are tables, materialized views views.",				\
	"\"table\",\"view\",\"external\",\"event_stream\"")) ","					\
    M("comment", SN0) ","							\
    M("description", SN0) ","					\
    M("estimatedRows", IN0) ","					\
    M("columns", LIST0(COLUMN_OUT)) ","						\
    M("foreignKeys", LIST("Of the whole table.", KEY_OUT)) ","		\
    M("indexes", LIST0(INDEX_OUT)) ","								\
    M("definition", S0) ","										\
    M("snapshot", T("\"syncId\",\"extractedAt\",\"scanRunId\",\"stale\"",				\
	M("syncId", S0) "," M("extractedAt", S0) ","	\
	M("scanRunId", SN0) ","							\
	M("stale", BN("Whether the database has changed since; null: not known.")) ","			\
	M("note", S0))))

#define DETAILS_ERROR T("\"ok\",\"connectionId\",\"table\",\"snapshot\",\"error\"",					\
    M("ok", "{\"const\":false}") "," M("connectionId", S0) "," M("table", "{}") ","				\
    M("snapshot", "{\"type\":[\"object\",\"null\"]}") ","							\
    M("error", T("\"code\",\"message\"",								\
	M("code", ENUM0("\"table_not_found\",\"ambiguous_table\",\"scan_missing\",\"column_not_found\"")) ","	\
	M("message", S0) ","					\
	M("candidates", LIST0("{\"type\":[\"object\",\"string\"]}")))))

static const char entity_details_out[] = T("\"results\"",
    M("results", LIST0(
	"{\"oneOf\":[" DETAILS_OUT "," DETAILS_ERROR "]}")));

/* --- dictionary_search --------------------------------------------------------------------------- */

static const char dictionary_search_in[] = T("\"values\"",
    M("values", "{\"type\":\"array\",\"minItems\":1,\"maxItems\":20,\"items\":{\"type\":\"string\",\"minLength\":1},"
	"\"description\":\"At most 20.\","
	"\"examples\":[[\"Acme\",\"cancelled\"]]}") ","
    CONNECTION_IN("Only this connection. Omitted: all.") ","
    M("limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":200,\"default\":50,\"description\":"
	"\"Matches per value at most.\",\"examples\":[20]}"));

static const char dictionary_search_out[] = T("\"searched\",\"results\"",
    M("searched", LIST0(
	T("\"connectionId\",\"coverage\",\"status\"",
	    M("connectionId", S0) ","
	    M("coverage", T("\"sampledRows\",\"valuesPerColumn\",\"profiledColumns\",\"syncId\",\"profiledAt\"",
	        M("sampledRows", IN0) ","
	        M("valuesPerColumn", IN0) ","
	        M("profiledColumns", I0) ","
	        M("syncId", SN0) ","
	        M("profiledAt", SN0))) ","
	    M("status", ENUM0(DICT_STATES))))) ","
    M("results", LIST0(
	T("\"value\",\"totalMatches\",\"truncated\",\"matches\",\"misses\"",
	    M("value", S0) ","
	    M("totalMatches", I("Exact below 1,000.")) ","
	    M("truncated", B0) ","
	    M("matches", LIST("Exact ones first, then beginnings, then parts.",
	        T("\"connectionId\",\"sourceName\",\"columnName\",\"matchedValue\",\"cardinality\"",
	            M("connectionId", S0) "," M("sourceName", S0) ","
	            M("columnName", S0) "," M("matchedValue", S0) ","
	            M("cardinality", IN("Distinct values."))))) ","
	    M("misses", LIST("Not in the sample, which proves nothing.",
	        T("\"connectionId\",\"reason\"", M("connectionId", S0) ","
	            M("reason", ENUM0("\"no_profile_artifact\",\"no_candidate_columns\",\"value_not_in_sample\"")))))))));

/* --- sl_read_source ---------------------------------------------------------------------------------- */

static const char sl_read_source_in[] = T("\"connectionId\",\"sourceName\"",
    CONNECTION_IN("Whose source: an id from connection_list.") ","
    TEXT_IN("sourceName", "The source's name, exactly.", "orders"));

static const char sl_read_source_out[] = T("\"sourceName\",\"connectionId\",\"yaml\",\"source\"",
    M("sourceName", S0) ","
    M("connectionId", S0) ","
    M("yaml", S("The file, or what its overlay and the scan give together.")) ","
    M("source", "{\"type\":\"object\",\"description\":\"The same, parsed.\"}") ","
    M("problem", S("Why yaml cannot be used.")));

/* --- for carrel-agent: see ask_model_tools.h ----------------------------------------------- */

static const char ask_model_in[] = T("",
    M("ontologyId", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":64,"
	"\"description\":\"Its id; the only one when left out.\"}") ","
    M("have", "{\"type\":\"string\",\"maxLength\":64,\"description\":\"The version that is known already.\"}"));

static const char ask_values_in[] = T("\"connection\",\"words\"",
    M("connection", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":128,\"description\":\"Whose samples.\"}") ","
    M("words", "{\"type\":\"array\",\"maxItems\":256,\"items\":{\"type\":\"string\"},"
	"\"description\":\"Words and phrases.\"}"));

#define READS	(TOOL_READ_ONLY | TOOL_IDEMPOTENT)

/*
 * A row of toolset SURFACE: ipc/surface_calls.h says what it takes and gives.  No
 * client sees these texts; tests hold every answer to the output schema.
 */
#define SURFACE(row, method, out, function)	{							\
	.name = row, .title = method, .description = "Serves " method ".",				\
	.input_schema = "{\"type\":\"object\"}", .output_schema = out,					\
	.hints = READS, .budget_ms = 10000, .run = function,						\
    }

static const char resources_out[] = T("\"resources\"",
    M("resources", LIST("Pages, then sources, then tables.", T("\"uri\",\"name\",\"mimeType\"",
	M("uri", S("Of the resource.")) "," M("name", S("Its own.")) "," M("title", S("For people.")) ","
	M("description", S("What it says of itself.")) "," M("mimeType", S("Of its content.")) ","
	M("size", I("Bytes.")) ","
	M("annotations", T("\"lastModified\"", M("lastModified", S("ISO 8601."))))))) ","
    M("next", S("Where the list goes on.")));

static const char templates_out[] = T("\"resourceTemplates\"",
    M("resourceTemplates", LIST("All there are.", T("\"uriTemplate\",\"name\",\"description\",\"mimeType\"",
	M("uriTemplate", S("RFC 6570.")) "," M("name", S("Its own.")) "," M("title", S("For people.")) ","
	M("description", S("What it stands for.")) "," M("mimeType", S("Of the contents."))))));

static const char prompts_out[] = T("\"prompts\"",
    M("prompts", LIST("All there are.", T("\"name\",\"description\",\"arguments\"",
	M("name", S("Its own.")) "," M("title", S("For people.")) "," M("description", S("What it is for.")) ","
	M("arguments", LIST("What it takes.", T("\"name\",\"description\",\"required\"",
	    M("name", S("Its own.")) "," M("title", S("For people.")) "," M("description", S("What to give.")) ","
	    M("required", B("It must be given.")))))))));

static const char prompt_out[] = T("\"description\",\"messages\"",
    M("description", S("What it is for.")) ","
    M("messages", LIST("The conversation to begin with.", T("\"role\",\"content\"",
	M("role", ENUM("Who says it.", "\"user\",\"assistant\"")) ","
	M("content", "{\"type\":\"object\",\"required\":[\"type\"]}")))));

static const char complete_out[] = T("\"completion\"",
    M("completion", T("\"values\",\"total\",\"hasMore\"",
	M("values", "{\"type\":\"array\",\"maxItems\":100,\"items\":{\"type\":\"string\"}}") ","
	M("total", I("All that fit.")) "," M("hasMore", B("There are more than these.")))));

static const char read_out[] = T("\"contents\"",
    M("contents", "{\"type\":\"array\",\"minItems\":1,\"items\":" T("\"uri\",\"mimeType\",\"text\"",
	M("uri", S("As asked.")) "," M("mimeType", S("Of the text.")) "," M("text", S("The content."))) "}"));

/* --- what the owner published ------------------------------------------------------------- */

static const char list_datasets_out[] = "{\"type\":\"object\",\"required\":[\"datasets\",\"count\"],\"properties\":{"
    M("datasets", LIST0(T(
	"\"id\",\"name\",\"description\",\"type\",\"row_count\",\"column_count\",\"created_at\",\"has_vectors\"",
	M("id", S0) "," M("name", S0) "," M("description", SN0) ","
	M("type", ENUM0("\"table\",\"view\",\"import\"")) ","
	M("row_count", IN("null: the database did not say in time.")) "," M("column_count", IN0) ","
	M("created_at", S0) "," M("has_vectors", B0)))) ","
    M("count", I0) "}}";

static const char get_schema_in[] = T("\"dataset_id\"",
    DATASET_IN("An id from carrel_list_datasets."));

static const char get_schema_out[] =
    "{\"type\":\"object\",\"required\":[\"dataset_id\",\"table_name\",\"row_count\",\"columns\"],\"properties\":{"
    M("dataset_id", S0) "," M("table_name", S("Its name in carrel_sql.")) ","
    M("row_count", IN0) ","
    M("columns", LIST0(T("\"name\",\"type\",\"nullable\",\"description\",\"sample_values\"",
	M("name", S0) "," M("type", S0) "," M("nullable", B0) "," M("description", SN0) ","
	M("sample_values", "{\"type\":\"array\",\"items\":{}}")))) "}}";

static const char search_in[] = T("\"query\"",
    M("query", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":1000,"
	"\"description\":\"What the text should say, in words.\",\"examples\":[\"calibration of rain gauges\"]}") ","
    DATASET_IN("Search only this dataset: an id from carrel_list_datasets.") ","
    M("top_k", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":20,\"default\":5}"));

static const char search_out[] =
    "{\"type\":\"object\",\"required\":[\"matches\",\"count\",\"truncated\",\"request_id\"],\"properties\":{"
    M("matches", LIST0(T("\"id\",\"score\",\"text\",\"metadata\"",
	M("id", S0) "," M("score", "{\"type\":\"number\",\"minimum\":0,\"maximum\":1}") ","
	M("text", S0) ","
	M("metadata", T("\"source_file\",\"dataset_id\",\"dataset_name\",\"page\",\"chunk_index\"",
	    M("source_file", S0) "," M("dataset_id", S0) "," M("dataset_name", S0) ","
	    M("page", IN0) "," M("chunk_index", I0) ","
	    M("column", S0) "," M("row", "{\"type\":\"object\",\"description\":\"Its key.\"}") ","
	    M("row_number", I0)))))) ","
    M("count", I0) "," M("truncated", B0) "," M("request_id", S0) "}}";

static const char sql_in[] = T("\"sql\"",
    TEXT_IN("sql", "One SELECT in the dialect of the datasets' database, at most 4096 characters.",
	"SELECT count(*) FROM dataset_5f3b6c1e_8a54_4f0b_9a52_0d9e4b7c2f11") ","
    DATASET_IN("Read only this dataset: an id from carrel_list_datasets."));

static const char sql_out[] =
    "{\"type\":\"object\",\"required\":[\"columns\",\"rows\",\"row_count\",\"truncated\",\"execution_ms\","
    "\"limits_applied\",\"request_id\"],\"properties\":{"
    M("columns", LIST0(S0)) ","
    M("rows", LIST0("{\"type\":\"array\"}")) ","
    M("row_count", I0) "," M("truncated", B0) "," M("execution_ms", "{\"type\":\"number\",\"minimum\":0}") ","
    M("limits_applied", T("\"max_rows\",\"max_runtime_ms\",\"max_memory_mb\"",
	M("max_rows", I0) "," M("max_runtime_ms", I0) "," M("max_memory_mb", I0))) ","
    M("request_id", S0) "}}";

const struct tool search_tools[] = {
	{
		.name = "connection_list", .title = "Connection List",
		.description = "Lists the databases that can be asked: SQL dialect, whether they answer now, when they "
		    "were last scanned. Start here when it is not clear which one a question is about. Example: {}",
		.input_schema = connection_list_in, .output_schema = connection_list_out,
		.hints = READS, .budget_ms = 5000, .run = tool_connection_list,
	},
	{
		.name = "discover_data", .title = "Discover Data",
		.description = "Finds what is known about a subject: wiki pages, semantic-layer sources, measures and "
		    "dimensions, tables and columns, in one ranked list. Use it first for any question about data; then "
		    "read what it names: wiki_read, sl_read_source, entity_details. sameAs is another name of the same "
		    "thing in the semantic layer or the database. "
		    "Example: {\"query\": \"monthly revenue by customer\", \"limit\": 10}",
		.input_schema = discover_data_in, .output_schema = discover_data_out,
		.hints = READS, .budget_ms = 10000, .run = tool_discover_data,
	},
	{
		.name = "discover_explain", .title = "Discover Explain",
		.description = "As discover_data, with why each answer stands where it does.",
		.input_schema = discover_data_in, .output_schema = discover_explain_out,
		.hints = READS, .budget_ms = 10000, .run = tool_discover_explain,
	},
	{
		.name = "wiki_search", .title = "Wiki Search",
		.description = "Searches the project's wiki: definitions, business rules, gotchas. Returns pages with "
		    "the part that matched; wiki_read gives the whole page. "
		    "Example: {\"query\": \"refund policy\"}",
		.input_schema = wiki_search_in, .output_schema = wiki_search_out,
		.hints = READS, .budget_ms = 10000, .run = tool_wiki_search,
	},
	{
		.name = "same_subject", .title = "Same Subject",
		.description = "Which wiki pages are about what a title names, and how near they are, in thousandths.",
		.input_schema = T("\"title\"",
		    M("title", "{\"type\":\"string\",\"minLength\":1,\"maxLength\":4096,"
			"\"description\":\"What a text is about.\"}") ","
		    M("limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":32,"
			"\"description\":\"How many at most.\"}")),
		.hints = READS, .budget_ms = 10000, .run = tool_same_subject,
	},
	{
		.name = "wiki_read", .title = "Wiki Read",
		.description = "Reads one wiki page by its key. A page of the user's own stands before a global one of "
		    "the same key. Example: {\"key\": \"refund-policy\"}",
		.input_schema = wiki_read_in, .output_schema = wiki_read_out,
		.hints = READS, .budget_ms = 5000, .run = tool_wiki_read,
	},
	{
		.name = "entity_details", .title = "Entity Details",
		.description = "Describes up to 20 tables as the latest scan saw them: columns with types, keys, "
		    "labels and comments, foreign keys, indexes, views' SQL. Look here before writing SQL. A table that "
		    "is not found is answered with near names and does not fail the others. Example: {\"connectionId\": "
		    "\"warehouse\", \"entities\": [{\"table\": \"public.orders\", \"columns\": [\"id\", \"status\"]}]}",
		.input_schema = entity_details_in, .output_schema = entity_details_out,
		.aliases = "entities[].table.schema=db entities[].table.table=name",
		.hints = READS, .budget_ms = 10000, .waits = true,
		.run = tool_entity_details, .meanwhile = tool_entity_details_meanwhile,
	},
	{
		.name = "dictionary_search", .title = "Dictionary Search",
		.description = "Finds which columns hold a literal value, among values sampled by a deep scan: to learn "
		    "how a name or status is spelt in the data before filtering by it. Matches any case, also parts of "
		    "longer values. A miss is never authoritative: only a sample of rows, and of columns with few "
		    "distinct values, is known; ask the database to be sure. Example: {\"values\": [\"acme\", \"cancelled\"], \"connectionId\": \"warehouse\"}",
		.input_schema = dictionary_search_in, .output_schema = dictionary_search_out,
		.hints = READS, .budget_ms = 10000, .run = tool_dictionary_search,
	},
	{
		.name = "sl_read_source", .title = "Semantic Layer Read Source",
		.description = "Reads one semantic-layer source: its table or SQL, columns, joins, measures and "
		    "segments, as YAML and parsed. "
		    "Example: {\"connectionId\": \"warehouse\", \"sourceName\": \"orders\"}",
		.input_schema = sl_read_source_in, .output_schema = sl_read_source_out,
		.hints = READS, .budget_ms = 5000, .run = tool_sl_read_source,
	},
	{
		.name = "sl_query", .title = "Semantic Layer Query",
		.description = "Asks for governed metrics: measures by dimensions; joins, filters and fan-out are handled "
		    "by the semantic layer, so the numbers agree with everybody else's. Prefer it to your own SQL "
		    "when the measure exists; discover_data finds them. Sources may be combined. Example: {\"measures\": [\"orders.revenue\"], \"dimensions\": [{\"field\": "
		    "\"orders.created_at\", \"granularity\": \"month\"}], \"filters\": [\"customers.segment = 'SMB'\"]}",
		.input_schema = sl_query_in, .output_schema = sl_query_out,
		.aliases = "dimensions[].dimension=field order_by[].id=field",
		.hints = READS, .budget_ms = 60000, .run = tool_sl_query,
	},
	{
		.name = "sl_compile", .title = "Semantic Layer Compile",
		.description = "As sl_query, without running it: the statement, its columns and its plan.",
		.input_schema = sl_query_in,
		.aliases = "dimensions[].dimension=field order_by[].id=field",
		.hints = READS, .budget_ms = 10000, .run = tool_sl_compile,
	},
	{
		.name = "ask_model", .title = "Ask Model",
		.description = "What questions in words are answered from: the catalogue of an ontology.",
		.input_schema = ask_model_in, .hints = READS, .budget_ms = 10000, .run = tool_ask_model,
	},
	{
		.name = "ask_values", .title = "Ask Values",
		.description = "Sampled values that equal one of the words, whatever their case.",
		.input_schema = ask_values_in, .hints = READS, .budget_ms = 10000, .run = tool_ask_values,
	},
	SURFACE("resources_list", "resources/list", resources_out, surface_resources_list),
	SURFACE("resource_templates_list", "resources/templates/list", templates_out, surface_templates_list),
	SURFACE("resource_read", "resources/read", read_out, surface_resource_read),
	SURFACE("prompts_list", "prompts/list", prompts_out, surface_prompts_list),
	SURFACE("prompt_get", "prompts/get", prompt_out, surface_prompt_get),
	SURFACE("complete", "completion/complete", complete_out, surface_complete),
	{
		.name = "carrel_list_datasets", .title = "List Datasets",
		.description = "List the published datasets with their ids, descriptions and sizes. Call this first; "
			       "the other dataset tools take an id from here. Example: {}",
		.input_schema = T("", ""), .output_schema = list_datasets_out,
		.hints = READS, .budget_ms = 15000, .waits = true, .run = tool_list_datasets,
	},
	{
		.name = "carrel_get_schema", .title = "Get Dataset Schema",
		.description = "Show a dataset's columns with types and sample values, and its table_name in SQL. "
			       "Call this before carrel_sql. "
			       "Example: {\"dataset_id\": \"5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11\"}",
		.input_schema = get_schema_in, .output_schema = get_schema_out,
		.hints = READS, .budget_ms = 15000, .waits = true, .run = tool_get_schema,
	},
	{
		.name = "carrel_search", .title = "Search Datasets' Text",
		.description = "Find passages of the datasets' documents and text columns, best first, "
			       "with file and page, or column and row, to cite. Use it for what things mean or say; "
			       "use carrel_sql to count. Example: {\"query\": \"calibration of rain gauges\", "
			       "\"top_k\": 3}",
		.input_schema = search_in, .output_schema = search_out,
		.hints = READS, .budget_ms = 15000, .waits = true, .run = tool_search,
	},
	{
		.name = "carrel_sql", .title = "Query Datasets",
		.description = "Run one SELECT over the datasets. Only their table_name from carrel_get_schema names "
			       "tables; no other table exists. At most 500 rows: count and group in SQL. "
			       "Example: {\"sql\": \"SELECT city, count(*) AS n FROM "
			       "dataset_5f3b6c1e_8a54_4f0b_9a52_0d9e4b7c2f11 GROUP BY city\"}",
		.input_schema = sql_in, .output_schema = sql_out,
		.hints = READS, .budget_ms = 15000, .waits = true, .run = tool_sql,
	},
	{
		.name = "dataset_list", .title = "Dataset List",
		.description = "What is published, and of which connection and table.",
		.input_schema = T("", M("id", S("Only this one: an id or a name."))),
		.hints = READS, .budget_ms = 30000, .waits = true, .run = tool_dataset_list,
	},
	{
		.name = "dataset_check", .title = "Dataset Check",
		.description = "Whether a table can be published, and what it is.",
		.input_schema = T("\"connectionId\",\"table\"",
		    M("connectionId", S("Its connection.")) "," M("table", S("As in entity_details."))),
		.hints = READS, .budget_ms = 30000, .waits = true, .run = tool_dataset_check,
	},
	{
		.name = "dataset_column", .title = "Dataset Column",
		.description = "A page of the texts of a column, to be searched with its dataset.",
		.input_schema = T("\"id\",\"column\"",
		    M("id", S("An id or a name.")) "," M("column", S("Its name.")) ","
		    M("after", "{\"type\":\"array\",\"maxItems\":16,"
			"\"items\":{\"type\":[\"string\",\"number\",\"boolean\"]},"
			"\"description\":\"The cells before the text in the last row of the page before.\"}")),
		.hints = READS, .budget_ms = 60000, .waits = true, .run = tool_dataset_column,
	},
	{ .name = NULL },
};
