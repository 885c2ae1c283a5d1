/* surface - the MCP services of carrel-search other than tools: resources, prompts, completion. */
#ifndef WORKERS_SEARCH_SURFACE_SURFACE_H
#define WORKERS_SEARCH_SURFACE_SURFACE_H

#include "base/err.h"
#include "base/mp.h"
#include "workers/shared/tool.h"

#endif
