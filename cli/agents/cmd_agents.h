/* cmd_agents - carrel setup-agents: clients connected to this project, and disconnected again. */
#pragma once

#include "cli/agents/agents_setup.h"

/* One thing done, shown at once or kept for --json.  content: what is printed; may be NULL. */
void agents_report(struct setup *s, const struct agent_record *r, const char *action, const struct buf *content);

/* What the user does next. */
void agents_next(struct setup *s, const char *text);

/* A digest of a file that we wrote, to notice later changes. */
const char *agents_mark(struct setup *s, struct span text);

/* Is the path outside of the project? */
bool agents_is_outside(const struct setup *s, const char *path);

int cmd_setup_agents(struct cli *cli);
