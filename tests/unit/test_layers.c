// libs: carrel_base
/* test_layers.c - who may include whom: reads the #include lines of the whole tree. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/harness.h"

/*
 * A layer, and what its files may include: "a/" is a folder with the rooms
 * below it, "a/" and a star the files of the folder alone, the rest are files.  Files of
 * the layer's own folder are always allowed, its rooms only where listed.  The
 * longest folder that fits a file is its layer; every file of the product has one.
 */
static const struct layer {
	const char	*folder;
	const char	*may[14];
} layers[] = {
	{ "base/", { NULL } },
	{ "base/text/", { "base/*" } },
	{ "base/json/", { "base/*", "base/text/" } },
	{ "base/system/", { "base/*", "base/text/", "base/json/" } },
	{ "words/", { "base/" } },
	{ "ipc/", { "base/" } },
	{ "policy/", { "base/", "ipc/" } },
	{ "project/", { "base/", "project/format/" } },
	{ "project/format/", { "base/" } },
	{ "project/config/", { "base/", "project/*", "project/format/" } },
	{ "project/scan/", { "base/", "project/config/drivers.h", "project/format/" } },
	{ "project/model/", { "base/", "project/format/", "project/scan/describe.h" } },
	{ "semantic/", { "base/", "project/" } },
	{ "ask/", { "base/", "project/", "ask/readings/readings.h" } },
	{ "ask/readings/", { "base/", "project/", "ask/*" } },
	{ "workers/shared/", { "base/", "ipc/", "policy/" } },
	{ "workers/libpq/", { "base/" } },
	{ "workers/jose/", { "base/", "policy/sign_in.h" } },
	{ "workers/sql/", { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/" } },
	{ "workers/sql/sqlite/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/sql/*" } },
	{ "workers/sql/parquet/", { "base/" } },
	{ "workers/sql/duckdb/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/sql/*",
		"workers/sql/parquet/" } },
	{ "workers/sql/postgres/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/libpq/", "workers/shared/",
		"workers/sql/*", "workers/sql/postgres/guard/" } },
	{ "workers/sql/mysql/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/sql/*",
		"workers/sql/mysql/grammar/", "workers/sql/mysql/guard/" } },
	{ "workers/sql/mysql/grammar/", { "base/" } },
	{ "workers/sql/mysql/guard/", { "base/", "policy/", "workers/sql/mysql/grammar/" } },
	{ "workers/sql/postgres/guard/", { "base/", "policy/" } },
	{ "workers/search/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/" } },
	{ "workers/search/ranking/", { "base/", "words/" } },
	{ "workers/search/index/", { "base/", "words/", "project/", "workers/search/ranking/" } },
	{ "workers/search/passages/",
	    { "base/", "words/", "project/", "workers/search/index/vocab.h", "workers/search/index/hits.h",
		"workers/search/index/guess.h" } },
	{ "workers/search/library/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/ranking/", "workers/search/index/", "workers/search/passages/" } },
	{ "workers/search/rank/",
	    { "base/", "words/", "project/", "semantic/", "workers/search/ranking/", "workers/search/index/",
		"workers/search/library/" } },
	{ "workers/search/answer/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/index/", "workers/search/passages/", "workers/search/library/",
		"workers/search/rank/" } },
	{ "workers/search/find/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/library/", "workers/search/rank/", "workers/search/answer/",
		"workers/search/index/" } },
	{ "workers/search/inspect/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/library/", "workers/search/answer/" } },
	{ "workers/search/ontology/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/library/", "workers/search/answer/", "workers/search/index/" } },
	{ "workers/search/datasets/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/library/", "workers/search/answer/", "workers/search/passages/" } },
	{ "workers/search/surface/",
	    { "base/", "words/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/search/library/", "workers/search/answer/", "workers/search/inspect/",
		"workers/search/ontology/" } },
	{ "workers/memory/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/memory/" } },
	{ "workers/memory/read/", { "base/", "project/" } },
	{ "workers/memory/scan/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/memory/*" } },
	{ "workers/memory/ingest/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/memory/*",
		"workers/memory/read/" } },
	{ "workers/memory/git/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/memory/*",
		"workers/memory/ingest/" } },
	{ "workers/auth/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/auth/" } },
	{ "workers/auth/store/", { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/" } },
	{ "workers/auth/store/sqlite/", { "base/", "policy/", "workers/auth/store/*" } },
	{ "workers/auth/store/postgres/", { "base/", "workers/libpq/", "workers/auth/store/*" } },
	{ "workers/auth/audit/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/auth/*",
		"workers/auth/store/" } },
	{ "workers/auth/tokens/",
	    { "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/auth/" } },
	{ "workers/auth/oauth/",
	    { "base/", "words/passwords.h", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/auth/" } },
	{ "workers/telemetry/", { "base/", "ipc/", "policy/", "workers/shared/" } },
	{ "workers/tunnel/", { "base/", "ipc/", "policy/", "workers/shared/" } },
	{ "workers/pwhash/", { "base/", "workers/shared/" } },
	{ "workers/fetch/", { "base/", "ipc/control.h", "policy/", "project/", "workers/jose/", "workers/shared/" } },
	{ "workers/import/",
	    { "base/", "policy/", "project/", "workers/shared/confine.h", "workers/shared/seccomp.h",
		"workers/import/knowledge/" } },
	{ "workers/import/knowledge/", { "base/", "project/" } },
	{ "workers/agent/",
	    { "ask/", "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/", "workers/agent/" } },
	{ "workers/agent/data/",
	    { "ask/", "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/agent/agent.h" } },
	{ "workers/agent/model/",
	    { "ask/", "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/" } },
	{ "workers/agent/verify/",
	    { "ask/", "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/agent/data/" } },
	{ "workers/agent/answer/",
	    { "ask/", "base/", "ipc/", "policy/", "project/", "semantic/", "workers/shared/",
		"workers/agent/tools_text.h", "workers/agent/data/",
		"workers/agent/model/", "workers/agent/verify/" } },
	{ "front/",
	    { "base/", "ipc/", "policy/", "web/", "front/", "workers/shared/child.h",
		"workers/shared/confine.h", "workers/shared/probe.h", "workers/shared/seccomp.h" } },
	{ "front/wire/", { "base/", "ipc/", "policy/" } },
	{ "front/calls/", { "base/", "ipc/", "policy/", "front/*", "front/wire/", "front/mcp/app.h" } },
	{ "front/who/",
	    { "base/", "ipc/", "policy/", "front/*", "front/wire/", "front/http/", "front/calls/",
		"workers/jose/" } },
	{ "front/http/", { "base/", "ipc/", "policy/", "front/*", "front/wire/", "front/calls/" } },
	{ "front/mcp/",
	    { "base/", "ipc/", "policy/", "web/", "front/*", "front/wire/", "front/http/", "front/calls/",
		"front/who/" } },
	{ "front/mcp/legacy/",
	    { "base/", "ipc/", "policy/", "front/*", "front/wire/", "front/http/", "front/calls/",
		"front/mcp/*" } },
	{ "front/rest/",
	    { "base/", "ipc/", "policy/", "web/", "front/*", "front/wire/", "front/http/", "front/calls/",
		"front/who/", "front/mcp/*" } },
	{ "front/oauth/",
	    { "base/", "ipc/", "policy/", "web/", "front/*", "front/wire/", "front/http/", "front/calls/",
		"front/who/", "front/mcp/*", "front/admin/" } },
	{ "front/export/",
	    { "base/", "ipc/", "policy/", "front/*", "front/wire/", "front/http/", "front/calls/", "front/who/",
		"front/mcp/*", "front/oauth/", "front/rest/" } },
	{ "front/admin/",
	    { "base/", "ipc/", "policy/", "web/", "front/*", "front/wire/", "front/http/", "front/calls/",
		"front/who/", "front/oauth/", "front/rest/" } },
	{ "supervisor/", { "base/", "ipc/", "policy/", "project/", "supervisor/" } },
	{ "supervisor/log/", { "base/", "ipc/", "policy/", "project/" } },
	{ "supervisor/state/", { "base/", "ipc/", "policy/", "project/" } },
	{ "supervisor/verify/", { "base/", "ipc/", "policy/", "project/", "supervisor/*" } },
	{ "demo/", { "base/" } },
	{ "cli/", { "base/", "project/", "policy/", "semantic/", "demo/", "cli/" } },
	{ "cli/admin/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/",
		"cli/audit/", "cli/doctor/cmd_doctor.h", "cli/datasets/importer.h" } },
	{ "cli/research/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/",
		"cli/datasets/importer.h" } },
	{ "cli/agents/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/" } },
	{ "cli/completion/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/",
		"cli/research/cmd_sl.h" } },
	{ "cli/doctor/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/" } },
	{ "cli/datasets/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/" } },
	{ "cli/audit/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/" } },
	{ "cli/sync/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/" } },
	{ "cli/export/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/",
		"cli/research/cmd_sl.h" } },
	{ "cli/daemon/",
	    { "base/", "project/", "policy/", "semantic/", "demo/", "cli/*", "cli/show/", "cli/daemon/" } },
	{ "cli/remote/", { "base/", "cli/*" } },
	{ "cli/show/", { "base/", "project/", "policy/", "semantic/" } },
};

