/* secret - resolves env:, file: and cred: references; see config.h. */
#pragma once

#include "project/config/config.h"

/* The name in "env:NAME"; NULL if invalid. */
const char *config_env_name(const char *ref);

/*
 * Resolve "env:NAME", "file:PATH", "cred:NAME" (directory given by the caller,
 * NULL: none) or a literal.  getenv_fn supplies environment values: the
 * supervisor's come from its parent by descriptor.  Returns 0 with *value in
 * out (a buffer to be wiped), 1 when an env: name is unset, -1 with *err.
 * A file owned by a stranger, or writable by others, is refused, and so is one
 * that others can read when the value is a secret: always, or for a URL when
 * there is a password in it.
 */
#define CONFIG_SECRET_MAX	65536
enum config_holds { CONFIG_HOLDS_SECRET, CONFIG_HOLDS_URL, CONFIG_HOLDS_PLAIN };
bool config_is_reference(const char *value);
int config_secret(const char *ref, enum config_holds holds, const char *project_dir, const char *credentials_dir,
    const char *(*getenv_fn)(void *arg, const char *name), void *arg,
    struct buf *out, struct err *err);
