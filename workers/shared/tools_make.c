/*
 * tools_make.c - makes the texts of a worker's tools into C, while Carrel is built: tools-make OUT FILE.json…
 *
 * A file is {"fragments": {name: schema}, "tools": {name: {title, description, input, output?, aliases?}}}.
 * {"$ref": "name"} in a schema stands for a fragment of any of the files.  For each tool OUT gets a macro
 * TOOL_<name> with these members of a struct tool, for its row in the worker's table, and for each fragment a macro
 * SCHEMA_<name>.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/system/io.h"

#define FILES_MAX	8
#define FILE_MAX	((size_t)1 << 20)

static struct mp_value files[FILES_MAX];
static struct buf packed[FILES_MAX];
static size_t nfiles;

static int
read_tools(const char *path)
{
	struct buf text = BUF_MAX(FILE_MAX), *to = &packed[nfiles];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum json_fault fault = JSON_SYNTAX;
	size_t at = 0;

	to->max = 2 * FILE_MAX;
	if (fd >= 0 && io_read(fd, 0, FILE_MAX, &text) == 0)
		fault = json_read(buf_view(&text), to, &at);
	if (fd >= 0)
		close(fd);
	buf_fini(&text);
	if (fault != JSON_OK || !mp_value(buf_view(to), &files[nfiles])) {
		fprintf(stderr, "%s: %s at byte %zu\n", path, json_fault_text(fault), at);
		return -1;
	}
	nfiles++;
	return 0;
}

static bool
find_fragment(struct span name, struct mp_value *schema)
{
	struct mp_value fragments;

	for (size_t i = 0; i < nfiles; i++)
		if (mp_get(&files[i], "fragments", &fragments) && mp_member(&fragments, name, schema))
			return true;
	return false;
}

/* Whether the map of this name has only members that are read; one that is not is reported. */
static bool
has_only(struct span name, const struct mp_value *map, const char *const *known)
{
	struct mp_iter it = mp_iter(map);
	struct span member;
	struct mp_value v;

	while (mp_next_pair(&it, &member, &v))
		if (!span_is_any(member, known)) {
			fprintf(stderr, "%.*s: the member %.*s is unknown\n", SPAN_FMT(name), SPAN_FMT(member));
			return false;
		}
	return true;
}

/* The schema with its fragments in place.  False: one is missing. */
static bool
put_schema(struct buf *out, const struct mp_value *v)
{
	bool is_map = v->class == MP_MAP, fine = true;
	struct mp_iter it = mp_iter(v);
	struct mp_value one, of;

	if (!is_map && v->class != MP_ARRAY) {
		json_write(out, v);
		return true;
	}
	if (is_map && mp_get(v, "$ref", &one))
		return has_only(one.s, v, (const char *const[]){ "$ref", NULL }) && find_fragment(one.s, &of) &&
		    put_schema(out, &of);
	buf_byte(out, is_map ? '{' : '[');
	for (size_t i = 0; fine && mp_next(&it, &one); i++) {
		if (i > 0)
			buf_byte(out, ',');
		if (is_map) {
			json_write_string(out, one.s);
			buf_byte(out, ':');
			mp_next(&it, &one);
		}
		fine = put_schema(out, &one);
	}
	buf_byte(out, is_map ? '}' : ']');
	return fine;
}

static void
put_literal(FILE *f, struct span text)
{
	fputc('"', f);
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\' || text.p[i] == '?')
			fputc('\\', f);
		fputc(text.p[i], f);
	}
	fputc('"', f);
}

/* The member of a struct tool; a schema's is called input_schema or output_schema. */
static void
put_member(FILE *f, const char *member, bool is_schema, struct span text)
{
	fprintf(f, " \\\n\t.%s%s = ", member, is_schema ? "_schema" : "");
	put_literal(f, text);
	fputc(',', f);
}

/* #define SCHEMA_<name>: a fragment, for schemas that are used elsewhere. */
static bool
make_fragment(FILE *f, struct span name, const struct mp_value *fragment)
{
	struct buf schema = { 0 };
	bool fine = put_schema(&schema, fragment);

	if (!fine)
		fprintf(stderr, "%.*s: a fragment is missing\n", SPAN_FMT(name));
	fprintf(f, "\n#define SCHEMA_%.*s ", SPAN_FMT(name));
	put_literal(f, buf_view(&schema));
	fputs("\n", f);
	buf_fini(&schema);
	return fine;
}

static bool
make_tool(FILE *f, struct span name, const struct mp_value *tool)
{
	static const char *const members[] = { "title", "description", "aliases", "input", "output", NULL };
	struct buf schema = { 0 };
	struct mp_value v;
	bool fine = has_only(name, tool, members);

	fprintf(f, "\n#define TOOL_%.*s", SPAN_FMT(name));
	put_member(f, "name", false, name);
	for (const char *const *member = members; fine && *member != NULL; member++) {
		if (!mp_get(tool, *member, &v))
			continue;
		buf_reset(&schema, SIZE_MAX);
		if (v.class == MP_MAP && !(fine = put_schema(&schema, &v)))
			fprintf(stderr, "%.*s: a fragment is missing\n", SPAN_FMT(name));
		put_member(f, *member, v.class == MP_MAP, v.class == MP_MAP ? buf_view(&schema) : v.s);
	}
	fputs("\n", f);
	buf_fini(&schema);
	return fine;
}

static bool
make_file(FILE *f, const struct mp_value *file)
{
	struct mp_value fragments, tools, v;
	struct mp_iter it;
	struct span name;
	bool fine = has_only(SPAN("the file"), file, (const char *const[]){ "fragments", "tools", NULL });

	(void)mp_get(file, "fragments", &fragments);
	(void)mp_get(file, "tools", &tools);
	for (it = mp_iter(&fragments); fine && mp_next_pair(&it, &name, &v);)
		fine = make_fragment(f, name, &v);
	for (it = mp_iter(&tools); fine && mp_next_pair(&it, &name, &v);)
		fine = make_tool(f, name, &v);
	return fine;
}

int
main(int argc, char **argv)
{
	bool fine = true;
	FILE *f;

	if (argc < 3 || argc - 2 > FILES_MAX || (f = fopen(argv[1], "w")) == NULL) {
		fprintf(stderr, "usage: tools-make OUT FILE.json...\n");
		return 2;
	}
	fputs("/* Made of the worker's tools.json. */\n", f);
	for (int i = 2; fine && i < argc; i++)
		fine = read_tools(argv[i]) == 0;
	for (size_t i = 0; fine && i < nfiles; i++)
		fine = make_file(f, &files[i]);
	fine = ferror(f) == 0 && fine;
	if (fclose(f) != 0 || !fine)
		remove(argv[1]);
	for (size_t i = 0; i < FILES_MAX; i++)
		buf_fini(&packed[i]);
	return fine ? 0 : 1;
}
