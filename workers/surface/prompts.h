/*
 * prompts - what a client can offer its user to begin with: the table of
 * prompts, for listing, getting and completing them (ipc/surface.h).
 */
#ifndef SURFACE_PROMPTS_H
#define SURFACE_PROMPTS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mp.h"
#include "workers/search/tools/search.h"

#define PROMPT_ARGUMENTS_MAX	3u
#define PROMPT_TEXT_MAX		8192u	/* bytes of an argument; longer ones are refused */

/* What the values of a variable or an argument are; see complete.c. */
enum values {
	VALUES_NONE,
	VALUES_KEYS,
	VALUES_CONNECTIONS,
	VALUES_SOURCES,
	VALUES_TABLES,
	VALUES_ONTOLOGIES,	/* ids of those that are ready */
	VALUES_DATASETS
};

struct prompt_argument {
	const char	*name, *title, *description;	/* name NULL: there are no more */
	bool		 required;
	enum values	 values;
};

/* What a client gave, by the prompt's order of arguments; an empty one counts as not given. */
struct prompt_given {
	struct span	v[PROMPT_ARGUMENTS_MAX];
};

struct prompt {
	const char		*name, *title, *description;
	struct prompt_argument	 arguments[PROMPT_ARGUMENTS_MAX];
	/* Append messages and return how many, or -1 with *err. */
	int			(*put)(struct library *l, struct call *c, const struct prompt_given *given,
				    struct buf *out, struct err *err);
};

/* NULL: no such prompt. */
const struct prompt *prompt_find(struct span name);

/* invalid_arguments, naming the prompts there are.  Returns -1. */
int prompt_unknown(struct span name, struct err *err);

#endif
