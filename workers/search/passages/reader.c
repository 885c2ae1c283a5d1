#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/utf8.h"
#include "base/vector8.h"
#include "workers/search/passages/embedded.h"
#include "workers/search/passages/reader.h"

#define READ_AT_ONCE	((size_t)256 << 10)
#define PIECE_ENTRIES	((size_t)1 << 18)	/* a piece is closed when it has this many postings */
#define LINES_A_LOOK	16			/* between checks of the clock */

struct chunk_reader {
	struct chunk_set	*set;
	uint32_t		 document;	/* of the set */
	int			 fd;
	struct buf		 text, value;
	uint64_t		 at;		/* offset of text in the file */
	uint64_t		 line;		/* number of lines read */
	struct embedded		 embedded;	/* the model's vectors of the chunks */
	char			*trouble;	/* why the vectors cannot be used; NULL: no problem */
	bool			 full;		/* a vector did not fit into the limit */
};

/* Chunks read since the last piece, all of one set. */
struct chunk_open {
	struct chunk_set	*set;
	struct postings_batch	 words;
	size_t			 cap, vectors_cap;
	struct chunk		*chunks;	/* words.nchunks of them */
	int8_t			*vectors;
	float			*scales;
	bool			 any_vector;
};

static struct chunk_document *
document_of(const struct chunk_reader *r)
{
	return &r->set->documents[r->document];
}

static uint32_t
count_dead(const struct chunk_set *set, const struct chunk *chunks, uint32_t n)
{
	uint32_t dead = 0;

	for (uint32_t i = 0; i < n; i++)
		dead += !set->documents[chunks[i].document].live;
	return dead;
}

static void
open_free(struct chunks *c)
{
	struct chunk_open *o = c->open;

	if (o == NULL)
		return;
	postings_batch_fini(&o->words);
	free(o->chunks);
	free(o->vectors);
	free(o->scales);
	free(o);
	c->open = NULL;
}

void
chunk_reader_close_piece(struct chunks *c)
{
	struct chunk_open *o = c->open;
	struct chunk_piece *p;
	struct chunk_set *set;

	if (o == NULL)
		return;
	set = o->set;
	if (o->words.nchunks > 0) {
		set->pieces = array_grow(set->pieces, set->npieces, &set->pieces_cap, sizeof(*set->pieces));
		p = &set->pieces[set->npieces++];
		*p = (struct chunk_piece){ .chunks = o->chunks,
			.ndead = count_dead(set, o->chunks, o->words.nchunks) };
		postings_batch_close(&o->words, &p->postings);
		if (o->any_vector) {
			p->vectors = o->vectors;
			p->scales = o->scales;
			o->vectors = NULL;
			o->scales = NULL;
		}
		o->chunks = NULL;
		c->news = true;
	}
	open_free(c);
}

static struct chunk_open *
open_piece(struct chunks *c, struct chunk_set *set)
{
	if (c->open != NULL && (c->open->set != set || c->open->words.n >= PIECE_ENTRIES))
		chunk_reader_close_piece(c);
	if (c->open == NULL) {
		c->open = mem_new(1, sizeof(*c->open));
		c->open->set = set;
	}
	return c->open;
}

static void
add_words(struct chunks *c, struct chunk_open *o, struct span text)
{
	struct text_reader r;
	struct text_word word;

	text_begin(&r, text);
	while (text_next(&r, &word)) {
		uint32_t term, number = terms_word(&c->terms, word.folded, &term);

		if (vocab_documents(c->terms.vocab, number) == 0)
			vocab_count_documents(c->terms.vocab, number, 1);
		postings_batch_word(&o->words, term);
	}
}

/* The vector of text, made of its word vectors. */
static bool
word_vector(const struct vectors *v, struct span text, int8_t *bytes, float *scale)
{
	float numbers[VECTORS_DIMENSIONS_MAX];

	if (!vectors_ready(v) || !vectors_of_text(v, text, numbers))
		return false;
	*scale = vector8_pack(numbers, v->dimensions, bytes);
	return true;
}

/* The vectors of a million chunks may exceed the memory limit. */
static bool
has_room(struct chunks *c, size_t dimensions)
{
	bool has = c->vectors_max == 0 || ((uint64_t)c->total + 1) * dimensions <= c->vectors_max;

	c->reader->full = c->reader->full || !has;
	return has;
}

