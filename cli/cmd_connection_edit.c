#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/io.h"
#include "base/system/wildcards.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "cli/cmd_connection.h"
#include "cli/cmd_connection_edit.h"
#include "cli/scans_project.h"
#include "cli/daemon/reload.h"
#include "cli/show/table_text.h"
#include "cli/show/term.h"
#include "project/config/config_connection.h"
#include "project/config/config_edit.h"
#include "project/config/config_value.h"
#include "project/paths.h"
#include "cli/args.h"
#include "cli/say.h"
#include "project/config/secret.h"

#define VALUES_MAX	24	/* twelve keys, and those that are taken out */
#define FILE_MAX	((size_t)4 << 20)
#define FILES_MOST	65u	/* one more than a connection may have, whose configuration then says so */

/* The connection to be: its keys in the order they are written. */
struct connection_draft {
	size_t				n;
	struct config_edit_value	values[VALUES_MAX];
	struct buf			secret;		/* a password asked for, or the URL that holds it */
	const char			*project, *driver;	/* driver: of a connection that is edited */
	const struct db_driver		*served;	/* what is to be written */
	const char			*secret_file;	/* ".carrel/secrets/<id>.password"; NULL: none */
	bool				 amiss;		/* the settings cannot work, as a message says */
	bool				 unset;		/* it refers to what is not set here */
};

static void
draft_text(struct connection_draft *d, const char *key, const char *text)
{
	if (text != NULL && d->n < VALUES_MAX)
		d->values[d->n++] = (struct config_edit_value){ .key = key, .text = text };
}

static const char *
user_end(const char *url)
{
	const char *authority = strstr(url, "://") + 3;
	size_t n = strcspn(authority, "/?#@");

	return authority[n] == '@' ? authority + n : NULL;
}

static bool
is_plain_letter(uint8_t c)
{
	return ascii_is_alnum(c);
}

/* The URL with the password behind the user, percent-encoded. */
static void
put_password(const char *url, struct span password, struct buf *out)
{
	const char *at = user_end(url);

	buf_append(out, url, (size_t)(at - url));
	buf_byte(out, ':');
	percent_put(out, password, is_plain_letter);
	buf_str(out, at);
}

/* Read from standard input, or at the terminal.  1: no input; -1 after an error message. */
static int
take_password(struct cli *cli, struct buf *out)
{
	char c;

	if (!cli_flag(cli, "password-stdin")) {
		if (!isatty(STDIN_FILENO) ||
		    !term_ask_secret("Password (empty: none; it is kept in .carrel/secrets, readable by you alone): ",
			out))
			return 1;
	} else
		while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n' && out->len <= CONFIG_SECRET_MAX / 4)
			buf_byte(out, (uint8_t)c);
	if (out->len == 0)
		return cli_flag(cli, "password-stdin") ?
		    cli_fail(-1, "standard input holds no password; write it there as one line") :
		    1;
	if (out->len > CONFIG_SECRET_MAX / 4 || !utf8_valid(out->p, out->len))
		return cli_fail(-1, "the password is too long or no UTF-8 text");
	return 0;
}

/* "~/x" with the home directory, which a shell does not expand behind `--path=` or in quotes. */
static const char *
expand_home(struct cli *cli, const char *path)
{
	const char *home = getenv("HOME");

	return strncmp(path, "~/", 2) == 0 && home != NULL && *home != '\0' ?
	    arena_printf(cli->arena, "%s%s", home, path + 1) :
	    path;
}

/* Why no database can be read at that place, and what to do.  NULL: no reason is known. */
static const char *
database_fault(struct arena *arena, const struct db_driver *driver, const char *path)
{
	struct stat st;
	char head[DRIVERS_MAGIC_MAX];
	ssize_t n;
	int fd;

	if (stat(path, &st) != 0)
		return errno == ENOENT ?
		    arena_printf(arena, "there is no file %s yet; the connection works once the database lies there",
			path) :
		    arena_printf(arena, "%s cannot be looked at: %s; name the database's file", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return arena_printf(arena, "%s is a directory, no %s database; name the file in it", path,
		    driver->display);
	if (!S_ISREG(st.st_mode))
		return arena_printf(arena, "%s is no file; name the database's file", path);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) < 0)
		return arena_printf(arena, "%s cannot be read: %s; let the daemon's user read it", path,
		    strerror(errno));
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == 0 || driver->magic == NULL || drivers_of_file(span_of(head, n < 0 ? 0 : (size_t)n)) == driver ?
	    NULL :
	    arena_printf(arena, "%s is no %s database, or it is encrypted; name one that is", path, driver->display);
}

/*
 * The path to write: as given if the file exists relative to the project, like all paths in its configuration;
 * absolute if it exists relative to the directory of the command.  Problems of the file are only warnings: the
 * database may be created later.
 */
