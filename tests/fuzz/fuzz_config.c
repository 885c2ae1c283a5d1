// libs: carrel_project carrel_base
/* fuzz_config.c - any carrel.yaml and ktx.yaml: loaded, or refused with a reason; never both or neither. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/config/config.h"
#include "tests/fuzz/fuzz.h"

static char dir[] = "/tmp/carrel-fuzz-config-XXXXXX";

static void
clean_up(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/carrel.yaml", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/ktx.yaml", dir);
	unlink(path);
	rmdir(dir);
}

static void
put_file(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((f = fopen(path, "w")) == NULL || (size > 0 && fwrite(data, 1, size, f) != size) || fclose(f) != 0 ||
	    chmod(path, 0600) != 0)
		abort();
}

static void
look(const char *name, const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct config_issues issues;
	struct err err = { .code = ERR_NONE };
	struct buf printed = { 0 };
	struct config cfg;
	char path[128];

	put_file(name, data, size);
	if (config_load(a, dir, &cfg, &issues, &err) != 0) {
		if (err.message[0] == '\0')
			abort();
	} else {
		if (issues.nfatal != 0 || cfg.host == NULL || cfg.fronts == 0)
			abort();
		for (size_t i = 0; i < cfg.nconnections; i++)
			if (cfg.connections[i].id == NULL || cfg.connections[i].driver_name == NULL ||
			    (cfg.connections[i].unusable != NULL) != (cfg.connections[i].driver == NULL))
				abort();
	}
	config_issues_print(&cfg, &issues, &printed);
	buf_fini(&printed);
	arena_free(a);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made;

	if (!made) {
		if (mkdtemp(dir) == NULL || atexit(clean_up) != 0)
			abort();
		made = true;
	}
	look("ktx.yaml", data, size);
	look("carrel.yaml", data, size);
	return 0;
}
