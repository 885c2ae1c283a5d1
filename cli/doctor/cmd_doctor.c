#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/json/json_write.h"
#include "base/system/process.h"
#include "cli/doctor/cmd_doctor.h"
#include "cli/engine_library.h"
#include "cli/doctor/doctor_machine.h"
#include "cli/doctor/doctor_project.h"
#include "cli/doctor/doctor_url.h"
#include "cli/show/term.h"
#include "policy/profiles.h"
#include "cli/args.h"
#include "cli/say.h"
#include "project/config/config_schema.h"

#define LANDLOCK_ABI_NEEDED	2	/* Debian 12's own kernel has exactly that */

void
doctor_add(struct findings *f, const char *what, enum verdict verdict, const char *found, const char *fix)
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
	mp_put_pairs(&f->mp, mp_cstr("check", what),
	    mp_cstr("verdict",
		verdict == GOOD       ? "ok" :
		    verdict == REMARK ? "note" :
					"wrong"),
	    mp_cstr("found", found), mp_cstr("fix", verdict == GOOD ? NULL : fix));
	f->n++;
	f->bad += verdict == BAD;
}

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
	doctor_add(f, "kernel: files",
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

	doctor_add(f, "kernel: calls", ok ? GOOD : BAD, ok ? "seccomp filters" : "no seccomp filters",
	    "workers cannot be confined: boot a kernel with CONFIG_SECCOMP_FILTER, "
	    "or leave the container that forbids it");
}

static void
check_namespaces(struct findings *f)
{
	int status = 1;
	pid_t pid = fork();

	/* As the processes do it: a unit may have given all of them the third. */
	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0 ||
			    unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ?
			0 :
			1);
	if (pid > 0)
		status = process_wait(pid);
	doctor_add(f, "kernel: networks", status == 0 ? GOOD : REMARK,
	    status == 0 ? "network namespaces are available" : "no unprivileged namespaces",
	    "one layer of several is missing, which is allowed: a container or chroot may forbid it; elsewhere "
	    "kernel.unprivileged_userns_clone=1, user.max_user_namespaces, or "
	    "kernel.apparmor_restrict_unprivileged_userns=0 "
	    "(Ubuntu) gives it");
}

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
	doctor_add(f, "programs", missing.len == 0 ? GOOD : BAD,
	    missing.len == 0 ? "all found" : arena_printf(cli->arena, "missing next to carrel: %s", buf_cstr(&missing)),
	    "build with `make`, or install again");
	buf_fini(&missing);
}

/* Libraries that are loaded at run time are missed where a connection needs them. */
static void
check_engines(struct cli *cli, const struct config *cfg, struct findings *f)
{
	for (size_t i = 0; i < ndrivers; i++) {
		const struct db_driver *d = drivers[i];
		struct engine_library l;
		bool needed = false;

		if (d->library == NULL)
			continue;
		for (size_t k = 0; k < cfg->nconnections && !needed; k++)
			needed = cfg->connections[k].driver == d;
		engine_library_find(cli, cfg, d, &l);
		doctor_add(f, arena_printf(cli->arena, "library of %s", d->display),
		    l.version != NULL ? GOOD :
			needed        ? BAD :
					GOOD,
		    l.version == NULL && !needed ? "none, and no connection needs it" :
			l.version == NULL        ? l.reason :
					    arena_printf(cli->arena, "%s in %s, reads %s", l.version, l.path, l.reads),
		    arena_printf(cli->arena, "`carrel engine add %s --from FILE` puts it in place (docs/duckdb.md)",
			d->name));
	}
}

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
		doctor_add(f, "configuration", BAD, err.message,
		    cfg->file != NULL || has_configuration(cli, dir) ?
			"correct that line; `carrel doctor --config-reference` lists the keys and their values" :
			"`carrel init` makes a project");
	else if (issues.n == 0)
		doctor_add(f, "configuration", GOOD, cfg->file, "");
	for (size_t i = 0; i < issues.n; i++) {
		struct config_issues one = { .n = 1, .list = { issues.list[i] } };

		buf_reset(&lines, 4096);
		config_issues_print(cfg, &one, &lines);
		if (lines.len > 0 && lines.p[lines.len - 1] == '\n')
			lines.len--;
		doctor_add(f, "configuration", issues.list[i].fatal ? BAD : REMARK, buf_cstr(&lines),
		    "`carrel doctor --config-reference` lists the keys and their values");
	}
	buf_fini(&lines);
	return ok;
}

