/* cmd_doctor.c - carrel doctor: what this machine and project need, and how to mend what is missing. */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/cmd.h"
#include "cli/daemon.h"
#include "cli/term.h"
#include "policy/profile.h"

#define LANDLOCK_ABI_NEEDED	2	/* Debian 12's own kernel has exactly that */
#define DISK_LOW_MB	256
#define DISK_LEAST_MB	16

enum verdict { GOOD, REMARK, BAD };

struct findings {
	struct buf	 text, mp;
	size_t		 mark, n, bad;
};

static void
add_finding(struct findings *f, const char *what, enum verdict verdict, const char *found, const char *fix)
{
	static const char *const words[] = { "ok", "note", "WRONG" };
	static const char *const colours[] = { TERM_GREEN, TERM_YELLOW, TERM_RED };
	struct buf line = { 0 };

	buf_printf(&f->text, "%s%-5s%s  ", cli_colour(colours[verdict]), words[verdict], cli_colour(TERM_PLAIN));
	buf_printf(&line, "%s: %s\n", what, found);
	if (verdict != GOOD)
		buf_printf(&line, "       %s\n", fix);
	table_safe(buf_view(&line), true, &f->text);
	buf_fini(&line);
	mp_put_map(&f->mp, 4);
	mp_pair_cstr(&f->mp, "check", what);
	mp_pair_cstr(&f->mp, "verdict", verdict == GOOD ? "ok" : verdict == REMARK ? "note" : "wrong");
	mp_pair_cstr(&f->mp, "found", found);
	mp_pair_cstr(&f->mp, "fix", verdict == GOOD ? NULL : fix);
	f->n++;
	f->bad += verdict == BAD;
}

/* --- the kernel ------------------------------------------------------------------ */

static void
check_landlock(struct findings *f, bool best_effort)
{
#ifdef SYS_landlock_create_ruleset
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1UL /* LANDLOCK_CREATE_RULESET_VERSION */);
#else
	long abi = -1;
#endif
	bool enough = abi >= LANDLOCK_ABI_NEEDED;
	char found[64];

	snprintf(found, sizeof(found), abi > 0 ? "Landlock ABI %ld" : "no Landlock", abi);
	add_finding(f, "kernel: files",
	    enough          ? GOOD :
		best_effort ? REMARK :
			      BAD,
	    found,
	    best_effort ?
		"workers are not confined to their files, which `sandbox: best-effort` in carrel.yaml accepts; a "
		"kernel from "
		"5.19 on with landlock among its LSMs (lsm=landlock,…) confines them" :
		"workers cannot be confined: boot a kernel from 5.19 on with landlock among its LSMs (lsm=landlock,…), "
		"or accept less with `sandbox: best-effort` in carrel.yaml");
}

static void
check_seccomp(struct findings *f)
{
	unsigned action = SECCOMP_RET_KILL_PROCESS;
	bool ok = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;

	add_finding(f, "kernel: calls", ok ? GOOD : BAD, ok ? "seccomp filters" : "no seccomp filters",
	    "workers cannot be confined: boot a kernel with CONFIG_SECCOMP_FILTER, "
	    "or leave the container that forbids it");
}

static void
check_namespaces(struct findings *f)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0 ? 0 : 1);
	if (pid > 0)
		waitpid(pid, &status, 0);
	add_finding(f, "kernel: networks", status == 0 ? GOOD : REMARK,
	    status == 0 ? "own network namespaces" : "no unprivileged namespaces",
	    "one layer of several is missing, which is allowed: a container or chroot may forbid it; elsewhere "
	    "kernel.unprivileged_userns_clone=1, user.max_user_namespaces, or "
	    "kernel.apparmor_restrict_unprivileged_userns=0 "
	    "(Ubuntu) gives it");
}

/* --- what is installed --------------------------------------------------------------- */

static void
check_program(struct cli *cli, const char *program, struct buf *missing)
{
	if (!cli_has_program(cli, program))
		buf_printf(missing, "%s%s", missing->len > 0 ? ", " : "", program);
}

