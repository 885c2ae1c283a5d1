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

/*
 * The @ that ends the user part, which libpq seeks as far as the first slash.  A password that has an unescaped slash
 * itself ends at a later @.  NULL: there is no user part.
 */
static const char *
user_end(const char *authority)
{
	size_t host = strcspn(authority, "/"), colon = strcspn(authority, ":");
	const char *path = memrchr(authority, '@', strcspn(authority, "?")), *at = memrchr(authority, '@', host);
	bool port = colon < host && colon + 1 + strspn(authority + colon + 1, "0123456789") == host;

	if (path != NULL && (at == NULL || path > at))
		at = path;
	return at != NULL || colon >= host || port ? at : strrchr(authority, '@');
}

/* In a URL's user part, or as libpq's keyword. */
bool
config_holds_password(const char *url)
{
	const char *authority = strstr(url, "://"), *at, *colon;

	if (strcasestr(url, "password=") != NULL)
		return true;
	if (authority == NULL || (at = user_end(authority += 3)) == NULL ||
	    (colon = memchr(authority, ':', (size_t)(at - authority))) == NULL)
		return false;
	/* "db.example:5432/my@name" has a port. */
	return at > colon + 1 && colon[1 + strspn(colon + 1, "0123456789")] != '/';
}

const char *
config_bare_url(struct arena *a, const char *url)
{
	const char *authority = strstr(url, "://"), *host;

	if (config_is_reference(url))
		return url;
	if (authority == NULL)
		return "(a connection string)";
	authority += 3;
	host = user_end(authority);
	host = host == NULL ? authority : host + 1;
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
