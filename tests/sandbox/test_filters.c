/*
 * test_filters.c - the compiled filters against the tables.
 *
 * Each profile is compiled, exported and run by our own interpreter for every
 * call number on every ABI, and for every argument value that could matter,
 * and compared with what the rows say.  The rows themselves are held by a
 * golden listing each, tests/golden/filters/<profile>.txt.  After a change
 * that is meant: `CARREL_GOLDEN=write build/tests/test_filters` and review the
 * difference.
 */
#include <errno.h>
#include <linux/audit.h>
#include <setjmp.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tests/sandbox/bpf.h"
#include "workers/shared/seccomp.h"
#include "policy/profiles.h"

#define X32		0x40000000u
#define NUMBERS		1024		/* Linux has given out fewer than 500 */
#define FILTER_MAX	32768

/* What the filters are compiled for, and whose calls kill then. */
struct machine {
	const char	*name;
	uint32_t	 token, arch, foreign[4];
};
static const struct machine machines[] = {
	{ "amd64", SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64, { AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, 0 } },
	{ "arm64", SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64, { AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, 0 } },
};
static const struct machine *on = machines;

/* Those of our programs, and those of programs that are not ours. */
static const struct policy_profile *
profile_at(size_t i)
{
	static size_t n;

	while (policy_profiles[n].name != NULL)
		n++;
	return i < n ? &policy_profiles[i] : i == n ? &policy_pdf : i == n + 1 ? &policy_ssh : NULL;
}

struct filters {
	struct sock_filter	refuse[FILTER_MAX / 8], main[FILTER_MAX / 8];
	size_t			nrefuse, nmain;
};

static void
compile(const struct policy_profile *p, struct filters *f)
{
	size_t refuse_len, main_len;
	struct err err;

	if (confine_compile(p, on->token, f->refuse, &refuse_len, f->main, &main_len, sizeof(f->main), &err) == -1)
		fail_msg("%s", err.message);
	f->nrefuse = refuse_len / sizeof(f->refuse[0]);
	f->nmain = main_len / sizeof(f->main[0]);
}

static uint32_t
verdict(const struct filters *f, const struct seccomp_data *call)
{
	uint32_t v = bpf_run(f->main, f->nmain, call);

	return f->nrefuse == 0 ? v : bpf_stricter(bpf_run(f->refuse, f->nrefuse, call), v);
}

/* --- what the table says ---------------------------------------------------------- */

static bool
holds(const struct policy_rule *r, const struct seccomp_data *call)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct policy_arg *a = &r->args[i];
		uint64_t value = a->own_pid ? (uint64_t)getpid() : a->value;

		if ((call->args[a->index] & a->mask) != value)
			return false;
	}
	return true;
}

/* The rows of one call, gathered once per number. */
struct rows {
	const struct policy_rule	*rule[64];
	size_t				 n;
};

/* What libc calls on arm64 for what it calls elsewhere by the first name. */
static const char *const arm64[][2] = {
	{ "access", "faccessat" }, { "dup2", "dup3" }, { "epoll_wait", "epoll_pwait" }, { "link", "linkat" },
	{ "mkdir", "mkdirat" }, { "poll", "ppoll" }, { "readlink", "readlinkat" }, { "rename", "renameat" },
	{ "rmdir", "unlinkat" }, { "select", "pselect6" }, { "stat", "newfstatat" }, { "unlink", "unlinkat" },
	{ "utime", "utimensat" }, { "utimes", "utimensat" }, { "time", "" }, { "arch_prctl", "" },
};

/* "": the architecture has the call itself, or nothing for it. */
static const char *
called_on_arm64(const char *name)
{
	for (size_t i = 0; i < sizeof(arm64) / sizeof(arm64[0]); i++)
		if (strcmp(arm64[i][0], name) == 0)
			return arm64[i][1];
	return "";
}

static void
gather_named(const struct policy_profile *p, const char *name, bool older, struct rows *rows)
{
	rows->n = 0;
	for (size_t i = 0; p->sets[i] != NULL; i++)
		for (const struct policy_rule *r = p->sets[i]; r->syscall != NULL; r++)
			if (strcmp(older ? called_on_arm64(r->syscall) : r->syscall, name) == 0) {
				assert_true(rows->n < 64);
				rows->rule[rows->n++] = r;
			}
}

