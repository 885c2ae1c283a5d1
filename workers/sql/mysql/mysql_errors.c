#include "workers/sql/mysql/mysql_errors.h"

#include <errmsg.h>
#include <stdio.h>
#include <string.h>

#include "base/mp.h"

static const struct mysql_known {
	unsigned	 number;	/* 0: all whose state begins so */
	const char	*state;
	enum err_code	 code;
	const char	*advice;
} errors[] = {
#define NUMBER(number, code, advice)	{ number, "", ERR_##code, advice },
#define STATE(state, code)		{ 0, state, ERR_##code, NULL },
#include "workers/sql/mysql/mysql_errors.def"
#undef NUMBER
#undef STATE
};

static const struct mysql_known *
find_error(unsigned number, const char *state)
{
	const struct mysql_known *e = errors;

	while (e->number != number && (e->number != 0 || strncmp(state, e->state, strlen(e->state)) != 0))
		e++;
	return e;
}

static void
put_details(struct buf *out, unsigned number, const char *state)
{
	buf_reset(out, 4096);
	mp_put_pairs(out, mp_cstr("sqlstate", state), mp_uint("number", number));
}

int
mysql_errors_explain(MYSQL *m, struct buf *details, struct err *err)
{
	unsigned number = mysql_errno(m);
	const char *message = mysql_error(m), *state = mysql_sqlstate(m);
	const struct mysql_known *e = find_error(number, state);

	if (details != NULL)
		put_details(details, number, state);
	return err_set(err, e->code, "%s%s%s", message[0] == '\0' ? "the server gave no reason" : message,
	    e->advice == NULL ? "" : "; ", e->advice == NULL ? "" : e->advice);
}

/* By the number of the library or the server; the first row that fits. */
static const char *
advice_for(unsigned number, const char *reason)
{
	static const struct {
		unsigned number;
		const char *says, *advice;
	} rows[] = {
		{ 1045, "using password: NO", "give the connection a password, as a reference: env:NAME or file:PATH" },
		{ 1045, "",
		    "correct the account's name or password (in a URL, characters such as : / ? # @ % are written "
		    "percent-encoded: %3A %2F %3F %23 %40 %25); an account that requires TLS needs sslmode=require" },
		{ 1698, "", "the account may log in only through the operating system; use another" },
		{ 1044, "", "grant the account SELECT on the database, or correct the database's name" },
		{ 1049, "", "correct the database's name in the connection" },
		{ 1130, "", "let the account in from here: its host in CREATE USER" },
		{ 1129, "", "the server has blocked this host after failed connections; run FLUSH HOSTS there" },
		{ 1040, "", "close other connections, or set fewer workers" },
		{ 1203, "", "close other connections, or set fewer workers" },
		{ 1226, "",
		    "the account has used up what it may; raise its MAX_USER_CONNECTIONS, or set fewer workers" },
		{ 1820, "", "change the account's password, which has expired" },
		{ 1862, "", "change the account's password, which has expired" },
		{ 4151, "", "unlock the account" },
		{ CR_CONNECTION_ERROR, "", "start the server, or correct host, port or socket in the connection" },
		{ CR_CONN_HOST_ERROR, "", "start the server, or correct host and port; check the network between" },
		{ CR_UNKNOWN_HOST, "", "correct the host in the connection" },
		{ CR_SSL_CONNECTION_ERROR, "",
		    "name the server's authority with sslrootcert=FILE, or say with sslmode=require "
		    "that the certificate is not to be checked where the network between is trusted" },
		{ CR_PLUGIN_NOT_ALLOWED, "",
		    "verify the server with sslmode=verify-ca and sslrootcert=FILE (of MySQL: ca.pem in its data "
		    "directory), use its socket, or give the account a password of ed25519 or mysql_native_password" },
		{ CR_AUTH_PLUGIN_CANNOT_LOAD, "",
		    "give the account a password of ed25519, caching_sha2_password or "
		    "mysql_native_password" },
		{ CR_AUTH_PLUGIN_ERR, "",
		    "give the account a password of ed25519, caching_sha2_password or "
		    "mysql_native_password" },
		{ CR_SERVER_LOST, "",
		    "check that the address is a MariaDB or MySQL server's, and the network between" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == number && strstr(reason, rows[i].says) != NULL)
			return rows[i].advice;
	return "check host, port, database and account of the connection";
}

/* The first cap - 1 bytes, as one line of printable ASCII: the encoding is not known yet. */
static void
put_line(const char *s, char *out, size_t cap)
{
	size_t n = 0;

	for (; *s != '\0' && n + 1 < cap; s++)
		out[n++] = *s >= 0x20 && *s < 0x7F ? *s : ' ';
	out[n] = '\0';
}

int
mysql_errors_connecting(unsigned number, const char *message, const struct mysql_place *place, struct err *err)
{
	char reason[200], where[96], port[24] = "";

	put_line(message, reason, sizeof(reason));
	if (number == CR_CONNECTION_ERROR) /* ends with "(115)", the number of a connection under way */
		snprintf(reason, sizeof(reason), "there is no answer");
	if (number == CR_PLUGIN_NOT_ALLOWED) /* names a part of it */
		snprintf(reason, sizeof(reason), "it wants the password, and nothing says that it is the right server");
	put_line(place->socket != NULL ? place->socket :
		place->host != NULL    ? place->host :
					 "localhost",
	    where, sizeof(where));
	if (place->socket == NULL)
		snprintf(port, sizeof(port), ", port %u", place->port == 0 ? MYSQL_PORT : place->port);
	return err_set(err, ERR_DATABASE_UNAVAILABLE, "cannot connect to the MariaDB or MySQL server at %s%s: %s; %s",
	    where, port, reason, advice_for(number, reason));
}
