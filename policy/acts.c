/* acts.c - see acts.h: the forbidden acts, the processes each one concerns, and what counts as a refusal. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "ipc/messages.h"
#include "policy/acts.h"
#include "policy/profiles.h"

const struct policy_act policy_acts[] = {
#define BUT(...)
#define ACT(NAME, number, what, aim, refusal)	\
	{ number, #NAME, what, POLICY_AIM_##aim, POLICY_CLAIM_##refusal },
#include "policy/acts.def"
#undef ACT
#undef BUT
	{ 0, NULL, NULL, POLICY_AIM_NOTHING, POLICY_CLAIM_ALLOWED }
};

const struct policy_exception policy_exceptions[] = {
#define ACT(...)
#define BUT(profile, NAME, refusal)	{ profile, POLICY_ACT_##NAME, POLICY_CLAIM_##refusal },
#include "policy/acts.def"
#undef BUT
#undef ACT
	{ NULL, 0, POLICY_CLAIM_ALLOWED }
};

const struct policy_act *
policy_act(unsigned number)
{
	for (const struct policy_act *a = policy_acts; a->number != 0; a++)
		if (a->number == number)
			return a;
	return NULL;
}

enum policy_claim
policy_act_claim(const struct policy_profile *p, unsigned number)
{
	const struct policy_act *act = policy_act(number);

	for (const struct policy_exception *e = policy_exceptions; e->profile != NULL; e++)
		if (e->number == number && strcmp(e->profile, p->name) == 0)
			return e->claim;
	return act == NULL ? POLICY_CLAIM_ALLOWED : act->claim;
}

bool
policy_act_permitted(const struct policy_profile *p, unsigned number)
{
	switch (number) {
	case POLICY_ACT_FORK:
	case POLICY_ACT_THREAD:
	case POLICY_ACT_PTRACE:
		/* The leak checker forks a helper process that attaches to this process with ptrace. */
		if (policy_sanitizer_set != NULL)
			return true;
		break;
	default:
		break;
	}
	return policy_act_claim(p, number) == POLICY_CLAIM_ALLOWED;
}

bool
policy_acts_concern(const struct policy_profile *p)
{
	return ipc_role_of_binary(p->binary) != IPC_NOBODY;
}

size_t
policy_acts_count(void)
{
	size_t n = 0;

	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		for (const struct policy_act *a = policy_acts; a->number != 0; a++)
			n += policy_acts_concern(p) && !policy_act_permitted(p, a->number);
	return n;
}

const char *
policy_claim_name(enum policy_claim claim)
{
	switch (claim) {
	case POLICY_CLAIM_ACCES:
		return "EACCES";
	case POLICY_CLAIM_PERM:
		return "EPERM";
	case POLICY_CLAIM_UNDER_WAY:
		return "EINPROGRESS";
	case POLICY_CLAIM_KILL:
		return "SIGSYS";
	case POLICY_CLAIM_ALLOWED:
		break;
	}
	return "nothing";
}

static bool
is_claimed(enum policy_claim claim, const struct policy_trial *t)
{
	switch (claim) {
	case POLICY_CLAIM_ACCES:
		return t->answered && t->error == EACCES;
	case POLICY_CLAIM_PERM:
		return t->answered && t->error == EPERM;
	case POLICY_CLAIM_UNDER_WAY:
		return t->answered && t->error == EINPROGRESS;
	case POLICY_CLAIM_KILL:
		return !t->answered && t->signal == SIGSYS;
	case POLICY_CLAIM_ALLOWED:
		break;
	}
	return false;
}

enum policy_judgement
policy_judge(enum policy_claim claim, const struct policy_trial *t)
{
	if (t->nothing)
		return POLICY_NOT_TRIED;
	if (!t->asked)
		return POLICY_FAILED;
	if (t->answered && (t->error == ENOENT || t->error == ENOTDIR))
		return POLICY_NOT_TRIED;
	return is_claimed(claim, t) ? POLICY_REFUSED : POLICY_FAILED;
}
