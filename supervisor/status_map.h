/* status_map - the map of `carrel status`: the state of all processes. */
#pragma once

#include "supervisor/supervisor.h"

/* Append the map of `carrel status`. */
void status_pack(struct supervisor *sup, struct buf *out);
