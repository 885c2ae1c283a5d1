/* conn_read - from received bytes to served requests; private to conn.c. */
#ifndef FRONT_CONN_READ_H
#define FRONT_CONN_READ_H

#include "front/conn.h"

void conn_consume_input(struct conn *c);
void conn_on_readable(evutil_socket_t fd, short what, void *arg);

#endif
