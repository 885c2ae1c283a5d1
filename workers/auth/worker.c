#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/auth/admin.h"
#include "workers/auth/audit/audit_copies.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/audit/audit_serve.h"
#include "workers/auth/files/files.h"
#include "workers/auth/limits_shared.h"
#include "workers/auth/elsewhere.h"
#include "workers/auth/nodes.h"
#include "workers/auth/node_report.h"
#include "workers/auth/nodes_key.h"
#include "workers/auth/oauth/hashing.h"
#include "workers/auth/oauth/metadata.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/oauth/issuers.h"
#include "workers/auth/oauth/provider.h"
#include "workers/auth/oauth/revoke.h"
#include "workers/auth/tokens/tokens.h"
#include "workers/auth/tokens/uses.h"
#include "workers/auth/conversation.h"
#include "workers/auth/lease.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/shared/serve.h"

static void
configure_oauth(struct auth_conf *c, const struct ipc_configure_auth *m)
{
	c->oauth = m->oauth != 0;
	c->registration = m->registration != 0;
	c->client_metadata = m->client_metadata != 0;
	c->unregistered_loopback = m->unregistered_loopback != 0;
	c->proxy_users = m->proxy_users != 0;
	memcpy(c->refresh_key, m->refresh_key.p, AUTH_KEY);
	memcpy(c->seal_key, m->seal_key.p, AUTH_KEY);
	c->public_url = mem_text(m->public_url);
	c->code_ttl_s = (unsigned)m->code_ttl_s;
	c->access_ttl_s = (unsigned)m->access_ttl_s;
	c->refresh_ttl_days = (unsigned)m->refresh_ttl_days;
	c->refresh_max_days = (unsigned)m->refresh_max_days;
	c->refresh_grace_s = (unsigned)m->refresh_grace_s;
	c->register_per_min = (unsigned)m->register_per_min;
	c->authorize_per_min = (unsigned)m->authorize_per_min;
	c->consent_days = (unsigned)m->consent_days;
	c->session_h = (unsigned)m->session_h;
	c->device_code_ttl_s = (unsigned)m->device_code_ttl_s;
	buf_span(&c->redirect_schemes, m->redirect_schemes);
	auth_text(c->proxy_role, sizeof(c->proxy_role), m->proxy_role);
	c->oidc_issuer = mem_text(m->oidc_issuer);
	c->oidc_client = mem_text(m->oidc_client);
	c->oidc_scopes = mem_text(m->oidc_scopes);
	buf_span(&c->oidc_roles, m->oidc_roles);
	buf_span(&c->roles, m->roles);
	buf_span(&c->team, m->team);
	c->oidc_only = m->oidc_only != 0;
	buf_span(&c->issuers, m->issuers);
	buf_span(&c->preferences, m->preferences);
}

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max,
    bool *best_effort, struct err *err)
{
	const struct ipc_configure_auth *m = msg;
	struct auth *a = mem_new(1, sizeof(*a));
	struct auth_conf *c = &a->conf;

	*state = a;
	if (sodium_init() < 0)
		return err_set(err, ERR_INTERNAL, "libsodium cannot be set up");
	c->state = mem_text(m->state);
	c->state_url = mem_text(m->state_url);
	c->lease_ms = (unsigned)m->lease_ms;
	c->files_max = m->files_max;
	c->alone = m->alone != 0;
	auth_text(c->node, sizeof(c->node), m->node);
	c->project_dir = mem_text(m->project_dir);
	memcpy(c->token_key, m->token_key.p, AUTH_KEY);
	memcpy(c->audit_mac_key, m->audit_mac_key.p, AUTH_KEY);
	memcpy(c->audit_sign_seed, m->audit_sign_seed.p, AUTH_KEY);
	buf_span(&c->static_token, m->static_token);
	c->has_journals = m->journal_key.len == JOURNAL_KEY;
	if (c->has_journals)
		memcpy(c->journal_key, m->journal_key.p, JOURNAL_KEY);
	c->audit_key_outside = m->audit_key_outside != 0;
	c->audit_disk = m->audit_disk != 0;
	c->retention_days = (unsigned)m->audit_retention_days;
	auth_text(c->token_prefix, sizeof(c->token_prefix), m->token_prefix);
	auth_text(c->tool_prefix, sizeof(c->tool_prefix), m->tool_prefix);
	if (m->tool_prefix.len == 0)
		memcpy(c->tool_prefix, TOOL_NAMES_OWN, sizeof(TOOL_NAMES_OWN));
	c->connectivity = (enum ipc_connectivity_switch)m->connectivity;
	auth_text(c->bind_host, sizeof(c->bind_host), m->bind_host);
	c->port = (unsigned)m->port;
	c->max_tokens = (unsigned)m->max_tokens;
	a->rates = (struct limits_conf){
		.token_per_min = (uint32_t)m->requests_per_min, .token_sql_per_min = (uint32_t)m->sql_per_min,
		.tokens_per_min = (uint32_t)m->global_per_min, .token_in_flight = (uint32_t)m->in_flight,
		.research_per_min = (uint32_t)m->research_per_min, .resources_per_min = (uint32_t)m->resources_per_min,
		.ask_per_min = (uint32_t)m->ask_per_min, .failures_per_min = (uint32_t)m->auth_failures_per_min,
		.block_s = (uint32_t)m->block_s,
	};
	configure_oauth(c, m);
	a->admin = admin_new(m->page_keys);
	places->state_path = c->state;
	places->project_dir = c->project_dir;
	*memory_max = m->memory_max;
	*best_effort = m->best_effort != 0;
	return 0;
}

