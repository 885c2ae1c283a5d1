/*
 * old_kernel.c - runs a program as a kernel without Landlock would.
 *
 *	old_kernel PROGRAM [ARG…]
 *
 * The program and all that it starts get ENOSYS for landlock_create_ruleset(2).
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	scmp_filter_ctx filter;

	if (argc < 2) {
		fprintf(stderr, "usage: old_kernel PROGRAM [ARG...]\n");
		return 2;
	}
	if ((filter = seccomp_init(SCMP_ACT_ALLOW)) == NULL ||
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0) != 0 ||
	    seccomp_load(filter) != 0) {
		fprintf(stderr, "old_kernel: no filter can be loaded here\n");
		return 77;
	}
	seccomp_release(filter);
	execvp(argv[1], argv + 1);
	fprintf(stderr, "old_kernel: cannot run %s: %s\n", argv[1], strerror(errno));
	return 126;
}
