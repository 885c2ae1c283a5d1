/* configure - packs each child's configuration, secrets included, as one message. */
#pragma once

#include "supervisor/supervisor.h"

/*
 * Packs the configuration in cfg for a process of role into out, whose body is empty, with its secrets, and a digest
 * that tells a reload which children are affected.  connection: of an SQL worker.  -1: *err has the reason.
 */
int configure_pack(struct supervisor *sup, const struct config *cfg, enum ipc_role role, const char *connection,
    struct configuration *out, struct err *err);

/*
 * The issuer with this name in auth.issuers, or, with an empty one, that of auth.oidc; NULL: not configured.  And where
 * its endpoints are, NULL: not known, unless a place is to be made.
 */
const char *configure_issuer(const struct config *cfg, struct span of);
struct provider_place *configure_place(struct supervisor *sup, struct span of, bool make);

/* The same for the process that takes a step at the identity provider.  -1 with *err. */
int configure_step(struct supervisor *sup, const struct ipc_identify *step, struct configuration *out,
    struct err *err);

/* The program of a process of role. */
const char *configure_binary(const struct config *cfg, enum ipc_role role, const char *connection);

/* 1 when a static token is set, 0 when not, -1 with *err when it cannot be read. */
int configure_has_token(struct supervisor *sup, const struct config *cfg, struct err *err);

/* Make the files of the state store that are missing, and try the audit's key: 0, -1 with *err. */
int configure_check_state(struct supervisor *sup, const struct config *cfg, struct err *err);

/* The number of workers of this connection; 0 if SQL workers do not exist for it. */
unsigned configure_workers(const struct config_connection *c);
