/* port_owner - the process that listens on a TCP port of this machine, as far as /proc shows it. */
#pragma once

#include <stddef.h>

/* "nginx (pid 123)" into out; empty when it cannot be found out. */
void port_owner(int family, unsigned port, char *out, size_t cap);
