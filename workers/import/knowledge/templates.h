/* templates - the calls of Jinja that stand for a name; nothing is run. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

/* Whether the text holds a template. */
bool template_is(struct span text);

/* A call within braces: ref('a'), Dimension('a__b'). */
struct template_call {
	struct span	name;
	size_t		nargs;
	struct span	args[3];
};

/* Read the one call that the text is, with braces around it or without.  False: it is something else. */
bool template_call(struct span text, struct template_call *out);

/* The next {{ }} of the text: *before the text in front of it, *text what follows.  0: none, -1: another template. */
int template_next(struct span *text, struct span *before, struct template_call *out);

/* The name of the model that ref() or source() means: "orders", "raw.orders".  Empty: neither. */
struct span template_model(struct knowledge *k, struct span text);
