/* tools.c - the search worker's tool table: what each tool says of itself. */
#include "workers/datasets/datasets.h"
#include "workers/ontology/ask_model.h"
#include "workers/search/tools/search.h"
#include "workers/shared/tool_schema.h"
#include "workers/surface/surface.h"

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

#define LIMIT_IN(most, usual)										\
    M("limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":" #most ",\"default\":" #usual			\
    ",\"description\":\"How many results at most.\",\"examples\":[" #usual "]}")
#define CONNECTION_IN(about)	TEXT_IN("connectionId", about, "warehouse")
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

#define READS	(TOOL_READ_ONLY | TOOL_IDEMPOTENT)

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
#include "workers/ontology/tools.def"
#include "workers/surface/tools.def"
#include "workers/datasets/tools.def"
	{ .name = NULL },
};
