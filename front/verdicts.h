/*
 * verdicts - a short memory of credentials that carrel-auth found good, by their SHA-256.  Bad ones are
 * not remembered: strangers cannot fill it.  Pure: no I/O.
 */
#ifndef FRONT_VERDICTS_H
#define FRONT_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#define VERDICTS_MAX	4096u	/* beyond: the one that was used longest ago is forgotten */
#define VERDICT_DIGEST	32

struct principal;
struct verdicts;

struct verdicts *verdicts_new(void);
void verdicts_free(struct verdicts *v);

/* Whose the credential is, with *scopes; NULL: not known, or not known any more. */
struct principal *verdicts_find(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], uint64_t now_ns,
    uint64_t unix_ms, uint32_t *scopes);

/* Remember until until_ns, or until the credential expires (0: it does not). */
void verdicts_keep(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], struct principal *who, uint32_t scopes,
    uint64_t until_ns, uint64_t expires_unix_ms);

/* Forget all credentials of a principal, or, with NULL, of everybody. */
void verdicts_forget(struct verdicts *v, const struct principal *who);

#endif
