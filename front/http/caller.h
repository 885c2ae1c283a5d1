/*
 * caller - the party behind a connection and behind a request, and the share of the front that it may use.
 *
 * A connection belongs to a user on this machine and to an address elsewhere.  A request that a
 * trusted proxy forwards belongs to the client that the proxy saw: the rightmost hop that is no proxy
 * itself.  Only the owner, the user the daemon runs as, may use all connections.  All others together
 * leave room.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "front/wire/access.h"
#include "front/wire/address.h"

struct conn;
struct front;
struct http_request;

/* Shares of n connections, or of n bytes of unfinished requests. */
#define CALLER_OTHERS(n)	((n) / 4 * 3)	/* all parties but the owner, together */
#define CALLER_PROXY(n)		((n) / 2)	/* connections of one trusted proxy; bytes of one party but the owner */
#define CALLER_USER(n)		((n) / 16 > 64 ? (n) / 16 : 64)	/* another user of this machine: connections */

/* Find the party that c->fd is connected to and fill in c.  Undone by caller_leave(). */
void caller_arrive(struct conn *c, const struct sockaddr *sa);
void caller_leave(struct conn *c);

/*
 * The HTTP status that refuses c, or 0.  There are `conns` connections, `others` of them not the
 * owner's, of `max` at most.
 */
int caller_room(const struct conn *c, unsigned conns, unsigned others, unsigned max);

/*
 * A request begins: from now on the client named by a proxy is counted.  Returns the HTTP status that
 * refuses the request, or 0.  Undone by caller_end().
 */
int caller_begin(struct conn *c, const struct http_request *q);
void caller_end(struct conn *c);

/* The party that is counted for c at present; borrowed. */
struct address *caller_address(const struct conn *c);

/* Where the client of c is, for people: what counts as a user of this machine is at 127.0.0.1. */
void caller_put_address(const struct conn *c, char out[ADDRESS_TEXT_MAX]);

/* Whether the request may pass as the owner's without a credential.  *uid is the client's user, when known. */
enum access_peer caller_peer(struct conn *c, const struct http_request *q, uint32_t *uid);
bool caller_is_owner(struct conn *c, const struct http_request *q);

/*
 * Whether the bytes of c's unfinished requests exceed its party's share.  all: bytes of all parties;
 * others: bytes of all but the owner; max: the bound.
 */
bool caller_overdrawn(const struct conn *c, size_t all, size_t others, size_t max);
