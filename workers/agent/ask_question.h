/* ask_question - ask_question: six phases from a question to an answer, a clarifying question, or a refusal. */
#pragma once

#include "workers/agent/agent.h"

/* The tools. */
int tool_ask_question(struct call *c, const struct mp_value *args, struct err *err);
int tool_ask_trace(struct call *c, const struct mp_value *args, struct err *err);
int tool_ask_examples(struct call *c, const struct mp_value *args, struct err *err);
