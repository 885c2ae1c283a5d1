/* tools.c - the search worker's tool table: what each tool says of itself. */
#include "workers/search/datasets/tools_dataset.h"
#include "workers/search/datasets/tools_dataset_search.h"
#include "workers/search/datasets/tools_dataset_sql.h"
#include "workers/search/datasets/tools_dataset_text.h"
#include "workers/search/inspect/tools_entity.h"
#include "workers/search/inspect/tools_query.h"
#include "workers/search/inspect/tools_read.h"
#include "workers/search/ontology/ask_values.h"
#include "workers/search/find/tools_explain.h"
#include "workers/search/find/tools_find.h"
#include "workers/search/find/tools_subject.h"
#include "workers/search/find/tools_values.h"
#include "workers/search/surface/complete.h"
#include "workers/search/surface/prompts.h"
#include "workers/search/surface/resources.h"
#include "workers/search/tools_text.h"

#define READS	(TOOL_READ_ONLY | TOOL_IDEMPOTENT)

const struct tool search_tools[] = {
	{ TOOL_discover_data .hints = READS, .budget_ms = 10000, .run = tool_discover_data },
	{ TOOL_discover_explain .hints = READS, .budget_ms = 10000, .run = tool_discover_explain },
	{ TOOL_wiki_search .hints = READS, .budget_ms = 10000, .run = tool_wiki_search },
	{ TOOL_same_subject .hints = READS, .budget_ms = 10000, .run = tool_same_subject },
	{ TOOL_dictionary_search .hints = READS, .budget_ms = 10000, .run = tool_dictionary_search },
	{ TOOL_connection_list .hints = READS, .budget_ms = 5000, .run = tool_connection_list },
	{ TOOL_wiki_read .hints = READS, .budget_ms = 5000, .run = tool_wiki_read },
	{ TOOL_entity_details .hints = READS, .budget_ms = 10000, .waits = true, .run = tool_entity_details, .meanwhile = tool_entity_details_meanwhile },
	{ TOOL_sl_read_source .hints = READS, .budget_ms = 5000, .run = tool_sl_read_source },
	{ TOOL_sl_query .hints = READS, .budget_ms = 60000, .run = tool_sl_query },
	{ TOOL_team_query .hints = READS, .budget_ms = 60000, .run = tool_team_query },
	{ TOOL_ask_query .hints = READS, .budget_ms = 60000, .run = tool_ask_query },
	{ TOOL_sl_compile .hints = READS, .budget_ms = 10000, .run = tool_sl_compile },
	{ TOOL_ask_model .hints = READS, .budget_ms = 10000, .run = tool_ask_model },
	{ TOOL_ask_values .hints = READS, .budget_ms = 10000, .run = tool_ask_values },
	{ TOOL_resources_list .hints = READS, .budget_ms = 10000, .run = surface_resources_list },
	{ TOOL_resource_templates_list .hints = READS, .budget_ms = 10000, .run = surface_templates_list },
	{ TOOL_resource_read .hints = READS, .budget_ms = 10000, .run = surface_resource_read },
	{ TOOL_prompts_list .hints = READS, .budget_ms = 10000, .run = surface_prompts_list },
	{ TOOL_prompt_get .hints = READS, .budget_ms = 10000, .run = surface_prompt_get },
	{ TOOL_complete .hints = READS, .budget_ms = 10000, .run = surface_complete },
	{ TOOL_carrel_list_datasets .hints = READS, .budget_ms = 15000, .waits = true, .run = tool_list_datasets },
	{ TOOL_carrel_get_schema .hints = READS, .budget_ms = 15000, .waits = true, .run = tool_get_schema },
	{ TOOL_carrel_search .hints = READS, .budget_ms = 15000, .waits = true, .run = tool_search },
	{ TOOL_carrel_sql .hints = READS, .budget_ms = 15000, .waits = true, .run = tool_sql },
	{ TOOL_dataset_list .hints = READS, .budget_ms = 30000, .waits = true, .run = tool_dataset_list },
	{ TOOL_dataset_check .hints = READS, .budget_ms = 30000, .waits = true, .run = tool_dataset_check },
	{ TOOL_dataset_column .hints = READS, .budget_ms = 60000, .waits = true, .run = tool_dataset_column },
	{ .name = NULL },
};
