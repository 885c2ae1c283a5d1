/* cmd - pieces that several commands share. */
#pragma once

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/daemon/client.h"
#include "project/model/source.h"

/* Directories of pages; the first one with a key takes precedence; NULL-terminated. */
extern const char *const wiki_places[];
