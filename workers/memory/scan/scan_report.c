#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/utf8.h"
#include "workers/memory/scan/column_profile.h"
#include "workers/memory/scan/relate.h"
#include "workers/memory/scan/scan_report.h"

void
warnings_add(struct warnings *w, const char *code, const char *table, const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	if (w->n == WARNINGS_MAX) {
		w->left_out++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mp_put_map(&w->items, table == NULL ? 3 : 4);
	mp_pair_cstr(&w->items, "code", code);
	mp_pair_str(&w->items, "message", span_of(text, utf8_cut((const uint8_t *)text, strlen(text), sizeof(text))));
	mp_pair_bool(&w->items, "recoverable", true);
	if (table != NULL)
		mp_pair_cstr(&w->items, "table", table);
	w->n++;
}

void
warnings_take(struct warnings *w, const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value v;

	while (list->class == MP_ARRAY && mp_next(&it, &v)) {
		if (v.class != MP_MAP || mp_get_str(&v, "code", SPAN("")).len == 0 ||
		    mp_get_str(&v, "message", SPAN("")).len == 0)
			continue;
		if (w->n == WARNINGS_MAX) {
			w->left_out++;
			continue;
		}
		buf_span(&w->items, v.raw);
		w->n++;
	}
}

void
warnings_put(const struct warnings *w, struct buf *out)
{
	char text[96];

	mp_put_array(out, w->n + (w->left_out > 0));
	buf_span(out, buf_view(&w->items));
	if (w->left_out == 0)
		return;
	snprintf(text, sizeof(text), "%zu further warnings were left out", w->left_out);
	mp_put_pairs(out, mp_cstr("code", "warnings_left_out"), mp_cstr("message", text), mp_bool("recoverable", true));
}

void
warnings_fini(struct warnings *w)
{
	buf_fini(&w->items);
}

static void
put_path(struct buf *out, const char *key, const struct report *r, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "raw-sources/%s/live-database/%s%s", r->connection, r->sync_id, file);
	mp_pair_cstr(out, key, path);
}

static void
put_paths(const struct report *r, struct buf *out)
{
	static const char *const files[] = { PROFILE_FILE, RELATE_FILE, RELATE_DIAGNOSTICS_FILE };
	char path[640];
	size_t map;

	mp_put_cstr(out, "artifactPaths");
	map = mp_open_map(out);
	put_path(out, "rawSourcesDir", r, "");
	put_path(out, "reportPath", r, "/scan-report.json");
	mp_pair_array(out, "manifestShards", r->nshards);
	for (size_t i = 0; i < r->nshards; i++) {
		snprintf(path, sizeof(path), "semantic-layer/%s/_schema/%s.yaml", r->connection, r->shards[i]);
		mp_put_cstr(out, path);
	}
	mp_pair_array(out, "enrichmentArtifacts", r->related ? 3 : r->profiled);
	for (size_t i = 0; i < (r->related ? 3 : (size_t)r->profiled); i++) {
		snprintf(path, sizeof(path), "raw-sources/%s/live-database/%s/enrichment/%s", r->connection, r->sync_id,
		    files[i]);
		mp_put_cstr(out, path);
	}
	mp_end(out, map);
}

static void
put_diff(const struct artifacts_diff *d, const char *key, struct buf *out)
{
	mp_put_cstr(out, key);
	mp_put_pairs(out, mp_uint("tablesAdded", d->tables_added), mp_uint("tablesModified", d->tables_modified),
	    mp_uint("tablesDeleted", d->tables_deleted), mp_uint("tablesUnchanged", d->tables_unchanged),
	    mp_uint("columnsAdded", d->columns_added), mp_uint("columnsModified", d->columns_modified),
	    mp_uint("columnsDeleted", d->columns_deleted));
}

static void
put_stats(const struct artifacts_diff *d, struct buf *out)
{
	mp_put_cstr(out, "structuralSyncStats");
	mp_put_pairs(out, mp_uint("tablesCreated", d->tables_added), mp_uint("tablesUpdated", d->tables_modified),
	    mp_uint("tablesDeleted", d->tables_deleted), mp_uint("columnsCreated", d->columns_added),
	    mp_uint("columnsUpdated", d->columns_modified), mp_uint("columnsDeleted", d->columns_deleted));
}

static const char *
scan_report_outcome(bool done, size_t failures)
{
	return !done ? "skipped" : failures > 0 ? "failed" : "completed";
}

