#include <string.h>

#include "base/json/json_walk.h"
#include "base/utf8.h"
#include "project/scan/snapshot_plain.h"

#define NUMBER_DIGITS	15
#define MEMBERS_MAX	12	/* of an object */
#define END		SIZE_MAX

/* Whatever is not plain makes walk.bad. */
struct plain_reader {
	struct json_walk	 walk;
	struct arena		*arena;
};

/*
 * The objects of a list mostly have the same members in the same order, with
 * the same white space: what stood before the value of each member of the last
 * one, its key included, and which member it was.
 */
struct plain_form {
	struct plain_gap {
		const uint8_t	*p;
		size_t		 len;	/* 0: not known */
		size_t		 member;
	} gaps[MEMBERS_MAX + 1];	/* the last: before the end */
};

/* As snapshots are written, by Carrel and by ktx alike; other forms are learned. */
#define GAP(text, member)	{ (const uint8_t *)(text), sizeof(text) - 1, member }

static const struct plain_form usual_table = { {
	GAP("\n  \"catalog\": ", 0), GAP(",\n  \"db\": ", 1), GAP(",\n  \"name\": ", 2), GAP(",\n  \"kind\": ", 4),
	GAP(",\n  \"comment\": ", 3), GAP(",\n  \"estimatedRows\": ", 5), GAP(",\n  \"columns\": ", 6),
	GAP(",\n  \"foreignKeys\": ", 7), GAP(",\n  \"indexes\": ", 9), GAP("\n}", END)
} };
static const struct plain_form usual_column = { {
	GAP("\n      \"name\": ", 0), GAP(",\n      \"nativeType\": ", 1), GAP(",\n      \"normalizedType\": ", 2),
	GAP(",\n      \"dimensionType\": ", 4), GAP(",\n      \"nullable\": ", 5), GAP(",\n      \"primaryKey\": ", 6),
	GAP(",\n      \"comment\": ", 3), GAP("\n    }", END)
} };
static const struct plain_form no_form;

/* An object in work; bits of the members seen are kept, as none may come twice. */
struct plain_object {
	uint32_t	 seen;
	size_t		 n;
	struct plain_form	*form;
};

static struct span
take_string(struct json_walk *w)
{
	struct span s = { 0 };

	w->bad |= !json_walk_plain(w, &s);
	return s;
}

/* A string or null. */
static struct span
take_text(struct json_walk *w)
{
	return json_walk_peek(w) == 'n' && json_walk_takes(w, SPAN("null")) ? (struct span){ 0 } : take_string(w);
}

static bool
take_bool(struct json_walk *w)
{
	bool yes = json_walk_takes(w, SPAN("true"));

	w->bad |= !yes && !json_walk_takes(w, SPAN("false"));
	return yes;
}

/* A whole number or null. */
static void
take_rows(struct json_walk *w, struct snapshot_table *t)
{
	const uint8_t *p = w->text.p + w->at, *end;

	json_walk_value(w);
	end = w->text.p + w->at;
	t->has_rows = !span_is(span_of(p, (size_t)(end - p)), SPAN("null"));
	if (!t->has_rows)
		return;
	w->bad |= end - p > NUMBER_DIGITS;
	for (; !w->bad && p < end; p++) {
		w->bad = !ascii_is_digit(*p);
		t->rows = t->rows * 10 + (*p - '0');
	}
}

/* Move to the value of the next member of an object and find its key in names; any other key is bad. */
static __attribute__((noinline)) size_t
find_member(struct json_walk *w, bool first, const struct span *names, size_t n)
{
	struct json_member m;
	struct span key;

	if (!first)
		json_walk_comma(w, true, &m);
	if (json_walk_ends(w, true))
		return END;
	json_walk_key(w, &m);
	if (!w->bad) {
		key = span_of(w->text.p + m.key + 1, m.key_end - m.key - 2);
		for (size_t i = 0; i < n; i++)
			if (span_is(key, names[i]))
				return i;
	}
	w->bad = true;
	return END;
}

