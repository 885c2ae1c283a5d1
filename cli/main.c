/* main.c - the `carrel` command. */
#include <signal.h>
#include <unistd.h>

#include "cli/args.h"

#define ARENA_MAX	((size_t)256 << 20)

int
main(int argc, char **argv)
{
	struct cli cli = { .arena = arena_new(ARENA_MAX) };
	const struct command *command;
	int code = CLI_OK;

	/* Ignore SIGPIPE: a closed pipe becomes a failed write, with an exit code of our own. */
	signal(SIGPIPE, SIG_IGN);
	command = cli_parse(&cli, argc, argv, &code);
	if (command != NULL)
		code = command->run(&cli);
	arena_free(cli.arena);
	return code;
}
