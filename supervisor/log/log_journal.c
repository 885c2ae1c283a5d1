#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/system/log.h"
#include "base/mp.h"
#include "supervisor/log/log_journal.h"

bool
log_journal_open(struct log_journal *j, const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	*j = (struct log_journal){ -1, BUF_MAX(4 * LOG_LINE_MAX), BUF_MAX(16 * LOG_LINE_MAX) };
	if (strlen(path) >= sizeof(name.sun_path))
		return false;
	memcpy(name.sun_path, path, strlen(path));
	if ((j->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) >= 0 &&
	    connect(j->fd, (struct sockaddr *)&name, sizeof(name)) != 0)
		log_journal_close(j);
	return j->fd >= 0;
}

void
log_journal_close(struct log_journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
	buf_fini(&j->parsed);
	buf_fini(&j->entry);
}

/* A value with a line's end in it is told by its length, 8 bytes, least first. */
static void
put_field(struct buf *out, const char *name, struct span value)
{
	buf_str(out, name);
	if (value.len == 0 || memchr(value.p, '\n', value.len) == NULL)
		buf_byte(out, '=');
	else {
		buf_byte(out, '\n');
		for (unsigned i = 0; i < 8; i++)
			buf_byte(out, (uint8_t)((uint64_t)value.len >> (8 * i)));
	}
	buf_span(out, value);
	buf_byte(out, '\n');
}

/* CARREL_REQUEST_ID for request_id.  False: it has other letters than our members have. */
static bool
name_field(struct span member, char out[LOG_JOURNAL_NAME + sizeof("CARREL_")])
{
	static const char prefix[] = "CARREL_";
	char *at = out + sizeof(prefix) - 1;

	if (member.len == 0 || member.len > LOG_JOURNAL_NAME)
		return false;
	memcpy(out, prefix, sizeof(prefix));
	for (size_t i = 0; i < member.len; i++) {
		uint8_t c = member.p[i];

		if (c >= 'a' && c <= 'z')
			*at++ = (char)(c - 'a' + 'A');
		else if ((c >= '0' && c <= '9') || c == '_')
			*at++ = (char)c;
		else
			return false;
	}
	*at = '\0';
	return true;
}

static int
priority_of(struct span level)
{
	static const struct {
		const char *name;
		enum log_level level;
	} levels[] = { { "debug", LOG_DEBUG }, { "warn", LOG_WARN }, { "error", LOG_ERROR } };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (span_is_str(level, levels[i].name))
			return log_priority(levels[i].level);
	return log_priority(LOG_INFO);
}

static void
put_member(struct buf *out, const char *name, struct span key, const struct mp_value *v)
{
	char priority[2] = { (char)('0' + (v->class == MP_STR ? priority_of(v->s) : 0)), '\0' };

	if (v->class == MP_BOOL)
		put_field(out, name, v->boolean ? SPAN("true") : SPAN("false"));
	else if (mp_is_number(v)) {
		buf_printf(out, "%s=", name);
		json_write(out, v);
		buf_byte(out, '\n');
	} else if (v->class == MP_STR) {
		if (span_is_str(key, "level"))
			put_field(out, "PRIORITY", span_str(priority));
		else if (span_is_str(key, "role"))
			put_field(out, "SYSLOG_IDENTIFIER", v->s);
		put_field(out, span_is_str(key, "message") ? "MESSAGE" : name, v->s);
	}
}

static void
put_entry(struct buf *out, const struct mp_value *members, struct span line)
{
	char name[LOG_JOURNAL_NAME + sizeof("CARREL_")];
	struct mp_iter it = mp_iter(members);
	struct mp_value v, message;
	struct span key;

	for (unsigned i = 0; i < LOG_JOURNAL_FIELDS && mp_next_pair(&it, &key, &v); i++)
		if (name_field(key, name))
			put_member(out, name, key, &v);
	if (!mp_get(members, "message", &message) || message.class != MP_STR)
		put_field(out, "MESSAGE", line);
}

bool
log_journal_send(struct log_journal *j, struct span line)
{
	struct mp_value members;
	size_t at;

	if (line.len > 0 && line.p[line.len - 1] == '\n')
		line.len--;
	buf_reset(&j->parsed, SIZE_MAX);
	if (j->fd < 0 || json_read(line, &j->parsed, &at) != JSON_OK || mp_scan(buf_view(&j->parsed)) != MP_OK ||
	    !mp_value(buf_view(&j->parsed), &members) || members.class != MP_MAP)
		return false;
	buf_reset(&j->entry, SIZE_MAX);
	put_entry(&j->entry, &members, line);
	return !j->entry.full && send(j->fd, j->entry.p, j->entry.len, MSG_NOSIGNAL) == (ssize_t)j->entry.len;
}
