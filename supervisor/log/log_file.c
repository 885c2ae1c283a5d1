#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_put.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "ipc/messages.h"
#include "supervisor/log/log_file.h"

#define NAME	"mcp.log"
#define CALLS	"calls.log"

const struct log_file log_file_closed = {
	.dir_fd = -1, .fd = -1, .copy_fd = -1, .entries = { .fd = -1 }, .calls_fd = -1,
	.parsed = { .max = 4 * LOG_LINE_MAX }, .made = { .max = 8 * LOG_LINE_MAX },
};

static int
open_file(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
}

/* Our own lines go to the file as our stderr, or to both. */
static void
adopt(struct log_file *f, int fd)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = fd;
	if (f->copy_fd >= 0)
		log_also(f->fd);
	else
		dup2(f->fd, STDERR_FILENO);
}

/* systemd says in the environment which file it gave us, "device:inode". */
static bool
is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char ours[64];
	struct stat st;

	if (stream == NULL || fstat(fd, &st) != 0)
		return false;
	snprintf(ours, sizeof(ours), "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	return strcmp(stream, ours) == 0;
}

void
log_file_open(struct log_file *f, int state_fd, bool foreground)
{
	int fd;

	*f = log_file_closed;
	if (foreground || state_fd < 0)
		f->copy_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	f->journal = f->copy_fd >= 0 && is_journal(f->copy_fd);
	log_priorities(f->journal);
	if (f->journal)
		log_file_journal(f, LOG_JOURNAL_SOCKET);
	if (state_fd < 0)
		return;
	if ((mkdirat(state_fd, "logs", 0700) != 0 && errno != EEXIST) ||
	    (f->dir_fd = openat(state_fd, "logs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
	    (fd = open_file(f->dir_fd, NAME)) < 0) {
		log_warn("the log file cannot be opened (%s); lines go to stderr only", strerror(errno));
		return;
	}
	adopt(f, fd);
	f->calls_fd = open_file(f->dir_fd, CALLS);
}

/* The lines of this process, which writes them itself. */
static bool
send_own(void *arg, const char *line, size_t len)
{
	struct log_file *f = arg;

	return log_journal_send(&f->entries, span_of(line, len));
}

void
log_file_journal(struct log_file *f, const char *path)
{
	log_journal_close(&f->entries);
	log_instead(log_journal_open(&f->entries, path) ? send_own : NULL, f);
}

void
log_file_close(struct log_file *f)
{
	log_also(-1);
	log_instead(NULL, NULL);
	log_journal_close(&f->entries);
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	if (f->fd >= 0)
		close(f->fd);
	if (f->copy_fd >= 0)
		close(f->copy_fd);
	if (f->calls_fd >= 0)
		close(f->calls_fd);
	buf_fini(&f->parsed);
	buf_fini(&f->made);
	buf_fini(&f->calls);
	*f = log_file_closed;
}

static void
log_file_rotate(struct log_file *f, const char *name)
{
	char from[32], to[32];

	for (int i = LOG_FILE_KEEP - 1; i >= 1; i--) {
		snprintf(from, sizeof(from), "%s.%d", name, i);
		snprintf(to, sizeof(to), "%s.%d", name, i + 1);
		renameat(f->dir_fd, from, f->dir_fd, to);
	}
	snprintf(to, sizeof(to), "%s.1", name);
	renameat(f->dir_fd, name, f->dir_fd, to);
}

/* One write for a line, so that lines of several writers do not mix. */
static ssize_t
write_line(int fd, struct span before, struct span line)
{
	const struct iovec parts[] = {
		{ (void *)before.p, before.len }, { (void *)line.p, line.len }, { "\n", 1 },
	};

	return writev(fd, parts, sizeof(parts) / sizeof(parts[0]));
}

/*
 * Writes into the file; a partial line is noted as torn.  A full disk loses lines, and the loss is
 * logged once there is room.
 */
static void
write_file(struct log_file *f, struct span line)
{
	ssize_t n;

	if (f->torn && write(f->fd, "\n", 1) != 1) {
		f->lost++;
		return;
	}
	f->torn = false;
	n = write_line(f->fd, SPAN_NONE, line);
	f->torn = n > 0 && (size_t)n <= line.len;
	if (n <= (ssize_t)line.len)
		f->lost++;
}

/* "<4>" by the line's member "level", which is among its first. */
static int
line_priority(struct span line)
{
	static const char member[] = "\"level\":\"";
	const uint8_t *at = memmem(line.p, line.len < 256 ? line.len : 256, member, sizeof(member) - 1);
	enum log_level level = LOG_INFO;

	if (at != NULL && at + sizeof(member) - 1 < line.p + line.len)
		switch (at[sizeof(member) - 1]) {
		case 'e':
			level = LOG_ERROR;
			break;
		case 'w':
			level = LOG_WARN;
			break;
		case 'd':
			level = LOG_DEBUG;
			break;
		}
	return log_priority(level);
}

static bool
write_copy(struct log_file *f, struct span line)
{
	char priority[8];

	if (!f->journal)
		return write_line(f->copy_fd, SPAN_NONE, line) >= 0;
	if (log_journal_send(&f->entries, line))
		return true;
	snprintf(priority, sizeof(priority), "<%d>", line_priority(line));
	return write_line(f->copy_fd, span_str(priority), line) >= 0;
}

static void
write_out(struct log_file *f, struct span line)
{
	if (f->fd >= 0)
		write_file(f, line);
	if (f->copy_fd >= 0)
		(void)write_copy(f, line);
}

static bool
is_json_object(struct log_file *f, struct span line)
{
	struct mp_value v;
	size_t at;

	buf_reset(&f->parsed, SIZE_MAX);
	return json_read(line, &f->parsed, &at) == JSON_OK && mp_value(buf_view(&f->parsed), &v) && v.class == MP_MAP;
}

/* The text as the message of a line; borrowed from f->made. */
static struct span
make_line(struct log_file *f, struct span text, const char *role, int pid)
{
	struct buf *out = &f->made;
	char at[25];

	clock_iso8601(clock_unix_ms(), at);
	buf_reset(out, SIZE_MAX);
	json_put_object(out, NULL);
	json_put_cstr(out, "at", at);
	json_put_cstr(out, "level", "warn");
	json_put_cstr(out, "role", role);
	json_put_uint(out, "pid", (uint64_t)pid);
	json_put_str(out, "message", utf8_valid(text.p, text.len) ? text : SPAN("(a line that is not UTF-8)"));
	json_end_object(out);
	return buf_view(out);
}

/* Logs a line of our own about lost lines. */
__attribute__((format(printf, 4, 5))) static void
tell(struct log_file *f, const char *role, int pid, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	write_out(f, make_line(f, span_str(text), role, pid));
}

static void
tell_lost(struct log_file *f)
{
	unsigned long long lost = f->lost;

	if (lost == 0 || f->fd < 0)
		return;
	f->lost = 0;
	tell(f, "carreld", (int)getpid(), "%llu lines of the log found no room on the disk", lost);
	if (f->lost > 0)
		f->lost += lost - 1; /* nor did this one */
}

/* The room that is left; 0 or less: none. */
static int64_t
log_file_room(struct log_lines *lines, uint64_t now)
{
	uint64_t back = (now - lines->used_ns) / CLOCK_SECOND * LOG_ROOM_RATE;

	if (lines->used_ns == 0)
		lines->used_ns = now;
	else if (back > 0) {
		lines->used_ns += (now - lines->used_ns) / CLOCK_SECOND * CLOCK_SECOND;
		lines->used = (uint64_t)lines->used > back ? lines->used - (int64_t)back : 0;
	}
	return LOG_ROOM - lines->used;
}

static void
tell_dropped(struct log_file *f, struct log_lines *lines, const char *role, int pid, uint64_t now)
{
	if (lines->dropped == 0 || now - lines->told_ns < LOG_TOLD_NS)
		return;
	tell(f, role, pid, "%llu lines dropped: this process writes more than its share of the log", lines->dropped);
	lines->dropped = 0;
	lines->told_ns = now;
}

/* A line about a call, of a process that serves some: they are many, and have a file of their own. */
static bool
is_call(struct log_file *f, struct span line, const char *role)
{
	return strcmp(role, ipc_role_row(IPC_FRONT)->binary) == 0 && line.len > sizeof(LOG_CALL_BEGIN) &&
	    memcmp(line.p, LOG_CALL_BEGIN, sizeof(LOG_CALL_BEGIN) - 1) == 0 && is_json_object(f, line);
}

static void
write_call(struct log_file *f, struct span line)
{
	if (f->calls_fd >= 0) {
		buf_span(&f->calls, line);
		buf_byte(&f->calls, '\n');
	}
	if (f->copy_fd >= 0 && !write_copy(f, line))
		f->lost++;
}

/* One write for all lines of calls that were read together. */
static void
write_calls(struct log_file *f)
{
	ssize_t n = f->calls.len == 0 ? 0 : write(f->calls_fd, f->calls.p, f->calls.len);

	for (size_t i = n > 0 ? (size_t)n : 0; i < f->calls.len; i++)
		f->lost += f->calls.p[i] == '\n';
	buf_reset(&f->calls, SIZE_MAX);
}

/* Wraps text that is not a log line (a sanitizer's, a library's) as the message of one. */
static void
take_line(struct log_file *f, struct log_lines *lines, struct span line, const char *role, int pid)
{
	uint64_t now = clock_ns();

	if (line.len == 0)
		return;
	if (is_call(f, line, role)) {
		write_call(f, line);
		return;
	}
	if (log_file_room(lines, now) <= 0)
		lines->dropped++;
	else {
		tell_lost(f);
		if (!is_json_object(f, line))
			line = make_line(f, line, role, pid);
		write_out(f, line);
		lines->used += (int64_t)line.len + 1;
	}
	tell_dropped(f, lines, role, pid, now);
}

/* Add a part of a line; what does not fit is cut off. */
static void
add_to_line(struct log_file *f, struct log_lines *lines, struct span part, const char *role, int pid)
{
	size_t room = sizeof(lines->text) - lines->len, n = part.len < room ? part.len : room;

	memcpy(lines->text + lines->len, part.p, n);
	lines->len += n;
	if (n == part.len)
		return;
	take_line(f, lines, span_of(lines->text, utf8_cut((const uint8_t *)lines->text, lines->len, lines->len)), role,
	    pid);
	lines->skipping = true;
}

static void
take_lines(struct log_file *f, struct log_lines *lines, struct span bytes, const char *role, int pid)
{
	while (bytes.len > 0) {
		const uint8_t *end = memchr(bytes.p, '\n', bytes.len);
		size_t n = end != NULL ? (size_t)(end - bytes.p) : bytes.len;

		if (!lines->skipping)
			add_to_line(f, lines, span_of(bytes.p, n), role, pid);
		if (end == NULL)
			return;
		if (!lines->skipping)
			take_line(f, lines, span_of(lines->text, lines->len), role, pid);
		log_lines_end(lines);
		bytes = span_of(end + 1, bytes.len - n - 1);
	}
}

bool
log_file_drain(struct log_file *f, struct log_lines *lines, int fd, const char *role, int pid, bool final)
{
	uint8_t bytes[4096];
	bool open = true;
	ssize_t n;

	/* At most a pipe's worth, so that one talkative child does not block the loop. */
	for (int i = 0; i < 16; i++) {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			open = n < 0 && errno == EAGAIN;
			break;
		}
		if (f != NULL)
			take_lines(f, lines, span_of(bytes, (size_t)n), role, pid);
	}
	if (f == NULL)
		return open;
	if ((final || !open) && lines->len > 0)
		take_lines(f, lines, SPAN("\n"), role, pid);
	write_calls(f);
	if (final || !open)
		lines->told_ns = 0; /* it will not write again that it could be told of */
	tell_dropped(f, lines, role, pid, clock_ns());
	return open;
}

void
log_lines_end(struct log_lines *lines)
{
	lines->len = 0;
	lines->skipping = false;
}

static void
tick_calls(struct log_file *f)
{
	struct stat ours, there;

	if (f->calls_fd < 0 || fstat(f->calls_fd, &ours) != 0)
		return;
	if (fstatat(f->dir_fd, CALLS, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == ours.st_ino) {
		if (ours.st_size < LOG_FILE_MAX)
			return;
		log_file_rotate(f, CALLS);
	}
	close(f->calls_fd);
	f->calls_fd = open_file(f->dir_fd, CALLS);
}

void
log_file_tick(struct log_file *f)
{
	struct stat ours, there;
	int fd;

	tick_calls(f);

	if (f->fd < 0 || fstat(f->fd, &ours) != 0)
		return;
	tell_lost(f);
	/* logrotate, a person, or another daemon of this project may have moved it. */
	if (fstatat(f->dir_fd, NAME, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == ours.st_ino) {
		if (ours.st_size < LOG_FILE_MAX)
			return;
		log_file_rotate(f, NAME);
	}
	if ((fd = open_file(f->dir_fd, NAME)) >= 0)
		adopt(f, fd);
}
