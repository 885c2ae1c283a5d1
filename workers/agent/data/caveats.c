/* caveats.c - see caveats.h. */
#include "base/buf.h"
#include "workers/agent/data/caveats.h"

static const char *const texts[CAVEATS][2] = {
#define CAVEAT(NAME, english, german) [CAVEAT_##NAME] = { english, german },
#include "workers/agent/data/caveats.def"
#undef CAVEAT
};

struct span
caveat_text(struct arena *a, bool german, enum caveat which, const struct span *args)
{
	struct buf text = { 0 };
	struct span out;

	for (const char *p = texts[which][german]; *p != '\0'; p++)
		if (p[0] == '{' && p[1] >= '1' && p[1] <= '9' && p[2] == '}') {
			buf_span(&text, args[p[1] - '1']);
			p += 2;
		} else
			buf_byte(&text, (uint8_t)*p);
	out = arena_span(a, buf_view(&text));
	buf_fini(&text);
	return out;
}
