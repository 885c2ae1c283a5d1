/*
 * definition - splits the definitions of a sentence into their parts: "Net revenue is defined as `sum(orders.net_ct) /
 * 100.0`, in euros".  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define DEFINITIONS_MAX	16

/* Borrows from the sentence. */
struct definition {
	struct span	subject, meaning;	/* meaning: up to the next definition */
	struct span	formula, rest;		/* formula empty: none; rest: the text after the formula */
	bool		words_before;		/* the meaning has words before the formula, beyond "the formula" */
	bool		question;		/* the sentence is a question */
	bool		footnote;		/* its subject refers to a footnote */
	bool		equals;			/* defined by a sign, = or :, not by a phrase */
};

/* Fills in the definitions of a sentence, in order.  Returns their number. */
size_t definition_read(struct span s, struct definition out[DEFINITIONS_MAX]);

/* Finds the formula in d->meaning, in backticks or plain, and the rest after it. */
void definition_find_formula(struct definition *d);

/* Whether the words before a formula carry no meaning: "the following formula". */
bool definition_is_filler(struct span words);

/* Splits s after a text in backticks at its start; false: s has none there. */
bool definition_code(struct span s, struct span *code, struct span *rest);
