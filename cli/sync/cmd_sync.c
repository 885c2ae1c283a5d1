#include "cli/sync/cmd_sync.h"

#include <string.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "cli/args.h"
#include "cli/say.h"
#include "cli/sync/sync_step.h"

static int
print_outcome(struct cli *cli, const struct config *cfg, const struct sync_outcome *o)
{
	struct buf out = { 0 };
	const char *what = o->pulled && o->pushed ? "pulled and pushed" :
	    o->pulled                             ? "pulled" :
	    o->pushed                             ? "pushed" :
						    "nothing to do";
	struct span rest = buf_view(&o->proposed);
	int code;

	if (cli->json) {
		json_put_object(&out, NULL);
		json_put_cstr(&out, "branch", cfg->sync_branch);
		json_put_cstr(&out, "revision", o->revision);
		json_put_bool(&out, "pulled", o->pulled);
		json_put_bool(&out, "pushed", o->pushed);
		json_put_list(&out, "proposed");
	} else
		buf_printf(&out, "%s is at %.12s: %s\n", cfg->sync_branch, o->revision, what);
	while (rest.len > 0) {
		const uint8_t *end = memchr(rest.p, '\n', rest.len);
		struct span path = span_of(rest.p, (size_t)(end - rest.p));

		if (cli->json)
			json_put_str(&out, NULL, path);
		else
			buf_printf(&out, "not merged, and proposed: %.*s\n", SPAN_FMT(path));
		rest = span_of(end + 1, rest.len - path.len - 1);
	}
	if (!cli->json)
		return cli_write_safe(&out);
	json_end_list(&out);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

/* A password in a URL would be in the list of processes. */
static bool
has_password(const char *remote)
{
	const char *host = strstr(remote, "://"), *at = host != NULL ? strchr(host + 3, '@') : NULL,
		   *colon = host != NULL ? strchr(host + 3, ':') : NULL;

	return at != NULL && colon != NULL && colon < at;
}

static int
sync_once(struct cli *cli, const struct config *cfg)
{
	struct sync_repo r = { .arena = arena_new((size_t)256 << 20), .remote = cfg->sync_remote,
		.branch = cfg->sync_branch };
	struct sync_outcome o = { .revision = "" };
	struct err err;
	int code;

	if (sync_open(&r, cfg->project_dir, cfg->author, &err) != 0 || sync_round(&r, &o, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		code = print_outcome(cli, cfg, &o);
	buf_fini(&o.proposed);
	sync_close(&r);
	arena_free(r.arena);
	return code;
}

int
cmd_sync(struct cli *cli)
{
	struct config cfg;
	int code;

	if (!cli_config(cli, true, &cfg))
		return CLI_FAILED;
	if (cfg.sync_remote == NULL)
		return cli_fail(CLI_FAILED,
		    "say in carrel.yaml where the project's other copies meet: sync: { remote: origin, branch: main }");
	if (has_password(cfg.sync_remote))
		return cli_fail(CLI_FAILED,
		    "sync.remote has a password, which others on this machine would see: use SSH with a key");
	for (code = sync_once(cli, &cfg); cli_flag(cli, "watch"); code = sync_once(cli, &cfg))
		(void)sleep(cfg.sync_every_s);
	return code;
}
