/*
 * fixture - the worker that the public conformance suite is run against.
 *
 * It stands in the search worker's place under the real supervisor and a front
 * whose only difference is its table of tools.  What each tool must do is the
 * suite's to say (mcp-facts section 4); nothing of this is in the product.
 */
#pragma once

#include "workers/shared/child.h"

/* A red dot, and eight samples of silence. */
#define FIXTURE_PNG	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
#define FIXTURE_WAV	"UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="

#define FIXTURE_IMAGE	"{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"}"

#define FIXTURE_RUN(name) int name(struct call *c, const struct mp_value *args, struct err *err)

/* --- answers, given as JSON text ------------------------------------------------ */

/* The whole answer: an object. */
int fixture_object(struct call *c, const char *object);
/* content: an array of content blocks. */
int fixture_content(struct call *c, const char *content);
/* One text block: text, then what (may be empty). */
int fixture_text(struct call *c, const char *text, struct span what);
/* requests: a map of key -> {method, params}. */
int fixture_ask(struct call *c, const char *requests, const char *state);

/* --- simple.c -------------------------------------------------------------------- */
FIXTURE_RUN(test_simple_text);
FIXTURE_RUN(test_image_content);
FIXTURE_RUN(test_audio_content);
FIXTURE_RUN(test_embedded_resource);
FIXTURE_RUN(test_multiple_content_types);
FIXTURE_RUN(test_error_handling);
FIXTURE_RUN(test_tool_with_logging);
FIXTURE_RUN(test_logging_tool);
FIXTURE_RUN(test_tool_with_progress);
FIXTURE_RUN(json_schema_2020_12_tool);
FIXTURE_RUN(test_x_mcp_header);
FIXTURE_RUN(test_trigger_tool_change);
FIXTURE_RUN(test_trigger_prompt_change);

/* --- asking.c --------------------------------------------------------------------- */
FIXTURE_RUN(test_sampling);
FIXTURE_RUN(test_elicitation);
FIXTURE_RUN(test_elicitation_sep1034_defaults);
FIXTURE_RUN(test_elicitation_sep1330_enums);
FIXTURE_RUN(test_missing_capability);
FIXTURE_RUN(test_streaming_elicitation);
FIXTURE_RUN(test_input_required_result_elicitation);
FIXTURE_RUN(test_input_required_result_sampling);
FIXTURE_RUN(test_input_required_result_list_roots);
FIXTURE_RUN(test_input_required_result_request_state);
FIXTURE_RUN(test_input_required_result_multiple_inputs);
FIXTURE_RUN(test_input_required_result_multi_round);
FIXTURE_RUN(test_input_required_result_capabilities);

/* --- long.c ------------------------------------------------------------------------- */
FIXTURE_RUN(greet);
FIXTURE_RUN(slow_compute);
FIXTURE_RUN(failing_job);
FIXTURE_RUN(protocol_error_job);
FIXTURE_RUN(confirm_delete);
FIXTURE_RUN(multi_input);
FIXTURE_RUN(test_tool_with_task);

/* --- published.c -------------------------------------------------------------------- */
FIXTURE_RUN(carrel_list_datasets);
FIXTURE_RUN(carrel_get_schema);
FIXTURE_RUN(carrel_search);
FIXTURE_RUN(carrel_sql);

/* --- surface.c ---------------------------------------------------------------------- */
FIXTURE_RUN(resources_list);
FIXTURE_RUN(resource_templates_list);
FIXTURE_RUN(resource_read);
FIXTURE_RUN(prompts_list);
FIXTURE_RUN(prompt_get);
FIXTURE_RUN(complete);

/* --- tools.c ---------------------------------------------------------------------- */
extern const struct tool fixture_tools[];
