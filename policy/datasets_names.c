#include "policy/datasets_names.h"

#include <stdio.h>

#include "base/ascii.h"

static const char prefix[] = "dataset_";

#define PREFIX	(sizeof(prefix) - 1)

void
datasets_name(struct span id, bool dashes, char out[DATASETS_NAME])
{
	int n = snprintf(out, DATASETS_NAME, "%s%.*s", prefix, (int)(id.len < DATASETS_ID ? id.len : DATASETS_ID),
	    (const char *)id.p);

	for (int i = 0; i < n; i++)
		out[i] = out[i] == '-' && !dashes ? '_' : out[i];
}

static bool
is_of_id(uint8_t c, size_t at)
{
	bool dash = at == 8 || at == 13 || at == 18 || at == 23;

	return dash ? c == '-' || c == '_' : ascii_hex(c) >= 0;
}

bool
datasets_is_named_at(struct span text, size_t at, struct span *id)
{
	if (at > text.len || text.len - at < PREFIX + DATASETS_ID)
		return false;
	for (size_t i = 0; i < PREFIX; i++)
		if (ascii_lower(text.p[at + i]) != (uint8_t)prefix[i])
			return false;
	*id = span_of(text.p + at + PREFIX, DATASETS_ID);
	for (size_t i = 0; i < DATASETS_ID; i++)
		if (!is_of_id(id->p[i], i))
			return false;
	return true;
}

bool
datasets_is_id(struct span a, struct span b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (ascii_lower(a.p[i] == '_' ? '-' : a.p[i]) != ascii_lower(b.p[i] == '_' ? '-' : b.p[i]))
			return false;
	return true;
}
