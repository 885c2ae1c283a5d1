#include "workers/libpq/libpq_explain.h"

#include <stdio.h>
#include <string.h>

#include "base/system/net.h"

/* "connection to server at … failed: FATAL:  password …" without its address. */
static const char *
reason_in(const char *message)
{
	const char *at = strstr(message, " failed: ");

	if (strncmp(message, "connection to server", 20) == 0 && at != NULL)
		message = at + strlen(" failed: ");
	if (strncmp(message, "FATAL:  ", 8) == 0)
		message += 8;
	return message;
}

/* The first cap - 1 bytes, as one line of printable ASCII: the encoding is not known yet. */
static const char *
one_line(const char *s, char *out, size_t cap)
{
	size_t n = 0;

	for (; *s != '\0' && n + 1 < cap; s++)
		out[n++] = *s >= 0x20 && *s < 0x7F ? *s : ' ';
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return out;
}

/* The advice for a server that refuses the connection, by the message of libpq or the server. */
static const char *
advice_for(const char *reason)
{
	static const struct {
		const char *says, *advice;
	} rows[] = {
		{ "password authentication failed",
		    "correct the account's password (in a URL, characters such as "
		    ": / ? # @ % of it are written percent-encoded: %3A %2F %3F %23 %40 %25)" },
		{ "no password supplied", "give the connection a password, as a reference: env:NAME or file:PATH" },
		{ "pg_hba.conf", "let the account in from here in the server's pg_hba.conf" },
		{ "root certificate file \"system\"",
		    "this libpq does not know sslrootcert=system; name a file, such as " NET_AUTHORITIES },
		{ "session is read-only",
		    "Carrel's sessions only read; leave target_session_attrs out of the url, or "
		    "write target_session_attrs=any or prefer-standby" },
		{ "definition of service",
		    "the daemon does not read the service file or its variable; write host, port, "
		    "database and user into the connection" },
		{ "unsupported startup parameter", "a connection pooler does not take this; leave it out of the url" },
		{ "does not exist", "correct the name in the connection" },
		{ "not permitted to log in", "give the role LOGIN, or use another" },
		{ "translate host name", "correct the host in the connection" },
		{ "Connection refused", "start the server, or correct host and port" },
		{ "No such file or directory", "start the server, or correct host and port" },
		{ "timeout", "check host, port and the network between" },
		{ "No route to host", "check host, port and the network between" },
		{ "Network is unreachable", "check host, port and the network between" },
		{ "channel binding",
		    "the server cannot prove by TLS and SCRAM that it is the one; say in the url how to "
		    "connect: sslmode=verify-full with sslrootcert, or sslmode=require where the network between is "
		    "trusted" },
		{ "does not support SSL", "switch SSL on in the server, or do not ask for it with sslmode" },
		{ "too many", "let others end their connections, or set fewer workers" },
		{ "remaining connection slots", "let others end their connections, or set fewer workers" },
		{ "starting up", "it will be tried again" },
		{ "recovery mode", "it will be tried again" },
		{ "not yet accepting", "it will be tried again" },
		{ "shutting down", "it will be tried again" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strstr(reason, rows[i].says) != NULL)
			return rows[i].advice;
	return "check host, port, database and account of the connection";
}

int
libpq_explain(const PGconn *conn, struct err *err)
{
	const char *message = PQerrorMessage(conn), *host = PQhost(conn), *port = PQport(conn),
		   *first = reason_in(message);
	char reason[160], all[256], where[96], line[256];

	/* The first line says what happened; libpq's question on the second line is answered by the address. */
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(first, "\n"), first);
	one_line(line, reason, sizeof(reason));
	one_line(host != NULL && *host != '\0' ? host : "the default socket", where, sizeof(where));
	err_set(err, ERR_DATABASE_UNAVAILABLE, "cannot connect to the PostgreSQL server at %s, port %.5s: %s; %s",
	    where, port != NULL && *port != '\0' ? port : "5432", reason, advice_for(reason));
	return err_detail(err, "%s", one_line(message, all, sizeof(all)));
}
