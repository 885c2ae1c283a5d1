#include "policy/audit_words.h"

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

/* A vocabulary's two functions: audit_what_name() and audit_what_of(). */
#define VOCABULARY(what, words, N)					\
	const char *							\
	audit_##what##_name(enum audit_##what word)			\
	{								\
		return words[word];					\
	}								\
									\
	enum audit_##what						\
	audit_##what##_of(struct span name)				\
	{								\
		return (enum audit_##what)word_of(words, N, name);	\
	}

VOCABULARY(action, actions, AUDIT_ACTIONS)
VOCABULARY(kind, kinds, AUDIT_KINDS)
VOCABULARY(surface, surfaces, AUDIT_SURFACES)
VOCABULARY(outcome, outcomes, AUDIT_OUTCOMES)

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
