/* models.c - see models.h. */
#include <stdlib.h>

#include "ask/ask.h"
#include "base/mem.h"
#include "workers/agent/models.h"

struct kept {
	char *ontology, *version, *connection, *name;
	uint32_t scopes;
	uint64_t used;
	struct ask_model *words;
};

struct models {
	struct kept kept[MODELS_MAX];
	uint64_t uses;
};

struct models *
models_new(void)
{
	return mem_new(1, sizeof(struct models));
}

static void
models_drop(struct kept *k)
{
	free(k->ontology);
	free(k->version);
	free(k->connection);
	free(k->name);
	ask_model_free(k->words);
	*k = (struct kept){ .words = NULL };
}

void
models_free(struct models *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < MODELS_MAX; i++)
		models_drop(&m->kept[i]);
	free(m);
}

/* The entry of this ontology, or the one to make it in. */
static struct kept *
models_entry(struct models *m, struct span ontology, uint32_t scopes)
{
	struct kept *oldest = &m->kept[0];

	for (size_t i = 0; i < MODELS_MAX; i++) {
		struct kept *k = &m->kept[i];

		if (k->words != NULL && k->scopes == scopes && span_is_str(ontology, k->ontology))
			return k;
		if (k->used < oldest->used)
			oldest = k;
	}
	models_drop(oldest);
	return oldest;
}

static int
models_read(struct kept *k, struct span ontology, uint32_t scopes, const struct mp_value *catalogue, struct err *err)
{
	struct ask_model *words = ask_model_read(catalogue, err);
	struct mp_value about;

	if (words == NULL)
		return -1;
	models_drop(k);
	if (!mp_get(catalogue, "ontology", &about))
		about = (struct mp_value){ .class = MP_NIL };
	*k = (struct kept){ .ontology = mem_text(ontology),
		.version = mem_text(mp_get_str(catalogue, "version", SPAN(""))),
		.connection = mem_text(mp_get_str(&about, "connection", SPAN(""))),
		.name = mem_text(mp_get_str(&about, "name", SPAN(""))),
		.scopes = scopes,
		.words = words };
	return 0;
}

int
models_get(struct call *c, struct models *m, struct span ontology, struct model *out, struct err *err)
{
	struct kept *k = models_entry(m, ontology, call_scopes(c));
	struct buf args = { 0 };
	struct mp_value catalogue;
	int r;

	mp_put_map(&args, k->words != NULL ? 2 : 1);
	mp_pair_str(&args, "ontologyId", ontology);
	if (k->words != NULL)
		mp_pair_cstr(&args, "have", k->version);
	r = call_sub(c, &(struct call_ask){ .tool = "ask_model", .args = buf_view(&args) }, &catalogue, err);
	buf_fini(&args);
	if (r == 0 && !mp_get_bool(&catalogue, "unchanged", false))
		r = models_read(k, ontology, call_scopes(c), &catalogue, err);
	else if (r == 0 && k->words == NULL)
		r = err_set(err, ERR_INTERNAL, "an ontology is said to be as it was, and was not there before");
	if (r != 0)
		return -1;
	k->used = ++m->uses;
	*out = (struct model){ .words = k->words,
		.version = span_str(k->version),
		.connection = span_str(k->connection),
		.name = span_str(k->name) };
	return 0;
}
