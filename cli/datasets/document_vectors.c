#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/b64.h"
#include "base/hash.h"
#include "base/system/io.h"
#include "base/json/json_read.h"
#include "base/mem.h"
#include "base/vector8.h"
#include "cli/arguments.h"
#include "cli/datasets/document_vectors.h"
#include "cli/show/term.h"
#include "project/passages.h"
#include "cli/say.h"

#define TEXTS_AT_ONCE	64	/* of one request (workers/agent/embed.h) */
#define WRITTEN_AT_ONCE	((size_t)1 << 20)
#define RECORDS_AT_ONCE	4096	/* kept back at most until their vectors are there */

/* The vectors there were, by digest of the text. */
struct known_vectors {
	uint8_t			*map;	/* the file; NULL if absent */
	size_t			 len, dimensions, n;
	struct passages_vector	*v;
};

/* A passage whose record is not written yet. */
struct vector_waiting {
	struct passages_vector	 vector;	/* scale 0: none is known */
	size_t			 text;		/* number of its text in the request; SIZE_MAX: not in it */
};

struct embedding {
	struct documents	*d;
	struct client		*client;
	struct document		*one;
	const char		*model;
	struct known_vectors		 known;
	size_t			 dimensions;	/* 0: not known yet */
	int			 fd;		/* of the file being written */
	struct buf		 out;
	struct vector_waiting		 waiting[RECORDS_AT_ONCE];
	size_t			 nwaiting, ntexts;
	struct arguments	 request;	/* open while ntexts > 0 */
	size_t			 mark;
	uint64_t		 done;		/* passages that have their vectors */
	struct err		 why;
	bool			 stopped;	/* no vector is asked for any more, because of why */
	bool			 changed;	/* the model's vectors have other dimensions than the known ones */
};

static const char *
vectors_path(struct cli *cli, const char *name)
{
	return arena_printf(cli->arena, "%s" PASSAGES_VECTORS, name);
}

static int
by_digest(const void *a, const void *b)
{
	const struct passages_vector *x = a, *y = b;

	return (x->digest > y->digest) - (x->digest < y->digest);
}

static bool
is_wanted(const struct passages_head *head, const struct config_embeddings *wanted)
{
	return span_is_str(head->model, wanted->name) &&
	    (wanted->dimensions == 0 || wanted->dimensions == head->dimensions);
}

static void
known_index(struct known_vectors *k, const uint8_t *at)
{
	size_t each = PASSAGES_RECORD + k->dimensions, n = (size_t)(k->map + k->len - at) / each;

	k->v = mem_new(n + 1, sizeof(*k->v));
	for (size_t i = 0; i < n; i++)
		if (passages_read_vector(at + i * each, &k->v[k->n]) && k->v[k->n].scale > 0)
			k->n++;
	qsort(k->v, k->n, sizeof(*k->v), by_digest);
}

static void
known_close(struct known_vectors *k)
{
	if (k->map != NULL)
		(void)munmap(k->map, k->len);
	free(k->v);
	*k = (struct known_vectors){ .map = NULL };
}

static void
known_open(struct known_vectors *k, int dir, const char *path, const struct config_embeddings *wanted)
{
	int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct passages_head head;
	struct buf value = { 0 };
	const uint8_t *end;
	struct stat st;
	void *map;

	*k = (struct known_vectors){ .map = NULL };
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) != MAP_FAILED) {
		k->map = map;
		k->len = (size_t)st.st_size;
		end = memchr(k->map, '\n', k->len < PASSAGES_HEAD_MAX ? k->len : PASSAGES_HEAD_MAX);
		if (end != NULL && passages_read_head(span_of(k->map, (size_t)(end - k->map)), &value, &head) &&
		    is_wanted(&head, wanted)) {
			k->dimensions = head.dimensions;
			known_index(k, end + 1);
		} else
			known_close(k);
	}
	close(fd);
	buf_fini(&value);
}

uint64_t
document_vectors(const struct documents *d, int dir, const struct document *one)
{
	struct passages_head head = { .vectors = 0 };
	struct buf value = { 0 };
	char text[PASSAGES_HEAD_MAX];
	struct span line = document_first_line(dir, vectors_path(d->cli, one->name), text, sizeof(text));
	bool ours = passages_read_head(line, &value, &head) && is_wanted(&head, d->model);

	buf_fini(&value);
	return !ours ? 0 : head.vectors < one->chunks ? head.vectors : one->chunks;
}

void
document_forget_vectors(struct cli *cli, int dir, const char *name)
{
	(void)unlinkat(dir, vectors_path(cli, name), 0);
}

static void
stop_with(struct embedding *e, const struct err *why)
{
	e->why = *why;
	e->stopped = true;
}

