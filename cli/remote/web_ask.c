#include "cli/remote/web_ask.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/mem.h"
#include "base/text/web_url.h"

#define WAIT_S	15	/* for a connection, and for each read and write */

struct web_line {
	int	 fd;
	SSL_CTX	*context;
	SSL	*ssl;	/* NULL: without TLS */
};

static void
web_line_close(struct web_line *l)
{
	SSL_free(l->ssl);
	SSL_CTX_free(l->context);
	ERR_clear_error();
	if (l->fd >= 0)
		close(l->fd);
}

static int
web_connect(const char *host, unsigned port, struct web_line *l, struct err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const struct timeval wait = { .tv_sec = WAIT_S };
	struct addrinfo *list = NULL;
	char service[16];
	int r, why = ECONNREFUSED;

	snprintf(service, sizeof(service), "%u", port);
	if ((r = getaddrinfo(host, service, &hints, &list)) != 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s has no address: %s", host, gai_strerror(r));
	for (const struct addrinfo *a = list; a != NULL && l->fd < 0; a = a->ai_next) {
		if ((l->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
			continue;
		setsockopt(l->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
		setsockopt(l->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
		if (connect(l->fd, a->ai_addr, a->ai_addrlen) == 0)
			break;
		why = errno;
		close(l->fd);
		l->fd = -1;
	}
	freeaddrinfo(list);
	return l->fd >= 0 ? 0 : err_set(err, ERR_SERVICE_UNAVAILABLE, "%s port %u: %s", host, port, strerror(why));
}

static int
web_shake(const char *host, struct web_line *l, struct err *err)
{
	long verified;

	l->context = SSL_CTX_new(TLS_client_method());
	if (l->context == NULL || SSL_CTX_set_default_verify_paths(l->context) != 1 ||
	    (l->ssl = SSL_new(l->context)) == NULL || SSL_set1_host(l->ssl, host) != 1 ||
	    SSL_set_tlsext_host_name(l->ssl, host) != 1 || SSL_set_fd(l->ssl, l->fd) != 1)
		return err_set(err, ERR_INTERNAL, "TLS cannot be begun");
	SSL_set_verify(l->ssl, SSL_VERIFY_PEER, NULL);
	if (SSL_connect(l->ssl) == 1)
		return 0;
	verified = SSL_get_verify_result(l->ssl);
	return verified != X509_V_OK ?
	    err_set(err, ERR_SERVICE_UNAVAILABLE, "the certificate of %s is not good here: %s", host,
		X509_verify_cert_error_string(verified)) :
	    err_set(err, ERR_SERVICE_UNAVAILABLE, "%s speaks no TLS there, or ended it", host);
}

static bool
web_write(struct web_line *l, struct span bytes)
{
	while (bytes.len > 0) {
		int n = l->ssl != NULL ? SSL_write(l->ssl, bytes.p, (int)bytes.len) :
					 (int)send(l->fd, bytes.p, bytes.len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		bytes = span_of(bytes.p + n, bytes.len - (size_t)n);
	}
	return true;
}

/* All until the server ends it. */
static bool
web_read(struct web_line *l, struct buf *out)
{
	uint8_t chunk[8192];
	int n;

	do {
		n = l->ssl != NULL ? SSL_read(l->ssl, chunk, sizeof(chunk)) : (int)recv(l->fd, chunk, sizeof(chunk), 0);
		if (n > 0)
			buf_append(out, chunk, (size_t)n);
	} while (n > 0 && !out->full);
	return !out->full && (n == 0 || (l->ssl != NULL && SSL_get_error(l->ssl, n) == SSL_ERROR_ZERO_RETURN));
}

/* The size that begins a chunk: at most seven digits, and an extension that is not looked at. */
static bool
read_chunk_size(struct span line, size_t *n)
{
	size_t i = 0;

	for (*n = 0; i < line.len && i < 7 && isxdigit(line.p[i]) != 0; i++)
		*n = *n << 4 | (size_t)(ascii_hex(line.p[i]) & 15);
	return i > 0 && (i == line.len || line.p[i] == ';' || line.p[i] == ' ');
}

/* Decode a body in chunks (RFC 9112 7.1).  False: it is malformed. */
static bool
web_dechunk(struct span in, struct buf *out)
{
	for (;;) {
		size_t n;
		const uint8_t *line = memmem(in.p, in.len, "\r\n", 2);

		if (line == NULL || !read_chunk_size(span_of(in.p, (size_t)(line - in.p)), &n))
			return false;
		in = span_of(line + 2, in.len - (size_t)(line + 2 - in.p));
		if (n == 0)
			return true;
		if (in.len < n + 2)
			return false;
		buf_append(out, in.p, n);
		in = span_of(in.p + n + 2, in.len - n - 2);
	}
}

static int
web_answer_take(const char *host, struct buf *raw, struct web_answer *answer, struct err *err)
{
	const char *text = buf_cstr(raw), *head = strstr(text, "\r\n\r\n");
	struct buf whole = { 0 };
	struct span body;
	size_t at;

	if (head == NULL || sscanf(text, "HTTP/1.%*c %u", &answer->status) != 1)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s does not speak HTTP there", host);
	body = span_of((const uint8_t *)head + 4, raw->len - (size_t)(head + 4 - text));
	for (const char *line = text; line < head; line = strstr(line, "\r\n") + 2)
		if (strncasecmp(line, "transfer-encoding: chunked", 26) == 0) {
			body = web_dechunk(body, &whole) ? buf_view(&whole) : SPAN_NONE;
			break; /* once, however often it is said */
		}
	answer->body = (struct mp_value){ .class = MP_NIL };
	if (json_read(body, &answer->storage, &at) != JSON_OK || !mp_value(buf_view(&answer->storage), &answer->body) ||
	    answer->body.class != MP_MAP)
		answer->body = (struct mp_value){ .class = MP_NIL };
	buf_wipe(&whole);
	return 0;
}

int
web_ask(const char *url, const char *type, struct span body, struct web_answer *answer, struct err *err)
{
	struct web_line l = { .fd = -1 };
	struct web_url at;
	struct buf request = { 0 }, raw = BUF_MAX(WEB_ASK_MAX);
	const char *path;
	char *host;
	int result;

	*answer = (struct web_answer){ .status = 0 };
	if (!web_url_read(span_str(url), &at))
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s is no URL that is asked: https, or http to this machine",
		    url);
	host = mem_text(at.host);
	path = strchr(strstr(url, "://") + 3, '/');
	buf_printf(&request, "%s %s HTTP/1.1\r\nHost: %s", body.p != NULL ? "POST" : "GET", path != NULL ? path : "/",
	    host);
	if (at.port != (at.tls ? 443 : 80))
		buf_printf(&request, ":%u", at.port);
	buf_str(&request, "\r\nAccept: application/json\r\nConnection: close\r\nUser-Agent: carrel\r\n");
	if (body.p != NULL)
		buf_printf(&request, "Content-Type: %s\r\nContent-Length: %zu\r\n", type, body.len);
	buf_str(&request, "\r\n");
	buf_span(&request, body);
	if ((result = web_connect(host, at.port, &l, err)) == 0 && at.tls)
		result = web_shake(host, &l, err);
	if (result == 0 && (!web_write(&l, buf_view(&request)) || !web_read(&l, &raw)))
		result = err_set(err, ERR_SERVICE_UNAVAILABLE, "%s did not answer, or too much", host);
	if (result == 0)
		result = web_answer_take(host, &raw, answer, err);
	web_line_close(&l);
	buf_wipe(&request);
	buf_wipe(&raw);
	free(host);
	return result;
}

void
web_answer_fini(struct web_answer *answer)
{
	buf_wipe(&answer->storage);
}
