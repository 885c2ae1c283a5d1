/*
 * jose - reads JSON Web Signatures of other issuers in compact form (RFC 7515) and verifies them with the issuer's key
 * set (RFC 7517).  Strict (RFC 8725): the algorithm is one of a list and has to fit the key, the header may not bring a
 * key or an extension.  Pure: no I/O, no clock.
 */
#pragma once

#include "base/buf.h"
#include "base/mp.h"
#include "base/span.h"
#include "policy/sign_in.h"

#define JOSE_TOKEN_MAX	16384u	/* bytes of a token */
#define JOSE_KEYS_MAX	100u	/* of a key set; one with more is unfit */

enum jose_algorithm { JOSE_RS256, JOSE_ES256, JOSE_EDDSA, JOSE_ALGORITHMS };

/* The spans borrow from the text that was read, or from room. */
struct jose {
	enum jose_algorithm algorithm;
	struct span	covered;	/* what is signed */
	struct span	signature, kid, typ;	/* kid, typ empty: none is named */
	struct mp_value	claims;		/* a map */
	struct buf	room;
};

/* Read text, without its signature: DONE, FORM, HEADER or ALGORITHM.  *t is to be ended whatever is returned. */
enum sign_in jose_read(struct span text, struct jose *t);
void jose_fini(struct jose *t);

/* Have libcrypto load what it verifies with: for a process that confines itself afterwards. */
void jose_warm(void);

/* A claim that is a time, in Unix seconds.  False: it is missing, or no time. */
bool jose_time(const struct mp_value *claims, const char *name, uint64_t *out);

/*
 * The claim of this name; MP_NIL if the token lacks it.  A whole name goes before its parts, which dots part:
 * "https://example.org/groups" has dots, too.
 */
struct mp_value jose_claim(const struct mp_value *claims, struct span name);

/*
 * Verify the signature with the key of the set that the token names: DONE, KEY_UNKNOWN, KEY_UNFIT or SIGNATURE.  set:
 * the document of the key set as msgpack.  A token that names no key is verified with the only one that fits.
 */
enum sign_in jose_verify(const struct jose *t, const struct mp_value *set);