static const char *
find_database(struct cli *cli, struct connection_draft *d, const char *given)
{
	const char *path = expand_home(cli, given), *there, *here, *fault;
	struct stat st;

	if (config_is_reference(path) ||
	    (there = config_database_path(cli->arena, d->served, d->project, path)) == NULL)
		return path;
	if (stat(there, &st) != 0 && *path != '/' && strchr(path, ':') == NULL &&
	    (here = realpath(path, NULL)) != NULL) {
		path = there = arena_printf(cli->arena, "%s", here);
		free((void *)(uintptr_t)here);
	}
	if ((fault = database_fault(cli->arena, d->served, there)) != NULL) {
		cli_note("%s", fault);
		d->amiss = true;
	}
	return path;
}

/* The files of the pattern, which is relative to dir.  False with *err: there are none. */
static bool
find_in(struct cli *cli, const char *dir, const char *pattern, struct wildcards *w, struct err *err)
{
	const char *path = *pattern == '/' ? pattern : arena_printf(cli->arena, "%s/%s", dir, pattern);
	struct wildcards_spent spent = { 0 };

	return wildcards_find(w, path, path == pattern ? 0 : strlen(dir), &spent, err) == 0;
}

/* The pattern to write, as find_database() does with a path; w: its files. */
static const char *
find_files(struct cli *cli, struct connection_draft *d, const char *pattern, struct wildcards *w)
{
	char *here = getcwd(NULL, 0);
	struct err err, ignored;

	if (!find_in(cli, d->project, pattern, w, &err)) {
		if (here != NULL && *pattern != '/' && find_in(cli, here, pattern, w, &ignored))
			pattern = arena_printf(cli->arena, "%s/%s", here, pattern);
		else {
			cli_note("%s: %s", pattern, err.message);
			d->amiss = true;
		}
	}
	free(here);
	return pattern;
}

/* The real path of the directory meant, of the project or else of the caller, and the path to write; NULL: none. */
static const char *
find_directory(struct cli *cli, const struct connection_draft *d, const char *path, const char **written)
{
	const char *there = *path == '/' ? path : arena_printf(cli->arena, "%s/%s", d->project, path);
	char *real = realpath(there, NULL);
	struct stat st;
	const char *kept;

	*written = path;
	if (real == NULL && *path != '/' && (real = realpath(path, NULL)) != NULL)
		*written = real;
	if (real == NULL)
		return NULL;
	kept = arena_printf(cli->arena, "%s", real);
	if (*written == real)
		*written = kept;
	free(real);
	return stat(kept, &st) == 0 && S_ISDIR(st.st_mode) ? kept : NULL;
}

/* Why a file of the directory is left out, which its owner has not named; NULL: it is taken. */
static const char *
why_left_out(const char *dir, const char *name, const char *real)
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	if (strncmp(real, dir, n) != 0 || real[n] != '/')
		return "is a link that leads out of the directory; name the file itself to have it";
	if (access(real, R_OK) != 0)
		return "cannot be read by this account";
	if (!utf8_valid((const uint8_t *)name, strlen(name)))
		return "has a name that is not in UTF-8";
	for (const char *c = name; *c != '\0'; c++)
		if ((uint8_t)*c < ' ' || *c == 0x7f)
			return "has a name with a line break, tab or another control character in it";
	return wildcards_any(name) ? "has a name with a wildcard in it" : NULL;
}

/* On one line, whatever the name: others may write into the directory. */
static void
note_left_out(const char *name, const char *why)
{
	struct buf safe = { 0 };

	table_safe(span_str(name), false, &safe);
	cli_note("%s is left out: it %s", buf_cstr(&safe), why);
	buf_fini(&safe);
}

/* The files of a directory that the driver reads, by their names. */
static void
add_directory(struct cli *cli, struct connection_draft *d, const char *dir, const char *written, const char **list,
    size_t *n)
{
	struct dirent **names = NULL;
	int found = scandir(dir, &names, NULL, alphasort);

	if (found < 0)
		cli_note("%s: %s", written, strerror(errno));
	for (int i = 0; i < found; i++) {
		const char *name = names[i]->d_name, *why;
		char *real = d->served->takes(name) && *name != '.' ?
		    realpath(arena_printf(cli->arena, "%s/%s", dir, name), NULL) :
		    NULL;
		struct stat st;

		if (real != NULL && stat(real, &st) == 0 && S_ISREG(st.st_mode) && *n < FILES_MOST) {
			if ((why = why_left_out(dir, name, real)) != NULL)
				note_left_out(name, why);
			else
				list[(*n)++] = arena_printf(cli->arena, "%s%s%s", written,
				    span_ends(span_str(written), "/") ? "" : "/", name);
		}
		free(real);
		free(names[i]);
	}
	free(names);
}