static void
gather(const struct policy_profile *p, int number, struct rows *rows)
{
	char *name = seccomp_syscall_resolve_num_arch(on->token, number);

	rows->n = 0;
	if (name == NULL)
		return;
	gather_named(p, name, false, rows);
	if (rows->n == 0 && on->token == SCMP_ARCH_AARCH64)
		gather_named(p, name, true, rows);
	free(name);
}

static uint32_t
unlisted(const struct policy_profile *p)
{
	return p->unlisted == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (uint32_t)p->unlisted;
}

static uint32_t
expected(const struct policy_profile *p, const struct rows *rows, const struct seccomp_data *call)
{
	uint32_t answer = unlisted(p);

	for (size_t i = 0; i < rows->n; i++) {
		const struct policy_rule *r = rows->rule[i];

		if (r->verdict == POLICY_ALLOW || (r->verdict == POLICY_ALLOW_IF && holds(r, call)))
			answer = SECCOMP_RET_ALLOW;
		else if (r->verdict == POLICY_REFUSE)
			answer = SECCOMP_RET_ERRNO | (uint32_t)r->error;
	}
	for (size_t i = 0; i < rows->n; i++)
		if (rows->rule[i]->verdict == POLICY_REFUSE_IF && holds(rows->rule[i], call) &&
		    answer == SECCOMP_RET_ALLOW)
			answer = SECCOMP_RET_ERRNO | (uint32_t)rows->rule[i]->error;
	return answer;
}

/* --- every number, every ABI, every argument that matters ---------------------------- */

static void
check(const struct policy_profile *p, const struct filters *f, const struct seccomp_data *call, uint32_t want)
{
	uint32_t got = verdict(f, call);

	if (got != want)
		fail_msg("%s: arch %#x call %d args %#llx %#llx %#llx %#llx %#llx %#llx: filter %#x, table %#x",
		    p->name, call->arch, call->nr, (unsigned long long)call->args[0], (unsigned long long)call->args[1],
		    (unsigned long long)call->args[2], (unsigned long long)call->args[3],
		    (unsigned long long)call->args[4], (unsigned long long)call->args[5], got, want);
}

#define VALUES_MAX	512

static void
add(uint64_t *values, size_t *n, uint64_t value)
{
	assert_true(*n < VALUES_MAX);
	values[(*n)++] = value;
}

/* Values of argument index around everything the rows compare it with. */
static size_t
interesting(const struct rows *rows, unsigned index, uint64_t *values)
{
	size_t n = 0;

	add(values, &n, 0);
	add(values, &n, UINT64_MAX);
	for (unsigned bit = 0; bit < 64; bit++)
		add(values, &n, UINT64_C(1) << bit);
	for (size_t i = 0; i < rows->n; i++)
		for (unsigned j = 0; j < rows->rule[i]->nargs; j++) {
			const struct policy_arg *a = &rows->rule[i]->args[j];
			uint64_t v = a->own_pid ? (uint64_t)getpid() : a->value;

			if (a->index != index)
				continue;
			add(values, &n, v);
			add(values, &n, v + 1);
			add(values, &n, v - 1);
			add(values, &n, ~v);
			add(values, &n, v | UINT64_C(1) << 32);
			add(values, &n, v | UINT64_C(0xdeadbeef) << 32);
			add(values, &n, v | ~a->mask);
			add(values, &n, a->mask);
			for (unsigned bit = 0; bit < 32; bit++)
				add(values, &n, v ^ UINT64_C(1) << bit);
		}
	return n;
}

static unsigned
indexes(const struct rows *rows)
{
	unsigned mask = 0;

	for (size_t i = 0; i < rows->n; i++)
		for (unsigned j = 0; j < rows->rule[i]->nargs; j++)
			mask |= 1u << rows->rule[i]->args[j].index;
	return mask;
}

/* All combinations over the arguments some row looks at; the others are noise. */
static void
sweep(const struct policy_profile *p, const struct filters *f, const struct rows *rows,
    struct seccomp_data *call, unsigned left)
{
	uint64_t values[VALUES_MAX];
	unsigned index = 0;
	size_t n;

	if (left == 0) {
		check(p, f, call, expected(p, rows, call));
		return;
	}
	while ((left & 1u << index) == 0)
		index++;
	n = interesting(rows, index, values);
	for (size_t i = 0; i < n; i++) {
		call->args[index] = values[i];
		sweep(p, f, rows, call, left & ~(1u << index));
	}
}

