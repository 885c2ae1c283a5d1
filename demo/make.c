/* make.c - `demo-project DIR SOURCE` makes the demo project; `demo-project FILE` only its database. */
#include <stdio.h>

#include "demo/create.h"

int
main(int argc, char **argv)
{
	struct err err = { 0 };

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: demo-project DIRECTORY SOURCE | demo-project FILE\n");
		return 2;
	}
	if ((argc == 3 ? demo_create(argv[1], argv[2], NULL, &err) : demo_warehouse(argv[1], &err)) != 0) {
		fprintf(stderr, "demo-project: %s\n", err.message);
		return 1;
	}
	return 0;
}
