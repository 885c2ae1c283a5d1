/*
 * log_file - .carrel/logs/mcp.log: one JSON object per line, from all
 * processes, rotated by size.
 *
 * A child's stderr is not trusted: a line that is not one JSON object is
 * wrapped into one, and a line that is too long is cut.  Each child has a
 * limited room over all its lives, so that none can push the other processes'
 * lines out of the kept files; lines beyond that are counted, and the log shows
 * the number.  The lines that fronts write about calls have a file of their own,
 * calls.log, rotated likewise, and no such limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/system/log.h"
#include "supervisor/log/log_journal.h"

#define LOG_FILE_MAX	((off_t)10 << 20)	/* then mcp.log becomes mcp.log.1, … */
#define LOG_FILE_KEEP	5
#define LOG_ROOM	((int64_t)256 << 10)	/* bytes that a child may log at once */
#define LOG_ROOM_RATE	64			/* bytes more a second: it takes days to fill the kept files */
#define LOG_TOLD_NS	(10 * UINT64_C(1000000000))	/* between reports of dropped lines */

struct log_file {
	int	dir_fd;		/* .carrel/logs; -1: no file, stderr only */
	int	fd;
	int	copy_fd;	/* a second descriptor for lines (--foreground); -1: none */
	bool	journal;	/* copy_fd is systemd's journal: each line begins with a priority */
	struct log_journal entries;	/* the journal's socket for entries with fields, used instead of copy_fd */
	int	calls_fd;	/* logs/calls.log: a line a call; -1: none */
	struct buf calls;	/* lines for it that are read, but not written */
	bool	torn;		/* only a part of the last line was written */
	unsigned long long lost;	/* lines lost to a full disk and not yet reported */
	struct buf parsed, made;	/* kept from line to line: a line as a value, and one that is made here */
};

/* Before log_file_open(): lines are dropped. */
extern const struct log_file log_file_closed;

/* The part of a child's line that was read so far, and how much the child has logged. */
struct log_lines {
	char	text[LOG_LINE_MAX];
	size_t	len;
	bool	skipping;	/* the rest of a line that was too long */
	int64_t	used;		/* bytes of LOG_ROOM that are used up */
	uint64_t used_ns;	/* time of the last change of `used` */
	uint64_t told_ns;	/* time of the last report of dropped lines */
	unsigned long long dropped;
};

/*
 * Open state_fd's logs/mcp.log and make it our own stderr.  foreground: keep
 * stderr and write to both.  state_fd -1: stderr only.
 */
void log_file_open(struct log_file *f, int state_fd, bool foreground);
/* Send lines as entries to the journal's socket at path; its stream gets only what the socket does not take. */
void log_file_journal(struct log_file *f, const char *path);

void log_file_close(struct log_file *f);

/*
 * Reads fd and writes whole lines in the name of role and pid.  False at the
 * end.  final: nothing more will come, so a line without its end is written,
 * too.  f NULL: what is read is dropped.
 */
bool log_file_drain(struct log_file *f, struct log_lines *lines, int fd, const char *role, int pid, bool final);

/* The process has ended: the next one begins a new line.  `used` stays: the room is for all processes of the child. */
void log_lines_end(struct log_lines *lines);

/* Rotates the file when it has reached its size. */
void log_file_tick(struct log_file *f);
