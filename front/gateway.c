#include "front/gateway.h"
#include "front/http/conn_read.h"
#include "front/site.h"
#include "front/site_credential.h"

typedef enum gate gate_step(struct passage *p);

/*
 * The steps, in order.  NULL: nothing is to be checked there.  A local client's place is its socket: whose it
 * is was checked when it connected, and the length of its lines as they are read.
 */
enum head_step { STEP_ENABLED, STEP_FORMAT, STEP_ORIGIN, STEP_CREDENTIAL, STEP_STANDS, STEP_MEDIA, STEPS };

static const struct {
	gate_step	*head;		/* of an HTTP request */
	gate_step	*message;	/* of a local client */
} steps[STEPS] = {
	[STEP_ENABLED] = { site_enabled, NULL },
	[STEP_FORMAT] = { site_format, NULL },
	[STEP_ORIGIN] = { site_origin, NULL },
	[STEP_CREDENTIAL] = { site_credential, site_message },
	[STEP_STANDS] = { site_stands, site_stands },	/* it is not revoked, and has not expired */
	[STEP_MEDIA] = { site_media, NULL },
};

enum gate
gateway_message(struct passage *p, const struct verdict *known)
{
	enum gate gate = GATE_PASS;

	if (known != NULL) {
		p->verdict = *known;
		p->presented = p->verdict.counts = true;
	}
	for (unsigned i = known != NULL ? STEP_STANDS : 0; i < STEPS && gate == GATE_PASS; i++) {
		gate_step *check = p->conn != NULL ? steps[i].head : steps[i].message;

		if (check != NULL)
			gate = check(p);
	}
	return gate;
}

enum gate
gateway_head(struct conn *c, const struct http_request *q, const struct verdict *known, struct principal **who)
{
	struct passage p = {
		.front = c->front, .conn = c, .request = q, .refuse = site_refuse,
		.credential = { .wait = &c->waiting, .told = conn_told, .arg = c },
	};
	enum gate gate = gateway_message(&p, known);

	*who = p.verdict.who;
	return gate;
}