/* What carrel-auth reports of a store that several nodes share. */
static void
check_store(struct cli *cli, struct view report, struct findings *f)
{
	struct view_iter it = view_iter(view_get(report, "problems"));
	struct view problem;

	if (report.kind == VIEW_OBJECT && view_count(view_get(report, "problems")) == 0)
		doctor_add(f, "state store", GOOD,
		    arena_printf(cli->arena, "shared by nodes, PostgreSQL %s",
			view_cstr(cli->arena, view_get(report, "server"), "")),
		    "");
	while (view_next(&it, &problem))
		doctor_add(f, "state store", REMARK, view_cstr(cli->arena, view_get(problem, "reason"), ""),
		    "docs/nodes.md says what depends on it");
}

/* Whether the daemon says that it is degraded.  Adds what it says of its store. */
static bool
says_degraded(struct cli *cli, const struct daemon *d, struct findings *f)
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
	check_store(cli, view_get(status, "reports.auth"), f);
	buf_fini(&params);
	client_close(&c);
	return degraded;
}

static void
check_daemon(struct cli *cli, const struct config *cfg, struct daemon *d, struct findings *f)
{
	const char *other;
	struct err err;

	if (daemon_look(cli->arena, cfg->project_dir, d, &err) != 0)
		doctor_add(f, "daemon", BAD, err.message, "then start it with `carrel mcp start`");
	else if (d->state == DAEMON_STALE)
		doctor_add(f, "daemon", REMARK, "it ended without cleaning up", "run `carrel mcp start` again");
	else if (d->state == DAEMON_RUNNING && says_degraded(cli, d, f))
		doctor_add(f, "daemon", REMARK, arena_printf(cli->arena, "running at %s, degraded", d->url),
		    "a process is not confined, or the project cannot be searched or written; `carrel status` says "
		    "which");
	else if (d->state == DAEMON_RUNNING)
		doctor_add(f, "daemon", d->port == 0 || daemon_health(d->host, d->port, &err) == 0 ? GOOD : BAD,
		    arena_printf(cli->arena, "running at %s", d->url),
		    "it does not answer; `carrel mcp stop`, then `carrel mcp start`");
	else if (cfg->listen == NULL && cfg->port != 0 && !daemon_port_free(cfg->host, cfg->port))
		doctor_add(f, "daemon", REMARK,
		    arena_printf(cli->arena, "not running, and %s port %u is taken by %s", cfg->host, cfg->port,
			(other = daemon_project_at(cli->arena, cfg->host, cfg->port)) != NULL ?
			    arena_printf(cli->arena, "the Carrel of %s", other) :
			    "another program"),
		    "choose another with server.port or `carrel mcp start --port N`");
	else
		doctor_add(f, "daemon", GOOD, "not running; its port is free", "");
}

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
	struct daemon d = { 0 };
	bool loaded;

	mp_put_map(&f->mp, 1);
	mp_put_cstr(&f->mp, "findings");
	f->mark = mp_open_array(&f->mp);
	check_programs(cli, f);
	loaded = check_config(cli, dir, &cfg, f);
	doctor_files(cli, dir, &cfg, f);
	doctor_disk(cli, dir, &cfg, f);
	check_landlock(f, loaded && cfg.sandbox == CONFIG_SANDBOX_BEST_EFFORT);
	check_seccomp(f);
	check_namespaces(f);
	doctor_watches(dir, f);
	if (loaded)
		check_daemon(cli, &cfg, &d, f);
	doctor_limits(cli, &d, f);
	doctor_clock(cli, dir, &cfg, &d, f);
	if (loaded) {
		doctor_url(cli, &cfg, &d, f);
		doctor_connections(cli, &cfg, d.answers || f->bad == 0, f);
		check_engines(cli, &cfg, f);
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
	return cli_fail(CLI_FAILED, "%zu finding%s to fix, marked WRONG", f.bad, f.bad == 1 ? "" : "s");
}
