/* replay.c - main for fuzz targets outside a fuzz build: feed each file of the corpora to the target once. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file is copied to a block of exactly its size, so that a sanitizer sees one byte too far. */
static int
replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, n;
	uint8_t chunk[4096];

	if (f == NULL) {
		perror(path);
		return -1;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0) {
		uint8_t *grown = realloc(data, size + n);

		if (grown == NULL)
			abort();
		data = grown;
		memcpy(data + size, chunk, n);
		size += n;
	}
	fclose(f);
	(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

static int
replay_directory(const char *path, size_t *count)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char file[4096];
	int result = 0;

	if (d == NULL) {
		perror(path);
		return -1;
	}
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		if (replay_file(file) == -1)
			result = -1;
		++*count;
	}
	closedir(d);
	return result;
}

int
main(int argc, char **argv)
{
	size_t count = 0;
	int result = 0;

	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-' && replay_directory(argv[i], &count) == -1)
			result = -1;
	printf("%zu inputs\n", count);
	/* An empty corpus tests nothing: that is a mistake in the tree. */
	return result == 0 && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
