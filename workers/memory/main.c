/* main.c - carrel-memory: the only process that writes the project's knowledge. */
#include "workers/memory/memory.h"

int
main(void)
{
	return child_main(&memory_role);
}
