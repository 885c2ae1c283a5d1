/* worker - the places of the project that the memory worker works in, their locks, and its connections. */
#pragma once

#include "workers/memory/memory.h"

/* Opens a directory of the project; -1 with *err that names it and the remedy. */
int memory_open_place(const struct memory *m, const char *place, struct err *err);

/*
 * Locks a connection's scans across processes.  Returns a descriptor, to be closed; -1 with *err, ERR_BUSY when
 * another process has the lock.
 */
int memory_lock(int state_dir, const char *connection, struct err *err);

/* The connection with this id; NULL: not configured. */
const struct memory_connection *memory_connection(const struct memory *m, struct span id);
