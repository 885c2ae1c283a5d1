/*
 * document - JSON that Carrel both writes and reads back, held by cJSON: small files under .carrel/.  A text passes
 * json_read() before cJSON sees it, because cJSON accepts repeated keys, text after the value, \u0000 and invalid
 * UTF-8.  Running out of memory ends the process.
 *
 * Not for input of strangers (base/json.h), for secrets (cJSON does not wipe what it frees), or for numbers beyond 15
 * digits (cJSON holds doubles).
 */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/span.h"

/* The object in text, for document_free(); NULL when it holds no object, or what json_read() refuses. */
cJSON *document_read(struct span text);

/* An empty object, for document_free(). */
cJSON *document_new(void);

void document_free(cJSON *document);

/* The member of an object; otherwise when there is none of this type.  A text is borrowed. */
const char *document_text(const cJSON *object, const char *key, const char *otherwise);
uint64_t document_uint(const cJSON *object, const char *key, uint64_t otherwise);
bool document_bool(const cJSON *object, const char *key, bool otherwise);

/* NULL when there is none; its elements are cJSON_ArrayForEach()'s. */
const cJSON *document_list(const cJSON *object, const char *key);

/* The text of an element; NULL when it is none. */
const char *document_element_text(const cJSON *element);

/* Add a member to an object that has none of this key. */
void document_put_text(cJSON *object, const char *key, const char *text);
void document_put_uint(cJSON *object, const char *key, uint64_t number);
void document_put_bool(cJSON *object, const char *key, bool truth);
cJSON *document_put_list(cJSON *object, const char *key);

/* Add an element to a list. */
void document_add_text(cJSON *list, const char *text);
cJSON *document_add_object(cJSON *list);

/* Append the document, in lines or in one, no line feed at its end; what deceives (base/safe_text.h) is escaped. */
void document_write(struct buf *out, const cJSON *document, bool lines);

#endif
