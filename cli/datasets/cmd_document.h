/* cmd_document - the documents of a dataset: what `carrel dataset document` adds, of files and of columns. */
#pragma once

#include <stdint.h>

#include "cli/cli.h"
#include "cli/daemon/client.h"

#define DOCUMENT_TEMPORARY	".tmp-"

/* A document to import, or a command-line argument that names none. */
struct document {
	const char		*file;		/* the name under which passages cite it */
	const char		*name;		/* of the file that keeps its passages */
	uint64_t		 pages, chunks;	/* pages 0: it has none */
	uint64_t		 vectors;	/* chunks with a vector of the model that is configured */
	const char		*skipped;	/* why it was not taken; NULL: it was */
};

struct documents {
	struct cli		*cli;
	const char		*project;
	const char		*id;		/* of the dataset, in small letters */
	const char		*path;		/* of the dataset's directory of documents */
	int			 dir;		/* -1 if absent */
	struct document		*v;
	size_t			 n, cap;
	size_t			 taken;		/* by this command */
	uint64_t		 chunks;	/* of all datasets, while documents are added */
	const struct config_embeddings *model;	/* whose vectors they have; NULL: no endpoint is configured */
};

void document_add(struct documents *d, struct document one);

/* The first line of the file called name in dir, in text.  Empty if absent, or it is longer than size. */
struct span document_first_line(int dir, const char *name, char *text, size_t size);

/* "4f0b9a520d9e4b7c.jsonl" for what is cited as file. */
const char *document_name(struct cli *cli, const char *file);

/*
 * Let carrel-import read the file; its report, or its error, goes into one.  feed() is called to supply the input; -1:
 * it set one->skipped, and nothing is stored.
 */
int document_read_into(struct documents *d, const struct config *cfg, int file, const char *format,
    int (*feed)(void *arg), void *arg, struct document *one);

/* The documents of a dataset that is removed go, too; columns: the texts of its columns alone. */
int documents_forget(struct cli *cli, const struct config *cfg, const char *id, bool columns);

int cmd_dataset_document(struct cli *cli);
