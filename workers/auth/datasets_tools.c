#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/utf8.h"
#include "project/config/config.h"
#include "workers/auth/change.h"
#include "workers/auth/files/files.h"
#include "workers/auth/nodes.h"
#include "workers/auth/store/store_dataset.h"
#include "workers/auth/datasets_tools.h"
#include "workers/auth/store/store.h"
#include "workers/shared/call.h"

#define DATASETS_MAX	1000	/* published at the same time */

static void
put_dataset(const struct auth *a, const struct store_dataset *d, struct buf *out)
{
	char at[25], documents[sizeof("documents//") + STORE_DATASET_ID];
	bool table = false, texts = false;

	if (a->files != NULL) {
		snprintf(documents, sizeof(documents), "documents/%s/", d->id);
		texts = files_lack(a->files, documents, UINT64_MAX);
		/* An older file has what was published before it came. */
		table = strcmp(d->connection, CONFIG_IMPORTS) == 0 && files_lack(a->files, FILES_IMPORTS, d->since_ms);
	}

	clock_iso8601(d->created_ms, at);
	mp_put_pairs(out, mp_uint("since_ms", d->since_ms), mp_cstr("id", d->id), mp_cstr("name", d->name),
	    mp_cstr("connection", d->connection), mp_cstr("db", d->db), mp_cstr("table", d->table),
	    mp_cstr("description", d->description[0] == '\0' ? NULL : d->description), mp_cstr("type", d->type),
	    mp_cstr("created_at", at), mp_when(table, mp_bool("table_lacks", true)),
	    mp_when(texts, mp_bool("texts_lack", true)));
}

struct listed_datasets {
	const struct auth	*a;
	struct buf	out;
	size_t		n;
};

static void
list_dataset(void *arg, const struct store_dataset *d)
{
	struct listed_datasets *l = arg;

	put_dataset(l->a, d, &l->out);
	l->n++;
}

int
datasets_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct listed_datasets l = { .a = a };
	size_t mark;
	int result;

	(void)args;
	mp_put_map(&l.out, 1);
	mark = mp_pair_open_array(&l.out, "datasets");
	if ((result = store_datasets(a->store, list_dataset, &l, err)) == 0) {
		mp_close(&l.out, mark, l.n);
		call_result(c, buf_view(&l.out));
	}
	buf_fini(&l.out);
	return result;
}

/* Read a line of text of at most max bytes; a missing one is empty. */
static int
read_line(const struct mp_value *args, const char *key, char *out, size_t max, struct err *err)
{
	struct span text = mp_get_str(args, key, SPAN(""));

	if (text.len > max)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s has at most %zu bytes, this one has %zu", key, max,
		    text.len);
	if (!utf8_valid(text.p, text.len))
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s is no text in UTF-8", key);
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < ' ' || text.p[i] == 0x7f)
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s holds a control character", key);
	if (text.len > 0)
		memcpy(out, text.p, text.len);
	out[text.len] = '\0';
	return 0;
}

static int
read_dataset_args(const struct mp_value *args, struct store_dataset *d, struct err *err)
{
	memset(d, 0, sizeof(*d));
	if (read_line(args, "connection", d->connection, STORE_NAME_MAX, err) != 0 ||
	    read_line(args, "db", d->db, STORE_NAME_MAX, err) != 0 ||
	    read_line(args, "table", d->table, STORE_NAME_MAX, err) != 0 ||
	    read_line(args, "type", d->type, sizeof(d->type) - 1, err) != 0 ||
	    read_line(args, "name", d->name, STORE_NAME_MAX, err) != 0 ||
	    read_line(args, "description", d->description, STORE_ABOUT_MAX, err) != 0)
		return -1;
	if (d->name[0] == '\0')
		memcpy(d->name, d->table, sizeof(d->name));
	if (d->name[0] == ' ' || d->name[strlen(d->name) - 1] == ' ')
		return err_set(err, ERR_INVALID_ARGUMENTS, "a dataset's name has no blanks around it");
	return 0;
}

