/*
 * login_file - what `carrel login` keeps of a server: $XDG_CONFIG_HOME/carrel/logins/NAME.json (~/.config), a file for
 * its owner alone, in a directory for its owner alone.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/mp.h"

struct login_file {
	const char	*issuer;	/* the server's origin */
	const char	*client_id, *refresh_token, *access_token, *scope;
	uint64_t	 expires_unix_s;	/* of the access token */
};

/* The file of a server; with NULL the only one there is.  1: read into the arena; 0: none; -1 with *err. */
int login_file_read(struct arena *a, const char *issuer, struct login_file *out, struct err *err);

/* Replace it. */
int login_file_write(struct arena *a, const struct login_file *l, struct err *err);
int login_file_remove(struct arena *a, const char *issuer, struct err *err);
