/* output - a file that a command was asked to write. */
#pragma once

#include "cli/cmd.h"

/* Write the file at path, made for its owner alone or replaced.  The exit code, after an error message if not 0. */
int output_write(const char *path, struct span text);
