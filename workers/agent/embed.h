/*
 * embed - vectors of texts, by the OpenAI-compatible endpoint of `embeddings`, over connections that the supervisor
 * hands over (supervisor/dial.h).  A vector is of length one, as base/vector8.h keeps it.
 */
#ifndef AGENT_EMBED_H
#define AGENT_EMBED_H

#include "base/vector8.h"
#include "ipc/ipc.h"
#include "workers/shared/tool.h"

#define EMBED_TEXTS_MAX		64u
#define EMBED_CHARACTERS_MAX	2000u	/* of one text */
#define EMBED_DIMENSIONS_MAX	VECTOR8_DIMENSIONS_MAX

struct embedder;
struct model_http;

/* As model_open(). */
struct embedder *embed_open(const struct ipc_configure_agent *m);
void embed_close(struct embedder *e);

/* What its connections are for. */
struct model_http *embed_http(struct embedder *e);

/* The tool: {texts: [...]} -> {model, dimensions, vectors: [{scale, bytes}]}, a vector a text. */
int tool_embed(struct call *c, const struct mp_value *args, struct err *err);

#endif
