#include <stdlib.h>

#include "ask/ask.h"
#include "ask/ask_model.h"
#include "base/mem.h"
#include "workers/agent/models_cache.h"
#include "workers/shared/child.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

struct model_words {
	unsigned users; /* number of users: the cache entry and calls */
	char *version, *connection, *name;
	struct ask_model *model;
};

struct kept_model {
	char *ontology;
	uint32_t scopes;
	uint64_t used;
	struct model_words *words;
};

/* A call may read an ontology twice, for the model and by rules, and each time find a new version. */
#define HOLDS (4 * CHILD_AT_ONCE_MAX)

struct hold {
	const struct call *call;
	struct model_words *words; /* NULL: unused */
};

struct models_cache {
	struct kept_model kept[MODELS_MAX];
	struct hold holds[HOLDS];
	uint64_t uses;
};

struct models_cache *
models_new(void)
{
	return mem_new(1, sizeof(struct models_cache));
}

static void
words_drop(struct model_words *w)
{
	if (w == NULL || --w->users > 0)
		return;
	free(w->version);
	free(w->connection);
	free(w->name);
	ask_model_free(w->model);
	free(w);
}

void
models_done(struct models_cache *m, const struct call *c)
{
	for (size_t i = 0; i < HOLDS; i++)
		if (m->holds[i].words != NULL && m->holds[i].call == c) {
			words_drop(m->holds[i].words);
			m->holds[i] = (struct hold){ .words = NULL };
		}
}

/* Hold w for c until models_done().  False: all holds are in use. */
static bool
models_hold(struct models_cache *m, const struct call *c, struct model_words *w)
{
	struct hold *spare = NULL;

	for (size_t i = 0; i < HOLDS; i++) {
		if (m->holds[i].words == w && m->holds[i].call == c)
			return true;
		if (m->holds[i].words == NULL)
			spare = &m->holds[i];
	}
	if (spare == NULL)
		return false;
	w->users++;
	*spare = (struct hold){ .call = c, .words = w };
	return true;
}

void
models_free(struct models_cache *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < HOLDS; i++)
		words_drop(m->holds[i].words);
	for (size_t i = 0; i < MODELS_MAX; i++) {
		free(m->kept[i].ontology);
		words_drop(m->kept[i].words);
	}
	free(m);
}

static struct kept_model *
models_find(struct models_cache *m, struct span ontology, uint32_t scopes)
{
	for (size_t i = 0; i < MODELS_MAX; i++) {
		struct kept_model *k = &m->kept[i];

		if (k->words != NULL && k->scopes == scopes && span_is_str(ontology, k->ontology))
			return k;
	}
	return NULL;
}

/* Cache w for this ontology, replacing its old version or the least recently used entry. */
static void
models_keep(struct models_cache *m, struct span ontology, uint32_t scopes, struct model_words *w)
{
	struct kept_model *k = models_find(m, ontology, scopes);

	if (k == NULL) {
		k = &m->kept[0];
		for (size_t i = 1; i < MODELS_MAX; i++)
			if (m->kept[i].used < k->used)
				k = &m->kept[i];
	}
	free(k->ontology);
	words_drop(k->words);
	*k = (struct kept_model){ .ontology = mem_text(ontology), .scopes = scopes, .used = ++m->uses, .words = w };
	w->users++;
}

static struct model_words *
words_read(const struct mp_value *catalogue, struct err *err)
{
	struct ask_model *model = ask_model_read(catalogue, err);
	struct mp_value about;
	struct model_words *w;

	if (model == NULL)
		return NULL;
	if (!mp_get(catalogue, "ontology", &about))
		about = (struct mp_value){ .class = MP_NIL };
	w = mem_new(1, sizeof(*w));
	*w = (struct model_words){ .version = mem_text(mp_get_str(catalogue, "version", SPAN(""))),
		.connection = mem_text(mp_get_str(&about, "connection", SPAN(""))),
		.name = mem_text(mp_get_str(&about, "name", SPAN(""))),
		.model = model };
	return w;
}

/* Get the current version for c: `have` if it is still current.  -1 with *err. */
static int
models_ask(struct call *c, struct models_cache *m, struct span ontology, struct model_words *have,
    struct model_words **out, struct err *err)
{
	struct buf args = { 0 };
	struct mp_value catalogue;
	int r;

	mp_put_map(&args, (unsigned)(ontology.len > 0) + (have != NULL));
	if (ontology.len > 0)
		mp_pair_str(&args, "ontologyId", ontology);
	if (have != NULL)
		mp_pair_cstr(&args, "have", have->version);
	r = call_sub(c, &(struct call_ask){ .tool = "ask_model", .args = buf_view(&args) }, &catalogue, err);
	buf_fini(&args);
	if (r != 0)
		return -1;
	*out = have;
	if (mp_get_bool(&catalogue, "unchanged", false))
		return have != NULL ?
		    0 :
		    err_set(err, ERR_INTERNAL, "an ontology is said to be as it was, and was not there before");
	if ((*out = words_read(&catalogue, err)) == NULL)
		return -1;
	models_keep(m, ontology, call_scopes(c), *out);
	return 0;
}

int
models_get(struct call *c, struct models_cache *m, struct span ontology, struct model *out, struct err *err)
{
	struct kept_model *k = models_find(m, ontology, call_scopes(c));
	struct model_words *have = k != NULL ? k->words : NULL, *now;

	/* Hold the entry while search is asked: another call may replace it meanwhile. */
	if (have != NULL) {
		k->used = ++m->uses;
		if (!models_hold(m, c, have))
			return err_set(err, ERR_BUSY, "too many ontologies are in use; try again in a moment");
	}
	if (models_ask(c, m, ontology, have, &now, err) != 0)
		return -1;
	if (!models_hold(m, c, now))
		return err_set(err, ERR_BUSY, "too many ontologies are in use; try again in a moment");
	*out = (struct model){ .words = now->model,
		.version = span_str(now->version),
		.connection = span_str(now->connection),
		.name = span_str(now->name) };
	return 0;
}
