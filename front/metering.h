/*
 * metering - what this front counts for /metrics, lines in the log of calls and refusals, and the answer at /metrics.
 *
 * The numbers go to the supervisor with REPORT: each second, and before STATUS is asked for; it sums those of all
 * fronts, so that whichever is asked tells of all.
 */
#ifndef FRONT_METERING_H
#define FRONT_METERING_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "front/wire/http_parse.h"

#define METERING_APART_MS	20u	/* between two questions to the supervisor */

struct conn;
struct exchange;
struct front;
struct mcp_answer;
struct metering;
struct principal;

struct metering *metering_new(void);
void metering_free(struct metering *m);

/* Count x: answered with a, or, with a NULL, ended without an answer. */
void metering_exchange(struct exchange *x, const struct mcp_answer *a);

/* Count an HTTP request that was refused before it became an exchange. */
void metering_refusal(struct front *f, enum err_code code);

/* Log a refusal.  At most a few lines are written per second; the rest are counted. */
void metering_log_refusal(struct front *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Count an audit entry: confirmed after this time, or not written. */
void metering_audit(struct front *f, uint64_t ns, bool written);

/* GET /metrics: answered when the supervisor has. */
void metering_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Answer c when the supervisor's numbers have come. */
void metering_answer(struct conn *c, bool openmetrics);

/* The connection c has ended: its answer is dropped. */
void metering_forget(struct conn *c);

void metering_tick(struct front *f, uint64_t now);

#endif
