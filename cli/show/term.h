/* term - the user's terminal: whether there is one, its width, colours, questions, a progress bar. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define TERM_PLAIN	"\033[0m"
#define TERM_BOLD	"\033[1m"
#define TERM_FAINT	"\033[2m"
#define TERM_RED	"\033[31m"
#define TERM_GREEN	"\033[32m"
#define TERM_YELLOW	"\033[33m"

/* Colours on fd: a terminal, NO_COLOR unset or empty (no-color.org), TERM not "dumb". */
bool term_colour(int fd);

/* Columns of the terminal on fd; 0 when fd is no terminal. */
unsigned term_width(int fd);

/* Ask on the terminal without echo, into out (a buffer to be wiped).  False: no terminal, or it went away. */
bool term_ask_secret(const char *question, struct buf *out);

/* Show a progress line on stderr that redraws itself; does nothing without a terminal. */
void term_progress(double fraction, const char *message);

/* Remove the progress line. */
void term_progress_end(void);
