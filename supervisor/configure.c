#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/log.h"
#include "base/system/net.h"
#include "base/mp.h"
#include "ipc/journal.h"
#include "policy/proof.h"
#include "policy/tools.h"
#include "project/account.h"
#include "project/keys.h"
#include "project/paths.h"
#include "project/config/config_connection.h"
#include "project/config/config_reach.h"
#include "project/config/config_server.h"
#include "project/config/config_identity.h"
#include "project/config/config_value.h"
#include "project/config/preferences.h"
#include "project/repository.h"
#include "supervisor/state/state_files.h"
#include "supervisor/configure.h"
#include "supervisor/password.h"
#include "supervisor/reach.h"
#include "supervisor/team_tools.h"
#include "project/config/secret.h"

#define TARGET_MAX	98304	/* bytes of what a driver connects with: 64 patterns of files */
#define AUTH_OF_NODES	"carrel-auth-postgres"	/* carrel-auth where nodes share a store */
#define AUDIT_KEY_MIN	16u	/* bytes: fewer can be guessed */
#define AUTH_MEMORY		(UINT64_C(256) << 20)	/* address space */
#define FETCH_MEMORY		(UINT64_C(256) << 20)
#define PWHASH_MEMORY		(UINT64_C(192) << 20)	/* Argon2id takes 64 MiB of it */
#define TUNNEL_MEMORY		(UINT64_C(512) << 20)
#define SSH_PROGRAM		"/usr/bin/ssh"
#define SSH_FILE_MAX		((size_t)4 << 20)
#define TELEMETRY_MEMORY	(UINT64_C(512) << 20)
#define AGENT_MEMORY		(UINT64_C(1024) << 20)

#define SAME(configured, sent)	_Static_assert((int)(configured) == (int)(sent), "sent as it is configured")
SAME(CONFIG_SWITCH_UNSET, IPC_CONNECTIVITY_UNSET);
SAME(CONFIG_SWITCH_OFF, IPC_CONNECTIVITY_OFF);
SAME(CONFIG_SWITCH_ON, IPC_CONNECTIVITY_ON);
SAME(CONFIG_MODEL_NONE, IPC_MODEL_DATA_NONE);
SAME(CONFIG_MODEL_SCHEMA, IPC_MODEL_DATA_SCHEMA);
SAME(CONFIG_MODEL_ROWS, IPC_MODEL_DATA_ROWS);

#define LISTS	16u	/* RAW fields that one message has at most */

/* Owns everything that a configuration message borrows from until it is packed. */
struct configure_draft {
	struct supervisor	*sup;
	const struct config	*cfg;
	const char		*connection;	/* of an SQL worker */
	bool			 alone;		/* no other process of the role serves */
	bool			 nameless;	/* leaves out a password that a command printed */
	const struct ipc_identify *step;	/* of carrel-fetch; NULL: it fetches a client's document */
	struct arena		*arena;
	struct buf		 lists[LISTS];	/* the RAW fields */
	size_t			 nlists;
	struct buf		 secret;	/* one secret at a time; wiped */
	struct buf		 target;	/* wiped */
	char			 directory[100], socket[107];	/* of a tunnel */
	char			 host[65];	/* the name of this machine */
	char			 column_key[2 * crypto_generichash_BYTES + 1];	/* wiped */
	uint8_t			 front_key[32], local_key[PROOF_KEY];	/* wiped */
	uint8_t			 auth_keys[5][32];	/* wiped */
	uint8_t			 journal_key[JOURNAL_KEY]; /* wiped */
	struct buf		 static_token;	/* wiped */
	uint8_t			 token_hash[crypto_hash_sha256_BYTES];
};

static const struct config_connection *
find_connection(const struct config *cfg, const char *id)
{
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (strcmp(cfg->connections[i].id, id) == 0)
			return &cfg->connections[i];
	return NULL;
}

const char *
configure_binary(const struct config *cfg, enum ipc_role role, const char *connection)
{
	const struct config_connection *c;

	if (role == IPC_AUTH && cfg->state_url != NULL)
		return AUTH_OF_NODES;
	if (!ipc_role_has_drivers(role))
		return ipc_role_row(role)->binary;
	/* Without a connection the worker only announces its tools, which are the same for all drivers. */
	c = find_connection(cfg, connection);
	return c != NULL && c->driver != NULL ? c->driver->binary : drivers[0]->binary;
}

unsigned
configure_workers(const struct config_connection *c)
{
	return c->driver == NULL ? 0 : c->workers + c->driver->spares;
}

static struct buf *
new_list(struct configure_draft *d)
{
	struct buf *b;

	if (d->nlists == LISTS)
		abort();
	b = &d->lists[d->nlists++];
	b->max = IPC_CONTROL_MAX;
	return b;
}

static struct span
pack_strings(struct configure_draft *d, const struct config_strings *list)
{
	struct buf *b = new_list(d);

	mp_put_array(b, list->n);
	for (size_t i = 0; i < list->n; i++)
		mp_put_cstr(b, list->v[i]);
	return buf_view(b);
}

static void
put_pairs(const struct config_pairs *pairs, struct buf *out)
{
	size_t mark = mp_open_map(out);

	for (size_t i = 0; i < pairs->n; i++)
		mp_pair_cstr(out, pairs->v[i].key, pairs->v[i].value);
	mp_end(out, mark);
}

static struct span
pack_pairs(struct configure_draft *d, const struct config_pairs *pairs)
{
	struct buf *b = new_list(d);

	put_pairs(pairs, b);
	return buf_view(b);
}

/* The accounts that listen_check() found; one that has gone since then is left out. */
static struct span
pack_uids(struct configure_draft *d, const struct config_strings *names)
{
	struct buf *b = new_list(d);
	uint32_t uid[16];
	size_t n = 0;

	for (size_t i = 0; i < names->n && n < sizeof(uid) / sizeof(uid[0]); i++)
		n += account_uid(names->v[i], &uid[n]);
	mp_put_array(b, n);
	for (size_t i = 0; i < n; i++)
		mp_put_uint(b, uid[i]);
	return buf_view(b);
}

/* A connection's column policy, in the form that policy/columns.h reads. */
static void
put_columns(struct buf *b, const struct config_connection *c)
{
	mp_put_array(b, c->columns.n);
	for (size_t i = 0; i < c->columns.n; i++) {
		const struct config_column_rule *r = &c->columns.v[i];

		mp_put_map(b, 3);
		mp_pair_cstr(b, "action", r->action);
		mp_pair_cstr(b, "pattern", r->pattern);
		mp_put_cstr(b, "scopes");
		/* A rule with an unknown scope binds all callers: the stricter reading. */
		mp_put_uint(b, r->scope == NULL ? 0 : policy_scope_named(span_str(r->scope)));
	}
}

static struct span
pack_columns(struct configure_draft *d, const struct config_connection *c)
{
	struct buf *b = new_list(d);

	put_columns(b, c);
	return buf_view(b);
}

static void
put_person(struct buf *b, const char *key, const struct config_person *p)
{
	size_t mark;

	mp_put_cstr(b, key);
	if (!p->set) {
		mp_put_nil(b);
		return;
	}
	mark = mp_open_pairs(b, mp_cstr("name", p->name));
	mp_put_cstr(b, "claims");
	put_pairs(&p->claims, b);
	mp_end(b, mark);
}