/* A pattern, or in place of a directory each of its files that the driver reads. */
static void
add_files(struct cli *cli, struct connection_draft *d, const char *given, const char **list, size_t *n)
{
	const char *pattern = expand_home(cli, given), *written, *dir = find_directory(cli, d, pattern, &written);
	struct wildcards w = { 0 };

	if (dir != NULL)
		add_directory(cli, d, dir, written, list, n);
	else if (*n < FILES_MOST) {
		list[(*n)++] = find_files(cli, d, pattern, &w);
		wildcards_fini(&w);
	}
}

/* The files of --files, and behind the name, where a shell puts what it makes of wildcards. */
static int
draft_files(struct cli *cli, struct connection_draft *d)
{
	const char **list = arena_array(cli->arena, FILES_MOST, sizeof(*list)), *more;
	size_t ngiven, n = 0;
	const char **given = cli_options(cli, "files", &ngiven);

	if (ngiven == 0)
		return CLI_OK;
	if (drivers_key_of(d->served, SPAN("files")) == NULL)
		return cli_fail(CLI_USAGE, "a %s connection takes --path FILE, not --files", d->served->display);
	for (size_t i = 0; i < ngiven; i++)
		add_files(cli, d, given[i], list, &n);
	for (size_t i = 1; (more = cli_operand(cli, i)) != NULL; i++)
		add_files(cli, d, more, list, &n);
	if (n == 0)
		return cli_fail(CLI_FAILED, "%s has no Parquet, CSV or JSON files that can be taken", given[0]);
	d->values[d->n++] = (struct config_edit_value){ .key = "files", .list = list, .n = n };
	return CLI_OK;
}

/* The driver that serves files in place of a database. */
static const struct db_driver *
files_driver(void)
{
	size_t i = 0;

	while (i + 1 < ndrivers && drivers_key_of(drivers[i], SPAN("files")) == NULL)
		i++;
	return drivers[i];
}

/* A reference that cannot be resolved now causes a remark, not an error. */
static void
note_unresolved(struct connection_draft *d, const char *ref, enum config_holds holds)
{
	struct buf value = { 0 };
	struct err err;
	int r;

	if (ref == NULL || !config_is_reference(ref) || strncmp(ref, "cred:", 5) == 0)
		return;
	r = config_secret(ref, holds, d->project, NULL, cli_getenv, NULL, &value, &err);
	d->amiss |= r < 0; /* a variable may be set where the daemon runs */
	if (r < 0)
		cli_note("%s", err.message);
	else if (r == 1 || value.len == 0) {
		d->unset = true;
		cli_note("%s is %s here; export it before the connection is used",
		    config_env_name(ref) != NULL ? config_env_name(ref) : ref, r == 1 ? "not set" : "empty");
	}
	buf_wipe(&value);
}

static int
check_reference(const char *option, const char *value)
{
	if (value == NULL || config_is_reference(value))
		return CLI_OK;
	return cli_fail(CLI_USAGE,
	    "--%s takes a reference, env:NAME or file:PATH, never the password itself; "
	    "leave it out to be asked, or use --password-stdin",
	    option);
}

static int
draft_url(struct cli *cli, const char *id, const char *url, struct connection_draft *d)
{
	struct buf password = { 0 };
	int r;

	if (config_is_reference(url)) {
		draft_text(d, "url", url);
		return CLI_OK;
	}
	if (drivers_scheme(d->served, url) == 0)
		return cli_fail(CLI_USAGE, "--url must begin with %.*s or be a reference, env:NAME or file:PATH",
		    (int)strcspn(d->served->schemes, " "), d->served->schemes);
	if (config_holds_password(url))
		return cli_fail(CLI_USAGE,
		    "--url must not hold a password, others can see it (ps, history); "
		    "use --url env:NAME, or leave it out to be asked");
	if (user_end(url) == NULL)
		r = cli_flag(cli, "password-stdin") ? cli_fail(-1, "a password needs a user: %.*sUSER@HOST/DATABASE",
							  (int)strcspn(d->served->schemes, " "), d->served->schemes) :
						      1;
	else
		r = take_password(cli, &password);
	if (r == 0) {
		put_password(url, buf_view(&password), &d->secret);
		d->secret_file = arena_printf(cli->arena, ".carrel/secrets/%s.url", id);
		draft_text(d, "url", arena_printf(cli->arena, "file:%s", d->secret_file));
	} else if (r > 0)
		draft_text(d, "url", url);
	buf_wipe(&password);
	return r < 0 ? CLI_USAGE : CLI_OK;
}

/* `connection edit` has the same options, all optional. */
static bool
is_edit(const struct cli *cli)
{
	return strcmp(cli->command->name, "connection edit") == 0;
}

