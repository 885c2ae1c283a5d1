#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/document.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mem.h"

#define EXACT_MAX	999999999999999.0	/* cJSON prints fifteen digits */

/* A buffer that grows leaves its bytes behind, so there is room before secrets are written. */
#define PACKED_GROWTH	3			/* a packed value has at most this many times the bytes of its text */
#define ESCAPE_ROOM	32			/* quotes, and whole blocks that are stored */

/* What cJSON has allocated: preceded by its size, so that all of it can be wiped. */
struct document_block {
	size_t		size;
	max_align_t	bytes[];
};

static void *
block_new(size_t size)
{
	struct document_block *b = mem_alloc(sizeof(*b) + size);

	b->size = size;
	return b->bytes;
}

static void
block_free(void *p)
{
	struct document_block *b;

	if (p == NULL)
		return;
	b = (struct document_block *)((uint8_t *)p - offsetof(struct document_block, bytes));
	explicit_bzero(b->bytes, b->size);
	free(b);
}

/* Before cJSON's first allocation. */
static void
set_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = block_new, .free_fn = block_free });
}

cJSON *
document_read(struct span text)
{
	struct buf value = { 0 };
	cJSON *document = NULL;
	size_t at;

	set_memory();
	buf_reserve(&value, PACKED_GROWTH * text.len);
	if (json_read(text, &value, &at) == JSON_OK) {
		document = cJSON_ParseWithLength((const char *)text.p, text.len);
		if (!cJSON_IsObject(document)) {
			cJSON_Delete(document);
			document = NULL;
		}
	}
	buf_wipe(&value);
	return document;
}

cJSON *
document_new(void)
{
	set_memory();
	return cJSON_CreateObject();
}

void
document_free(cJSON *document)
{
	cJSON_Delete(document);
}

const char *
document_text(const cJSON *object, const char *key, const char *otherwise)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text == NULL ? otherwise : text;
}

uint64_t
document_uint(const cJSON *object, const char *key, uint64_t otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= EXACT_MAX) ||
	    item->valuedouble != (double)(uint64_t)item->valuedouble)
		return otherwise;
	return (uint64_t)item->valuedouble;
}

bool
document_bool(const cJSON *object, const char *key, bool otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : otherwise;
}

const cJSON *
document_list(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsArray(item) ? item : NULL;
}

const char *
document_element_text(const cJSON *element)
{
	return cJSON_GetStringValue(element);
}

static cJSON *
document_put(cJSON *parent, const char *key, cJSON *item)
{
	if (!(key == NULL ? cJSON_AddItemToArray(parent, item) : cJSON_AddItemToObject(parent, key, item)))
		abort();
	return item;
}

void
document_put_text(cJSON *parent, const char *key, const char *text)
{
	(void)document_put(parent, key, text == NULL ? cJSON_CreateNull() : cJSON_CreateString(text));
}

void
document_put_uint(cJSON *parent, const char *key, uint64_t number)
{
	(void)document_put(parent, key, cJSON_CreateNumber((double)number));
}

void
document_put_bool(cJSON *parent, const char *key, bool truth)
{
	(void)document_put(parent, key, cJSON_CreateBool(truth));
}

cJSON *
document_put_list(cJSON *parent, const char *key)
{
	return document_put(parent, key, cJSON_CreateArray());
}

cJSON *
document_put_object(cJSON *parent, const char *key)
{
	return document_put(parent, key, cJSON_CreateObject());
}

void
document_put_texts(cJSON *parent, const char *key, ...)
{
	cJSON *list = document_put_list(parent, key);
	const char *text;
	va_list ap;

	va_start(ap, key);
	while ((text = va_arg(ap, const char *)) != NULL)
		document_put_text(list, NULL, text);
	va_end(ap);
}

static void
put_raw(cJSON *parent, const char *key, const char *json)
{
	(void)document_put(parent, key, cJSON_CreateRaw(json));
}

void
document_put_json(cJSON *parent, const char *key, struct span json)
{
	char *text = mem_text(json);

	put_raw(parent, key, text);
	explicit_bzero(text, json.len);
	free(text);
}

void
document_put_span(cJSON *parent, const char *key, struct span text)
{
	struct buf json = { 0 };

	buf_reserve(&json, JSON_GROWTH * text.len + ESCAPE_ROOM);
	json_write_string(&json, text);
	put_raw(parent, key, buf_cstr(&json));
	buf_wipe(&json);
}

void
document_put_value(cJSON *parent, const char *key, const struct mp_value *value)
{
	struct buf json = { 0 };

	/* No value grows more than text: false is one byte. */
	buf_reserve(&json, JSON_GROWTH * value->raw.len + ESCAPE_ROOM);
	json_write(&json, value);
	put_raw(parent, key, buf_cstr(&json));
	buf_wipe(&json);
}

void
document_write(struct buf *out, const cJSON *document, bool lines)
{
	char *text = mem_must(cJSON_PrintBuffered(document, 256, lines));
	struct span left = span_str(text);
	size_t took, most = 0;

	/* cJSON leaves DEL and all beyond ASCII as it is. */
	for (size_t i = 0; i < left.len; i++)
		most += left.p[i] < 0x7f ? 1 : JSON_GROWTH;
	buf_reserve(out, most);
	for (; left.len > 0; left = span_of(left.p + took, left.len - took)) {
		uint8_t escape[JSON_ESCAPE_MAX];

		took = 1;
		if (*left.p < 0x7f)
			buf_byte(out, *left.p);
		else
			buf_append(out, escape, json_escape_character(left, escape, &took));
	}
	cJSON_free(text);
}

void
document_finish(struct buf *out, cJSON *document)
{
	document_write(out, document, false);
	document_free(document);
}