static void
check_programs(struct cli *cli, struct findings *f)
{
	const char *before = "";
	struct buf missing = { 0 };

	check_program(cli, "carreld", &missing);
	/* Profiles of one program follow one another. */
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; before = (p++)->binary)
		if (strcmp(p->binary, before) != 0)
			check_program(cli, p->binary, &missing);
	add_finding(f, "programs", missing.len == 0 ? GOOD : BAD,
	    missing.len == 0 ? "all there" : arena_printf(cli->arena, "missing beside carrel: %s", buf_cstr(&missing)),
	    "build with `make`, or install again");
	buf_fini(&missing);
}

/* --- the project ----------------------------------------------------------------------- */

static bool
has_configuration(struct cli *cli, const char *dir)
{
	return access(arena_printf(cli->arena, "%s/carrel.yaml", dir), F_OK) == 0 ||
	    access(arena_printf(cli->arena, "%s/ktx.yaml", dir), F_OK) == 0;
}

static bool
check_config(struct cli *cli, const char *dir, struct config *cfg, struct findings *f)
{
	struct config_issues issues = { 0 };
	struct err err;
	bool ok = config_load(cli->arena, dir, cfg, &issues, &err) == 0;
	struct buf lines = { 0 };

	if (!ok && issues.n == 0)
		add_finding(f, "configuration", BAD, err.message,
		    cfg->file != NULL || has_configuration(cli, dir) ?
			"correct that line; `carrel doctor --config-reference` lists what may stand there" :
			"`carrel init` makes a project");
	else if (issues.n == 0)
		add_finding(f, "configuration", GOOD, cfg->file, "");
	for (size_t i = 0; i < issues.n; i++) {
		struct config_issues one = { .n = 1, .list = { issues.list[i] } };

		buf_reset(&lines, 4096);
		config_issues_print(cfg, &one, &lines);
		if (lines.len > 0 && lines.p[lines.len - 1] == '\n')
			lines.len--;
		add_finding(f, "configuration", issues.list[i].fatal ? BAD : REMARK, buf_cstr(&lines),
		    "`carrel doctor --config-reference` lists what may stand there");
	}
	buf_fini(&lines);
	return ok;
}

static void
check_state_directory(struct cli *cli, const char *dir, struct findings *f)
{
	const char *path = arena_printf(cli->arena, "%s/.carrel", dir);
	struct stat st;

	if (stat(path, &st) != 0)
		add_finding(f, "state", GOOD, "none yet", "");
	else if ((st.st_mode & 077) != 0)
		add_finding(f, "state", BAD, arena_printf(cli->arena, "%s can be entered by others", path),
		    arena_printf(cli->arena, "run `chmod 700 %s`", path));
	else if (st.st_uid != geteuid())
		add_finding(f, "state", BAD, arena_printf(cli->arena, "%s belongs to another user", path),
		    "run carrel as the user who owns the project");
	else
		add_finding(f, "state", GOOD, ".carrel is yours alone", "");
}

/* What scans, pages and logs are written to. */
static void
check_disk(struct cli *cli, const char *dir, struct findings *f)
{
	struct statvfs fs;
	uint64_t room;

	if (statvfs(dir, &fs) != 0)
		return;
	room = (uint64_t)fs.f_bavail * fs.f_frsize >> 20;
	if (room < DISK_LOW_MB || (fs.f_files > 0 && fs.f_favail == 0))
		add_finding(f, "disk", room < DISK_LEAST_MB || (fs.f_files > 0 && fs.f_favail == 0) ? BAD : REMARK,
		    room < DISK_LOW_MB ?
			arena_printf(cli->arena, "%llu MiB left below %s", (unsigned long long)room, dir) :
			arena_printf(cli->arena, "no more files can be made below %s", dir),
		    "scans and what memory keeps are refused when it is full; make room");
	else
		add_finding(f, "disk", GOOD, "room for scans and pages", "");
}

