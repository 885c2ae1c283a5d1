#include "workers/auth/store/store_device.h"

#include <string.h>

#include "workers/auth/store/store_driver.h"

#define DIGEST(d)	STORE_B(d, STORE_DIGEST)

int
store_device_add(struct store *s, const struct store_device *d, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_DEVICE_ADD, err, DIGEST(d->digest), DIGEST(d->word),
				STORE_T(d->client), STORE_N(d->scopes), STORE_T(d->resource), STORE_T(d->issuer),
				STORE_T(d->address), STORE_N(d->created_ms), STORE_N(d->expires_ms),
				STORE_N(d->pause_ms), STORE_T(d->named.text)),
	    NULL, err);
}

/* Reads STORE_DEVICE_COLUMNS. */
static int
read_device(struct store_query *q, struct store_device *d, struct err *err)
{
	int found = store_look(q, err);

	if (found != 1)
		return found;
	memset(d, 0, sizeof(*d));
	(void)store_column_blob(q, 0, d->digest, STORE_DIGEST);
	(void)store_column_blob(q, 1, d->word, STORE_DIGEST);
	store_column_text(q, 2, d->client, sizeof(d->client));
	d->scopes = (uint32_t)store_column_uint(q, 3);
	store_column_text(q, 4, d->resource, sizeof(d->resource));
	store_column_text(q, 5, d->issuer, sizeof(d->issuer));
	store_column_text(q, 6, d->address, sizeof(d->address));
	d->created_ms = store_column_uint(q, 7);
	d->expires_ms = store_column_uint(q, 8);
	d->polled_ms = store_column_uint(q, 9);
	d->pause_ms = store_column_uint(q, 10);
	d->state = (enum store_device_state)store_column_uint(q, 11);
	store_column_text(q, 12, d->user, sizeof(d->user));
	store_column_text(q, 13, d->grant, sizeof(d->grant));
	store_column_named(q, 14, d->scopes, &d->named);
	return store_found(q);
}

int
store_device(struct store *s, const uint8_t digest[STORE_DIGEST], struct store_device *out, struct err *err)
{
	return read_device(STORE_GIVEN(s, STORE_DEVICE, err, DIGEST(digest)), out, err);
}

int
store_device_named(struct store *s, const uint8_t word[STORE_DIGEST], struct store_device *out, struct err *err)
{
	return read_device(STORE_GIVEN(s, STORE_DEVICE_NAMED, err, DIGEST(word)), out, err);
}

int
store_device_polled(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t now_ms, uint64_t pause_ms,
    struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_DEVICE_POLLED, err, DIGEST(digest), STORE_N(now_ms),
				STORE_N(pause_ms)),
	    NULL, err);
}

int
store_device_decide(struct store *s, const uint8_t digest[STORE_DIGEST], enum store_device_state state,
    const char *user, uint32_t scopes, const char *named, uint64_t now_ms, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_DEVICE_DECIDE, err, DIGEST(digest), STORE_N(state), STORE_T(user),
				    STORE_N(scopes), STORE_T(named), STORE_N(now_ms)),
	    err);
}

int
store_device_take(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t now_ms, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_DEVICE_TAKE, err, DIGEST(digest), STORE_N(now_ms)), err);
}

int
store_device_granted(struct store *s, const uint8_t digest[STORE_DIGEST], const char *grant, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_DEVICE_GRANTED, err, DIGEST(digest), STORE_T(grant)), NULL, err);
}

int
store_devices_waiting(struct store *s, uint64_t now_ms, uint64_t *n, struct err *err)
{
	return store_count(STORE_GIVEN(s, STORE_DEVICES_WAITING, err, STORE_N(now_ms)), n, err);
}
