// libs: carrel_front
/*
 * fuzz_event_id.c - Last-Event-ID as strangers send it: what is taken for an
 * id is one that this server prints, to the byte.
 */
#include <stdlib.h>
#include <string.h>

#include "front/mcp/legacy/stream.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_id id;
	char text[STREAM_ID_MAX];

	if (!event_id_parse(span_of(data, size), &id))
		return 0;
	event_id_print(&id, text);
	if (strlen(text) != size || memcmp(text, data, size) != 0)
		abort();
	return 0;
}
