#include <errno.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/net.h"
#include "cli/doctor/cmd_doctor.h"
#include "cli/doctor/doctor_url.h"

#define WAIT_S		5	/* for a connection, and then for all that is said on it */
#define EXPIRES_SOON	14	/* days */
#define NETWORK_WIDE	16	/* bits of an IPv4 network that more than one site can be in */
#define NETWORK_WIDE_6	32

struct url_place {
	const char	*host, *port;
	bool		 tls;
};

/* A public_url has been checked: scheme, host, maybe a port. */
static struct url_place
place_of(struct cli *cli, const char *url)
{
	struct url_place p = { .tls = strncmp(url, "https:", 6) == 0 };
	const char *at = strstr(url, "://") + 3, *end, *colon;
	size_t len = strcspn(at, "/");

	if (*at == '[' && (end = memchr(at, ']', len)) != NULL) {
		p.host = arena_printf(cli->arena, "%.*s", (int)(end - at - 1), at + 1);
		colon = end[1] == ':' ? end + 1 : NULL;
	} else {
		colon = memchr(at, ':', len);
		p.host = arena_printf(cli->arena, "%.*s", (int)(colon != NULL ? (size_t)(colon - at) : len), at);
	}
	p.port = colon == NULL ? (p.tls ? "443" : "80") :
				 arena_printf(cli->arena, "%.*s", (int)(len - (size_t)(colon + 1 - at)), colon + 1);
	return p;
}

/* One connection and its deadline. */
struct talk {
	int		 fd;
	SSL		*ssl;	/* NULL: without TLS */
	uint64_t	 until_ns;
};

/* Wait until the socket can be read or written. */
static bool
wait_for(const struct talk *t, short events)
{
	struct pollfd p = { .fd = t->fd, .events = events };
	uint64_t now = clock_ns();

	return now < t->until_ns && poll(&p, 1, (int)((t->until_ns - now) / CLOCK_MS) + 1) > 0;
}

/* Connect to one of the addresses; -1 with errno of the last. */
static int
connect_to(const struct addrinfo *list)
{
	int fd = -1, why = ECONNREFUSED;

	for (const struct addrinfo *a = list; a != NULL; a = a->ai_next) {
		socklen_t len = sizeof(why);

		if ((fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0) {
			why = errno;
			continue;
		}
		if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
			return fd;
		if ((why = errno) == EINPROGRESS) {
			const struct talk t = { .fd = fd, .until_ns = clock_ns() + WAIT_S * CLOCK_SECOND };

			why = ETIMEDOUT;
			if (wait_for(&t, POLLOUT))
				getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len);
		}
		if (why == 0)
			return fd;
		close(fd);
	}
	errno = why;
	return -1;
}

/* Retry an operation on a socket that does not block; true when it went through. */
static bool
tls_again(const struct talk *t, int r)
{
	int why = SSL_get_error(t->ssl, r);

	return (why == SSL_ERROR_WANT_READ && wait_for(t, POLLIN)) ||
	    (why == SSL_ERROR_WANT_WRITE && wait_for(t, POLLOUT));
}

static bool
tls_shake(const struct talk *t)
{
	int r;

	while ((r = SSL_connect(t->ssl)) != 1)
		if (!tls_again(t, r))
			return false;
	return true;
}

/* Days until then; negative in the past. */
static int
days_until(const ASN1_TIME *t)
{
	time_t now = (time_t)(clock_unix_ms() / 1000);
	ASN1_TIME *today = ASN1_TIME_set(NULL, now);
	int days = 0, seconds = 0;

	if (today != NULL)
		ASN1_TIME_diff(&days, &seconds, today, t);
	ASN1_TIME_free(today);
	return seconds < 0 ? days - 1 : days;
}

static bool
is_for(X509 *cert, const char *host)
{
	return X509_check_host(cert, host, 0, 0, NULL) == 1 || X509_check_ip_asc(cert, host, 0) == 1;
}

