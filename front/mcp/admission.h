/*
 * admission - whether a call may begin: how many are in flight, here and of its caller, and how many its
 * caller may make in a minute.
 *
 * The bounds of this front are its own.  What counts over all fronts and survives them, carrel-auth
 * counts: the calls of connectivity tokens, and those of local principals where a rate is configured or
 * several fronts serve.  It is asked before the call begins and told when the call has ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/http/conn.h"
#include "front/mcp/call_gate.h"
#include "ipc/messages.h"

#define ADMIT_MS	5000u	/* time for carrel-auth to answer; then service_unavailable */

struct admissions;
struct exchange;
struct grant;

struct admissions *admissions_new(void);
void admissions_free(struct admissions *a);

/*
 * May the call that x wants begin?  REFUSED: *held says why.  WAITS: call_gate_admitted() is called with
 * the answer, from the event loop, unless x ends before.
 */
enum gate admission_ask(struct exchange *x, struct held *held);

/* The call of x has ended: give back its grant, if it has one. */
void admission_release(struct front *f, struct grant *grant);

/* Handle ADMITTED.  False: the message breaks the protocol. */
bool admission_take(struct front *f, uint64_t id, const struct ipc_admitted *m);

/* The channel to carrel-auth came, which is told what still runs, or is lost, and with it what was granted on it. */
void admission_channel(struct front *f, bool up);

void admission_tick(struct front *f, uint64_t now);
