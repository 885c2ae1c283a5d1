/*
 * metering - what this front counts for /metrics, a line in the log for each call, and the answer at /metrics.
 *
 * The numbers go to the supervisor with REPORT: each second, and before STATUS is asked for; it sums those of all
 * fronts, so that whichever is asked tells of all.
 */
#ifndef FRONT_METERING_H
#define FRONT_METERING_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "front/http_parse.h"

#define METERING_APART_MS	20u	/* between two questions to the supervisor */

struct conn;
struct exchange;
struct front;
struct mcp_answer;
struct metering;
struct principal;

struct metering *metering_new(void);
void metering_free(struct metering *m);

/* x is answered, with a, or ends without an answer: a NULL. */
void metering_exchange(struct exchange *x, const struct mcp_answer *a);

/* A request over HTTP was refused before there was an exchange. */
void metering_refusal(struct front *f, enum err_code code);

/* An entry of the audit was confirmed after so long, or could not be written. */
void metering_audit(struct front *f, uint64_t ns, bool written);

/* GET /metrics: answered when the supervisor has. */
void metering_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* c is answered when the supervisor has. */
void metering_answer(struct conn *c, bool openmetrics);

/* c is gone. */
void metering_forget(struct conn *c);

void metering_tick(struct front *f, uint64_t now);

#endif
