/*
 * model_endpoint - a language model behind an OpenAI-compatible endpoint, asked for JSON.  The process has no network:
 * the supervisor resolves the endpoint's name and hands over connections to it and to nothing else (supervisor/dial.h).
 */
#pragma once

#include "ipc/messages.h"
#include "workers/shared/tool.h"

struct model_engine;
struct model_http;

/*
 * Call before the sandbox closes: reads libraries and CA certificates.  NULL: no model is configured, or it cannot be
 * used (logged).
 */
struct model_engine *model_open(const struct ipc_configure_agent *m);
void model_close(struct model_engine *e);

/* What it may see. */
enum ipc_model_data model_data(const struct model_engine *e);

/* The model's name at its endpoint; borrows. */
struct span model_name(const struct model_engine *e);

/* The HTTP client, for incoming connections. */
struct model_http *model_engine_http(struct model_engine *e);

/* The use of the model by one question: calls and tokens are counted over all of it. */
struct model_use {
	struct model_engine	*engine;
	struct call		*call;
	uint64_t		 until_ns;	/* the question's deadline */
	unsigned		 calls;
	uint64_t		 tokens;
};

/* One request to the model. */
struct model_ask {
	const char		*name;		/* name of the schema */
	const char		*system;	/* the instructions: only text of this program */
	struct span		 user;		/* JSON with all text of others, as data */
	struct span		 schema;	/* JSON Schema of the answer */
	/* NULL: accept the answer, which fits the schema; else the problem, in a, for the model to correct */
	const char		*(*check)(void *arg, struct arena *a, const struct mp_value *answer);
	void			*arg;
};

/*
 * Ask, and once more with the problem of a wrong answer.  0: *answer fits the schema and the check, in the call's
 * arena.  1: no such answer in time; why completes the sentence "the model …".  -1 with *err: the call must end.
 */
int model_ask(struct model_use *u, const struct model_ask *ask, struct mp_value *answer, char why[160],
    struct err *err);
