/* config_server - what connections to database servers have in common: their keys, and what these mean. */
#pragma once

#include "project/config/config_value.h"

/* The settings of such a driver, or their beginning.  Texts are references possibly. */
struct config_server {
	const char	*url, *host, *database, *user, *password, *sslmode, *sslrootcert;
	unsigned	 port;
	bool		 ssl, verify;	/* ktx's spelling of sslmode */
};

#define CONFIG_SERVER_KEY(key, KIND, field, low, high, def, words, doc) \
	{ "connections", key, CONFIG_##KIND, offsetof(struct config_server, field), low, high, def, words, doc }

/* The rows of db_driver.keys: the port as a text, and what is said of host and sslmode. */
#define CONFIG_SERVER_KEYS(standard_port, host_doc, sslmode_doc)                                                       \
	CONFIG_SERVER_KEY("url", SECRET, url, 1, 8192, NULL, NULL, "connection URL or a reference to one."),           \
	CONFIG_SERVER_KEY("host", TEXT, host, 1, 1024, NULL, NULL, host_doc),                                          \
	CONFIG_SERVER_KEY("port", UINT, port, 1, 65535, standard_port, NULL, "port."),                                 \
	CONFIG_SERVER_KEY("database", TEXT, database, 1, 1024, NULL, NULL, "database name."),                          \
	CONFIG_SERVER_KEY("username", TEXT, user, 1, 1024, NULL, NULL, "as user."),                                    \
	CONFIG_SERVER_KEY("user", TEXT, user, 1, 1024, NULL, NULL, "account, best one that can only read."),           \
	CONFIG_SERVER_KEY("password", PASSWORD, password, 1, 4096, NULL, NULL,                                         \
	    "password as env:, file: or cred: reference, or the command that prints it."),                             \
	CONFIG_SERVER_KEY("sslMode", TEXT, sslmode, 1, 32, NULL, NULL, "as sslmode."),                                 \
	CONFIG_SERVER_KEY("sslmode", WORD_TEXT, sslmode, 1, 32, NULL,                                                  \
	    "disable|allow|prefer|require|verify-ca|verify-full", sslmode_doc),                                        \
	CONFIG_SERVER_KEY("sslrootcert", TEXT, sslrootcert, 1, 4096, NULL, NULL, "file of certificate authorities."),  \
	CONFIG_SERVER_KEY("ssl", FLAG, ssl, 0, 0, "false", NULL,                                                       \
	    "sslmode verify-full, or require without rejectUnauthorized."),                                            \
	CONFIG_SERVER_KEY("rejectUnauthorized", FLAG, verify, 0, 0, "true", NULL,                                      \
	    "with ssl, whether the certificate is checked."),                                                          \
	{ .key = NULL }

/* db_driver.finish and .where. */
void config_server_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg,
    const char *name);
const char *config_server_where(const struct config_connection *c, struct arena *a);