/* The number of the next member, whose value is next.  False behind the object, and where it is not plain. */
static inline bool
next_member(struct json_walk *w, struct plain_object *o, const struct span *names, size_t n, size_t *member)
{
	struct plain_gap *gap = &o->form->gaps[o->n];
	const uint8_t *start = w->text.p + w->at;

	if (w->bad)
		return false;
	/* Equal bytes at the same place mean the same member. */
	if (gap->len > 0 && w->text.len - w->at >= gap->len && bytes_are(start, gap->p, gap->len)) {
		w->at += gap->len;
		*member = gap->member;
	} else {
		*member = find_member(w, o->n == 0, names, n);
		*gap = (struct plain_gap){ .p = start, .len = (size_t)(w->text.p + w->at - start), .member = *member };
	}
	if (*member == END)
		return false;
	w->bad |= (o->seen >> *member & 1) != 0;
	o->seen |= UINT32_C(1) << *member;
	o->n++;
	return !w->bad;
}

/* Reads an element of a list into zeroed memory; false: it is left out. */
typedef bool take_element(struct plain_reader *r, struct plain_form *form, void *element);

/* A list of elements of `size` bytes, with room for `n` of them at first. */
static void *
take_list(struct plain_reader *r, size_t size, size_t room, struct plain_form form, take_element *take, size_t *n)
{
	struct json_walk *w = &r->walk;
	uint8_t *list = NULL, *old;
	struct json_member m;
	size_t cap = 0;

	*n = 0;
	w->bad |= !json_walk_takes(w, SPAN("["));
	if (json_walk_ends(w, false))
		return NULL;
	do {
		if (*n == cap) {
			old = list;
			cap = cap == 0 ? room : cap * 2;
			if ((list = arena_array(r->arena, cap, size)) == NULL) {
				w->bad = true;
				return NULL;
			}
			if (old != NULL)
				memcpy(list, old, *n * size);
		}
		if (take(r, &form, list + *n * size))
			++*n;
		else
			memset(list + *n * size, 0, size);
		json_walk_comma(w, false, &m);
	} while (!w->bad && !json_walk_ends(w, false));
	return list;
}

static bool
take_list_string(struct plain_reader *r, struct plain_form *form, void *s)
{
	(void)form;
	*(struct span *)s = take_string(&r->walk);
	return true;
}

static bool
take_list_text(struct plain_reader *r, struct plain_form *form, void *s)
{
	(void)form;
	*(struct span *)s = take_text(&r->walk);
	return true;
}

#define NAME(s)	{ (const uint8_t *)(s), sizeof(s) - 1 }
#define COUNT(v)	(sizeof(v) / sizeof((v)[0]))

static bool
take_column(struct plain_reader *r, struct plain_form *form, void *column)
{
	static const struct span names[] = {
		NAME("name"), NAME("nativeType"), NAME("normalizedType"), NAME("comment"), NAME("dimensionType"),
		NAME("nullable"), NAME("primaryKey"), NAME("sampleValues"), NAME("enumLabels"), NAME("default"),
		NAME("generated"), NAME("identity")
	};
	struct snapshot_column *c = column;
	struct span *const texts[] = { &c->name, &c->native_type, &c->normalized_type, &c->comment };
	struct plain_object o = { .form = form };
	struct json_walk *w = &r->walk;
	size_t member;

	c->nullable = true;
	w->bad |= !json_walk_takes(w, SPAN("{"));
	while (next_member(w, &o, names, COUNT(names), &member))
		switch (member) {
		case 4:
			c->dimension = snapshot_dimension_of(take_text(w));
			break;
		case 5:
			c->nullable = take_bool(w);
			break;
		case 6:
			c->primary_key = take_bool(w);
			break;
		case 7:
			c->samples = take_list(r, sizeof(*c->samples), 8, no_form, take_list_string, &c->nsamples);
			break;
		case 8:
			c->is_enum = true;
			c->labels = take_list(r, sizeof(*c->labels), 8, no_form, take_list_string, &c->nlabels);
			break;
		case 9:
			c->default_text = take_text(w);
			break;
		case 10:
			c->generated = take_text(w);
			break;
		case 11:
			c->identity = take_text(w);
			break;
		default:
			*texts[member] = take_text(w);
			break;
		}
	return c->name.len > 0;
}

