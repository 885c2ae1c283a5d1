/* cmd_dataset - what the commands of datasets share: the process that reads files, and which dataset is meant. */
#ifndef CLI_DATASETS_CMD_DATASET_H
#define CLI_DATASETS_CMD_DATASET_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/daemon/client.h"
#include "cli/show/view.h"

/* --- importer.c: carrel-import, which is confined and reads what strangers wrote ------------- */

struct importer {
	pid_t		 pid;
	FILE		*says;
	char		*line;
	size_t		 cap;
	bool		 killed;	/* once it has ended: by a signal */
};

/* file as its standard input, its words from its standard output, rejects to descriptor 3, no environment. */
int importer_start(struct cli *cli, struct importer *im, int file, int rejects, const char *const *words);

/* Read carrel-import's output to its end; report is the last line that is no progress. */
void importer_follow(struct cli *cli, struct importer *im, struct buf *report);

/* Wait for carrel-import.  Whether it reported an object of this name; otherwise the reason, as a clause. */
bool importer_end(struct importer *im, struct view report, const char *name, struct buf *why);

/* --- cmd_dataset.c ------------------------------------------------------------------------------ */

bool dataset_is_text(const char *text);

/* Open the daemon for a command whose first operand is a dataset; false: after a message. */
bool dataset_open(struct cli *cli, struct client *c);

/* The object of the one dataset, by id or name, as JSON. */
int dataset_shown(struct client *c, const char *id, struct buf *out);

/* --- cmd_document.c ------------------------------------------------------------------------------- */

/* The documents of a dataset that is removed go, too; columns: the texts of its columns alone. */
int documents_forget(struct cli *cli, const char *id, bool columns);

#endif
