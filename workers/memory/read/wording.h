/* wording - splits a sentence into words, and finds phrases in it.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define WORDING_MAX	48

struct wording {
	size_t		 n;
	bool		 cut;			/* further words were left out */
	struct span	 v[WORDING_MAX];	/* code with its backticks, everything else bare of punctuation */
};

void wording_split(struct span s, struct wording *out);

/* How many words the phrase takes at `at`; 0: the phrase is not there. */
size_t wording_phrase_at(const struct wording *w, size_t at, const char *phrase);

/* As above, for the first phrase of the list that is there. */
size_t wording_any_at(const struct wording *w, size_t at, const char *const *phrases);

/* Whether one of the phrases stands anywhere among the words. */
bool wording_has(const struct wording *w, const char *const *phrases);

/* 1900 to 2099. */
bool wording_is_year(struct span word);

/* Equal but for the case of letters and a plural's s. */
bool wording_is_alike(struct span a, struct span b);

/* The length of the code at the start of s, its backticks included; 1: the code does not end. */
size_t wording_code_length(struct span s);

/* The word without the punctuation around it. */
struct span wording_bare(struct span w);
