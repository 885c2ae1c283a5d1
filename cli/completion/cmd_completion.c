/* cmd_completion.c - see cmd_completion.h. */
#include <string.h>

#include "base/mp.h"
#include "cli/completion/cmd_completion.h"
#include "cli/completion/completion_bash.h"
#include "cli/completion/completion_fish.h"
#include "cli/completion/completion_names.h"
#include "cli/completion/completion_zsh.h"
#include "cli/args.h"
#include "cli/say.h"

/* The names of the drivers, each after a blank. */
static const char driver_names[] = ""
#define DRIVER(name)	" " #name
#define LISTED(name, type, shard)
#include "project/config/drivers.def"
#undef DRIVER
#undef LISTED
    ;

/* The same of the platforms. */
static const char platform_names[] = ""
#define PLATFORM(name, ...)	" " #name
#include "project/platforms.def"
#undef PLATFORM
    ;

/* The same of the roles of users. */
static const char role_names[] = ""
#define ROLE(NAME, name, scopes)	" " name
#include "policy/scopes.def"
#undef ROLE
    ;

static const struct value values[] = {
#define VALUE(word, names, words) {word, names, words},
#include "cli/values.def"
#undef VALUE
};

const struct value *
value_of(const char *word)
{
	size_t n;

	word += *word == '[';
	n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strlen(values[i].word) == n && memcmp(values[i].word, word, n) == 0)
			return &values[i];
	return NULL;
}

bool
value_is_path(const struct value *v)
{
	return v != NULL && v->names != NULL &&
	    (strcmp(v->names, "files") == 0 || strcmp(v->names, "directories") == 0);
}

const char *
command_second(const struct command *c, size_t *first)
{
	const char *space = strchr(c->name, ' ');

	*first = space != NULL ? (size_t)(space - c->name) : strlen(c->name);
	return space != NULL ? space + 1 : NULL;
}

bool
command_is_beside(const struct command *a, const struct command *b)
{
	size_t n, m;

	(void)command_second(a, &n);
	(void)command_second(b, &m);
	return n == m && memcmp(a->name, b->name, n) == 0;
}

bool
command_is_first(const struct command *c)
{
	return c == commands || !command_is_beside(c - 1, c);
}

void
completion_quote(struct buf *out, const char *text)
{
	buf_byte(out, '\'');
	for (; *text != '\0'; text++)
		if (*text == '\'')
			buf_str(out, "'\\''");
		else
			buf_byte(out, (uint8_t)*text);
	buf_byte(out, '\'');
}

int
cmd_completion(struct cli *cli)
{
	static const struct {
		const char *shell;
		void (*put)(struct buf *out);
	} scripts[] = { { "bash", completion_bash }, { "zsh", completion_zsh }, { "fish", completion_fish } };
	const char *what = cli_operand(cli, 0);
	struct buf out = { 0 }, mp = { 0 };
	int code;

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (strcmp(scripts[i].shell, what) == 0)
			scripts[i].put(&out);
	if (out.len == 0 && !completion_names(cli, what, &out))
		code = cli_fail(CLI_USAGE, "completions are written for bash, zsh and fish");
	else if (cli->json) {
		mp_put_pairs(&mp, mp_str("text", buf_view(&out)));
		code = cli_json_mp(buf_view(&mp));
	} else
		code = cli_write(buf_view(&out));
	buf_fini(&mp);
	buf_fini(&out);
	return code;
}
