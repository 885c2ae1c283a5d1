/* state_files - the files of the state store, which carrel-auth opens and cannot make. */
#pragma once

#include "base/err.h"

/*
 * Creates the missing files of the store at path, absolute: empty, for our user only.  Refuses files of another user,
 * anything but regular files, and a directory in which others could create files; corrects the mode of a file that
 * others could read.
 */
int state_files_make(const char *path, struct err *err);