static unsigned files, wrong;

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

static bool
starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

static const struct layer *
layer_of(const char *path)
{
	const struct layer *best = NULL;

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (starts_with(path, layers[i].folder) &&
		    (best == NULL || strlen(layers[i].folder) > strlen(best->folder)))
			best = &layers[i];
	return best;
}

/* path is a file of folder itself, not of a room below it. */
static bool
is_directly_in(const char *path, const char *folder, size_t len)
{
	return strncmp(path, folder, len) == 0 && strchr(path + len, '/') == NULL;
}

static bool
covers(const char *rule, const char *include)
{
	if (ends_in(rule, "/"))
		return starts_with(include, rule);
	if (ends_in(rule, "/*"))
		return is_directly_in(include, rule, strlen(rule) - 1);
	return strcmp(include, rule) == 0;
}

static bool
allowed(const struct layer *l, const char *include)
{
	if (is_directly_in(include, l->folder, strlen(l->folder)))
		return true;
	for (size_t i = 0; i < sizeof(l->may) / sizeof(l->may[0]) && l->may[i] != NULL; i++)
		if (covers(l->may[i], include))
			return true;
	return false;
}

/* A header whose first lines say "private to" is for its own folder only. */
static bool
is_private(const char *include)
{
	char path[2048], head[400];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", SOURCE_DIR, include);
	if ((f = fopen(path, "r")) == NULL)
		return false;
	n = fread(head, 1, sizeof(head) - 1, f);
	fclose(f);
	head[n] = '\0';
	return strstr(head, "private to") != NULL;
}

