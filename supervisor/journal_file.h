/* journal_file - the files of the audit's journals, of which each front of the project has one (ipc/journal.h). */
#ifndef SUPERVISOR_JOURNAL_FILE_H
#define SUPERVISOR_JOURNAL_FILE_H

/*
 * Open the first journal of the store at path that nobody holds, and hold it as long as its descriptor, or a mapping
 * of it, is anywhere.  Its number in *number.  -1: all are held, or none can be made: then a front does without.
 */
int journal_file_take(const char *path, unsigned *number);

#endif
