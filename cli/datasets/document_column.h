/* document_column - the texts of a column, page by page from the daemon to carrel-import. */
#pragma once

#include "cli/datasets/cmd_document.h"

/* The texts of a column of the dataset, which is its object as JSON, are added.  A code of the command line. */
int document_take_column(struct documents *d, const struct config *cfg, struct client *c, struct view dataset,
    const char *column);