static void
check_certificate(struct cli *cli, SSL *ssl, const struct url_place *p, struct findings *f)
{
	static const char renew[] = "renew it (Caddy does by itself; `certbot renew`) and reload the proxy";
	X509 *cert = SSL_get1_peer_certificate(ssl);
	int left, since;

	if (cert == NULL)
		return;
	left = days_until(X509_get0_notAfter(cert));
	since = days_until(X509_get0_notBefore(cert));
	if (left < 0)
		doctor_add(f, "certificate", BAD,
		    arena_printf(cli->arena, "that of %s expired %d days ago", p->host, -left - 1), renew);
	else if (since > 0)
		doctor_add(f, "certificate", BAD,
		    arena_printf(cli->arena, "that of %s is valid only in %d days", p->host, since),
		    "one of the clocks is wrong, or the wrong certificate is in place");
	else if (!is_for(cert, p->host))
		doctor_add(f, "certificate", BAD,
		    arena_printf(cli->arena, "what answers at %s has one for another name", p->host),
		    "get one for the host of server.public_url, or correct the proxy's server name");
	else if (left < EXPIRES_SOON)
		doctor_add(f, "certificate", REMARK,
		    arena_printf(cli->arena, "that of %s expires in %d days", p->host, left), renew);
	else if (SSL_get_verify_result(ssl) != X509_V_OK)
		doctor_add(f, "certificate", REMARK,
		    arena_printf(cli->arena, "this machine does not trust it: %s",
			X509_verify_cert_error_string(SSL_get_verify_result(ssl))),
		    "clients must know who issued it: send the whole chain, or install your own authority with "
		    "update-ca-certificates and at the clients");
	else
		doctor_add(f, "certificate", GOOD, arena_printf(cli->arena, "for %s, %d days left", p->host, left), "");
	X509_free(cert);
}

/* The beginning of what GET /health is answered with. */
static void
read_health(const struct talk *t, const struct url_place *p, char *out, size_t size)
{
	char request[512];
	int n = snprintf(request, sizeof(request), "GET /health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
	    p->host);
	size_t len = 0;

	out[0] = '\0';
	if (n < 0 || (size_t)n >= sizeof(request) ||
	    (t->ssl != NULL ? SSL_write(t->ssl, request, n) : (int)send(t->fd, request, (size_t)n, MSG_NOSIGNAL)) != n)
		return;
	while (len < size - 1) {
		int r = t->ssl != NULL  ? SSL_read(t->ssl, out + len, (int)(size - 1 - len)) :
		    wait_for(t, POLLIN) ? (int)recv(t->fd, out + len, size - 1 - len, 0) :
					  -1;

		if (r > 0)
			len += (size_t)r;
		else if (t->ssl == NULL || !tls_again(t, r))
			break;
		out[len] = '\0';
	}
}

static void
check_answer(struct cli *cli, const struct config *cfg, const struct daemon *d, const char *answer,
    struct findings *f)
{
	unsigned status = 0;

	if (sscanf(answer, "HTTP/1.%*c %u", &status) != 1)
		doctor_add(f, "public URL", BAD, arena_printf(cli->arena, "%s does not speak HTTP", cfg->public_url),
		    "the proxy's port or protocol is another; compare with the examples in packaging/");
	else if (status == 200 && strstr(answer, "\"status\":") != NULL)
		doctor_add(f, "public URL", GOOD,
		    arena_printf(cli->arena, "%s leads to a Carrel server", cfg->public_url), "");
	else if (status == 403)
		doctor_add(f, "public URL", BAD, "the proxy does not pass on the Host that it is asked for",
		    "nginx: `proxy_set_header Host $host;`, or name what it sends in server.allowed_hosts");
	else if (d->state == DAEMON_RUNNING)
		doctor_add(f, "public URL", BAD,
		    arena_printf(cli->arena, "GET %s/health is answered with %u", cfg->public_url, status),
		    status == 502 || status == 504 ?
			"the proxy does not reach the daemon: compare its upstream with server.port or "
			"server.listen, and its right to open the socket" :
			"another service has this name: correct the proxy or server.public_url");
	else
		doctor_add(f, "public URL", REMARK,
		    arena_printf(cli->arena, "answered with %u while the daemon does not run", status),
		    "`carrel mcp start`");
}

static void
check_tls(struct cli *cli, const struct config *cfg, const struct daemon *d, const struct url_place *p, struct talk *t,
    struct findings *f)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	char answer[4096];

	if (context != NULL && (t->ssl = SSL_new(context)) != NULL) {
		/* Certificate faults are reported, not fatal. */
		SSL_CTX_set_default_verify_paths(context);
		SSL_set_verify(t->ssl, SSL_VERIFY_NONE, NULL);
		SSL_set_tlsext_host_name(t->ssl, p->host);
		SSL_set_fd(t->ssl, t->fd);
		if (!tls_shake(t))
			doctor_add(f, "certificate", BAD,
			    arena_printf(cli->arena, "%s port %s speaks no TLS", p->host, p->port),
			    "server.public_url says https: let the proxy serve TLS there, or correct the URL");
		else {
			check_certificate(cli, t->ssl, p, f);
			read_health(t, p, answer, sizeof(answer));
			check_answer(cli, cfg, d, answer, f);
		}
	}
	ERR_clear_error();
	SSL_free(t->ssl);
	SSL_CTX_free(context);
}

