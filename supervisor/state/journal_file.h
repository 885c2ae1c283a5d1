/* journal_file - the files of the audit's journals, of which each front of the project has one (ipc/journal.h). */
#pragma once

/*
 * Opens and holds the first journal of the store at path that is not held; the hold lasts as long as its descriptor,
 * or a mapping of it, exists.  *number: its number.  -1: all are held, or none can be created; a front works without
 * one.
 */
int journal_file_take(const char *path, unsigned *number);
