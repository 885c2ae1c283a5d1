/*
 * bench_tokens.c - what a credential that is remembered costs a request, and what an access token does that is not,
 * in nanoseconds, for one core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "front/who/access_token.h"
#include "front/front.h"
#include "front/who/oauth_issuer.h"
#include "front/who/verify_credential.h"
#include "policy/token.h"
#include "tests/unit/jws_made.h"

#define TOKENS	1000u	/* remembered at one time */
#define ROUNDS	200u
#define RUNS	9

#define ISSUER	"https://carrel.example.org"
#define WITHIN_NS 5000.0	/* remembered */
#define COLD_NS	120000.0	/* an access token that is not */

static struct front f;
static char tokens[TOKENS][64];
static char access_token[2048];
static const char *const paths[] = { "/mcp", NULL };

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
	const struct verify_subject subject = { .secret = span_str(token) };

	if (verify_ask(&f, &subject, (struct span){ NULL, 0 }, told, NULL) == NULL ||
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

/* --- access tokens --------------------------------------------------------------------------- */

static void
make_access_token(void)
{
	uint8_t secret[64];
	char claims[1024];
	uint64_t now = clock_unix_ms() / 1000;

	f.oauth = mem_new(1, sizeof(*f.oauth));
	jws_pair(1, f.oauth->keys[0].x, secret);
	snprintf(f.oauth->keys[0].kid, sizeof(f.oauth->keys[0].kid), "key-1");
	f.oauth->nkeys = 1;
	snprintf(claims, sizeof(claims),
	    "{\"iss\":\"" ISSUER "\",\"aud\":\"" ISSUER
	    "/mcp\",\"sub\":\"ada\",\"client_id\":\"client-of-some-length\","
	    "\"scope\":\"research:read research:query memory:write ontologies:read\",\"iat\":%llu,\"exp\":%llu,"
	    "\"jti\":\"0123456789abcdef\",\"sid\":\"0123456789abcdef\"}",
	    (unsigned long long)now, (unsigned long long)now + 900);
	snprintf(access_token, sizeof(access_token), "%.2047s", jws_made(JWS_HEADER_GOOD, claims, 1));
}

/* All that the front does before it asks carrel-auth. */
static double
judge_all(void)
{
	uint64_t since = clock_ns();

	for (unsigned i = 0; i < TOKENS; i++) {
		struct verify_subject subject;
		struct buf room = { .max = 0 };
		struct jws token;

		if (access_token_judge(&f, span_str(access_token), SPAN(ISSUER), paths, &token, &room, &subject) !=
		    ACCESS_TOKEN_SOUND)
			abort();
		jws_fini(&token);
		buf_fini(&room);
	}
	return (double)(clock_ns() - since) / TOKENS;
}

static double
recall_access_token(void)
{
	struct verify_subject subject = { .secret = span_str(access_token), .resource = SPAN(ISSUER "/mcp"),
		.client = SPAN("c"), .grant = SPAN("0123456789abcdef"), .scopes = POLICY_SCOPES_ALL };
	struct verdict verdict;
	uint64_t since;

	if (verify_ask(&f, &subject, (struct span){ NULL, 0 }, told, NULL) == NULL ||
	    !verify_take(&f, TOKENS + 1, &(struct ipc_verified){ .verdict = IPC_VERDICT_GOOD, .keep_ms = 3600000,
		.principal = SPAN("user:ada"), .scopes = POLICY_SCOPES_VIEWER, .may = POLICY_SCOPES_VIEWER }))
		abort();
	since = clock_ns();
	for (unsigned i = 0; i < ROUNDS * TOKENS; i++)
		if (!verify_recall(&f, subject.secret, subject.resource, &verdict))
			abort();
	return (double)(clock_ns() - since) / (ROUNDS * TOKENS);
}

int
main(void)
{
	double best = 1e9, cold = 1e9, warm;

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
	make_access_token();
	for (unsigned i = 0; i < RUNS; i++) {
		double ns = judge_all();

		if (ns < cold)
			cold = ns;
	}
	warm = recall_access_token();
	printf("access token of %zu bytes, from memory: %.0f ns; form, signature and claims: %.0f ns\n",
	    strlen(access_token), warm, cold);
	verify_free(f.verify);
	free(f.oauth);
	return best <= WITHIN_NS && warm <= WITHIN_NS && cold <= COLD_NS ? 0 : 1;
}
