/*
 * search_rig - carrel-search, confined, over a project directory: calls it and
 * holds every answer to the schema the tool announced.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

#include "tests/unit/harness.h"

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "base/json/json_schema.h"
#include "tests/support/child_driver.h"

/* The fixture projects, and the connections of "shop". */
#define PROJECTS	SOURCE_DIR "/tests/fixtures/projects/"
#define TWO	"[{\"id\":\"warehouse\",\"driver\":\"postgres\",\"name\":\"Warehouse\",\"description\":\"orders and so on\"," \
    "\"schemas\":[\"public\",\"crm\"]},{\"id\":\"local\",\"driver\":\"sqlite\",\"name\":\"local\",\"schemas\":[]}]"

static struct driver *driver;
static struct buf rig_tools;	/* TOOLS as msgpack */

/* Start the worker; connections and ontologies are JSON as in CONFIGURE_SEARCH. */
static inline void
rig_start_with(const char *project, const char *connections, const char *ontologies)
{
	struct buf list = { 0 }, declared = { 0 };
	struct ipc_configure_search conf = {
		.project_dir = span_str(project), .wiki_user = SPAN("local"), .resource_scheme = SPAN("carrel"),
		.sql_ms = 10000, .sql_rows = 500, .sql_memory = UINT64_C(256) << 20, .sql_characters = 4096,
		.sql_threads = 2,
		.memory_max = UINT64_C(8) << 30
	};
	size_t at;

	assert_int_equal(json_read(span_str(connections), &list, &at), JSON_OK);
	conf.connections = buf_view(&list);
	assert_int_equal(json_read(span_str(ontologies), &declared, &at), JSON_OK);
	conf.ontologies = buf_view(&declared);
	driver = driver_spawn(BIN_DIR "/carrel-search", IPC_SEARCH, NULL);
	if (!driver_configure(driver, IPC_MSG_CONFIGURE_SEARCH, &conf))
		fail_msg("not ready: %s\n%s", driver_reason(driver), driver_log(driver));
	driver_attach(driver);
	buf_fini(&list);
	buf_fini(&declared);
	rig_tools.len = 0;
	assert_int_equal(json_read(span_str(driver_tools(driver)), &rig_tools, &at), JSON_OK);
}

static inline void
rig_start(const char *project, const char *connections)
{
	rig_start_with(project, connections, "[]");
}

static inline void
rig_stop(void)
{
	driver_shutdown(driver, 1000);
	if (driver_exit_code(driver) != EXIT_STOPPED)
		fail_msg("ended badly:\n%s", driver_log(driver));
	driver_free(driver);
	driver = NULL;
	buf_fini(&rig_tools);
}

/* A test's setup and teardown: the worker over "shop". */
static inline int
shop(void **state)
{
	(void)state;
	rig_start(PROJECTS "shop", TWO);
	return 0;
}

static inline int
stop(void **state)
{
	(void)state;
	rig_stop();
	return 0;
}

/* The announced row of a tool. */
static inline void
rig_tool(const char *name, struct mp_value *tool)
{
	struct mp_value all;
	struct mp_iter it;

	assert_true(mp_value(buf_view(&rig_tools), &all));
	it = mp_iter(&all);
	while (mp_next(&it, tool))
		if (span_is_str(mp_get_str(tool, "name", SPAN("")), name))
			return;
	fail_msg("%s is not announced", name);
}

static inline void
rig_hold(const char *tool, const char *which, const char *json)
{
	struct mp_value row, schema, v;
	struct schema_result result;
	struct buf b = { 0 };
	size_t at;

	rig_tool(tool, &row);
	assert_true(mp_get(&row, which, &schema));
	assert_int_equal(json_read(span_str(json), &b, &at), JSON_OK);
	assert_true(mp_value(buf_view(&b), &v));
	if (!schema_check(&schema, &v, &result))
		fail_msg("%s: %s: %s %s\n%s", tool, which, result.issues[0].path, result.issues[0].problem, json);
	buf_fini(&b);
}

/* Call a tool that must succeed: the result, held to the schemas. */
static inline const char *
rig_call(const char *tool, const char *args)
{
	const struct driver_answer *a;

	rig_hold(tool, "inputSchema", args);
	a = driver_call(driver, tool, "", args);
	if (a->kind != DRIVER_RESULT)
		fail_msg("%s %s: %s: %s\n%s", tool, args, a->code, a->message, driver_log(driver));
	rig_hold(tool, "outputSchema", a->result);
	return a->result;
}

/* Call a tool that must fail with code and a message that holds part. */
static inline const struct driver_answer *
rig_fail(const char *tool, const char *args, const char *code, const char *part)
{
	const struct driver_answer *a = driver_call(driver, tool, "", args);

	if (a->kind != DRIVER_FAIL)
		fail_msg("%s %s succeeded: %s", tool, args, a->result);
	assert_string_equal(a->code, code);
	if (strstr(a->message, part) == NULL)
		fail_msg("%s %s: %s", tool, args, a->message);
	return a;
}

/* --- a project that changes ------------------------------------------------------- */

static char rig_project[64];

static inline void
rig_make_project(void)
{
	snprintf(rig_project, sizeof(rig_project), "/tmp/carrel-search-XXXXXX");
	assert_non_null(mkdtemp(rig_project));
}

/* A file or directory of the project as a path. */
static inline const char *
rig_path(const char *inside)
{
	static char path[2][512];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", rig_project, inside);
	return path[turn];
}

static inline void
rig_mkdir(const char *inside)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", rig_project, inside);
	for (char *p = path + strlen(rig_project) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	mkdir(path, 0700);
}

static inline void
rig_write(const char *inside, const char *text)
{
	int fd = open(rig_path(inside), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		fail_msg("cannot write %s", inside);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}
