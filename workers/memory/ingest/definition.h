/*
 * definition - what a sentence defines: "Net revenue is defined as
 * `sum(orders.net_ct) / 100.0`, in euros".  Pure.
 */
#ifndef WORKERS_MEMORY_INGEST_DEFINITION_H
#define WORKERS_MEMORY_INGEST_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define DEFINITIONS_MAX	16

/* Borrows from the sentence. */
struct definition {
	struct span	subject, meaning;	/* meaning: up to the next definition */
	struct span	formula, rest;		/* formula empty: none; rest: the text behind the formula */
	bool		words_before;		/* words beyond "the formula" stand before it */
	bool		question;		/* the sentence is a question */
	bool		footnote;		/* its subject refers to a footnote */
	bool		equals;			/* defined by a sign, = or :, not by a phrase */
};

/* Fills in the definitions of a sentence, in order.  Returns their number. */
size_t definition_read(struct span s, struct definition out[DEFINITIONS_MAX]);

/* The formula of d->meaning, in backticks or plain; what follows it. */
void definition_find_formula(struct definition *d);

/* Whether these words may precede a formula without meaning: "the following formula". */
bool definition_is_filler(struct span words);

/* The text between the backticks that s begins with, and what follows them; false: s begins otherwise. */
bool definition_code(struct span s, struct span *code, struct span *rest);

#endif
