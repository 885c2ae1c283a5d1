/*
 * log_journal - lines of the log as entries of systemd's journal, with fields of their own.
 *
 * What a line is about can then be asked for: journalctl CARREL_REQUEST_ID=r-…, CARREL_PRINCIPAL=token:…, and so on:
 * each member of a line that is text, a number or a yes or no is CARREL_ and its name in capitals.  `message` is
 * MESSAGE, `level` PRIORITY and `role` SYSLOG_IDENTIFIER as well.  The journal's protocol: one datagram an entry.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define LOG_JOURNAL_SOCKET	"/run/systemd/journal/socket"
#define LOG_JOURNAL_FIELDS	32u	/* members of a line; further ones are left out */
#define LOG_JOURNAL_NAME	48u	/* bytes of a member's name; one that is longer is left out */

struct log_journal {
	int		fd;	/* -1: no journal */
	struct buf	parsed, entry;	/* kept from line to line */
};

/* False: there is no journal at path; log_journal_send() then takes no line. */
bool log_journal_open(struct log_journal *j, const char *path);

void log_journal_close(struct log_journal *j);

/* Send one line, a JSON object.  False: the journal did not take it.  Never waits. */
bool log_journal_send(struct log_journal *j, struct span line);
