/*
 * interpret - reads a question with a language model.  The model only chooses among the names of the catalogue; its
 * choice is written as a question in the catalogue's own words, which the rules read like any other.  Their reading is
 * compared with the choice, so that only what was chosen is answered.
 */
#pragma once

#include "ask/ask.h"
#include "ask/ask_model.h"
#include "workers/agent/answer/answer.h"
#include "workers/agent/model/model_endpoint.h"

#define INTERPRET_WAYS	2u	/* of writing a choice: with plain names, or with names and their sources */

struct reading_choice;

/*
 * Let the model choose.  0: *out in the call's arena.  1: the choice is not usable, for the reason in why.  -1 with
 * *err.
 */
int interpret_ask(struct model_use *u, const struct ask_model *m, const struct ask_context *context,
    struct span question, struct reading_choice **out, char why[160], struct err *err);

/* The choice as an English question; in a. */
struct span interpret_question(struct arena *a, const struct reading_choice *c, unsigned way);

/* Whether the reading equals the choice: the same measures, groups, conditions, period and form. */
bool interpret_holds(const struct reading_choice *c, const struct ask_reading *r);

/* Record how the model understood each word of the question. */
void interpret_words(const struct reading_choice *c, struct answer *answer);

bool interpret_is_german(const struct reading_choice *c);
