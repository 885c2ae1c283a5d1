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

#endif
