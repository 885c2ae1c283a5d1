/* config_identity - connections.<name>.identity: the settings and the role that statements run with, by who asks. */
#pragma once

#include "project/config/config_value.h"

/* As config_set() for the kind ASKER; notes its issues itself. */
void config_identity(struct config_reader *r, struct config_identity *id, const struct yaml_node *node,
    const char *name);

/* After all keys of the connection are read: whether its driver can run statements so. */
void config_identity_check(struct config_reader *r, const struct config_connection *c, const char *name);

/*
 * The names of the claims that identities of the configuration refer to, each once.  False: there are more than
 * IDENTITY_CLAIMS_MAX, or the arena is full.
 */
bool config_identity_claims(const struct config *cfg, struct arena *a, struct config_strings *out);
