/*
 * prompts - templates that a client offers its user to begin with: the table of prompts, for listing, getting and
 * completing them (ipc/surface_calls.h).
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/mp.h"
#include "workers/search/answer/search.h"

#define PROMPT_ARGUMENTS_MAX	3u
#define PROMPT_TEXT_MAX		8192u	/* bytes of an argument; longer ones are refused */

/* The possible values of a variable or an argument; see complete.c. */
enum values {
	VALUES_NONE,
	VALUES_KEYS,
	VALUES_CONNECTIONS,
	VALUES_SOURCES,
	VALUES_TABLES,
	VALUES_ONTOLOGIES,	/* ids of the ready ones */
	VALUES_DATASETS
};

struct prompt_argument {
	const char	*name, *title, *description;	/* name NULL: end of the list */
	bool		 required;
	enum values	 values;
};

/* The arguments from the client, in the prompt's order; an empty one counts as missing. */
struct prompt_given {
	struct span	v[PROMPT_ARGUMENTS_MAX];
};

struct prompt {
	const char		*name, *title, *description;
	struct prompt_argument	 arguments[PROMPT_ARGUMENTS_MAX];
	/* Append messages; returns their number, or -1 with *err. */
	int			(*put)(struct library *l, struct call *c, const struct prompt_given *given,
				    struct buf *out, struct err *err);
};

/* NULL: no such prompt. */
const struct prompt *prompt_find(struct span name);

/* Fails with invalid_arguments, naming the existing prompts.  Returns -1. */
int prompt_unknown(struct span name, struct err *err);

int surface_prompts_list(struct call *c, const struct mp_value *args, struct err *err);
int surface_prompt_get(struct call *c, const struct mp_value *args, struct err *err);
