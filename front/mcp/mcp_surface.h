/* mcp_surface - resources, prompts and completion, served by tools of toolset SURFACE. */
#pragma once

#include "front/mcp/exchange.h"

void handle_resources_list(struct exchange *x, const struct mp_value *params);
void handle_templates_list(struct exchange *x, const struct mp_value *params);
void handle_resources_read(struct exchange *x, const struct mp_value *params);
void handle_prompts_list(struct exchange *x, const struct mp_value *params);
void handle_prompts_get(struct exchange *x, const struct mp_value *params);
void handle_complete(struct exchange *x, const struct mp_value *params);
