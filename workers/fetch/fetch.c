/* fetch.c - see fetch.h: name resolution, the connection, and the options of libcurl. */
#include "workers/fetch/document_check.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/mp.h"
#include "base/system/clock.h"
#include "base/mem.h"
#include "policy/client_document.h"
#include "project/paths.h"

#define AUTHORITIES_MAX	((size_t)4 << 20)
#define HEADERS_MAX	16384u	/* bytes of an answer's headers */
#define ERROR_MAX	64	/* characters of an error code */

void
fetch_init(struct fetch *f, struct span url, const struct web_url *at, const struct fetch_terms *terms)
{
	*f = (struct fetch){ .terms = *terms, .url = mem_text(url), .host = mem_text(at->host), .tls = at->tls,
		.port = at->port, .fd = -1 };
	f->until_ns = clock_ns() + CLIENT_DOCUMENT_MS * CLOCK_MS;
}

void
fetch_fini(struct fetch *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	free(f->url);
	free(f->host);
	free(f->own);
	buf_fini(&f->authorities);
	buf_wipe(&f->form);
	buf_wipe(&f->authorization);
}

static int
left_ms(const struct fetch *f)
{
	uint64_t now = clock_ns();

	return now >= f->until_ns ? 0 : (int)((f->until_ns - now) / CLOCK_MS) + 1;
}

/* Whether the address belongs to an interface of this machine. */
static bool
is_own(const uint8_t address[NET_ADDRESS])
{
	struct ifaddrs *all, *each;
	uint8_t own[NET_ADDRESS];
	bool found = false;

	if (getifaddrs(&all) != 0)
		return true; /* unknown: assume it does */
	for (each = all; each != NULL && !found; each = each->ifa_next)
		found = each->ifa_addr != NULL && net_address_of(each->ifa_addr, own) &&
		    memcmp(own, address, NET_ADDRESS) == 0;
	freeifaddrs(all);
	return found;
}

const struct addrinfo *
fetch_choose(const struct fetch *f, const struct addrinfo *all, struct err *err)
{
	uint8_t address[NET_ADDRESS];
	char text[NET_TEXT_MAX];

	for (const struct addrinfo *a = all; a != NULL; a = a->ai_next) {
		if (!net_address_of(a->ai_addr, address)) {
			err_set(err, ERR_INVALID_ARGUMENTS, "%s has an address of a kind that is not connected to",
			    f->host);
			return NULL;
		}
		if (!f->terms.may(address) || (f->terms.not_own && is_own(address))) {
			net_address_write(address, text);
			err_set(err, ERR_INVALID_ARGUMENTS,
			    "%s has the address %s, which is private, special or this machine's own", f->host, text);
			return NULL;
		}
	}
	if (all == NULL)
		err_set(err, ERR_INVALID_ARGUMENTS, "%s has no address", f->host);
	return all;
}

/* Connect to this address; the descriptor, or -1. */
static int
dial(const struct fetch *f, const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(error);

	if (fd < 0)
		return -1;
	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return fd;
	if (errno == EINPROGRESS && poll(&p, 1, left_ms(f)) == 1 &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0)
		return fd;
	close(fd);
	return -1;
}

int
fetch_connect(struct fetch *f, struct err *err)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV };
	struct addrinfo *all = NULL;
	char port[8];
	int e;

	snprintf(port, sizeof(port), "%u", f->terms.port);
	if ((e = getaddrinfo(f->terms.instead != NULL ? f->terms.instead : f->host, port, &wanted, &all)) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the name %s cannot be looked up: %s", f->host,
		    gai_strerror(e));
	if (fetch_choose(f, all, err) == NULL) {
		freeaddrinfo(all);
		return -1;
	}
	for (const struct addrinfo *a = all; a != NULL && f->fd < 0 && left_ms(f) > 0; a = a->ai_next)
		f->fd = dial(f, a);
	freeaddrinfo(all);
	return f->fd >= 0 ? 0 : err_set(err, ERR_INVALID_ARGUMENTS, "%s does not answer", f->host);
}