static void
put_relationships(const struct report *r, struct buf *out)
{
	mp_put_cstr(out, "relationships");
	mp_put_pairs(out, mp_uint("accepted", r->accepted), mp_uint("review", r->review),
	    mp_uint("rejected", r->rejected), mp_uint("skipped", r->skipped));
}

/* The list of stages: "profile" and "relationships", each when its flag is set. */
static void
put_stages(struct buf *out, const char *key, bool profile, bool relationships)
{
	mp_pair_array(out, key, (size_t)profile + relationships);
	if (profile)
		mp_put_cstr(out, "profile");
	if (relationships)
		mp_put_cstr(out, "relationships");
}

/* A structural scan does none of these steps; a deep one samples data, but uses no model. */
static void
put_enrichment(const struct report *r, struct buf *out)
{
	size_t map;

	mp_put_cstr(out, "enrichment");
	mp_put_pairs(out, mp_cstr("dataDictionary", scan_report_outcome(r->profiled, r->nunprofiled)),
	    mp_cstr("tableDescriptions", "skipped"), mp_cstr("columnDescriptions", "skipped"),
	    mp_cstr("embeddings", "skipped"), mp_cstr("deterministicRelationships", scan_report_outcome(r->related, 0)),
	    mp_cstr("llmRelationshipValidation", "skipped"),
	    mp_cstr("statisticalValidation", scan_report_outcome(r->related, r->nunchecked)));
	mp_pair_array(out, "capabilityGaps", 0);
	mp_put_cstr(out, "warnings");
	warnings_put(r->warnings, out);
	put_relationships(r, out);
	mp_put_cstr(out, "enrichmentState");
	map = mp_open_map(out);
	put_stages(out, "resumedStages", r->nreused > 0, false);
	put_stages(out, "completedStages", r->profiled && r->nunprofiled == 0, r->related && r->nunchecked == 0);
	put_stages(out, "failedStages", r->profiled && r->nunprofiled > 0, r->related && r->nunchecked > 0);
	mp_end(out, map);
}

void
report_put_file(const struct report *r, struct buf *out)
{
	const char *run = strstr(r->sync_id, "local-");
	char at[25];
	size_t map = mp_open_pairs(out, mp_cstr("connectionId", r->connection), mp_str("driver", r->driver),
	    mp_cstr("syncId", r->sync_id), mp_cstr("runId", run != NULL ? run : r->sync_id), mp_cstr("trigger", "cli"),
	    mp_cstr("mode", r->profiled ? "enriched" : "structural"), mp_bool("dryRun", false));

	clock_iso8601(r->at_ms, at);
	put_paths(r, out);
	put_diff(r->diff, "diffSummary", out);
	mp_pair_uint(out, "manifestShardsWritten", r->nwritten);
	put_stats(r->diff, out);
	put_enrichment(r, out);
	mp_pair_cstr(out, "createdAt", at);
	mp_end(out, map);
}

void
report_put_result(const struct report *r, struct buf *out)
{
	char at[25];

	clock_iso8601(r->at_ms, at);
	mp_put_map(out, r->profiled ? 15 : 12);
	mp_pair_cstr(out, "connectionId", r->connection);
	mp_pair_str(out, "driver", r->driver);
	mp_pair_cstr(out, "syncId", r->sync_id);
	mp_pair_bool(out, "changed", r->changed);
	mp_pair_uint(out, "tables", r->totals->tables);
	mp_pair_uint(out, "views", r->totals->views);
	mp_pair_uint(out, "columns", r->totals->columns);
	mp_pair_uint(out, "foreignKeys", r->totals->keys);
	mp_put_cstr(out, "warnings");
	warnings_put(r->warnings, out);
	put_diff(r->diff, "diff", out);
	put_path(out, "reportPath", r, "/scan-report.json");
	mp_pair_cstr(out, "extractedAt", at);
	if (r->profiled) {
		mp_pair_uint(out, "tablesReused", r->nreused);
		put_relationships(r, out);
		mp_pair_uint(out, "inferredRelationships", r->inferred);
	}
}

void
report_put_check(const struct report *r, struct buf *out)
{
	char at[25];

	clock_iso8601(r->at_ms, at);
	mp_put_pairs(out, mp_cstr("connectionId", r->connection), mp_cstr("syncId", r->sync_id),
	    mp_cstr("checkedAt", at), mp_bool("changed", r->changed));
}
