#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "cli/arguments.h"
#include "cli/scans_project.h"
#include "cli/daemon/daemon.h"
#include "cli/doctor/cmd_doctor.h"
#include "cli/doctor/doctor_project.h"
#include "project/config/drivers.h"
#include "cli/say.h"
#include "project/config/secret.h"

#define ENTRIES_MAX	20000	/* files and directories of the project that are looked at */
#define DEPTH_MAX	16
#define LOCK_OLD_S	60
#define NO_TABLE	"-"	/* no table is called so: the answer tells of the scan alone */

static void
check_state(struct cli *cli, const char *dir, struct findings *f)
{
	const char *path = arena_printf(cli->arena, "%s/.carrel", dir);
	struct stat st;

	if (stat(path, &st) != 0)
		doctor_add(f, "state", GOOD, "none yet", "");
	else if ((st.st_mode & 077) != 0)
		doctor_add(f, "state", BAD, arena_printf(cli->arena, "%s can be entered by others", path),
		    arena_printf(cli->arena, "run `chmod 700 %s`", path));
	else if (st.st_uid != geteuid())
		doctor_add(f, "state", BAD, arena_printf(cli->arena, "%s belongs to another user", path),
		    "run carrel as the user who owns the project");
	else
		doctor_add(f, "state", GOOD, ".carrel is accessible only to you", "");
}

/* The parts of the project that the daemon writes. */
static const char *const written[] = { ".carrel", ".git", "raw-sources", "semantic-layer", "wiki", "knowledge" };

struct owners {
	uid_t		 owner;
	size_t		 left, strangers, open;
	const char	*stranger, *opened;	/* the first of each, in the arena */
	struct cli	*cli;
};

static void
look_at(struct owners *o, int at, const char *name, const char *path, unsigned depth)
{
	struct dirent *e;
	struct stat st;
	DIR *d;
	int fd;

	if (o->left == 0 || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	o->left--;
	if (st.st_uid != o->owner && o->strangers++ == 0)
		o->stranger = path;
	if (!S_ISLNK(st.st_mode) && (st.st_mode & S_IWOTH) != 0 && o->open++ == 0)
		o->opened = path;
	if (!S_ISDIR(st.st_mode) || depth >= DEPTH_MAX)
		return;
	if ((fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
	    (d = fdopendir(fd)) == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			look_at(o, fd, e->d_name, arena_printf(o->cli->arena, "%s/%s", path, e->d_name), depth + 1);
	closedir(d);
}

static void
check_owners(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f)
{
	const char *file = arena_printf(cli->arena, "%s/%s", dir, cfg->file != NULL ? cfg->file : "carrel.yaml");
	struct owners o = { .left = ENTRIES_MAX, .cli = cli };
	struct stat st;

	if (stat(dir, &st) != 0)
		return;
	o.owner = st.st_uid;
	if ((st.st_mode & S_IWOTH) != 0 && (st.st_mode & S_ISVTX) == 0 && o.open++ == 0)
		o.opened = dir;
	look_at(&o, AT_FDCWD, file, file, DEPTH_MAX);
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		const char *path = arena_printf(cli->arena, "%s/%s", dir, written[i]);

		look_at(&o, AT_FDCWD, path, path, 0);
	}
	if (o.strangers > 0)
		doctor_add(f, "owners", BAD,
		    arena_printf(cli->arena, "%s%s not the project's owner's", o.stranger,
			o.strangers == 1 ? " is" : arena_printf(cli->arena, " and %zu more are", o.strangers - 1)),
		    arena_printf(cli->arena,
			"a command was run as another user, and the daemon cannot write there: `chown -R "
			"--reference=%s %s`, and use "
			"`sudo -u` from now on",
			dir, dir));
	if (o.open > 0)
		doctor_add(f, "permissions", BAD,
		    arena_printf(cli->arena, "everybody may write %s%s", o.opened, o.open > 1 ? " and others" : ""),
		    arena_printf(cli->arena,
			"who writes there says what agents are told, and what is connected to: `chmod -R o-w %s`",
			dir));
	if (access(dir, W_OK) != 0)
		doctor_add(f, "permissions", BAD, arena_printf(cli->arena, "%s: %s", dir, strerror(errno)),
		    "scans and what memory keeps are written there; run carrel as the user who owns the project, on a "
		    "file system "
		    "that can be written");
	else if (o.strangers == 0 && o.open == 0)
		doctor_add(f, "permissions", GOOD, "only its owner can write to the project", "");
}

/* The directory's mode protects the other files in .carrel; these are the secrets. */
static void
check_keys(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f)
{
	const char *const paths[] = { arena_printf(cli->arena, "%s/.carrel/signing.key", dir),
		cfg->state != NULL ? cfg->state : arena_printf(cli->arena, "%s/.carrel/state.db", dir) };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const char *path = paths[i];
		struct stat st;

		if (stat(path, &st) == 0 && (st.st_mode & 077) != 0)
			doctor_add(f, "secrets", BAD, arena_printf(cli->arena, "others may read or write %s", path),
			    arena_printf(cli->arena,
				"run `chmod 600 %s`; if anybody could reach it, `carrel token revoke` what is in use",
				path));
	}
}

/* A lock that a killed program left: nothing is committed until somebody removes it. */
static void
check_git_lock(struct cli *cli, const char *dir, struct findings *f)
{
	static const char *const locks[] = { "index.lock", "HEAD.lock", "refs/heads/main.lock",
		"refs/heads/master.lock" };

	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		const char *path = arena_printf(cli->arena, "%s/.git/%s", dir, locks[i]);
		struct stat st;

		if (stat(path, &st) == 0 && st.st_mtime + LOCK_OLD_S < (time_t)(clock_unix_ms() / 1000))
			doctor_add(f, "repository", REMARK, arena_printf(cli->arena, "%s was left behind", path),
			    arena_printf(cli->arena,
				"what memory keeps is written and not committed while it is there: if no git runs, `rm "
				"%s`",
				path));
	}
}

