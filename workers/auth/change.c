#include <stdio.h>
#include <string.h>

#include "workers/auth/audit/audit.h"
#include "workers/auth/change.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/tokens/tokens.h"
#include "workers/shared/call.h"

#define CLI	"cli:"
#define PAGE	"page:"

/* Of the principal that the front gave: an administrator's agent, the owner's commands, or a user of the page. */
static int
record_of(struct auth *a, struct span id, struct span receipt, enum audit_action action, const char *target,
    struct span policy, struct err *err)
{
	struct audit_entry e = audit_entry_of(action, AUDIT_OUTCOME_OK);
	char owner[64];

	e.surface = AUDIT_SURFACE_DAEMON;
	e.receipt = receipt;
	if (id.len > 0) {
		e.id = id;
		e.surface = span_begins(e.id, "user:") ? AUDIT_SURFACE_MCP : AUDIT_SURFACE_CLI;
		if (span_begins(e.id, PAGE)) {
			e.surface = AUDIT_SURFACE_PAGE;
			e.id = span_of(e.id.p + strlen(PAGE), e.id.len - strlen(PAGE));
		}
		/* The front distinguishes the owner's commands from the owner's other clients; the audit does not. */
		if (span_begins(e.id, CLI)) {
			snprintf(owner, sizeof(owner), "local:%.*s", (int)(e.id.len - strlen(CLI)),
			    e.id.p + strlen(CLI));
			e.id = span_str(owner);
		}
		if ((e.kind = audit_kind_of_id(e.id)) == AUDIT_KINDS)
			e.kind = AUDIT_KIND_NONE;
	}
	e.target = span_str(target);
	e.policy = policy;
	return audit_append(a->audit, &e, err);
}

static int
record_with(struct auth *a, const struct call *c, enum audit_action action, const char *target, struct span policy,
    struct err *err)
{
	return record_of(a, c == NULL ? SPAN("") : call_principal(c), c == NULL ? SPAN_NONE : call_request(c), action,
	    target, policy, err);
}

int
change_record_for(struct auth *a, struct span principal, enum audit_action action, const char *target, struct err *err)
{
	return record_of(a, principal, SPAN_NONE, action, target, SPAN(""), err);
}

int
change_record(struct auth *a, const struct call *c, enum audit_action action, const char *target, struct err *err)
{
	return record_with(a, c, action, target, SPAN(""), err);
}

int
change_record_grant(struct auth *a, const struct call *c, enum audit_action action, const char *target, uint32_t scopes,
    const char *named, struct err *err)
{
	struct buf policy = { 0 };
	int result;

	oauth_put_scope(scopes, named, &policy);
	result = record_with(a, c, action, target, buf_view(&policy), err);
	buf_fini(&policy);
	return result;
}

int
change_record_role(struct auth *a, const struct call *c, enum audit_action action, const char *target, const char *role,
    const char *before, struct err *err)
{
	struct buf policy = { 0 };
	int result;

	oauth_put_role(role, before, &policy);
	result = record_with(a, c, action, target, buf_view(&policy), err);
	buf_fini(&policy);
	return result;
}

int
change_end(struct auth *a, int result, struct err *err)
{
	if (oauth_commit(a, result, err) != 0)
		return -1;
	tokens_changed(a);
	return 0;
}