/* A connection's identity, in the form that policy/identity.h reads; empty: it has none. */
static void
put_identity(struct buf *b, const struct config_identity *id)
{
	size_t mark;

	if (!id->set)
		return;
	mark = mp_open_pairs(b, mp_cstr("role", id->role), mp_cstrs("roles", id->roles.v, id->roles.n));
	mp_put_cstr(b, "settings");
	put_pairs(&id->settings, b);
	put_person(b, "owner", &id->owner);
	put_person(b, "neutral", &id->neutral);
	mp_end(b, mark);
}

static struct span
pack_identity(struct configure_draft *d, const struct config_connection *c)
{
	struct buf *b = new_list(d);

	put_identity(b, &c->identity);
	return buf_view(b);
}

static bool
has_string(const struct config_strings *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], text) == 0)
			return true;
	return false;
}

/* The names of the claims that are kept of a user, of those that only has (empty: any). */
static struct config_strings
kept_claims(struct configure_draft *d, const struct config_strings *only)
{
	struct config_strings claims;
	size_t n = 0;

	if (!config_identity_claims(d->cfg, d->arena, &claims))
		return (struct config_strings){ .n = 0 };
	for (size_t i = 0; i < claims.n; i++)
		if (only->n == 0 || has_string(only, claims.v[i]))
			claims.v[n++] = claims.v[i];
	claims.n = n;
	return claims;
}

/* As an array; empty: none are. */
static struct span
pack_claims(struct configure_draft *d, const struct config_strings *only)
{
	struct config_strings claims = kept_claims(d, only);

	return claims.n > 0 ? pack_strings(d, &claims) : SPAN("");
}

/* Derived from the project's own key, so that digests stay the same over restarts and connections. */
static struct span
column_key(struct configure_draft *d)
{
	uint8_t raw[crypto_generichash_BYTES];

	keys_derive(d->sup->root_key, KEYS_COLUMNS, raw, sizeof(raw));
	sodium_bin2hex(d->column_key, sizeof(d->column_key), raw, sizeof(raw));
	sodium_memzero(raw, sizeof(raw));
	return span_str(d->column_key);
}

/* For the front: a list of {id, driver, workers}. */
static struct span
pack_pools(struct configure_draft *d)
{
	struct buf *b = new_list(d);

	mp_put_array(b, d->cfg->nconnections);
	for (size_t i = 0; i < d->cfg->nconnections; i++) {
		const struct config_connection *c = &d->cfg->connections[i];

		mp_put_pairs(b, mp_cstr("id", c->id), mp_cstr("driver", c->driver_name),
		    mp_uint("workers", configure_workers(c)));
	}
	return buf_view(b);
}

/* A scan leaves one statement at a time for callers' questions. */
static unsigned
scan_concurrency(const struct configure_draft *d, const struct config_connection *c)
{
	unsigned most = c->workers > 1 ? c->workers - 1 : 1;

	return d->cfg->scan_concurrency < most ? d->cfg->scan_concurrency : most;
}

/*
 * For search and memory: {id, driver, name, description?, schemas, concurrency, semanticOnly, identity, neutral,
 * default, columns}.
 */
static struct span
pack_connections(struct configure_draft *d)
{
	const char *chosen = config_default_connection(d->cfg);
	struct buf *b = new_list(d), identity = { 0 };

	mp_put_array(b, d->cfg->nconnections);
	for (size_t i = 0; i < d->cfg->nconnections; i++) {
		const struct config_connection *c = &d->cfg->connections[i];
		size_t mark = mp_open_map(b);

		mp_pair_bool(b, "default", chosen != NULL && strcmp(c->id, chosen) == 0);
		mp_pair_uint(b, "concurrency", scan_concurrency(d, c));
		mp_pair_bool(b, "semanticOnly", c->query_policy == CONFIG_QUERIES_SEMANTIC);
		put_identity(&identity, &c->identity);
		mp_put_cstr(b, "identity");
		mp_put_bin(b, buf_view(&identity));
		buf_reset(&identity, SIZE_MAX);
		mp_pair_bool(b, "neutral", c->identity.neutral.set);
		mp_pair_cstr(b, "id", c->id);
		mp_pair_cstr(b, "driver", c->driver_name);
		mp_pair_cstr(b, "name", c->name);
		if (c->description != NULL)
			mp_pair_cstr(b, "description", c->description);
		mp_pair_cstrs(b, "schemas", c->schemas.v, c->schemas.n);
		mp_put_cstr(b, "columns");
		put_columns(b, c);
		mp_end(b, mark);
	}
	buf_fini(&identity);
	return buf_view(b);
}

static struct span
pack_ontologies(struct configure_draft *d)
{
	struct buf *b = new_list(d);

	mp_put_array(b, d->cfg->ontologies.n);
	for (size_t i = 0; i < d->cfg->ontologies.n; i++) {
		const struct config_ontology *o = &d->cfg->ontologies.v[i];
		size_t map = mp_open_pairs(b, mp_cstr("id", o->id), mp_cstr("name", o->name),
		    mp_cstr("description", o->description), mp_cstr("connection", o->connection));

		mp_pair_array(b, "sources", o->sources.n);
		for (size_t k = 0; k < o->sources.n; k++)
			mp_put_cstr(b, o->sources.v[k]);
		mp_end(b, map);
	}
	return buf_view(b);
}

/* The front verifies tokens; carrel-auth knows what their groups may. */
static struct span
pack_issuers(struct configure_draft *d, bool auth)
{
	struct buf *b = new_list(d);

	mp_put_array(b, (unsigned)d->cfg->issuers.n);
	for (size_t i = 0; i < d->cfg->issuers.n; i++) {
		const struct config_issuer *one = &d->cfg->issuers.v[i];
		size_t map = mp_open_pairs(b, mp_cstr("issuer", one->issuer));

		if (auth) {
			mp_put_cstr(b, "roles");
			put_pairs(&one->roles, b);
		} else {
			mp_pair_cstr(b, "audience", one->audience);
			mp_pair_cstr(b, "typ", one->typ);
			mp_pair_cstr(b, "scopes", one->scope_claim);
			mp_pair_cstr(b, "roles", one->role_claim);
			mp_pair_uint(b, "maxAge", one->max_age_s);
			if (one->claims.n > 0) {
				struct config_strings claims = kept_claims(d, &one->claims);

				mp_pair_cstrs(b, "claims", claims.v, claims.n);
			}
		}
		mp_end(b, map);
	}
	return buf_view(b);
}

/* connection NULL: what the front lists. */
static struct span
pack_team(struct configure_draft *d, const char *connection)
{
	struct buf *b = new_list(d);

	if (connection == NULL)
		team_tools_put_offer(d->cfg, b);
	else
		team_tools_put_statements(d->cfg, connection, b);
	return buf_view(b);
}

