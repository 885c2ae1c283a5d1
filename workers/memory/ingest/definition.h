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
	struct span	formula, rest;		/* formula empty: it has none; rest: what follows it */
	bool		words_before;		/* words beyond "the formula" stand before it */
	bool		question;		/* its sentence asks */
	bool		footnote;		/* its subject refers to a footnote */
	bool		equals;			/* defined by a sign, = or :, not by a phrase */
};

/* The definitions of a sentence, in order; how many. */
size_t definition_read(struct span s, struct definition out[DEFINITIONS_MAX]);

/* The formula of d->meaning, in backticks or plain; what follows it. */
void definition_find_formula(struct definition *d);

/* Words that may stand before a formula and say nothing: "the following formula". */
bool definition_is_filler(struct span words);

/* The text between the backticks that s begins with, and what follows them; false: s begins otherwise. */
bool definition_code(struct span s, struct span *code, struct span *rest);

#endif
