/*
 * jws - reads access tokens: JSON Web Signatures in compact form (RFC 7515), of the one profile that Carrel itself
 * makes (RFC 9068, Ed25519).  Whatever else a JOSE library would accept is refused.  Pure: no I/O, no clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define JWS_MAX		8192u	/* bytes of a token */
#define JWS_KEY		32	/* bytes of an Ed25519 public key */
#define JWS_SIGNATURE	64

/* Why a text is no access token.  Zero is success; each value has its own test. */
enum jws_fault {
	JWS_OK = 0,
	JWS_FORM,	/* not three parts of strict base64url */
	JWS_HEADER,	/* not exactly alg, typ and kid, with the values that are made here */
	JWS_CLAIMS	/* a claim is missing or of another type */
};

/* The spans borrow from the text that was read, or from room. */
struct jws {
	struct span	covered;	/* what is signed */
	uint8_t		signature[JWS_SIGNATURE];
	struct span	kid, issuer, subject, client, grant, scope;
	struct span	audience;	/* msgpack: a str, or an array of them */
	uint64_t	issued, expires, not_before;	/* Unix seconds; not_before 0: not said */
	struct buf	room;
};

/* Read text, whose signature is not checked.  *t is to be ended whatever is returned. */
enum jws_fault jws_read(struct span text, struct jws *t);
void jws_fini(struct jws *t);

/* Whether text consists of three parts, so that it is treated as an access token. */
bool jws_is_meant(struct span text);

bool jws_is_signed_by(const struct jws *t, const uint8_t key[JWS_KEY]);

/* Whether the token's audience has this resource. */
bool jws_is_for(const struct jws *t, struct span resource);
