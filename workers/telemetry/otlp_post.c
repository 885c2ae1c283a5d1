#include "workers/telemetry/otlp_post.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/io.h"
#include "base/system/net.h"
#include "workers/shared/serve.h"

#define AUTHORITIES_MAX	((size_t)16 << 20)
#define RETRY_MAX_S	300u

static curl_socket_t
hand_over(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct otlp_post *p = arg;
	int fd = purpose == CURLSOCKTYPE_IPCXN ? p->fd : -1;

	(void)address;
	p->fd = fd >= 0 ? -1 : p->fd;
	return fd >= 0 ? fd : CURL_SOCKET_BAD;
}

static int
is_connected(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	(void)arg, (void)purpose;
	return fd < 0 ? CURL_SOCKOPT_ERROR : CURL_SOCKOPT_ALREADY_CONNECTED;
}

/* Its status says all: its body is not kept, however long it is. */
static size_t
hear_answer(char *bytes, size_t size, size_t n, void *arg)
{
	(void)bytes, (void)arg;
	return size * n;
}

static size_t
hear_header(char *bytes, size_t size, size_t n, void *arg)
{
	static const char name[] = "retry-after:";
	struct otlp_post *p = arg;
	unsigned s = 0;

	if (size * n <= sizeof(name) || strncasecmp(bytes, name, sizeof(name) - 1) != 0)
		return size * n;
	for (size_t i = sizeof(name) - 1; i < size * n && s <= RETRY_MAX_S; i++)
		if (bytes[i] >= '0' && bytes[i] <= '9')
			s = s * 10 + (unsigned)(bytes[i] - '0');
	p->retry_ms = (s < RETRY_MAX_S ? s : RETRY_MAX_S) * UINT64_C(1000);
	return size * n;
}

static CURL *
make_request(struct otlp_post *p)
{
	struct curl_blob blob = { p->certificates.p, p->certificates.len, CURL_BLOB_NOCOPY };
	char *url = mem_printf("%s%s", buf_cstr(&p->url), p->path);
	CURL *e = curl_easy_init();

	if (e != NULL) {
		curl_easy_setopt(e, CURLOPT_URL, url);
		curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
		curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
		curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
		curl_easy_setopt(e, CURLOPT_PROXY, "");
		curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
		curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L);
		curl_easy_setopt(e, CURLOPT_USERAGENT, "carrel/" CARREL_VERSION);
		curl_easy_setopt(e, CURLOPT_RESOLVE, p->names);
		curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, hand_over);
		curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, p);
		curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, is_connected);
		curl_easy_setopt(e, CURLOPT_HTTPHEADER, p->headers);
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->body.len);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, p->body.p);
		curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, hear_answer);
		curl_easy_setopt(e, CURLOPT_ERRORBUFFER, p->trouble);
		curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, hear_header);
		curl_easy_setopt(e, CURLOPT_HEADERDATA, p);
		if (blob.len > 0)
			curl_easy_setopt(e, CURLOPT_CAINFO_BLOB, &blob);
		curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
	}
	free(url);
	return e;
}

static void
add_header(struct otlp_post *p, const char *line)
{
	struct curl_slist *more = curl_slist_append(p->headers, line);

	p->headers = more != NULL ? more : p->headers;
}

/* "name=value,name=value"; a pair that is no header is left out. */
static void
add_headers(struct otlp_post *p, struct span pairs)
{
	while (pairs.len > 0) {
		const uint8_t *comma = memchr(pairs.p, ',', pairs.len);
		struct span pair = span_of(pairs.p, comma == NULL ? pairs.len : (size_t)(comma - pairs.p));
		const uint8_t *equals = pair.len == 0 ? NULL : memchr(pair.p, '=', pair.len);
		struct buf line = { 0 };

		pairs = span_of(pair.p + pair.len, pairs.len - pair.len);
		if (pairs.len > 0)
			pairs = span_of(pairs.p + 1, pairs.len - 1);
		if (equals != NULL && equals != pair.p && memchr(pair.p, '\r', pair.len) == NULL &&
		    memchr(pair.p, '\n', pair.len) == NULL) {
			buf_span(&line, span_trim(span_of(pair.p, (size_t)(equals - pair.p))));
			buf_str(&line, ": ");
			buf_span(&line, span_trim(span_of(equals + 1, (size_t)(pair.p + pair.len - equals - 1))));
			add_header(p, buf_cstr(&line));
		}
		buf_wipe(&line);
	}
}

static void
end_request(struct otlp_post *p)
{
	if (p->easy != NULL) {
		curl_multi_remove_handle(p->multi, p->easy);
		curl_easy_cleanup(p->easy);
	}
	p->easy = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->working = false;
}

/* A request over a closed connection: libraries read their files now. */
static void
warm_up(struct otlp_post *p)
{
	int ends[2], running = 1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	close(ends[1]);
	p->fd = ends[0];
	p->body = SPAN("{}");
	if ((p->easy = make_request(p)) != NULL && curl_multi_add_handle(p->multi, p->easy) == CURLM_OK)
		for (int i = 0; i < 100 && running > 0 && curl_multi_perform(p->multi, &running) == CURLM_OK; i++)
			;
	end_request(p);
}

