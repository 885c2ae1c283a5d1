/*
 * metrics_page - the answer at /metrics.
 *
 * The numbers of this front go to the supervisor with REPORT, each second and before STATUS is asked for.  The
 * supervisor sums those of all fronts, so that any of them tells of all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "front/wire/http_parse.h"

#define METRICS_APART_MS	20u	/* between two questions to the supervisor */

struct conn;
struct front;
struct metrics_page;
struct principal;

struct metrics_page *metrics_page_new(void);
void metrics_page_free(struct metrics_page *g);

/* GET /metrics: answered when the supervisor has. */
void metrics_page_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Answer c when the supervisor's numbers have come. */
void metrics_page_answer(struct conn *c, bool openmetrics);

/* The connection c has ended: its answer is dropped. */
void metrics_page_forget(struct conn *c);

void metrics_page_tick(struct front *f, uint64_t now);