static void
fill(struct seccomp_data *call, uint64_t value)
{
	for (unsigned i = 0; i < 6; i++)
		call->args[i] = value;
}

static bool
is_foreign(int number)
{
	return on->token == SCMP_ARCH_X86_64 && (unsigned)number >= X32 &&
	    number != -1; /* which tracers use for no call */
}

static void
check_number(const struct policy_profile *p, const struct filters *f, int number)
{
	static const uint64_t noise[] = { 0, UINT64_MAX, UINT64_C(0x8000000000000001), 0x7f };
	struct seccomp_data call = { .nr = number, .instruction_pointer = 0x1000 };
	struct rows rows;

	gather(p, number, &rows);
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		fill(&call, noise[i]);
		call.arch = on->arch;
		check(p, f, &call, expected(p, &rows, &call));
		sweep(p, f, &rows, &call, indexes(&rows));
		fill(&call, noise[i]);
		call.arch = on->arch;
		call.nr = (int)((unsigned)number | X32);
		check(p, f, &call, is_foreign(call.nr) ? SECCOMP_RET_KILL_PROCESS : unlisted(p));
		call.nr = number;
		for (size_t j = 0; j < sizeof(on->foreign) / sizeof(on->foreign[0]); j++) {
			call.arch = on->foreign[j];
			check(p, f, &call, SECCOMP_RET_KILL_PROCESS);
		}
	}
}

static void
check_machine(void)
{
	static const int odd[] = { -1, -2, INT32_MAX, INT32_MIN, NUMBERS, 4096, 65536 };
	static struct filters f;
	const struct policy_profile *p;

	for (size_t at = 0; (p = profile_at(at)) != NULL; at++) {
		compile(p, &f);
		for (int number = 0; number < NUMBERS; number++)
			check_number(p, &f, number);
		for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			struct seccomp_data call = { .nr = odd[i], .arch = on->arch };

			/* Those of x32 have its bit. */
			check(p, &f, &call, is_foreign(odd[i]) ? SECCOMP_RET_KILL_PROCESS : unlisted(p));
		}
	}
}

static void
test_filters_do_what_the_tables_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		on = &machines[i];
		check_machine();
	}
	on = machines;
}

static bool
allows(const struct filters *f, const char *name)
{
	struct seccomp_data call = { .nr = seccomp_syscall_resolve_name_arch(on->token, name), .arch = on->arch };

	assert_true(call.nr >= 0);
	return verdict(f, &call) == SECCOMP_RET_ALLOW;
}

/* What each process cannot do without on arm64, told without the table of twins. */
static void
test_what_is_needed_on_arm64(void **state)
{
	static const struct {
		const char *profile, *calls[8];
	} needs[] = {
		{ "front", { "ppoll", "epoll_pwait", "accept4", "recvmsg", "writev" } },
		{ "sql-sqlite", { "ppoll", "faccessat", "newfstatat", "openat", "pread64" } },
		{ "sql-duckdb", { "ppoll", "faccessat", "newfstatat", "openat", "sched_yield" } },
		{ "sql-postgres", { "ppoll", "recvfrom" } },
		{ "sql-mysql", { "ppoll", "recvfrom" } },
		{ "search", { "ppoll", "faccessat", "getdents64", "openat" } },
		{ "memory", { "ppoll", "unlinkat", "renameat", "linkat", "mkdirat", "faccessat", "openat" } },
		{ "git", { "ppoll", "unlinkat", "renameat", "linkat", "mkdirat", "faccessat", "readlinkat" } },
		{ "git-keeper", { "ppoll", "linkat", "renameat", "unlinkat", "utimensat" } },
		{ "auth", { "ppoll", "faccessat", "openat", "fdatasync" } },
		{ "telemetry", { "ppoll", "epoll_pwait", "recvmsg" } },
		{ "import", { "unlinkat", "faccessat", "openat", "readlinkat" } },
		{ "tunnel", { "ppoll", "recvmsg" } },
	};
	static struct filters f;

	(void)state;
	on = &machines[1];
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		compile(policy_profile(needs[i].profile), &f);
		for (size_t j = 0; j < 8 && needs[i].calls[j] != NULL; j++)
			if (!allows(&f, needs[i].calls[j]))
				fail_msg("%s: %s is not allowed", needs[i].profile, needs[i].calls[j]);
	}
	compile(&policy_ssh, &f);
	assert_true(allows(&f, "ppoll") && allows(&f, "pselect6") && allows(&f, "unlinkat") && allows(&f, "dup3"));
	assert_false(allows(&f, "connect") || allows(&f, "sendmsg") || allows(&f, "clone"));
	on = machines;
}

