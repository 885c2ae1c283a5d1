#include "base/ascii.h"
#include "base/mem.h"
#include "workers/sql/postgres/postgres_rewrite.h"
#include "workers/sql/postgres/postgres_text.h"

#include <stdlib.h>
#include <string.h>

struct rewrite_word {
	size_t			at, end;
	struct sqltext_token	token;
};

struct rewrite_words {
	struct span	 sql;
	struct rewrite_word	*p;
	size_t		 n, cap;
};

/* One use of a relation and the words that belong to it. */
struct relation_place {
	size_t	name, last;		/* words of the name */
	size_t	from, to;		/* replaced bytes */
	bool	command;		/* the command "TABLE name" */
	size_t	sample, sample_end;	/* bytes of TABLESAMPLE …; equal: none */
};

void
pg_rewrite_fini(struct pg_rewrite *r)
{
	buf_fini(&r->text);
	free(r->pieces);
	memset(r, 0, sizeof(*r));
}

static void
cut_words(struct rewrite_words *w, struct span sql)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = sql };

	w->sql = sql;
	for (;;) {
		struct sqltext_token t = sqltext_next(&s);

		if (t.kind == SQLTEXT_END || t.kind == SQLTEXT_BROKEN)
			return;
		w->p = mem_grow(w->p, w->n, &w->cap, sizeof(*w->p));
		w->p[w->n].at = (size_t)(t.text.p - sql.p);
		w->p[w->n].end = w->p[w->n].at + t.text.len;
		w->p[w->n++].token = t;
	}
}

/* The word that begins at this byte, or w->n. */
static size_t
word_at(const struct rewrite_words *w, size_t at)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->p[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->n && w->p[low].at == at ? low : w->n;
}

static bool
is_keyword(const struct rewrite_words *w, size_t i, const char *keyword)
{
	return i < w->n && sqltext_is(&w->p[i].token, keyword);
}

static bool
is_punct(const struct rewrite_words *w, size_t i, char c)
{
	return i < w->n && sqltext_is_punct(&w->p[i].token, c);
}

/* Whether the word spells this name, as the server reads it. */
static bool
rewrite_says(const struct rewrite_words *w, size_t i, struct span name)
{
	struct span t = w->p[i].token.text;
	size_t k = 0;

	if (w->p[i].token.kind == SQLTEXT_WORD) {
		for (; k < t.len && k < name.len; k++)
			if (ascii_lower(t.p[k]) != name.p[k])
				return false;
		return k == t.len && k == name.len;
	}
	if (w->p[i].token.kind != SQLTEXT_QUOTED)
		return false;
	for (size_t j = 1; j + 1 < t.len; j++, k++) {
		if (k == name.len || t.p[j] != name.p[k])
			return false;
		j += t.p[j] == '"'; /* a doubled quote */
	}
	return k == name.len;
}

/* The word behind the parenthesis that closes the one at i; w->n if it is not closed. */
static size_t
behind_parenthesis(const struct rewrite_words *w, size_t i)
{
	size_t depth = 0;

	for (; i < w->n; i++)
		if (is_punct(w, i, '('))
			depth++;
		else if (is_punct(w, i, ')') && --depth == 0)
			return i + 1;
	return w->n;
}

static int
cannot_place(struct span name, struct err *err)
{
	return err_set(err, ERR_FORBIDDEN_SQL,
	    "the table %.*s has a column policy and is written here in a way that "
	    "cannot be resolved; write its name plainly: name or schema.name",
	    SPAN_FMT(name));
}

/* name . name . name */
static int
place_name(const struct rewrite_words *w, const struct columns_pg_use *u, struct relation_place *p, struct err *err)
{
	unsigned checked = u->cut > 0 ? u->cut : u->parts - 1;

	p->name = word_at(w, u->at);
	p->last = p->name + 2 * (u->parts - 1);
	if (p->last >= w->n || !rewrite_says(w, p->name + 2 * checked, u->name))
		return cannot_place(u->name, err);
	for (size_t i = p->name; i < p->last; i += 2)
		if (!is_punct(w, i + 1, '.') ||
		    (w->p[i].token.kind != SQLTEXT_WORD && w->p[i].token.kind != SQLTEXT_QUOTED))
			return cannot_place(u->name, err);
	return 0;
}

/* ONLY name, ONLY (name), name *, TABLE in front of any of them. */
static int
place_relation(const struct rewrite_words *w, const struct columns_pg_use *u, struct relation_place *p, struct err *err)
{
	size_t first = p->name, behind = p->last + 1;
	bool parenthesis = u->only && first > 0 && is_punct(w, first - 1, '(');

	first -= parenthesis;
	if (u->only && (first == 0 || !is_keyword(w, first - 1, "ONLY")))
		return cannot_place(u->name, err);
	first -= u->only;
	if (is_punct(w, behind, '*'))
		behind++;
	if (parenthesis && !is_punct(w, behind, ')'))
		return cannot_place(u->name, err);
	behind += parenthesis;
	p->command = first > 0 && is_keyword(w, first - 1, "TABLE");
	first -= p->command;
	p->from = w->p[first].at;
	p->to = w->p[behind - 1].end;
	if (!u->sampled)
		return 0;
	/* Looks behind the alias, which is at most AS and a name. */
	for (size_t i = behind; i < w->n && i < behind + 3; i++)
		if (is_keyword(w, i, "TABLESAMPLE")) {
			p->sample = w->p[i].at;
			while (i < w->n && !is_punct(w, i, '('))
				i++;
			i = behind_parenthesis(w, i);
			if (is_keyword(w, i, "REPEATABLE"))
				i = behind_parenthesis(w, i + 1);
			p->sample_end = w->p[i - 1].end;
			return 0;
		}
	return cannot_place(u->name, err);
}