/* How changed files are noticed. */
static void
check_watches(const char *dir, struct findings *f)
{
	int fd = inotify_init1(IN_CLOEXEC), why = errno;
	bool watched = fd >= 0 && inotify_add_watch(fd, dir, IN_CREATE) >= 0;

	if (fd >= 0 && !watched)
		why = errno;
	add_finding(f, "kernel: changes", watched ? GOOD : REMARK,
	    watched                            ? "changed files are told" :
		why == EMFILE || why == ENOSPC ? "this user has no inotify instances or watches left" :
						 strerror(why),
	    "changed pages and sources are found by looking, up to a minute later: raise fs.inotify.max_user_instances "
	    "and "
	    "fs.inotify.max_user_watches (sysctl)");
	if (fd >= 0)
		close(fd);
}

static bool
says_degraded(struct cli *cli, const struct daemon *d)
{
	struct view status = { VIEW_NONE, { NULL, 0 } };
	struct buf params = { 0 };
	struct client c;
	struct err err;
	bool degraded = false;

	if (!d->answers || client_open(cli, &c, CLIENT_CLI, NULL, true) != 0)
		return false;
	mp_put_map(&params, 0);
	if (client_call(&c, "carrel/status", buf_view(&params), NULL, NULL, &status, &err) == 0)
		degraded = view_true(view_get(status, "degraded"));
	buf_fini(&params);
	client_close(&c);
	return degraded;
}

static void
check_daemon(struct cli *cli, const struct config *cfg, struct findings *f)
{
	struct daemon d;
	struct err err;

	if (daemon_look(cli->arena, cfg->project_dir, &d, &err) != 0)
		add_finding(f, "daemon", BAD, err.message, "then start it with `carrel mcp start`");
	else if (d.state == DAEMON_STALE)
		add_finding(f, "daemon", REMARK, "gone without having cleaned up", "`carrel mcp start` starts anew");
	else if (d.state == DAEMON_RUNNING && says_degraded(cli, &d))
		add_finding(f, "daemon", REMARK, arena_printf(cli->arena, "running at %s, degraded", d.url),
		    "a process is not confined, or the project cannot be searched or written; `carrel status` says "
		    "which");
	else if (d.state == DAEMON_RUNNING)
		add_finding(f, "daemon", d.port == 0 || daemon_health(d.host, d.port, &err) == 0 ? GOOD : BAD,
		    arena_printf(cli->arena, "running at %s", d.url),
		    "it does not answer; `carrel mcp stop`, then `carrel mcp start`");
	else if (cfg->port != 0 && !daemon_port_free(cfg->host, cfg->port))
		add_finding(f, "daemon", REMARK,
		    arena_printf(cli->arena, "not running, and %s port %u is taken", cfg->host, cfg->port),
		    "choose another with server.port or `carrel mcp start --port N`");
	else
		add_finding(f, "daemon", GOOD, "not running, its port is free", "");
}

/* A reference that leads nowhere is found here rather than as a database that is down. */
static void
check_reference(struct cli *cli, const char *id, const char *key, const char *value, const char *dir,
    struct findings *f)
{
	struct buf secret = { 0 };
	struct err err;
	int r;

	if (value == NULL)
		return;
	/* A service's credential is there when the service runs, and only there. */
	if (strncmp(value, "cred:", 5) == 0 && getenv("CREDENTIALS_DIRECTORY") == NULL) {
		add_finding(f, arena_printf(cli->arena, "connection %s", id), REMARK,
		    arena_printf(cli->arena,
			"%s is a service's credential, "
			"%s",
			key, value),
		    "it cannot be checked here; `carrel status` says whether the running service has it");
		return;
	}
	r = config_secret(value, strcmp(key, "url") == 0 ? CONFIG_HOLDS_URL : CONFIG_HOLDS_SECRET, dir,
	    getenv("CREDENTIALS_DIRECTORY"), cli_getenv, NULL, &secret, &err);
	buf_wipe(&secret);
	if (r == 1)
		add_finding(f, arena_printf(cli->arena, "connection %s", id), strcmp(key, "url") == 0 ? BAD : REMARK,
		    arena_printf(cli->arena, "%s refers to the variable %s, which is not set here", key,
			config_env_name(value)),
		    arena_printf(cli->arena, "export %s before `carrel mcp start`", config_env_name(value)));
	else if (r < 0)
		add_finding(f, arena_printf(cli->arena, "connection %s", id), BAD, err.message,
		    arena_printf(cli->arena, "correct its %s", key));
}

