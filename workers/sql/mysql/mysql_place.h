/* mysql_place - where a database is and how it is connected to: what mysql_target() in mysql_driver.c wrote, read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum mysql_tls {
	MYSQL_TLS_DISABLE,
	MYSQL_TLS_PREFER,	/* encrypted where the server can */
	MYSQL_TLS_REQUIRE,	/* encrypted, by whatever certificate */
	MYSQL_TLS_VERIFY_CA,	/* the certificate is by an authority that the connection names */
	MYSQL_TLS_VERIFY	/* the certificate is of that host, by authorities that are trusted */
};

/* Texts may be NULL: the library's default. */
struct mysql_place {
	const char	*host, *socket, *user, *password, *database, *authorities;
	unsigned	 port;		/* 0: none was given */
	enum mysql_tls	 tls;
	unsigned	 connect_ms;
	const char	*key;		/* of digests: the session's variable MYSQL_COLUMNS_KEY; NULL: it has none */
	char		*texts;		/* holds the texts, of mysql_place_read() */
	size_t		 ntexts;
};

/*
 * Reads the lines of a target.  Without sslmode the server is verified unless no other machine is involved.  -1 with
 * ERR_DATABASE_UNAVAILABLE; no message quotes what may be a password.
 */
int mysql_place_read(struct mysql_place *p, const char *target, struct err *err);

/* Whether the library connects to a Unix socket: to localhost without a port it does. */
bool mysql_place_is_by_socket(const struct mysql_place *p);

/* The methods of authentication that may be used there, as the library takes them. */
const char *mysql_place_methods(const struct mysql_place *p);

/* Wipes and frees the texts; the place is empty afterwards. */
void mysql_place_fini(struct mysql_place *p);
