/* project - a project's library, all of it read, for asking it from a test. */
#ifndef TESTS_RELEVANCE_PROJECT_H
#define TESTS_RELEVANCE_PROJECT_H

#include "workers/search/library.h"

/* Ends the program when the project cannot be read. */
struct library *project_open(const char *dir, const char *connection, const char *driver);

#endif
