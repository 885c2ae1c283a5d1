/* conn_write - responses: one message, or several on a stream or in an array. */
#ifndef FRONT_CONN_WRITE_H
#define FRONT_CONN_WRITE_H

#include "front/conn.h"

/* A whole response.  r->body, close and CORS are filled in here. */
void conn_reply(struct conn *c, struct http_reply *r, struct span body);

/* {"error":{"code":…,"message":…}} with this status. */
void conn_refuse(struct conn *c, int status, const char *message, struct http_reply *extra);

/* The head of an event stream, or of a batch's array. */
void conn_stream_begin(struct conn *c);
void conn_array_begin(struct conn *c);

/* One message; fields are the event's lines before its data. */
void conn_stream_put(struct conn *c, struct span fields, const struct answer *a);
void conn_stream_put_source(struct conn *c, struct span fields, struct source source);

/* Whole lines of an event stream. */
void conn_stream_raw(struct conn *c, struct span event);

/* The response ends when all is sent. */
void conn_stream_end(struct conn *c);

/* A response of one message. */
void conn_answer(struct conn *c, const struct answer *a);

/* Write what was put. */
void conn_flush(struct conn *c);
void conn_on_writable(evutil_socket_t fd, short what, void *arg);

/* A comment on a silent event stream. */
void conn_comment(struct conn *c);

#endif
