/* random_sqlite_schema.c - see random_sqlite_schema.h. */
#include "tests/integration/columns/random_sqlite_schema.h"

#include <stdio.h>
#include <string.h>

#define ROWS	24

static unsigned
draw_from(uint64_t *state, unsigned n)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (unsigned)((z ^ z >> 31) % n);
}

unsigned
drawn_lot(struct drawn *d, unsigned n)
{
	return draw_from(&d->state, n);
}

/* --- names --------------------------------------------------------------------------- */

static void
put_quoted(struct buf *out, const char *name, char open, char close)
{
	buf_byte(out, (uint8_t)open);
	for (; *name != '\0'; name++) {
		buf_byte(out, (uint8_t)*name);
		if (*name == close && open == close)
			buf_byte(out, (uint8_t)close);
	}
	buf_byte(out, (uint8_t)close);
}

void
drawn_put_name(struct drawn *d, struct buf *out, const char *name)
{
	bool plain = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(name);

	switch (drawn_lot(d, 12)) {
	case 0:
		if (strchr(name, ']') == NULL) {
			put_quoted(out, name, '[', ']');
			break;
		}
		/* fall through */
	case 1:
		put_quoted(out, name, '`', '`');
		break;
	case 2:
		put_quoted(out, name, '"', '"');
		break;
	default:
		if (plain)
			buf_str(out, name);
		else
			put_quoted(out, name, '"', '"');
	}
}

static void
name_of(struct buf *out, const char *name)
{
	put_quoted(out, name, '"', '"');
}

/* --- tables ------------------------------------------------------------------------------ */

static struct drawn_object *
new_object(struct drawn *d, const char *prefix)
{
	static const char *const odd[] = { "", "", "", " x", "\"q", ".d", "]b", "_x", "`t" };
	struct drawn_object *o = &d->objects[d->n];

	memset(o, 0, sizeof(*o));
	snprintf(o->name, sizeof(o->name), "%s%u%s", prefix, d->n, odd[drawn_lot(d, sizeof(odd) / sizeof(odd[0]))]);
	d->n++;
	return o;
}

static struct drawn_column *
new_column(struct drawn_object *o, const char *name)
{
	struct drawn_column *c = &o->columns[o->n++];

	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "%s", name);
	return c;
}

static enum drawn_action
draw_action(struct drawn *d, bool key)
{
	/* A table with a protected key is sorted by what is seen of it, and digests differ. */
	if (key && d->hashed)
		return DRAWN_CLEAR;
	switch (drawn_lot(d, 8)) {
	case 0:
	case 1:
		return DRAWN_HIDE;
	case 2:
	case 3:
		return DRAWN_MASK;
	case 4:
		if (!d->hashed)
			return DRAWN_CLEAR;
		return DRAWN_HASH;
	default:
		return DRAWN_CLEAR;
	}
}

/* A computation from one of the first n columns; where it stands only what is deterministic may. */
static void
put_computed(struct drawn *d, struct buf *out, const struct drawn_object *o, unsigned n)
{
	static const char *const before[] = { "lower(", "length(", "substr(", "(", "coalesce(", "typeof(", "abs(" };
	static const char *const behind[] = { ")", ")", ", 1, 8)", " || 'x')", ", 'none')", ")", ")" };
	unsigned i = drawn_lot(d, sizeof(before) / sizeof(before[0]));

	buf_str(out, before[i]);
	name_of(out, o->columns[drawn_lot(d, n)].name);
	buf_str(out, behind[i]);
}

