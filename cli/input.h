/* input - a file that a command was asked to read. */
#pragma once

#include "cli/cmd.h"

/* Append the file's text, of standard input for "-".  0, or the errno; EFBIG: it has more than max bytes. */
int input_read(const char *name, size_t max, struct buf *text);
const char *input_name(const char *name);	/* what messages call it */
