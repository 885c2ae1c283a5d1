/* tools_args.c - see tools.h: aliases and the check of arguments. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "front/tools.h"
#include "front/tools_args.h"

#define STEPS_MAX	6	/* names in an alias's path; longer paths are malformed */
#define ALIASES_MAX	32

/* "entities[].table.schema=db": the path, the member's name there, and the name that replaces it. */
struct alias {
	struct span	path[STEPS_MAX];	/* an empty name stands for every element of an array */
	size_t		npath;
	struct span	from, to;
	char		text[128];		/* the spans above point into this text */
};

/* --- reading aliases from an offer --------------------------------------------------- */

static bool
read_path(struct alias *a, struct span left)
{
	while (left.len > 0) {
		const uint8_t *dot = memchr(left.p, '.', left.len);
		struct span step = span_of(left.p, dot == NULL ? left.len : (size_t)(dot - left.p));
		size_t used = step.len + (dot != NULL);
		bool each = step.len > 2 && step.p[step.len - 2] == '[' && step.p[step.len - 1] == ']';

		left = span_of(left.p + used, left.len - used);
		if (each)
			step.len -= 2;
		if (step.len == 0 || a->npath + 2 > STEPS_MAX)
			return false;
		if (left.len == 0 && !each) {
			a->from = step;
			return true;
		}
		a->path[a->npath++] = step;
		if (each)
			a->path[a->npath++] = span_of("", 0);
	}
	return false;
}

static bool
read_alias(struct alias *a, struct span word)
{
	const uint8_t *equals = memchr(word.p, '=', word.len);
	size_t left;

	if (equals == NULL || word.len >= sizeof(a->text))
		return false;
	memcpy(a->text, word.p, word.len);
	left = (size_t)(equals - word.p);
	a->to = span_of(a->text + left + 1, word.len - left - 1);
	return a->to.len > 0 && read_path(a, span_of(a->text, left));
}

bool
alias_read(struct span text, struct alias **aliases, size_t *n)
{
	*aliases = NULL;
	*n = 0;
	if (text.len == 0)
		return true;
	/* One allocation: the spans point into it, so it must not move. */
	*aliases = mem_new(ALIASES_MAX, sizeof(**aliases));
	while (text.len > 0) {
		const uint8_t *space = memchr(text.p, ' ', text.len);
		struct span word = span_of(text.p, space == NULL ? text.len : (size_t)(space - text.p));
		size_t used = word.len + (space != NULL);

		text = span_of(text.p + used, text.len - used);
		if (word.len == 0)
			continue;
		if (*n == ALIASES_MAX || !read_alias(&(*aliases)[*n], word))
			return false;
		++*n;
	}
	return true;
}

void
alias_free(struct alias *aliases, size_t n)
{
	(void)n;
	free(aliases);
}

/* --- renaming --------------------------------------------------------------------- */

/* The name under which a member of map is sent on: an alias is replaced by the real name. */
static struct span
renamed(const struct alias *a, const struct mp_value *map, struct span key)
{
	struct mp_value v;
	char to[sizeof(a->text)];

	if (!span_is(key, a->from))
		return key;
	memcpy(to, a->to.p, a->to.len);
	to[a->to.len] = '\0';
	return mp_get(map, to, &v) ? key : a->to;
}

/* Copy v to out and apply one alias from step on.  The recursion is bounded by the alias's path. */
static void
copy_renaming(struct buf *out, const struct alias *a, size_t step, const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	struct span key;

	if (step < a->npath && a->path[step].len == 0 && v->class == MP_ARRAY) {
		mp_put_array(out, v->n);
		while (mp_next(&it, &child))
			copy_renaming(out, a, step + 1, &child);
		return;
	}
	if (v->class != MP_MAP || (step < a->npath && a->path[step].len == 0)) {
		buf_span(out, v->raw);
		return;
	}
	mp_put_map(out, v->n);
	while (mp_next_pair(&it, &key, &child)) {
		if (step == a->npath) {
			mp_put_str(out, renamed(a, v, key));
			buf_span(out, child.raw);
			continue;
		}
		mp_put_str(out, key);
		if (span_is(key, a->path[step]))
			copy_renaming(out, a, step + 1, &child);
		else
			buf_span(out, child.raw);
	}
}

/* Apply all aliases, alternating between the halves of scratch. */
static void
apply_aliases(const struct tool_entry *tool, const struct mp_value *args, struct buf *scratch,
    struct mp_value *out)
{
	struct buf other = { .max = scratch->max };

	*out = *args;
	for (size_t i = 0; i < tool->naliases; i++) {
		struct buf swap = other;

		other = *scratch;
		*scratch = swap;
		buf_reset(scratch, SIZE_MAX);
		copy_renaming(scratch, &tool->aliases[i], 0, out);
		if (!mp_value(buf_view(scratch), out))
			out->class = MP_NIL;
	}
	buf_fini(&other);
}

bool
tools_check_args(const struct tool_entry *tool, const struct mp_value *args, struct buf *scratch,
    struct mp_value *out, struct schema_result *issues)
{
	if (tool->naliases > 0)
		apply_aliases(tool, args, scratch, out);
	else
		*out = *args;
	return schema_check(&tool->input, out, issues);
}

/* --- error texts ----------------------------------------------------------------------- */

void
tools_put_issues(const struct tool_entry *tool, const struct schema_result *issues,
    struct buf *details, struct buf *sentence)
{
	size_t n = issues->total < SCHEMA_ISSUES_MAX ? issues->total : SCHEMA_ISSUES_MAX;

	buf_printf(sentence, "The arguments do not fit %.*s:", SPAN_FMT(tool->shown));
	buf_str(details, "{\"issues\":[");
	for (size_t i = 0; i < n; i++) {
		const struct schema_issue *issue = &issues->issues[i];

		if (i > 0)
			buf_byte(details, ',');
		buf_str(details, "{\"path\":");
		json_write_string(details, span_str(issue->path));
		buf_str(details, ",\"problem\":");
		json_write_string(details, span_str(issue->problem));
		buf_str(details, ",\"example\":");
		json_write_string(details, span_str(issue->example));
		buf_byte(details, '}');
		buf_printf(sentence, "%s %s%s%s", i > 0 ? ";" : "", issue->path,
		    issue->path[0] != '\0' ? " " : "the arguments ", issue->problem);
		if (issue->example[0] != '\0')
			buf_printf(sentence, " (for example %s)", issue->example);
	}
	buf_printf(details, "],\"total\":%zu}", issues->total);
	if (issues->total > n)
		buf_printf(sentence, "; and %zu more", issues->total - n);
	buf_byte(sentence, '.');
}
