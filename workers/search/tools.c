/* tools.c - the search worker's tool table: what each tool says of itself. */
#include "workers/search/datasets/datasets.h"
#include "workers/search/inspect/inspect.h"
#include "workers/search/ontology/ask_model_tools.h"
#include "workers/search/answer/search.h"
#include "workers/shared/tool_schema.h"
#include "workers/search/surface/surface.h"

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
	    M("coverage", T("\"sampledRows\",\"valuesPerColumn\",\"profiledColumns\",\"syncId\","
		"\"profiledAt\",\"leftOut\"",
	        M("sampledRows", IN0) ","
	        M("valuesPerColumn", IN0) ","
	        M("profiledColumns", I0) ","
	        M("syncId", SN0) ","
	        M("profiledAt", SN0) ","
	        M("leftOut", LIST("Columns of text that are not known.", "{\"type\":\"object\"}")))) ","
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
	            M("cardinality", IN("Distinct values.")) ","
	            M("folded", B("Found but for accents."))))) ","
	    M("closeSpellings", LIST("No matches, one edit away; as those.", "{\"type\":\"object\"}")) ","
	    M("misses", LIST("Not in the sample, which proves nothing.",
	        T("\"connectionId\",\"reason\"", M("connectionId", S0) ","
	            M("reason", ENUM0("\"no_profile_artifact\",\"no_candidate_columns\",\"value_not_in_sample\","
	                "\"more_values_than_kept\",\"column_not_profiled\",\"values_too_long\"")))))))));

#define READS	(TOOL_READ_ONLY | TOOL_IDEMPOTENT)

const struct tool search_tools[] = {
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
		.name = "dictionary_search", .title = "Dictionary Search",
		.description = "Finds which columns hold a literal value, among values sampled by a deep scan: to learn "
		    "how a name or status is spelt in the data before filtering by it. Matches any case, also parts of "
		    "longer values; Munoz finds Muñoz, marked as folded. A miss is never authoritative: only "
		    "a sample of rows, and of columns with few distinct values, is known; ask the database to "
		    "be sure. Example: {\"values\": [\"acme\", \"cancelled\"], \"connectionId\": \"warehouse\"}",
		.input_schema = dictionary_search_in, .output_schema = dictionary_search_out,
		.hints = READS, .budget_ms = 10000, .run = tool_dictionary_search,
	},
#include "workers/search/inspect/tools.def"
#include "workers/search/ontology/tools.def"
#include "workers/search/surface/tools.def"
#include "workers/search/datasets/tools.def"
	{ .name = NULL },
};