static int
write_out(struct embedding *e)
{
	if (io_write(e->fd, buf_view(&e->out)) != 0)
		return err_set(&e->why, ERR_INTERNAL, "they cannot be written: %s", strerror(errno));
	e->out.len = 0;
	return 0;
}

static struct span
put_head(struct embedding *e, struct buf *out)
{
	const struct passages_head head = { span_str(e->model), e->dimensions, (size_t)e->one->vectors };

	passages_put_head(out, &head);
	return buf_view(out);
}

/* The first vector says how many numbers they have. */
static void
set_dimensions(struct embedding *e, size_t n)
{
	if (e->dimensions == 0) {
		e->dimensions = n;
		(void)put_head(e, &e->out);
	}
}

static void
ask_for(struct embedding *e, struct span text)
{
	if (e->ntexts == 0) {
		struct buf *out;

		arguments_begin(&e->request);
		out = arguments_key(&e->request, "texts");
		e->mark = mp_open_array(out);
	}
	mp_put_str(&e->request.mp, text);
	e->ntexts++;
}

/* The bytes of one vector of the answer. */
static bool
take_bytes(struct embedding *e, struct view one, struct passages_vector *out, struct buf *bytes)
{
	struct buf text = { 0 };
	size_t before = bytes->len;
	bool good;

	view_text(view_get(one, "bytes.base64"), &text);
	good =
	    b64_decode(bytes, buf_view(&text)) && bytes->len - before <= VECTOR8_DIMENSIONS_MAX && bytes->len > before;
	buf_fini(&text);
	if (!good)
		return false;
	out->scale = (float)view_number(view_get(one, "scale"), 0);
	set_dimensions(e, bytes->len - before);
	return bytes->len - before == e->dimensions;
}

/* The vectors of an answer, in the order of the texts, to those that wait for them. */
static bool
take_vectors(struct embedding *e, struct view list, struct buf *bytes)
{
	struct view_iter it = view_iter(list);
	struct view one;

	for (size_t i = 0; i < e->nwaiting; i++) {
		struct passages_vector *v = &e->waiting[i].vector;

		if (e->waiting[i].text == SIZE_MAX)
			continue;
		if (!view_next(&it, &one) || !take_bytes(e, one, v, bytes))
			return false;
	}
	return true;
}

/* Set each waiting passage's vector; the vectors lie in bytes one after the other, and bytes does not move again. */
static void
point_to(struct embedding *e, const struct buf *bytes)
{
	for (size_t i = 0; i < e->nwaiting; i++)
		if (e->waiting[i].text != SIZE_MAX && e->waiting[i].vector.scale > 0)
			e->waiting[i].vector.bytes = (const int8_t *)bytes->p + e->waiting[i].text * e->dimensions;
}

static void
forget_asked(struct embedding *e)
{
	for (size_t i = 0; i < e->nwaiting; i++)
		if (e->waiting[i].text != SIZE_MAX)
			e->waiting[i].vector.scale = 0;
}

static void
ask_vectors(struct embedding *e, struct buf *bytes)
{
	struct view result, list;
	struct err err;

	mp_close(&e->request.mp, e->mark, e->ntexts);
	if (client_tool(e->client, "embed_texts", arguments_end(&e->request), NULL, NULL, &result, &err) != 0)
		stop_with(e, &err);
	else {
		list = view_get(result, "vectors");
		if (e->known.n > 0 && view_uint(view_get(result, "dimensions"), 0) != e->known.dimensions) {
			e->changed = true;
		} else if (!take_vectors(e, list, bytes)) {
			(void)err_set(&err, ERR_INTERNAL, "the daemon's answer has not a vector for each text");
			stop_with(e, &err);
		}
	}
	if (e->stopped || e->changed)
		forget_asked(e);
	point_to(e, bytes);
	buf_fini(&e->request.mp);
	e->ntexts = 0;
}

/* Write the records that wait, with the vectors that are still to be made. */
static int
flush(struct embedding *e)
{
	struct buf bytes = { 0 };

	if (e->ntexts > 0)
		ask_vectors(e, &bytes);
	if (e->nwaiting > 0 && e->dimensions == 0 && e->known.n > 0)
		set_dimensions(e, e->known.dimensions);
	for (size_t i = 0; e->dimensions > 0 && i < e->nwaiting; i++) {
		e->one->vectors += e->waiting[i].vector.scale > 0;
		passages_put_vector(&e->out, &e->waiting[i].vector, e->dimensions);
	}
	buf_fini(&bytes);
	e->done += e->nwaiting;
	e->nwaiting = 0;
	term_progress(e->one->chunks > 0 ? (double)e->done / (double)e->one->chunks : 1,
	    arena_printf(e->d->cli->arena, "%s: vectors", e->one->file));
	return e->out.len < WRITTEN_AT_ONCE ? 0 : write_out(e);
}

