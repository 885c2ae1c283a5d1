/*
 * config - carrel.yaml (or a ktx project's ktx.yaml, read only), checked
 * completely: every trouble is collected, not only the first.
 *
 * Keys, types, defaults and their one-line documentation stand once, in
 * config.def; `carrel doctor --config-reference` prints that table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/text/parameter_types.h"
#include "project/config/drivers.h"

/* The queries that a connection accepts; in the order of the words in config.def. */
enum config_queries { CONFIG_QUERIES_OPEN, CONFIG_QUERIES_SEMANTIC, CONFIG_QUERIES_READ_ONLY /* ktx's word for open */ };

struct config_strings {
	size_t		 n;
	const char	**v;
};

/* A rule of connections.<name>.columns; see policy/columns.h. */
struct config_column_rule {
	const char	*action;		/* "hide", "mask" or "hash" */
	const char	*pattern;
	const char	*scope;			/* binds callers that hold it; NULL: everybody */
};

struct config_column_rules {
	size_t				 n;
	struct config_column_rule	*v;
};

/* Files that were imported are tables of a connection of their own, which is there once the first was. */
#define CONFIG_IMPORTS		"imports"
#define CONFIG_IMPORTS_DIR	".carrel/imports"
#define CONFIG_IMPORTS_FILE	"imports.db"
#define CONFIG_IMPORTS_LOCK	"lock"	/* flock(2): held while the file is changed */

/* A command that prints a password; argv.n 0: none. */
struct config_command {
	struct config_strings argv;
	unsigned	 ttl_s;			/* what it printed is used again within that time */
};

/* The SSH server through which a database is reached; host NULL: none. */
struct config_ssh {
	const char	*host, *user;
	unsigned	 port;
	const char	*identity, *known_hosts;	/* absolute paths */
};

struct config_pairs {
	size_t		 n;
	struct {
		const char *key, *value;
	}		*v;
};

/* Somebody whom the file itself names; set: it does. */
struct config_person {
	bool			 set;
	const char		*name;			/* what {user.name} is; NULL: nothing */
	struct config_pairs	 claims;
};

/* As whom statements run: templates of base/text/identity_text.h.  set: the connection has one. */
struct config_identity {
	bool			 set;
	struct config_pairs	 settings;		/* setting: template */
	const char		*role;			/* template of one of roles; NULL: the account's own role */
	struct config_strings	 roles;
	struct config_person	 owner, neutral;	/* this machine's owner; whom scans read as */
};

struct config_connection {
	const char		*id;
	const char		*driver_name;		/* as written: "postgres"; "unknown" when it is missing */
	const struct db_driver	*driver;		/* NULL: listed as unavailable, never served */
	const char		*unusable;		/* why it is not served, for people; else NULL */
	enum config_queries	 query_policy;
	const char		*name, *description;	/* description may be NULL */
	const char		*path;			/* of a file: absolute; NULL otherwise, and when path_ref says where to find it */
	const char		*path_ref;		/* of a file: the env: or file: reference that gives the path; else NULL */
	void			*settings;		/* what its driver's keys say, in the driver's own structure */
	struct config_strings	 schemas;		/* for drivers with schemas: the driver's default when empty */
	struct config_strings	 enabled_tables;
	bool			 expect_partial;	/* what scans leave out is intended */
	struct config_strings	 functions;		/* "schema.name", trusted with what they do */
	struct config_column_rules columns;
	struct config_command	 password_command;	/* in place of the driver's key password */
	struct config_ssh	 ssh;
	struct config_identity	 identity;
	unsigned		 workers;
	unsigned		 line;			/* in the file, for messages */
};

enum config_review { CONFIG_REVIEW_OFF, CONFIG_REVIEW_REQUIRED };
enum config_result_text { CONFIG_RESULT_FULL, CONFIG_RESULT_BRIEF };
enum config_sandbox { CONFIG_SANDBOX_REQUIRED, CONFIG_SANDBOX_BEST_EFFORT };
enum config_loopback { CONFIG_LOOPBACK_DEFAULT, CONFIG_LOOPBACK_OPEN, CONFIG_LOOPBACK_REQUIRED };
enum config_audit_failure { CONFIG_AUDIT_REFUSE, CONFIG_AUDIT_WARN };
enum config_audit_durability { CONFIG_AUDIT_PROCESS, CONFIG_AUDIT_DISK };
enum config_switch { CONFIG_SWITCH_UNSET, CONFIG_SWITCH_OFF, CONFIG_SWITCH_ON };

/* Settings and limits of connectivity tokens. */
struct config_connectivity {
	enum config_switch enabled;		/* unset: the state store decides */
	bool		 allow_lan;
	const char	*token_prefix;		/* "crlmcp" */
	unsigned	 max_tokens, requests_per_min, sql_per_min, global_per_min, in_flight;
	unsigned	 auth_failures_per_min, block_s;
	unsigned	 sql_timeout_s, sql_max_rows, sql_max_bytes, sql_threads;
	uint64_t	 sql_memory;		/* bytes */
};

