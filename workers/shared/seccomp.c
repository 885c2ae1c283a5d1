#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workers/shared/confine.h"
#include "workers/shared/seccomp.h"
#include "policy/profiles.h"

static bool
in_main_filter(const struct policy_rule *r)
{
	return r->verdict != POLICY_REFUSE_IF;
}

static int
check_rule(const struct policy_profile *p, const struct policy_rule *r, struct err *err)
{
	bool conditional = r->verdict == POLICY_ALLOW_IF || r->verdict == POLICY_REFUSE_IF;
	bool refusal = r->verdict == POLICY_REFUSE || r->verdict == POLICY_REFUSE_IF;
	unsigned seen = 0;

	if (seccomp_syscall_resolve_name(r->syscall) == __NR_SCMP_ERROR)
		return err_set(err, ERR_INTERNAL, "profile %s: there is no call %s", p->name, r->syscall);
	if (conditional != (r->nargs > 0) || r->nargs > POLICY_ARGS_MAX || refusal != (r->error > 0))
		return err_set(err, ERR_INTERNAL, "profile %s: the row for %s is malformed", p->name, r->syscall);
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct policy_arg *a = &r->args[i];

		if (a->index > 5 || (seen & 1u << a->index) != 0 || (a->value & ~a->mask) != 0 ||
		    (a->own_pid && a->value != 0))
			return err_set(err, ERR_INTERNAL, "profile %s: a condition for %s can never hold", p->name,
			    r->syscall);
		seen |= 1u << a->index;
	}
	return 0;
}

static int
check_pair(const struct policy_profile *p, const struct policy_rule *a, const struct policy_rule *b,
    struct err *err)
{
	bool fits;

	if (strcmp(a->syscall, b->syscall) != 0)
		return 0;
	if (in_main_filter(a) && in_main_filter(b))
		fits = a->verdict == POLICY_ALLOW_IF && b->verdict == POLICY_ALLOW_IF;
	else if (in_main_filter(a) || in_main_filter(b))
		fits = a->verdict != POLICY_REFUSE && b->verdict != POLICY_REFUSE;
	else
		fits = a->error == b->error;
	if (fits)
		return 0;
	return err_set(err, ERR_INTERNAL, "profile %s mixes verdicts for %s", p->name, a->syscall);
}

static int
check_table(const struct policy_profile *p, struct err *err)
{
	for (size_t i = 0; p->sets[i] != NULL; i++)
		for (const struct policy_rule *a = p->sets[i]; a->syscall != NULL; a++) {
			if (check_rule(p, a, err) == -1)
				return -1;
			for (const struct policy_rule *b = a + 1; b->syscall != NULL; b++)
				if (check_pair(p, a, b, err) == -1)
					return -1;
			for (size_t j = i + 1; p->sets[j] != NULL; j++)
				for (const struct policy_rule *b = p->sets[j]; b->syscall != NULL; b++)
					if (check_pair(p, a, b, err) == -1)
						return -1;
		}
	return 0;
}

/*
 * Newer architectures (arm64) lack what another call can do as well, and libc makes that one.  The rows have the older
 * name; without conditions, since arguments stand elsewhere.
 */
static const struct {
	const char *name, *instead;
} twins[] = {
	{ "access", "faccessat" }, { "dup2", "dup3" }, { "epoll_wait", "epoll_pwait" }, { "link", "linkat" },
	{ "mkdir", "mkdirat" }, { "poll", "ppoll" }, { "readlink", "readlinkat" }, { "rename", "renameat" },
	{ "rmdir", "unlinkat" }, { "select", "pselect6" }, { "stat", "newfstatat" }, { "unlink", "unlinkat" },
	{ "utime", "utimensat" }, { "utimes", "utimensat" },
};

static bool
has_row(const struct policy_profile *p, const char *name)
{
	for (size_t i = 0; p->sets[i] != NULL; i++)
		for (const struct policy_rule *r = p->sets[i]; r->syscall != NULL; r++)
			if (strcmp(r->syscall, name) == 0)
				return true;
	return false;
}

/* The call that libc makes there; NULL: none, or one with a row of its own. */
static const char *
name_on(const struct policy_profile *p, const struct policy_rule *r, uint32_t arch)
{
	if (seccomp_syscall_resolve_name_arch(arch, r->syscall) >= 0)
		return r->syscall;
	for (size_t i = 0; r->nargs == 0 && i < sizeof(twins) / sizeof(twins[0]); i++)
		if (strcmp(twins[i].name, r->syscall) == 0)
			return has_row(p, twins[i].instead) ? NULL : twins[i].instead;
	return NULL;
}