/* Without certificates no receiver is believed. */
static int
read_authorities(struct otlp_post *p, struct span path, struct err *err)
{
	char *text = mem_text(path);
	int fd = open(text, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		io_read(fd, 0, AUTHORITIES_MAX, &p->certificates);
		close(fd);
	}
	if (p->certificates.len == 0)
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "no certificates can be read from %s: correct telemetry.sslrootcert, or install ca-certificates",
		    text);
	free(text);
	return p->certificates.len > 0 ? 0 : -1;
}

int
otlp_post_open(struct otlp_post *p, const struct ipc_configure_telemetry *m, struct err *err)
{
	*p = (struct otlp_post){ .fd = -1, .path = "/v1/traces" };
	buf_span(&p->url, m->url);
	while (p->url.len > 0 && p->url.p[p->url.len - 1] == '/')
		p->url.len--;
	/* A placeholder: names are not resolved here, and the connection is handed over. */
	if (m->host.len > 0 && m->host.p[0] != '[') {
		buf_printf(&p->resolve, "%.*s:127.0.0.1", SPAN_FMT(m->host));
		p->names = curl_slist_append(NULL, buf_cstr(&p->resolve));
	}
	add_header(p, "Content-Type: application/json");
	add_header(p, "Expect:");
	add_headers(p, m->headers);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || (p->multi = curl_multi_init()) == NULL)
		return err_set(err, ERR_INTERNAL, "the HTTP library does not start");
	if (strncmp(buf_cstr(&p->url), "https:", 6) == 0 && read_authorities(p, m->authorities, err) != 0)
		return -1;
	warm_up(p);
	return 0;
}

void
otlp_post_close(struct otlp_post *p)
{
	end_request(p);
	for (struct curl_slist *one = p->headers; one != NULL; one = one->next)
		explicit_bzero(one->data, strlen(one->data));
	curl_slist_free_all(p->headers);
	curl_slist_free_all(p->names);
	if (p->multi != NULL)
		curl_multi_cleanup(p->multi);
	curl_global_cleanup();
	buf_fini(&p->url);
	buf_fini(&p->resolve);
	buf_fini(&p->certificates);
}

void
otlp_post_begin(struct otlp_post *p, const char *path, struct span body)
{
	snprintf(p->path, sizeof(p->path), "%s", path);
	p->body = body;
	p->retry_ms = 0;
	p->working = true;
	p->until_ns = clock_ns() + OTLP_POST_MS * CLOCK_MS;
	p->trouble[0] = '\0';
	(void)serve_dial(IPC_OUTSIDE_TELEMETRY, ++p->serial);
}

void
otlp_post_dialled(struct otlp_post *p, uint64_t serial, int fd)
{
	if (p->working && serial == p->serial && p->fd < 0 && p->easy == NULL)
		p->fd = fd;
	else
		close(fd);
}

static enum post_outcome
end_with(struct otlp_post *p, enum post_outcome outcome, const char *why)
{
	snprintf(p->why, sizeof(p->why), "%s", why);
	end_request(p);
	return outcome;
}

/* Whether the connection is there; -1: it failed. */
static int
is_writable(const struct otlp_post *p)
{
	struct pollfd fd = { p->fd, POLLOUT, 0 };
	socklen_t len = sizeof(int);
	int error = 0;

	if (p->fd < 0 || poll(&fd, 1, 0) <= 0)
		return 0;
	return getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0 ? 1 : -1;
}

/* What the receiver said to the whole request: which statuses may be tried again, the OTLP specification says. */
static enum post_outcome
judge_answer(struct otlp_post *p, CURLcode code)
{
	long status = 0;
	char why[sizeof(p->why)];

	if (code == CURLE_PEER_FAILED_VERIFICATION) {
		snprintf(why, sizeof(why),
		    "the receiver's certificate is refused (%s); telemetry.sslrootcert names the authorities that may "
		    "sign it",
		    p->trouble[0] != '\0' ? p->trouble : curl_easy_strerror(code));
		return end_with(p, POST_AGAIN, why);
	}
	if (code != CURLE_OK)
		return end_with(p, POST_AGAIN, curl_easy_strerror(code));
	curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300) {
		end_request(p);
		return POST_DONE;
	}
	snprintf(why, sizeof(why), "the receiver answered with status %ld", status);
	return end_with(p, status == 429 || status == 502 || status == 503 || status == 504 ? POST_AGAIN : POST_REFUSED,
	    why);
}

enum post_outcome
otlp_post_go_on(struct otlp_post *p)
{
	int running = 0, queued, ready;
	CURLMsg *message;

	if (!p->working)
		return POST_IDLE;
	if (clock_ns() > p->until_ns)
		return end_with(p, POST_AGAIN, "the receiver did not answer in time");
	if (p->easy == NULL) {
		if ((ready = is_writable(p)) <= 0)
			return ready < 0 ? end_with(p, POST_AGAIN, "the receiver cannot be reached") : POST_WORKING;
		if ((p->easy = make_request(p)) == NULL || curl_multi_add_handle(p->multi, p->easy) != CURLM_OK)
			return end_with(p, POST_AGAIN, "no request can be made");
	}
	if (curl_multi_perform(p->multi, &running) != CURLM_OK)
		return end_with(p, POST_AGAIN, "no request can be made");
	while ((message = curl_multi_info_read(p->multi, &queued)) != NULL)
		if (message->msg == CURLMSG_DONE)
			return judge_answer(p, message->data.result);
	return POST_WORKING;
}
