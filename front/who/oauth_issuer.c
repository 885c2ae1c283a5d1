#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/text/web_url.h"
#include "base/mp.h"
#include "front/who/auth_ask.h"
#include "front/front.h"
#include "front/who/oauth_issuer.h"

static const char *const site_names[OAUTH_SITES] = { "localhost", "127.0.0.1", "[::1]" };

static void
derive_key(uint8_t key[OAUTH_KEY], struct span root)
{
	static const char purpose[] = "carrel forms 1";

	crypto_generichash(key, OAUTH_KEY, (const uint8_t *)purpose, sizeof(purpose) - 1, root.p, root.len);
}

static void
make_site(const struct oauth *o, struct oauth_site *site, const struct ipc_configure_front *m)
{
	struct span issuer = buf_view(&site->issuer);
	unsigned traits = (o->registration ? DOCUMENT_REGISTRATION : 0u) |
	    (o->client_metadata ? DOCUMENT_CLIENT_DOCUMENTS : 0u) | (o->device ? DOCUMENT_DEVICE : 0u);

	document_put_resource(&site->documents[OAUTH_MCP], issuer, DOCUMENTS_MCP, m->issuers, m->team);
	document_put_resource(&site->documents[OAUTH_DATA_AGENT], issuer, DOCUMENTS_DATA_AGENT, m->issuers, m->team);
	document_put_server(&site->documents[OAUTH_SERVER], issuer, traits, m->team);
	document_put_server(&site->documents[OAUTH_OPENID], issuer, traits | DOCUMENT_OPENID, m->team);
}

static void
make_sites(struct oauth *o, const struct ipc_configure_front *m)
{
	if (o->public_url[0] != '\0') {
		buf_str(&o->sites[0].issuer, o->public_url);
		make_site(o, &o->sites[0], m);
		return;
	}
	for (size_t i = 0; i < OAUTH_SITES; i++) {
		struct buf *issuer = &o->sites[i].issuer;

		buf_printf(issuer, "http://%s", site_names[i]);
		if (m->port != 80)
			buf_printf(issuer, ":%u", (unsigned)m->port);
		make_site(o, &o->sites[i], m);
	}
}

struct oauth *
oauth_new(const struct ipc_configure_front *m)
{
	struct oauth *o = mem_new(1, sizeof(*o));
	struct span url = m->public_url;
	struct web_url provider;

	while (url.len > 0 && url.p[url.len - 1] == '/')
		url.len--;
	o->enabled = m->oauth != 0;
	o->registration = m->oauth_registration != 0;
	o->client_metadata = m->oauth_client_metadata != 0;
	o->device = m->oauth_device != 0;
	o->provider = mem_text(web_url_read(m->oidc_issuer, &provider) ? provider.host : SPAN(""));
	o->provider_only = m->oidc_only != 0;
	o->public_url = mem_text(url);
	o->path_at = document_origin(url);
	make_sites(o, m);
	document_put_keys(&o->keys_document, NULL, 0);
	derive_key(o->form_key, m->signing_key);
	o->asks = auth_asks_new();
	return o;
}

void
oauth_free(struct oauth *o)
{
	if (o == NULL)
		return;
	auth_asks_free(o->asks);
	for (size_t i = 0; i < OAUTH_SITES; i++) {
		buf_fini(&o->sites[i].issuer);
		for (size_t j = 0; j < OAUTH_DOCUMENTS; j++)
			buf_fini(&o->sites[i].documents[j]);
	}
	buf_fini(&o->keys_document);
	free(o->public_url);
	free(o->provider);
	sodium_memzero(o->form_key, sizeof(o->form_key));
	free(o);
}

const struct oauth_site *
oauth_site(const struct front *f, struct span host)
{
	size_t i = f->oauth->public_url[0] != '\0' ? 0 : OAUTH_SITES - 1;

	while (i > 0 && !span_begins(host, site_names[i]))
		i--;
	return &f->oauth->sites[i];
}

struct span
oauth_issuer(const struct front *f, struct span host)
{
	return buf_view(&oauth_site(f, host)->issuer);
}

static bool
take_key(const struct mp_value *v, struct document_key *key)
{
	struct span kid = mp_get_str(v, "kid", SPAN(""));
	struct mp_value x;

	if (v->class != MP_MAP || kid.len == 0 || kid.len >= sizeof(key->kid) || !mp_get(v, "x", &x) ||
	    x.class != MP_BIN || x.s.len != sizeof(key->x))
		return false;
	snprintf(key->kid, sizeof(key->kid), "%.*s", SPAN_FMT(kid));
	memcpy(key->x, x.s.p, sizeof(key->x));
	key->until_unix_ms = mp_get_uint(v, "until", 0);
	return true;
}

bool
oauth_take_keys(struct front *f, const struct ipc_keys *m)
{
	struct oauth *o = f->oauth;
	struct mp_value all, v;
	struct mp_iter it;

	o->nkeys = 0;
	if (!mp_value(m->keys, &all) || all.class != MP_ARRAY || all.n > OAUTH_KEYS_MAX)
		return false;
	it = mp_iter(&all);
	while (mp_next(&it, &v))
		if (!take_key(&v, &o->keys[o->nkeys++]))
			return false;
	buf_reset(&o->keys_document, SIZE_MAX);
	document_put_keys(&o->keys_document, o->keys, o->nkeys);
	return true;
}

const struct document_key *
oauth_key(const struct front *f, struct span kid, uint64_t unix_ms)
{
	const struct oauth *o = f->oauth;

	for (size_t i = 0; i < o->nkeys; i++)
		if (span_is_str(kid, o->keys[i].kid))
			return o->keys[i].until_unix_ms == 0 || o->keys[i].until_unix_ms > unix_ms ? &o->keys[i] : NULL;
	return NULL;
}

const char *
oauth_error(enum ipc_oauth outcome)
{
	switch (outcome) {
	case IPC_OAUTH_INVALID_REQUEST:
		return "invalid_request";
	case IPC_OAUTH_INVALID_CLIENT:
		return "invalid_client";
	case IPC_OAUTH_INVALID_GRANT:
		return "invalid_grant";
	case IPC_OAUTH_INVALID_SCOPE:
		return "invalid_scope";
	case IPC_OAUTH_INVALID_TARGET:
		return "invalid_target";
	case IPC_OAUTH_ACCESS_DENIED:
		return "access_denied";
	case IPC_OAUTH_UNSUPPORTED_GRANT_TYPE:
		return "unsupported_grant_type";
	case IPC_OAUTH_UNSUPPORTED_RESPONSE_TYPE:
		return "unsupported_response_type";
	case IPC_OAUTH_INVALID_REDIRECT_URI:
		return "invalid_redirect_uri";
	case IPC_OAUTH_INVALID_CLIENT_METADATA:
		return "invalid_client_metadata";
	case IPC_OAUTH_AUTHORIZATION_PENDING:
		return "authorization_pending";
	case IPC_OAUTH_SLOW_DOWN:
		return "slow_down";
	case IPC_OAUTH_EXPIRED_TOKEN:
		return "expired_token";
	case IPC_OAUTH_TOO_MANY:
		return "temporarily_unavailable";
	case IPC_OAUTH_BUSY:
	case IPC_OAUTH_UNAVAILABLE:
		return "temporarily_unavailable";
	default:
		return NULL;
	}
}
