/* agents_records.c - see agents_records.h: skills in the form that a client expects, and bundles. */
#include <string.h>

#include "base/json/json_write.h"
#include "cli/agents/agents_records.h"
#include "project/format/yaml.h"

int
agent_dress(struct arena *a, enum agent_skill dress, struct span skill, struct buf *out)
{
	const uint8_t *end = memmem(skill.p, skill.len, "\n---\n", 5);
	const struct yaml_node *head, *description;

	if (skill.len < 5 || memcmp(skill.p, "---\n", 4) != 0 || end == NULL ||
	    (head = yaml_parse(a, span_of(skill.p + 4, (size_t)(end + 1 - skill.p - 4)), NULL)) == NULL ||
	    (description = yaml_get(head, "description")) == NULL || description->kind != YAML_SCALAR)
		return -1;
	if (dress == SKILL_MD) {
		buf_span(out, skill);
		return 0;
	}
	buf_str(out, "---\ndescription: ");
	json_write_string(out, description->text);
	buf_str(out, dress == SKILL_CURSOR ? "\nalwaysApply: false\n---\n" : "\n---\n");
	buf_append(out, end + 5, skill.len - (size_t)(end + 5 - skill.p));
	if (dress == SKILL_COMMAND)
		buf_str(out, "\n## The question\n\n$ARGUMENTS\n");
	return 0;
}

static uint32_t
crc32(struct span s)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < s.len; i++) {
		crc ^= s.p[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
	}
	return ~crc;
}

static void
little(struct buf *out, uint64_t v, unsigned bytes)
{
	while (bytes-- > 0) {
		buf_byte(out, (uint8_t)v);
		v >>= 8;
	}
}

/* Fields that the local header and the central directory share. */
static void
put_common(struct buf *out, const struct agent_file *f)
{
	little(out, 20, 2);            /* version needed */
	little(out, 1u << 11, 2);      /* names are UTF-8 */
	little(out, 0, 2);             /* method: not compressed */
	little(out, 0, 2);             /* no time: the same files give the same bundle */
	little(out, (1u << 5) | 1, 2); /* 1980-01-01 */
	little(out, crc32(f->text), 4);
	little(out, f->text.len, 4);
	little(out, f->text.len, 4);
	little(out, strlen(f->path), 2);
	little(out, 0, 2); /* no extra field */
}

void
agent_zip(const struct agent_file *files, size_t n, struct buf *out)
{
	struct buf directory = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t at = out->len;

		little(out, 0x04034b50, 4);
		put_common(out, &files[i]);
		buf_str(out, files[i].path);
		buf_span(out, files[i].text);
		little(&directory, 0x02014b50, 4);
		little(&directory, (3u << 8) | 20, 2); /* made by: Unix, version 2.0 */
		put_common(&directory, &files[i]);
		little(&directory, 0, 6); /* comment, disk, internal */
		little(&directory, (uint64_t)0100644 << 16, 4);
		little(&directory, at, 4);
		buf_str(&directory, files[i].path);
	}
	little(&directory, 0x06054b50, 4);
	little(&directory, 0, 4);
	little(&directory, n, 2);
	little(&directory, n, 2);
	little(&directory, directory.len - 12, 4);
	little(&directory, out->len, 4);
	little(&directory, 0, 2);
	buf_span(out, buf_view(&directory));
	buf_fini(&directory);
}
