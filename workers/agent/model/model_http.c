#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/io.h"
#include "base/system/net.h"
#include "base/mem.h"
#include "workers/agent/model/model_http.h"
#include "workers/shared/serve.h"
#include "workers/shared/call.h"

#define CERTIFICATES_MAX (16u << 20)
#define STEP_MS		 10u /* the longest wait of one poll */
#define RETRY_MAX_MS	 10000u

/* The request of one call. */
struct model_request {
	struct model_request *next;
	uint64_t serial; /* of the connection that was asked for */
	int fd;          /* the connection; -1: none yet, or libcurl owns it */
	CURL *e;
	bool done;
	CURLcode result;
};

static curl_socket_t
take_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct model_request *q = arg;
	int fd = q->fd;

	(void)purpose, (void)address;
	q->fd = -1;
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

/* The connection is already established. */
static int
say_connected(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	(void)arg;
	return fd >= 0 && purpose == CURLSOCKTYPE_IPCXN ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_ERROR;
}

static size_t
take_body(char *p, size_t size, size_t n, void *arg)
{
	struct buf *out = arg;

	buf_append(out, p, size * n);
	return out->full ? 0 : size * n;
}

static size_t
take_header(char *p, size_t size, size_t n, void *arg)
{
	static const char name[] = "retry-after:";
	uint64_t *retry_ms = arg;
	char text[64];

	if (size * n > sizeof(name) && size * n < sizeof(text) && strncasecmp(p, name, sizeof(name) - 1) == 0) {
		memcpy(text, p + sizeof(name) - 1, size * n - sizeof(name) + 1);
		text[size * n - sizeof(name) + 1] = '\0';
		*retry_ms = strtoull(text, NULL, 10) * 1000;
		if (*retry_ms > RETRY_MAX_MS)
			*retry_ms = RETRY_MAX_MS;
	}
	return size * n;
}

static CURL *
make_transfer(struct model_http *h, struct model_request *q, struct span body, struct curl_slist *headers,
    struct buf *out, uint64_t *retry_ms)
{
	CURL *e = curl_easy_init();

	if (e == NULL)
		return NULL;
	curl_easy_setopt(e, CURLOPT_URL, buf_cstr(&h->url));
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_PROXY, "");
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(e, CURLOPT_USERAGENT, "carrel/" CARREL_VERSION);
	curl_easy_setopt(e, CURLOPT_RESOLVE, h->names);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, take_socket);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, q);
	curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, say_connected);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(e, CURLOPT_POST, 1L);
	curl_easy_setopt(e, CURLOPT_POSTFIELDS, body.p);
	curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, out);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, retry_ms);
	if (h->certificates.len > 0) {
		struct curl_blob blob = { h->certificates.p, h->certificates.len, CURL_BLOB_NOCOPY };

		curl_easy_setopt(e, CURLOPT_CAINFO_BLOB, &blob);
	}
	curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
	q->e = e;
	return e;
}

static struct curl_slist *
make_headers(const struct model_http *h)
{
	struct curl_slist *list = curl_slist_append(NULL, "Content-Type: application/json"), *more;
	struct buf text = { 0 };

	if (list != NULL && (more = curl_slist_append(list, "Expect:")) != NULL)
		list = more;
	if (list != NULL && h->key.len > 0) {
		buf_printf(&text, "Authorization: Bearer %.*s", SPAN_FMT(buf_view(&h->key)));
		if ((more = curl_slist_append(list, buf_cstr(&text))) != NULL)
			list = more;
	}
	buf_wipe(&text);
	return list;
}

/* Wait for a connection from the supervisor and until it is established.  As model_http_post(). */
static int
get_connection(struct model_http *h, struct model_request *q, struct call *c, uint64_t until_ns, char why[160],
    struct err *err)
{
	int error = 0;
	socklen_t len = sizeof(error);

	q->serial = ++h->serial;
	if (serve_dial(h->place, q->serial) != 0) {
		snprintf(why, 160, "no connection could be asked for");
		return 1;
	}
	while (q->fd < 0)
		if (!call_wait(c, -1, false, STEP_MS, err))
			return -1;
		else if (q->fd < 0 && clock_ns() > until_ns) {
			snprintf(why, 160, "no connection came in time");
			return 1;
		}
	/* Writable: established or failed. */
	if (!call_wait(c, q->fd, true, (unsigned)((until_ns - clock_ns()) / CLOCK_MS), err))
		return -1;
	if (getsockopt(q->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0) {
		snprintf(why, 160, "it cannot be reached: %s", strerror(error));
		return 1;
	}
	return 0;
}

/* Mark finished transfers of all calls. */
static void
note_ended(struct model_http *h)
{
	CURLMsg *message;
	int queued;

	while ((message = curl_multi_info_read(h->multi, &queued)) != NULL)
		for (struct model_request *q = h->requests; q != NULL && message->msg == CURLMSG_DONE; q = q->next)
			if (q->e == message->easy_handle) {
				q->done = true;
				q->result = message->data.result;
			}
}

/* Run the transfer to its end.  As model_http_post(). */
static int
run_transfer(struct model_http *h, struct model_request *q, struct call *c, int fd, uint64_t until_ns, char why[160],
    struct err *err)
{
	int running = 1;

