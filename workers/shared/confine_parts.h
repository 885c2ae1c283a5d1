/* confine_parts - what confine.c, landlock.c and seccomp.c share; private to them. */
#pragma once

/* Debian 12's kernel has exactly 2: renaming and linking across directories can be granted. */
#define LANDLOCK_ABI_NEEDED	2
