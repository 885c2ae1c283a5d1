/*
 * share - imported files and documents, where nodes share a store (docs/nodes.md): commands begin with what all nodes
 * have, and end when the store has what they changed.  Without such a store these functions do nothing.
 */
#pragma once

#include "cli/cli.h"
#include "cli/daemon/client.h"
#include "project/config/config.h"

/* Have everything here that the store has.  The exit code, after a message. */
int share_before(struct cli *cli, const struct config *cfg);

/*
 * Have everything there that is here.  What waits is noted; what will not go is a failure.  *full: since there is no
 * room for it: the caller takes it back.
 */
int share_after(struct cli *cli, const struct config *cfg, bool *full);

/* Remove what is below a name, or has it, on all nodes: `documents/ID/`.  The exit code, after a message. */
int share_remove(struct cli *cli, const struct config *cfg, const char *name);

/* No other process changes or replaces imports.db in dir until the descriptor is closed.  -1: after a message. */
int share_lock(const char *dir);

/* Copy imports.db in dir, while it is locked; put the copy in its place; remove it.  The exit code, after a message. */
int share_keep(const char *dir);
int share_take_back(const char *dir);
void share_drop_kept(const char *dir);

/* Whether SQLite keeps something of imports.db in dir outside of it. */
bool share_has_log(struct cli *cli, const char *dir);