static bool
same_folder(const char *a, const char *b)
{
	size_t n = (size_t)(strrchr(a, '/') - a) + 1;
	const char *slash = strrchr(b, '/');

	return slash != NULL && (size_t)(slash - b) + 1 == n && strncmp(a, b, n) == 0;
}

/* Made while building, of the .sql files of an engine's folder, of tools.json or of the pages; it includes nothing. */
static bool
is_made(const char *include)
{
	return (starts_with(include, "workers/sql/") && ends_in(include, "_sql.h")) ||
	    ends_in(include, "/tools_text.h") || strcmp(include, "web/pages.h") == 0;
}

static void
complain(const char *path, unsigned line, const char *include, const char *why)
{
	fprintf(stderr, "%s:%u: \"%s\" %s\n", path, line, include, why);
	wrong++;
}

static void
check_include(const char *path, unsigned line, const char *include)
{
	const struct layer *l = layer_of(path);
	char whole[2048];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, include);
	if (stat(whole, &st) == -1 && !is_made(include))
		complain(path, line, include, "is not a path from the root");
	else if (!allowed(l, include))
		complain(path, line, include, "is not for this layer");
	else if (is_private(include) && !same_folder(path, include))
		complain(path, line, include, "is private to its folder");
}

static void
check_file(const char *path)
{
	char whole[2048], text[4096];
	unsigned line = 0;
	FILE *f;

	files++;
	if (layer_of(path) == NULL) {
		fprintf(stderr, "%s: its folder has no row in layers[]\n", path);
		wrong++;
		return;
	}
	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, path);
	f = fopen(whole, "r");
	assert_non_null(f);
	while (fgets(text, sizeof(text), f) != NULL) {
		const char *p = text + strspn(text, " \t");
		char include[512];

		line++;
		if (*p != '#')
			continue;
		p++;
		p += strspn(p, " \t");
		if (starts_with(p, "include") && sscanf(p + 7, " \"%511[^\"]\"", include) == 1)
			check_include(path, line, include);
	}
	fclose(f);
}

