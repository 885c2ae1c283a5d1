/* project.c - see project.h. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_read.h"
#include "tests/relevance/project.h"
#include "workers/search/index/near.h"
#include "workers/search/library/follow.h"

/* The connections there is anything of, as the configuration lists them.  The scans say what drivers they are of. */
static void
list_connections(const char *dir, struct buf *json)
{
	static const char *const places[] = { "raw-sources", "semantic-layer" };
	struct buf path = { 0 };

	buf_byte(json, '[');
	for (size_t i = 0; i < 2 && json->len == 1; i++) {
		const struct dirent *e;
		DIR *d;

		path.len = 0;
		buf_printf(&path, "%s/%s", dir, places[i]);
		if ((d = opendir(buf_cstr(&path))) == NULL)
			continue;
		while ((e = readdir(d)) != NULL)
			if (e->d_name[0] != '.')
				buf_printf(json, "%s{\"id\":\"%s\",\"driver\":\"postgres\"}", json->len == 1 ? "" : ",",
				    e->d_name);
		closedir(d);
	}
	buf_byte(json, ']');
	buf_fini(&path);
}

const struct vectors *
project_vectors(const char *file)
{
	static struct vectors v;

	vectors_init(&v, open(file, O_RDONLY | O_CLOEXEC));
	while (vectors_step(&v, UINT64_MAX))
		;
	if (!vectors_ready(&v)) {
		fprintf(stderr, "%s: no word vectors: %s\n", file,
		    v.trouble == NULL ? "it cannot be opened" : v.trouble);
		exit(2);
	}
	return &v;
}

struct library *
project_open(const char *dir, const struct vectors *vectors)
{
	const struct follow_budget budget = { .items = 1000, .ns = UINT64_C(1000000000) };
	struct buf json = { 0 }, list = { 0 };
	struct mp_value connections;
	struct library *l;
	struct err err;
	size_t at;

	list_connections(dir, &json);
	if (json_read(buf_view(&json), &list, &at) != JSON_OK || !mp_value(buf_view(&list), &connections) ||
	    (l = library_new(span_str(dir), SPAN("local"), SPAN("carrel"), &connections, NULL, &err)) == NULL ||
	    follow_open(l, &err) != 0) {
		fprintf(stderr, "%s cannot be read\n", dir);
		exit(1);
	}
	do
		(void)follow_step(l, &budget);
	while (follow_is_busy(l));
	if (vectors != NULL)
		vocab_near(l->vocab)->vectors = vectors;
	while (near_step(vocab_near(l->vocab), l->vocab, UINT64_MAX))
		;
	buf_fini(&json);
	buf_fini(&list);
	return l;
}
