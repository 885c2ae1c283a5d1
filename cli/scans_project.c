#include <fcntl.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/mp.h"
#include "cli/say.h"
#include "cli/scans_project.h"
#include "project/format/files.h"

#define WARNINGS_MAX	((size_t)4 << 20)	/* bytes of a scan's warnings */

/* Scan ids begin with their time, so the greatest name is the last one. */
const char *
last_scan(struct cli *cli, const char *project_dir, const char *connection)
{
	const char *path = arena_printf(cli->arena, "%s/raw-sources/%s/live-database", project_dir, connection);
	const char *last = NULL;
	struct files_list list = { 0 };
	int fd = path == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (files_list(fd, cli->arena, &list) == FILES_OK)
		for (size_t i = 0; i < list.n; i++)
			if (list.entries[i].is_dir)
				last = list.entries[i].name;
	close(fd);
	return last;
}

/* Whether the warning is about the limits of a scan, not about one table. */
static bool
is_left_out(struct span code)
{
	return span_is_str(code, "schemas_left_out") || span_is_str(code, "table_unreadable");
}

/* The texts of warnings.json, which is a file of the project and may hold anything. */
static const char *
warnings_left_out(struct cli *cli, const struct buf *json)
{
	struct buf mp = BUF_MAX(WARNINGS_MAX * 2), text = { 0 };
	struct mp_value v, list, one;
	const char *last;
	struct mp_iter it;
	size_t at;

	if (json_read(buf_view(json), &mp, &at) == JSON_OK && mp_value(buf_view(&mp), &v) && v.class == MP_MAP &&
	    mp_get(&v, "warnings", &list) && list.class == MP_ARRAY)
		for (it = mp_iter(&list); mp_next(&it, &one);) {
			struct mp_value table;

			if (one.class != MP_MAP || !is_left_out(mp_get_str(&one, "code", SPAN(""))) ||
			    mp_get(&one, "table", &table))
				continue;
			buf_printf(&text, "%s%.*s", text.len > 0 ? "; " : "",
			    SPAN_FMT(mp_get_str(&one, "message", SPAN(""))));
		}
	last = text.len == 0 ? NULL : arena_printf(cli->arena, "%s", buf_cstr(&text));
	buf_fini(&mp);
	buf_fini(&text);
	return last;
}

const char *
scan_left_out(struct cli *cli, const char *project_dir, const char *connection)
{
	const char *last = last_scan(cli, project_dir, connection), *path, *text = NULL;
	struct buf json = { 0 };
	int fd;

	if (last == NULL)
		return NULL;
	path = arena_printf(cli->arena, "%s/raw-sources/%s/live-database/%s", project_dir, connection, last);
	if (path == NULL || (fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return NULL;
	if (files_read(fd, "warnings.json", WARNINGS_MAX, &json, NULL) == FILES_OK)
		text = warnings_left_out(cli, &json);
	close(fd);
	buf_fini(&json);
	return text;
}

const char *
scan_missed(struct cli *cli, const struct config *cfg, const char *connection)
{
	const struct config_connection *c = cli_connection(cfg, connection);

	return c != NULL && c->expect_partial ? NULL : scan_left_out(cli, cfg->project_dir, connection);
}