/* Reads the secret behind ref into d->secret.  0; 1 if its environment variable is not set; -1. */
static int
configure_resolve(struct configure_draft *d, const char *ref, enum config_holds holds, struct err *err)
{
	buf_wipe(&d->secret);
	d->secret.max = CONFIG_SECRET_MAX;
	return config_secret(ref, holds, d->cfg->project_dir, d->sup->launch.credentials_dir, launch_getenv,
	    &d->sup->launch, &d->secret, err);
}

/* As configure_resolve(), but a missing value is an error. */
static int
require(struct configure_draft *d, const char *ref, enum config_holds holds, const char *what, struct err *err)
{
	int result = configure_resolve(d, ref, holds, err);

	if (result == 1 || (result == 0 && d->secret.len == 0))
		return config_env_name(ref) != NULL ?
		    err_set(err, ERR_DATABASE_UNAVAILABLE,
			"the environment variable %s, which gives the %s, is %s; "
			"export it, then `carrel mcp reload` when the daemon runs",
			config_env_name(ref), what, result == 1 ? "not set" : "empty") :
		    err_set(err, ERR_DATABASE_UNAVAILABLE, "%s, which gives the %s, is empty", ref, what);
	return result;
}

/* The front gets only a digest of the static token.  0: there is one, 1: none, -1. */
static int
hash_token(struct configure_draft *d, struct err *err)
{
	const char *token = d->sup->launch.token;
	int result = 0;

	if (token != NULL)
		crypto_hash_sha256(d->token_hash, (const uint8_t *)token, strlen(token));
	else if (d->cfg->token == NULL)
		return 1;
	else if ((result = configure_resolve(d, d->cfg->token, CONFIG_HOLDS_SECRET, err)) == 0 && d->secret.len == 0)
		result = 1;
	else if (result == 0)
		crypto_hash_sha256(d->token_hash, d->secret.p, d->secret.len);
	buf_wipe(&d->secret);
	return result;
}

int
configure_has_token(struct supervisor *sup, const struct config *cfg, struct err *err)
{
	struct configure_draft d = { .sup = sup, .cfg = cfg };
	int result = hash_token(&d, err);

	return result < 0 ? -1 : result == 0;
}

/* The front's signing key is derived, so that it reveals neither the root key nor any other key. */
static struct span
front_key(struct configure_draft *d)
{
	keys_derive(d->sup->root_key, KEYS_FRONT, d->front_key, sizeof(d->front_key));
	return span_of(d->front_key, sizeof(d->front_key));
}

static struct span
local_key(struct configure_draft *d, enum ipc_role role)
{
	keys_derive_local(d->sup->local_root, ipc_role_name(role), d->local_key, sizeof(d->local_key));
	return span_of(d->local_key, sizeof(d->local_key));
}

/* The key of the journals that fronts write and carrel-auth verifies. */
static struct span
journal_key(struct configure_draft *d)
{
	keys_derive(d->sup->root_key, KEYS_JOURNAL, d->journal_key, sizeof(d->journal_key));
	return span_of(d->journal_key, sizeof(d->journal_key));
}

static int
configure_FRONT(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config *cfg = d->cfg;
	const struct listener *l = &d->sup->listener;
	int token = hash_token(d, err);
	struct ipc_configure_front m = {
		.project_dir = span_str(cfg->project_dir),
		.host = span_str(l->n > 0 ? l->host : cfg->host),
		.port = l->port,
		.owner_uid = geteuid(),
		.signing_key = front_key(d),
		.result_bytes = cfg->result_bytes, .result_memory = cfg->result_memory,
		.body_bytes = cfg->body_bytes,
		.idle_s = cfg->session_idle_min * 60ull, .sweep_s = cfg->session_sweep_min * 60ull,
		.in_flight = cfg->research_in_flight, .research_per_min = cfg->research_per_min,
		.public_url = cfg->public_url != NULL ? span_str(cfg->public_url) : SPAN(""),
		.oauth = cfg->oauth.enabled,
		.oauth_registration = cfg->oauth.registration == CONFIG_REGISTRATION_OPEN,
		.oauth_client_metadata = cfg->oauth.client_metadata,
		.oauth_device = cfg->oauth.device_code_ttl_s > 0,
		.proxy_header = cfg->proxy_header != NULL ? span_str(cfg->proxy_header) : SPAN(""),
		.oidc_issuer = cfg->oidc.issuer != NULL ? span_str(cfg->oidc.issuer) : SPAN(""),
		.oidc_only = cfg->oidc.only && cfg->oidc.issuer != NULL,
		.issuers = pack_issuers(d, false),
		.claims = pack_claims(d, &(struct config_strings){ .n = 0 }),
		.token_prefix = span_str(cfg->connectivity.token_prefix),
		.auth_failures_per_min = cfg->connectivity.auth_failures_per_min,
		.block_s = cfg->connectivity.block_s,
		.audit_warn = cfg->audit_on_failure == CONFIG_AUDIT_WARN,
		.journal_key = journal_key(d),
		.sql_timeout_ms = cfg->sql_timeout_s * 1000ull,
		.memory_max = cfg->front_memory,
		.best_effort = cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
		.resource_scheme = span_str(cfg->resource_scheme),
		.tool_prefix = span_str(cfg->tool_prefix),
		.fronts = d->sup->launch.private_fd >= 0 ? 1 : cfg->fronts,
		.principals = cfg->telemetry.principals,
		.result_brief = cfg->result_text == CONFIG_RESULT_BRIEF,
		.export_rows = cfg->export_rows, .export_ms = cfg->export_s * 1000ull,
		.export_link_s = cfg->export_link_s,
		.private = d->sup->launch.private_fd >= 0,
	};

	if (token < 0)
		return -1;
	if (token == 0)
		m.token_sha256 = span_of(d->token_hash, sizeof(d->token_hash));
	/* Open is for our own processes on loopback; if the configuration does not say, only if no token is set. */
	m.loopback_open = cfg->loopback == CONFIG_LOOPBACK_OPEN ?
	    l->loopback || l->unlink_path[0] != '\0' :
	    cfg->loopback == CONFIG_LOOPBACK_DEFAULT && token == 1 && l->loopback;
	m.allowed_hosts = pack_strings(d, &cfg->allowed_hosts);
	m.allowed_origins = pack_strings(d, &cfg->allowed_origins);
	m.trusted_proxies = pack_strings(d, &cfg->trusted_proxies);
	m.proxy_uids = pack_uids(d, &cfg->proxy_users);
	m.connections = pack_pools(d);
	m.team = pack_team(d, NULL);
	return ipc_pack(IPC_MSG_CONFIGURE_FRONT, &m, out);
}

/* NULL for a server. */
static int
find_path(struct configure_draft *d, const struct config_connection *c, const char **path, struct err *err)
{
	*path = c->path;
	if (c->path_ref == NULL)
		return 0;
	if (require(d, c->path_ref, CONFIG_HOLDS_PLAIN, "database path", err) != 0)
		return -1;
	if ((*path = config_database_path(d->arena, c->driver, d->cfg->project_dir, buf_cstr(&d->secret))) == NULL)
		return err_set(err, ERR_INTERNAL, "out of memory");
	return 0;
}

/* Where the value of a driver's key is resolved. */
struct driver_source {
	struct configure_draft	*draft;
	const struct config_connection *connection;
};

