#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "project/config/config_connection.h"
#include "project/config/secret.h"
#include "project/paths.h"

static const char *
after(const char *ref, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncmp(ref, scheme, len) == 0 ? ref + len : NULL;
}

const char *
config_env_name(const char *ref)
{
	return after(ref, "env:");
}

bool
config_is_reference(const char *value)
{
	return after(value, "env:") != NULL || after(value, "file:") != NULL || after(value, "cred:") != NULL;
}

/* "~/x" by HOME, or by the password file where the environment is empty. */
static int
home_path(const char *path, const char *home, char out[4096], struct err *err)
{
	struct passwd *pw;

	if (home == NULL || *home == '\0')
		home = (pw = getpwuid(geteuid())) != NULL ? pw->pw_dir : NULL;
	if (home == NULL || snprintf(out, 4096, "%s%s", home, path + 1) >= 4096)
		return err_set(err, ERR_INVALID_ARGUMENTS, "file:%s: the home directory is not known", path);
	return 0;
}

/* Trim white space around the value: editors add it, and it is not part of the secret. */
static void
secret_trim(struct buf *out, size_t from)
{
	size_t lead = 0;

	while (out->len > from && strchr(" \t\r\n", out->p[out->len - 1]) != NULL && out->p[out->len - 1] != '\0')
		out->len--;
	while (from + lead < out->len && strchr(" \t\r\n", out->p[from + lead]) != NULL && out->p[from + lead] != '\0')
		lead++;
	if (lead > 0)
		memmove(out->p + from, out->p + from + lead, out->len - from - lead);
	out->len -= lead;
}

static int
read_trimmed(int dirfd, const char *path, enum paths_trust trust, struct buf *out, struct err *err)
{
	size_t before = out->len;

	if (paths_read(dirfd, path, trust, CONFIG_SECRET_MAX, out, err) != 0)
		return -1;
	if (out->len > before)
		secret_trim(out, before);
	return 0;
}

static int
read_secret(int dirfd, const char *path, enum config_holds holds, struct buf *out, struct err *err)
{
	size_t before = out->len;

	if (read_trimmed(dirfd, path, holds == CONFIG_HOLDS_SECRET ? PATHS_SECRET : PATHS_OURS, out, err) != 0)
		return -1;
	/* A URL is a secret when it contains a password. */
	if (holds == CONFIG_HOLDS_URL && config_holds_password(buf_cstr(out) + before)) {
		out->len = before;
		if (read_trimmed(dirfd, path, PATHS_SECRET, out, err) != 0)
			return -1;
	}
	if (out->len == before)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s is empty", path);
	if (memchr(out->p + before, '\0', out->len - before) != NULL || !utf8_valid(out->p + before, out->len - before))
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s does not hold text", path);
	return 0;
}

static int
read_below(const char *dir, const char *path, enum config_holds holds, struct buf *out, struct err *err)
{
	int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

	if (dirfd < 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s cannot be opened: %s", dir, strerror(errno));
	result = read_secret(dirfd, path, holds, out, err);
	close(dirfd);
	return result;
}

int
config_secret(const char *ref, enum config_holds holds, const char *project_dir, const char *credentials_dir,
    const char *(*getenv_fn)(void *arg, const char *name), void *arg,
    struct buf *out, struct err *err)
{
	const char *name, *value;
	size_t from = out->len;
	char path[4096];

	if ((name = after(ref, "env:")) != NULL) {
		if ((value = getenv_fn(arg, name)) == NULL)
			return 1;
		buf_str(out, value);
		secret_trim(out, from);
		return 0;
	}
	if ((name = after(ref, "file:")) != NULL) {
		if (name[0] == '~' && name[1] == '/') {
			if (home_path(name, getenv_fn(arg, "HOME"), path, err) != 0)
				return -1;
			name = path;
		}
		return read_below(project_dir, name, holds, out, err);
	}
	if ((name = after(ref, "cred:")) != NULL) {
		if (credentials_dir == NULL)
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "%s: there is no credentials directory; systemd gives one to a service", ref);
		if (*name == '\0' || *name == '.' || strchr(name, '/') != NULL)
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s: not a credential's name", ref);
		return read_below(credentials_dir, name, CONFIG_HOLDS_SECRET, out, err);
	}
	buf_str(out, ref);
	return 0;
}