/* Call before the chunk is counted in o->words. */
static bool
add_vector(struct chunks *c, struct chunk_open *o, struct span text)
{
	size_t dimensions = chunks_dimensions(c), at = o->words.nchunks;
	struct embedded *e = &c->reader->embedded;
	bool room, has;

	if (dimensions == 0)
		return false;
	room = has_room(c, dimensions);
	/* Either all chunks of a piece have room for a vector or none has; unused vectors are zero. */
	if (at >= o->vectors_cap && (room || o->any_vector)) {
		size_t want = at < 64 ? 64 : at * 2;

		o->vectors = array_extend(o->vectors, o->vectors_cap, want, dimensions);
		o->scales = array_extend(o->scales, o->vectors_cap, want, sizeof(*o->scales));
		o->vectors_cap = want;
	}
	if (!room)
		return false;
	has = c->model != NULL ? embedded_next(e, text, o->vectors + at * dimensions, &o->scales[at]) :
				 word_vector(&c->vectors, text, o->vectors + at * dimensions, &o->scales[at]);
	o->any_vector = o->any_vector || has;
	return has;
}

static void
add_chunk(struct chunks *c, struct chunk_reader *r, struct span text, struct chunk place)
{
	struct chunk_open *o = open_piece(c, r->set);
	struct chunk_document *d = document_of(r);

	o->chunks = array_grow(o->chunks, o->words.nchunks, &o->cap, sizeof(*o->chunks));
	o->chunks[o->words.nchunks] = place;
	if (add_vector(c, o, text)) {
		d->nvectors++;
		r->set->nvectors++;
	}
	add_words(c, o, text);
	postings_batch_chunk(&o->words);
	d->nchunks++;
	r->set->nchunks++;
	c->total++;
}

bool
chunk_line(struct span line, struct buf *value, struct mp_value *map)
{
	size_t at;

	value->len = 0;
	return line.len <= PASSAGES_LINE_MAX && json_read(line, value, &at) == JSON_OK &&
	    mp_value(buf_view(value), map) && map->class == MP_MAP;
}

/* Report a document without all of the model's vectors: it is found by words only. */
static void
tell_vectors(const struct chunks *c, struct chunk_document *d)
{
	const struct chunk_set *set = c->reader->set;

	if (d->trouble != NULL || d->nvectors == d->nchunks || (c->model == NULL && !c->reader->full))
		return;
	if (c->reader->full)
		d->trouble = mem_printf("%u of its %u passages have no vectors: a quarter of limits.search_memory_mb "
					"is full of them",
		    d->nchunks - d->nvectors, d->nchunks);
	else
		d->trouble = mem_printf(
		    "%u of its %u passages have no vectors%s%s; `carrel dataset document %s --vectors` makes them",
		    d->nchunks - d->nvectors, d->nchunks, c->reader->trouble == NULL ? "" : ": ",
		    c->reader->trouble == NULL ? "" : c->reader->trouble, set->id);
}

static void
end_file(struct chunks *c)
{
	struct chunk_reader *r = c->reader;

	tell_vectors(c, document_of(r));
	close(r->fd);
	embedded_close(&r->embedded);
	buf_fini(&r->text);
	buf_fini(&r->value);
	free(r->trouble);
	free(r);
	c->reader = NULL;
	c->news = true;
}

static void
end_with(struct chunks *c, const char *what)
{
	struct chunk_document *d = document_of(c->reader);

	d->trouble =
	    mem_printf("line %llu %s; nothing from there on is found", (unsigned long long)c->reader->line, what);
	end_file(c);
}

/* Read the first line, the head. */
static void
take_head(struct chunks *c, const struct mp_value *map)
{
	struct span source = mp_get_str(map, "source_file", SPAN("")), column = mp_get_str(map, "column", SPAN(""));
	struct mp_value kind;

	if (!mp_get(map, "carrel_document", &kind) || kind.class != MP_UINT || kind.u != 1 || source.len == 0)
		end_with(c, "does not say that this is a document of a dataset");
	else {
		struct chunk_document *d = document_of(c->reader);

		d->source_file = mem_text(source);
		d->withheld = column.len > 0;
		if (d->withheld)
			d->column = mem_text(column);
	}
}