static int
draft_fields(struct cli *cli, const char *id, struct connection_draft *d)
{
	static const char *const keys[] = { "host", "port", "database", "user" };
	const char *password = cli_option(cli, "password");
	uint64_t port = 0;
	int r;

	if (!cli_number(cli, "port", 1, 65535, &port))
		return CLI_USAGE;
	if (cli_option(cli, "database") == NULL && !is_edit(cli))
		return cli_fail(CLI_USAGE, "a %s connection needs --url, or at least --database", d->served->display);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		draft_text(d, keys[i], cli_option(cli, keys[i]));
	if (password != NULL) {
		draft_text(d, "password", password);
		return CLI_OK;
	}
	if (is_edit(cli) && !cli_flag(cli, "password-stdin"))
		return CLI_OK; /* the connection keeps its password */
	if ((r = take_password(cli, &d->secret)) == 0) {
		d->secret_file = arena_printf(cli->arena, ".carrel/secrets/%s.password", id);
		draft_text(d, "password", arena_printf(cli->arena, "file:%s", d->secret_file));
	}
	return r < 0 ? CLI_USAGE : CLI_OK;
}

static bool
has_any(const struct cli *cli, const char *const *options)
{
	for (; *options != NULL; options++)
		if (cli_flag(cli, *options))
			return true;
	return false;
}

/* The names of list, n of them, and those of text with commas between; NULL after an error message. */
static const char **
split_names(struct cli *cli, const char *option, const char **list, const char *text, size_t *n)
{
	size_t most = *n + 1;
	const char **all;

	for (const char *p = text; p != NULL && *p != '\0'; p++)
		most += *p == ',';
	if ((all = arena_array(cli->arena, most, sizeof(*all))) == NULL)
		abort();
	if (*n > 0)
		memcpy(all, list, *n * sizeof(*all));
	while (text != NULL) {
		const char *comma = strchr(text, ',');
		size_t len = comma != NULL ? (size_t)(comma - text) : strlen(text);
		struct span name = span_trim(span_of(text, len));

		if (name.len == 0) {
			(void)cli_fail(CLI_USAGE, "--%s takes names with commas between, \"public,sales\"", option);
			return NULL;
		}
		all[(*n)++] = arena_cstr(cli->arena, name);
		text = comma != NULL ? comma + 1 : NULL;
	}
	return all;
}

/* The schemas of --schema, repeated, and of --schemas. */
static const char **
given_schemas(struct cli *cli, size_t *n)
{
	const char **one = cli_options(cli, "schema", n);

	return split_names(cli, "schemas", one, cli_option(cli, "schemas"), n);
}

/* One --set; a list is written with commas between. */
static int
draft_setting(struct cli *cli, struct connection_draft *d, const char *given)
{
	struct span key = span_of(given, strcspn(given, "="));
	const struct config_key *k = drivers_key_of(d->served, key);
	struct config_edit_value v = { 0 };

	if (k == NULL || given[key.len] == '\0')
		return cli_fail(CLI_USAGE,
		    "--set takes KEY=VALUE with a key of %s; `carrel doctor --config-reference` "
		    "lists them",
		    d->served->display);
	v = (struct config_edit_value){ .key = k->key, .text = given + key.len + 1 };
	if (config_key_holds(k) == CONFIG_HOLDS_SECRET && check_reference("set", v.text) != CLI_OK)
		return CLI_USAGE;
	if (k->kind == CONFIG_TEXTS) {
		if ((v.list = split_names(cli, "set", NULL, v.text, &v.n)) == NULL)
			return CLI_USAGE;
		v.text = NULL;
	}
	if (d->n < VALUES_MAX)
		d->values[d->n++] = v;
	return CLI_OK;
}

static int
draft_settings(struct cli *cli, struct connection_draft *d)
{
	size_t n;
	const char **given = cli_options(cli, "set", &n);
	int code = CLI_OK;

	for (size_t i = 0; i < n && code == CLI_OK; i++)
		code = draft_setting(cli, d, given[i]);
	return code;
}

static int
draft_schemas(struct cli *cli, struct connection_draft *d)
{
	struct config_edit_value *v = &d->values[d->n];

	if (!cli_flag(cli, "schema") && !cli_flag(cli, "schemas"))
		return CLI_OK;
	if (cli_flag(cli, "all-schemas"))
		return cli_fail(CLI_USAGE, "give --all-schemas, or schemas by name, not both");
	*v = (struct config_edit_value){ .key = "schemas" };
	if ((v->list = given_schemas(cli, &v->n)) == NULL)
		return CLI_USAGE;
	d->n++;
	return CLI_OK;
}

/* The file that find_database() will find; -1: there is no file. */
static int
open_database(struct cli *cli, const char *project, const char *given)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	const char *path = expand_home(cli, given);
	int fd;

	if (config_is_reference(path))
		return -1;
	if (*path != '/' && (fd = open(arena_printf(cli->arena, "%s/%s", project, path), flags)) >= 0)
		return fd;
	return open(path, flags);
}

