/*
 * audit_off.c - audit_requests.h for a front that puts nothing on record: beside the real one, it shows what the
 * audit costs.  For measuring alone; no product is linked with it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/exchange.h"

struct audits {
	uint64_t	nothing;
};

struct audits *
audits_new(struct span key)
{
	(void)key;
	return mem_new(1, sizeof(struct audits));
}

void
audits_free(struct audits *a)
{
	free(a);
}

void
audit_journal(struct front *f, int fd)
{
	(void)f;
	close(fd);
}

unsigned
audits_waiting(const struct audits *a)
{
	(void)a;
	return 0;
}

void
audit_begin(struct exchange *x, enum audit_action action, const struct mp_value *params)
{
	(void)action, (void)params;
	x->audit.note = (struct audit_note){ .action = AUDIT_ACTIONS };
}

void
audit_statement(struct exchange *x, struct span connection, struct span sql)
{
	(void)x, (void)connection, (void)sql;
}

struct span
audit_client(const struct exchange *x)
{
	(void)x;
	return (struct span){ NULL, 0 };
}

struct span
audit_question(const struct exchange *x)
{
	(void)x;
	return (struct span){ NULL, 0 };
}

void
audit_code(struct exchange *x, enum err_code code)
{
	x->audit.note.code = code;
}

bool
audit_answer(struct exchange *x, const struct mcp_answer *a)
{
	(void)x, (void)a;
	return false;
}

bool
audit_opening(struct exchange *x, void (*told)(struct exchange *x, bool written))
{
	(void)x, (void)told;
	return true;
}

void
audit_opening_forget(struct exchange *x)
{
	(void)x;
}

void
audit_cancelled(struct exchange *x)
{
	(void)x;
}

bool
audit_stalls(const struct front *f)
{
	(void)f;
	return false;
}

const char *
audit_failure(const struct front *f)
{
	(void)f;
	return NULL;
}

bool
audit_refusal(struct conn *c, const struct http_reply *reply, struct span code, struct span body)
{
	(void)c, (void)reply, (void)code, (void)body;
	return false;
}

void
audit_conn_forget(struct conn *c)
{
	(void)c;
}

void
audit_session_ended(struct front *f, struct span principal)
{
	(void)f, (void)principal;
}

bool
audit_confirm(struct front *f, uint64_t id, const struct ipc_audited *m)
{
	(void)f, (void)id, (void)m;
	return true;
}

void
audit_channel(struct front *f, bool up)
{
	(void)f, (void)up;
}

void
audit_tick(struct front *f, uint64_t now)
{
	(void)f, (void)now;
}

void
audit_ran_as(struct exchange *x, struct span text)
{
	(void)x, (void)text;
}
