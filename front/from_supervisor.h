/* from_supervisor - the front's end of the control channel. */
#ifndef FRONT_FROM_SUPERVISOR_H
#define FRONT_FROM_SUPERVISOR_H

#include "front/front.h"
#include "policy/profile.h"

/* Read the channel from now on.  p is the profile that was applied. */
void control_begin(struct front *f, const struct policy_profile *p);
void control_end(struct front *f);

/* hooks of the router and of the sessions; front is a struct front */
void control_complain(void *front, uint64_t generation, unsigned reason);
void control_session_ask(void *front, const uint8_t body[SESSION_BODY]);	/* asks the other fronts */

/* Tell the supervisor that a session has ended, and with it all fronts. */
void control_session_ended(const uint8_t body[SESSION_BODY]);

/* Ask for the household's state; STATUS comes with the same serial.  False: the supervisor did not take it. */
bool control_ask_status(uint64_t serial);

/* Ask for what `carrel doctor` finds, in the same way; DOCTOR comes. */
bool control_ask_doctor(uint64_t serial);

/* Send this front's figures for carrel status and /metrics. */
bool control_report(struct span report);

#endif