static bool
take_key(struct plain_reader *r, struct plain_form *form, void *key)
{
	static const struct span names[] = {
		NAME("fromColumn"), NAME("toCatalog"), NAME("toDb"), NAME("toTable"), NAME("toColumn"),
		NAME("constraintName")
	};
	struct snapshot_key *k = key;
	struct span *const texts[] = {
		&k->from_column, &k->to_catalog, &k->to_db, &k->to_table, &k->to_column, &k->constraint
	};
	struct plain_object o = { .form = form };
	size_t member;

	r->walk.bad |= !json_walk_takes(&r->walk, SPAN("{"));
	while (next_member(&r->walk, &o, names, COUNT(names), &member))
		*texts[member] = take_text(&r->walk);
	return k->from_column.len > 0 && k->to_table.len > 0;
}

static bool
take_index(struct plain_reader *r, struct plain_form *form, void *index)
{
	static const struct span names[] = {
		NAME("name"), NAME("definition"), NAME("columns"), NAME("unique"), NAME("primary")
	};
	struct snapshot_index *x = index;
	struct plain_object o = { .form = form };
	struct json_walk *w = &r->walk;
	size_t member;

	w->bad |= !json_walk_takes(w, SPAN("{"));
	while (next_member(w, &o, names, COUNT(names), &member))
		switch (member) {
		case 2:
			x->columns = take_list(r, sizeof(*x->columns), 8, no_form, take_list_text, &x->ncolumns);
			break;
		case 3:
			x->unique = take_bool(w);
			break;
		case 4:
			x->primary = take_bool(w);
			break;
		default:
			*(member == 0 ? &x->name : &x->definition) = take_text(w);
			break;
		}
	return x->name.len > 0;
}

static bool
take_check(struct plain_reader *r, struct plain_form *form, void *check)
{
	static const struct span names[] = { NAME("name"), NAME("expression") };
	struct snapshot_check *c = check;
	struct plain_object o = { .form = form };
	size_t member;

	r->walk.bad |= !json_walk_takes(&r->walk, SPAN("{"));
	while (next_member(&r->walk, &o, names, COUNT(names), &member))
		*(member == 0 ? &c->name : &c->expression) = take_text(&r->walk);
	return c->expression.len > 0;
}

bool
snapshot_plain_table(struct arena *a, struct span json, struct snapshot_table *t)
{
	static const struct span names[] = {
		NAME("catalog"), NAME("db"), NAME("name"), NAME("comment"), NAME("kind"), NAME("estimatedRows"),
		NAME("columns"), NAME("foreignKeys"), NAME("definition"), NAME("indexes"), NAME("checks")
	};
	struct span *const texts[] = { &t->catalog, &t->db, &t->name, &t->comment };
	struct plain_reader r = { .walk = { .text = json, .bad = !utf8_valid(json.p, json.len) }, .arena = a };
	struct json_walk *w = &r.walk;
	struct plain_form form = usual_table;
	struct plain_object o = { .form = &form };
	size_t member;

	*t = (struct snapshot_table){ 0 };
	json_walk_space(w);
	w->bad |= !json_walk_takes(w, SPAN("{"));
	while (next_member(w, &o, names, COUNT(names), &member))
		switch (member) {
		case 4:
			t->kind = snapshot_kind_of(take_text(w));
			break;
		case 5:
			take_rows(w, t);
			break;
		case 6:
			t->columns = take_list(&r, sizeof(*t->columns), 32, usual_column, take_column, &t->ncolumns);
			break;
		case 7:
			t->has_keys = true;
			t->keys = take_list(&r, sizeof(*t->keys), 8, no_form, take_key, &t->nkeys);
			break;
		case 8:
			t->definition = take_text(w);
			break;
		case 9:
			t->indexes = take_list(&r, sizeof(*t->indexes), 8, no_form, take_index, &t->nindexes);
			break;
		case 10:
			t->checks = take_list(&r, sizeof(*t->checks), 8, no_form, take_check, &t->nchecks);
			break;
		default:
			*texts[member] = take_text(w);
			break;
		}
	json_walk_space(w);
	return !w->bad && w->at == json.len && t->name.len > 0;
}
