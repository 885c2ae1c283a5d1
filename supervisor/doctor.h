/*
 * doctor - runs `carrel doctor --json` for an administrator on the page, and passes its output on unread.  It runs like
 * the command line, in the environment of the service; the front's only input is the request to run it.
 */
#pragma once

#include "supervisor/supervisor.h"

/* Run `carrel doctor`, and answer the front with DOCTOR and the serial when it ends. */
void doctor_order(struct child *from, uint64_t serial);

/* The front has died: its pending orders are dropped. */
void doctor_forget(const struct child *from);
void doctor_tick(struct supervisor *sup, uint64_t now_ns);
void doctor_close(struct supervisor *sup);