void
doctor_files(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f)
{
	check_state(cli, dir, f);
	check_owners(cli, dir, cfg, f);
	check_keys(cli, dir, cfg, f);
	check_git_lock(cli, dir, f);
}

/* The running daemon has variables and credentials of its own; the connection's test tells what it lacks. */
static bool
daemon_holds(struct cli *cli, const char *dir)
{
	struct daemon d;
	struct err err;

	return daemon_look(cli->arena, dir, &d, &err) == 0 && d.answers;
}

/* A reference that leads nowhere is found here rather than as a database that is down. */
static void
check_reference(struct cli *cli, const char *whose, const char *key, const char *value, const char *dir,
    struct findings *f)
{
	struct buf secret = { 0 };
	struct err err;
	int r;

	if (value == NULL)
		return;
	/* A service's credential is there when the service runs, and only there. */
	if (strncmp(value, "cred:", 5) == 0 && getenv("CREDENTIALS_DIRECTORY") == NULL) {
		if (daemon_holds(cli, dir))
			return;
		doctor_add(f, whose, REMARK,
		    arena_printf(cli->arena,
			"%s is a service's credential, "
			"%s",
			key, value),
		    "the credential cannot be checked here; `carrel status` says whether the running service has it");
		return;
	}
	r = config_secret(value, strcmp(key, "url") == 0 ? CONFIG_HOLDS_URL : CONFIG_HOLDS_SECRET, dir,
	    getenv("CREDENTIALS_DIRECTORY"), cli_getenv, NULL, &secret, &err);
	buf_wipe(&secret);
	if (r == 1 && daemon_holds(cli, dir))
		return;
	if (r == 1)
		doctor_add(f, whose, strcmp(key, "url") == 0 ? BAD : REMARK,
		    arena_printf(cli->arena, "%s refers to the variable %s, which is not set here", key,
			config_env_name(value)),
		    arena_printf(cli->arena, "export %s before `carrel mcp start`", config_env_name(value)));
	else if (r < 0)
		doctor_add(f, whose, BAD, err.message, arena_printf(cli->arena, "correct its %s", key));
}

/* An endpoint of a model: it needs the model's name besides the URL, and its key. */
static void
check_endpoint(struct cli *cli, const char *section, const char *url, const char *name, const char *key,
    const char *dir, struct findings *f)
{
	if (url == NULL)
		return;
	check_reference(cli, section, arena_printf(cli->arena, "%s.key", section), key, dir, f);
	if (name == NULL)
		doctor_add(f, section, BAD, arena_printf(cli->arena, "%s.url is set, %s.name is not", section, section),
		    arena_printf(cli->arena, "say with %s.name which model of %s it is", section, url));
}

