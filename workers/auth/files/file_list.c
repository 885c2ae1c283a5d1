#include "workers/auth/files/file_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/files/file_seal.h"
#include "workers/auth/files/file_state.h"

struct file_entry *
file_list_entry(struct files *f, const uint8_t key[FILE_DIGEST], bool make)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = memcmp(f->v[middle]->key, key, FILE_DIGEST);

		if (order == 0)
			return f->v[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!make)
		return NULL;
	f->v = mem_grow(f->v, f->n, &f->cap, sizeof(*f->v));
	memmove(f->v + low + 1, f->v + low, (f->n - low) * sizeof(*f->v));
	f->n++;
	f->v[low] = mem_new(1, sizeof(**f->v));
	memcpy(f->v[low]->key, key, FILE_DIGEST);
	return f->v[low];
}

struct file_entry *
file_list_named(struct files *f, const char *name, bool make)
{
	uint8_t key[FILE_DIGEST];
	struct file_entry *e;
	struct err err;

	file_seal_name(f, name, key);
	if ((e = file_list_entry(f, key, make)) == NULL || e->name != NULL)
		return e;
	e->name = mem_text(span_str(name));
	if (file_state_recall(f, e, &err) != 0)
		file_list_fail(e, 0, "%s", err.message);
	return e;
}

void
file_list_fine(struct file_entry *e)
{
	free(e->trouble);
	e->trouble = NULL;
	e->full = false;
	e->wait_ns = e->held_ns = 0;
}

void
file_list_fail(struct file_entry *e, uint64_t wait_ns, const char *fmt, ...)
{
	char why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	e->wait_ns = clock_ns() + wait_ns;
	e->full = false;
	if (e->trouble != NULL && strcmp(e->trouble, why) == 0)
		return;
	free(e->trouble);
	e->trouble = mem_text(span_str(why));
	log_warn(".carrel/%s is not shared as it should be: %s", e->name == NULL ? "?" : e->name, why);
}