/* An ontology that the file defines: a subset of a connection's sources. */
struct config_ontology {
	const char	*id, *name, *connection;	/* id: a UUID in small letters */
	const char	*description;		/* NULL: none */
	struct config_strings sources;		/* empty: all sources of the connection */
	unsigned	 line;
};

struct config_ontologies {
	size_t		 n;
	struct config_ontology *v;
};

/* A parameter of a team's tool. */
struct config_parameter {
	const char	*name, *description;
	enum parameter_type type;
	struct config_strings values;		/* the only ones, as text; empty: any of the type */
	const char	*dimension;		/* of the semantic layer, whose values are the only ones; NULL: none */
	bool		 optional;
	const char	*preset;		/* of an optional one that is left out; NULL: null */
	const char	*minimum, *maximum;	/* NULL: none */
	unsigned	 max_length;		/* characters of a text */
};

/* A tool that a team defines. */
struct config_tool {
	const char	*name, *title, *description, *connection;
	const char	*sql;			/* NULL: it has a query */
	struct span	 query;			/* arguments of sl_query, a msgpack map */
	size_t		 nparameters;
	struct config_parameter *parameters;
	unsigned	 max_rows;
	struct config_strings scopes;		/* a caller needs one of them, or the tool's own */
	unsigned	 line;
};

struct config_tools {
	size_t		 n;
	struct config_tool *v;
};

/* The organization's identity provider; issuer NULL: none. */
struct config_oidc {
	const char	*issuer, *client_id;
	const char	*client_secret;		/* as token; NULL: a public client */
	const char	*sslrootcert;		/* absolute path; NULL: the system's authorities */
	const char	*scopes, *name_claim, *role_claim;
	struct config_pairs roles;		/* group: role */
	struct config_strings claims;		/* that it may assert; empty: those that a template names */
	bool		 only;			/* no passwords */
};

/* An issuer of access tokens that are accepted here. */
struct config_issuer {
	const char	*issuer, *audience, *typ;
	const char	*scope_claim;		/* "": the role alone decides */
	const char	*role_claim;
	const char	*sslrootcert;		/* absolute path; NULL: the system's authorities */
	struct config_pairs roles;		/* group: role; "*": any subject */
	struct config_strings claims;		/* as of config_oidc */
	unsigned	 max_age_s, line;
};

struct config_issuers {
	size_t		 n;
	struct config_issuer *v;
};

enum config_registration { CONFIG_REGISTRATION_OPEN, CONFIG_REGISTRATION_CLOSED };

/* Settings of OAuth. */
struct config_oauth {
	bool		 enabled, unregistered_loopback, client_metadata;
	unsigned	 code_ttl_s, access_ttl_s, refresh_ttl_days, refresh_max_days, refresh_grace_s;
	enum config_registration registration;
	unsigned	 register_per_min, authorize_per_min, consent_days, session_h, device_code_ttl_s;
	struct config_strings redirect_schemes;
};

/* Where traces and metrics go; otlp NULL: nowhere. */
struct config_telemetry {
	const char	*otlp;			/* base of an OTLP/HTTP receiver, without a slash at its end */
	const char	*sslrootcert;		/* a path; NULL: the system's authorities */
	const char	*headers;		/* as token: "name=value,name=value"; NULL: none */
	unsigned	 sample;		/* thousandths */
	bool		 principals;
};

/* Defaults of preferences that a user has not set; NULL: none. */
struct config_preferences {
	const char	*default_time_period;
	struct config_pairs thresholds;
	const char	*fiscal_year_start, *week_start, *time_zone, *date_order;
};

/* The part of a project's data that a model may see. */
enum config_model_data { CONFIG_MODEL_NONE, CONFIG_MODEL_SCHEMA, CONFIG_MODEL_ROWS };

/* The model behind ask_question; url NULL: none. */
struct config_model {
	const char	*url, *name;		/* url without a slash at its end */
	const char	*key;			/* as token */
	enum config_model_data data;
	unsigned	 timeout_s, calls_max, tokens_max;
};

/* The endpoint that makes vectors of texts; url NULL: none. */
struct config_embeddings {
	const char	*url, *name;		/* url without a slash at its end */
	const char	*key;			/* as token */
	unsigned	 dimensions;		/* 0: whatever they have */
};

struct config {
	const char	*project_dir;		/* absolute, symlinks resolved */
	const char	*file;			/* "carrel.yaml" or "ktx.yaml" */
	bool		 ktx;
	size_t		 nconnections;
	struct config_connection *connections;	/* in file order */
	const char	*default_connection;	/* of commands that name none; NULL: the only one of one's own */