/* Checks a connection without asking the database; false: there is no point in asking. */
static bool
check_configured(struct cli *cli, const struct config *cfg, const struct config_connection *c, struct findings *f)
{
	const char *name = arena_printf(cli->arena, "connection %s", c->id);
	const char *fault;
	size_t before = f->bad;

	check_reference(cli, name, "url", config_setting(c, "url"), cfg->project_dir, f);
	check_reference(cli, name, "password", config_setting(c, "password"), cfg->project_dir, f);
	if (c->unusable != NULL && drivers_served(span_str(c->driver_name)) != NULL)
		doctor_add(f, name, BAD, c->unusable,
		    arena_printf(cli->arena, "complete it: `carrel connection edit %s --help`", c->id));
	else if (c->driver == NULL)
		doctor_add(f, name, REMARK, arena_printf(cli->arena, "driver %s", c->driver_name),
		    arena_printf(cli->arena, "it is listed but not served; %s are", cli_driver_names(cli)));
	else if (c->driver->fault != NULL && (fault = c->driver->fault(c, cli->arena)) != NULL)
		doctor_add(f, name, BAD, fault, "correct its files, or their owner and mode");
	else if (c->path != NULL && access(c->path, R_OK) != 0)
		doctor_add(f, name, BAD, arena_printf(cli->arena, "%s: %s", c->path, strerror(errno)),
		    "correct its path, or the file's owner and mode");
	else
		return f->bad == before;
	return false;
}

/* Whether the database has another structure than its scan says. */
static bool
is_stale(struct client *c, const char *id)
{
	struct view result, one;
	struct view_iter it;
	struct arguments a;
	struct err err;
	bool stale = false;

	arguments_begin(&a);
	mp_put_cstr(arguments_key(&a, "connectionId"), id);
	mp_put_array(arguments_key(&a, "entities"), 1);
	mp_put_pairs(&a.mp, mp_cstr("table", NO_TABLE));
	if (client_tool(c, "entity_details", arguments_end(&a), NULL, NULL, &result, &err) == 0)
		for (it = view_iter(view_get(result, "results")); view_next(&it, &one);)
			stale |= view_true(view_get(one, "snapshot.stale"));
	buf_fini(&a.mp);
	return stale;
}

/* Where statements run as the one who asks: what shows callers the rows of others. */
static void
check_identity(struct cli *cli, const char *name, const char *id, struct view identity, struct findings *f)
{
	const char *weakened = view_cstr(cli->arena, view_get(identity, "weakened"), "");

	if (identity.kind == VIEW_OBJECT && *weakened != '\0')
		doctor_add(f, name, REMARK,
		    arena_printf(cli->arena, "row security by caller does not cover everything: %s", weakened),
		    arena_printf(cli->arena,
			"close what is not meant for all callers (docs/identity.md), and see `carrel connection test "
			"%s`",
			id));
}

/* Whether the database is a server, and not files of this machine. */
static bool
has_address(const struct config *cfg, const char *id)
{
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (strcmp(cfg->connections[i].id, id) == 0 && cfg->connections[i].driver != NULL)
			return strstr(cfg->connections[i].driver->schemes, "://") != NULL;
	return true;
}

/* Ask the database; false: it did not answer. */
static bool
check_reached(struct cli *cli, const struct config *cfg, struct client *c, const char *id, struct findings *f)
{
	const char *name = arena_printf(cli->arena, "connection %s", id);
	struct view result, reach;
	struct arguments a;
	struct err err;
	int r;

	arguments_begin(&a);
	mp_put_cstr(arguments_key(&a, "connectionId"), id);
	r = client_tool(c, "connection_test", arguments_end(&a), NULL, NULL, &result, &err);
	buf_fini(&a.mp);
	if (r != 0) {
		doctor_add(f, name, BAD, err.message,
		    err.code == ERR_SERVICE_UNAVAILABLE ?
			"the database was not asked: `carrel status` says what the daemon lacks" :
			has_address(cfg, id) ?
			"start the database, correct the connection (`carrel connection edit`), let the firewall pass "
			"it; under systemd IPAddressAllow= must name its address" :
			"mend the file, or name another one, or leave it out (`carrel connection edit`)");
		return false;
	}
	reach = view_get(result, "reach");
	if (view_true(view_get(result, "canWrite")) && view_get(result, "user").kind == VIEW_STRING)
		doctor_add(f, name, REMARK,
		    arena_printf(cli->arena, "its account can write: %s",
			view_cstr(cli->arena, view_get(result, "canWriteWhy"), "it owns what is served")),
		    arena_printf(cli->arena,
			"every statement is refused that would, and an account that only reads is one layer more: "
			"`carrel connection grants "
			"%s` prints the script that makes it",
			id));
	check_identity(cli, name, id, view_get(result, "identity"), f);
	if (reach.kind == VIEW_OBJECT && view_uint(view_get(reach, "tables"), 0) > 0 &&
	    view_uint(view_get(reach, "readable"), 0) == 0)
		doctor_add(f, name, BAD,
		    view_cstr(cli->arena, view_get(reach, "refused"), "none of its tables can be read"),
		    arena_printf(cli->arena,
			"`carrel connection grants %s` prints the script that lets its account read", id));
	return true;
}

