#include "workers/sql/team.h"

#include "base/mp.h"
#include "base/text/num.h"
#include "workers/shared/call.h"

#define NUMBER_TEXT	40u

bool
team_is_usable(struct span statements)
{
	struct mp_value all, one, parameters, p;
	struct mp_iter it, in;

	if (!mp_value(statements, &all) || all.class != MP_ARRAY)
		return false;
	for (it = mp_iter(&all); mp_next(&it, &one);) {
		if (mp_get_str(&one, "name", SPAN_NONE).len == 0 || !mp_get(&one, "parameters", &parameters) ||
		    parameters.class != MP_ARRAY || parameters.n > PARAMETERS_MOST)
			return false;
		for (in = mp_iter(&parameters); mp_next(&in, &p);)
			if (mp_get_str(&p, "name", SPAN_NONE).len == 0 ||
			    parameter_type_named(mp_get_str(&p, "type", SPAN_NONE)) == PARAMETER_TYPES)
				return false;
	}
	return true;
}

static bool
find_statement(struct span statements, struct span name, struct mp_value *out)
{
	struct mp_value all;
	struct mp_iter it;

	mp_value(statements, &all);
	for (it = mp_iter(&all); mp_next(&it, out);)
		if (span_is(mp_get_str(out, "name", SPAN_NONE), name))
			return true;
	return false;
}

/* A value of a call as text.  NULL: it is of another class, or the arena is full. */
static const char *
text_of(struct arena *a, const struct mp_value *v)
{
	char number[NUMBER_TEXT];

	switch (v->class) {
	case MP_STR:
		return arena_cstr(a, v->s);
	case MP_BOOL:
		return v->boolean ? "true" : "false";
	case MP_UINT:
		return arena_printf(a, "%llu", (unsigned long long)v->u);
	case MP_INT:
		return arena_printf(a, "%lld", (long long)v->i);
	case MP_FLOAT:
		return arena_printf(a, "%.*s", (int)num_print_double(v->f, number), number);
	default:
		return NULL;
	}
}

static int
refuse_value(const struct sql_parameter *p, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "%.*s must be of the type %s%s%s", SPAN_FMT(p->name),
	    parameter_kinds[p->type].word, parameter_kinds[p->type].sample == NULL ? "" : ", for example ",
	    parameter_kinds[p->type].sample == NULL ? "" : parameter_kinds[p->type].sample);
}

/* given: the value that the call has; NULL: it has none. */
static int
read_parameter(struct arena *a, const struct mp_value *declared, const struct mp_value *given, struct sql_parameter *p,
    struct err *err)
{
	struct span preset = mp_get_str(declared, "preset", SPAN_NONE);

	if (given == NULL && !p->optional)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%.*s is missing", SPAN_FMT(p->name));
	p->text = given != NULL ? text_of(a, given) : preset.p == NULL ? NULL : arena_cstr(a, preset);
	if (p->text == NULL ? given != NULL || preset.p != NULL : !parameter_fits(p->type, span_str(p->text)))
		return refuse_value(p, err);
	return 0;
}

static int
read_parameters(struct call *c, const struct mp_value *declared, const struct mp_value *args, bool check,
    struct sql_bound *bound, struct err *err)
{
	struct mp_iter it = mp_iter(declared);
	struct mp_value one, given;

	while (mp_next(&it, &one)) {
		struct sql_parameter *p = &bound->v[bound->n++];
		struct span sample = mp_get_str(&one, "sample", SPAN_NONE);

		p->name = mp_get_str(&one, "name", SPAN_NONE);
		p->type = parameter_type_named(mp_get_str(&one, "type", SPAN_NONE));
		p->optional = mp_get_bool(&one, "optional", false);
		p->small = mp_get_bool(&one, "small", false);
		if (check)
			p->text = sample.p == NULL ? NULL : arena_cstr(call_arena(c), sample);
		else if (read_parameter(call_arena(c), &one, mp_member(args, p->name, &given) ? &given : NULL, p,
			     err) == -1)
			return -1;
	}
	return 0;
}

int
team_read(struct call *c, struct span statements, const struct mp_value *args, struct sql_query *q,
    struct sql_bound *bound, struct err *err)
{
	struct span name = mp_get_str(args, "tool", SPAN_NONE), sql;
	bool check = mp_get_bool(args, "check", false);
	struct mp_value statement, declared, given;
	const char *text;
	uint64_t most;

	if (!find_statement(statements, name, &statement))
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the tool %.*s is being changed by its owner; try again in a moment", SPAN_FMT(name));
	mp_get(&statement, "parameters", &declared);
	if (!mp_get(args, "arguments", &given))
		mp_value(MP_EMPTY_MAP, &given);
	*bound = (struct sql_bound){ .tool = name, .n = 0 };
	if (read_parameters(c, &declared, &given, check, bound, err) == -1)
		return -1;
	sql = mp_get_str(&statement, "sql", mp_get_str(args, "sql", SPAN_NONE));
	if (sql.len == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the tool %.*s has no statement", SPAN_FMT(name));
	text = arena_printf(call_arena(c), "%s%.*s", check ? "EXPLAIN " : "", SPAN_FMT(sql));
	if (text == NULL)
		return err_set(err, ERR_SQL_TOO_LONG, "the statement is too long");
	q->text = span_str(text);
	q->bound = bound;
	most = mp_get_uint(&statement, "maxRows", 1);
	q->max_rows = check ? 1 : mp_get_uint(args, "maxRows", most) < most ? mp_get_uint(args, "maxRows", most) : most;
	return 0;
}
