/* name.c - roles and faults in words, for logs and status. */
#include "ipc/ipc.h"

const char *
ipc_role_name(enum ipc_role role)
{
	switch (role) {
	case IPC_SUPERVISOR:
		return "supervisor";
	case IPC_FRONT:
		return "front";
	case IPC_SQL:
		return "sql";
	case IPC_SEARCH:
		return "search";
	case IPC_MEMORY:
		return "memory";
	case IPC_AUTH:
		return "auth";
	case IPC_AGENT:
		return "agent";
	case IPC_GIT:
		return "git";
	case IPC_WORKER:
	case IPC_ASKER:
	case IPC_CHILD:
		break;
	}
	return "unknown";
}

const char *
ipc_fault_name(enum ipc_fault fault)
{
	switch (fault) {
	case IPC_OK:
		return "ok";
	case IPC_TRUNCATED:
		return "truncated";
	case IPC_TRAILING:
		return "trailing bytes";
	case IPC_TOO_DEEP:
		return "too deep";
	case IPC_BAD_TYPE:
		return "bad type";
	case IPC_BAD_UTF8:
		return "bad UTF-8";
	case IPC_OUT_OF_RANGE:
		return "out of range";
	case IPC_NOT_ALLOWED:
		return "not allowed";
	case IPC_UNKNOWN:
		return "unknown message";
	case IPC_TOO_LONG:
		return "too long";
	case IPC_OUT_OF_STATE:
		return "out of state";
	case IPC_STRAY_FD:
		return "stray descriptor";
	}
	return "unknown fault";
}
