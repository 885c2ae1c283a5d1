/* audit.c - see audit.h. */
#include "policy/audit.h"

static const char *const actions[] = {
#define ACTION(NAME, name, teller)	name,
#include "policy/audit.def"
#undef ACTION
};

static const enum audit_teller tellers[] = {
#define ACTION(NAME, name, teller)	AUDIT_BY_##teller,
#include "policy/audit.def"
#undef ACTION
};

static const char *const kinds[] = {
#define KIND(NAME, name)	name,
#include "policy/audit.def"
#undef KIND
};

static const char *const surfaces[] = {
#define SURFACE(NAME, name)	name,
#include "policy/audit.def"
#undef SURFACE
};

static const char *const outcomes[] = {
#define OUTCOME(NAME, name)	name,
#include "policy/audit.def"
#undef OUTCOME
};

static unsigned
word_of(const char *const *words, unsigned n, struct span name)
{
	unsigned i = 0;

	while (i < n && !span_is_str(name, words[i]))
		i++;
	return i;
}

const char *
audit_action_name(enum audit_action action)
{
	return actions[action];
}

const char *
audit_kind_name(enum audit_kind kind)
{
	return kinds[kind];
}

const char *
audit_surface_name(enum audit_surface surface)
{
	return surfaces[surface];
}

const char *
audit_outcome_name(enum audit_outcome outcome)
{
	return outcomes[outcome];
}

enum audit_action
audit_action_of(struct span name)
{
	return (enum audit_action)word_of(actions, AUDIT_ACTIONS, name);
}

enum audit_kind
audit_kind_of(struct span name)
{
	return (enum audit_kind)word_of(kinds, AUDIT_KINDS, name);
}

enum audit_surface
audit_surface_of(struct span name)
{
	return (enum audit_surface)word_of(surfaces, AUDIT_SURFACES, name);
}

enum audit_outcome
audit_outcome_of(struct span name)
{
	return (enum audit_outcome)word_of(outcomes, AUDIT_OUTCOMES, name);
}

enum audit_teller
audit_action_teller(enum audit_action action)
{
	return tellers[action];
}

enum audit_kind
audit_kind_of_id(struct span id)
{
	size_t colon = 0;

	while (colon < id.len && id.p[colon] != ':')
		colon++;
	return id.len == 0 ? AUDIT_KIND_NONE : audit_kind_of(span_of(id.p, colon));
}

enum audit_outcome
audit_outcome_by(enum err_code code)
{
	switch (code) {
	case ERR_NONE:
		return AUDIT_OUTCOME_OK;
	case ERR_QUERY_CANCELLED:
		return AUDIT_OUTCOME_CANCELLED;
	case ERR_AUTH_INVALID:
	case ERR_AUTH_REVOKED:
	case ERR_AUTH_EXPIRED:
	case ERR_SCOPE_DENIED:
	case ERR_RATE_LIMITED:
	case ERR_IP_BLOCKED:
	case ERR_FORBIDDEN_SQL:
	case ERR_SQL_TOO_LONG:
	case ERR_INVALID_ARGUMENTS:
	case ERR_BUSY:
	case ERR_QUARANTINED:
		return AUDIT_OUTCOME_REFUSED;
	default:
		return AUDIT_OUTCOME_ERROR;
	}
}