static void
make_table(struct drawn *d)
{
	static const char *const names[] = { "name", "note", "ssn", "phone", "city", "o\"dd", "pin" };
	struct drawn_object *o = new_object(d, "t");
	struct buf *out = &d->schema;
	unsigned shape = drawn_lot(d, 5), first = drawn_lot(d, 7), ncolumns = 2 + drawn_lot(d, 4), stored = 0;
	struct drawn_column *key = new_column(o, shape == 4 ? "region" : "id");

	key->number = true;
	o->without_rowid = shape >= 3;
	key->key = shape == 0 ? 0 : 1;
	key->action = draw_action(d, true);
	for (unsigned i = 0; i < ncolumns; i++) {
		struct drawn_column *c = new_column(o, names[(first + i) % 7]);

		c->number = strcmp(c->name, "pin") == 0;
		c->key = shape == 4 && i == 0 ? 2 : 0;
		c->action = draw_action(d, c->key > 0);
	}
	stored = o->n;
	buf_str(out, "CREATE TABLE ");
	name_of(out, o->name);
	for (unsigned i = 0; i < o->n; i++) {
		buf_str(out, i == 0 ? "(" : ", ");
		name_of(out, o->columns[i].name);
		buf_str(out, o->columns[i].number ? " INTEGER" : " TEXT");
		if (i == 0 && (shape == 1 || shape == 2))
			buf_str(out, shape == 1 ? " PRIMARY KEY" : " PRIMARY KEY AUTOINCREMENT");
	}
	for (unsigned i = 0, n = drawn_lot(d, 3); i < n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "made%u", i);
		new_column(o, name)->computed = true;
		buf_printf(out, ", %s TEXT AS (", name);
		put_computed(d, out, o, o->n - 1);
		buf_str(out, drawn_lot(d, 2) == 0 ? ") STORED" : ")");
	}
	if (o->without_rowid) {
		buf_str(out, ", PRIMARY KEY(");
		name_of(out, o->columns[0].name);
		if (shape == 4) {
			buf_str(out, ", ");
			name_of(out, o->columns[1].name);
		}
		buf_byte(out, ')');
	}
	buf_str(out, o->without_rowid ? ") WITHOUT ROWID;\n" : ");\n");
	for (unsigned i = 0, n = drawn_lot(d, 4); i < n; i++) {
		buf_printf(out, "CREATE INDEX i%u ON ", d->nindexes++);
		name_of(out, o->name);
		buf_byte(out, '(');
		for (unsigned k = 0, parts = 1 + drawn_lot(d, 2); k < parts; k++) {
			buf_str(out, k > 0 ? ", " : "");
			if (drawn_lot(d, 3) == 0)
				put_computed(d, out, o, stored);
			else
				name_of(out, o->columns[drawn_lot(d, o->n)].name);
		}
		buf_byte(out, ')');
		if (drawn_lot(d, 3) == 0) {
			buf_str(out, " WHERE ");
			name_of(out, o->columns[drawn_lot(d, stored)].name);
			buf_str(out, drawn_lot(d, 2) == 0 ? " IS NOT NULL" : " > 'CANARY5'");
		}
		buf_str(out, ";\n");
	}
}

/* --- views ------------------------------------------------------------------------------------ */

static void
make_view(struct drawn *d)
{
	const struct drawn_object *from = &d->objects[drawn_lot(d, d->n)], *other = &d->objects[drawn_lot(d, d->n)];
	struct drawn_object *o;
	struct buf *out = &d->schema;
	unsigned shape = drawn_lot(d, 10), n = 1 + drawn_lot(d, 3);

	if (from->n == 0 || other->n == 0)
		return;
	o = new_object(d, "v");
	o->kind = DRAWN_VIEW;
	buf_str(out, "CREATE VIEW ");
	name_of(out, o->name);
	buf_str(out, " AS SELECT ");
	if (shape == 0) {
		buf_str(out, "count(*) AS name, max(");
		name_of(out, from->columns[drawn_lot(d, from->n)].name);
		buf_str(out, ") AS note");
		new_column(o, "name");
		new_column(o, "note");
		n = 0;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct drawn_column *c = &from->columns[drawn_lot(d, from->n)];
		char name[24];

		buf_str(out, i > 0 ? ", " : "");
		snprintf(name, sizeof(name), "c%u", i);
		if (drawn_lot(d, 4) == 0)
			put_computed(d, out, from, from->n);
		else
			name_of(out, c->name);
		buf_printf(out, " AS %s", name);
		new_column(o, name);
	}
	buf_str(out, drawn_lot(d, 5) == 0 ? " FROM main." : " FROM ");
	name_of(out, from->name);
	if (shape == 1) {
		buf_str(out, " NATURAL JOIN ");
		name_of(out, other->name);
	} else if (shape == 2) {
		buf_str(out, " JOIN (SELECT 'CANARY1' AS ");
		name_of(out, from->columns[drawn_lot(d, from->n)].name);
		buf_str(out, ", 1 AS one) USING (");
		name_of(out, from->columns[drawn_lot(d, from->n)].name);
		buf_byte(out, ')');
	} else if (shape < 6 && shape > 3) {
		buf_str(out, " WHERE ");
		name_of(out, from->columns[drawn_lot(d, from->n)].name);
		buf_str(out, shape == 4 ? " > 'CANARY5'" : " IS NOT NULL");
	}
	if (shape == 6) {
		buf_str(out, " ORDER BY ");
		name_of(out, from->columns[drawn_lot(d, from->n)].name);
	}
	buf_str(out, ";\n");
}

/* --- virtual tables ------------------------------------------------------------------------------ */

static void
put_option(struct drawn *d, struct buf *out, const char *key, const char *value)
{
	static const char quotes[] = { '"', '\'', '"' };
	char q = quotes[drawn_lot(d, 3)];

	buf_printf(out, ", %s=", key);
	put_quoted(out, value, q, q);
}