/* --- mixed tables ----------------------------------------------------------------------- */

#define ROW(name, v, e)		{ .syscall = name, .verdict = v, .error = e }
#define IF(name, v, e, i, m, x)	{ .syscall = name, .verdict = v, .error = e, .nargs = 1, \
				  .args = { { i, m, x, false } } }

static int
compiles(const struct policy_rule *rules, char *why, size_t cap)
{
	const struct policy_rule *const sets[] = { rules, NULL };
	static const struct policy_path paths[] = { { POLICY_PLACE_END, 0 } };
	struct policy_profile p = { .name = "mixed", .sets = sets, .paths = paths };
	static uint8_t refuse[FILTER_MAX], main_filter[FILTER_MAX];
	size_t refuse_len, main_len;
	struct err err = { .message = "" };
	int r = confine_compile(&p, SCMP_ARCH_X86_64, refuse, &refuse_len, main_filter, &main_len, FILTER_MAX, &err);

	snprintf(why, cap, "%s", err.message);
	return r;
}

static void
test_refuses_tables_that_mix(void **state)
{
	static const struct {
		struct policy_rule rules[3];
		const char *why; /* NULL: fine */
	} cases[] = {
		{ { ROW("read", POLICY_ALLOW, 0), ROW("read", POLICY_ALLOW, 0) }, "mixes verdicts" },
		{ { ROW("read", POLICY_ALLOW, 0), ROW("read", POLICY_REFUSE, EPERM) }, "mixes verdicts" },
		{ { ROW("read", POLICY_ALLOW, 0), IF("read", POLICY_ALLOW_IF, 0, 0, 1, 1) }, "mixes verdicts" },
		{ { ROW("read", POLICY_REFUSE, EPERM), IF("read", POLICY_ALLOW_IF, 0, 0, 1, 1) }, "mixes verdicts" },
		{ { ROW("read", POLICY_REFUSE, EPERM), IF("read", POLICY_REFUSE_IF, EPERM, 0, 1, 1) },
		    "mixes verdicts" },
		{ { IF("read", POLICY_REFUSE_IF, EPERM, 0, 1, 1), IF("read", POLICY_REFUSE_IF, EACCES, 0, 2, 2) },
		    "mixes verdicts" },
		{ { ROW("raed", POLICY_ALLOW, 0) }, "there is no call raed" },
		{ { ROW("read", POLICY_ALLOW, EPERM) }, "malformed" },
		{ { ROW("read", POLICY_REFUSE, 0) }, "malformed" },
		{ { ROW("read", POLICY_ALLOW_IF, 0) }, "malformed" },
		{ { IF("read", POLICY_ALLOW, 0, 0, 1, 1) }, "malformed" },
		{ { IF("read", POLICY_ALLOW_IF, 0, 6, 1, 1) }, "can never hold" },
		{ { IF("read", POLICY_ALLOW_IF, 0, 0, 1, 3) }, "can never hold" },
		{ { IF("read", POLICY_ALLOW_IF, 0, 0, 1, 1), IF("read", POLICY_ALLOW_IF, 0, 0, 2, 2) }, NULL },
		{ { ROW("read", POLICY_ALLOW, 0), IF("read", POLICY_REFUSE_IF, EPERM, 0, 1, 1) }, NULL },
	};
	char why[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int r = compiles(cases[i].rules, why, sizeof(why));

		if (cases[i].why == NULL ? r != 0 : r != -1 || strstr(why, cases[i].why) == NULL)
			fail_msg("case %zu: %d \"%s\"", i, r, why);
	}
}

/* --- golden listings -------------------------------------------------------------------- */

