/* connectivity - whether connectivity tokens are accepted, and the tools that show and change that. */
#pragma once

#include "workers/auth/auth.h"

/* Tell a front that was attached, or all of them, what FIELDS_CONNECTIVITY has. */
void connectivity_greet(struct auth *a, uint64_t peer);
void connectivity_tell(struct auth *a);

/* Whether connectivity tokens are accepted: the configuration decides, else the store. */
int connectivity_read(struct auth *a, struct err *err);

/* Append the member "ended" of an answer: what a change cut off, and the number of grants that it ended. */
void connectivity_put_ended(const struct fronts_cut *ended, uint64_t grants, struct buf *out);

/* Accept tokens from now on, or stop; answers c. */
int connectivity_switch(struct call *c, bool on, struct err *err);

/* The tools connectivity_set and connectivity_state. */
int connectivity_set(struct call *c, const struct mp_value *args, struct err *err);
int connectivity_state(struct call *c, const struct mp_value *args, struct err *err);
