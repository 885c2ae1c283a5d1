#include "cli/arguments.h"

void
arguments_begin(struct arguments *a)
{
	*a = (struct arguments){ .n = 0 };
	a->mark = mp_open_map(&a->mp);
}

struct buf *
arguments_key(struct arguments *a, const char *key)
{
	a->n++;
	mp_put_cstr(&a->mp, key);
	return &a->mp;
}

struct span
arguments_end(struct arguments *a)
{
	mp_close(&a->mp, a->mark, a->n);
	return buf_view(&a->mp);
}