static void
list_rule(const struct policy_rule *r, struct buf *out)
{
	buf_printf(out, "%-20s", r->syscall);
	if (r->verdict == POLICY_ALLOW || r->verdict == POLICY_ALLOW_IF)
		buf_str(out, "allow");
	else
		buf_str(out, strerrorname_np(r->error));
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct policy_arg *a = &r->args[i];

		buf_printf(out, "%s arg%u & 0x%llx == ", i == 0 ? " if" : " and", a->index,
		    (unsigned long long)a->mask);
		if (a->own_pid)
			buf_str(out, "own pid");
		else
			buf_printf(out, "0x%llx", (unsigned long long)a->value);
	}
	buf_byte(out, '\n');
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One line per row, sorted, whichever set it comes from. */
static void
list_rules(const struct policy_profile *p, struct buf *out)
{
	char *lines[512] = { NULL };
	size_t n = 0;

	/* A sanitizer's own sets are the last ones. */
	for (size_t i = 0; p->sets[i] != NULL && p->sets[i] != policy_sanitizer_set; i++)
		for (const struct policy_rule *r = p->sets[i]; r->syscall != NULL; r++) {
			struct buf line = { .max = 0 };

			list_rule(r, &line);
			assert_true(n < 512);
			lines[n++] = strdup(buf_cstr(&line));
			buf_fini(&line);
		}
	qsort(lines, n, sizeof(lines[0]), by_text);
	for (size_t i = 0; i < n; i++) {
		buf_str(out, lines[i]);
		free(lines[i]);
	}
}

static void
list_paths(const struct policy_profile *p, struct buf *out)
{
	static const char *const names[] = {
		[POLICY_PLACE_WIKI] = "wiki", [POLICY_PLACE_SEMANTIC] = "semantic-layer",
		[POLICY_PLACE_RAW] = "raw-sources",
		[POLICY_PLACE_DOCUMENTS] = ".carrel/documents", [POLICY_PLACE_MEMORY_STATE] = ".carrel/memory",
		[POLICY_PLACE_GIT] = "repository", [POLICY_PLACE_GIT_WORK] = "work in the repository",
		[POLICY_PLACE_DATABASE] = "database", [POLICY_PLACE_STATE] = "state store",
		[POLICY_PLACE_IMPORTS] = ".carrel/imports",
		[POLICY_PLACE_SHARED_IMPORTS] = ".carrel/imports",
		[POLICY_PLACE_PROGRAM] = "program, loader", [POLICY_PLACE_LIBRARIES] = "libraries",
		[POLICY_PLACE_ACCOUNT] = "account, devices", [POLICY_PLACE_SSH_KEYS] = "keys of ssh",
		[POLICY_PLACE_SSH_SOCKET] = "directory of its socket",
	};

	for (const struct policy_path *q = p->paths; q->place != POLICY_PLACE_END; q++)
		buf_printf(out, "path %-20s%s%s%s%s%s%s\n", names[q->place],
		    (q->access & POLICY_READ_FILE) != 0 ? " read-file" : "",
		    (q->access & POLICY_READ_DIR) != 0 ? " read-dir" : "",
		    (q->access & POLICY_WRITE_FILE) != 0 ? " write-file" : "",
		    (q->access & POLICY_MAKE) != 0 ? " make" : "", (q->access & POLICY_EXECUTE) != 0 ? " execute" : "",
		    (q->access & POLICY_LISTEN) != 0 ? " listen" : "");
}

static void
list(const struct policy_profile *p, struct buf *out)
{
	buf_printf(out, "profile %s (%s)\n%s\n", p->name, p->binary, p->why);
	buf_printf(out, "\nlimit files %llu%s\nlimit file-size %llu\nlimit stack %llu%s\nlimit address-space %s\n",
	    (unsigned long long)p->limits.files, p->limits.files == 0 ? " (the hard limit)" : "",
	    (unsigned long long)p->limits.file_size, (unsigned long long)p->limits.stack,
	    p->limits.stack == 0 ? " (as is)" : "", p->limits.address_space ? "configured" : "none");
	buf_printf(out, "namespaces %s\n", p->namespaces ? "user network ipc" : "none");
	list_paths(p, out);
	buf_printf(out, "\nanything else       %s\n",
	    p->unlisted == 0 ? "kill, on every ABI" : "ENOSYS; on foreign ABIs kill");
	list_rules(p, out);
}

static void
read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "r");
	char text[4096];
	size_t n;

	while (f != NULL && (n = fread(text, 1, sizeof(text), f)) > 0)
		buf_append(out, text, n);
	if (f != NULL)
		fclose(f);
}

/* Lines of a that b lacks. */
static void
print_missing(const char *a, const char *b, char sign)
{
	for (const char *end; *a != '\0'; a = end + 1) {
		char line[256];

		if ((end = strchr(a, '\n')) == NULL)
			return;
		snprintf(line, sizeof(line), "%.*s\n", (int)(end - a), a);
		if (strstr(b, line) == NULL)
			fprintf(stderr, "%c %s", sign, line);
	}
}

