/* source_walk - the files of a connection's directory; see source.h. */
#pragma once

#include "project/model/source.h"

/* Visit the source files in dir, a connection's of the semantic layer, and in eight levels of directories below it. */
void source_walk(int dir, const struct source_visitor *v);
