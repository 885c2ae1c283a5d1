/*
 * claim - what a sentence of a note claims, and of what: "Heads up: orders.freight is never summed" is a claim about
 * orders.freight.  Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

/* The sentence without list marks, interjections and requests to remember it: "Note:", "it turned out that". */
struct span claim_body(struct span sentence);

/* "Heads up", "Achtung!" */
bool claim_is_interjection(struct span text);

/* The words that a sentence is about, as written there; its whole first clause if there is no better choice. */
struct span claim_subject(struct span sentence);

/* Whether the word is spelled as a name of a database: `net`, orders.freight, unit_price.  *name: without backticks. */
bool claim_is_name(struct span word, struct span *name);

/* Whether the sentence asks for something: a question, "show me ...". */
bool claim_asks(struct span sentence);

/* Whether the sentence speaks of persons in the conversation: "I", "you", "us". */
bool claim_is_personal(struct span sentence);

/* Whether the sentence says something of each thing of a kind: "A customer without orders is a prospect." */
bool claim_is_general(struct span sentence);
