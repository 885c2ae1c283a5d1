/*
 * export_file - a result as a file, by a link that came with it (front/calls/export_link.h).
 *
 * How a file is sent
 *
 * A link is a sealed call.  Opening it makes the call again: its owner is found out by a credential of the same
 * principal (a bearer token, the owner's own process, or the login session of the user whose grant the link is of),
 * and then the call passes call_gate.h like a new one from there, so scopes, roles, rates, the guard of the
 * database's driver, column policies and identities are those of that moment.
 *
 * The rows are not kept.  The worker sends a chunk for each one that it has credit for; the chunk is written as CSV or
 * JSON lines, or is a piece of the Parquet file that the worker writes; it is queued on the connection, and gives new
 * credit only when the client has read so much that less than EXPORT_AHEAD bytes wait.  So a client that stops reading
 * stops the worker, which stops reading from its database; and a client that reads less than CONN_FILE_PACE in
 * CONN_WRITE_MS while that waits for it, or an export that takes longer than limits.export_s, ends the statement.  A
 * connection that is lost cancels it down to the database.
 *
 * Nothing leaves before it is on record: the first rows wait for the entry export.open, and the file's last chunk waits
 * for the entry export, which has the numbers of rows and bytes.  Whatever goes wrong in between, the connection is
 * closed without the last chunk, by which every client of HTTP/1.1 sees that the file is cut; HTTP/1.0, which could
 * not see it, is refused.
 */
#pragma once

#include <stdbool.h>

#include "front/http/conn.h"

/* Sent at one time, and waiting for a worker, by one front; a principal's share is that of share.h.  Beyond: busy. */
#define EXPORTS_MAX	16u
#define EXPORT_AHEAD	(64u * 1024)	/* bytes that wait for the client: no more credit for the worker */

/* Whether the request is for an export of a user, and may be made by the user's login session. */
bool export_file_by_session(struct conn *c, const struct http_request *q);

/* The handler of struct site_place; who NULL: the user's login session is asked for. */
void export_file_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* The client has read some of it. */
void export_file_drained(struct conn *c);

/* The connection, or its request, has ended. */
void export_file_forget(struct conn *c);
