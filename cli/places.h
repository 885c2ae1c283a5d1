/* places - the project's directories, made when something is to be written. */
#pragma once

#include "cli/cmd.h"

/*
 * Make the directories for scans and notes before a private daemon starts, which
 * can only use directories that exist.  A project made by ktx has none of them.
 */
void make_places(struct cli *cli);
