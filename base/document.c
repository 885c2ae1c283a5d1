/* document.c - see document.h. */
#include <stdlib.h>

#include "base/document.h"
#include "base/json.h"

#define EXACT_MAX	999999999999999.0	/* cJSON prints fifteen digits */

/* cJSON returns NULL for memory that is not there. */
static cJSON *
document_held(cJSON *item)
{
	if (item == NULL)
		abort();
	return item;
}

cJSON *
document_read(struct span text)
{
	struct buf value = { 0 };
	cJSON *document = NULL;
	size_t at;

	if (json_read(text, &value, &at) == JSON_OK) {
		document = document_held(cJSON_ParseWithLength((const char *)text.p, text.len));
		if (!cJSON_IsObject(document)) {
			cJSON_Delete(document);
			document = NULL;
		}
	}
	buf_fini(&value);
	return document;
}

cJSON *
document_new(void)
{
	return document_held(cJSON_CreateObject());
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

void
document_put_text(cJSON *object, const char *key, const char *text)
{
	(void)document_held(cJSON_AddStringToObject(object, key, text));
}

void
document_put_uint(cJSON *object, const char *key, uint64_t number)
{
	(void)document_held(cJSON_AddNumberToObject(object, key, (double)number));
}

void
document_put_bool(cJSON *object, const char *key, bool truth)
{
	(void)document_held(cJSON_AddBoolToObject(object, key, truth));
}

cJSON *
document_put_list(cJSON *object, const char *key)
{
	return document_held(cJSON_AddArrayToObject(object, key));
}

static cJSON *
document_add(cJSON *list, cJSON *element)
{
	if (!cJSON_AddItemToArray(list, document_held(element)))
		abort();
	return element;
}

void
document_add_text(cJSON *list, const char *text)
{
	(void)document_add(list, cJSON_CreateString(text));
}

cJSON *
document_add_object(cJSON *list)
{
	return document_add(list, cJSON_CreateObject());
}

void
document_write(struct buf *out, const cJSON *document, bool lines)
{
	char *text = lines ? cJSON_Print(document) : cJSON_PrintUnformatted(document);
	struct span left = span_str(text);
	size_t took;

	if (text == NULL)
		abort();
	/* cJSON leaves DEL and all beyond ASCII as it is. */
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
