/*
 * verdicts - a short memory of credentials that carrel-auth found good, by a digest of 32 bytes (BLAKE2b).
 * Bad ones are not remembered: strangers cannot fill it.  Pure: no I/O.
 */
#ifndef FRONT_VERDICTS_H
#define FRONT_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#define VERDICTS_MAX	4096u	/* beyond: the least recently used is forgotten */
#define VERDICT_DIGEST	32

struct principal;
struct user_grant;
struct verdicts;

/* The rights of a credential. */
struct verdict_rights {
	uint32_t		 scopes, may;
	const struct user_grant	*grant;		/* of a user's; else NULL */
};

struct verdicts *verdicts_new(void);
void verdicts_free(struct verdicts *v);

/* The principal of the credential, with *rights; NULL: not remembered, or expired. */
struct principal *verdicts_find(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], uint64_t now_ns,
    uint64_t unix_ms, struct verdict_rights *rights);

/* Remember until until_ns, or until the credential expires (0: it does not). */
void verdicts_keep(struct verdicts *v, const uint8_t digest[VERDICT_DIGEST], struct principal *who,
    const struct verdict_rights *rights, uint64_t until_ns, uint64_t expires_unix_ms);

/* Forget all credentials of a principal, or, with NULL, of everybody. */
void verdicts_forget(struct verdicts *v, const struct principal *who);

#endif
