/* postgres_host - whether the password must be protected against a man in the middle. */
#pragma once

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
