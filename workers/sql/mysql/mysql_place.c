#include "workers/sql/mysql/mysql_place.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/span.h"
#include "base/system/net.h"
#include "base/text/percent.h"

#define CONNECT_MS	15000u

static const char system_certificates[] = NET_AUTHORITIES;

struct place_reading {
	struct mysql_place	*p;
	const char		*mode;	/* sslmode as written; NULL: none */
	struct err		*err;
};

static int
refuse_url(const struct place_reading *r)
{
	return err_set(r->err, ERR_DATABASE_UNAVAILABLE,
	    "the connection's url cannot be read as mysql://USER:PASSWORD@HOST:PORT/DATABASE; in user and password "
	    ": / ? # @ %% and blanks are written percent-encoded (%%3A %%2F %%3F %%23 %%40 %%25 %%20), or give host, "
	    "database, user and password as keys of their own");
}

/* Keeps a text behind the others; there is room, since every text is a part of the target.  NULL: not encoded well. */
static const char *
keep_text(struct mysql_place *p, struct span s, bool encoded)
{
	char *text = p->texts + p->ntexts;
	size_t n = 0;
	int byte;

	for (size_t at = 0; at < s.len; n++) {
		if ((byte = encoded ? percent_next(s, &at) : s.p[at++]) <= 0) {
			p->ntexts += n; /* to be wiped as well */
			return NULL;
		}
		text[n] = (char)byte;
	}
	text[n] = '\0';
	p->ntexts += n + 1;
	return text;
}

static int
read_port(const struct place_reading *r, struct span s)
{
	unsigned port = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || i == 5)
			return refuse_url(r);
		port = port * 10 + (unsigned)(s.p[i] - '0');
	}
	if (port == 0 || port > 65535)
		return refuse_url(r);
	r->p->port = port;
	return 0;
}