/* By the scheme, also of what a reference stands for; NULL: that cannot be told here. */
static const struct db_driver *
driver_of_url(const char *project, const char *url)
{
	const struct db_driver *found;
	struct buf value = { 0 };
	struct err err;

	if (!config_is_reference(url))
		return drivers_of_url(url);
	found = strncmp(url, "cred:", 5) != 0 &&
		config_secret(url, CONFIG_HOLDS_URL, project, NULL, cli_getenv, NULL, &value, &err) == 0 ?
	    drivers_of_url(buf_cstr(&value)) :
	    NULL;
	buf_wipe(&value);
	return found;
}

/* By the file's first bytes or the URL's scheme, if they tell. */
static const struct db_driver *
guess_driver(struct cli *cli, const char *project, const char *path, const char *url)
{
	int fd = path == NULL ? -1 : open_database(cli, project, path);
	const struct db_driver *found = url == NULL ? NULL : driver_of_url(project, url);
	char head[DRIVERS_MAGIC_MAX];
	ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	if (n > 0)
		found = drivers_of_file(span_of(head, (size_t)n));
	return found != NULL ? found : drivers_at(path != NULL ? DRIVER_FILE : DRIVER_SERVER);
}

static int
draft_connection(struct cli *cli, const char *id, struct connection_draft *d)
{
	static const char *const fields[] = { "host", "port", "database", "user", "password", "password-stdin", NULL };
	static const char *const servers[] = { "url", "host", "port", "database", "user", "password",
		"password-stdin", NULL };
	static const char *const schemas[] = { "schema", "schemas", "all-schemas", NULL };
	const char *driver = cli_option(cli, "driver"), *path = cli_option(cli, "path"), *url = cli_option(cli, "url");
	bool files = cli_flag(cli, "files");
	uint64_t workers = 0;
	int code;

	if (!files && cli_operand(cli, 1) != NULL)
		return cli_fail(CLI_USAGE, "%s behind the name needs --files", cli_operand(cli, 1));
	if (driver == NULL && is_edit(cli) && path == NULL && url == NULL && !files && !has_any(cli, fields))
		driver = d->driver;
	if (driver == NULL && files)
		driver = files_driver()->name;
	if (driver == NULL)
		driver = guess_driver(cli, d->project, path, url)->name;
	if ((d->served = drivers_served(span_str(driver))) == NULL)
		return cli_fail(CLI_USAGE, "the driver \"%s\" is not served; %s are", driver, cli_driver_names(cli));
	if (!cli_number(cli, "workers", 1, 64, &workers) ||
	    check_reference("password", cli_option(cli, "password")) != CLI_OK)
		return CLI_USAGE;
	draft_text(d, "driver", driver);
	if (d->served->place == DRIVER_FILE) {
		if ((path == NULL && !files && !cli_flag(cli, "set") && !is_edit(cli)) || has_any(cli, servers) ||
		    (d->served->schema == NULL && has_any(cli, schemas)))
			return cli_fail(CLI_USAGE, "a %s connection takes --path FILE%s, and nothing of a server's",
			    d->served->display,
			    drivers_key_of(d->served, SPAN("files")) != NULL ? " or --files PATTERN" : "");
		if (path != NULL && files)
			return cli_fail(CLI_USAGE, "give --path or --files, not both");
		if (path != NULL)
			draft_text(d, "path", find_database(cli, d, path));
		if ((code = draft_files(cli, d)) != CLI_OK)
			return code;
	} else if (path != NULL || files) {
		return cli_fail(CLI_USAGE, "a %s connection takes --url or --host, not --%s", d->served->display,
		    path != NULL ? "path" : "files");
	} else if (url != NULL &&
	    (cli_option(cli, "host") != NULL || cli_option(cli, "password") != NULL ||
		cli_option(cli, "database") != NULL || cli_option(cli, "user") != NULL ||
		cli_option(cli, "port") != NULL)) {
		return cli_fail(CLI_USAGE, "give --url, or --host and its like, not both");
	} else if (url == NULL && !has_any(cli, fields)) {
		if (!is_edit(cli) && !cli_flag(cli, "set"))
			return cli_fail(CLI_USAGE,
			    "say where the database is: --path FILE or --files PATTERN for files, --url env:NAME or "
			    "--host for %s",
			    d->served->display);
	} else if ((code = url != NULL ? draft_url(cli, id, url, d) : draft_fields(cli, id, d)) != CLI_OK)
		return code;
	if ((code = draft_schemas(cli, d)) != CLI_OK || (code = draft_settings(cli, d)) != CLI_OK)
		return code;
	draft_text(d, "workers", cli_option(cli, "workers"));
	return CLI_OK;
}

