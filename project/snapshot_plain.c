/* snapshot_plain.c - see snapshot_plain.h. */
#include <string.h>

#include "base/block.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "project/snapshot_plain.h"

#define NUMBER_DIGITS	15
#define MEMBERS_MAX	10	/* of an object */
#define END		SIZE_MAX

struct reader {
	const uint8_t	*p, *end;
	struct arena	*arena;
};

/*
 * The objects of a list mostly have the same members in the same order, with
 * the same white space: what stood before the value of each member of the last
 * one, its key included, and which member it was.
 */
struct form {
	struct gap {
		const uint8_t	*p;
		size_t		 len;	/* 0: not known */
		size_t		 member;
	} gaps[MEMBERS_MAX + 1];	/* the last: before the end */
};

/* As snapshots are written, by Carrel and by ktx alike; other forms are learned. */
#define GAP(text, member)	{ (const uint8_t *)(text), sizeof(text) - 1, member }

static const struct form usual_table = { {
	GAP("\n  \"catalog\": ", 0), GAP(",\n  \"db\": ", 1), GAP(",\n  \"name\": ", 2), GAP(",\n  \"kind\": ", 4),
	GAP(",\n  \"comment\": ", 3), GAP(",\n  \"estimatedRows\": ", 5), GAP(",\n  \"columns\": ", 6),
	GAP(",\n  \"foreignKeys\": ", 7), GAP(",\n  \"indexes\": ", 9), GAP("\n}", END)
} };
static const struct form usual_column = { {
	GAP("\n      \"name\": ", 0), GAP(",\n      \"nativeType\": ", 1), GAP(",\n      \"normalizedType\": ", 2),
	GAP(",\n      \"dimensionType\": ", 4), GAP(",\n      \"nullable\": ", 5), GAP(",\n      \"primaryKey\": ", 6),
	GAP(",\n      \"comment\": ", 3), GAP("\n    }", END)
} };

/* An object in work; bits of the members seen are kept, as none may come twice. */
struct object {
	uint32_t	 seen;
	size_t		 n;
	struct form	*form;
};

static inline void
skip_space(struct reader *r)
{
	if (r->p<r->end && * r->p> ' ')
		return;
	while (r->end - r->p >= BLOCK) {
		block16 v = block_load(r->p);
		unsigned others = ~block_mask(block_is(v, ' ') | block_is(v, '\n')) & 0xffff;

		r->p += others == 0 ? BLOCK : __builtin_ctz(others);
		if (others != 0)
			break;
	}
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
		r->p++;
}

