/* conn_write - writes responses: one message, or several on an event stream or in an array. */
#pragma once

#include "front/http/conn.h"

/* Send a whole response.  Fills in r->body, close and CORS. */
void conn_reply(struct conn *c, struct http_reply *r, struct span body);

/*
 * Refuse with this status and {"error":{"code":…,"message":…}}; with 401 and {"error":"unauthorized","code":…,
 * "message":…}.  At a path of REST with that interface's envelope.
 */
void conn_refuse(struct conn *c, int status, const char *message, struct http_reply *extra);

/* Write the head of an event stream, or of a batch's array. */
void conn_stream_begin(struct conn *c);
void conn_array_begin(struct conn *c);

/* Write one message.  fields are the event's lines before its data. */
void conn_stream_put(struct conn *c, struct span fields, const struct mcp_answer *a);
void conn_stream_put_source(struct conn *c, struct span fields, struct out_source source);

/* Write whole lines of an event stream. */
void conn_stream_raw(struct conn *c, struct span event);

/*
 * Write the head of a file that comes in chunks, piece by piece by conn_stream_raw(), each of which is flushed; of HEAD
 * the head alone.  Not for HTTP/1.0, where a file that is cut looks like a whole one.
 */
void conn_file_begin(struct conn *c, struct http_reply *r);

/* The file is whole: write the last chunk with whole lines of trailer fields.  A file without it is seen to be cut. */
void conn_file_end(struct conn *c, struct span trailers);

/* The response ends once everything queued is sent. */
void conn_stream_end(struct conn *c);

/* Send a response of one message. */
void conn_answer(struct conn *c, const struct mcp_answer *a);

/* Send the queued bytes. */
void conn_flush(struct conn *c);
void conn_on_writable(evutil_socket_t fd, short what, void *arg);

/* Write a keep-alive comment on a silent event stream. */
void conn_comment(struct conn *c);
