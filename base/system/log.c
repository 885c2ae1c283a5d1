#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/json/json_write.h"
#include "base/utf8.h"

static struct {
	char		role[32], request_id[64], trace_id[33];
	enum log_level	threshold;
	char		pid[24];	/* as outside, in decimal: getpid() answers otherwise in a namespace */
	int		also;	/* a second descriptor; -1: none */
	bool		priorities;	/* lines on stderr begin with their priority */
	bool		(*take)(void *arg, const char *line, size_t len);
	void		*arg;
} us = { .threshold = LOG_INFO, .also = -1 };

static void
log_copy(char *out, size_t cap, struct span s)
{
	size_t len = utf8_cut(s.p, s.len, cap - 1);

	if (len > 0)
		memcpy(out, s.p, len);
	out[len] = '\0';
}

void
log_init(const char *role)
{
	log_copy(us.role, sizeof(us.role), span_str(role));
	snprintf(us.pid, sizeof(us.pid), "%d", (int)getpid());
}

void
log_threshold(enum log_level level)
{
	us.threshold = level;
}

void
log_also(int fd)
{
	us.also = fd;
}

void
log_priorities(bool on)
{
	us.priorities = on;
}

void
log_instead(bool (*take)(void *arg, const char *line, size_t len), void *arg)
{
	us.take = take;
	us.arg = arg;
}

int
log_priority(enum log_level level)
{
	static const int priorities[] = { 7, 6, 4, 3 };

	return priorities[level];
}

void
log_request(struct span request_id)
{
	log_copy(us.request_id, sizeof(us.request_id), request_id);
	us.trace_id[0] = '\0';
}

void
log_trace(struct span trace_id)
{
	log_copy(us.trace_id, sizeof(us.trace_id), trace_id);
}

/* A line under construction; what does not fit is left out whole. */
struct log_line {
	char	*p;		/* LOG_LINE_MAX bytes */
	size_t	 len, cap;	/* cap leaves room for the line's end */
};

static void
log_put(struct log_line *l, const char *s, size_t n)
{
	if (n <= l->cap - l->len) {
		memcpy(l->p + l->len, s, n);
		l->len += n;
	} else
		l->cap = l->len; /* nothing may follow a part that was left out */
}

static void
put_str(struct log_line *l, const char *s)
{
	log_put(l, s, strlen(s));
}

static void
put_escaped(struct log_line *l, const char *s)
{
	uint8_t escaped[JSON_ESCAPE_MAX];
	struct span rest = span_str(s);
	size_t took, n;

	for (; rest.len > 0; rest = span_of(rest.p + took, rest.len - took)) {
		took = json_plain_ascii(rest);
		n = l->cap - l->len;
		log_put(l, (const char *)rest.p, took < n ? took : n);
		if (took > 0)
			continue;
		n = json_escape_character(rest, escaped, &took);
		log_put(l, (const char *)escaped, n);
	}
}

/* Begin a member: the comma behind another one, and its name. */
static void
put_name(struct log_line *l, const char *name)
{
	put_str(l, l->len > 0 && l->p[l->len - 1] != '{' ? ",\"" : "\"");
	put_str(l, name);
	put_str(l, "\"");
	put_str(l, ":");
}

static void
put_member(struct log_line *l, const char *name, const char *text)
{
	put_name(l, name);
	put_str(l, "\"");
	put_escaped(l, text);
	put_str(l, "\"");
}

static void
write_line(int fd, const struct log_line *l)
{
	size_t done = 0;

	while (done < l->len) {
		ssize_t n = write(fd, l->p + done, l->len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return; /* a failed log write cannot be reported */
	}
}

/* One write, with the priority or without. */
static void
write_stderr(enum log_level level, const struct log_line *l)
{
	char text[LOG_LINE_MAX] = { '<', (char)('0' + log_priority(level)), '>' };
	struct log_line whole = { .p = text, .len = 3 };

	/* The longest lines lose the last bytes of their message's room, not of their end. */
	if (!us.priorities || l->len + whole.len > sizeof(text)) {
		write_line(STDERR_FILENO, l);
		return;
	}
	memcpy(whole.p + whole.len, l->p, l->len);
	whole.len += l->len;
	write_line(STDERR_FILENO, &whole);
}

/* "at":…,"level":…,"role":…,"pid":… */
static void
put_origin(struct log_line *l, enum log_level level)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	char at[25];

	clock_iso8601(clock_unix_ms(), at);
	put_member(l, "at", at);
	put_member(l, "level", names[level]);
	put_member(l, "role", us.role);
	put_name(l, "pid");
	if (us.pid[0] == '\0')
		snprintf(us.pid, sizeof(us.pid), "%d", (int)getpid());
	put_str(l, us.pid);
}