static int
add_rule(scmp_filter_ctx ctx, const struct policy_profile *p, const struct policy_rule *r, uint32_t arch)
{
	struct scmp_arg_cmp conditions[POLICY_ARGS_MAX];
	const char *name = name_on(p, r, arch);
	int call = name == NULL ? -1 : seccomp_syscall_resolve_name(name);
	uint32_t action = SCMP_ACT_ALLOW;

	if (call < 0)
		return 0; /* not on this architecture */
	if (r->verdict == POLICY_REFUSE || r->verdict == POLICY_REFUSE_IF)
		action = SCMP_ACT_ERRNO((uint32_t)r->error);
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct policy_arg *a = &r->args[i];
		uint64_t value = a->own_pid ? (uint64_t)getpid() & a->mask : a->value;

		conditions[i] = SCMP_CMP64(a->index, SCMP_CMP_MASKED_EQ, a->mask, value);
	}
	return seccomp_rule_add_exact_array(ctx, action, call, r->nargs, conditions);
}

/* One of p's two filters.  *rules: how many rows it holds.  NULL on failure. */
static scmp_filter_ctx
seccomp_build(const struct policy_profile *p, uint32_t arch, bool main_filter, size_t *rules, struct err *err)
{
	scmp_filter_ctx ctx = seccomp_init(!main_filter ? SCMP_ACT_ALLOW :
		p->unlisted != 0                        ? SCMP_ACT_ERRNO((uint32_t)p->unlisted) :
							  SCMP_ACT_KILL_PROCESS);
	int r = ctx == NULL ? -ENOMEM : 0;

	*rules = 0;
	/* The library's default for a foreign ABI kills one thread, not the process. */
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 1);
	if (r == 0 && arch != seccomp_arch_native()) {
		r = seccomp_arch_add(ctx, arch);
		r = r == 0 ? seccomp_arch_remove(ctx, seccomp_arch_native()) : r;
	}
	/* Threads that started since confine_files() get it too. */
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	for (size_t i = 0; r == 0 && p->sets[i] != NULL; i++)
		for (const struct policy_rule *row = p->sets[i]; r == 0 && row->syscall != NULL; row++)
			if (in_main_filter(row) == main_filter) {
				r = add_rule(ctx, p, row, arch);
				(*rules)++;
			}
	if (r == 0)
		return ctx;
	if (ctx != NULL)
		seccomp_release(ctx);
	err_set(err, ERR_INTERNAL, "cannot build the filter of %s: %s", p->name, strerror(-r));
	return NULL;
}

static int
export_filter(scmp_filter_ctx ctx, void *out, size_t cap, size_t *len, struct err *err)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	ssize_t n = -1;

	if (fd != -1 && seccomp_export_bpf(ctx, fd) == 0 && lseek(fd, 0, SEEK_END) <= (off_t)cap)
		n = pread(fd, out, cap, 0);
	if (fd != -1)
		close(fd);
	if (n <= 0)
		return err_set(err, ERR_INTERNAL, "cannot export a filter: %s", strerror(errno));
	*len = (size_t)n;
	return 0;
}

int
confine_compile(const struct policy_profile *p, uint32_t arch, void *refuse, size_t *refuse_len, void *main_filter,
    size_t *main_len, size_t cap, struct err *err)
{
	scmp_filter_ctx ctx;
	size_t rules;
	int r;

	*refuse_len = *main_len = 0;
	if (check_table(p, err) == -1 || (ctx = seccomp_build(p, arch, false, &rules, err)) == NULL)
		return -1;
	r = rules == 0 ? 0 : export_filter(ctx, refuse, cap, refuse_len, err);
	seccomp_release(ctx);
	if (r == -1 || (ctx = seccomp_build(p, arch, true, &rules, err)) == NULL)
		return -1;
	r = export_filter(ctx, main_filter, cap, main_len, err);
	seccomp_release(ctx);
	return r;
}

static int
load_filter(const struct policy_profile *p, bool main_filter, struct err *err)
{
	size_t rules;
	scmp_filter_ctx ctx = seccomp_build(p, seccomp_arch_native(), main_filter, &rules, err);
	int r = 0;

	if (ctx == NULL)
		return -1;
	if (rules > 0)
		r = seccomp_load(ctx);
	seccomp_release(ctx);
	if (r == 0)
		return 0;
	return err_set(err, ERR_INTERNAL, "the kernel refused a system-call filter: %s", strerror(-r));
}

int
confine_calls(const struct policy_profile *p, bool best_effort, struct confine_report *report,
    struct err *err)
{
	struct err own;

	if (err == NULL)
		err = &own;
	if (check_table(p, err) == -1)
		return -1;
	if (load_filter(p, false, err) == -1 || load_filter(p, true, err) == -1)
		return confine_missing(report, best_effort, err);
	return 0;
}
