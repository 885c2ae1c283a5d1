/* household - the children that should run: at the start, after a reload, and at the end. */
#pragma once

#include "supervisor/supervisor.h"

/* Whether the household has processes of this role while it serves; for a pool: whether any connection has workers. */
bool household_has(const struct supervisor *sup, const struct ipc_role_row *row);

/* Start everything the configuration asks for. */
void household_start(struct supervisor *sup);

/* SIGHUP: check the new configuration completely, then replace the children that it affects. */
void household_reload(struct supervisor *sup);

/* The server that this process needs is away: have another one take its place once that has connected. */
void household_seek(struct child *now, struct span reason);

/* SIGTERM: fronts first, then workers, CONTRACT_DRAIN_MS in all. */
void household_drain(struct supervisor *sup);
void household_tick(struct supervisor *sup, uint64_t now_ns);

/* In private mode the end of the front ends everything. */
void household_front_died(const struct child *front, const struct death *d);

/* Read the configuration into a, check it and apply the command line to it; sup->cfg is not changed. */
int household_configuration(struct supervisor *sup, struct arena *a, struct config *cfg, struct err *err);
