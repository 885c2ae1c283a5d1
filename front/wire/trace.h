/* trace - a W3C Trace Context: the trace of the caller that a request belongs to. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct trace {
	bool	valid;
	uint8_t	id[16], parent[8];
	bool	sampled;	/* the caller records it */
};

/* Read a traceparent (version, trace id, parent id and flags in hexadecimal).  An invalid one is ignored: not valid. */
void trace_read(struct span traceparent, struct trace *t);

/* The trace id in hexadecimal. */
void trace_print(const struct trace *t, char out[33]);