static void
test_listings_are_as_reviewed(void **state)
{
	const char *mode = getenv("CARREL_GOLDEN");
	const struct policy_profile *p;
	bool differs = false;

	(void)state;
	for (size_t at = 0; (p = profile_at(at)) != NULL; at++) {
		struct buf now = { .max = 0 }, golden = { .max = 0 };
		char path[4096];

		snprintf(path, sizeof(path), SOURCE_DIR "/tests/golden/filters/%s.txt", p->name);
		list(p, &now);
		if (mode != NULL && strcmp(mode, "write") == 0) {
			FILE *f = fopen(path, "w");

			assert_non_null(f);
			fputs(buf_cstr(&now), f);
			fclose(f);
		}
		read_file(path, &golden);
		if (strcmp(buf_cstr(&now), buf_cstr(&golden)) != 0) {
			fprintf(stderr, "%s is not as reviewed:\n", path);
			print_missing(buf_cstr(&golden), buf_cstr(&now), '-');
			print_missing(buf_cstr(&now), buf_cstr(&golden), '+');
			differs = true;
		}
		buf_fini(&now);
		buf_fini(&golden);
	}
	assert_false(differs);
}

/* What ssh does with the one socket that it makes, and with its signals. */
static bool
is_of_ssh(const struct policy_rule *r)
{
	return strcmp(r->syscall, "bind") == 0 || strcmp(r->syscall, "listen") == 0 ||
	    strcmp(r->syscall, "rt_sigaction") == 0;
}

/* A program that is not ours is run, and asks for a limit: it sets none. */
static bool
may_start(const struct policy_rule *r)
{
	return strcmp(r->syscall, "execve") == 0 ||
	    (strcmp(r->syscall, "prlimit64") == 0 && r->verdict == POLICY_ALLOW_IF && r->args[0].index == 2 &&
		r->args[0].mask == UINT64_MAX && r->args[0].value == 0);
}

/* What only a sanitizer needs must not be in a release, and nothing more dangerous ever, but to refuse it. */
static void
test_no_profile_names_what_is_dangerous(void **state)
{
	static const char *const never[] = {
		"execve", "execveat", "connect", "bind", "listen", "socketpair", "process_vm_readv",
		"process_vm_writev", "mount", "umount2", "unshare", "setns", "bpf", "perf_event_open",
		"io_uring_setup", "io_uring_enter", "keyctl", "add_key", "init_module", "finit_module",
		"kexec_load", "userfaultfd", "chmod", "fchmod", "fchmodat", "chown", "fchownat", "setuid",
		"setresuid", "capset", "seccomp", "landlock_create_ruleset", "memfd_create", "openat2",
		"open_by_handle_at", "shmat", "personality", "pkey_mprotect", "truncate", "symlink",
		"symlinkat", "mknod", "mknodat", "chroot", "pivot_root", "setrlimit",
#ifndef CARREL_SANITIZED
		"ptrace", "clone", "clone3", "fork", "vfork", "prctl", "prlimit64", "open", "creat",
		"sigaltstack", "rt_sigaction", "wait4",
#endif
	};

	const struct policy_profile *p;

	(void)state;
#ifndef CARREL_SANITIZED
	assert_null(policy_sanitizer_set);
#else
	assert_non_null(policy_sanitizer_set);
#endif
	for (size_t at = 0; (p = profile_at(at)) != NULL; at++)
		for (size_t i = 0; p->sets[i] != NULL; i++)
			for (const struct policy_rule *r = p->sets[i]; r->syscall != NULL; r++)
				for (size_t j = 0; j < sizeof(never) / sizeof(never[0]); j++)
					if (strcmp(r->syscall, never[j]) == 0 && r->verdict != POLICY_REFUSE &&
					    ((p != &policy_pdf && p != &policy_ssh) || !may_start(r)) &&
					    (p != &policy_ssh || !is_of_ssh(r)))
						fail_msg("%s names %s", p->name, never[j]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filters_do_what_the_tables_say),
		cmocka_unit_test(test_what_is_needed_on_arm64),
		cmocka_unit_test(test_refuses_tables_that_mix),
		cmocka_unit_test(test_listings_are_as_reviewed),
		cmocka_unit_test(test_no_profile_names_what_is_dangerous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
