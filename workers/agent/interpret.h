/*
 * interpret - a question as a language model reads it.  The model only chooses among the names of the catalogue; its
 * choice is put as a question in the catalogue's own words, which the rules read as any other.  What they read is
 * compared with the choice, so that nothing is answered that was not chosen.
 */
#ifndef AGENT_INTERPRET_H
#define AGENT_INTERPRET_H

#include "ask/ask.h"
#include "ask/ask_model.h"
#include "workers/agent/answer.h"
#include "workers/agent/model.h"

#define INTERPRET_WAYS	2u	/* of putting a choice: by plain names, by names with their sources */

struct choice;

/*
 * Have the model choose.  0: *out in the call's arena.  1: it chose nothing that can be used, why says why.  -1 with
 * *err.
 */
int interpret_ask(struct model_use *u, const struct ask_model *m, const struct ask_context *context,
    struct span question, struct choice **out, char why[160], struct err *err);

/* The choice as a question, in English; in a. */
struct span interpret_question(struct arena *a, const struct choice *c, unsigned way);

/* Whether the reading is what was chosen: the same measures, groups, conditions, period and form. */
bool interpret_holds(const struct choice *c, const struct ask_reading *r);

/* What the model took each word of the question for. */
void interpret_words(const struct choice *c, struct answer *answer);

bool interpret_is_german(const struct choice *c);

#endif