int
fetch_prepare(struct fetch *f, struct err *err)
{
	if (paths_read(AT_FDCWD, f->terms.authorities, PATHS_ANY, AUTHORITIES_MAX, &f->authorities, NULL) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "there are no certificates of authorities at %s",
		    f->terms.authorities);
	return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ?
	    0 :
	    err_set(err, ERR_INTERNAL, "libcurl cannot be started");
}

struct transfer {
	struct fetch	*f;
	struct buf	*body, control;		/* control: the value of Cache-Control */
	uint64_t	 age_s;
	size_t		 headers;
	bool		 too_long, taken;	/* taken: libcurl has the connection */
};

static curl_socket_t
give_connection(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct transfer *t = arg;

	(void)address;
	if (purpose != CURLSOCKTYPE_IPCXN || t->taken)
		return CURL_SOCKET_BAD;
	t->taken = true;
	return t->f->fd;
}

static int
say_connected(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	(void)arg, (void)fd, (void)purpose;
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/* fetch_fini() closes the connection. */
static int
leave_open(void *arg, curl_socket_t fd)
{
	(void)arg, (void)fd;
	return 0;
}

static size_t
take_body(char *bytes, size_t one, size_t n, void *arg)
{
	struct transfer *t = arg;

	t->too_long |= n * one > CLIENT_DOCUMENT_BYTES - t->body->len;
	if (t->too_long)
		return 0;
	buf_append(t->body, bytes, n * one);
	return n * one;
}

static struct span
field_of(struct span line, const char *name)
{
	size_t n = strlen(name);

	if (line.len <= n || !span_is_folded(span_of(line.p, n), span_str(name)) || line.p[n] != ':')
		return SPAN_NONE;
	line = span_of(line.p + n + 1, line.len - n - 1);
	while (line.len > 0 && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = span_of(line.p + 1, line.len - 1);
	while (line.len > 0 && line.p[line.len - 1] <= ' ')
		line.len--;
	return line;
}

static size_t
take_header(char *bytes, size_t one, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct span line = span_of(bytes, n * one), v;

	if ((t->headers += n * one) > HEADERS_MAX) {
		t->too_long = true;
		return 0;
	}
	if ((v = field_of(line, "cache-control")).p != NULL) {
		if (t->control.len > 0)
			buf_byte(&t->control, ',');
		buf_span(&t->control, v);
	} else if ((v = field_of(line, "age")).p != NULL)
		for (size_t i = 0; i < v.len && v.p[i] >= '0' && v.p[i] <= '9' && t->age_s < UINT32_MAX; i++)
			t->age_s = t->age_s * 10 + (uint64_t)(v.p[i] - '0');
	return n * one;
}

#define SET(name, value)	(r = r != CURLE_OK ? r : curl_easy_setopt(c, CURLOPT_##name, value))

/* One scheme, HTTP/1.1, no redirect, no proxy, no cookie, no file, no other connection than ours. */
static CURLcode
set_options(CURL *c, struct transfer *t, struct curl_slist *names, struct curl_slist *fields,
    char error[CURL_ERROR_SIZE])
{
	struct curl_blob authorities = { .data = t->f->authorities.p, .len = t->f->authorities.len,
		.flags = CURL_BLOB_NOCOPY };
	CURLcode r = CURLE_OK;

	SET(URL, t->f->url);
	SET(ERRORBUFFER, error);
	SET(PROTOCOLS_STR, t->f->tls ? "https" : "http");
	SET(FOLLOWLOCATION, 0L);
	SET(PROXY, "");
	SET(NETRC, (long)CURL_NETRC_IGNORED);
	SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(HTTPHEADER, fields);
	SET(USERAGENT, "carrel/" CARREL_VERSION);
	SET(NOSIGNAL, 1L);
	SET(TIMEOUT_MS, (long)left_ms(t->f));
	SET(RESOLVE, names);
	SET(OPENSOCKETFUNCTION, give_connection);
	SET(OPENSOCKETDATA, t);
	SET(SOCKOPTFUNCTION, say_connected);
	SET(CLOSESOCKETFUNCTION, leave_open);
	SET(TCP_KEEPALIVE, 0L);
	SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(SSL_VERIFYPEER, 1L);
	SET(SSL_VERIFYHOST, 2L);
	SET(CAINFO, NULL);
	SET(CAPATH, NULL);
	SET(CAINFO_BLOB, &authorities);
	SET(WRITEFUNCTION, take_body);
	SET(WRITEDATA, t);
	SET(HEADERFUNCTION, take_header);
	SET(HEADERDATA, t);
	if (t->f->form.len > 0) {
		SET(POSTFIELDSIZE, (long)t->f->form.len);
		SET(POSTFIELDS, (const char *)t->f->form.p);
	}
	return r;
}

static bool
is_json(const char *type)
{
	size_t n = type == NULL ? 0 : strcspn(type, "; \t");

	return type != NULL &&
	    (span_is_folded(span_of(type, n), SPAN("application/json")) ||
		(n > 17 && span_is_folded(span_of(type, 12), SPAN("application/")) &&
		    span_is_folded(span_of(type + n - 5, 5), SPAN("+json"))));
}

/* The OAuth error code of an answer (RFC 6749 5.2); empty: it has none that can be shown. */
static void
read_error(struct span body, char out[ERROR_MAX + 1])
{
	struct buf map = { 0 };
	struct mp_value v;
	struct span error = SPAN("");
	size_t at;

	if (json_read(body, &map, &at) == JSON_OK && mp_value(buf_view(&map), &v))
		error = mp_get_str(&v, "error", error);
	for (size_t i = 0; i < error.len; i++)
		if (!ascii_is_alnum(error.p[i]) && error.p[i] != '_')
			error.len = 0;
	snprintf(out, ERROR_MAX + 1, "%.*s", SPAN_FMT(error));
	buf_fini(&map);
}

static int
judge_answer(CURL *c, CURLcode r, const struct transfer *t, const char *error, struct err *err)
{
	char *type = NULL, said[ERROR_MAX + 1];
	long status = 0;

	if (t->too_long)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the document at %s is longer than %u bytes", t->f->host,
		    CLIENT_DOCUMENT_BYTES);
	if (r != CURLE_OK)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s: %.200s", t->f->host,
		    error[0] != '\0' ? error : curl_easy_strerror(r));
	(void)curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	(void)curl_easy_getinfo(c, CURLINFO_CONTENT_TYPE, &type);
	if (status >= 300 && status < 400)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s redirects elsewhere, which is not followed", t->f->host);
	if (status == 404 || status == 410)
		return err_set(err, ERR_PAGE_NOT_FOUND, "%s answers with the status %ld", t->f->host, status);
	if (status != 200) {
		read_error(buf_view(t->body), said);
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s answers with the status %ld%s%s", t->f->host, status,
		    said[0] != '\0' ? ": " : "", said);
	}
	if (!is_json(type))
		return err_set(err, ERR_PAGE_NOT_FOUND, "what %s answers is no application/json", t->f->host);
	return 0;
}

int
fetch_run(struct fetch *f, struct fetched *out, struct err *err)
{
	struct transfer t = { .f = f, .body = &out->body };
	struct buf line = { 0 };
	struct curl_slist *names, *fields;
	char error[CURL_ERROR_SIZE] = "";
	CURL *c = curl_easy_init();
	CURLcode r;
	int result;

	if (c == NULL)
		return err_set(err, ERR_INTERNAL, "libcurl cannot be started");
	/* A placeholder address: the connection exists, no name is resolved. */
	buf_printf(&line, "%s:%u:192.0.2.1", f->host, f->port);
	names = curl_slist_append(NULL, buf_cstr(&line));
	fields = curl_slist_append(NULL, "Accept: application/json");
	if (f->authorization.len > 0)
		fields = curl_slist_append(fields, buf_cstr(&f->authorization));
	r = set_options(c, &t, names, fields, error);
	if (r == CURLE_OK)
		r = curl_easy_perform(c);
	result = judge_answer(c, r, &t, error, err);
	out->keep_s = document_keep(buf_view(&t.control), t.age_s);
	curl_easy_cleanup(c);
	curl_slist_free_all(names);
	curl_slist_free_all(fields);
	buf_fini(&line);
	buf_fini(&t.control);
	return result;
}
