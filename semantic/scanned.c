#include "base/ascii.h"
#include "semantic/model.h"
#include "semantic/scanned.h"

#define PARTS_MAX	4
#define USUAL_SCHEMA	"public."	/* of an unqualified name that several schemas have */

/* A dotted name: without its quotes, and where its parts begin in that and in the text. */
struct dotted_name {
	struct span	plain;
	size_t		n, at[PARTS_MAX], from[PARTS_MAX];
};

/* A name by which a table of the scan may be written: its last parts. */
struct scanned_name {
	struct span		 plain;
	const struct source	*entry;
	uint32_t		 node;
	size_t			 from;	/* where these parts begin in the entry's `table` */
	bool			 usual, whole;
};

struct scanned_names {
	struct scanned_name	*names;
	uint32_t		 n;
	struct table		 found;	/* by plain, without case */
};

static uint8_t
closing_quote(uint8_t c)
{
	return c == '"' || c == '`' ? c : c == '[' ? ']' : 0;
}

/* False when the text is no such name: arguments, too many parts, a quote that is not closed. */
static bool
read_dotted(struct arena *a, struct span text, struct dotted_name *d)
{
	uint8_t *out = arena_alloc(a, text.len + 1), close;
	size_t n = 0, i = 0;

	for (d->n = 0; out != NULL && d->n < PARTS_MAX; i++) {
		d->at[d->n] = n;
		d->from[d->n++] = i;
		if (i < text.len && (close = closing_quote(text.p[i])) != 0) {
			for (i++; i < text.len && (text.p[i] != close || (i + 1 < text.len && text.p[i + 1] == close));
			     i++) {
				out[n++] = text.p[i];
				i += text.p[i] == close;
			}
			if (i++ >= text.len)
				return false;
		} else
			while (i < text.len && text.p[i] != '.' && text.p[i] != '(')
				out[n++] = text.p[i++];
		if (i == text.len) {
			d->plain = span_of(out, n);
			return true;
		}
		if (text.p[i] != '.')
			return false;
		out[n++] = '.';
	}
	return false;
}

/* The plain name from the part on. */
static struct span
from_part(const struct dotted_name *d, size_t part)
{
	return span_of(d->plain.p + d->at[part], d->plain.len - d->at[part]);
}

/* The scan's entry that the node is, or replaces. */
static const struct source *
entry_of(const struct sem_node *n)
{
	return n->source->flavour == SOURCE_STANDALONE ? n->source->replaced : n->source;
}

static void
collect(struct sem_model *m, struct scanned_names *s)
{
	struct dotted_name d;

	for (uint32_t i = 0; i < m->nsources; i++) {
		const struct source *entry = entry_of(&m->nodes[i]);

		if (entry == NULL || entry->table == NULL || !read_dotted(m->arena, span_str(entry->table), &d))
			continue;
		for (size_t k = 0; k < d.n; k++) {
			struct scanned_name name = { from_part(&d, k), entry, i, d.from[k],
				span_begins(d.plain, USUAL_SCHEMA), k == 0 };

			s->names[s->n] = name;
			table_add(&s->found, model_hash(name.plain), s->n++);
		}
	}
}

static bool
is_lower(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (ascii_is_upper(s.p[i]))
			return false;
	return true;
}

/*
 * The table that the author means by the name: the one spelt so, else the one
 * that PostgreSQL folds it to, else any that differs in case only.
 * *several: others are as likely, in other schemas.
 */
static const struct scanned_name *
find_scanned(const struct scanned_names *s, struct span plain, bool whole, bool *several)
{
	const struct scanned_name *best = NULL;
	uint64_t hash = model_hash(plain);
	unsigned most = 0;
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&s->found, hash, &at)) != TABLE_NONE;) {
		const struct scanned_name *n = &s->names[row];
		unsigned score = (span_is(n->plain, plain) ? 5u : is_lower(n->plain) ? 3u : 1u) + n->usual;

		if (!span_is_folded(n->plain, plain) || (whole && !n->whole) || score < most)
			continue;
		*several = score == most;
		if (score > most)
			best = n;
		most = score;
	}
	return best;
}

static void
place_table(struct sem_model *m, const struct scanned_names *s, uint32_t id)
{
	struct sem_node *node = &m->nodes[id], *entry;
	const struct scanned_name *n;
	bool several = false;
	struct dotted_name d;

	if (!read_dotted(m->arena, node->table, &d))
		return;
	if ((n = find_scanned(s, d.plain, false, &several)) != NULL) {
		node->table = span_str(n->entry->table + n->from);
		node->exact = true;
	} else if (d.n < 2 || (n = find_scanned(s, from_part(&d, 1), true, &several)) == NULL)
		return; /* the scan's name may lack the first part: SQLite's "main", a catalog */
	node->scanned = n->entry;
	entry = &m->nodes[n->node];
	if (!several && entry->source == n->entry && sem_node_trouble(m, id) == NULL)
		entry->covered_by = id;
}

void
scanned_find(struct sem_model *m)
{
	struct scanned_names s = { .n = 0 };
	bool written = false;

	for (uint32_t i = 0; i < m->nsources; i++) {
		struct sem_node *n = &m->nodes[i];

		n->table = span_str(n->source->table != NULL ? n->source->table : n->source->name);
		n->exact = n->source->flavour != SOURCE_STANDALONE;
		n->scanned = n->exact ? n->source : NULL;
		written = written || (!n->exact && n->source->table != NULL);
	}
	if (!written)
		return;
	if ((s.names = arena_array(m->arena, (size_t)m->nsources * PARTS_MAX + 1, sizeof(*s.names))) == NULL)
		abort();
	collect(m, &s);
	for (uint32_t i = 0; i < m->nsources; i++)
		if (m->nodes[i].source->flavour == SOURCE_STANDALONE && m->nodes[i].source->table != NULL)
			place_table(m, &s, i);
	table_free(&s.found);
}
