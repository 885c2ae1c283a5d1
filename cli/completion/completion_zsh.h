/* completion_zsh - zsh's completions. */
#ifndef CLI_COMPLETION_COMPLETION_ZSH_H
#define CLI_COMPLETION_COMPLETION_ZSH_H

#include "cli/completion/completion.h"

void completion_zsh(struct buf *out);

#endif