static void
check_connection(struct cli *cli, const struct config *cfg, const char *id, struct client *c, struct findings *f)
{
	const char *name = arena_printf(cli->arena, "connection %s", id), *left_out;
	size_t before = f->n;

	if (c != NULL && !check_reached(cli, cfg, c, id, f))
		return;
	if (last_scan(cli, cfg->project_dir, id) == NULL)
		doctor_add(f, name, REMARK, "not scanned yet", arena_printf(cli->arena, "run `carrel scan %s`", id));
	else if ((left_out = scan_missed(cli, cfg, id)) != NULL)
		doctor_add(f, name, REMARK, "the last scan left something out",
		    arena_printf(cli->arena,
			"%s; where that is intended, `expect_partial: true` under the connection "
			"says so",
			left_out));
	else if (c != NULL && is_stale(c, id))
		doctor_add(f, name, REMARK, "its structure has changed since the last scan",
		    arena_printf(cli->arena, "agents are told of tables and columns as they were: run `carrel scan %s`",
			id));
	else if (f->n == before)
		doctor_add(f, name, GOOD,
		    c != NULL ?
			"reachable, and its scan is up to date" :
			arena_printf(cli->arena,
			    "configured and scanned; whether it can be reached, `carrel connection test %s` tries", id),
		    "");
}

/* Without its file no certificate of the provider is good. */
static void
check_authorities(struct cli *cli, const char *whose, const char *file, struct findings *f)
{
	if (file != NULL && access(file, R_OK) != 0)
		doctor_add(f, whose, BAD, arena_printf(cli->arena, "sslrootcert: %s: %s", file, strerror(errno)),
		    "correct its path, or the file's owner and mode: the certificates of the authorities, in PEM");
}

void
doctor_connections(struct cli *cli, const struct config *cfg, bool works, struct findings *f)
{
	bool *asked = arena_alloc(cli->arena, cfg->nconnections + 1);
	bool any = false;
	struct client c;

	check_reference(cli, "secrets", "auth.token", cfg->token, cfg->project_dir, f);
	check_reference(cli, "secrets", "audit.key", cfg->audit_key, cfg->project_dir, f);
	check_reference(cli, "secrets", "auth.oidc.client_secret", cfg->oidc.client_secret, cfg->project_dir, f);
	check_authorities(cli, "auth.oidc", cfg->oidc.sslrootcert, f);
	for (size_t i = 0; i < cfg->issuers.n; i++)
		check_authorities(cli, cfg->issuers.v[i].issuer, cfg->issuers.v[i].sslrootcert, f);
	check_endpoint(cli, "model", cfg->model.url, cfg->model.name, cfg->model.key, cfg->project_dir, f);
	check_endpoint(cli, "embeddings", cfg->embeddings.url, cfg->embeddings.name, cfg->embeddings.key,
	    cfg->project_dir, f);
	for (size_t i = 0; i < cfg->nconnections; i++)
		any |= asked[i] = check_configured(cli, cfg, &cfg->connections[i], f);
	/* Databases are only asked by a daemon: the project's own, else a private one for this command. */
	works = any && works && client_open(cli, &c, CLIENT_CLI, NULL, false) == 0;
	if (works)
		c.name = "carrel doctor";
	for (size_t i = 0; i < cfg->nconnections; i++)
		if (asked[i])
			check_connection(cli, cfg, cfg->connections[i].id, works ? &c : NULL, f);
	if (works)
		client_close(&c);
}
