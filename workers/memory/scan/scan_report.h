/* scan_report - the output of a scan: its warnings, scan-report.json, and the tool's result. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mp.h"
#include "project/scan/artifacts.h"

#define WARNINGS_MAX	500	/* further ones are counted in a last one */

/* A growing list of {code, message, recoverable, table?, column?}. */
struct warnings {
	struct buf	items;
	size_t		n, left_out;
};

void warnings_add(struct warnings *w, const char *code, const char *table, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds another process's warnings: only maps with a code and a message. */
void warnings_take(struct warnings *w, const struct mp_value *list);

/* Append all as one msgpack array. */
void warnings_put(const struct warnings *w, struct buf *out);

void warnings_fini(struct warnings *w);

struct report {
	const char			*connection, *sync_id;
	struct span			 driver;
	const struct artifacts_diff	*diff;
	const struct artifacts_totals	*totals;
	const struct warnings		*warnings;
	bool				 changed, profiled;	/* profiled: includes data */
	size_t				 nunprofiled;		/* tables that failed */
	size_t				 nreused;		/* tables with reused samples */
	bool				 related;		/* relationships were searched */
	size_t				 nunchecked;		/* checks that failed */
	size_t				 inferred;		/* accepted ones that were inferred */
	size_t				 accepted, review, rejected, skipped;
	uint64_t			 at_ms;
	size_t				 nshards, nwritten;
	char				*const *shards;
};

/* scan-report.json as a map in ktx's format. */
void report_put_file(const struct report *r, struct buf *out);

/* The result of the tool. */
void report_put_result(const struct report *r, struct buf *out);

/* The record in .carrel/memory of the last check of a connection. */
void report_put_check(const struct report *r, struct buf *out);
