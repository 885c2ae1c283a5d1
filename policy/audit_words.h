/* audit_words - the words of the audit: audit.def as enums and names. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

/* Who may report an action. */
enum audit_teller { AUDIT_BY_FRONT = 1, AUDIT_BY_SUPERVISOR = 2, AUDIT_BY_AUTH = 4 };

enum audit_action {
#define ACTION(NAME, name, teller)	AUDIT_ACTION_##NAME,
#include "policy/audit.def"
#undef ACTION
	AUDIT_ACTIONS
};

enum audit_kind {
#define KIND(NAME, name)	AUDIT_KIND_##NAME,
#include "policy/audit.def"
#undef KIND
	AUDIT_KINDS
};

enum audit_surface {
#define SURFACE(NAME, name)	AUDIT_SURFACE_##NAME,
#include "policy/audit.def"
#undef SURFACE
	AUDIT_SURFACES
};

enum audit_outcome {
#define OUTCOME(NAME, name)	AUDIT_OUTCOME_##NAME,
#include "policy/audit.def"
#undef OUTCOME
	AUDIT_OUTCOMES
};

const char *audit_action_name(enum audit_action action);
const char *audit_kind_name(enum audit_kind kind);
const char *audit_surface_name(enum audit_surface surface);
const char *audit_outcome_name(enum audit_outcome outcome);

/* The other way; the number of words when there is no such one. */
enum audit_action audit_action_of(struct span name);
enum audit_kind audit_kind_of(struct span name);
enum audit_surface audit_surface_of(struct span name);
enum audit_outcome audit_outcome_of(struct span name);

/* Whether an answer with this code says that nothing was done, that it was stopped, or that it went wrong. */
enum audit_outcome audit_outcome_by(enum err_code code);

/* Who may report this action. */
enum audit_teller audit_action_teller(enum audit_action action);

/* The kind of principal with this id; AUDIT_KIND_NONE for an empty id. */
enum audit_kind audit_kind_of_id(struct span id);