static int
take_passage(struct embedding *e, struct span text)
{
	struct vector_waiting *w = &e->waiting[e->nwaiting++];
	struct passages_vector *known;

	*w = (struct vector_waiting){ { .digest = hash_of(text) }, SIZE_MAX };
	known = e->known.n == 0 ? NULL : bsearch(&w->vector, e->known.v, e->known.n, sizeof(w->vector), by_digest);
	if (known != NULL)
		w->vector = *known;
	else if (!e->stopped && text.len > 0) {
		w->text = e->ntexts;
		ask_for(e, text);
	}
	return e->ntexts < TEXTS_AT_ONCE && e->nwaiting < RECORDS_AT_ONCE ? 0 : flush(e);
}

/* The passages of the document's file, in their order. */
static int
read_passages(struct embedding *e, FILE *in)
{
	struct buf value = { 0 };
	struct mp_value map;
	char *line = NULL;
	size_t room = 0, at;
	ssize_t n = getline(&line, &room, in);
	int result = 0;

	while (result == 0 && !e->changed && n > 0 && (n = getline(&line, &room, in)) > 0) {
		value.len = 0;
		if ((size_t)n > PASSAGES_LINE_MAX || json_read(span_of(line, (size_t)n), &value, &at) != JSON_OK ||
		    !mp_value(buf_view(&value), &map) || map.class != MP_MAP)
			break; /* search stops at a broken line, too */
		result = take_passage(e, mp_get_str(&map, "text", SPAN("")));
	}
	if (result == 0 && !e->changed)
		result = flush(e);
	if (e->ntexts > 0)
		buf_fini(&e->request.mp);
	free(line);
	buf_fini(&value);
	return result;
}

/* Move the new file of vectors to its place, if it has vectors. */
static int
finish_file(struct embedding *e, const char *temporary, const char *path)
{
	struct buf head = { 0 };
	struct span first;
	bool good;

	if (e->one->vectors == 0)
		return 0;
	first = put_head(e, &head);
	good = write_out(e) == 0 && pwrite(e->fd, first.p, first.len, 0) == (ssize_t)first.len &&
	    fdatasync(e->fd) == 0 && renameat(e->d->dir, temporary, e->d->dir, path) == 0;
	buf_fini(&head);
	return good ? 0 : err_set(&e->why, ERR_INTERNAL, "they cannot be written: %s", strerror(errno));
}

/* Rewrite the file of vectors.  False: e->why says why it was not written. */
static bool
embed_document(struct embedding *e, FILE *in)
{
	const char *temporary = arena_printf(e->d->cli->arena, DOCUMENT_TEMPORARY "%ld-vectors", (long)getpid());
	int result;

	e->fd = openat(e->d->dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (e->fd < 0) {
		(void)err_set(&e->why, ERR_INTERNAL, "they cannot be written: %s", strerror(errno));
		return false;
	}
	e->one->vectors = e->done = 0;
	result = read_passages(e, in);
	if (result == 0 && !e->changed)
		result = finish_file(e, temporary, vectors_path(e->d->cli, e->one->name));
	term_progress_end();
	close(e->fd);
	(void)unlinkat(e->d->dir, temporary, 0);
	buf_fini(&e->out);
	return result == 0;
}

static FILE *
open_passages(const struct documents *d, const struct document *one)
{
	int fd = openat(d->dir, one->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (in == NULL && fd >= 0)
		close(fd);
	return in;
}

bool
document_embed(struct documents *d, struct client *c, struct document *one)
{
	struct embedding *e = mem_new(1, sizeof(*e));
	FILE *in = open_passages(d, one);
	uint64_t before = one->vectors;
	bool good = false;

	*e = (struct embedding){ .d = d, .client = c, .one = one, .model = d->model->name };
	if (in == NULL)
		(void)err_set(&e->why, ERR_INTERNAL, "its passages cannot be read: %s", strerror(errno));
	else {
		known_open(&e->known, d->dir, vectors_path(d->cli, one->name), d->model);
		good = embed_document(e, in);
		if (good && e->changed) {
			known_close(&e->known);
			e->changed = false;
			e->dimensions = e->nwaiting = e->ntexts = 0;
			rewind(in);
			good = embed_document(e, in);
		}
		known_close(&e->known);
		(void)fclose(in);
	}
	if (!good)
		one->vectors = before;
	if (one->vectors < one->chunks)
		cli_note("%s: %llu of its %llu passages have no vectors: %s\n"
			 "`carrel dataset document %s --vectors` makes them",
		    one->file, (unsigned long long)(one->chunks - one->vectors), (unsigned long long)one->chunks,
		    e->why.message, d->id);
	free(e);
	return one->vectors >= one->chunks;
}
