/* project - a scanned project, opened as the worker opens it, all its connections with it. */
#pragma once

#include "workers/search/library/library.h"

/* Word vectors of a file; ends the program when there are none. */
const struct vectors *project_vectors(const char *file);

/* Compared by those vectors too, unless NULL.  Ends the program when dir cannot be read. */
struct library *project_open(const char *dir, const struct vectors *vectors);
