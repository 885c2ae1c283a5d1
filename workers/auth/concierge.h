/*
 * concierge - the connectivity tools: what an administrator's agent does to bring somebody to the published data.
 * Their schemas stand in tools.c's table; the owner's commands call the same functions by LOCAL rows.
 */
#ifndef WORKERS_AUTH_CONCIERGE_H
#define WORKERS_AUTH_CONCIERGE_H

#include "workers/auth/auth.h"

/*
 * The tools of toolset CONNECTIVITY.  Each asks first whether the caller is a user: whoever is at the command line
 * has the LOCAL rows, which want a proof.
 */
int concierge_status(struct call *c, const struct mp_value *args, struct err *err);
int concierge_enable(struct call *c, const struct mp_value *args, struct err *err);
int concierge_disable(struct call *c, const struct mp_value *args, struct err *err);
int concierge_create(struct call *c, const struct mp_value *args, struct err *err);
int concierge_revoke(struct call *c, const struct mp_value *args, struct err *err);
int concierge_setup(struct call *c, const struct mp_value *args, struct err *err);
int concierge_test(struct call *c, const struct mp_value *args, struct err *err);

/* The LOCAL rows connectivity_guide and connectivity_check: what the last two do, for the owner. */
int concierge_guide(struct call *c, const struct mp_value *args, struct err *err);
int concierge_check(struct call *c, const struct mp_value *args, struct err *err);

/* Whether these can be what the name says: tools.c's table has them. */
extern const char concierge_status_out[], concierge_switch_out[], concierge_create_in[], concierge_create_out[],
    concierge_revoke_out[], concierge_setup_in[], concierge_setup_out[], concierge_token_in[], concierge_test_out[];

#endif
