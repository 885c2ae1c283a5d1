/* fault.c - see fault.h; empty unless the build has fault points. */
#include "base/system/fault.h"

#ifdef CARREL_FAULT_POINTS
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POINTS_MAX	16
#define STALL_S		60

enum verb { VERB_EIO, VERB_ENOSPC, VERB_SHORT, VERB_CRASH, VERB_KILL, VERB_EXIT, VERB_STALL };

static struct point {
	char		name[48];
	enum verb	verb;
	unsigned long	at, passed;	/* acts at the at-th passing */
	bool		onward;		/* and at every later one */
} points[POINTS_MAX];
static size_t npoints;
static bool parsed;

static enum verb
verb_of(const char *word, size_t len)
{
	static const char *const words[] = {
		[VERB_EIO] = "eio", [VERB_ENOSPC] = "enospc", [VERB_SHORT] = "short",
		[VERB_CRASH] = "crash", [VERB_KILL] = "kill", [VERB_EXIT] = "exit",
		[VERB_STALL] = "stall",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
			return (enum verb)i;
	/* A typing mistake in a test must not pass as a test that found nothing. */
	abort();
}

/* One "name[=action][@n][*]" of len bytes. */
static void
parse_point(const char *s, size_t len)
{
	struct point p = { .verb = VERB_EIO, .at = 1 };
	size_t name = 0, verb;

	if (len > 0 && s[len - 1] == '*') {
		p.onward = true;
		len--;
	}
	while (name < len && s[name] != '=' && s[name] != '@')
		name++;
	if (name == 0 || name >= sizeof(p.name) || npoints == POINTS_MAX)
		abort();
	memcpy(p.name, s, name);
	if (name < len && s[name] == '=') {
		for (verb = ++name; name < len && s[name] != '@'; name++)
			;
		p.verb = verb_of(s + verb, name - verb);
	}
	if (name < len)
		p.at = strtoul(s + name + 1, NULL, 10);
	points[npoints++] = p;
}

static void
fault_parse(void)
{
	const char *s = getenv("CARREL_FAULTS");

	parsed = true;
	while (s != NULL && *s != '\0') {
		size_t len = strcspn(s, ",");

		parse_point(s, len);
		s += len;
		s += *s == ',';
	}
}

enum fault_action
fault_point(const char *name)
{
	struct point *p = NULL;

	if (!parsed)
		fault_parse();
	for (size_t i = 0; i < npoints && p == NULL; i++)
		if (strcmp(points[i].name, name) == 0)
			p = &points[i];
	if (p == NULL || ++p->passed < p->at || (p->passed > p->at && !p->onward))
		return FAULT_NONE;
	switch (p->verb) {
	case VERB_EIO:
		return FAULT_EIO;
	case VERB_ENOSPC:
		return FAULT_ENOSPC;
	case VERB_SHORT:
		return FAULT_SHORT;
	case VERB_CRASH:
		abort();
	case VERB_KILL:
		(void)raise(SIGKILL);
		break;
	case VERB_EXIT:
		_exit(1);
	case VERB_STALL:
		(void)sleep(STALL_S);
		break;
	}
	return FAULT_NONE;
}
#endif
