/* completion_bash - bash's completions. */
#ifndef CLI_COMPLETION_COMPLETION_BASH_H
#define CLI_COMPLETION_COMPLETION_BASH_H

#include "cli/completion/completion.h"

/* Append the whole script. */
void completion_bash(struct buf *out);

#endif
