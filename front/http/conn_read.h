/* conn_read - from received bytes to served requests: driven by conn.c, resumed by the gateway. */
#pragma once

#include "front/http/conn.h"

struct verdict;

void conn_consume_input(struct conn *c);
void conn_on_readable(evutil_socket_t fd, short what, void *arg);

/* Refuse bytes that are not a valid request or exceed a limit; the connection is closed afterwards. */
void conn_read_refuse(struct conn *c, int status);

/* The verdict on the credential that the connection's request waits for: verify_ask()'s told(). */
void conn_told(void *conn, const struct verdict *verdict);
