/* agents_setup - private to cmd_agents.c, agents_put.c and agents_take.c: one run of `carrel setup-agents`. */
#pragma once

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