/* What nodes share may be had a moment later. */
static int
fail_shared(struct err *err)
{
	err->code = ERR_DATABASE_UNAVAILABLE;
	err->detail[0] = '\0';
	return -1;
}

static int
join_nodes(struct auth *a, struct err *err)
{
	int result = store_over(a->store, a->own, err) != 0 || nodes_key_check(a, err) != 0 ? -1 : 0;

	lease_note(a);
	return result;
}

static int
open_auth(void *state, struct err *err)
{
	struct auth *a = state;
	struct audit_settings audit = {
		.path = a->conf.state, .has_journals = a->conf.has_journals, .disk = a->conf.audit_disk,
		.retention_days = a->conf.retention_days, .seen = audit_seen, .arg = a,
		.secret = buf_view(&a->conf.static_token),
	};

	if ((a->own = store_open(a->conf.state, a->conf.audit_disk, err)) == NULL)
		return -1;
	if (a->store == NULL)
		a->store = a->own;
	else if (join_nodes(a, err) != 0 && !a->conf.alone)
		return fail_shared(err);
	memcpy(audit.mac_key, a->conf.audit_mac_key, AUTH_KEY);
	memcpy(audit.sign_seed, a->conf.audit_sign_seed, AUTH_KEY);
	memcpy(audit.journal_key, a->conf.journal_key, JOURNAL_KEY);
	a->audit = audit_new(a->own, &audit);
	sodium_memzero(&audit, sizeof(audit));
	a->copies = audit_copies_new(&(struct audit_copies_settings){ .audit = a->audit, .own = a->own,
	    .shared = a->store, .node = a->conf.node, .key = a->conf.seal_key,
	    .retention_days = a->conf.retention_days });
	if (a->store != a->own)
		a->files = files_new(&(struct files_settings){ .own = a->own, .shared = a->store,
		    .project_dir = a->conf.project_dir, .key = a->conf.seal_key, .most = a->conf.files_max });
	a->tend = auth_tend;
	a->limits = limits_new(&a->rates);
	a->hashing = hashing_new();
	a->metadata = metadata_new();
	a->provider = provider_new(a);
	a->issuers = issuers_new(a);
	tokens_changed(a);
	if (oauth_open(a, err) == 0 && connectivity_read(a, err) == 0)
		return 0;
	if (a->conf.alone && store_away(a->store) != NULL)
		return 0;
	return a->store == a->own ? -1 : fail_shared(err);
}

