/* importer - a file is read by carrel-import, which is confined and reads what strangers wrote. */
#pragma once

#include "cli/datasets/cmd_dataset.h"

struct importer {
	pid_t		 pid;
	FILE		*says;
	bool		 killed;	/* once it has ended: by a signal */
};

/* file as its standard input, its words from its standard output, rejects to descriptor 3, no environment. */
int importer_start(struct cli *cli, struct importer *im, int file, int rejects, const char *const *words);

/*
 * Replace *file, a Parquet file, with the stream of rows that carrel-sql-duckdb reads from it.  importer_unpacked()
 * waits for that process when the rows were read, and returns the reason why it was stopped, or NULL.
 */
int importer_unpack(struct cli *cli, const struct config *cfg, int *file, pid_t *unpacker);
const char *importer_unpacked(pid_t unpacker);

#define IMPORTER_SAYS_MAX	((size_t)32 << 20)	/* bytes of a line */

/* Read the output to its end; report is the last line that is no progress.  A process that says too much is killed. */
void importer_follow(struct importer *im, struct buf *report);

/* Wait for carrel-import.  Whether it reported an object of this name; otherwise the reason, as a clause. */
bool importer_end(struct importer *im, struct view report, const char *name, struct buf *why);
