/*
 * config_value - one row of config.def applied to one node of YAML.
 * Internal to config*.c and the drivers' descriptions.
 */
#pragma once

#include "project/config/config.h"
#include "project/config/config_issue.h"
#include "project/format/yaml.h"

enum config_kind {
	CONFIG_TEXT, CONFIG_HOST, CONFIG_URL, CONFIG_LISTEN, CONFIG_SECRET, CONFIG_NAME, CONFIG_SCHEME,
	CONFIG_TEXTS, CONFIG_HOSTS, CONFIG_ORIGINS, CONFIG_ADDRESSES, CONFIG_USERS,
	CONFIG_UINT, CONFIG_BYTES, CONFIG_MB, CONFIG_FLAG, CONFIG_WORD, CONFIG_WORD_TEXT,
	CONFIG_COLUMNS, CONFIG_ASKER, CONFIG_IDENTITY, CONFIG_PREFIX, CONFIG_TOOLS, CONFIG_HEADER, CONFIG_STORE,
	CONFIG_STATE, CONFIG_SWITCH, CONFIG_SCHEMES, CONFIG_PAIRS, CONFIG_FILES, CONFIG_ONTOLOGIES, CONFIG_TEAM_TOOLS,
	CONFIG_ISSUERS,
	CONFIG_PASSWORD, CONFIG_SSH, CONFIG_MONTH_DAY, CONFIG_ZONE, CONFIG_SHARE
};

/* Legend: config.def. */
struct config_key {
	const char		*section, *key;
	enum config_kind	 kind;
	size_t			 offset;
	uint64_t		 low, high;
	const char		*def, *words, *doc;
};

/* Tables end with a NULL key. */
extern const struct config_key config_keys[], config_connection_keys[];

/* Store the key's default into base, a struct config or a struct config_connection. */
void config_set_default(struct config_reader *r, const struct config_key *k, void *base);

/* Store node's value, or note what was expected instead.  A null leaves the default. */
void config_set(struct config_reader *r, const struct config_key *k, void *base,
    const struct yaml_node *node, const char *name);

/* "tools.revenue" of tools and revenue: the name of a member for an issue, in the arena. */
const char *config_below(struct config_reader *r, const char *name, struct span key);

/* "a whole number from 0 to 65535" */
void config_expected(const struct config_key *k, struct buf *out);

/* What server.host and server.allowed_origins accept; for command-line values too. */
bool config_is_host(const char *s);
bool config_is_origin(const char *s);

/* Write an allowed host as people type it (B.example:80, [::1]) as it is compared: b.example, ::1.  In place. */
void config_host_fold(char *s);

/* Whether url, one that server.public_url accepts, names this machine by one of its three names. */
bool config_is_loopback_url(const char *url);