static void
close_auth(void *state)
{
	struct auth *a = state;

	if (a == NULL)
		return;
	if (a->store != NULL)
		uses_write(a, store_now_ms(a->store));
	hashing_free(a);
	metadata_free(a->metadata);
	provider_free(a->provider);
	issuers_free(a->issuers);
	admin_free(a->admin);
	oauth_close(a);
	limits_free(a->limits);
	limits_shared_free(a);
	audit_copies_free(a->copies);
	files_free(a->files);
	audit_free(a->audit);
	if (a->store != a->own)
		store_close(a->store);
	store_close(a->own);
	free(a->conf.state);
	free(a->conf.state_url);
	free(a->conf.project_dir);
	free(a->conf.public_url);
	free(a->conf.oidc_issuer);
	free(a->conf.oidc_client);
	free(a->conf.oidc_scopes);
	buf_fini(&a->conf.oidc_roles);
	buf_fini(&a->conf.roles);
	buf_fini(&a->conf.team);
	buf_fini(&a->conf.issuers);
	buf_fini(&a->told_claims);
	buf_wipe(&a->conf.static_token);
	buf_fini(&a->conf.redirect_schemes);
	buf_fini(&a->conf.preferences);
	sodium_memzero(a, sizeof(*a));
	free(a);
}

static void
take_event(void *state, const struct ipc_event *msg)
{
	audit_hear_event(state, msg);
}

static void
take_synced(void *state, const struct ipc_synced *msg)
{
	behind_take(state, msg);
}

static void
take_fetched(void *state, const struct ipc_fetched *msg)
{
	metadata_take(state, msg);
}

static void
take_identified(void *state, const struct ipc_identified *msg)
{
	if (!issuers_take(state, msg))
		provider_take(state, msg);
}

void
auth_tend(struct auth *a)
{
	uint64_t now = store_now_ms(a->store);

	if (store_away(a->store) == NULL) {
		tokens_tend(a, now);
		oauth_tend(a, now);
		elsewhere_tend(a);
		nodes_tend(a);
	}
	lease_tend(a);
	behind_tend(a);
	node_report_tend(a);
	hashing_tend(a, clock_ns());
	metadata_tend(a, clock_ns());
	limits_shared_tend(a, clock_ns());
	provider_tend(a, clock_ns());
	issuers_tend(a);
	revoke_tend(a, clock_ns());
}

static void
end_turn(void *state)
{
	auth_tend(state);
	audit_serve_turn(state);
}

static unsigned
gather_of_auth(void *state)
{
	struct auth *a = state;

	return audit_gather_us(a->audit);
}

static void
idle_auth(void *state)
{
	struct auth *a = state;

	auth_tend(a);
	/* Send answers before the slower work that follows. */
	serve_flush_now();
	audit_idle(a->audit, clock_ns());
	audit_copies_tend(a->copies, clock_ns());
	a->files_due = a->files != NULL && files_step(a->files, clock_ns());
	if (strcmp(a->told_failing, lease_failing(a)) != 0)
		connectivity_tell(a);
}

static unsigned
patience_of_auth(void *state)
{
	struct auth *a = state;
	unsigned ms = audit_patience_ms(a->audit), shared = limits_shared_patience_ms(a);
	unsigned revoke = revoke_patience_ms(a);

	if (a->files_due)
		return 0;
	ms = revoke < ms ? revoke : ms;
	/* A store with a lease is asked several times within it. */
	return !store_is_shared(a->store) || ms < shared ? ms : shared;
}

static int
watch_store(void *state)
{
	struct auth *a = state;

	return store_watch(a->store);
}

static void
take_journal(void *state, uint64_t peer, unsigned number, int fd)
{
	struct auth *a = state;

	audit_journals_open(a->audit, peer, number, fd);
}

const struct role auth_role = {
	.role = IPC_AUTH,
	.tools = auth_tools,
	.configure = IPC_MSG_CONFIGURE_AUTH,
	.configure_size = sizeof(struct ipc_configure_auth),
	.local_key = offsetof(struct ipc_configure_auth, local_key),
	.configure_with = configure_with,
	.open = open_auth,
	.idle = idle_auth,
	.idle_ms = patience_of_auth,
	.watch = watch_store,
	.frame = conversation_hear,
	.turn = end_turn,
	.gather_us = gather_of_auth,
	.event = take_event,
	.synced = take_synced,
	.fetched = take_fetched,
	.identified = take_identified,
	.attached = conversation_begin,
	.detached = conversation_end,
	.journal = take_journal,
	.close = close_auth,
};