/* Skip white space and the character c; false if another character follows. */
static bool
take_char(struct reader *r, uint8_t c)
{
	if (r->p < r->end && *r->p != c)
		skip_space(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

static bool
take_word(struct reader *r, const char *word, size_t len)
{
	skip_space(r);
	if ((size_t)(r->end - r->p) < len || memcmp(r->p, word, len) != 0)
		return false;
	r->p += len;
	return true;
}

static bool
take_string(struct reader *r, struct span *s)
{
	size_t n;

	if (!take_char(r, '"'))
		return false;
	n = json_plain(r->p, (size_t)(r->end - r->p));
	if (n == (size_t)(r->end - r->p) || r->p[n] != '"')
		return false;
	*s = span_of(r->p, n);
	r->p += n + 1;
	return true;
}

static bool
take_text(struct reader *r, struct span *s)
{
	*s = (struct span){ 0 };
	skip_space(r);
	return r->p < r->end && *r->p == 'n' ? take_word(r, "null", 4) : take_string(r, s);
}

static bool
take_bool(struct reader *r, bool *b)
{
	skip_space(r);
	*b = r->p < r->end && *r->p == 't';
	return *b ? take_word(r, "true", 4) : take_word(r, "false", 5);
}

static bool
take_rows(struct reader *r, struct snapshot_table *t)
{
	size_t digits = 0;

	skip_space(r);
	t->has_rows = false;
	if (r->p < r->end && *r->p == 'n')
		return take_word(r, "null", 4);
	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9' && digits <= NUMBER_DIGITS; r->p++, digits++)
		t->rows = t->rows * 10 + (*r->p - '0');
	t->has_rows = true;
	/* Forms such as 007, 1.5 and 1e3 are left to the strict reader. */
	return digits > 0 && digits <= NUMBER_DIGITS && (digits == 1 || r->p[-(ptrdiff_t)digits] != '0') &&
	    r->p < r->end && *r->p != '.' && (*r->p | 0x20) != 'e';
}

/*
 * Move to the value of the next member of an object with so many members before it, and find its key in names;
 * false: another key.
 */
static __attribute__((noinline)) bool
find_member(struct reader *r, size_t before, const struct span *names, size_t n, size_t *member)
{
	struct span key;

	skip_space(r);
	if (r->p < r->end && *r->p == '}') {
		r->p++;
		*member = END;
		return true;
	}
	if ((before > 0 && !take_char(r, ',')) || !take_string(r, &key) || !take_char(r, ':'))
		return false;
	skip_space(r);
	for (size_t i = 0; i < n; i++)
		if (key.len == names[i].len && key.p[0] == names[i].p[0] && memcmp(key.p, names[i].p, key.len) == 0) {
			*member = i;
			return true;
		}
	return false;
}

/* The number of the next member, whose value is next; END behind the object. */
static inline bool
next_member(struct reader *r, struct object *o, const struct span *names, size_t n, size_t *member)
{
	struct gap *gap = &o->form->gaps[o->n];
	const uint8_t *start = r->p;

	/* Equal bytes at the same place mean the same member. */
	if (gap->len > 0 && (size_t)(r->end - r->p) >= gap->len && bytes_are(r->p, gap->p, gap->len)) {
		r->p += gap->len;
		*member = gap->member;
	} else {
		if (!find_member(r, o->n, names, n, member))
			return false;
		*gap = (struct gap){ .p = start, .len = (size_t)(r->p - start), .member = *member };
	}
	if (*member == END)
		return true;
	if ((o->seen >> *member & 1) != 0)
		return false;
	o->seen |= UINT32_C(1) << *member;
	o->n++;
	return true;
}

/* A comma, or nothing before the first; false at the end of the array, which is taken. */
static bool
next_element(struct reader *r, bool *first, bool *wrong)
{
	skip_space(r);
	if (r->p < r->end && *r->p == ']') {
		r->p++;
		return false;
	}
	*wrong = !*first && !take_char(r, ',');
	*first = false;
	return !*wrong;
}

/* A list of texts; nulls: some may be null. */
static bool
take_texts(struct reader *r, bool nulls, struct span **texts, size_t *n)
{
	bool first = true, wrong = false;
	const uint8_t *start;
	struct span s;
	size_t count = 0;

	*n = 0;
	if (!take_char(r, '['))
		return false;
	/* First pass counts, second pass stores. */
	start = r->p;
	for (; next_element(r, &first, &wrong); count++)
		if (!(nulls ? take_text(r, &s) : take_string(r, &s)))
			return false;
	if (wrong || count == 0)
		return !wrong;
	if ((*texts = arena_array(r->arena, count, sizeof(**texts))) == NULL)
		return false;
	r->p = start;
	first = true;
	while (next_element(r, &first, &wrong))
		(void)(nulls ? take_text(r, &(*texts)[(*n)++]) : take_string(r, &(*texts)[(*n)++]));
	return true;
}

static enum snapshot_dimension
dimension_of(struct span s)
{
	for (unsigned i = SNAPSHOT_STRING; i <= SNAPSHOT_BOOLEAN; i++)
		if (s.len > 0 && s.p[0] == (uint8_t)snapshot_dimension_name((enum snapshot_dimension)i)[0] &&
		    span_is_str(s, snapshot_dimension_name((enum snapshot_dimension)i)))
			return (enum snapshot_dimension)i;
	return SNAPSHOT_STRING;
}

static enum snapshot_kind
kind_of(struct span s)
{
	for (unsigned i = SNAPSHOT_TABLE; i <= SNAPSHOT_EVENT_STREAM; i++)
		if (span_is_str(s, snapshot_kind_name((enum snapshot_kind)i)))
			return (enum snapshot_kind)i;
	return SNAPSHOT_TABLE;
}

#define NAME(s)	{ (const uint8_t *)(s), sizeof(s) - 1 }

static bool
take_column(struct reader *r, struct form *form, struct snapshot_column *c)
{
	static const struct span names[] = {
		NAME("name"), NAME("nativeType"), NAME("normalizedType"), NAME("comment"), NAME("dimensionType"),
		NAME("nullable"), NAME("primaryKey"), NAME("sampleValues"), NAME("enumLabels")
	};
	struct span *const texts[] = { &c->name, &c->native_type, &c->normalized_type, &c->comment };
	struct object o = { .form = form };
	struct span dimension;
	size_t member;
	bool good = take_char(r, '{');

	c->nullable = true;
	while (good && (good = next_member(r, &o, names, sizeof(names) / sizeof(names[0]), &member)) && member != END)
		switch (member) {
		case 4:
			if ((good = take_text(r, &dimension)))
				c->dimension = dimension_of(dimension);
			break;
		case 5:
			good = take_bool(r, &c->nullable);
			break;
		case 6:
			good = take_bool(r, &c->primary_key);
			break;
		case 7:
			good = take_texts(r, false, &c->samples, &c->nsamples);
			break;
		case 8:
			c->is_enum = true;
			good = take_texts(r, false, &c->labels, &c->nlabels);
			break;
		default:
			good = take_text(r, texts[member]);
			break;
		}
	return good;
}

static bool
take_key(struct reader *r, struct form *form, struct snapshot_key *k)
{
	static const struct span names[] = {
		NAME("fromColumn"), NAME("toCatalog"), NAME("toDb"), NAME("toTable"), NAME("toColumn"),
		NAME("constraintName")
	};
	struct span *const texts[] = {
		&k->from_column, &k->to_catalog, &k->to_db, &k->to_table, &k->to_column, &k->constraint
	};
	struct object o = { .form = form };
	size_t member;
	bool good = take_char(r, '{');

	while (good && (good = next_member(r, &o, names, sizeof(names) / sizeof(names[0]), &member)) && member != END)
		good = take_text(r, texts[member]);
	return good;
}

/* Room for one more behind the first n of an array in the arena. */
static void *
snapshot_plain_grow(struct arena *a, void *v, size_t n, size_t *cap, size_t size)
{
	void *bigger;

	if (n < *cap)
		return v;
	*cap = *cap == 0 ? 32 : *cap * 2;
	if ((bigger = arena_array(a, *cap, size)) != NULL && n > 0)
		memcpy(bigger, v, n * size);
	return bigger;
}

static bool
take_columns(struct reader *r, struct snapshot_table *t)
{
	struct form form = usual_column;
	bool first = true, wrong = false;
	struct snapshot_column *c;
	size_t cap = 0;

	if (!take_char(r, '['))
		return false;
	while (next_element(r, &first, &wrong)) {
		if ((t->columns = snapshot_plain_grow(r->arena, t->columns, t->ncolumns, &cap, sizeof(*c))) == NULL)
			return false;
		c = &t->columns[t->ncolumns];
		*c = (struct snapshot_column){ 0 };
		if (!take_column(r, &form, c))
			return false;
		t->ncolumns += c->name.len > 0;
	}
	return !wrong;
}

static bool
take_keys(struct reader *r, struct snapshot_table *t)
{
	struct form form = { 0 };
	bool first = true, wrong = false;
	struct snapshot_key *k;
	size_t cap = 0;

	t->has_keys = true;
	if (!take_char(r, '['))
		return false;
	while (next_element(r, &first, &wrong)) {
		if ((t->keys = snapshot_plain_grow(r->arena, t->keys, t->nkeys, &cap, sizeof(*k))) == NULL)
			return false;
		k = &t->keys[t->nkeys];
		*k = (struct snapshot_key){ 0 };
		if (!take_key(r, &form, k))
			return false;
		t->nkeys += k->from_column.len > 0 && k->to_table.len > 0;
	}
	return !wrong;
}

static bool
take_index(struct reader *r, struct form *form, struct snapshot_index *x)
{
	static const struct span names[] = {
		NAME("name"), NAME("definition"), NAME("columns"), NAME("unique"), NAME("primary")
	};
	struct object o = { .form = form };
	size_t member;
	bool good = take_char(r, '{');

	while (good && (good = next_member(r, &o, names, sizeof(names) / sizeof(names[0]), &member)) && member != END)
		switch (member) {
		case 2:
			good = take_texts(r, true, &x->columns, &x->ncolumns);
			break;
		case 3:
			good = take_bool(r, &x->unique);
			break;
		case 4:
			good = take_bool(r, &x->primary);
			break;
		default:
			good = take_text(r, member == 0 ? &x->name : &x->definition);
			break;
		}
	return good;
}

static bool
take_indexes(struct reader *r, struct snapshot_table *t)
{
	struct form form = { 0 };
	bool first = true, wrong = false;
	struct snapshot_index *x;
	size_t cap = 0;

	if (!take_char(r, '['))
		return false;
	while (next_element(r, &first, &wrong)) {
		if ((t->indexes = snapshot_plain_grow(r->arena, t->indexes, t->nindexes, &cap, sizeof(*x))) == NULL)
			return false;
		x = &t->indexes[t->nindexes];
		*x = (struct snapshot_index){ 0 };
		if (!take_index(r, &form, x))
			return false;
		t->nindexes += x->name.len > 0;
	}
	return !wrong;
}

bool
snapshot_plain_table(struct arena *a, struct span json, struct snapshot_table *t)
{
	static const struct span names[] = {
		NAME("catalog"), NAME("db"), NAME("name"), NAME("comment"), NAME("kind"), NAME("estimatedRows"),
		NAME("columns"), NAME("foreignKeys"), NAME("definition"), NAME("indexes")
	};
	struct span *const texts[] = { &t->catalog, &t->db, &t->name, &t->comment };
	struct reader r = { .p = json.p, .end = json.p + json.len, .arena = a };
	struct form form = usual_table;
	struct object o = { .form = &form };
	struct span kind;
	size_t member;
	bool good;

	*t = (struct snapshot_table){ 0 };
	good = json.len > 0 && utf8_valid(json.p, json.len) && take_char(&r, '{');
	while (good && (good = next_member(&r, &o, names, sizeof(names) / sizeof(names[0]), &member)) && member != END)
		switch (member) {
		case 4:
			if ((good = take_text(&r, &kind)))
				t->kind = kind_of(kind);
			break;
		case 5:
			good = take_rows(&r, t);
			break;
		case 6:
			good = take_columns(&r, t);
			break;
		case 7:
			good = take_keys(&r, t);
			break;
		case 8:
			good = take_text(&r, &t->definition);
			break;
		case 9:
			good = take_indexes(&r, t);
			break;
		default:
			good = take_text(&r, texts[member]);
			break;
		}
	skip_space(&r);
	return good && r.p == r.end && t->name.len > 0;
}
