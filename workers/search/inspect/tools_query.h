/*
 * tools_query - sl_query, and ask_query for a question's answer: compiled here, run on the connection's SQL worker;
 * sl_compile: only compiled.
 */
#pragma once

#include "workers/search/inspect/inspect.h"

int tool_sl_query(struct call *c, const struct mp_value *args, struct err *err);
int tool_team_query(struct call *c, const struct mp_value *args, struct err *err);
int tool_ask_query(struct call *c, const struct mp_value *args, struct err *err);
int tool_sl_compile(struct call *c, const struct mp_value *args, struct err *err);
