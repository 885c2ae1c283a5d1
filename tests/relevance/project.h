/* project - a scanned project, opened as the worker opens it, all its connections with it. */
#ifndef RELEVANCE_PROJECT_H
#define RELEVANCE_PROJECT_H

#include "workers/search/library/library.h"

/* Ends the program when dir cannot be read. */
struct library *project_open(const char *dir);

#endif