/*
 * driver_target.value.  Many servers ask for no password, so an unset variable of one is no error here.  If the server
 * wants one, name_variable() in wiring.c names the variable.
 */
static int
resolve_setting(struct driver_target *t, const char *key, struct span *value, struct err *err)
{
	const struct driver_source *from = t->arg;
	struct configure_draft *d = from->draft;
	const struct config_connection *c = from->connection;
	const struct config_key *k = drivers_key_of(c->driver, span_str(key));
	const char *text = config_setting(c, key);
	enum config_holds holds = text == NULL ? CONFIG_HOLDS_PLAIN : config_key_holds(k);
	int r;

	if (k != NULL && k->kind == CONFIG_PASSWORD && c->password_command.argv.n > 0) {
		*value = d->nameless ? SPAN("") : password_last(d->sup, c->id);
		return value->len == 0;
	}
	if (text == NULL)
		return 1;
	r = holds == CONFIG_HOLDS_SECRET ?
	    configure_resolve(d, text, holds, err) :
	    require(d, text, holds, holds == CONFIG_HOLDS_URL ? "database URL" : key, err);
	*value = buf_view(&d->secret);
	return r == 0 && value->len == 0 ? 1 : r;
}

/* What the driver's worker connects with besides the path of a file. */
static int
put_target(struct configure_draft *d, const struct config_connection *c, struct err *err)
{
	struct driver_source from = { d, c };
	struct driver_target t = { .out = BUF_MAX(TARGET_MAX), .library = config_library(d->cfg, c->driver->name),
		.value = resolve_setting, .arg = &from };

	if (c->driver->target != NULL && c->driver->target(c, &t, err) != 0) {
		buf_wipe(&t.out);
		return -1;
	}
	if (t.out.full) {
		buf_wipe(&t.out);
		return err_set(err, ERR_DATABASE_UNAVAILABLE, "the settings of the connection are longer than %d bytes",
		    TARGET_MAX);
	}
	d->target = t.out;
	return 0;
}

/*
 * The pool's name on the server, from all that is configured: workers of one configuration count each other's
 * connections there, also when a command gave each of them a password of its own, and none of those that they replace.
 * m has neither pool nor target.
 */
static int
name_pool(struct configure_draft *d, const struct config_connection *c, const struct ipc_configure_sql *m, char out[17],
    struct err *err)
{
	const bool was = d->nameless;
	struct ipc_configure_sql plain = *m;
	struct buf packed = { .max = IPC_CONTROL_MAX };
	uint8_t hash[crypto_generichash_BYTES_MIN];
	crypto_generichash_state state;
	uint64_t name;
	int result;

	d->nameless = true;
	result = put_target(d, c, err);
	d->nameless = was;
	plain.target = buf_view(&d->target);
	if (result == 0 && (result = ipc_pack(IPC_MSG_CONFIGURE_SQL, &plain, &packed)) == 0) {
		crypto_generichash_init(&state, NULL, 0, sizeof(hash));
		crypto_generichash_update(&state, (const uint8_t *)&d->sup->pools, sizeof(d->sup->pools));
		crypto_generichash_update(&state, packed.p, packed.len);
		crypto_generichash_final(&state, hash, sizeof(hash));
		memcpy(&name, hash, sizeof(name));
		snprintf(out, 17, "%016" PRIx64, name);
	}
	buf_wipe(&packed);
	buf_wipe(&d->target);
	return result;
}

static int
configure_SQL(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config *cfg = d->cfg;
	const struct config_connection *c = find_connection(cfg, d->connection);
	const char *path = NULL;
	char pool[17];
	struct ipc_configure_sql m = {
		.timeout_ms = cfg->sql_timeout_s * 1000ull, .max_rows = cfg->max_rows,
		.result_bytes = cfg->result_bytes, .memory_max = cfg->worker_memory,
		.max_requests = cfg->max_requests, .local_key = local_key(d, IPC_SQL),
		.best_effort = cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};

	if (c == NULL)
		return err_set(err, ERR_CONNECTION_NOT_FOUND, "the connection is no longer configured");
	m.connection = span_str(c->id);
	m.driver = span_str(c->driver->name);
	if (find_path(d, c, &path, err) != 0 || reach_socket(d->sup, c, d->directory, d->socket, err) != 0)
		return -1;
	m.tunnel = span_str(d->socket);
	m.pool_size = (c->driver->traits & DRIVER_POOLS) != 0 ? configure_workers(c) : 0;
	m.path = span_str(path);
	m.explain_analyze = d->cfg->explain_analyze;
	m.semantic_only = c->query_policy == CONFIG_QUERIES_SEMANTIC;
	m.schemas = pack_strings(d, &c->schemas);
	m.enabled_tables = pack_strings(d, &c->enabled_tables);
	m.functions = pack_strings(d, &c->functions);
	m.columns = pack_columns(d, c);
	m.team = pack_team(d, c->id);
	m.identity = pack_identity(d, c);
	if (c->columns.n > 0)
		m.column_key = column_key(d);
	if (name_pool(d, c, &m, pool, err) != 0 || put_target(d, c, err) != 0)
		return -1;
	m.pool = span_str(pool);
	m.target = buf_view(&d->target);
	return ipc_pack(IPC_MSG_CONFIGURE_SQL, &m, out);
}

static int
configure_SEARCH(struct configure_draft *d, struct buf *out, struct err *err)
{
	bool by_endpoint = d->cfg->embeddings.url != NULL && d->cfg->embeddings.name != NULL;
	struct ipc_configure_search m = {
		.project_dir = span_str(d->cfg->project_dir),
		.wiki_user = SPAN("local"),	/* whose pages under wiki/user/ are served: ktx's name */
		.resource_scheme = span_str(d->cfg->resource_scheme),
		.connections = pack_connections(d),
		.sql_ms = (uint64_t)d->cfg->connectivity.sql_timeout_s * 1000,
		.sql_rows = d->cfg->connectivity.sql_max_rows,
		.sql_memory = d->cfg->connectivity.sql_memory, .sql_characters = d->cfg->connectivity.sql_max_bytes,
		.sql_threads = d->cfg->connectivity.sql_threads,
		.ontologies = pack_ontologies(d),
		.vectors = d->cfg->vectors == NULL ? SPAN("") : span_str(d->cfg->vectors),
		.embeddings_name = by_endpoint ? span_str(d->cfg->embeddings.name) : SPAN(""),
		.embeddings_dimensions = d->cfg->embeddings.dimensions,
		.memory_max = d->cfg->search_memory, .local_key = local_key(d, IPC_SEARCH),
		.best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};

	(void)err;
	return ipc_pack(IPC_MSG_CONFIGURE_SEARCH, &m, out);
}

/*
 * A confined worker may write only below directories that already exist, so
 * they are made here, but only once a run has something to keep: serving alone
 * writes nothing into a project, and neither does a text that is kept nowhere.
 * The worker leaves a mark and asks to be recycled
 * (workers/memory/ingest/work.c).  If a directory cannot be made the mark
 * stays, and the run reports it.
 */
