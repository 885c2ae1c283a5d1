/*
 * status - carrel/status: the supervisor's map plus the front's own figures; what `carrel doctor` finds; and whether
 * the front is well, at /health and /health/ready.
 */
#pragma once

#include "front/front.h"

struct conn;
struct exchange;
struct http_request;

#define STATUS_WAIT_MS	2000u	/* wait for the supervisor; then only the front's figures are sent */
#define STATUS_DOCTOR_MS 90000u	/* longer than the supervisor gives `carrel doctor` */

struct statuses *statuses_new(void);
void statuses_free(struct statuses *s);

/* Answer x when the supervisor's map has come. */
void status_ask(struct front *f, struct exchange *x);

/* Answer x with what `carrel doctor` finds, when the supervisor has asked it. */
void status_ask_doctor(struct front *f, struct exchange *x);

/* Call told() once with the supervisor's map; empty: the supervisor did not answer in time. */
void status_fetch(struct front *f, void (*told)(void *arg, struct span status), void *arg);

/* The supervisor's answer: status is a msgpack map, or the JSON of `carrel doctor`. */
void status_take(struct front *f, uint64_t serial, struct span status);

void status_tick(struct front *f, uint64_t now);

/* Whether the front is healthy: fully confined, all needed workers present, audit entries being written. */
bool status_is_well(const struct front *f);

/* Append a sentence with the reason why the front is not healthy; nothing if it is healthy. */
void status_put_reason(const struct front *f, struct buf *out);

/* GET /health and /health/ready.  Only the owner may see where the project is and which processes serve it. */
void status_serve_health(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void status_serve_ready(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
