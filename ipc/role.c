#include <string.h>

#include "ipc/role.h"

const struct ipc_role_row ipc_roles[IPC_ROLES] = {
#define ROLE(NAME, bit, name, binary, PLACE, PEER, traits)					\
	[bit] = { IPC_##NAME, name, binary, IPC_PLACE_##PLACE, IPC_##PEER, traits },
#include "ipc/roles.def"
#undef ROLE
};

unsigned
ipc_role_index(enum ipc_role role)
{
	return role == 0 ? IPC_ROLES : (unsigned)__builtin_ctz((unsigned)role);
}

bool
ipc_role_is_one(enum ipc_role role)
{
	unsigned i = ipc_role_index(role);

	return i < IPC_ROLES && ipc_roles[i].role == role;
}

const struct ipc_role_row *
ipc_role_row(enum ipc_role role)
{
	return &ipc_roles[ipc_role_index(role)];
}

bool
ipc_role_has_drivers(enum ipc_role role)
{
	const char *binary = ipc_role_row(role)->binary;

	return binary[strlen(binary) - 1] == '-';
}

enum ipc_role
ipc_role_of_binary(const char *binary)
{
	for (unsigned i = 0; i < IPC_ROLES; i++) {
		size_t n = strlen(ipc_roles[i].binary);

		if (strncmp(binary, ipc_roles[i].binary, n) == 0 &&
		    (binary[n] == '\0' || ipc_role_has_drivers(ipc_roles[i].role)))
			return ipc_roles[i].role;
	}
	return IPC_NOBODY;
}

const char *
ipc_role_name(enum ipc_role role)
{
	return ipc_role_is_one(role) ? ipc_role_row(role)->name : "unknown";
}