static int
rewrite_place(const struct rewrite_words *w, const struct columns_pg_use *u, struct relation_place *p, struct err *err)
{
	memset(p, 0, sizeof(*p));
	if (place_name(w, u, p, err) == -1)
		return -1;
	if (u->cut == 0)
		return place_relation(w, u, p, err);
	p->from = w->p[p->name].at;
	p->to = w->p[p->name + 2 * u->cut].at;
	return 0;
}

static struct pg_piece *
add_piece(struct pg_rewrite *r, size_t from, size_t to, size_t at)
{
	r->pieces = mem_grow(r->pieces, r->n, &r->cap, sizeof(*r->pieces));
	r->pieces[r->n] = (struct pg_piece){ .from = from, .to = to, .new_from = r->text.len, .at = at };
	return &r->pieces[r->n++];
}

void
pg_rewrite_put(struct buf *out, const struct pg_stand_in *s, bool only, struct span sample)
{
	buf_str(out, s->sorted ? "(SELECT s.* FROM (SELECT " : "(SELECT ");
	buf_str(out, s->list);
	buf_str(out, only ? " FROM ONLY " : " FROM ");
	buf_str(out, s->source);
	if (sample.len > 0) {
		buf_byte(out, ' ');
		buf_span(out, sample);
	}
	buf_str(out, s->sorted ? ") AS s ORDER BY (s.*)::pg_catalog.text COLLATE \"C\")" : ")");
}

static void
put_stand_in(struct pg_rewrite *r, struct span sql, const struct columns_pg_use *u, const struct relation_place *p,
    const struct pg_stand_in *s)
{
	struct buf *out = &r->text;

	if (p->command)
		buf_str(out, "SELECT * FROM ");
	pg_rewrite_put(out, s, u->only, span_of(sql.p + p->sample, p->sample_end - p->sample));
	if (!u->aliased) {
		buf_str(out, " AS ");
		sqltext_put_name(out, u->name);
	}
}

/* Writes everything up to byte `to` that was not written yet. */
static int
copy_up_to(struct pg_rewrite *r, struct span sql, size_t *done, size_t to, struct span name, struct err *err)
{
	if (to < *done) /* a table within text that was removed for another one */
		return cannot_place(name, err);
	buf_span(&r->text, span_of(sql.p + *done, to - *done));
	*done = to;
	return 0;
}

static int
write_use(struct pg_rewrite *r, struct span sql, const struct columns_pg_use *u, const struct relation_place *p,
    void (*stand_in)(void *arg, int relation, struct pg_stand_in *out), void *arg, size_t *done, struct err *err)
{
	struct pg_stand_in s;
	struct pg_piece *piece;

	if (copy_up_to(r, sql, done, p->from, u->name, err) == -1)
		return -1;
	piece = add_piece(r, p->from, p->to, u->at);
	if (u->cut == 0) {
		stand_in(arg, u->relation, &s);
		put_stand_in(r, sql, u, p, &s);
		piece->relation = true;
	}
	piece->new_to = r->text.len;
	*done = p->to;
	if (p->sample_end == p->sample)
		return 0;
	if (copy_up_to(r, sql, done, p->sample, u->name, err) == -1)
		return -1;
	piece = add_piece(r, p->sample, p->sample_end, u->at);
	piece->new_to = r->text.len;
	*done = p->sample_end;
	return 0;
}

int
pg_rewrite(struct pg_rewrite *r, struct span sql, const struct columns_pg_use *uses, size_t n,
    void (*stand_in)(void *arg, int relation, struct pg_stand_in *out), void *arg, struct err *err)
{
	struct rewrite_words w = { 0 };
	struct relation_place p;
	size_t done = 0;
	int rc = 0;

	buf_reset(&r->text, COLUMNS_PG_TEXT_MAX);
	r->text.max = COLUMNS_PG_TEXT_MAX;
	r->n = 0;
	cut_words(&w, sql);
	for (size_t i = 0; i < n && rc == 0; i++)
		if ((rc = rewrite_place(&w, &uses[i], &p, err)) == 0)
			rc = write_use(r, sql, &uses[i], &p, stand_in, arg, &done, err);
	buf_span(&r->text, span_of(sql.p + done, sql.len - done));
	if (rc == 0 && r->text.full)
		rc = err_set(err, ERR_SQL_TOO_LONG, "the statement and the views it names are too long together");
	free(w.p);
	return rc;
}

size_t
pg_rewrite_origin(const struct pg_rewrite *r, size_t at)
{
	size_t from = 0, to = 0;

	for (size_t i = 0; i < r->n && r->pieces[i].new_from <= at; i++) {
		if (at < r->pieces[i].new_to)
			return r->pieces[i].at;
		from = r->pieces[i].to;
		to = r->pieces[i].new_to;
	}
	return from + (at - to);
}

bool
pg_rewrite_is_ours(const struct pg_rewrite *r, size_t at)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->pieces[i].relation && at >= r->pieces[i].new_from && at < r->pieces[i].new_to)
			return true;
	return false;
}
