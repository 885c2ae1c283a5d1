/* account - the accounts of this machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The user id of an account, which is given by its name or number.  False: there is no such account. */
bool account_uid(const char *name, uint32_t *uid);

/*
 * Whether connections of this user can be told from those of others.  A user namespace that does not map the id
 * (systemd's PrivateUsers=, rootless containers) shows it as that of the user nobody.
 */
bool account_is_visible(uint32_t uid);
