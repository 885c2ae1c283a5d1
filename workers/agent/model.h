/*
 * model - a language model behind an OpenAI-compatible endpoint, asked for JSON.  The process has no network: the
 * supervisor hands it connections that lead to the model and nowhere else (supervisor/dial.h), and resolves its name.
 */
#ifndef AGENT_MODEL_H
#define AGENT_MODEL_H

#include "ipc/ipc.h"
#include "workers/shared/tool.h"

struct model_engine;
struct model_http;

/*
 * Before the confinement: libraries and the certificates of authorities are read.  NULL: there is none configured, or
 * it cannot be used, which the log says then.
 */
struct model_engine *model_open(const struct ipc_configure_agent *m);
void model_close(struct model_engine *e);

/* What it may see. */
enum ipc_model_data model_data(const struct model_engine *e);

/* What its connections are for. */
struct model_http *model_engine_http(struct model_engine *e);

/* One question's use of the model: calls and tokens are counted over all of it. */
struct model_use {
	struct model_engine	*engine;
	struct call		*call;
	uint64_t		 until_ns;	/* of the question */
	unsigned		 calls;
	uint64_t		 tokens;
};

/* What is asked for. */
struct model_ask {
	const char		*name;		/* of the schema */
	const char		*system;	/* what is to be done: words of this program alone */
	struct span		 user;		/* JSON that holds all that others wrote, as data */
	struct span		 schema;	/* JSON Schema, of the answer */
	/* NULL: the answer, which fits the schema, holds; else what is wrong with it, in a, for the model to mend */
	const char		*(*check)(void *arg, struct arena *a, const struct mp_value *answer);
	void			*arg;
};

/*
 * Ask, and once more with what was wrong with the answer.  0: *answer fits the schema and the check, in the call's
 * arena.  1: the model gave no such answer in time, why says why in a sentence's end.  -1 with *err: the call must end.
 */
int model_ask(struct model_use *u, const struct model_ask *ask, struct mp_value *answer, char why[160],
    struct err *err);

#endif
