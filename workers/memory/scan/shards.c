#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/fault.h"
#include "base/mem.h"
#include "project/config/drivers.h"
#include "project/format/files.h"
#include "project/format/yaml.h"
#include "workers/memory/scan/shards.h"
#include "project/scan/manifest_merge.h"

#define NAMES_MAX	((size_t)8 << 20)	/* for the names of existing shards */

static bool
is_known(const struct shards *s, struct span key)
{
	for (size_t i = s->n; i-- > 0;)
		if (span_is_str(key, s->keys[i]))
			return true;
	return false;
}

static void
add_key(struct shards *s, struct span key)
{
	char *copy;

	if (is_known(s, key))
		return;
	s->keys = mem_grow(s->keys, s->n, &s->cap, sizeof(*s->keys));
	copy = mem_text(key);
	s->keys[s->n++] = copy;
}

static bool
scope_names(const struct mp_value *scope, struct span key)
{
	static const char *const lists[] = { "schemas", "catalogs", "datasets" };
	struct mp_value list, v;

	for (size_t i = 0; scope->class == MP_MAP && i < sizeof(lists) / sizeof(lists[0]); i++)
		if (mp_get(scope, lists[i], &list))
			for (struct mp_iter it = mp_iter(&list); mp_next(&it, &v);)
				if (v.class == MP_STR && span_is(v.s, key))
					return true;
	return false;
}

/*
 * Handles existing shards without a table in this scan.  If the scan covered their schema, the tables are gone;
 * otherwise their state is unknown.
 */
static int
add_existing(struct shards *s, struct span driver, const struct mp_value *scope, struct warnings *warnings,
    struct err *err)
{
	struct arena *a = arena_new(NAMES_MAX);
	struct files_list list;
	int r = 0;

	if (files_list(s->dir, a, &list) != FILES_OK) {
		r = err_set(err, ERR_SERVICE_UNAVAILABLE, "the manifests of the semantic layer cannot be listed");
		goto out;
	}
	for (size_t i = 0; i < list.n; i++) {
		struct span key = span_str(list.entries[i].name);

		if (list.entries[i].is_dir || key.len < 6 || memcmp(key.p + key.len - 5, ".yaml", 5) != 0)
			continue;
		key.len -= 5;
		if (is_known(s, key))
			continue;
		if (scope_names(scope, key) || (!drivers_has_schemas(driver) && span_is_str(key, "public")))
			add_key(s, key);
		else
			warnings_add(warnings, "manifest_not_scanned", NULL,
			    "_schema/%.*s.yaml describes tables that this scan did not read; the file is not changed",
			    SPAN_FMT(key));
	}
out:
	arena_free(a);
	return r;
}

static int
stage(struct shards *s, const char *file, struct span text, struct err *err)
{
	s->staged = mem_grow(s->staged, s->nstaged, &s->capstaged, sizeof(*s->staged));
	if (atomic_stage(s->dir, file, text, &s->staged[s->nstaged], err) != 0)
		return -1;
	s->nstaged++;
	return 0;
}

static int
prepare_one(struct shards *s, const struct manifest *m, struct span driver, const char *key,
    struct warnings *warnings, struct err *err)
{
	struct buf old = { 0 }, text = { 0 };
	char file[ATOMIC_NAME_MAX + 1];
	enum files_fault fault;
	struct err why = { 0 };
	bool changed = false;
	int r = 0;

	snprintf(file, sizeof(file), "%s.yaml", key);
	fault = files_read(s->dir, file, YAML_BYTES_MAX, &old, NULL);
	if (fault != FILES_OK && fault != FILES_MISSING)
		warnings_add(warnings, "manifest_unreadable", NULL, "_schema/%s %s; the file is not changed", file,
		    files_fault_text(fault));
	else if (manifest_merge(m, driver, key, buf_view(&old), &text, &changed, &why) != 0)
		warnings_add(warnings, why.code == ERR_RESULT_TOO_LARGE ? "manifest_too_large" : "manifest_unreadable",
		    NULL, "_schema/%s is not changed: %s", file, why.message);
	else if (changed)
		r = stage(s, file, buf_view(&text), err);
	buf_fini(&old);
	buf_fini(&text);
	return r;
}

int
shards_prepare(struct shards *s, int semantic, const char *connection, const struct manifest *m, struct span driver,
    const struct mp_value *scope, struct warnings *warnings, struct err *err)
{
	struct buf key = { 0 };
	char path[300];

	snprintf(path, sizeof(path), "%s/_schema", connection);
	if ((s->dir = atomic_open_dir(semantic, path, err)) < 0 || atomic_sweep(s->dir, err) != 0)
		return -1;
	for (size_t i = 0; i < m->n; i++) {
		buf_reset(&key, 1024);
		manifest_shard(driver, &m->tables[i], &key);
		add_key(s, buf_view(&key));
	}
	buf_fini(&key);
	if (add_existing(s, driver, scope, warnings, err) != 0)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (prepare_one(s, m, driver, s->keys[i], warnings, err) != 0)
			return -1;
	return 0;
}

int
shards_commit(struct shards *s, struct err *err)
{
	for (size_t i = 0; i < s->nstaged; i++) {
		(void)fault_point("memory.before_shard");
		if (atomic_commit(&s->staged[i], err) != 0)
			return -1;
	}
	return 0;
}

void
shards_fini(struct shards *s)
{
	for (size_t i = 0; i < s->nstaged; i++)
		atomic_abandon(&s->staged[i]);
	for (size_t i = 0; i < s->n; i++)
		free(s->keys[i]);
	free(s->keys);
	free(s->staged);
	if (s->dir >= 0)
		close(s->dir);
	*s = (struct shards){ .dir = -1 };
}
