/*
 * launch - how this daemon was started: the command line, the launch document
 * that may hold secrets, and the descriptor on which it reports the result of
 * its start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "project/config/config.h"
#include "project/keys.h"

#define LAUNCH_DOCUMENT_MAX	(1u << 20)

struct launch {
	const char	*project_dir;		/* as given; NULL: look for it */
	int		 document_fd, status_fd, private_fd;	/* -1: none */
	bool		 verify, foreground;
	const char	*asked;			/* text to print for --help or --version, and then end; NULL */

	/* Values of the launch document; zero where the document has none. */
	bool		 has_document;
	const char	*host, *token;
	int		 port;			/* -1: as configured */
	struct config_strings allowed_hosts, allowed_origins;

	bool		 has_local_root;	/* PRIVATE: the client's own key for proofs of the owner */
	uint8_t		 local_root[KEYS_ROOT];

	char		*secrets;		/* locked memory: "NAME\0value\0" pairs, then "token" */
	size_t		 secrets_len;
	char		*fresh;			/* the same, as launch_refresh() brought it: is read first; no token */
	size_t		 fresh_len;
	const char	*credentials_dir;
};

/* Read command line and document.  Texts live in a or in l.  -1: *err is a usage error. */
int launch_read(struct launch *l, int argc, char **argv, struct arena *a, struct err *err);

/*
 * For config_secret(): values come from the document when there is one, else
 * from our own environment.  arg is the struct launch.
 */
const char *launch_getenv(void *arg, const char *name);

/*
 * Reads variables from the FIFO of this name in the state directory, where a
 * command of our own user wrote them before it sent SIGHUP.  Variables that it
 * does not name keep their values.  Returns 0 also if nothing waits.
 */
#define LAUNCH_REFRESH	"reload"
int launch_refresh(struct launch *l, int state_fd, struct err *err);

/* Put the document's host, port, token, allowed hosts and origins over the configuration's. */
int launch_override(const struct launch *l, struct arena *a, struct config *cfg, struct err *err);

/* Reports "ok {…}" or "error …", once, and closes the descriptor.  json may be NULL. */
void launch_report(struct launch *l, const char *json, const char *error);

/* Wipes the secrets. */
void launch_fini(struct launch *l);