	for (;;) {
		if (curl_multi_perform(h->multi, &running) != CURLM_OK)
			break;
		note_ended(h);
		if (q->done) {
			if (q->result == CURLE_OK)
				return 0;
			snprintf(why, 160, "%s", curl_easy_strerror(q->result));
			return 1;
		}
		if (running == 0)
			break;
		if (clock_ns() > until_ns) {
			snprintf(why, 160, "it took longer than %s allows",
			    h->place == IPC_OUTSIDE_MODEL ? "model.timeout_s" : "the time for a request");
			return 1;
		}
		if (!call_wait(c, fd, false, STEP_MS, err))
			return -1;
	}
	snprintf(why, 160, "the request could not be made");
	return 1;
}

/* Whether the answer's content type is JSON or absent. */
static bool
is_json_answer(CURL *e)
{
	const char *type = NULL;

	return curl_easy_getinfo(e, CURLINFO_CONTENT_TYPE, &type) != CURLE_OK || type == NULL ||
	    strcasestr(type, "json") != NULL;
}

static int
post_request(struct model_http *h, struct model_request *q, struct call *c, struct span body, uint64_t until_ns,
    struct buf *out, long *status, uint64_t *retry_ms, char why[160], struct err *err)
{
	struct curl_slist *headers;
	int result = get_connection(h, q, c, until_ns, why, err), fd = q->fd;
	CURL *e;

	*status = 0;
	*retry_ms = 0;
	if (result != 0)
		return result;
	headers = make_headers(h);
	buf_reset(out, h->answer_max);
	out->max = h->answer_max;
	e = make_transfer(h, q, body, headers, out, retry_ms);
	if (e == NULL || curl_multi_add_handle(h->multi, e) != CURLM_OK) {
		snprintf(why, 160, "the request could not be made");
		result = 1;
	} else {
		result = run_transfer(h, q, c, fd, until_ns, why, err);
		curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, status);
		if (result == 0 && *status >= 200 && *status < 300 && !is_json_answer(e)) {
			snprintf(why, 160, "it answered with something else than JSON");
			result = 1;
		}
		curl_multi_remove_handle(h->multi, e);
	}
	curl_easy_cleanup(e);
	for (struct curl_slist *one = headers; one != NULL; one = one->next)
		explicit_bzero(one->data, strlen(one->data));
	curl_slist_free_all(headers);
	return result;
}

int
model_http_post(struct model_http *h, struct call *c, struct span body, uint64_t until_ns, struct buf *out,
    long *status, uint64_t *retry_ms, char why[160], struct err *err)
{
	struct model_request *q = mem_new(1, sizeof(*q)), **at = &h->requests;
	int result;

	*q = (struct model_request){ .next = h->requests, .fd = -1 };
	h->requests = q;
	result = post_request(h, q, c, body, until_ns, out, status, retry_ms, why, err);
	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	if (q->fd >= 0)
		close(q->fd);
	free(q);
	return result;
}

void
model_http_dialled(struct model_http *h, uint64_t serial, int fd)
{
	for (struct model_request *q = h->requests; q != NULL; q = q->next)
		if (q->serial == serial && q->fd < 0 && q->e == NULL) {
			q->fd = fd;
			return;
		}
	close(fd);
}

static void
read_certificates(struct buf *out)
{
	int fd = open(NET_AUTHORITIES, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		io_read(fd, 0, CERTIFICATES_MAX, out);
		close(fd);
	}
}

/* Make a request over a closed connection: libraries then read their files now, before the sandbox closes. */
static void
use_once(struct model_http *h)
{
	struct buf out = BUF_MAX(1024);
	uint64_t retry;
	struct model_request q = { .fd = -1 };
	int pair[2], running = 1, queued;
	CURL *e;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	q.fd = pair[0];
	close(pair[1]);
	if ((e = make_transfer(h, &q, SPAN("{}"), NULL, &out, &retry)) != NULL &&
	    curl_multi_add_handle(h->multi, e) == CURLM_OK) {
		for (unsigned i = 0; i < 100 && running > 0; i++)
			if (curl_multi_perform(h->multi, &running) != CURLM_OK)
				break;
		while (curl_multi_info_read(h->multi, &queued) != NULL)
			continue;
		curl_multi_remove_handle(h->multi, e);
	}
	curl_easy_cleanup(e);
	if (q.fd >= 0)
		close(q.fd);
	buf_fini(&out);
}

int
model_http_open(struct model_http *h, const struct model_at *at, struct err *err)
{
	size_t n = strlen(at->path);

	*h = (struct model_http){ .place = at->place, .answer_max = at->answer_max };
	buf_span(&h->url, at->url);
	while (h->url.len > 0 && h->url.p[h->url.len - 1] == '/')
		h->url.len--;
	if (h->url.len < n || memcmp(h->url.p + h->url.len - n, at->path, n) != 0)
		buf_str(&h->url, at->path);
	buf_span(&h->key, at->key);
	/* A placeholder address: names are not resolved here, and the connection is handed over. */
	if (at->host.len > 0 && at->host.p[0] != '[')
		buf_printf(&h->resolve, "%.*s:127.0.0.1", SPAN_FMT(at->host));
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || (h->multi = curl_multi_init()) == NULL)
		return err_set(err, ERR_INTERNAL, "the HTTP library does not start");
	if (h->resolve.len > 0)
		h->names = curl_slist_append(NULL, buf_cstr(&h->resolve));
	if (strncmp(buf_cstr(&h->url), "https:", 6) == 0)
		read_certificates(&h->certificates);
	use_once(h);
	return 0;
}

void
model_http_close(struct model_http *h)
{
	curl_slist_free_all(h->names);
	if (h->multi != NULL)
		curl_multi_cleanup(h->multi);
	curl_global_cleanup();
	buf_fini(&h->url);
	buf_fini(&h->resolve);
	buf_wipe(&h->key);
	buf_fini(&h->certificates);
}
