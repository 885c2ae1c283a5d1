/* inspect - the functions of the tools that look at what was found, and ask for metrics (tools.json). */
#ifndef WORKERS_SEARCH_INSPECT_INSPECT_H
#define WORKERS_SEARCH_INSPECT_INSPECT_H

#include "workers/search/answer/search.h"

#endif
