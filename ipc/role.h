/*
 * role - the kinds of process, from roles.def: who may send or receive a message.
 */
#pragma once

#include <stdbool.h>

/* Traits of a role: roles.def. */
enum { IPC_SERVES = 1, IPC_ASKS = 2, IPC_TOLD = 4, IPC_NEEDED = 8, IPC_STAYS = 16, IPC_STATE = 32 };

enum ipc_place {
	IPC_PLACE_HUB, IPC_PLACE_FRONT, IPC_PLACE_POOL, IPC_PLACE_WAY, IPC_PLACE_WANTED, IPC_PLACE_SINGLE,
	IPC_PLACE_ONCE
};

/* Who may send or receive a message; a process has exactly one role. */
#define ROLE_IF(trait, bit, traits)	| (((traits) & (trait)) != 0 ? 1 << (bit) : 0)
#define IPC_NOBODY	((enum ipc_role)0)
enum ipc_role {
#define ROLE(NAME, bit, ...)	IPC_##NAME = 1 << (bit),
#include "ipc/roles.def"
#undef ROLE
#define ROLE(NAME, bit, ...)	| 1 << (bit)
	IPC_ROLE_ALL = 0
#include "ipc/roles.def"
	,
#undef ROLE
#define ROLE(NAME, bit, name, binary, PLACE, PEER, traits)	ROLE_IF(IPC_SERVES, bit, traits)
	IPC_WORKER = 0
#include "ipc/roles.def"
	,
#undef ROLE
#define ROLE(NAME, bit, name, binary, PLACE, PEER, traits)	ROLE_IF(IPC_ASKS, bit, traits)
	IPC_ASKER = 0
#include "ipc/roles.def"
	,
#undef ROLE
#define ROLE(NAME, bit, name, binary, PLACE, PEER, traits)	ROLE_IF(IPC_TOLD, bit, traits)
	IPC_HEARER = 0
#include "ipc/roles.def"
	,
#undef ROLE
#define ROLE(NAME, bit, name, binary, PLACE, ...)	| (IPC_PLACE_##PLACE == IPC_PLACE_POOL ? 1 << (bit) : 0)
	IPC_POOLED = 0
#include "ipc/roles.def"
	,
#undef ROLE
	IPC_CHILD = IPC_ROLE_ALL & ~IPC_SUPERVISOR
};

enum {
#define ROLE(NAME, ...)	IPC_COUNTED_##NAME,
#include "ipc/roles.def"
#undef ROLE
	IPC_ROLES	/* how many */
};

struct ipc_role_row {
	enum ipc_role	 role;
	const char	*name, *binary;
	enum ipc_place	 place;
	enum ipc_role	 peer;		/* IPC_NOBODY: none */
	unsigned	 traits;
};

/* The rows of roles.def; a role's row is ipc_roles[ipc_role_index(role)]. */
extern const struct ipc_role_row ipc_roles[IPC_ROLES];
unsigned ipc_role_index(enum ipc_role role);
bool ipc_role_is_one(enum ipc_role role);	/* not none, and no mask of several */
const struct ipc_role_row *ipc_role_row(enum ipc_role role);	/* of exactly one role */

/* Whether each connection has a pool of them, which bears the connection's id. */
static inline bool
ipc_role_is_pooled(enum ipc_role role)
{
	return ((unsigned)role & IPC_POOLED) != 0;
}

/* Whether its programs are those of drivers. */
bool ipc_role_has_drivers(enum ipc_role role);

/* IPC_NOBODY: no role has that program. */
enum ipc_role ipc_role_of_binary(const char *binary);

/* "front", "sql", …; never NULL. */
const char *ipc_role_name(enum ipc_role role);