	/* server */
	const char	*host;			/* "127.0.0.1" */
	unsigned	 port;			/* 7878; 0: any free one */
	const char	*listen;		/* "unix:/path" or NULL */
	const char	*public_url;		/* without a slash at its end, or NULL */
	struct config_strings trusted_proxies, proxy_users, allowed_hosts, allowed_origins;
	unsigned	 fronts;
	uint64_t	 result_memory;		/* bytes */
	/* auth */
	enum config_loopback loopback;
	const char	*token;			/* a reference (env:, file:, cred:) or a literal, NULL: none */
	const char	*proxy_header;		/* as written, or NULL */
	const char	*proxy_role;		/* built in or of roles; NULL: unknown names are refused */
	struct config_pairs roles;		/* name: scopes */
	struct config_oidc oidc;
	struct config_issuers issuers;
	struct config_oauth oauth;
	struct config_connectivity connectivity;
	/* sessions */
	unsigned	 session_idle_min, session_sweep_min;
	/* limits */
	bool		 explain_analyze;
	unsigned	 sql_timeout_s, max_rows, research_per_min, research_in_flight;
	unsigned	 resources_per_min, ask_per_min, ask_timeout_s; /* 0 a minute: no limit */
	unsigned	 export_rows, export_s, export_link_s;	/* export_rows 0: results have no links */
	uint64_t	 body_bytes, result_bytes, worker_memory, search_memory, memory_memory, front_memory; /* bytes */
	/* scan */
	unsigned	 sample_rows, values_per_column, scan_concurrency, scan_timeout_s;
	/* memory */
	enum config_review review;
	unsigned same_subject;		/* thousandths */
	const char	*author;		/* "Name <mail>" */
	struct config_model model;
	struct config_embeddings embeddings;
	struct config_telemetry telemetry;
	struct config_preferences preferences;
	struct config_ontologies ontologies;	/* none: one for every connection */
	struct config_tools tools;
	/* embeddings */
	const char	*vectors;		/* file of word vectors, absolute, or NULL */
	/* audit */
	enum config_audit_failure audit_on_failure;
	enum config_audit_durability audit_durability;
	unsigned	 audit_retention_days;
	const char	*audit_key;		/* as token */
	/* the rest */
	const char	*state;			/* the store's file, absolute */
	const char	*state_url;		/* reference to the URL of the store that nodes share, or NULL */
	unsigned	 state_lease_s;
	unsigned	 state_files_mb;	/* of all files in that store */
	const char	*sync_remote, *sync_branch;	/* remote NULL: none */
	unsigned	 sync_every_s;
	const char	*node;			/* the name of this one; NULL: the machine's */
	unsigned	 max_requests;
	const char	*tool_prefix;		/* of the dataset tools' names: "carrel" */
	enum config_result_text result_text;
	const char	*resource_scheme;
	enum config_sandbox sandbox;
	const char	*duckdb_library;	/* engines.duckdb: file, absolute, or NULL */
};

#define CONFIG_CONNECTIONS_MAX	256	/* more are an error */
#define CONFIG_ISSUES_MAX	64

struct config_issue {
	bool		fatal;			/* a bad value on a known key; otherwise a warning, or what costs one connection */
	unsigned	line;			/* 1-based; 0 when it is about the whole file */
	const char	*text;			/* "server.port: expected a port from 0 to 65535, found \"abc\"" */
};

struct config_issues {
	size_t			n, nfatal;
	struct config_issue	list[CONFIG_ISSUES_MAX];
};

/* The id of the connection meant where none is named: default_connection, else the only one that no import made. */
const char *config_default_connection(const struct config *cfg);

/*
 * Find the project directory: explicit when not NULL, else CARREL_PROJECT_DIR,
 * else KTX_PROJECT_DIR, else the nearest ancestor of the working directory with carrel.yaml or
 * ktx.yaml, else the working directory.  Absolute, in a.  NULL with *err when explicit or the variable is unusable.
 */
const char *config_find_project(struct arena *a, const char *explicit_dir, struct err *err);

/*
 * Read and check the project's configuration into *cfg, everything in a.  What
 * is wrong with one connection makes that one OTHER and unusable, with an issue
 * that is not fatal; one without a usable name is left out.
 * Returns 0 also with warnings; -1 when the file is missing, unreadable, no
 * YAML mapping (err says so) or has fatal issues (err names the first, issues
 * has them all).  References are not resolved here.
 */
int config_load(struct arena *a, const char *project_dir, struct config *cfg,
    struct config_issues *issues, struct err *err);

/* "carrel.yaml:12: server.port: …" lines for a terminal or a log. */
void config_issues_print(const struct config *cfg, const struct config_issues *issues, struct buf *out);

/* A text among the settings of the connection's driver, by its key; NULL: not set, or its driver has no such key. */
const char *config_setting(const struct config_connection *c, const char *key);

/* The path of the driver's library as engines.<driver> says; NULL: not configured. */
const char *config_library(const struct config *cfg, const char *driver);

/* What the value of a key holds where it is a reference. */
enum config_holds config_key_holds(const struct config_key *k);

/* Every value that may be a reference (env:, file:, cred:), literals included, in turn. */
void config_each_reference(const struct config *cfg, void (*fn)(void *arg, const char *ref), void *arg);

/* Whether server.trusted_proxies has a loopback address, from which every account of this machine can connect. */
bool config_trusts_loopback(const struct config *cfg);

/* The key table as text, for `carrel doctor --config-reference`. */
void config_reference(struct buf *out);
