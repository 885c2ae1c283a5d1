/* hostile.c - see hostile.h: the processes and tools that each row concerns. */
#include <string.h>

#include "policy/hostile.h"
#include "policy/profiles.h"

const struct hostile hostile_rows[] = {
#define HOSTILE(NAME, number, hearer, end, what)	\
	{ number, #NAME, HOSTILE_TO_##hearer, HOSTILE_##end, what },
#include "policy/hostile.def"
#undef HOSTILE
	{ 0, NULL, HOSTILE_TO_WORKER, HOSTILE_DENIED, NULL }
};

const struct hostile_peer hostile_peers[HOSTILE_PEERS] = {
	{ IPC_SEARCH, "connection_list", NULL, NULL },
	{ IPC_MEMORY, "memory_log", NULL, NULL },
	{ IPC_AGENT, "ask_question", "00000000-0000-4000-8000-000000000000", "verify" },
	{ IPC_SQL, NULL, NULL, NULL },
};

const char *
hostile_end_name(enum hostile_end end)
{
	static const char *const names[] = { "scope_denied", "cut off", "ends alone", "log kept" };

	return names[end];
}

/* Whether a row names a tool. */
static bool
hostile_has_tool(const struct hostile *h)
{
	return strstr(h->what, "%s") != NULL;
}

enum ipc_role
hostile_role(const struct policy_profile *p)
{
	return ipc_role_of_binary(p->binary);
}

const struct policy_profile *
hostile_profile(enum ipc_role role)
{
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		if (hostile_role(p) == role)
			return p;
	return NULL;
}

/* A proof that is used twice is accepted the first time, so this row takes one tool that changes nothing. */
static bool
is_first_reader(const struct policy_tool *tool)
{
	for (size_t i = 0; i < policy_ntools; i++) {
		const struct policy_tool *t = &policy_tools[i];

		if (t->toolset == POLICY_TOOLSET_LOCAL && t->effect == POLICY_READS && t->role == tool->role)
			return t == tool;
	}
	return false;
}

/* NULL: the role sends the front nothing. */
static const struct hostile_peer *
hostile_peer(enum ipc_role role)
{
	for (unsigned i = 0; i < HOSTILE_PEERS; i++)
		if (hostile_peers[i].role == role)
			return &hostile_peers[i];
	return NULL;
}

bool
hostile_concerns(const struct hostile *h, const struct policy_tool *tool, enum ipc_role role)
{
	const struct hostile_peer *peer = hostile_peer(role);
	bool serves = tool != NULL && tool->role == role;
	bool asks = peer != NULL && peer->tool != NULL;

	switch (h->number) {
	case HOSTILE_NO_PROOF:
	case HOSTILE_FRONTS_PROOF:
	case HOSTILE_OTHERS_PROOF:
	case HOSTILE_MOVED_PROOF:
	case HOSTILE_ARGS_CHANGED:
	case HOSTILE_OLD_PROOF:
		return serves && tool->toolset == POLICY_TOOLSET_LOCAL;
	case HOSTILE_USED_PROOF:
		return serves && is_first_reader(tool);
	case HOSTILE_NO_SCOPE:
		return serves && tool->toolset != POLICY_TOOLSET_LOCAL && tool->scopes != 0;
	case HOSTILE_INNER_TOOL:
		return serves && tool->toolset == POLICY_TOOLSET_INNER;
	case HOSTILE_WRONG_ASKER:
		return serves;
	case HOSTILE_SUBCALL:
		return tool != NULL && asks && !policy_tool_askable(tool, role, UINT32_MAX);
	case HOSTILE_CONTINUE:
		return tool != NULL && role == IPC_SEARCH && tool->role == IPC_SQL &&
		    !policy_tool_continues(tool, role, UINT32_MAX);
	case HOSTILE_TICKET:
		return tool == NULL && asks;
	case HOSTILE_NO_ASKER:
		return tool == NULL && peer != NULL && !asks;
	default:
		return false;
	}
}

bool
hostile_speaks(const struct hostile *h, const struct policy_profile *p)
{
	enum ipc_role role = hostile_role(p);

	switch (h->hearer) {
	case HOSTILE_TO_WORKER:
		return role == IPC_FRONT;
	case HOSTILE_TO_FRONT:
		return p == hostile_profile(role) && hostile_peer(role) != NULL;
	case HOSTILE_TO_SUPERVISOR:
		/*
		 * The supervisor believes a complaint of the front, and the front's end stops the
		 * household that verify starts.
		 */
		return p == hostile_profile(role) &&
		    ((role & IPC_WORKER) != 0 || (role == IPC_FRONT && h->number == HOSTILE_LOG));
	}
	return false;
}

static size_t
count_tools(const struct hostile *h, enum ipc_role role)
{
	size_t n = 0;

	if (!hostile_has_tool(h))
		return hostile_concerns(h, NULL, role);
	for (size_t i = 0; i < policy_ntools; i++)
		n += hostile_concerns(h, &policy_tools[i], role);
	return n;
}

size_t
hostile_count(void)
{
	size_t n = 0;

	for (const struct hostile *h = hostile_rows; h->number != 0; h++)
		for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
			if (h->hearer == HOSTILE_TO_WORKER)
				n += count_tools(h, hostile_role(p));
			else if (hostile_speaks(h, p))
				n += h->hearer == HOSTILE_TO_FRONT ? count_tools(h, hostile_role(p)) : 1;
	return n;
}
