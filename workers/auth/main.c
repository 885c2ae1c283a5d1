/* main.c - carrel-auth: the only process with keys and the state store. */
#include "workers/auth/auth.h"

int
main(void)
{
	return child_main(&auth_role);
}
