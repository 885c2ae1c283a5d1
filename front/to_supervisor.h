/* to_supervisor - what the front tells the supervisor, and asks it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "front/mcp/session.h"

struct front;

/* Send a message on the control channel.  False: the supervisor did not take it. */
bool supervisor_say(unsigned type, const void *msg);

/* Hooks of the router and of the sessions; front is not used.  The other fronts are asked through the supervisor. */
void supervisor_complain(void *front, uint64_t generation, unsigned reason);
void supervisor_session_ask(void *front, const uint8_t body[SESSION_BODY]);

/* Tell the supervisor that a session has ended, and with it all fronts: now, or as soon as there is room. */
void supervisor_session_ended(struct front *f, const uint8_t body[SESSION_BODY]);

/* Once per turn of the loop: tell what there was no room for. */
void supervisor_turn(struct front *f);

/* Ask for the household's state; STATUS comes with the same serial.  False: the supervisor did not take it. */
bool supervisor_ask_status(uint64_t serial);

/* Ask for what `carrel doctor` finds, in the same way; DOCTOR comes. */
bool supervisor_ask_doctor(uint64_t serial);

/* Send this front's figures for carrel status and /metrics. */
bool supervisor_report(struct span report);
