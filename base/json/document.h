/*
 * document - JSON that Carrel itself composes, held by cJSON: small files under .carrel/, which it reads back, the
 * documents of OAuth and OpenAPI, requests to a model.  A text passes json_read() before cJSON sees it, because cJSON
 * alone takes repeated keys, text behind the value, \u0000 and bytes that are no UTF-8.  Running out of memory ends the
 * process.  No text stays in memory that is free again: what cJSON frees is wiped, and buffers do not grow while texts
 * are written to them.
 *
 * No place for what strangers send (base/json/json_read.h) and for numbers beyond 15 digits (cJSON holds doubles).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/mp.h"
#include "base/span.h"

/* The object in text, for document_free(); NULL when it holds no object, or what json_read() refuses. */
cJSON *document_read(struct span text);

/* An empty object, for document_free(). */
cJSON *document_new(void);

void document_free(cJSON *document);

/* The member of an object; otherwise if it is missing or of another type.  A text is borrowed. */
const char *document_text(const cJSON *object, const char *key, const char *otherwise);
uint64_t document_uint(const cJSON *object, const char *key, uint64_t otherwise);
bool document_bool(const cJSON *object, const char *key, bool otherwise);

/* NULL if it is missing; its elements are cJSON_ArrayForEach()'s. */
const cJSON *document_list(const cJSON *object, const char *key);

/* The text of an element; NULL if it is no text. */
const char *document_element_text(const cJSON *element);

/* Add a member to an object that has none of this key; key NULL: add an element to a list.  text NULL: null. */
void document_put_text(cJSON *parent, const char *key, const char *text);
void document_put_uint(cJSON *parent, const char *key, uint64_t number);
void document_put_bool(cJSON *parent, const char *key, bool truth);
cJSON *document_put_list(cJSON *parent, const char *key);
cJSON *document_put_object(cJSON *parent, const char *key);

/* A list of texts, which NULL ends. */
void document_put_texts(cJSON *parent, const char *key, ...) __attribute__((sentinel));

/* The same, for document_write() alone: a text of any bytes, NUL too; a value as json_write() has it; JSON verbatim. */
void document_put_span(cJSON *parent, const char *key, struct span text);
void document_put_value(cJSON *parent, const char *key, const struct mp_value *value);
void document_put_json(cJSON *parent, const char *key, struct span json);

/* Append the document, in lines or in one, no line feed at its end; what deceives (safe_text.h) is escaped. */
void document_write(struct buf *out, const cJSON *document, bool lines);

/* The same in one line; the document is freed. */
void document_finish(struct buf *out, cJSON *document);
