/*
 * postgres_host - whether a man in the middle could ask for the password.
 *
 * libpq 15 uses any authentication method that the other side asks for,
 * including the password in clear text (require_auth came with version 16).
 * Channel binding proves that the TLS connection ends at a server that knows
 * the password's verifier, and if it is required libpq refuses every other
 * method (RFC 5802 section 6, RFC 5929 section 4).
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_HOST_H
#define WORKERS_SQL_POSTGRES_POSTGRES_HOST_H

#include <libpq-fe.h>
#include <stdbool.h>

/* The value given for a keyword; NULL if none is given. */
const char *pg_host_option(const PQconninfoOption *given, const char *keyword);

/*
 * Whether channel binding must be required: for a password that goes to
 * another machine, unless the URL says how to connect by sslmode or
 * channel_binding.
 */
bool pg_host_binds_channel(const PQconninfoOption *given);

#endif
