/* surface - the MCP services of carrel-search other than tools: resources, prompts, completion. */
#pragma once

#include "base/err.h"
#include "workers/shared/tool.h"
