#include "project/config/config_connection.h"

#include <stdlib.h>
#include <string.h>

#include "project/config/config_issue.h"
#include "project/config/drivers.h"
#include "project/config/secret.h"

/* realpath() as far as the file system goes; the last component need not exist yet. */
static const char *
clean_path(struct arena *a, const char *path)
{
	char *real = realpath(path, NULL), *slash;
	char *copy = arena_cstr(a, span_str(path));
	const char *result = copy;

	if (real != NULL)
		result = arena_cstr(a, span_str(real));
	else if (copy != NULL && (slash = strrchr(copy, '/')) != NULL && slash != copy) {
		*slash = '\0';
		if ((real = realpath(copy, NULL)) != NULL)
			result = arena_printf(a, "%s/%s", real, slash + 1);
		else
			*slash = '/';
	}
	free(real);
	return result;
}

const char *
config_database_path(struct arena *a, const struct db_driver *d, const char *project_dir, const char *written)
{
	size_t scheme = drivers_scheme(d, written);
	const char *path;

	/* Of a URL the authority and the parameters are dropped. */
	if (scheme > 0) {
		written += scheme;
		if (strncmp(written, "//", 2) == 0 && strchr(written + 2, '/') != NULL)
			written = strchr(written + 2, '/');
		if ((written = arena_cstr(a, span_of(written, strcspn(written, "?#")))) == NULL)
			return NULL;
	}
	path = *written == '/' ? written : arena_printf(a, "%s/%s", project_dir, written);
	return path != NULL ? clean_path(a, path) : NULL;
}

/* In a URL's user part, whose @ libpq seeks as far as the first slash, or as its keyword. */
bool
config_holds_password(const char *url)
{
	const char *authority = strstr(url, "://");
	size_t len;

	if (strcasestr(url, "password=") != NULL)
		return true;
	if (authority == NULL)
		return false;
	authority += 3;
	len = strcspn(authority, "/");
	for (const char *at = memrchr(authority, '@', len), *p = authority; at != NULL && p < at; p++)
		if (*p == ':')
			return at > p + 1;
	return false;
}

const char *
config_bare_url(struct arena *a, const char *url)
{
	const char *authority = strstr(url, "://"), *end, *host;

	if (config_is_reference(url))
		return url;
	if (authority == NULL)
		return "(a connection string)";
	authority += 3;
	end = authority + strcspn(authority, "/");
	host = authority;
	for (const char *p = authority; p < end; p++)
		if (*p == '@')
			host = p + 1;
	return arena_printf(a, "%.*s%.*s", (int)(authority - url), url, (int)strcspn(host, "?#"), host);
}

void
config_finish_file(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name,
    const char *path, const char *url)
{
	const char *written = path != NULL ? path : url;

	if (written == NULL)
		config_issue(r, true, c->line, name, "a %s connection needs a path", c->driver->name);
	/* A URL may begin with file: itself; in `path` that names a file which holds the path. */
	else if (config_is_reference(written) && (path != NULL || strncmp(written, "file:", 5) != 0))
		c->path_ref = written;
	else if ((c->path = config_database_path(r->arena, c->driver, cfg->project_dir, written)) == NULL)
		r->full = true;
}
