/* deep - shared by the stages of a deep scan: the call, the worker they query, the cache and the warnings. */
#pragma once

#include <stddef.h>

#include "workers/memory/scan/recall.h"
#include "workers/memory/scan/scan_report.h"
#include "workers/shared/tool.h"

struct deep {
	struct call	*call;
	const char	*connection;
	size_t		 width;		/* maximal number of concurrent queries */
	struct recall	*recall;	/* answers of earlier scans; new ones are added */
	struct warnings	*warnings;
};
