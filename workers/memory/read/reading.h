/* reading - the state while the proposals of a note are made, shared by propose.c and surroundings.c. */
#ifndef WORKERS_MEMORY_READ_READING_H
#define WORKERS_MEMORY_READ_READING_H

#include "workers/memory/read/condition.h"
#include "workers/memory/read/propose.h"
#include "workers/memory/read/sentences.h"

struct text_reading {
	struct arena		*a;
	propose_source		*source;
	void			*arg;
	struct proposals	*out;
	struct sentences	 text;
	size_t			 place[PROPOSALS_MAX];	/* the sentence of each proposal */
};

/* The source of that name, for the conditions of a formula over it. */
struct condition_of reading_source(const struct text_reading *r, struct span name);

/* Refuses the proposal for the semantic layer, with this reason. */
void reading_refuse(const struct text_reading *r, struct proposal *p, const char *why);

/* Refuses the proposal because the words beside the formula were not understood. */
void reading_refuse_words(const struct text_reading *r, struct proposal *p, struct span words);

#endif