static bool
is_source(const char *name)
{
	return ends_in(name, ".c") || ends_in(name, ".h") || ends_in(name, ".cc") || ends_in(name, ".def");
}

/* What is no source of the product; of folders at the root. */
static bool
is_beside(const char *folder)
{
	return starts_with(folder, "build") || strcmp(folder, "tests") == 0;
}

static void
check_folder(const char *folder)
{
	char whole[2048], path[1024];
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, folder);
	d = opendir(whole);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || (folder[0] == '\0' && is_beside(e->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s%s", folder, e->d_name);
		snprintf(whole, sizeof(whole), "%s/%s", SOURCE_DIR, path);
		if (stat(whole, &st) == -1)
			continue;
		if (S_ISDIR(st.st_mode)) {
			strncat(path, "/", sizeof(path) - strlen(path) - 1);
			check_folder(path);
		} else if (is_source(e->d_name))
			check_file(path);
	}
	closedir(d);
}

static void
includes_go_downwards(void **state)
{
	(void)state;
	check_folder("");
	assert_true(files > 400);
	assert_int_equal(wrong, 0);
}

/* The test itself: it must see what it is there for. */
static void
wrong_directions_are_seen(void **state)
{
	static const struct {
		const char *path, *include;
		bool ok;
	} rows[] = {
		{ "base/buf.c", "base/buf.h", true },
		{ "base/buf.c", "ipc/messages.h", false },
		{ "ipc/channel.c", "policy/profile.h", false },
		{ "front/gateway.c", "workers/shared/child.h", true },
		{ "front/gateway.c", "workers/shared/tool.h", false },
		{ "front/http.c", "project/config/config.h", false },
		{ "workers/sql/guard.c", "workers/search/index/segment.h", false },
		{ "workers/sql/guard.c", "workers/shared/tool.h", true },
		{ "workers/shared/child.c", "workers/sql/guard.h", false },
		{ "workers/search/main.c", "front/http.h", false },
		{ "workers/search/main.c", "supervisor/child.h", false },
		{ "words/text.c", "workers/search/index/vocab.h", false },
		{ "workers/search/index/builder.c", "words/text.h", true },
		{ "workers/search/index/builder.c", "workers/search/rank/match.h", false },
		{ "workers/search/rank/rank.c", "workers/search/answer/search.h", false },
		{ "cli/main.c", "ipc/messages.h", false },
		{ "semantic/plan.c", "project/format/yaml.h", true },
		{ "project/format/yaml.c", "semantic/model.h", false },
		{ "workers/import/rows_records.c", "ipc/messages.h", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(allowed(layer_of(rows[i].path), rows[i].include), rows[i].ok);
	assert_null(layer_of("workers/new/main.c"));
	assert_true(is_private("ipc/frame.h"));
	assert_false(is_private("ipc/messages.h"));
	assert_true(same_folder("base/a.c", "base/b.h"));
	assert_false(same_folder("workers/sql/a.c", "workers/shared/b.h"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_directions_are_seen),
		cmocka_unit_test(includes_go_downwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
