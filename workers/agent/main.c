/* main.c - carrel-agent: answers questions in plain language from the semantic layer. */
#include "workers/agent/agent.h"

int
main(void)
{
	return child_main(&agent_role);
}
