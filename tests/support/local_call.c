/*
 * local_call - one call of a tool by the project's own user, as the command line makes it.
 * usage: local_call TOOL ARGUMENTS, in the project's directory.  It prints what came as JSON, or {error, message}.
 */
#include <stdio.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "cli/daemon/client.h"

static void
say_error(const struct err *err)
{
	struct buf out = { 0 };

	buf_str(&out, "{\"error\":");
	json_write_string(&out, span_str(err_name(err->code)));
	buf_str(&out, ",\"message\":");
	json_write_string(&out, span_str(err->message));
	buf_str(&out, "}");
	puts(buf_cstr(&out));
	buf_fini(&out);
}

int
main(int argc, char **argv)
{
	struct cli cli = { .arena = arena_new((size_t)64 << 20), .json = true };
	struct buf arguments = { 0 };
	struct client c;
	struct view result;
	struct err err;
	size_t at;

	if (argc != 3 || json_read(span_str(argv[2]), &arguments, &at) != JSON_OK ||
	    client_open(&cli, &c, CLIENT_CLI, NULL, true) != 0)
		return 2;
	if (client_tool(&c, argv[1], buf_view(&arguments), NULL, NULL, &result, &err) != 0)
		say_error(&err);
	else
		cli_json(result.raw);
	client_close(&c);
	buf_fini(&arguments);
	arena_free(cli.arena);
	return 0;
}
