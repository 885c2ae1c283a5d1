#include "base/text/locale_text.h"
#include "workers/agent/data/caveats.h"

static const char *const texts[CAVEATS][2] = {
#define CAVEAT(NAME, english, german) [CAVEAT_##NAME] = { english, german },
#include "workers/agent/data/caveats.def"
#undef CAVEAT
};

struct span
caveat_text(struct arena *a, bool german, enum caveat which, const struct span *args)
{
	return locale_fill(a, texts[which][german], args);
}
