/* status_map - the map of `carrel status`: the state of all processes. */
#ifndef SUPERVISOR_STATUS_MAP_H
#define SUPERVISOR_STATUS_MAP_H

#include "supervisor/supervisor.h"

/* Append the map of `carrel status`. */
void status_pack(struct supervisor *sup, struct buf *out);

#endif
