/* reading - the state while the proposals of a note are made, shared by propose.c and surroundings.c. */
#pragma once

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
