/*
 * ending - a principal's credentials have ended, or its scopes are others now: what is under way for it ends.
 */
#pragma once

#include <stdint.h>

#include "front/front.h"

/*
 * END has come.  Without scopes: every call of the principal is cancelled down to the database and answered
 * with the reason, its sessions and streams are closed, its tasks forgotten.  What it sends from now on is
 * verified again.  Unless id is 0, ENDED answers with what was cut off, in endings_turn().  With scopes, calls
 * under way end if END says so, and sessions and streams stay.
 *
 * The principal dataset:<id> is a dataset that is not published any more: the calls that read it end.
 */
void ending_take(struct front *f, uint64_t id, const struct ipc_end *m);

/* Once per turn: close the sessions of ended principals whose last answers were sent. */
void endings_turn(struct front *f);
void endings_free(struct front *f);
