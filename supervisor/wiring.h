/* wiring - which processes can talk to each other: data channels, their ends, and the messages about them. */
#pragma once

#include "supervisor/supervisor.h"

void wiring_ready(struct child *c);			/* READY came: make its data channels */
void wiring_lost(struct child *c, enum ipc_detach_cause);	/* c has died or leaves: tell the others */
void wiring_connection(struct supervisor *sup, const char *id);	/* its state may have changed */
void wiring_offer(struct child *c, struct span tools);
void wiring_session_ended(struct child *from, const struct ipc_session_ended *msg);
void wiring_session_use(struct child *from, const struct ipc_session_use *msg);
void wiring_left_behind(struct child *from, const struct ipc_left_behind *msg);
void wiring_pool_seen(struct child *from, const struct ipc_pool_seen *msg);
void wiring_complaint(struct child *from, const struct ipc_complaint *msg);
void wiring_client(struct child *front, int fd, uid_t uid);	/* pass a local client to this front */
void wiring_settle(struct supervisor *sup);		/* send SERVE once all needed children are settled */

/* Let c finish its calls and end: its successor is connected, or c is no longer configured.  May free c. */
void wiring_retire(struct child *c);

/* Tell carrel-telemetry, if there is one, what /metrics would tell. */
void wiring_measure(struct supervisor *sup);
