/* completion_fish - fish's completions. */
#ifndef CLI_COMPLETION_COMPLETION_FISH_H
#define CLI_COMPLETION_COMPLETION_FISH_H

#include "cli/completion/completion.h"

void completion_fish(struct buf *out);

#endif