static void
check_public(struct cli *cli, const struct config *cfg, const struct daemon *d, struct findings *f)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct url_place p = place_of(cli, cfg->public_url);
	struct addrinfo *list = NULL;
	struct talk t = { 0 };
	char answer[4096];
	int r = getaddrinfo(p.host, p.port, &hints, &list);

	if (r != 0) {
		doctor_add(f, "public URL", BAD,
		    arena_printf(cli->arena, "%s has no address: %s", p.host, gai_strerror(r)),
		    "add it to the DNS, or correct server.public_url; on this machine alone, /etc/hosts");
		return;
	}
	t.fd = connect_to(list);
	freeaddrinfo(list);
	if (t.fd < 0) {
		doctor_add(f, "public URL", BAD,
		    arena_printf(cli->arena, "%s port %s: %s", p.host, p.port, strerror(errno)),
		    "start the reverse proxy, open the port in the firewall, or correct server.public_url");
		return;
	}
	t.until_ns = clock_ns() + WAIT_S * CLOCK_SECOND;
	if (p.tls)
		check_tls(cli, cfg, d, &p, &t, f);
	else {
		read_health(&t, &p, answer, sizeof(answer));
		check_answer(cli, cfg, d, answer, f);
	}
	close(t.fd);
}

/* Warns about wide trusted networks: everybody in them may claim to be any user. */
static void
check_proxy(struct cli *cli, const struct config *cfg, const char *proxy, struct findings *f)
{
	struct network n;
	unsigned bits, wide;
	bool four;

	if (!network_read(span_str(proxy), &n))
		return;
	four = n.bits >= 96 && net_is_ipv4(n.address);
	bits = four ? n.bits - 96 : n.bits;
	wide = four ? NETWORK_WIDE : NETWORK_WIDE_6;
	if (bits < wide)
		doctor_add(f, "proxies", bits < 8 || cfg->proxy_header != NULL ? BAD : REMARK,
		    arena_printf(cli->arena, "server.trusted_proxies trusts every address in %s", proxy),
		    cfg->proxy_header != NULL ? "any client there can name any user with auth.proxy_header: "
						"list the proxies' own addresses" :
						"any client there can pretend to be any address, past "
						"limits and blocks: list the proxies' "
						"own addresses");
}

static void
check_proxies(struct cli *cli, const struct config *cfg, struct findings *f)
{
	size_t before = f->n;

	for (size_t i = 0; i < cfg->trusted_proxies.n; i++)
		check_proxy(cli, cfg, cfg->trusted_proxies.v[i], f);
	if (config_trusts_loopback(cfg) && cfg->proxy_users.n == 0 && cfg->listen == NULL)
		doctor_add(f, "proxies", REMARK,
		    "a proxy on this machine is trusted only as root or as the daemon's own account",
		    "name the account that it runs as, as in server.proxy_users: [www-data], or let it use a Unix "
		    "socket: "
		    "server.listen");
	if (cfg->public_url != NULL && strncmp(cfg->public_url, "https:", 6) == 0 && cfg->listen == NULL &&
	    cfg->trusted_proxies.n == 0)
		doctor_add(f, "proxies", REMARK,
		    "server.public_url is https, and no proxy is trusted to say who its clients are",
		    "all of them count as one address, and one that guesses tokens blocks all: server.listen, or "
		    "server.trusted_proxies: [127.0.0.1] and server.proxy_users");
	if (f->n == before && cfg->trusted_proxies.n > 0)
		doctor_add(f, "proxies", GOOD, "only few addresses are trusted", "");
}

void
doctor_url(struct cli *cli, const struct config *cfg, const struct daemon *d, struct findings *f)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);

	check_proxies(cli, cfg, f);
	if (cfg->public_url != NULL)
		check_public(cli, cfg, d, f);
	signal(SIGPIPE, before);
}
