/*
 * store_device - device grants (RFC 8628) that wait for their user, or for their device: rows as structs.  Functions
 * return as in store.h; times are Unix milliseconds.
 */
#pragma once

#include "workers/auth/store/store_oauth.h"

/* Only a waiting one is decided, and only an allowed one is taken: each once, by the first caller. */
enum store_device_state {
	STORE_DEVICE_WAITING, STORE_DEVICE_ALLOWED, STORE_DEVICE_DENIED, STORE_DEVICE_TAKEN
};

struct store_device {
	uint8_t		digest[STORE_DIGEST];		/* of the device's code */
	uint8_t		word[STORE_DIGEST];		/* of the user's code, under a key */
	char		client[STORE_CLIENT_MAX + 1];
	uint32_t	scopes;				/* asked for; of an allowed one: granted */
	struct policy_named named;			/* the same of the team's tools */
	char		resource[STORE_URI_MAX + 1], issuer[STORE_ISSUER_MAX + 1];
	char		address[65];			/* of the device */
	uint64_t	created_ms, expires_ms, polled_ms, pause_ms;
	enum store_device_state state;
	char		user[STORE_USER_MAX + 1];	/* who decided; empty: no user yet */
	char		grant[STORE_GRANT_ID + 1];	/* the grant that it made; empty: none */
};

int store_device_add(struct store *s, const struct store_device *d, struct err *err);

/* 1: found; 0: none; -1. */
int store_device(struct store *s, const uint8_t digest[STORE_DIGEST], struct store_device *out, struct err *err);
int store_device_named(struct store *s, const uint8_t word[STORE_DIGEST], struct store_device *out, struct err *err);

/* The device has asked, and is to leave this pause before it asks again. */
int store_device_polled(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t now_ms, uint64_t pause_ms,
    struct err *err);

/* The user allows these scopes, or denies: 1; 0: it was decided before, or has expired; -1. */
int store_device_decide(struct store *s, const uint8_t digest[STORE_DIGEST], enum store_device_state state,
    const char *user, uint32_t scopes, const char *named, uint64_t now_ms, struct err *err);

/* Take what was allowed: 1; 0: it is not allowed, was taken, or has expired; -1.  granted: the grant that it made. */
int store_device_take(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t now_ms, struct err *err);
int store_device_granted(struct store *s, const uint8_t digest[STORE_DIGEST], const char *grant, struct err *err);

int store_devices_waiting(struct store *s, uint64_t now_ms, uint64_t *n, struct err *err);
