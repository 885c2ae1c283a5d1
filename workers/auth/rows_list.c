#include "base/mp.h"
#include "workers/auth/rows_list.h"
#include "workers/shared/tool.h"
#include "workers/shared/call.h"

void
rows_begin(struct list_rows *r, const char *name)
{
	*r = (struct list_rows){ .n = 0 };
	mp_put_map(&r->out, 1);
	mp_put_cstr(&r->out, name);
	r->mark = mp_open_array(&r->out);
}

int
rows_end(struct list_rows *r, struct call *c, int result)
{
	if (result == 0) {
		mp_close(&r->out, r->mark, r->n);
		call_result(c, buf_view(&r->out));
	}
	buf_fini(&r->out);
	return result;
}
