/* main.c - carrel-search: the project's knowledge, to read and to find. */
#include "workers/search/answer/search.h"

int
main(void)
{
	return child_main(&search_role);
}