static void
make_index(struct drawn *d, bool five)
{
	static const char *const keys[] = { "content", "content", "conte", "CONTENT" };
	const struct drawn_object *from = drawn_lot(d, 3) == 0 ? NULL : &d->objects[drawn_lot(d, d->n)];
	struct drawn_object *o;
	struct buf *out = &d->schema;
	unsigned n = 1 + drawn_lot(d, 2);

	if (from != NULL && (from->n == 0 || from->kind == DRAWN_WORDS))
		return;
	o = new_object(d, five ? "f" : "g");
	o->kind = five ? DRAWN_INDEX5 : DRAWN_INDEX4;
	o->rebuilt = from != NULL;
	buf_str(out, "CREATE VIRTUAL TABLE ");
	name_of(out, o->name);
	buf_str(out, five ? " USING fts5(" : " USING fts4(");
	for (unsigned i = 0; i < n; i++) {
		char own[24];
		struct drawn_column *c;

		snprintf(own, sizeof(own), "w%u", i);
		c = new_column(o, from == NULL ? own : from->columns[drawn_lot(d, from->n)].name);
		if (i == 1 && strcmp(c->name, o->columns[0].name) == 0) {
			o->n--;
			break;
		}
		c->computed = from != NULL;
		c->action = from == NULL ? draw_action(d, true) : DRAWN_CLEAR;
		if (from == NULL && c->action == DRAWN_HASH)
			c->action = DRAWN_MASK;
		buf_str(out, i > 0 ? ", " : "");
		name_of(out, c->name);
	}
	if (from != NULL)
		put_option(d, out, five ? keys[drawn_lot(d, 4)] : "content", from->name);
	if (five && from != NULL && drawn_lot(d, 2) == 0)
		put_option(d, out, "content_rowid", from->columns[drawn_lot(d, from->n)].name);
	if (!five && drawn_lot(d, 3) == 0)
		buf_str(out, drawn_lot(d, 2) == 0 ? ", order=desc" : ", prefix=\"2,3\"");
	buf_str(out, ");\n");
}

static void
make_words(struct drawn *d)
{
	static const char *const types[] = { "row", "col", "instance" };
	static const char *const columns[][4] = { { "term", "doc", "cnt", NULL }, { "term", "col", "doc", "cnt" },
		{ "term", "doc", "col", "offset" }, { "term", "col", "documents", "occurrences" } };
	const struct drawn_object *of = &d->objects[drawn_lot(d, d->n)];
	unsigned type = drawn_lot(d, 3);
	struct drawn_object *o;

	if (of->kind != DRAWN_INDEX5 && of->kind != DRAWN_INDEX4)
		return;
	o = new_object(d, "w");
	o->kind = DRAWN_WORDS;
	buf_str(&d->schema, "CREATE VIRTUAL TABLE ");
	name_of(&d->schema, o->name);
	buf_str(&d->schema, of->kind == DRAWN_INDEX5 ? " USING fts5vocab(" : " USING fts4aux(");
	name_of(&d->schema, of->name);
	if (of->kind == DRAWN_INDEX5)
		buf_printf(&d->schema, ", %s", types[type]);
	else
		type = 3;
	buf_str(&d->schema, ");\n");
	for (unsigned i = 0; i < 4 && columns[type][i] != NULL; i++)
		new_column(o, columns[type][i]);
}

static void
make_places(struct drawn *d)
{
	struct drawn_object *o = new_object(d, "r");
	bool label = drawn_lot(d, 2) == 0;

	o->kind = DRAWN_PLACES;
	new_column(o, "id")->key = 1;
	new_column(o, "lo")->action = draw_action(d, true);
	new_column(o, "hi")->action = draw_action(d, true);
	if (label)
		new_column(o, "label")->action = draw_action(d, true);
	for (unsigned i = 0; i < o->n; i++)
		if (o->columns[i].action == DRAWN_MASK) /* not told apart by NULL: it has none */
			o->columns[i].action = DRAWN_HIDE;
	buf_str(&d->schema, "CREATE VIRTUAL TABLE ");
	name_of(&d->schema, o->name);
	buf_str(&d->schema, label ? " USING rtree(id, lo, hi, +label);\n" : " USING rtree(id, lo, hi);\n");
}

/* --- policy ----------------------------------------------------------------------------------------- */

static void
put_pattern(struct buf *out, const char *name)
{
	buf_str(out, "\\\"");
	for (; *name != '\0'; name++)
		buf_printf(out, *name == '"' ? "\\\"\\\"" : "%c", *name);
	buf_str(out, "\\\"");
}

