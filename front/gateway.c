/* gateway.c - see gateway.h. */
#include "front/conn.h"
#include "front/conn_read.h"
#include "front/credential.h"
#include "front/gateway.h"
#include "front/site.h"

typedef enum gate gate_step(struct passage *p);

/*
 * The steps, in order.  NULL: nothing is to be checked there.  A local client's place is its socket: whose it
 * is was checked when it connected, and the length of its lines as they are read.
 */
static const struct step {
	const char	*name;
	gate_step	*head;		/* of an HTTP request */
	gate_step	*message;	/* of a local client */
} steps[] = {
	{ "enabled",		site_enabled,	    NULL },
	{ "size and format",	site_format,	    NULL },
	{ "host and origin",	site_origin,	    NULL },
	{ "credential",		credential_head,    credential_message },
	{ "revoked, expired",	credential_stands,  credential_stands },
	{ "arguments",		site_media,	    NULL },
};

#define STEPS		(sizeof(steps) / sizeof(steps[0]))
#define AFTER_VERDICT	4u	/* the step that judges what carrel-auth says */

static enum gate
pass_from(struct passage *p, size_t from)
{
	enum gate gate = GATE_PASS;

	for (size_t i = from; i < STEPS && gate == GATE_PASS; i++) {
		gate_step *check = p->conn != NULL ? steps[i].head : steps[i].message;

		if (check != NULL)
			gate = check(p);
	}
	return gate;
}

enum gate
gateway_message(struct passage *p, const struct verdict *known)
{
	if (known == NULL)
		return pass_from(p, 0);
	p->verdict = *known;
	p->presented = p->counts = true;
	return pass_from(p, AFTER_VERDICT);
}

enum gate
gateway_head(struct conn *c, const struct http_request *q, const struct verdict *known, struct principal **who)
{
	struct passage p = {
		.front = c->front, .conn = c, .request = q, .wait = &c->waiting, .told = conn_told, .arg = c,
		.refuse = credential_refuse_http,
	};
	enum gate gate = gateway_message(&p, known);

	*who = p.verdict.who;
	return gate;
}