static void
make_memory_places(const char *project_dir)
{
	static const char *const places[] = { "wiki/global", "semantic-layer" };
	static const char mark[] = ".carrel/memory/" PATHS_PLACES_WANTED;
	int top = open(project_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool made = true;

	if (top < 0)
		return;
	if (faccessat(top, mark, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			made = paths_make(top, places[i], 0777) == 0 && made;
		if (made)
			(void)unlinkat(top, mark, 0);
	}
	close(top);
}

static int
configure_MEMORY(struct configure_draft *d, struct buf *out, struct err *err)
{
	struct ipc_configure_memory m = {
		.project_dir = span_str(d->cfg->project_dir),
		.connections = pack_connections(d),
		.read_only_project = d->cfg->ktx,
		.scan_rows = d->cfg->sample_rows,
		.scan_values = d->cfg->values_per_column,
		.scan_statement_ms = d->cfg->scan_timeout_s * 1000,
		.review = d->cfg->review == CONFIG_REVIEW_REQUIRED,
		.memory_max = d->cfg->memory_memory, .local_key = local_key(d, IPC_MEMORY),
		.same_subject = d->cfg->same_subject, .shared = d->cfg->state_url != NULL,
		.best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};

	(void)err;
	make_memory_places(d->cfg->project_dir);
	return ipc_pack(IPC_MSG_CONFIGURE_MEMORY, &m, out);
}

static struct span
auth_key(struct configure_draft *d, unsigned i, const uint8_t root[KEYS_ROOT], const char *purpose)
{
	keys_derive(root, purpose, d->auth_keys[i], sizeof(d->auth_keys[i]));
	return span_of(d->auth_keys[i], sizeof(d->auth_keys[i]));
}

/* audit.key: its secret in the place of the project's root key.  0, or -1. */
static int
audit_keys(struct configure_draft *d, struct ipc_configure_auth *m, struct err *err)
{
	uint8_t root[KEYS_ROOT];
	int result = 0;

	memcpy(root, d->sup->root_key, sizeof(root));
	if (d->cfg->audit_key != NULL) {
		result = require(d, d->cfg->audit_key, CONFIG_HOLDS_SECRET, "key of the audit", err);
		if (result == 0 && d->secret.len < AUDIT_KEY_MIN)
			result = err_set(err, ERR_INVALID_ARGUMENTS,
			    "audit.key has %zu bytes; `openssl rand -hex 32` makes one that cannot be guessed",
			    d->secret.len);
		if (result == 0)
			crypto_generichash(root, sizeof(root), d->secret.p, d->secret.len, NULL, 0);
		m->audit_key_outside = 1;
	}
	m->audit_mac_key = auth_key(d, 1, root, KEYS_AUDIT_MAC);
	m->audit_sign_seed = auth_key(d, 2, root, KEYS_AUDIT_SEED);
	sodium_memzero(root, sizeof(root));
	buf_wipe(&d->secret);
	return result;
}

int
configure_check_state(struct supervisor *sup, const struct config *cfg, struct err *err)
{
	struct configure_draft d = { .sup = sup, .cfg = cfg };
	struct ipc_configure_auth m = { .audit_key_outside = 0 };
	int result = audit_keys(&d, &m, err);

	sodium_memzero(d.auth_keys, sizeof(d.auth_keys));
	sodium_memzero(d.journal_key, sizeof(d.journal_key));
	return result == 0 ? state_files_make(cfg->state, err) : -1;
}

/*
 * The static token, so that carrel-auth can keep it out of the audit.  A token that cannot be resolved cannot be used
 * either.
 */
static struct span
static_token(struct configure_draft *d)
{
	const char *token = d->sup->launch.token;
	struct err e;

	if (token != NULL)
		buf_str(&d->static_token, token);
	else if (d->cfg->token != NULL && configure_resolve(d, d->cfg->token, CONFIG_HOLDS_SECRET, &e) == 0)
		buf_span(&d->static_token, buf_view(&d->secret));
	buf_wipe(&d->secret);
	return d->static_token.len <= 4096 ? buf_view(&d->static_token) : SPAN("");
}

/* On a network, tokens are accepted only with allow_lan, even if a command enabled them. */
static enum config_switch
connectivity_of(const struct config *cfg, const struct listener *l)
{
	return l->network && !cfg->connectivity.allow_lan ? CONFIG_SWITCH_OFF : cfg->connectivity.enabled;
}

static struct span
pack_team_scopes(struct configure_draft *d)
{
	struct buf *b = new_list(d);

	team_tools_put_scopes(d->cfg, b);
	return buf_view(b);
}

static void
configure_oauth(struct configure_draft *d, struct ipc_configure_auth *m)
{
	const struct config *cfg = d->cfg;
	const struct config_oauth *o = &cfg->oauth;
	struct buf *preferences = new_list(d);

	m->refresh_key = auth_key(d, 3, d->sup->root_key, KEYS_REFRESH);
	m->seal_key = auth_key(d, 4, d->sup->root_key, KEYS_SEAL);
	m->oauth = o->enabled;
	m->public_url = cfg->public_url != NULL ? span_str(cfg->public_url) : SPAN("");
	m->code_ttl_s = o->code_ttl_s;
	m->access_ttl_s = o->access_ttl_s;
	m->refresh_ttl_days = o->refresh_ttl_days;
	m->refresh_max_days = o->refresh_max_days;
	m->refresh_grace_s = o->refresh_grace_s;
	m->registration = o->registration == CONFIG_REGISTRATION_OPEN;
	m->client_metadata = o->client_metadata;
	m->register_per_min = o->register_per_min;
	m->authorize_per_min = o->authorize_per_min;
	m->unregistered_loopback = o->unregistered_loopback;
	m->consent_days = o->consent_days;
	m->session_h = o->session_h;
	m->device_code_ttl_s = o->device_code_ttl_s;
	m->redirect_schemes = pack_strings(d, &o->redirect_schemes);
	m->proxy_users = cfg->proxy_header != NULL;
	m->proxy_role = cfg->proxy_role != NULL ? span_str(cfg->proxy_role) : SPAN("");
	m->oidc_issuer = cfg->oidc.issuer != NULL ? span_str(cfg->oidc.issuer) : SPAN("");
	m->oidc_client = cfg->oidc.client_id != NULL ? span_str(cfg->oidc.client_id) : SPAN("");
	m->oidc_scopes = span_str(cfg->oidc.scopes);
	m->oidc_roles = pack_pairs(d, &cfg->oidc.roles);
	m->oidc_only = cfg->oidc.only && cfg->oidc.issuer != NULL;
	m->issuers = pack_issuers(d, true);
	m->roles = pack_pairs(d, &cfg->roles);
	m->team = pack_team_scopes(d);
	preferences_of_project(&cfg->preferences, preferences);
	m->preferences = buf_view(preferences);
}

/* The proof key of each role that serves calls: carrel-auth proves the administration page's calls with it. */
static struct span
page_keys(struct configure_draft *d)
{
	struct buf *keys = new_list(d);
	size_t n = 0, mark = mp_open_map(keys);

	for (size_t i = 0; i < IPC_ROLES; i++)
		if ((ipc_roles[i].traits & IPC_SERVES) != 0) {
			mp_put_cstr(keys, ipc_roles[i].name);
			mp_put_bin(keys, local_key(d, ipc_roles[i].role));
			n++;
		}
	mp_close(keys, mark, n);
	return buf_view(keys);
}

/* The store that nodes share, and the name of this one. */
static int
configure_nodes(struct configure_draft *d, struct ipc_configure_auth *m, struct err *err)
{
	const struct config *cfg = d->cfg;

	if (cfg->state_url == NULL)
		return 0;
	if (require(d, cfg->state_url, CONFIG_HOLDS_URL, "URL of the state store", err) != 0)
		return -1;
	if (d->secret.len > IPC_SMALL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the URL of the state store is longer than %d bytes",
		    IPC_SMALL);
	if (cfg->node == NULL && gethostname(d->host, sizeof(d->host)) != 0)
		return err_set(err, ERR_INTERNAL, "the name of this machine is longer than %zu bytes: set node.name",
		    sizeof(d->host) - 1);
	m->state_url = buf_view(&d->secret);
	m->node = span_str(cfg->node != NULL ? cfg->node : d->host);
	m->lease_ms = cfg->state_lease_s * 1000ull;
	m->files_max = (uint64_t)cfg->state_files_mb << 20;
	m->alone = d->alone;
	return 0;
}

static int
configure_AUTH(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config *cfg = d->cfg;
	const struct config_connectivity *c = &cfg->connectivity;
	const struct listener *l = &d->sup->listener;
	struct ipc_configure_auth m = {
		.state = span_str(cfg->state), .project_dir = span_str(cfg->project_dir),
		.token_key = auth_key(d, 0, d->sup->root_key, KEYS_TOKENS),
		.journal_key = journal_key(d), .static_token = static_token(d),
		.audit_disk = cfg->audit_durability == CONFIG_AUDIT_DISK,
		.audit_retention_days = cfg->audit_retention_days,
		.token_prefix = span_str(c->token_prefix),
		.tool_prefix = span_str(cfg->tool_prefix),
		.connectivity = connectivity_of(cfg, l),
		.bind_host = span_str(l->n > 0 ? l->host : cfg->host), .port = l->n > 0 ? l->port : cfg->port,
		.max_tokens = c->max_tokens, .requests_per_min = c->requests_per_min, .sql_per_min = c->sql_per_min,
		.global_per_min = c->global_per_min, .in_flight = c->in_flight,
		.research_per_min = cfg->research_per_min, .resources_per_min = cfg->resources_per_min,
		.ask_per_min = cfg->ask_per_min,
		.auth_failures_per_min = c->auth_failures_per_min, .block_s = c->block_s,
		.page_keys = page_keys(d), .memory_max = AUTH_MEMORY,
		.best_effort = cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};

	m.local_key = local_key(d, IPC_AUTH);
	configure_oauth(d, &m);
	if (audit_keys(d, &m, err) != 0 || state_files_make(cfg->state, err) != 0 || configure_nodes(d, &m, err) != 0)
		return -1;
	return ipc_pack(IPC_MSG_CONFIGURE_AUTH, &m, out);
}

/* An endpoint of the configuration, and its description for the agent. */
struct endpoint {
	enum ipc_outside place;
	const char *section, *what, *url, *name, *key;
	struct buf host, secret;
};

/* 0: the endpoint's host has an address, and its key is there; 1: not configured; -1: it cannot be used. */
static int
find_endpoint(struct configure_draft *d, struct endpoint *e, struct err *err)
{
	struct dial *dial = &d->sup->dials[e->place];
	const char *url_key = arena_printf(d->arena, "%s.url", e->section);

	if (url_key == NULL)
		return err_set(err, ERR_INTERNAL, "out of memory");
	if (dial_prepare(dial, url_key, e->url, err) != 0)
		return -1;
	if (e->url == NULL)
		return 1;
	if (e->name == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s.name says which model of %s it is; it is missing",
		    e->section, e->url);
	if (e->key != NULL && require(d, e->key, CONFIG_HOLDS_SECRET, e->what, err) != 0)
		return -1;
	if (e->key != NULL)
		buf_span(&e->secret, buf_view(&d->secret));
	buf_printf(&e->host, strchr(dial->host, ':') != NULL ? "[%s]:%s" : "%s:%s", dial->host, dial->port);
	return 0;
}

/* Whether the agent gets the endpoint.  An unusable one is left out and logged. */
static bool
use_endpoint(struct configure_draft *d, struct endpoint *e, const char *loss)
{
	struct err why;
	int found;

	e->host = (struct buf)BUF_MAX(1024);
	e->secret = (struct buf)BUF_MAX(4096);
	if ((found = find_endpoint(d, e, &why)) < 0) {
		log_warn("%s: %s", loss, why.message);
		(void)dial_prepare(&d->sup->dials[e->place], "", NULL, &why);
	}
	buf_wipe(&d->secret);
	return found == 0;
}

static void
end_endpoint(struct endpoint *e)
{
	buf_fini(&e->host);
	buf_wipe(&e->secret);
}

static int
configure_AGENT(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config_model *model = &d->cfg->model;
	const struct config_embeddings *vectors = &d->cfg->embeddings;
	struct ipc_configure_agent m = {
		.timeout_ms = d->cfg->ask_timeout_s * 1000, .local_key = local_key(d, IPC_AGENT),
		.memory_max = AGENT_MEMORY, .best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
		.model_data = model->data, .model_timeout_ms = model->timeout_s * 1000,
		.model_calls_max = model->calls_max, .model_tokens_max = model->tokens_max,
		.embeddings_dimensions = vectors->dimensions,
	};
	struct endpoint reads = { .place = IPC_OUTSIDE_MODEL, .section = "model", .what = "key of the model",
		.url = model->url, .name = model->name, .key = model->key };
	struct endpoint embeds = { .place = IPC_OUTSIDE_EMBEDDINGS, .section = "embeddings",
		.what = "key of the model of embeddings", .url = vectors->url, .name = vectors->name,
		.key = vectors->key };
	int result;

	(void)err;
	if (use_endpoint(d, &reads, "no model reads questions")) {
		m.model_url = span_str(reads.url);
		m.model_host = buf_view(&reads.host);
		m.model_name = span_str(reads.name);
		m.model_key = buf_view(&reads.secret);
	}
	if (use_endpoint(d, &embeds, "no endpoint makes vectors of texts")) {
		m.embeddings_url = span_str(embeds.url);
		m.embeddings_host = buf_view(&embeds.host);
		m.embeddings_name = span_str(embeds.name);
		m.embeddings_key = buf_view(&embeds.secret);
	}
	result = ipc_pack(IPC_MSG_CONFIGURE_AGENT, &m, out);
	end_endpoint(&reads);
	end_endpoint(&embeds);
	return result;
}

/* Which driver each connection has. */
static struct span
pack_drivers(struct configure_draft *d)
{
	struct buf *b = new_list(d);
	size_t mark = mp_open_map(b);

	for (size_t i = 0; i < d->cfg->nconnections; i++)
		mp_pair_cstr(b, d->cfg->connections[i].id, d->cfg->connections[i].driver_name);
	mp_end(b, mark);
	return buf_view(b);
}

/* A receiver that cannot be used costs telemetry alone. */
static int
configure_TELEMETRY(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config_telemetry *t = &d->cfg->telemetry;
	struct dial *dial = &d->sup->dials[IPC_OUTSIDE_TELEMETRY];
	struct buf host = BUF_MAX(1024);
	struct ipc_configure_telemetry m = {
		.sample = t->sample, .started_unix_ms = d->sup->started_unix_ms,
		.memory_max = TELEMETRY_MEMORY, .best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};
	int result = dial_prepare(dial, "telemetry.otlp", t->otlp, err);

	if (result == 0 && t->otlp != NULL && t->headers != NULL)
		result = require(d, t->headers, CONFIG_HOLDS_SECRET, "headers of telemetry", err);
	if (result == 0 && d->cfg->node == NULL && gethostname(d->host, sizeof(d->host)) != 0)
		memcpy(d->host, "carrel", sizeof("carrel"));
	if (result == 0 && t->otlp != NULL) {
		buf_printf(&host, strchr(dial->host, ':') != NULL ? "[%s]:%s" : "%s:%s", dial->host, dial->port);
		m.url = span_str(t->otlp);
		m.host = buf_view(&host);
		m.headers = buf_view(&d->secret);
	}
	m.authorities = t->sslrootcert == NULL ? SPAN(NET_AUTHORITIES) :
	    t->sslrootcert[0] == '/'           ? span_str(t->sslrootcert) :
				       span_str(arena_printf(d->arena, "%s/%s", d->cfg->project_dir, t->sslrootcert));
	m.drivers = pack_drivers(d);
	m.instance = span_str(d->cfg->node != NULL ? d->cfg->node : d->host);
	if (result == 0)
		result = ipc_pack(IPC_MSG_CONFIGURE_TELEMETRY, &m, out);
	buf_fini(&host);
	return result;
}

static int
configure_PWHASH(struct configure_draft *d, struct buf *out, struct err *err)
{
	struct ipc_configure_pwhash m = {
		.memory_max = PWHASH_MEMORY, .best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};

	(void)err;
	return ipc_pack(IPC_MSG_CONFIGURE_PWHASH, &m, out);
}

static int
configure_GIT(struct configure_draft *d, struct buf *out, struct err *err)
{
	struct repository *r = arena_alloc(d->arena, sizeof(*r));
	struct ipc_configure_git m = {
		.project_dir = span_str(d->cfg->project_dir),
		.author = span_str(d->cfg->author),
		.memory_max = d->cfg->memory_memory,
		.best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};
	int found = r == NULL ? 0 : repository_find(d->cfg->project_dir, r, err);

	if (found <= 0)
		return found < 0 ? -1 : err_set(err, ERR_SERVICE_UNAVAILABLE, "the project lies in no git repository");
	m.worktree = span_str(r->worktree);
	m.git_dir = span_str(r->git_dir);
	m.common_dir = span_str(r->common_dir);
	m.prefix = span_str(r->prefix);
	return ipc_pack(IPC_MSG_CONFIGURE_GIT, &m, out);
}

const char *
configure_issuer(const struct config *cfg, struct span of)
{
	if (of.len == 0)
		return cfg->oidc.issuer;
	for (size_t i = 0; i < cfg->issuers.n; i++)
		if (span_is_str(of, cfg->issuers.v[i].issuer))
			return cfg->issuers.v[i].issuer;
	return NULL;
}

struct provider_place *
configure_place(struct supervisor *sup, struct span of, bool make)
{
	struct provider_place *spare = &sup->issuers[0];

	if (of.len == 0)
		return &sup->provider;
	for (size_t i = 0; i < SUPERVISOR_ISSUERS; i++) {
		struct provider_place *p = &sup->issuers[i];

		if (p->issuer != NULL && span_is_str(of, p->issuer))
			return p;
		/* Of issuers that are configured no more the place is free. */
		if (p->issuer == NULL || configure_issuer(sup->cfg, span_str(p->issuer)) == NULL)
			spare = p;
	}
	return make ? spare : NULL;
}

/* Where an authorization server describes itself: the path of the issuer comes last (RFC 8414 3.1). */
static const char *
server_metadata(const struct configure_draft *d, const char *issuer)
{
	const char *host = strstr(issuer, "://"), *path = host == NULL ? NULL : strchr(host + 3, '/');
	size_t n = strlen(issuer), origin = path == NULL ? n : (size_t)(path - issuer);

	return arena_printf(d->arena, "%.*s/.well-known/oauth-authorization-server%.*s", (int)origin, issuer,
	    (int)(n - origin - (issuer[n - 1] == '/')), issuer + origin);
}

/* Where the step is taken; NULL with *err: its address is not known yet, or that of another provider. */
static const char *
step_url(struct configure_draft *d, struct err *err)
{
	const struct provider_place *p = configure_place(d->sup, d->step->of, false);
	const char *issuer = configure_issuer(d->cfg, d->step->of), *url = NULL;
	size_t n = issuer != NULL ? strlen(issuer) : 0;

	if (d->step->step == IPC_STEP_SERVER && n > 0)
		url = server_metadata(d, issuer);
	else if ((d->step->step == IPC_STEP_DISCOVER || d->step->step == IPC_STEP_ISSUER) && n > 0)
		url = arena_printf(d->arena, "%.*s/.well-known/openid-configuration",
		    (int)(issuer[n - 1] == '/' ? n - 1 : n), issuer);
	else if (n > 0 && p != NULL && p->issuer != NULL && strcmp(p->issuer, issuer) == 0)
		url = d->step->step == IPC_STEP_KEYS ? p->jwks_uri : p->token_endpoint;
	if (url == NULL)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "the provider's configuration has to be fetched first");
	return url;
}

/* The file that its certificate is verified with; empty: the system's. */
static struct span
authorities_of(const struct config *cfg, struct span issuer)
{
	const char *file = issuer.len == 0 ? cfg->oidc.sslrootcert : NULL;

	for (size_t i = 0; i < cfg->issuers.n; i++)
		if (span_is_str(issuer, cfg->issuers.v[i].issuer))
			file = cfg->issuers.v[i].sslrootcert;
	return file == NULL ? SPAN("") : span_str(file);
}

/* In this role's draft, `connection` is the URL of a client's document. */
static int
configure_FETCH(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config_oidc *o = &d->cfg->oidc;
	const char *url = d->step == NULL ? d->connection : step_url(d, err);
	/* At an issuer of access tokens: there is no client, and no secret. */
	bool apart = d->step != NULL && d->step->of.len > 0;
	struct ipc_configure_fetch m = {
		.url = span_str(url), .memory_max = FETCH_MEMORY, .step = IPC_STEP_NONE, .keys = SPAN("\xc0"),
		.best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};

	if (d->step != NULL) {
		if (url == NULL ||
		    (!apart && d->step->step == IPC_STEP_EXCHANGE && o->client_secret != NULL &&
			require(d, o->client_secret, CONFIG_HOLDS_SECRET, "secret of auth.oidc", err) != 0))
			return -1;
		m.step = d->step->step;
		m.code = d->step->code;
		m.verifier = d->step->verifier;
		m.redirect_uri = d->step->redirect_uri;
		m.nonce = d->step->nonce;
		m.token = d->step->token;
		m.keys = d->step->keys;
		m.issuer = span_str(configure_issuer(d->cfg, d->step->of));
		m.authorities = authorities_of(d->cfg, d->step->of);
		m.client_id = apart ? SPAN("") : span_str(o->client_id);
		m.client_secret = buf_view(&d->secret);
		m.post = d->sup->provider.post;
		m.name_claim = span_str(o->name_claim);
		m.role_claim = span_str(o->role_claim);
		m.claims = pack_claims(d, &o->claims);
	}
	return ipc_pack(IPC_MSG_CONFIGURE_FETCH, &m, out);
}

/* The file is there and ours; only we can read one that is a key. */
static int
check_ssh_file(const char *path, enum paths_trust trust, struct err *err)
{
	struct buf text = { 0 };
	int result = paths_read(AT_FDCWD, path, trust, SSH_FILE_MAX, &text, err);

	buf_wipe(&text);
	return result;
}

/* The server that the SSH server is to connect to. */
static int
find_server(struct configure_draft *d, const struct config_connection *c, const char **host, unsigned *port,
    struct err *err)
{
	const struct config_server *s = c->settings;
	int result = 0;

	*host = "localhost";
	*port = s->port;
	if (s->url != NULL) {
		result = require(d, s->url, CONFIG_HOLDS_URL, "database URL", err);
		result = result != 0 ? -1 : config_reach_server(c, buf_cstr(&d->secret), d->arena, host, port, err);
	} else if (s->host != NULL) {
		result = require(d, s->host, CONFIG_HOLDS_PLAIN, "host", err);
		if (result == 0 &&
		    ((*host = arena_cstr(d->arena, buf_view(&d->secret))) == NULL || !config_is_host(*host)))
			result = err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "with ssh, host is the name or address of the database server as the SSH server reaches "
			    "it");
	}
	buf_wipe(&d->secret);
	return result;
}

