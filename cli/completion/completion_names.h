/* completion_names - the names of a project, read from its files: a daemon would take too long to start for a key. */
#pragma once

#include "cli/completion/completion.h"

/*
 * Append the project's names of that kind, one a line, those that are no
 * single line left out.  False: there is no such kind.  A project that cannot be read
 * has none.
 */
bool completion_names(struct cli *cli, const char *kind, struct buf *out);
