/*
 * bench_timing.c - whether the time of a refusal tells how wrong a token is: one whose secret differs in its first
 * digit, one in its last, and one with an unknown id, in a drawn order.  Fails when the first two medians are apart;
 * an id is no secret, and whether there is one may cost the store a microsecond.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "policy/profile.h"
#include "policy/scopes.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/tokens/tokens_form.h"

#define ROUNDS	60000u
#define APART	1.05	/* of the slower median to the faster */

enum wrong { FIRST_DIGIT, LAST_DIGIT, UNKNOWN_ID, WRONGS };

static const char *const names[WRONGS] = { "first digit", "last digit", "id" };
static uint32_t times[WRONGS][ROUNDS];
static size_t ntimes[WRONGS];

static int
compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median(enum wrong w)
{
	qsort(times[w], ntimes[w], sizeof(times[w][0]), compare);
	return times[w][ntimes[w] / 2];
}

static struct auth *
open_auth(const char *dir)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	struct audit_settings audit = { .retention_days = 365 };
	struct auth *a = calloc(1, sizeof(*a));
	char path[256];
	struct err err;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(path, sizeof(path), "%s/state.db%s", dir, suffixes[i]);
		close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	}
	snprintf(path, sizeof(path), "%s/state.db", dir);
	snprintf(a->conf.token_prefix, sizeof(a->conf.token_prefix), "crlmcp");
	a->conf.max_tokens = 10;
	a->conf.connectivity = IPC_CONNECTIVITY_ON;
	if ((a->store = store_open(path, false, &err)) == NULL)
		abort();
	a->audit = audit_new(a->store, &audit);
	tokens_changed(a);
	if (connectivity_read(a, &err) != 0)
		abort();
	return a;
}

/* Of a hexadecimal digit another one; of a letter of an id, too. */
static char
other(char c)
{
	return c == 'a' ? 'b' : 'a';
}

int
main(void)
{
	char dir[] = "/tmp/carrel-timing-XXXXXX", text[TOKEN_TEXT], wrong[WRONGS][TOKEN_TEXT], principal[32],
	     command[64];
	struct store_token t = { .scopes = POLICY_SCOPES_EXT, .label = "timed" };
	double of[WRONGS], apart;
	struct err err;
	struct auth *a;
	unsigned seed = 1;

	if (mkdtemp(dir) == NULL)
		return 1;
	a = open_auth(dir);
	if (tokens_create(a, NULL, &t, true, text, &err) != 0)
		return 1;
	for (int w = 0; w < WRONGS; w++) {
		size_t at = w == FIRST_DIGIT ? strlen(text) - 32 :
		    w == LAST_DIGIT          ? strlen(text) - 1 :
					       strlen("crlmcp_");

		memcpy(wrong[w], text, TOKEN_TEXT);
		wrong[w][at] = other(text[at]);
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		enum wrong w = (enum wrong)(rand_r(&seed) % WRONGS);
		struct ipc_verified out;
		uint64_t since = clock_ns();

		tokens_verify(a, span_str(wrong[w]), 1, &out, principal);
		times[w][ntimes[w]++] = (uint32_t)(clock_ns() - since);
		if (out.verdict != IPC_VERDICT_INVALID)
			return 1;
	}
	for (int w = 0; w < WRONGS; w++) {
		of[w] = median((enum wrong)w);
		printf("a token that is wrong in its %s is refused in %.0f ns\n", names[w], of[w]);
	}
	apart = of[FIRST_DIGIT] > of[LAST_DIGIT] ? of[FIRST_DIGIT] / of[LAST_DIGIT] : of[LAST_DIGIT] / of[FIRST_DIGIT];
	audit_free(a->audit);
	store_close(a->store);
	free(a);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	printf("digits are %.1f %% apart, %.0f may be\n", 100 * (apart - 1), 100 * (APART - 1));
	return system(command) != 0 || apart > APART;
}
