/* bench_tokens.c - what a credential that is remembered costs a request, in nanoseconds, for one core. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/clock.h"
#include "front/front.h"
#include "front/verify.h"
#include "policy/token.h"

#define TOKENS	1000u	/* remembered at one time */
#define ROUNDS	200u
#define RUNS	9

static struct front f;
static char tokens[TOKENS][64];

static void
told(void *arg, const struct verdict *verdict)
{
	(void)arg;
	if (verdict->what != IPC_VERDICT_GOOD)
		abort();
}

static void
remember(uint64_t id, const char *token)
{
	char principal[32];

	snprintf(principal, sizeof(principal), "token:%.8s", token + 7);
	if (verify_ask(&f, &(struct verify_subject){ .secret = span_str(token) }, (struct span){ NULL, 0 }, told, NULL) == NULL ||
	    !verify_take(&f, id, &(struct ipc_verified){ .verdict = IPC_VERDICT_GOOD, .keep_ms = 3600000,
		.principal = span_str(principal), .scopes = POLICY_SCOPES_TOKEN }))
		abort();
}

/* As the front does with every request: the form, the digest, the memory. */
static double
recall_all(void)
{
	uint64_t since = clock_ns();
	struct verdict verdict;

	for (unsigned i = 0; i < ROUNDS; i++)
		for (unsigned j = 0; j < TOKENS; j++)
			if (!policy_token_is("crlmcp", span_str(tokens[j])) ||
			    !verify_recall(&f, span_str(tokens[j]), (struct span){ NULL, 0 }, &verdict))
				abort();
	return (double)(clock_ns() - since) / (ROUNDS * TOKENS);
}

int
main(void)
{
	double best = 1e9;

	if (sodium_init() < 0)
		return 1;
	f.verify = verify_new();
	for (unsigned i = 0; i < TOKENS; i++) {
		snprintf(tokens[i], sizeof(tokens[i]), "crlmcp_%08u_%032x", i, i * 2654435761u);
		remember(i + 1, tokens[i]);
	}
	for (unsigned i = 0; i < RUNS; i++) {
		double ns = recall_all();

		if (ns < best)
			best = ns;
	}
	printf("verification from memory, of %u tokens: %.0f ns\n", TOKENS, best);
	verify_free(f.verify);
	return best <= 5000 ? 0 : 1;
}
