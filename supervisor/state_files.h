/* state_files - the files of the state store, which carrel-auth opens and cannot make. */
#ifndef SUPERVISOR_STATE_FILES_H
#define SUPERVISOR_STATE_FILES_H

#include <stddef.h>

#include "base/err.h"

/*
 * Makes those of the store at path, absolute, that are missing: empty, for our user alone.  Files of another
 * user, what is no file, and a directory in which others could put one are refused; a file's mode that lets
 * others in is corrected.
 */
int state_files_make(const char *path, struct err *err);

#endif
