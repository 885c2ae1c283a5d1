/* inspect - the functions of the tools that look at what was found, and ask for metrics (tools.json). */
#pragma once

#include "workers/search/answer/search.h"
