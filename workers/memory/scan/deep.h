/* deep - what the stages of a deep scan share: whom they ask, for which call, and what is noted on the way. */
#ifndef WORKERS_MEMORY_SCAN_DEEP_H
#define WORKERS_MEMORY_SCAN_DEEP_H

#include <stddef.h>

#include "workers/memory/scan/recall.h"
#include "workers/memory/scan/scan_report.h"
#include "workers/shared/tool.h"

struct deep {
	struct call	*call;
	const char	*connection;
	size_t		 width;		/* questions at once, at most */
	struct recall	*recall;	/* answers of earlier scans; new ones are added */
	struct warnings	*warnings;
};

#endif
