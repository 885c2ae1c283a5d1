/*
 * caller - whose connection it is, whose request, and how much of the front
 * they may have.
 *
 * A connection is its user's on this machine and its address's elsewhere.
 * What a trusted proxy passes on is the client's that the proxy saw: the
 * rightmost hop that is no proxy itself.  Only the owner, who is the user the
 * daemon runs as, may have all connections: the others together leave room.
 */
#ifndef FRONT_CALLER_H
#define FRONT_CALLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "front/access.h"
#include "front/address.h"

struct conn;
struct http_request;

/* Of N connections, or bytes of unfinished requests, that there is room for. */
#define CALLER_OTHERS(n)	((n) / 4 * 3)	/* all but the owner */
#define CALLER_PROXY(n)		((n) / 2)	/* one trusted proxy; one other party's bytes */
#define CALLER_USER(n)		((n) / 16 > 64 ? (n) / 16 : 64)	/* another user of this machine: connections */

/* What c->fd is connected to: fills in the party and how it is seen.  Give it back with caller_leave(). */
void caller_arrive(struct conn *c, const struct sockaddr *sa);
void caller_leave(struct conn *c);

/* The status to turn it away with, or 0: it is one of `conns`, `others` of them not the owner's, and there is room for `max`. */
int caller_room(const struct conn *c, unsigned conns, unsigned others, unsigned max);

/*
 * Its request begins: from now on the client counts that a proxy names.  The
 * status to refuse it with, or 0.  Ended by caller_end().
 */
int caller_begin(struct conn *c, const struct http_request *q);
void caller_end(struct conn *c);

/* Who is to be counted for it now; borrowed. */
struct address *caller_address(const struct conn *c);

/* May it be taken for the owner's without a credential?  *uid is whose it is when that is known. */
enum access_peer caller_peer(struct conn *c, const struct http_request *q, uint32_t *uid);

/* Do its unfinished requests take more than there is for it?  Bytes of all, of all but the owner, and the bound. */
bool caller_overdrawn(const struct conn *c, size_t all, size_t others, size_t max);

#endif