static void
check_connections(struct cli *cli, const struct config *cfg, struct findings *f)
{
	for (size_t i = 0; i < cfg->nconnections; i++) {
		const struct config_connection *c = &cfg->connections[i];
		const char *name = arena_printf(cli->arena, "connection %s", c->id);
		size_t before = f->bad;
		const char *left_out;

		check_reference(cli, c->id, "url", c->url, cfg->project_dir, f);
		check_reference(cli, c->id, "password", c->password, cfg->project_dir, f);
		if (c->unusable != NULL && drivers_served(span_str(c->driver_name)) != NULL)
			add_finding(f, name, BAD, c->unusable,
			    arena_printf(cli->arena, "complete it: `carrel connection edit %s --help`", c->id));
		else if (c->driver == NULL)
			add_finding(f, name, REMARK, arena_printf(cli->arena, "driver %s", c->driver_name),
			    arena_printf(cli->arena, "it is listed but not served; %s are", cli_driver_names(cli)));
		else if (c->path != NULL && access(c->path, R_OK) != 0)
			add_finding(f, name, BAD, arena_printf(cli->arena, "%s: %s", c->path, strerror(errno)),
			    "correct its path, or the file's owner and mode");
		else if (last_scan(cli, cfg->project_dir, c->id) == NULL)
			add_finding(f, name, REMARK, "not scanned yet",
			    arena_printf(cli->arena, "run `carrel scan %s`", c->id));
		else if ((left_out = scan_left_out(cli, cfg->project_dir, c->id)) != NULL)
			add_finding(f, name, REMARK, "the last scan did not take everything", left_out);
		else if (f->bad == before)
			add_finding(f, name, GOOD,
			    arena_printf(cli->arena,
				"configured and scanned; whether it can be reached, "
				"`carrel connection test %s` tries",
				c->id),
			    "");
	}
}

/* --- the command -------------------------------------------------------------------------- */

static int
print_keys(void (*keys)(struct buf *out))
{
	struct buf out = { 0 };
	int code;

	keys(&out);
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

static void
check_all(struct cli *cli, const char *dir, struct findings *f)
{
	struct config cfg = { 0 };
	bool loaded;

	mp_put_map(&f->mp, 1);
	mp_put_cstr(&f->mp, "findings");
	f->mark = mp_open_array(&f->mp);
	check_programs(cli, f);
	check_state_directory(cli, dir, f);
	check_disk(cli, dir, f);
	loaded = check_config(cli, dir, &cfg, f);
	check_landlock(f, loaded && cfg.sandbox == CONFIG_SANDBOX_BEST_EFFORT);
	check_seccomp(f);
	check_namespaces(f);
	check_watches(dir, f);
	if (loaded) {
		check_daemon(cli, &cfg, f);
		check_connections(cli, &cfg, f);
	}
	mp_close(&f->mp, f->mark, f->n);
}

void
doctor_report(struct cli *cli, struct buf *out)
{
	const char *dir = cli_project(cli);
	struct findings f = { 0 };
	struct mp_value v;

	if (dir != NULL)
		check_all(cli, dir, &f);
	if (dir != NULL && mp_value(buf_view(&f.mp), &v))
		json_write(out, &v);
	else
		buf_str(out, "null");
	buf_fini(&f.mp);
	buf_fini(&f.text);
}

int
cmd_doctor(struct cli *cli)
{
	struct findings f = { 0 };
	const char *dir;
	int code;

	if (cli_flag(cli, "config-reference"))
		return print_keys(config_reference);
	if (cli_flag(cli, "config-schema"))
		return print_keys(config_schema);
	if ((dir = cli_project(cli)) == NULL)
		return CLI_FAILED;
	check_all(cli, dir, &f);
	code = cli->json ? cli_json_mp(buf_view(&f.mp)) : cli_write(buf_view(&f.text));
	buf_fini(&f.mp);
	buf_fini(&f.text);
	if (code != CLI_OK || f.bad == 0)
		return code;
	return cli_fail(CLI_FAILED, "%zu finding%s to mend, marked WRONG", f.bad, f.bad == 1 ? "" : "s");
}
