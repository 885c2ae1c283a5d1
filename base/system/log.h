/*
 * log - one JSON object a line on stderr, which the supervisor collects.
 *
 * {"at":…,"level":…,"role":…,"pid":…,"request_id":…,"trace_id":…,"message":…}
 *
 * Never more than LOG_LINE_MAX bytes, written with one write(), so that lines
 * of several processes do not mix.  Libraries do not log; processes do.
 * A line never contains a secret or a row of a result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define LOG_LINE_MAX	4000	/* below PIPE_BUF; longer messages are cut */

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Name this process in its lines.  name is copied. */
void log_init(const char *role);

/* Lines below this level are not written.  Default LOG_INFO. */
void log_threshold(enum log_level level);

/* Write every line to fd as well; -1: to stderr only. */
void log_also(int fd);

/* Begin each line on stderr with its priority, "<4>", which journald makes a field. */
void log_priorities(bool on);

/* Give each line but those of calls to take(); a line that take() declines goes to stderr.  NULL: all go there. */
void log_instead(bool (*take)(void *arg, const char *line, size_t len), void *arg);

/* The syslog priority of a level: 3 error, 4 warning, 6 info, 7 debug. */
int log_priority(enum log_level level);

/* The id of the request that the following lines belong to; empty for none.  Copied. */
void log_request(struct span request_id);

/* The W3C trace id of that request's caller; empty for none.  log_request() clears the trace id.  Copied. */
void log_trace(struct span trace_id);

void log_at(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * A line about one call of a client, at info: {"request_id":…,"at":…,"level":"info","role":…,"pid":…,"trace_id":…,
 * members}.  members is JSON, with commas between them.  It is kept until log_flush(), or until there are many.
 * Writing them never waits: lines that find no room in the pipe are left out, and their number is told later.
 */
void log_call(const char *request_id, const char *trace_id, const char *members);
void log_flush(void);

#define LOG_CALL_BEGIN	"{\"request_id\":\""	/* what such a line begins with, and no other */

#define log_debug(...)	log_at(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)	log_at(LOG_INFO, __VA_ARGS__)
#define log_warn(...)	log_at(LOG_WARN, __VA_ARGS__)
#define log_error(...)	log_at(LOG_ERROR, __VA_ARGS__)
