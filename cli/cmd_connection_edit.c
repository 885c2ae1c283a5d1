/* cmd_connection_edit.c - carrel connection add and remove: what a person would have written into carrel.yaml. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/cmd.h"
#include "cli/term.h"
#include "project/config_edit.h"
#include "project/paths.h"

#define VALUES_MAX	16
#define FILE_MAX	((size_t)4 << 20)

/* The connection to be: its keys in the order they are written. */
struct draft {
	size_t				n;
	struct config_edit_value	values[VALUES_MAX];
	struct buf			secret;		/* a password asked for, or the URL that holds it */
	const char			*secret_file;	/* ".carrel/secrets/<id>.password"; NULL: none */
};

static void
draft_text(struct draft *d, const char *key, const char *text)
{
	if (text != NULL && d->n < VALUES_MAX)
		d->values[d->n++] = (struct config_edit_value){ .key = key, .text = text };
}

/* --- passwords ------------------------------------------------------------------------- */

/* user:password@ in the authority, or password= among the parameters. */
static bool
url_has_password(const char *url)
{
	const char *authority = strstr(url, "://"), *end, *colon, *at = NULL;

	if (strstr(url, "password=") != NULL)
		return true;
	if (authority == NULL)
		return false;
	authority += 3;
	end = authority + strcspn(authority, "/?#");
	for (const char *p = authority; p < end; p++)
		if (*p == '@')
			at = p;
	colon = strchr(authority, ':');
	return at != NULL && colon != NULL && colon < at;
}

static const char *
user_end(const char *url)
{
	const char *authority = strstr(url, "://") + 3;
	size_t n = strcspn(authority, "/?#@");

	return authority[n] == '@' ? authority + n : NULL;
}

/* The URL with the password behind the user, percent-encoded. */
static void
put_password(const char *url, struct span password, struct buf *out)
{
	const char *at = user_end(url);

	buf_append(out, url, (size_t)(at - url));
	buf_byte(out, ':');
	for (size_t i = 0; i < password.len; i++) {
		uint8_t c = password.p[i];

		if (ascii_is_alnum(c))
			buf_byte(out, c);
		else
			buf_printf(out, "%%%02X", c);
	}
	buf_str(out, at);
}

/* From standard input, or asked for at the terminal.  1: none was given; -1: said why not. */
static int
take_password(struct cli *cli, struct buf *out)
{
	char c;

	if (!cli_flag(cli, "password-stdin")) {
		if (!isatty(STDIN_FILENO) ||
		    !term_ask_secret("Password (empty: none; it is kept in .carrel/secrets, readable by you alone): ", out))
			return 1;
	} else
		while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n' && out->len <= CONFIG_SECRET_MAX / 4)
			buf_byte(out, (uint8_t)c);
	if (out->len == 0)
		return cli_flag(cli, "password-stdin") ?
		    cli_fail(-1, "standard input holds no password; write it there as one line") : 1;
	if (out->len > CONFIG_SECRET_MAX / 4 || !utf8_valid(out->p, out->len))
		return cli_fail(-1, "the password is too long or no UTF-8 text");
	return 0;
}

/* --- what the options say ---------------------------------------------------------------- */

static int
check_reference(const char *option, const char *value)
{
	if (value == NULL || config_is_reference(value))
		return CLI_OK;
	return cli_fail(CLI_USAGE, "--%s takes a reference, env:NAME or file:PATH, never the password itself; "
	    "leave it out to be asked, or use --password-stdin", option);
}