static void
take_chunk(struct chunks *c, const struct mp_value *map, struct chunk place)
{
	struct span text = mp_get_str(map, "text", SPAN(""));

	if (text.len == 0)
		end_with(c, "has no text");
	else if (utf8_count(text) > PASSAGES_CHARACTERS)
		end_with(c, "is longer than a chunk can be");
	else if (c->total == PASSAGES_CHUNKS_MAX)
		end_with(c, "is beyond the 1,000,000 chunks that are indexed in all");
	else
		add_chunk(c, c->reader, text, place);
}

static void
take_line(struct chunks *c, struct span line, uint64_t at)
{
	struct chunk_reader *r = c->reader;
	struct mp_value map;

	r->line++;
	if (!chunk_line(line, &r->value, &map))
		end_with(c, "is no chunk");
	else if (r->line == 1)
		take_head(c, &map);
	else
		take_chunk(c, &map, (struct chunk){ .document = r->document, .length = (uint32_t)line.len, .at = at });
}

/* Read the complete lines.  False: the time is over. */
static bool
take_lines(struct chunks *c, uint64_t until_ns)
{
	size_t at = 0;
	unsigned n = 0;
	bool time = true;

	while (c->reader != NULL && time) {
		struct chunk_reader *r = c->reader;
		const uint8_t *line = r->text.p + at;
		const uint8_t *end = at == r->text.len ? NULL : memchr(line, '\n', r->text.len - at);

		if (end == NULL)
			break;
		at += (size_t)(end - line) + 1;
		take_line(c, span_of(line, (size_t)(end - line)), r->at + (uint64_t)(line - r->text.p));
		time = ++n % LINES_A_LOOK != 0 || clock_ns() < until_ns;
	}
	if (c->reader != NULL) {
		buf_consume(&c->reader->text, at);
		c->reader->at += at;
	}
	return time;
}

static void
open_vectors(struct chunks *c, int dir, const char *path)
{
	struct chunk_reader *r = c->reader;
	bool known = c->dimensions > 0;

	embedded_open(&r->embedded, dir, path, c->model, &c->dimensions, &r->trouble);
	/* A piece has room for vectors in all chunks or in none. */
	if (!known && c->dimensions > 0)
		chunk_reader_close_piece(c);
}

void
chunk_reader_begin(struct chunks *c, struct chunk_set *set, uint32_t document, int dir)
{
	struct chunk_document *d = &set->documents[document];
	char path[FILES_PATH_MAX];
	enum files_fault fault;
	int fd;

	d->waits = false;
	c->nwaiting--;
	snprintf(path, sizeof(path), "%s/%s", set->id, d->name);
	if ((fault = files_open(dir, path, &fd, NULL)) != FILES_OK) {
		d->trouble = mem_printf("%s", files_fault_text(fault));
		return;
	}
	c->reader = mem_new(1, sizeof(*c->reader));
	*c->reader = (struct chunk_reader){ .set = set, .document = document, .fd = fd, .embedded = { .fd = -1 } };
	if (c->model != NULL)
		open_vectors(c, dir, path);
}

void
chunk_reader_step(struct chunks *c, uint64_t until_ns)
{
	while (c->reader != NULL && take_lines(c, until_ns) && c->reader != NULL) {
		struct chunk_reader *r = c->reader;
		uint8_t *to = buf_reserve(&r->text, READ_AT_ONCE);
		ssize_t n = read(r->fd, to, READ_AT_ONCE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0)
			r->text.len += (size_t)n;
		if (n < 0 ||
		    (n > 0 && r->text.len > PASSAGES_LINE_MAX && memchr(r->text.p, '\n', r->text.len) == NULL)) {
			r->line++;
			end_with(c, n < 0 ? "cannot be read" : "is longer than a chunk can be");
		} else if (n == 0 && r->text.len > 0) {
			r->line++;
			end_with(c, "has no end");
		} else if (n == 0 && r->line == 0) {
			r->line++;
			end_with(c, "is missing");
		} else if (n == 0)
			end_file(c);
		if (clock_ns() >= until_ns)
			break;
	}
}

void
chunk_reader_stop(struct chunks *c, const struct chunk_set *set, uint32_t document)
{
	if (c->reader != NULL && c->reader->set == set && c->reader->document == document)
		end_file(c);
}

void
chunk_reader_fini(struct chunks *c)
{
	if (c->reader != NULL)
		end_file(c);
	open_free(c);
}
