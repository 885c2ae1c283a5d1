/* parameter_types - the names of a team's tools and their parameters, and the types of these: parameter_types.def. */
#pragma once

#include <stdbool.h>

#include "base/span.h"

enum parameter_type {
#define PARAMETER(NAME, word, json, sample)	PARAMETER_##NAME,
#include "base/text/parameter_types.def"
#undef PARAMETER
	PARAMETER_TYPES
};

struct parameter_kind {
	const char	*word, *json, *sample;	/* sample NULL: null */
};

extern const struct parameter_kind parameter_kinds[PARAMETER_TYPES];

/* PARAMETER_TYPES: there is no such type. */
enum parameter_type parameter_type_named(struct span word);

#define PARAMETERS_MOST		16u	/* parameters of one tool */
#define PARAMETER_NAME_MOST	48u	/* characters: with a client's own prefix, models take 64 of a tool's */

/* Whether a tool of a team's, or a parameter, may be called so: [a-z][a-z0-9_]*. */
bool parameter_is_name(struct span name);

/*
 * Whether text is a value of the type as SQL is given it: whole digits, a decimal number, true or false, a day of the
 * calendar YYYY-MM-DD, or such a day with T or a blank and HH:MM[:SS[.fraction]].  Text of a string has no NUL byte.
 */
bool parameter_fits(enum parameter_type type, struct span text);