static void
make_policy(struct drawn *d)
{
	static const char *const actions[] = { "", "hash", "mask", "hide" };
	bool any = false;

	buf_byte(&d->policy, '[');
	for (unsigned i = 0; i < d->n; i++)
		for (unsigned k = 0; k < d->objects[i].n; k++) {
			const struct drawn_column *c = &d->objects[i].columns[k];

			if (c->action == DRAWN_CLEAR || c->computed)
				continue;
			buf_printf(&d->policy, "%s{\"action\":\"%s\",\"scopes\":0,\"pattern\":\"", any ? "," : "",
			    actions[c->action]);
			put_pattern(&d->policy, d->objects[i].name);
			buf_byte(&d->policy, '.');
			put_pattern(&d->policy, c->name);
			buf_str(&d->policy, "\"}");
			any = true;
		}
	buf_byte(&d->policy, ']');
}

void
drawn_make(struct drawn *d, uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	d->state = seed * UINT64_C(0xD1342543DE82EF95) + 1;
	d->hashed = drawn_lot(d, 3) == 0;
	for (unsigned i = 0, n = 1 + drawn_lot(d, 3); i < n; i++)
		make_table(d);
	for (unsigned i = 0; i < 8; i++)
		switch (drawn_lot(d, 6)) {
		case 0:
		case 1:
			make_view(d);
			break;
		case 2:
			make_index(d, true);
			break;
		case 3:
			make_index(d, false);
			break;
		case 4:
			make_words(d);
			break;
		default:
			make_places(d);
		}
	make_policy(d);
}

void
drawn_fini(struct drawn *d)
{
	buf_fini(&d->schema);
	buf_fini(&d->policy);
}

/* --- rows -------------------------------------------------------------------------------------------- */

/* What is protected comes from a lot of the database's own, what is not from the common one. */
static void
put_value(struct buf *out, const struct drawn_column *c, unsigned row, unsigned which, uint64_t *common, uint64_t *own)
{
	static const unsigned steps[] = { 7, 11 };
	unsigned shared = draw_from(common, 1000), mine = draw_from(own, 1000);
	bool protected = c->action != DRAWN_CLEAR;
	bool null = (c->action == DRAWN_HIDE ? mine : shared) % 6 == 0;

	if (c->key == 1)
		buf_printf(out, "%u", protected ? 1000 * (which + 1) + row * steps[which] % 29 : row);
	else if (null && c->key == 0)
		buf_str(out, "NULL");
	else if (c->action == DRAWN_HASH) /* one to one with the other database's */
		buf_printf(out, "'CANARY%u of %s'", shared % 7 * (which == 0 ? 1 : 5) % 7, which == 0 ? "a" : "b");
	else if (c->number)
		buf_printf(out, "%u", protected ? 100000 + mine * 7 : shared % 10);
	else if (protected)
		buf_printf(out, "'CANARY%u w%u'", mine % 10, mine % 5);
	else
		buf_printf(out, "'w%u x%u'", shared % 5, shared % 3);
}

static void
put_place(struct buf *out, const struct drawn_object *o, unsigned row, uint64_t *common, uint64_t *own)
{
	buf_printf(out, "%u", row);
	for (unsigned i = 1; i < o->n; i++) {
		unsigned shared = draw_from(common, 500), mine = draw_from(own, 500);
		unsigned base = o->columns[i].action == DRAWN_CLEAR ? shared : mine;

		buf_printf(out, i == 3 ? ", 'CANARY_MINE%u'" : ", %u", i == 2 ? 1000 + base : base);
	}
}

void
drawn_rows(const struct drawn *d, unsigned which, struct buf *out)
{
	uint64_t common = d->state ^ 0x5555, own = d->state ^ (which + 1) * UINT64_C(0x77777);

	for (unsigned i = 0; i < d->n; i++) {
		const struct drawn_object *o = &d->objects[i];

		if (o->kind == DRAWN_VIEW || o->kind == DRAWN_WORDS)
			continue;
		if (o->rebuilt) {
			buf_str(out, "INSERT INTO ");
			name_of(out, o->name);
			buf_byte(out, '(');
			name_of(out, o->name);
			buf_str(out, ") VALUES ('rebuild');\n");
			continue;
		}
		for (unsigned row = 1; row <= ROWS; row++) {
			bool first = true;

			buf_str(out, "INSERT INTO ");
			name_of(out, o->name);
			for (unsigned k = 0; k < o->n; k++)
				if (!o->columns[k].computed) {
					buf_str(out, first ? "(" : ", ");
					name_of(out, o->columns[k].name);
					first = false;
				}
			buf_str(out, ") VALUES (");
			first = true;
			if (o->kind == DRAWN_PLACES)
				put_place(out, o, row, &common, &own);
			else
				for (unsigned k = 0; k < o->n; k++)
					if (!o->columns[k].computed) {
						buf_str(out, first ? "" : ", ");
						put_value(out, &o->columns[k], row, which, &common, &own);
						first = false;
					}
			buf_str(out, ");\n");
		}
	}
}
