/* acts.c - see acts.h: which forbidden acts there are and whom each one concerns. */
#include "policy/acts.h"

const struct policy_act policy_acts[] = {
#define ACT(NAME, number, what)	{ number, #NAME, what },
#include "policy/acts.def"
#undef ACT
	{ 0, NULL, NULL }
};

const struct policy_act *
policy_act(unsigned number)
{
	for (const struct policy_act *a = policy_acts; a->number != 0; a++)
		if (a->number == number)
			return a;
	return NULL;
}

static bool
may(const struct policy_profile *p, enum policy_place place, unsigned access)
{
	for (const struct policy_path *path = p->paths; path->place != POLICY_PLACE_END; path++)
		if (path->place == place && (path->access & access) == access)
			return true;
	return false;
}

bool
policy_act_permitted(const struct policy_profile *p, unsigned number)
{
	switch (number) {
	case POLICY_ACT_READ_GIT:
		return may(p, POLICY_PLACE_GIT, POLICY_READ_FILE);
	case POLICY_ACT_WRITE_HOOK:
		return may(p, POLICY_PLACE_GIT, POLICY_MAKE);
	case POLICY_ACT_WRITE_WIKI:
		return may(p, POLICY_PLACE_WIKI, POLICY_MAKE);
	case POLICY_ACT_WRITE_DATABASE:
	case POLICY_ACT_TRUNCATE:
		return may(p, POLICY_PLACE_DATABASE, POLICY_WRITE_FILE);
	case POLICY_ACT_FORK:
	case POLICY_ACT_THREAD:
	case POLICY_ACT_PTRACE:
		/* The leak checker forks a helper that traces us. */
		return policy_sanitizer_set != NULL;
	default:
		return false;
	}
}
