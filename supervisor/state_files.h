/* state_files - the files of the state store, which carrel-auth opens and cannot make. */
#ifndef SUPERVISOR_STATE_FILES_H
#define SUPERVISOR_STATE_FILES_H

#include <stddef.h>

#include "base/err.h"

/*
 * Makes those of the project's store that are missing, empty, for our user alone; their path into path.
 * Files of another user and what is no file are refused, a mode that lets others in is corrected.
 */
int state_files_make(const char *project_dir, char *path, size_t cap, struct err *err);

#endif
