/* leave - ends a worker whose database file is another than the one that it may read. */
#pragma once

/*
 * Ends the process; a new one opens the changed file.  The call stays
 * unanswered: the front sends it to the new process.
 */
void leave_process(const char *reason) __attribute__((noreturn));