/* Create .carrel/secrets/<name>, readable by its owner only. */
static int
keep_secret(struct cli *cli, const char *project, const struct connection_draft *d)
{
	const char *path = arena_printf(cli->arena, "%s/%s", project, d->secret_file);
	int fd = -1, top = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir = -1;
	bool ok;

	if (top >= 0 && paths_make(top, ".carrel/secrets", 0700) == 0 &&
	    (dir = paths_open(top, ".carrel/secrets", O_RDONLY | O_DIRECTORY, 0)) >= 0 &&
	    (unlinkat(dir, strrchr(path, '/') + 1, 0) == 0 || errno == ENOENT))
		fd = openat(dir, strrchr(path, '/') + 1, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		(void)cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
	if (dir >= 0)
		close(dir);
	if (top >= 0)
		close(top);
	if (fd < 0)
		return CLI_FAILED;
	ok = io_write(fd, buf_view(&d->secret)) == 0 && fsync(fd) == 0;
	if (close(fd) != 0 || !ok)
		return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
	return CLI_OK;
}

/* The file that is edited and the project that it configures. */
struct connection_file {
	struct config	cfg;
	int		dir;
	struct buf	text;
	mode_t		mode;
};

static int
open_file(struct cli *cli, struct connection_file *f)
{
	struct stat st;
	struct err err;

	*f = (struct connection_file){ .dir = -1 };
	if (!cli_config(cli, false, &f->cfg))
		return CLI_FAILED;
	if (f->cfg.ktx)
		return cli_fail(CLI_FAILED,
		    "ktx.yaml is ktx's, and Carrel never writes it: change it by hand, where a connection's schemas "
		    "are `schemas: [A, B]`, then `carrel mcp reload` when the daemon runs");
	if ((f->dir = open(f->cfg.project_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    fstatat(f->dir, f->cfg.file, &st, 0) != 0)
		return cli_fail(CLI_FAILED, "cannot read %s: %s", f->cfg.file, strerror(errno));
	f->mode = st.st_mode & 07777;
	if (paths_read(f->dir, f->cfg.file, PATHS_ANY, FILE_MAX, &f->text, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return CLI_OK;
}

static void
close_file(struct connection_file *f)
{
	if (f->dir >= 0)
		close(f->dir);
	buf_fini(&f->text);
}

/* Why the connection could not be served; NULL: it could, or no connection has this id. */
static const char *
unusable(const struct config *cfg, const char *id)
{
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (strcmp(cfg->connections[i].id, id) == 0)
			return cfg->connections[i].unusable;
	return NULL;
}

/* Replace the file.  If the result is invalid, or connection id is unusable, restore the old file and report why. */
static int
replace_file(struct cli *cli, struct connection_file *f, const struct buf *edited, const char *id)
{
	struct config_issues issues = { 0 };
	struct config after = { 0 };
	struct err err, why;

	if (paths_replace(f->dir, f->cfg.file, f->mode, buf_view(edited), &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (config_load(cli->arena, f->cfg.project_dir, &after, &issues, &why) == 0 && unusable(&after, id) == NULL)
		return CLI_OK;
	if (unusable(&after, id) != NULL)
		err_set(&why, ERR_INVALID_ARGUMENTS, "%s", unusable(&after, id));
	if (paths_replace(f->dir, f->cfg.file, f->mode, buf_view(&f->text), &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return cli_fail(CLI_FAILED, "nothing was changed: %s", why.message);
}

/* {"KEY":"ID"} */
static int
print_done(const char *key, const char *id)
{
	struct buf mp = { 0 };
	int code;

	mp_put_pairs(&mp, mp_cstr(key, id));
	code = cli_json_mp(buf_view(&mp));
	buf_fini(&mp);
	return code;
}

/* The options read, the file open; d->secret is the caller's to wipe. */
static int
edit_begin(struct cli *cli, struct connection_draft *d, struct connection_file *f)
{
	const char *id = cli_operand(cli, 0);
	int code;

	*f = (struct connection_file){ .dir = -1 };
	if (!paths_is_id(span_str(id)))
		return cli_fail(CLI_USAGE,
		    "a connection's name is made of letters, digits, - and _, begins with a letter or digit, "
		    "and has at most %d characters",
		    PATHS_ID_MAX);
	if ((d->project = cli_project(cli)) == NULL)
		return CLI_FAILED;
	if ((code = open_file(cli, f)) != CLI_OK)
		return code;
	for (size_t i = 0; i < f->cfg.nconnections; i++)
		if (strcmp(f->cfg.connections[i].id, id) == 0)
			d->driver = f->cfg.connections[i].driver_name;
	if (d->driver != NULL && !is_edit(cli))
		return cli_fail(CLI_FAILED, CONFIG_EDIT_TAKEN, id);
	return draft_connection(cli, id, d);
}

static int
write_edited(struct cli *cli, struct connection_file *f, struct connection_draft *d, const struct buf *edited)
{
	int code = d->secret_file != NULL ? keep_secret(cli, f->cfg.project_dir, d) : CLI_OK;

	if (code == CLI_OK)
		code = replace_file(cli, f, edited, cli_operand(cli, 0));
	if (code == CLI_OK) {
		note_unresolved(d, cli_option(cli, "url"), CONFIG_HOLDS_URL);
		note_unresolved(d, cli_option(cli, "password"), CONFIG_HOLDS_SECRET);
	}
	return code;
}

static int
set_schemas(struct cli *cli, const char *id, const char **names, size_t n)
{
	struct config_edit_value v = { .key = "schemas", .n = n, .list = names };
	struct buf edited = { 0 };
	struct connection_file f;
	struct err err;
	int code = open_file(cli, &f);

	if (code == CLI_OK && config_edit_set(buf_view(&f.text), id, &v, 1, &edited, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (code == CLI_OK)
		code = replace_file(cli, &f, &edited, id);
	buf_fini(&edited);
	close_file(&f);
	return code != CLI_OK ? code : reload_running(cli);
}

/* Configure all schemas: the configured ones, then the database's others. */
static int
set_all_schemas(struct cli *cli, const struct config_connection *c, struct view reach)
{
	struct view others = view_get(reach, "otherSchemas"), one;
	struct view_iter it = view_iter(others);
	size_t n = c->schemas.n, most = n;
	const char **names;

	while (view_next(&it, &one))
		most++;
	if (most == n)
		return CLI_OK;
	if (view_true(view_get(reach, "moreSchemas")))
		return cli_fail(CLI_FAILED,
		    "%s has more schemas than can be taken at once; name those that matter with --schemas", c->id);
	if ((names = arena_array(cli->arena, most, sizeof(*names))) == NULL)
		abort();
	memcpy(names, c->schemas.v, n * sizeof(*names));
	for (it = view_iter(others); view_next(&it, &one);)
		names[n++] = view_cstr(cli->arena, one, "");
	return set_schemas(cli, c->id, names, n);
}

static int
take_all_schemas(struct cli *cli, const char *id)
{
	const struct config_connection *c;
	struct config cfg = { 0 };
	struct view result;
	struct client client;
	int code;

	if (!cli_config(cli, false, &cfg) || (c = cli_connection(&cfg, id)) == NULL)
		return CLI_FAILED;
	if (c->driver == NULL)
		return cli_fail(CLI_FAILED,
		    "%s is not served, so its schemas cannot be listed; `carrel status` says why", c->id);
	if (c->driver->schema == NULL)
		return cli_fail(CLI_USAGE, "%s is a %s database, which has no schemas", c->id, c->driver->display);
	if (client_open(cli, &client, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	code = connection_ask(cli, &client, c->id, &result);
	if (code == CLI_OK)
		code = set_all_schemas(cli, c, view_get(result, "reach"));
	client_close(&client);
	return code;
}

int
connection_take_schemas(struct cli *cli, const char *id)
{
	const char **names;
	size_t n = 0;

	if (cli_flag(cli, "all-schemas"))
		return cli_flag(cli, "schemas") ?
		    cli_fail(CLI_USAGE, "give --all-schemas, or schemas by name, not both") :
		    take_all_schemas(cli, id);
	if (!cli_flag(cli, "schemas"))
		return CLI_OK;
	return (names = given_schemas(cli, &n)) == NULL ? CLI_USAGE : set_schemas(cli, id, names, n);
}

static void
draft_drop(struct connection_draft *d, const char *key)
{
	if (d->n < VALUES_MAX)
		d->values[d->n++] = (struct config_edit_value){ .key = key };
}

/* The keys that another driver, or another way of naming the database, leaves behind are taken out. */
static void
drop_others(const struct cli *cli, struct connection_draft *d)
{
	enum way { BY_PATH, BY_FILES, BY_URL, BY_FIELDS, BY_NOTHING } way = BY_NOTHING;
	static const struct {
		const char *key;
		enum way way;
	} keys[] = { { "path", BY_PATH }, { "files", BY_FILES }, { "url", BY_URL }, { "host", BY_FIELDS },
		{ "port", BY_FIELDS }, { "database", BY_FIELDS }, { "user", BY_FIELDS }, { "password", BY_FIELDS } };
	static const size_t n = sizeof(keys) / sizeof(keys[0]);

	for (size_t i = n; i > 0; i--)
		if (cli_flag(cli, keys[i - 1].key))
			way = keys[i - 1].way;
	if (way == BY_NOTHING && cli_flag(cli, "password-stdin"))
		way = BY_FIELDS;
	for (size_t i = 0; i < n && way != BY_NOTHING; i++)
		if (keys[i].way != way)
			draft_drop(d, keys[i].key);
	if ((way == BY_PATH || way == BY_FILES) && !cli_flag(cli, "schema") && !cli_flag(cli, "schemas"))
		draft_drop(d, "schemas");
}

/* Ask the database once, as `connection test` does.  NULL: it answers; else why it does not. */
static const char *
ask_once(struct cli *cli, const char *id)
{
	const char *why = NULL;
	struct client client;
	struct view result;
	struct err err;

	if (client_open(cli, &client, CLIENT_CLI, NULL, false) != 0)
		return "It could not be asked."; /* client_open() has told the reason */
	if (connection_request(&client, id, &result, &err) != 0)
		why = arena_cstr(cli->arena, span_str(err.message));
	client_close(&client);
	return why;
}

/* Whether it works, and what the user does next. */
static const char *
next_step(struct cli *cli, const struct connection_draft *d, const char *id, bool adds)
{
	const char *done = adds ? "Added" : "Changed", *why = NULL;

	if (d->amiss)
		return arena_printf(cli->arena,
		    "%s, but it does not work yet. Mend what is said above, or take it out. Then:\n"
		    "  carrel connection test %s\n  carrel connection remove %s\n",
		    done, id, id);
	if (d->served != NULL && d->served->schema != NULL && !d->unset)
		why = ask_once(cli, id);
	if (why != NULL)
		return arena_printf(cli->arena,
		    "%s, but it does not work yet. %s\nWhen that is mended:\n  carrel connection test %s\n"
		    "To change what was given, or to take it out:\n  carrel connection edit %s --help\n"
		    "  carrel connection remove %s\n",
		    done, why, id, id, id);
	return arena_printf(cli->arena, "%s. Next:\n  carrel connection test %s\n%s%s%s", done, id,
	    adds ? "  carrel scan " : "", adds ? id : "", adds ? "\n" : "");
}

/* Add the connection that the first operand names, or change it. */
static int
write_connection(struct cli *cli, bool adds)
{
	const char *id = cli_operand(cli, 0);
	struct buf edited = { 0 };
	struct connection_draft d = { 0 };
	struct connection_file f = { .dir = -1 };
	struct err err;
	int code;

	if ((code = edit_begin(cli, &d, &f)) == CLI_OK) {
		if (!adds)
			drop_others(cli, &d);
		if ((adds ? config_edit_add : config_edit_set)(buf_view(&f.text), id, d.values, d.n, &edited, &err) !=
		    0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else
			code = write_edited(cli, &f, &d, &edited);
	}
	if (code == CLI_OK && cli_flag(cli, "all-schemas") &&
	    (code = reload_running(cli) == CLI_OK ? take_all_schemas(cli, id) : CLI_FAILED) != CLI_OK && adds)
		cli_note("the connection %s was added, without its schemas; when that is mended: "
			 "`carrel connection edit %s --all-schemas`",
		    id, id);
	/* A script asks by itself, with `connection test`. */
	if (code == CLI_OK && (code = reload_running(cli)) == CLI_OK && !cli->quiet)
		code = cli->json ? print_done(adds ? "added" : "changed", id) :
				   cli_print("%s", next_step(cli, &d, id, adds));
	buf_wipe(&d.secret);
	buf_fini(&edited);
	close_file(&f);
	return code;
}

int
cmd_connection_add(struct cli *cli)
{
	return write_connection(cli, true);
}

int
cmd_connection_edit(struct cli *cli)
{
	bool any = false;

	for (const struct option *o = cli->command->options; o->name != NULL; o++)
		any = any || cli_flag(cli, o->name);
	return any ?
	    write_connection(cli, false) :
	    cli_fail(CLI_USAGE, "say what is to be changed; `carrel connection edit --help` lists the options");
}

int
cmd_connection_remove(struct cli *cli)
{
	const char *id = cli_operand(cli, 0), *project = cli_project(cli);
	bool scanned = project != NULL && last_scan(cli, project, id) != NULL;
	struct buf edited = { 0 };
	struct connection_file f;
	struct err err;
	int code;

	if ((code = open_file(cli, &f)) == CLI_OK) {
		if (config_edit_remove(buf_view(&f.text), id, &edited, &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else
			code = replace_file(cli, &f, &edited, id);
	}
	/* A running daemon serves the change when the command ends. */
	if (code == CLI_OK && (code = reload_running(cli)) == CLI_OK)
		code = cli->json ?
		    print_done("removed", id) :
		    scanned ?
		    cli_print("Removed. What was scanned stays in raw-sources/%s and semantic-layer/%s.\n", id, id) :
		    cli_print("Removed.\n");
	buf_fini(&edited);
	close_file(&f);
	return code;
}
