/*
 * concierge - the connectivity tools, with which an administrator's agent gives people access to the published data.
 * Their schemas are in tools.c's table; the owner's commands call the same functions through LOCAL rows.
 */
#pragma once

#include "workers/auth/auth.h"

/*
 * The tools of toolset CONNECTIVITY.  Each checks that the caller is a user: the owner at the command line uses the
 * LOCAL rows, which need a proof.
 */
int concierge_status(struct call *c, const struct mp_value *args, struct err *err);
int concierge_enable(struct call *c, const struct mp_value *args, struct err *err);
int concierge_disable(struct call *c, const struct mp_value *args, struct err *err);
int concierge_create(struct call *c, const struct mp_value *args, struct err *err);
int concierge_revoke(struct call *c, const struct mp_value *args, struct err *err);
int concierge_setup(struct call *c, const struct mp_value *args, struct err *err);
int concierge_test(struct call *c, const struct mp_value *args, struct err *err);

/* The LOCAL rows connectivity_guide, which makes no token, and connectivity_check: as setup and test, for the owner. */
int concierge_guide(struct call *c, const struct mp_value *args, struct err *err);
int concierge_check(struct call *c, const struct mp_value *args, struct err *err);

/* JSON schemas of the tools, for tools.c's table. */
