#include <string.h>

#include "base/mp.h"
#include "cli/args.h"
#include "cli/completion/cmd_completion.h"
#include "cli/completion/completion_line.h"
#include "cli/completion/completion_scripts.h"
#include "cli/say.h"

int
cmd_completion(struct cli *cli)
{
	const char *what = cli_operand(cli, 0), *script = completion_script(what);
	struct buf out = { 0 }, mp = { 0 };
	int code;

	if (cli->noperands > 1 && strcmp(what, "line") == 0)
		completion_line(cli, cli->operands + 1, cli->noperands - 1, &out);
	else if (script == NULL || cli->noperands > 1)
		return cli_fail(CLI_USAGE, "completions are written for bash, zsh and fish");
	else
		buf_str(&out, script);
	if (cli->json) {
		mp_put_pairs(&mp, mp_str("text", buf_view(&out)));
		code = cli_json_mp(buf_view(&mp));
	} else
		code = cli_write(buf_view(&out));
	buf_fini(&mp);
	buf_fini(&out);
	return code;
}