/* Without a connection that has ssh it is only looked at. */
static int
configure_TUNNEL(struct configure_draft *d, struct buf *out, struct err *err)
{
	const struct config_connection *c = find_connection(d->cfg, d->connection);
	struct ipc_configure_tunnel m = {
		.ssh_port = CONFIG_REACH_SSH_PORT, .server_port = 1, .memory_max = TUNNEL_MEMORY,
		.best_effort = d->cfg->sandbox == CONFIG_SANDBOX_BEST_EFFORT,
	};
	const char *host;
	unsigned port;

	if (c != NULL && c->ssh.host != NULL) {
		if (check_ssh_file(c->ssh.identity, PATHS_SECRET, err) != 0 ||
		    check_ssh_file(c->ssh.known_hosts, PATHS_OURS, err) != 0 ||
		    find_server(d, c, &host, &port, err) != 0 ||
		    reach_socket(d->sup, c, d->directory, d->socket, err) != 0)
			return -1;
		m.program = SPAN(SSH_PROGRAM);
		m.ssh_host = span_str(c->ssh.host);
		m.ssh_port = c->ssh.port;
		m.ssh_user = span_str(c->ssh.user);
		m.identity = span_str(c->ssh.identity);
		m.known_hosts = span_str(c->ssh.known_hosts);
		m.directory = span_str(d->directory);
		m.socket = span_str(d->socket);
		m.server_host = span_str(host);
		m.server_port = port;
	}
	return ipc_pack(IPC_MSG_CONFIGURE_TUNNEL, &m, out);
}

