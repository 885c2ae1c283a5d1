/*
 * asker - as whom a call's statements run on a connection with an identity (policy/identity.h).
 *
 * What a caller reads runs as that caller, what a scan reads as the neutral identity.  What is kept for all callers is
 * never read as one of them.  *as is NULL on a connection without an identity, and valid as long as the call.
 */
#pragma once

#include "workers/sql/driver.h"

/* As the caller.  -1: it lacks a value, or nothing may be read in its name here; *err says what to do. */
int asker_of(struct call *c, const struct identity_as **as, struct err *err);

/* As the connection's neutral identity.  -1: it has none. */
int asker_neutral(struct call *c, const struct identity_as **as, struct err *err);
