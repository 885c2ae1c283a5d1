/* source_walk - the files of a connection's directory; see source.h. */
#ifndef PROJECT_MODEL_SOURCE_WALK_H
#define PROJECT_MODEL_SOURCE_WALK_H

#include "project/model/source.h"

/* Visit the source files in dir, a connection's of the semantic layer, and in eight levels of directories below it. */
void source_walk(int dir, const struct source_visitor *v);

#endif