/* The CONFIGURE message of each role and what packs it; a role that is started has both, or this does not compile. */
#define CONFIGURE_ROW(NAME)	{ IPC_MSG_CONFIGURE_##NAME, configure_##NAME }
#define CONFIGURE_HUB(NAME)	{ 0, NULL }
#define CONFIGURE_FRONT(NAME)	CONFIGURE_ROW(NAME)
#define CONFIGURE_POOL(NAME)	CONFIGURE_ROW(NAME)
#define CONFIGURE_WAY(NAME)	CONFIGURE_ROW(NAME)
#define CONFIGURE_WANTED(NAME)	CONFIGURE_ROW(NAME)
#define CONFIGURE_SINGLE(NAME)	CONFIGURE_ROW(NAME)
#define CONFIGURE_ONCE(NAME)	CONFIGURE_ROW(NAME)

static const struct {
	unsigned	type;
	int		(*pack)(struct configure_draft *d, struct buf *out, struct err *err);
} configure_rows[IPC_ROLES] = {
#define ROLE(NAME, bit, name, binary, PLACE, ...)	[bit] = CONFIGURE_##PLACE(NAME),
#include "ipc/roles.def"
#undef ROLE
};

static int
pack_once(struct configure_draft d, enum ipc_role role, struct configuration *out, struct err *err)
{
	const unsigned row = ipc_role_index(role);
	int result;

	d.arena = arena_new(1u << 20);
	err->code = ERR_NONE;
	out->body.max = IPC_CONTROL_MAX;
	out->type = configure_rows[row].type;
	result = configure_rows[row].pack(&d, &out->body, err);
	if (result != 0 && err->code == ERR_NONE)
		err_set(err, ERR_INVALID_ARGUMENTS, "the configuration is too large to be handed over");
	if (result == 0)
		crypto_hash_sha256(out->digest, out->body.p, out->body.len);
	for (size_t i = 0; i < d.nlists; i++)
		buf_wipe(&d.lists[i]);
	buf_wipe(&d.secret);
	buf_wipe(&d.target);
	sodium_memzero(d.column_key, sizeof(d.column_key));
	sodium_memzero(d.front_key, sizeof(d.front_key));
	sodium_memzero(d.local_key, sizeof(d.local_key));
	sodium_memzero(d.auth_keys, sizeof(d.auth_keys));
	buf_wipe(&d.static_token);
	sodium_memzero(d.journal_key, sizeof(d.journal_key));
	arena_free(d.arena);
	return result;
}

/* A password that a command printed is in the message and not in its digest: another one is no other configuration. */
static int
pack_draft(struct configure_draft d, enum ipc_role role, struct configuration *out, struct err *err)
{
	const struct config_connection *c = ipc_role_is_pooled(role) ? find_connection(d.cfg, d.connection) : NULL;
	struct configuration plain = { .type = 0 };
	int result = pack_once(d, role, out, err);

	if (result != 0 || c == NULL || c->password_command.argv.n == 0)
		return result;
	d.nameless = true;
	if ((result = pack_once(d, role, &plain, err)) == 0)
		memcpy(out->digest, plain.digest, sizeof(out->digest));
	buf_wipe(&plain.body);
	return result;
}

int
configure_pack(struct supervisor *sup, const struct config *cfg, enum ipc_role role, const char *connection,
    struct configuration *out, struct err *err)
{
	return pack_draft((struct configure_draft){ .sup = sup, .cfg = cfg, .connection = connection,
			      .alone = out->alone }, role, out, err);
}

int
configure_step(struct supervisor *sup, const struct ipc_identify *step, struct configuration *out, struct err *err)
{
	return pack_draft((struct configure_draft){ .sup = sup, .cfg = sup->cfg, .step = step }, IPC_FETCH, out, err);
}
