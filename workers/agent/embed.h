/*
 * embed - vectors of texts from the OpenAI-compatible endpoint of `embeddings`, over connections that the supervisor
 * hands over (supervisor/dial.h).  Vectors have length one, in the form of base/vector8.h.
 */
#pragma once

#include "base/vector8.h"
#include "ipc/messages.h"
#include "workers/shared/tool.h"

#define EMBED_TEXTS_MAX		64u
#define EMBED_CHARACTERS_MAX	2000u	/* of one text */
#define EMBED_DIMENSIONS_MAX	VECTOR8_DIMENSIONS_MAX

struct embedder;
struct model_http;

/* As model_open(). */
struct embedder *embed_open(const struct ipc_configure_agent *m);
void embed_close(struct embedder *e);

/* The HTTP client, for incoming connections. */
struct model_http *embed_http(struct embedder *e);

/* The tool: {texts: [...]} -> {model, dimensions, vectors: [{scale, bytes}]}, one vector for each text. */
int tool_embed(struct call *c, const struct mp_value *args, struct err *err);