__attribute__((format(printf, 2, 0))) static void
log_formatted(enum log_level level, const char *fmt, va_list ap)
{
	static const char end[] = "\"}\n";
	int saved = errno;
	char text[LOG_LINE_MAX], message[LOG_LINE_MAX];
	struct log_line l = { .p = text, .cap = sizeof(text) - (sizeof(end) - 1) };

	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		message[0] = '\0';
	message[utf8_cut((const uint8_t *)message, strlen(message), sizeof(message))] = '\0';

	put_str(&l, "{");
	put_origin(&l, level);
	if (us.request_id[0] != '\0')
		put_member(&l, "request_id", us.request_id);
	if (us.trace_id[0] != '\0')
		put_member(&l, "trace_id", us.trace_id);
	put_name(&l, "message");
	put_str(&l, "\"");
	put_escaped(&l, message);
	l.cap = sizeof(text);
	put_str(&l, end);
	if (us.take == NULL || !us.take(us.arg, l.p, l.len))
		write_stderr(level, &l);
	if (us.also >= 0)
		write_line(us.also, &l);
	errno = saved;
}

void
log_at(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (level < us.threshold)
		return;
	va_start(ap, fmt);
	log_formatted(level, fmt, ap);
	va_end(ap);
}

#define CALLS_WRITE	(PIPE_BUF / 2)	/* bytes of lines of calls in one write */

static char kept[8 * LOG_LINE_MAX];
static size_t nkept;
static unsigned nlost;	/* lines that found no room */

/* Whether PIPE_BUF bytes can be written without waiting: a pipe that says so has room for them. */
static bool
has_room(void)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) != 0;
}

void
log_flush(void)
{
	size_t done = 0;

	/*
	 * Whole lines, as many as there is room for: a reader that is slow or stopped is not waited for.
	 * Half of what fits: the last page that these lines may begin keeps room for a line that has to wait.
	 */
	while (done < nkept && has_room()) {
		size_t most = nkept - done < CALLS_WRITE ? nkept - done : CALLS_WRITE;
		const char *end = memrchr(kept + done, '\n', most);
		size_t len;
		ssize_t n;

		if (end == NULL) /* a longer line */
			end = memchr(kept + done, '\n', nkept - done);
		len = (size_t)(end - (kept + done)) + 1;
		n = write(STDERR_FILENO, kept + done, len);

		if (n < 0 && errno != EINTR)
			break;
		done += n < 0 ? 0 : (size_t)n;
	}
	for (; done < nkept; done++)
		nlost += kept[done] == '\n';
	nkept = 0;
	if (nlost > 0 && has_room()) {
		unsigned lost = nlost;

		nlost = 0;
		log_warn("%u lines of calls were left out of the log: they came faster than they were read", lost);
	}
}

void
log_call(const char *request_id, const char *trace_id, const char *members)
{
	struct log_line l = { .cap = LOG_LINE_MAX - 2 };

	if (LOG_INFO < us.threshold)
		return;
	if (nkept + LOG_LINE_MAX > sizeof(kept))
		log_flush();
	l.p = kept + nkept;
	put_str(&l, LOG_CALL_BEGIN);
	put_escaped(&l, request_id);
	put_str(&l, "\"");
	put_origin(&l, LOG_INFO);
	if (trace_id[0] != '\0')
		put_member(&l, "trace_id", trace_id);
	put_str(&l, ",");
	put_str(&l, members);
	l.cap = LOG_LINE_MAX;
	put_str(&l, "}\n");
	nkept += l.len;
}