static int
draft_url(struct cli *cli, const char *id, const char *url, struct draft *d)
{
	struct buf password = { 0 };
	int r;

	if (config_is_reference(url)) {
		draft_text(d, "url", url);
		return CLI_OK;
	}
	if (strncmp(url, "postgres://", 11) != 0 && strncmp(url, "postgresql://", 13) != 0)
		return cli_fail(CLI_USAGE, "--url must begin with postgres:// or be a reference, env:NAME or file:PATH");
	if (url_has_password(url))
		return cli_fail(CLI_USAGE, "--url must not hold a password, others can see it (ps, history); "
		    "use --url env:NAME, or leave it out to be asked");
	if (user_end(url) == NULL)
		r = cli_flag(cli, "password-stdin") ?
		    cli_fail(-1, "a password needs a user: postgres://USER@HOST/DATABASE") : 1;
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

static int
draft_fields(struct cli *cli, const char *id, struct draft *d)
{
	static const char *const keys[] = { "host", "port", "database", "user" };
	const char *password = cli_option(cli, "password");
	uint64_t port = 0;
	int r;

	if (!cli_number(cli, "port", 1, 65535, &port))
		return CLI_USAGE;
	if (cli_option(cli, "database") == NULL)
		return cli_fail(CLI_USAGE, "a PostgreSQL connection needs --url, or at least --database");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		draft_text(d, keys[i], cli_option(cli, keys[i]));
	if (password != NULL) {
		draft_text(d, "password", password);
		return CLI_OK;
	}
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

static int
draft_connection(struct cli *cli, const char *id, struct draft *d)
{
	static const char *const fields[] = { "host", "port", "database", "user", "password", "password-stdin", NULL };
	static const char *const servers[] = { "url", "host", "port", "database", "user", "password",
		"password-stdin", "schema", NULL };
	const char *driver = cli_option(cli, "driver"), *path = cli_option(cli, "path"), *url = cli_option(cli, "url");
	uint64_t workers = 0;
	int code;

	if (driver == NULL)
		driver = path != NULL ? "sqlite" : "postgres";
	if (strcmp(driver, "sqlite") != 0 && strcmp(driver, "postgres") != 0)
		return cli_fail(CLI_USAGE, "the driver \"%s\" is unknown; there are sqlite and postgres", driver);
	if (!cli_number(cli, "workers", 1, 64, &workers) ||
	    check_reference("password", cli_option(cli, "password")) != CLI_OK)
		return CLI_USAGE;
	draft_text(d, "driver", driver);
	if (*driver == 's') {
		if (path == NULL || has_any(cli, servers))
			return cli_fail(CLI_USAGE, "a SQLite connection takes --path FILE and nothing of a server's");
		draft_text(d, "path", path);
	} else if (path != NULL) {
		return cli_fail(CLI_USAGE, "a PostgreSQL connection takes --url or --host, not --path");
	} else if (url != NULL && (cli_option(cli, "host") != NULL || cli_option(cli, "password") != NULL ||
	    cli_option(cli, "database") != NULL || cli_option(cli, "user") != NULL || cli_option(cli, "port") != NULL)) {
		return cli_fail(CLI_USAGE, "give --url, or --host and its like, not both");
	} else if (url == NULL && !has_any(cli, fields)) {
		return cli_fail(CLI_USAGE, "say where it is: --path FILE for SQLite, --url env:NAME or --host for PostgreSQL");
	} else if ((code = url != NULL ? draft_url(cli, id, url, d) : draft_fields(cli, id, d)) != CLI_OK)
		return code;
	if (cli_flag(cli, "schema")) {
		struct config_edit_value *v = &d->values[d->n++];

		*v = (struct config_edit_value){ .key = "schemas" };
		v->list = cli_options(cli, "schema", &v->n);
	}
	draft_text(d, "workers", cli_option(cli, "workers"));
	return CLI_OK;
}

/* --- writing ------------------------------------------------------------------------------- */

/* .carrel/secrets/<name>, new, readable by nobody else. */
static int
keep_secret(struct cli *cli, const char *project, const struct draft *d)
{
	const char *path = arena_printf(cli->arena, "%s/%s", project, d->secret_file);
	bool ok;
	int fd;

	if ((mkdir(arena_printf(cli->arena, "%s/.carrel", project), 0700) != 0 && errno != EEXIST) ||
	    (mkdir(arena_printf(cli->arena, "%s/.carrel/secrets", project), 0700) != 0 && errno != EEXIST) ||
	    (unlink(path) != 0 && errno != ENOENT) ||
	    (fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
		return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
	ok = write(fd, d->secret.p, d->secret.len) == (ssize_t)d->secret.len && fsync(fd) == 0;
	if (close(fd) != 0 || !ok)
		return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
	return CLI_OK;
}

/* What an edit works on: the file as it is and the project it configures. */
struct file {
	struct config	cfg;
	int		dir;
	struct buf	text;
	mode_t		mode;
};

static int
open_file(struct cli *cli, struct file *f)
{
	struct stat st;
	struct err err;

	*f = (struct file){ .dir = -1 };
	if (!cli_config(cli, false, &f->cfg))
		return CLI_FAILED;
	if (f->cfg.ktx)
		return cli_fail(CLI_FAILED, "this is a ktx project, and ktx.yaml is never written; add the connection there "
		    "by hand, or make a carrel.yaml beside it");
	if ((f->dir = open(f->cfg.project_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    fstatat(f->dir, f->cfg.file, &st, 0) != 0)
		return cli_fail(CLI_FAILED, "cannot read %s: %s", f->cfg.file, strerror(errno));
	f->mode = st.st_mode & 07777;
	if (paths_read(f->dir, f->cfg.file, PATHS_ANY, FILE_MAX, &f->text, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return CLI_OK;
}

static void
close_file(struct file *f)
{
	if (f->dir >= 0)
		close(f->dir);
	buf_fini(&f->text);
}

/* Why the connection could not be served; NULL: it could, or there is none of this id. */
static const char *
unusable(const struct config *cfg, const char *id)
{
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (strcmp(cfg->connections[i].id, id) == 0)
			return cfg->connections[i].unusable;
	return NULL;
}

/* Replace the file; when what results is no configuration, or connection id cannot be used, put the old one back and say why. */
static int
replace_file(struct cli *cli, struct file *f, const struct buf *edited, const char *id)
{
	struct config_issues issues = { 0 };
	struct config after = { 0 };
	struct err err, why;

	if (paths_replace(f->dir, f->cfg.file, f->mode, buf_view(edited), &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (config_load(cli->arena, f->cfg.project_dir, &after, &issues, &why) == 0 &&
	    unusable(&after, id) == NULL)
		return CLI_OK;
	if (unusable(&after, id) != NULL)
		err_set(&why, ERR_INVALID_ARGUMENTS, "%s", unusable(&after, id));
	if (paths_replace(f->dir, f->cfg.file, f->mode, buf_view(&f->text), &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return cli_fail(CLI_FAILED, "nothing was changed: %s", why.message);
}

int
cmd_connection_add(struct cli *cli)
{
	const char *id = cli_operand(cli, 0);
	struct buf edited = { 0 };
	struct draft d = { 0 };
	struct file f;
	struct err err;
	int code;

	if (!paths_is_id(span_str(id)))
		return cli_fail(CLI_USAGE, "a connection's name is made of letters, digits, - and _, "
		    "and begins with a letter or digit");
	if ((code = draft_connection(cli, id, &d)) != CLI_OK || (code = open_file(cli, &f)) != CLI_OK) {
		buf_wipe(&d.secret);
		return code;
	}
	if (config_edit_add(buf_view(&f.text), id, d.values, d.n, &edited, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (d.secret_file != NULL)
		code = keep_secret(cli, f.cfg.project_dir, &d);
	if (code == CLI_OK)
		code = replace_file(cli, &f, &edited, id);
	if (code == CLI_OK && !cli->json)
		code = cli_print("Added. Next:\n  carrel connection test %s\n  carrel scan %s\n", id, id);
	buf_wipe(&d.secret);
	buf_fini(&edited);
	close_file(&f);
	return code;
}

int
cmd_connection_remove(struct cli *cli)
{
	const char *id = cli_operand(cli, 0);
	struct buf edited = { 0 };
	struct file f;
	struct err err;
	int code;

	if ((code = open_file(cli, &f)) == CLI_OK) {
		if (config_edit_remove(buf_view(&f.text), id, &edited, &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else
			code = replace_file(cli, &f, &edited, id);
	}
	if (code == CLI_OK && !cli->json)
		code = cli_print("Removed. What was scanned stays in raw-sources/%s and semantic-layer/%s.\n", id, id);
	buf_fini(&edited);
	close_file(&f);
	return code;
}
