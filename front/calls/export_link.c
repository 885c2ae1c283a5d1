#include <string.h>

#include "base/mp.h"
#include "front/calls/export_link.h"

#define VERSION	1u
#define FIELDS	7u

bool
export_link_is_for(const struct tool_entry *tool)
{
	return tool_is_team(tool) || strcmp(tool->policy->name, "sql_execution") == 0 ||
	    strcmp(tool->policy->name, "sl_query") == 0 || strcmp(tool->policy->name, "carrel_sql") == 0;
}

/* Whether the argument bounds or shapes the answer alone: the file has its own form. */
static bool
is_shape(const struct tool_entry *tool, struct span key)
{
	static const char *const names[] = { "maxRows", "maxBytes", "format", "include" };

	for (size_t i = 0; !tool_is_team(tool) && i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is_str(key, names[i]))
			return true;
	return false;
}

void
export_link_put_call(const struct tool_entry *tool, const struct mp_value *args, struct buf *out)
{
	struct mp_iter it = mp_iter(args);
	size_t map = mp_open_pairs(out, mp_str("name", tool->name)), mark;
	struct mp_value v;
	struct span key;

	mp_put_cstr(out, "arguments");
	mark = mp_open_map(out);
	while (mp_next_pair(&it, &key, &v))
		if (!is_shape(tool, key)) {
			mp_put_str(out, key);
			buf_span(out, v.raw);
		}
	mp_end(out, mark);
	mp_end(out, map);
}

bool
export_link_seal(const struct seal *s, const struct export_link *link, struct buf *out)
{
	struct buf text = { .max = 0 };
	size_t before = out->len;

	mp_put_array(&text, FIELDS);
	mp_put_uint(&text, VERSION);
	mp_put_str(&text, link->owner);
	mp_put_str(&text, link->grant);
	mp_put_uint(&text, link->scopes);
	mp_put_str(&text, link->scopes_tools);
	mp_put_uint(&text, link->until_unix_s);
	buf_span(&text, link->call);
	seal_put(s, buf_view(&text), out);
	buf_fini(&text);
	if (out->len - before <= EXPORT_LINK_MAX)
		return true;
	out->len = before;
	return false;
}

static bool
read_text(struct mp_iter *it, struct span *out)
{
	struct mp_value v;

	if (!mp_next(it, &v) || v.class != MP_STR)
		return false;
	*out = v.s;
	return true;
}

static bool
read_number(struct mp_iter *it, uint64_t *out)
{
	struct mp_value v;

	if (!mp_next(it, &v) || v.class != MP_UINT)
		return false;
	*out = v.u;
	return true;
}

static bool
read_fields(struct span text, struct export_link *link)
{
	uint64_t version, scopes;
	struct mp_value all, call;
	struct mp_iter it;

	if (!mp_value(text, &all) || all.class != MP_ARRAY || all.n != FIELDS)
		return false;
	it = mp_iter(&all);
	if (!read_number(&it, &version) || version != VERSION || !read_text(&it, &link->owner) ||
	    !read_text(&it, &link->grant) || !read_number(&it, &scopes) || !read_text(&it, &link->scopes_tools) ||
	    !read_number(&it, &link->until_unix_s) || !mp_next(&it, &call) || call.class != MP_MAP)
		return false;
	link->scopes = (uint32_t)scopes;
	link->call = call.raw;
	return true;
}

bool
export_link_read(const struct seal *s, struct span path, struct buf *room, struct export_link *link,
    enum export_format *format)
{
	size_t begin = strlen(EXPORT_PATH), dot = begin;

	if (!span_begins(path, EXPORT_PATH))
		return false;
	while (dot < path.len && path.p[dot] != '.')
		dot++;
	if (dot == path.len || dot - begin > EXPORT_LINK_MAX)
		return false;
	*format = export_format_named(span_of(path.p + dot + 1, path.len - dot - 1));
	buf_reset(room, EXPORT_LINK_MAX);
	return seal_open(s, span_of(path.p + begin, dot - begin), room) && read_fields(buf_view(room), link);
}
