/* agents_setup - private to cmd_agents.c, agents_put.c and agents_take.c: one run of `carrel setup-agents`. */
#ifndef CLI_AGENTS_AGENTS_SETUP_H
#define CLI_AGENTS_AGENTS_SETUP_H

#include "cli/agents/agents_records.h"
#include "cli/cli.h"

#define SETUP_NAME_MAX	64	/* characters of an entry's name */
#define SETUP_SKILLS	2

struct setup {
	struct cli		*cli;
	const char		*dir;
	const char		*target_dir;	/* where the files of a project's scope go */
	struct agent_server	 server;
	bool			 running, print;
	unsigned		 listens_at, configured;	/* ports; 0: none */
	struct span		 texts[SETUP_SKILLS];	/* the skills as shipped */
	struct agent_manifest	 manifest;
	struct buf		 results, next;		/* JSON members, comma separated */
	size_t			 nresults;
};

extern const char *const setup_skills[SETUP_SKILLS];

/* One thing done, shown at once or kept for --json.  content: what is printed; may be NULL. */
void setup_report(struct setup *s, const struct agent_record *r, const char *action, const struct buf *content);

/* What the user does next. */
void setup_next(struct setup *s, const char *text);

/* A digest of a file that we wrote, to notice later changes. */
const char *setup_mark(struct setup *s, struct span text);

/* Is the path outside of the project? */
bool setup_is_outside(const struct setup *s, const char *path);

/* All that a target gets in that scope; an exit code. */
int setup_install(struct setup *s, const struct agent_target *t, enum agent_scope scope);

/* Take out what the options ask for, else all that the manifest holds; an exit code. */
int setup_remove(struct setup *s);

#endif
