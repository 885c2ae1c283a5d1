/*
 * agent - the question pipeline: ask_question.  The process has no files, no database and no network; it gets all data
 * through sub-calls, which the front makes in the asker's name and with the asker's scopes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mp.h"
#include "workers/shared/child.h"
#include "workers/shared/tool.h"

struct embedder;
struct model_engine;
struct models_cache;
struct zones;

/* The state of the process. */
struct agent {
	uint64_t	 timeout_ms;	/* of one question, limits.ask_timeout_s */
	struct models_cache	*models;	/* ontologies that were read, by id and version */
	struct zones	*zones;
	struct model_engine *engine;	/* NULL: questions are read by rules only */
	struct embedder	*embedder;	/* NULL: no embeddings */
};

extern const struct role agent_role;
extern const struct tool agent_tools[];
