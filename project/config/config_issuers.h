/* config_issuers - auth.issuers: whose access tokens are accepted. */
#pragma once

#include "project/config/config.h"
#include "project/config/config_value.h"

/*
 * config_set() for the kind ISSUERS, which notes its issues itself; config_check_issuers(), after all keys are read,
 * whether the other settings fit.
 */
void config_issuers(struct config_reader *r, struct config_issuers *to, const struct config_key *k,
    const struct yaml_node *node, const char *name);
void config_check_issuers(struct config_reader *r, const struct config *cfg);

/* Whether a role of that name is built in, or one of auth.roles. */
bool config_issuers_is_role(const struct config *cfg, const char *name);

/* Whether each group has one of the roles, and there is one at all. */
bool config_issuers_name_roles(const struct config *cfg, const struct config_pairs *roles);
