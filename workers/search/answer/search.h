/* search - the search worker's role and its tools' functions. */
#pragma once

#include "workers/search/rank/answers.h"
#include "workers/shared/child.h"

extern const struct role search_role;

extern const struct tool search_tools[];
