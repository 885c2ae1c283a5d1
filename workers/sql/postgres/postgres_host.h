/*
 * postgres_host - whether a server in the middle could ask for the password.
 *
 * libpq 15 answers whatever way of authentication the other side asks for,
 * the password in clear among them (require_auth is version 16's).  Channel
 * binding proves that TLS ends where the password's verifier is known, and
 * libpq refuses every other way when it is required (RFC 5802 section 6,
 * RFC 5929 section 4).
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_HOST_H
#define WORKERS_SQL_POSTGRES_POSTGRES_HOST_H

#include <libpq-fe.h>
#include <stdbool.h>

/* The value given for a keyword, NULL when none is. */
const char *pg_host_option(const PQconninfoOption *given, const char *keyword);

/*
 * Must channel binding be required?  For a password to another machine, unless
 * the url says by sslmode or channel_binding how to connect.
 */
bool pg_host_binds_channel(const PQconninfoOption *given);

#endif