/* The keys of a target's lines and of a URL's query; NULL if there is none of this name. */
static const char **
place_of(struct place_reading *r, struct span key)
{
	struct mysql_place *p = r->p;
	const struct {
		const char *name, **place;
	} places[] = {
		{ "host", &p->host },
		{ "socket", &p->socket },
		{ "user", &p->user },
		{ "password", &p->password },
		{ "database", &p->database },
		{ "sslmode", &r->mode },
		{ "ssl-mode", &r->mode },
		{ "sslrootcert", &p->authorities },
		{ "ssl-ca", &p->authorities },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (span_is_str(key, places[i].name))
			return places[i].place;
	return NULL;
}

/* Cuts s at the first of a byte: returns the part before it, *rest is the part after it, empty if absent. */
static struct span
cut_at(struct span s, char at, struct span *rest)
{
	const uint8_t *found = s.len == 0 ? NULL : memchr(s.p, at, s.len);
	size_t n = found == NULL ? s.len : (size_t)(found - s.p);

	*rest = found == NULL ? SPAN_NONE : span_of(found + 1, s.len - n - 1);
	return span_of(s.p, n);
}

static int
read_query(struct place_reading *r, struct span query)
{
	while (query.len > 0) {
		struct span value, key = cut_at(cut_at(query, '&', &query), '=', &value);
		const char **place = place_of(r, key);

		if (place == NULL || place == &r->p->password)
			return err_set(r->err, ERR_DATABASE_UNAVAILABLE,
			    "the connection's url has an option that is not known; those that are: sslmode, "
			    "sslrootcert and socket");
		if ((*place = keep_text(r->p, value, true)) == NULL)
			return refuse_url(r);
	}
	return 0;
}

static int
read_account(struct place_reading *r, struct span account)
{
	struct span password, user = cut_at(account, ':', &password);

	r->p->user = user.len == 0 ? NULL : keep_text(r->p, user, true);
	if (memchr(account.p, ':', account.len) != NULL && (r->p->password = keep_text(r->p, password, true)) == NULL)
		return refuse_url(r);
	return user.len > 0 && r->p->user == NULL ? refuse_url(r) : 0;
}

/* HOST, HOST:PORT or [IPv6]:PORT. */
static int
read_host(struct place_reading *r, struct span where)
{
	struct span host, port;

	if (where.len > 0 && where.p[0] == '[') {
		host = cut_at(span_of(where.p + 1, where.len - 1), ']', &port);
		if (port.len > 0 && port.p[0] == ':')
			port = span_of(port.p + 1, port.len - 1);
	} else
		host = cut_at(where, ':', &port);
	if (host.len > 0 && (r->p->host = keep_text(r->p, host, true)) == NULL)
		return refuse_url(r);
	return port.len > 0 ? read_port(r, port) : 0;
}

static int
read_url(struct place_reading *r, struct span url)
{
	static const char *const schemes[] = { "mysql://", "mariadb://", NULL };
	struct span rest = SPAN_NONE, query, database, account, where;
	size_t at;

	for (size_t i = 0; schemes[i] != NULL; i++)
		if (span_begins(url, schemes[i]))
			rest = span_of(url.p + strlen(schemes[i]), url.len - strlen(schemes[i]));
	if (rest.p == NULL)
		return refuse_url(r);
	where = cut_at(cut_at(rest, '?', &query), '/', &database);
	for (at = where.len; at > 0 && where.p[at - 1] != '@';)
		at--;
	account = span_of(where.p, at == 0 ? 0 : at - 1);
	if (memchr(account.p, '@', account.len) != NULL ||
	    memchr(database.p == NULL ? "" : (const char *)database.p, '@', database.len) != NULL)
		return refuse_url(r); /* of a password that is not encoded */
	if (at > 0 && read_account(r, account) == -1)
		return -1;
	if (read_host(r, span_of(where.p + at, where.len - at)) == -1)
		return -1;
	if (database.len > 0 && (r->p->database = keep_text(r->p, database, true)) == NULL)
		return refuse_url(r);
	return read_query(r, query);
}

static int
read_line(struct place_reading *r, struct span line)
{
	struct span value, key = cut_at(line, '=', &value);
	const char **place;

	if (span_is_str(key, "url"))
		return read_url(r, value);
	if (span_is_str(key, "port"))
		return read_port(r, value);
	place = place_of(r, key);
	if (place == NULL)
		return err_set(r->err, ERR_INTERNAL, "a target has the key %.*s", SPAN_FMT(key));
	*place = keep_text(r->p, value, false);
	return 0;
}

/* A Unix socket, or a loopback name or address: no other machine is involved. */
static bool
is_local(const struct mysql_place *p)
{
	uint8_t address[NET_ADDRESS];

	if (p->socket != NULL || p->host == NULL || strcmp(p->host, "localhost") == 0)
		return true;
	return net_address_read(span_str(p->host), address) && net_is_loopback(address);
}

/* The words of libpq and of MySQL's own clients. */
static int
choose_tls(struct place_reading *r)
{
	static const struct {
		const char *word;
		enum mysql_tls tls;
	} modes[] = {
		{ "disable", MYSQL_TLS_DISABLE },
		{ "disabled", MYSQL_TLS_DISABLE },
		{ "allow", MYSQL_TLS_PREFER },
		{ "prefer", MYSQL_TLS_PREFER },
		{ "preferred", MYSQL_TLS_PREFER },
		{ "require", MYSQL_TLS_REQUIRE },
		{ "required", MYSQL_TLS_REQUIRE },
		{ "verify-ca", MYSQL_TLS_VERIFY_CA },
		{ "verify_ca", MYSQL_TLS_VERIFY_CA },
		{ "verify-full", MYSQL_TLS_VERIFY },
		{ "verify_identity", MYSQL_TLS_VERIFY },
	};

	r->p->tls = is_local(r->p) ? MYSQL_TLS_DISABLE : MYSQL_TLS_VERIFY;
	for (size_t i = 0; r->mode != NULL && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcasecmp(r->mode, modes[i].word) == 0) {
			r->p->tls = modes[i].tls;
			if (modes[i].tls == MYSQL_TLS_VERIFY_CA && r->p->authorities == system_certificates)
				r->p->tls = MYSQL_TLS_VERIFY; /* those sign for anyone */
			return 0;
		}
	return r->mode == NULL ?
	    0 :
	    err_set(r->err, ERR_DATABASE_UNAVAILABLE,
		"the connection's sslmode is not known; write disable, prefer, require, verify-ca or verify-full");
}

int
mysql_place_read(struct mysql_place *p, const char *target, struct err *err)
{
	struct place_reading r = { .p = p, .err = err };
	struct span rest = span_str(target), line;

	*p = (struct mysql_place){ .connect_ms = CONNECT_MS, .authorities = system_certificates,
		.texts = mem_alloc(2 * strlen(target) + 1) };
	while (span_line(&rest, &line))
		if (line.len > 0 && read_line(&r, line) == -1)
			return -1;
	if (p->host != NULL && p->host[0] == '/') {
		p->socket = p->host;
		p->host = NULL;
	}
	return choose_tls(&r);
}

bool
mysql_place_is_by_socket(const struct mysql_place *p)
{
	return p->socket != NULL || (p->port == 0 && (p->host == NULL || strcmp(p->host, "localhost") == 0));
}

/* The first two tell the server no password; the others do, or encrypt it with the server's own key. */
const char *
mysql_place_methods(const struct mysql_place *p)
{
	return p->tls >= MYSQL_TLS_VERIFY_CA || mysql_place_is_by_socket(p) ?
	    "mysql_native_password,client_ed25519,caching_sha2_password,sha256_password" :
	    "mysql_native_password,client_ed25519";
}

void
mysql_place_fini(struct mysql_place *p)
{
	if (p->texts != NULL)
		explicit_bzero(p->texts, p->ntexts);
	free(p->texts);
	*p = (struct mysql_place){ 0 };
}
