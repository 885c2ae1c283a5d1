/*
 * config_reach - how a database server is reached: a command that prints its password, and an SSH server in between.
 * Read from mappings under connections.<name>.
 */
#pragma once

#include "project/config/config_value.h"

#define CONFIG_REACH_TTL_S	600u
#define CONFIG_REACH_TTL_MAX_S	86400u
#define CONFIG_REACH_SSH_PORT	22u

/* password: {command: [argv], ttl_s}; sets the password_command of the connection being read. */
void config_reach_command(struct config_reader *r, const struct yaml_node *node, const char *name);

/* ssh: {host, port, user, identity, known_hosts}; the paths are as written until config_reach_finish(). */
void config_reach_ssh(struct config_reader *r, struct config_ssh *ssh, const struct yaml_node *node, const char *name);

/* Check both against the rest of the connection, and complete them. */
void config_reach_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg,
    const char *name);

/*
 * Host and port of a URL that was resolved, as the driver of c connects to; *port is the driver's where the URL has
 * none.  -1 with *err: it has several hosts or none, a socket, or the query says otherwise.
 */
int config_reach_server(const struct config_connection *c, const char *url, struct arena *a, const char **host,
    unsigned *port, struct err *err);
