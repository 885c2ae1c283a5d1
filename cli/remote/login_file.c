#include "cli/remote/login_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/json/json_read.h"
#include "base/system/io.h"

#define FILE_MAX	65536u

/* NULL with *err: there is no place for it. */
static const char *
login_dir(struct arena *a, struct err *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config != NULL && config[0] == '/')
		return arena_printf(a, "%s/carrel/logins", config);
	if (home != NULL && home[0] == '/')
		return arena_printf(a, "%s/.config/carrel/logins", home);
	err_set(err, ERR_INVALID_ARGUMENTS, "HOME is not set, so there is no place to keep a login");
	return NULL;
}

/* "https://carrel.example.org:8443/x" is https_carrel.example.org_3a8443_2fx.json: no two servers have the same. */
static const char *
login_path(struct arena *a, const char *dir, const char *issuer)
{
	const char *rest = strstr(issuer, "://");
	struct buf path = { 0 };
	const char *kept;

	buf_printf(&path, "%s/", dir);
	if (rest != NULL)
		buf_printf(&path, "%.*s_", (int)(rest - issuer), issuer);
	for (rest = rest == NULL ? issuer : rest + 3; *rest != '\0'; rest++)
		if (ascii_is_alnum((uint8_t)*rest) || *rest == '.' || *rest == '-')
			buf_byte(&path, (uint8_t)*rest);
		else
			buf_printf(&path, "_%02x", (unsigned)(uint8_t)*rest);
	buf_str(&path, ".json");
	kept = arena_cstr(a, buf_view(&path));
	buf_fini(&path);
	return kept;
}

static int
login_cannot(struct err *err, const char *what, const char *path)
{
	int error = errno;

	return err_set(err, ERR_SERVICE_UNAVAILABLE, "the login at %s cannot be %s: %s", path, what, strerror(error));
}

/* The only file of the directory.  NULL: it has no file, or several. */
static const char *
login_only(struct arena *a, const char *dir)
{
	DIR *d = opendir(dir);
	const char *path = NULL;
	struct dirent *e;
	unsigned n = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		size_t len = strlen(e->d_name);

		if (e->d_name[0] == '.' || len < 5 || strcmp(e->d_name + len - 5, ".json") != 0)
			continue;
		path = arena_printf(a, "%s/%s", dir, e->d_name);
		n++;
	}
	if (d != NULL)
		closedir(d);
	return n == 1 ? path : NULL;
}

static const char *
login_member(struct arena *a, const struct mp_value *map, const char *name)
{
	return arena_cstr(a, mp_get_str(map, name, SPAN("")));
}

int
login_file_read(struct arena *a, const char *issuer, struct login_file *out, struct err *err)
{
	const char *dir = login_dir(a, err), *path;
	struct buf text = BUF_MAX(FILE_MAX), storage = { 0 };
	struct mp_value map;
	struct stat st;
	size_t at;
	int fd, result = 1;

	if (dir == NULL)
		return -1;
	path = issuer != NULL ? login_path(a, dir, issuer) : login_only(a, dir);
	if (path == NULL || ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) < 0 && errno == ENOENT))
		return 0;
	if (fd < 0)
		return login_cannot(err, "read", path);
	if (fstat(fd, &st) != 0 || (st.st_mode & 077) != 0 || st.st_uid != geteuid())
		result = err_set(err, ERR_SERVICE_UNAVAILABLE, "%s can be read by others; run `chmod 600` on it", path);
	else if (io_read(fd, 0, FILE_MAX, &text) != 0 || json_read(buf_view(&text), &storage, &at) != JSON_OK ||
	    !mp_value(buf_view(&storage), &map) || map.class != MP_MAP)
		result = err_set(err, ERR_SERVICE_UNAVAILABLE, "%s is damaged; remove it and log in again", path);
	else
		*out = (struct login_file){ .issuer = login_member(a, &map, "issuer"),
			.client_id = login_member(a, &map, "client_id"),
			.refresh_token = login_member(a, &map, "refresh_token"),
			.access_token = login_member(a, &map, "access_token"), .scope = login_member(a, &map, "scope"),
			.expires_unix_s = mp_get_uint(&map, "expires_at", 0) };
	close(fd);
	buf_wipe(&text);
	buf_wipe(&storage);
	return result;
}

/* Make the directories that are missing, for their owner alone. */
static int
login_make_dir(char *dir, struct err *err)
{
	for (char *slash = strchr(dir + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash != NULL)
			*slash = '\0';
		if (mkdir(dir, 0700) != 0 && errno != EEXIST)
			return login_cannot(err, "kept", dir);
		if (slash == NULL)
			return 0;
		*slash = '/';
	}
}

int
login_file_write(struct arena *a, const struct login_file *l, struct err *err)
{
	const char *dir = login_dir(a, err), *path, *temp;
	struct buf text = { 0 };
	int fd, result = 0;

	if (dir == NULL || login_make_dir(arena_printf(a, "%s", dir), err) != 0)
		return -1;
	path = login_path(a, dir, l->issuer);
	temp = arena_printf(a, "%s/.new-%ld", dir, (long)getpid());
	json_put_object(&text, NULL);
	json_put_cstr(&text, "issuer", l->issuer);
	json_put_cstr(&text, "client_id", l->client_id);
	json_put_cstr(&text, "refresh_token", l->refresh_token);
	json_put_cstr(&text, "access_token", l->access_token);
	json_put_cstr(&text, "scope", l->scope);
	json_put_uint(&text, "expires_at", l->expires_unix_s);
	json_end_object(&text);
	if ((fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)) < 0)
		result = login_cannot(err, "written", temp);
	else if (io_write(fd, buf_view(&text)) != 0 || fsync(fd) != 0 || rename(temp, path) != 0) {
		result = login_cannot(err, "written", path);
		unlink(temp);
	}
	if (fd >= 0)
		close(fd);
	buf_wipe(&text);
	return result;
}

int
login_file_remove(struct arena *a, const char *issuer, struct err *err)
{
	const char *dir = login_dir(a, err);

	if (dir == NULL)
		return -1;
	return unlink(login_path(a, dir, issuer)) == 0 || errno == ENOENT ? 0 : login_cannot(err, "removed", dir);
}