/* Version 4: 122 random bits. */
static void
draw_uuid(char out[STORE_DATASET_ID + 1])
{
	uint8_t b[16];
	char hex[33];

	randombytes_buf(b, sizeof(b));
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	sodium_bin2hex(hex, sizeof(hex), b, sizeof(b));
	snprintf(out, STORE_DATASET_ID + 1, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

/* Check that no other published dataset has d's name. */
static int
check_name(struct auth *a, const struct store_dataset *d, struct err *err)
{
	struct store_dataset other;
	int found = store_dataset(a->store, span_str(d->name), &other, err);

	if (found != 1 || strcmp(other.id, d->id) == 0)
		return found < 0 ? -1 : 0;
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "a dataset is called \"%s\" already (%s): give this one another name with --name", other.name, other.id);
}

/* Within the transaction: publish d and set its id. */
static int
publish_dataset(struct auth *a, const struct call *c, struct store_dataset *d, struct err *err)
{
	struct store_dataset was;
	uint64_t n;
	int found = store_dataset_of(a->store, d, &was, err);

	if (found < 0 || store_datasets_count(a->store, &n, err) != 0)
		return -1;
	if (found == 1)
		memcpy(d->id, was.id, sizeof(d->id));
	if (strcmp(d->connection, CONFIG_IMPORTS) == 0)
		snprintf(d->type, sizeof(d->type), "%s", found == 1 ? was.type : "import");
	if (found == 1 && d->description[0] == '\0')
		memcpy(d->description, was.description, sizeof(d->description));
	if (found == 1 && was.published && strcmp(was.name, d->name) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the table is published already, as \"%s\" (%s): unpublish it first to give it another name",
		    was.name, was.id);
	if (n >= DATASETS_MAX && !(found == 1 && was.published))
		return err_set(err, ERR_INVALID_ARGUMENTS, "%d datasets are published, which is as many as can be",
		    DATASETS_MAX);
	if (check_name(a, d, err) != 0)
		return -1;
	d->since_ms = store_now_ms(a->store);
	if (found == 0) {
		draw_uuid(d->id);
		d->created_ms = d->since_ms;
	}
	if ((found == 1 ? store_dataset_again(a->store, d, err) : store_dataset_add(a->store, d, err)) != 0)
		return -1;
	return change_record(a, c, AUDIT_ACTION_DATASET_PUBLISH, d->id, err);
}

int
datasets_publish_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_dataset d;
	struct buf out = { 0 };

	if (read_dataset_args(args, &d, err) != 0 || store_begin(a->store, err) != 0 ||
	    change_end(a, publish_dataset(a, c, &d, err), err) != 0)
		return -1;
	mp_put_pairs(&out, mp_cstr("id", d.id));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

static int
dataset_meant(struct auth *a, const struct mp_value *args, struct store_dataset *d, struct err *err)
{
	struct span id = mp_get_str(args, "id", SPAN(""));
	int found = store_dataset(a->store, id, d, err);

	if (found != 0)
		return found < 0 ? -1 : 0;
	return err_set(err, ERR_DATASET_NOT_FOUND, "no dataset \"%.*s\" is published; `carrel dataset list` shows them",
	    (int)utf8_cut(id.p, id.len, 128), (const char *)id.p);
}

static int
datasets_end(struct call *c, const struct mp_value *args, bool forget, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_dataset d;
	struct buf out = { 0 };
	char who[STORE_DATASET_ID + 16];
	bool import;
	int result;

	if (dataset_meant(a, args, &d, err) != 0 || store_begin(a->store, err) != 0)
		return -1;
	import = strcmp(d.connection, CONFIG_IMPORTS) == 0;
	if ((result = store_dataset_end(a->store, d.id, forget && import, err)) == 0)
		result = change_record(a, c, AUDIT_ACTION_DATASET_UNPUBLISH, d.id, err);
	if (change_end(a, result, err) != 0)
		return -1;
	snprintf(who, sizeof(who), "dataset:%s", d.id);
	fronts_end_and_wait(&a->fronts, c, who, IPC_VERDICT_REVOKED);
	nodes_wait(c);
	mp_put_pairs(&out, mp_cstr("id", d.id), mp_cstr("connection", d.connection), mp_cstr("table", d.table),
	    mp_uint("calls", a->fronts.total.calls));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

int
datasets_unpublish_run(struct call *c, const struct mp_value *args, struct err *err)
{
	return datasets_end(c, args, false, err);
}

int
datasets_remove_run(struct call *c, const struct mp_value *args, struct err *err)
{
	return datasets_end(c, args, true, err);
}

/* Within the transaction. */
static int
note_import(struct auth *a, const struct call *c, struct store_dataset *d, struct err *err)
{
	draw_uuid(d->id);
	return store_dataset_imported(a->store, d, err) == 0 ?
	    change_record(a, c, AUDIT_ACTION_DATASET_IMPORT, d->table, err) :
	    -1;
}

int
datasets_imported_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_dataset d = { .connection = CONFIG_IMPORTS };

	if (read_line(args, "table", d.table, STORE_NAME_MAX, err) != 0 ||
	    read_line(args, "type", d.type, sizeof(d.type) - 1, err) != 0 || store_begin(a->store, err) != 0 ||
	    change_end(a, note_import(a, c, &d, err), err) != 0)
		return -1;
	call_result(c, MP_EMPTY_MAP);
	return 0;
}

int
datasets_documented_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_dataset d;

	if (dataset_meant(a, args, &d, err) != 0 || store_begin(a->store, err) != 0 ||
	    change_end(a, change_record(a, c, AUDIT_ACTION_DATASET_DOCUMENT, d.id, err), err) != 0)
		return -1;
	call_result(c, MP_EMPTY_MAP);
	return 0;
}
