/* ignore.c - see ignore.h; the rules are gitignore(5)'s. */
#include <string.h>

#include "project/ignore.h"

#define STEPS_MAX	20000u	/* of one pattern on one path; stars multiply */


static struct span
ignore_skip(struct span s, size_t n)
{
	return span_of(s.p + n, s.len - n);
}

/* The class [..] at the start of p against c; its length, 0 when it does not end. */
static size_t
match_class(struct span p, uint8_t c, bool *hit)
{
	size_t i = 1;
	bool not = i < p.len && (p.p[i] == '!' || p.p[i] == '^');

	*hit = false;
	i += not ;
	for (size_t first = i; i < p.len && (p.p[i] != ']' || i == first); i++) {
		uint8_t low = p.p[i];

		if (low == '\\' && i + 1 < p.len)
			low = p.p[++i];
		if (i + 2 < p.len && p.p[i + 1] == '-' && p.p[i + 2] != ']') {
			i += 2;
			*hit = *hit || (c >= low && c <= p.p[i]);
		} else
			*hit = *hit || c == low;
	}
	*hit = *hit != not ;
	return i < p.len ? i + 1 : 0;
}

static bool match(struct span p, struct span t, bool start, unsigned *steps);

/* A run of stars at the start of p; start: it begins a component. */
static bool
match_stars(struct span p, struct span t, bool start, unsigned *steps)
{
	size_t stars = 1;
	bool across;

	while (stars < p.len && p.p[stars] == '*')
		stars++;
	/* Two alone between slashes reach over any number of directories. */
	across = stars == 2 && start && (p.len == 2 || p.p[2] == '/');
	if (across && p.len == 2)
		return t.len > 0;
	if (across) {
		if (match(ignore_skip(p, 3), t, true, steps))
			return true;
		for (size_t i = 0; i < t.len; i++)
			if (t.p[i] == '/' && match(ignore_skip(p, 3), ignore_skip(t, i + 1), true, steps))
				return true;
		return false;
	}
	for (size_t i = 0; i <= t.len; i++) {
		if (match(ignore_skip(p, stars), ignore_skip(t, i), false, steps))
			return true;
		if (i < t.len && t.p[i] == '/')
			return false;
	}
	return false;
}

static bool
match(struct span p, struct span t, bool start, unsigned *steps)
{
	while (p.len > 0) {
		size_t n = 1;
		bool hit;

		if ((*steps)++ > STEPS_MAX)
			return false;
		if (p.p[0] == '*')
			return match_stars(p, t, start, steps);
		if (t.len == 0)
			return false;
		if (p.p[0] == '?')
			hit = t.p[0] != '/';
		else if (p.p[0] == '[' && (n = match_class(p, t.p[0], &hit)) > 0)
			hit = hit && t.p[0] != '/';
		else {
			n = p.p[0] == '\\' && p.len > 1 ? 2 : 1;
			hit = p.p[n - 1] == t.p[0];
		}
		if (!hit)
			return false;
		start = t.p[0] == '/';
		p = ignore_skip(p, n);
		t = ignore_skip(t, 1);
	}
	return t.len == 0;
}

static struct span
base_name(struct span path)
{
	const uint8_t *slash = memrchr(path.p, '/', path.len);

	return slash == NULL ? path : span_of(slash + 1, path.len - (size_t)(slash + 1 - path.p));
}

/*
 * 1: the line ignores path (relative to its file's directory); 0: it includes path again; -1: it does not concern
 * path.
 */
static int
judge_line(struct span line, struct span path, bool is_dir)
{
	bool take_in = false, anchored;
	unsigned steps = 0;

	while (line.len > 0 && (line.p[line.len - 1] == '\r' || line.p[line.len - 1] == '\n'))
		line.len--;
	while (line.len > 0 && line.p[line.len - 1] == ' ' && !(line.len > 1 && line.p[line.len - 2] == '\\'))
		line.len--;
	if (line.len == 0 || line.p[0] == '#')
		return -1;
	if (line.p[0] == '!') {
		take_in = true;
		line = ignore_skip(line, 1);
	}
	if (line.len > 0 && line.p[line.len - 1] == '/') {
		if (!is_dir)
			return -1;
		line.len--;
	}
	anchored = line.len > 0 && memchr(line.p, '/', line.len) != NULL;
	if (line.len > 0 && line.p[0] == '/')
		line = ignore_skip(line, 1);
	if (line.len == 0 || !match(line, anchored ? path : base_name(path), true, &steps))
		return -1;
	return take_in ? 0 : 1;
}

/* The last line that is about path decides. */
static int
judge_file(const struct ignore_file *f, struct span path, bool is_dir)
{
	struct span rest = f->text, line;
	int verdict = -1, said;

	if (f->dir.len > 0) {
		if (path.len <= f->dir.len + 1 || memcmp(path.p, f->dir.p, f->dir.len) != 0 ||
		    path.p[f->dir.len] != '/')
			return -1;
		path = ignore_skip(path, f->dir.len + 1);
	}
	while (span_line(&rest, &line))
		if ((said = judge_line(line, path, is_dir)) >= 0)
			verdict = said;
	return verdict;
}

static bool
is_ignored(const struct ignore_file *files, size_t n, struct span path, bool is_dir)
{
	int verdict = -1;

	while (n-- > 0 && verdict < 0)
		verdict = judge_file(&files[n], path, is_dir);
	return verdict == 1;
}

bool
ignore_match(const struct ignore_file *files, size_t n, struct span path)
{
	/* Below an ignored directory nothing is looked at. */
	for (size_t i = 1; i < path.len; i++)
		if (path.p[i] == '/' && is_ignored(files, n, span_of(path.p, i), true))
			return true;
	return is_ignored(files, n, path, false);
}
