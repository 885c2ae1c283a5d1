/* ask_question - ask_question: six phases from a question to an answer, a clarifying question, or a refusal. */
#ifndef WORKERS_AGENT_ASK_QUESTION_H
#define WORKERS_AGENT_ASK_QUESTION_H

#include "workers/agent/agent.h"

/* The tools. */
int tool_ask_question(struct call *c, const struct mp_value *args, struct err *err);
int tool_ask_trace(struct call *c, const struct mp_value *args, struct err *err);
int tool_ask_examples(struct call *c, const struct mp_value *args, struct err *err);

#endif
