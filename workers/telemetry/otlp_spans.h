/* otlp_spans - calls as spans, in the JSON of opentelemetry-proto (ExportTraceServiceRequest). */
#pragma once

#include "base/buf.h"
#include "ipc/messages.h"

/* What a request says of this service. */
struct otlp_service {
	struct span	instance;	/* service.instance.id */
};

/*
 * Append the spans of a call as JSON objects, with commas between them and those that out has already.  driver: of its
 * connection, may be empty.  Returns how many.
 */
unsigned otlp_spans_put(struct buf *out, const struct ipc_observed *m, struct span driver);

/* The whole request of spans that otlp_spans_put() wrote. */
void otlp_spans_request(struct buf *out, const struct otlp_service *s, struct span spans);

/* "resource" with its attributes, as all requests have it. */
void otlp_spans_resource(struct buf *out, const struct otlp_service *s);

/* "scope", the same. */
void otlp_spans_scope(struct buf *out);

/* 64-bit numbers are strings in the JSON of protobuf. */
void otlp_spans_put_long(struct buf *out, const char *key, uint64_t n);
