/*
 * derive - nouns made from verbs and the verbs they are made from, where their
 * stems differ: ship and shipment, subscribe and subscription, paid and pay.
 * What is made may be no word at all; whoever asks looks it up.
 */
#ifndef SEARCH_DERIVE_H
#define SEARCH_DERIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/search/text.h"

#define DERIVE_MAX 24

struct derived {
	size_t	n;
	struct {
		uint8_t	text[TEXT_WORD_MAX];
		size_t	len;
	}	v[DERIVE_MAX];
};

/* The English word in its other kinds. */
void derive(struct span folded, struct derived *out);

/* The plain form of an irregular English verb's other ones (sold, sell), static; empty: it is none. */
struct span derive_plain(struct span folded);

#endif
