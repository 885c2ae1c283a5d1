#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/system/io.h"
#include "base/system/process.h"
#include "cli/engine_library.h"
#include "cli/say.h"

#define LIBRARY_MAX	((size_t)512 << 20)
#define SAID_MAX	((size_t)PATH_MAX + 4096)	/* by the process that loads a library */
#define LOAD_S		20u	/* then that process is ended */
#define TAR_BLOCK	512u
#define TAR_NAME	100u
#define TAR_SIZE_AT	124u	/* 12 octal digits */
#define TAR_TYPE_AT	156u	/* '0' or NUL: a file */

static const char *
digest_of(struct cli *cli, struct span library)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	char hex[2 * sizeof(hash) + 1];

	crypto_hash_sha256(hash, library.p, library.len);
	sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	return arena_cstr(cli->arena, span_str(hex));
}

static void
identify_build(struct cli *cli, const struct db_driver *d, struct span library, struct engine_library *out)
{
	out->digest = digest_of(cli, library);
	out->reads = d->library->reads;
	for (const struct driver_build *b = d->library->builds; b->version != NULL && !out->known; b++)
		if ((out->known = strcmp(b->digest, out->digest) == 0))
			out->reads = b->reads;
}

static int
read_whole(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), r = -1;
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return -1;
	if (S_ISREG(st.st_mode))
		r = io_read(fd, 0, LIBRARY_MAX, out);
	else
		errno = EINVAL; /* a pipe would be waited for */
	close(fd);
	return r;
}

/* Writes "version\npath", or "\nreason". */
static void
say_version(const char *path, const char *function, int to)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *at = library == NULL ? NULL : dlsym(library, function);
	struct buf said = { 0 };
	const char *(*version)(void);
	Dl_info where;

	if (at == NULL || dladdr(at, &where) == 0)
		buf_printf(&said, "\n%s", dlerror());
	else {
		memcpy(&version, &at, sizeof(version));
		buf_printf(&said, "%s\n%s", version(), where.dli_fname);
	}
	_exit(io_write(to, buf_view(&said)) == 0 ? 0 : 1);
}

/* A copy in memory, by the name that this process has for it. */
static const char *
hold_copy(struct cli *cli, struct span library)
{
	int fd = memfd_create("library", MFD_CLOEXEC);

	return arena_printf(cli->arena, "/proc/self/fd/%d", fd != -1 && io_write(fd, library) == 0 ? fd : -1);
}

/* held: what is loaded in place of the file, which may be another one by now; empty: the file. */
static void
load_apart(struct cli *cli, const char *path, struct span held, const struct driver_library *l,
    struct engine_library *out)
{
	struct buf said = { 0 };
	struct span rest, version = SPAN("");
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		out->reason = strerror(errno);
		return;
	}
	if ((pid = fork()) == -1) {
		out->reason = strerror(errno);
		close(ends[0]);
		close(ends[1]);
		return;
	}
	if (pid == 0) {
		alarm(LOAD_S);
		say_version(held.len > 0 ? hold_copy(cli, held) : path, l->version, ends[1]);
	}
	close(ends[1]);
	(void)io_read(ends[0], 0, SAID_MAX, &said);
	close(ends[0]);
	(void)process_wait(pid);
	rest = buf_view(&said);
	if (!span_line(&rest, &version))
		out->reason = "it ended the process that loaded it";
	else if (version.len == 0)
		out->reason = arena_cstr(cli->arena, rest);
	else {
		out->version = arena_cstr(cli->arena, version);
		out->path = held.len > 0 ? path : arena_cstr(cli->arena, rest);
	}
	buf_fini(&said);
}

/* Where it is loaded from first, and where it is put. */
static const char *
place_of(struct cli *cli, const struct config *cfg, const struct db_driver *d, bool *configured)
{
	const char *path = cfg == NULL ? NULL : config_library(cfg, d->name);

	*configured = path != NULL;
	return *configured ? path : cli_own_file(cli, d->library->file);
}

static void
identify_file(struct cli *cli, const struct db_driver *d, struct buf *library, struct engine_library *out)
{
	if (out->path != NULL && read_whole(out->path, library) == 0)
		identify_build(cli, d, buf_view(library), out);
}

void
engine_library_find(struct cli *cli, const struct config *cfg, const struct db_driver *d, struct engine_library *out)
{
	bool configured;
	const char *place = place_of(cli, cfg, d, &configured);
	struct buf library = { 0 };

	*out = (struct engine_library){ .path = access(place, F_OK) == 0 ? place : NULL };
	identify_file(cli, d, &library, out);
	if (configured && out->path == NULL)
		out->reason = arena_printf(cli->arena, "there is no file %s", place);
	else if (configured && !out->known)
		out->reason = arena_printf(cli->arena,
		    "%s, which engines.%s in carrel.yaml names, is no known build of %s, so it is not loaded", place,
		    d->name, d->display);
	else {
		load_apart(cli, out->path != NULL ? place : d->library->file,
		    configured ? buf_view(&library) : SPAN_NONE, d->library, out);
		if (out->digest == NULL)
			identify_file(cli, d, &library, out);
	}
	buf_fini(&library);
}

/* Unpacks gzip; false: it is damaged, or larger than a library may be. */
static bool
unpack(struct span packed, struct buf *out)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed.p, .avail_in = (uInt)packed.len };
	static unsigned char part[1 << 16];
	int r = packed.len > UINT_MAX ? Z_DATA_ERROR : inflateInit2(&z, 16 + MAX_WBITS);

	while (r == Z_OK) {
		z.next_out = part;
		z.avail_out = sizeof(part);
		r = inflate(&z, Z_NO_FLUSH);
		if (r == Z_OK || r == Z_STREAM_END)
			buf_append(out, part, sizeof(part) - z.avail_out);
		if (out->full || (r == Z_OK && z.avail_in == 0 && z.avail_out > 0))
			r = Z_DATA_ERROR;
	}
	inflateEnd(&z);
	return r == Z_STREAM_END;
}

/* The file of that name in a tar archive, in whatever directory.  Empty: it is not there. */
static struct span
find_member(struct span tar, const char *file)
{
	while (tar.len >= TAR_BLOCK && tar.p[0] != '\0') {
		struct span name = span_of(tar.p, strnlen((const char *)tar.p, TAR_NAME));
		uint64_t size = 0, whole;
		const uint8_t *slash;

		for (size_t i = TAR_SIZE_AT; i < TAR_SIZE_AT + 11 && tar.p[i] >= '0' && tar.p[i] <= '7'; i++)
			size = size * 8 + (uint64_t)(tar.p[i] - '0');
		whole = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		if (whole > tar.len - TAR_BLOCK)
			break;
		if ((slash = memrchr(name.p, '/', name.len)) != NULL)
			name = span_of(slash + 1, (size_t)(name.p + name.len - slash) - 1);
		if (span_is_str(name, file) && (tar.p[TAR_TYPE_AT] == '0' || tar.p[TAR_TYPE_AT] == '\0'))
			return span_of(tar.p + TAR_BLOCK, size);
		tar = span_of(tar.p + TAR_BLOCK + whole, tar.len - TAR_BLOCK - whole);
	}
	return SPAN("");
}

static bool
is_library_of_machine(struct span library)
{
	Elf64_Ehdr head;

#if defined(__x86_64__)
	const Elf64_Half machine = EM_X86_64;
#else
	const Elf64_Half machine = EM_AARCH64;
#endif
	if (library.len < sizeof(head))
		return false;
	memcpy(&head, library.p, sizeof(head));
	return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_DYN && head.e_machine == machine;
}

static int
write_new(const char *path, struct span bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), r;

	if (fd == -1)
		return -1;
	r = io_write(fd, bytes) == 0 && fsync(fd) == 0 ? 0 : -1;
	return close(fd) == 0 ? r : -1;
}

static int
cannot_put(const char *place)
{
	return cli_fail(CLI_FAILED,
	    "%s cannot be written: %s; run this command as the owner of its directory, or name another place with "
	    "`engines:` in carrel.yaml",
	    place, strerror(errno));
}

/* Under another name first: what cannot be loaded does not take the place of what can. */
static int
put_library(struct cli *cli, const struct db_driver *d, struct span library, const char *place,
    struct engine_library *out)
{
	const char *temporary = arena_printf(cli->arena, "%s.%ld.new", place, (long)getpid());
	int code = CLI_OK;

	if (write_new(temporary, library) != 0)
		code = cannot_put(place);
	else {
		load_apart(cli, temporary, library, d->library, out);
		if (out->version == NULL)
			code = cli_fail(CLI_FAILED, "the library cannot be loaded: %s", out->reason);
		else if (rename(temporary, place) != 0)
			code = cannot_put(place);
	}
	if (code != CLI_OK)
		(void)unlink(temporary);
	out->path = place;
	return code;
}

static int
check_library(const struct db_driver *d, const char *from, struct span library, bool trust, bool configured,
    const struct engine_library *found)
{
	if (library.len == 0)
		return cli_fail(CLI_FAILED, "there is no %s in %s; take it from %s", d->library->file, from,
		    d->library->package);
	if (!is_library_of_machine(library))
		return cli_fail(CLI_FAILED, "%s has no library for this kind of machine; take it from %s", from,
		    d->library->package);
	if (!found->known && !trust)
		return cli_fail(CLI_FAILED,
		    "%s is not a build of %s that is known here (SHA-256 %s); --trust takes it if you know where it is "
		    "from",
		    from, d->display, found->digest);
	if (!found->known && configured)
		return cli_fail(CLI_FAILED,
		    "a place that engines.%s in carrel.yaml names is for known builds of %s alone, because the file "
		    "may "
		    "be a stranger's; without that key --trust puts the library with Carrel's programs",
		    d->name, d->display);
	return CLI_OK;
}

int
engine_library_put(struct cli *cli, const struct config *cfg, const struct db_driver *d, const char *from, bool trust,
    struct engine_library *out)
{
	struct buf file = { 0 }, unpacked = BUF_MAX(LIBRARY_MAX);
	bool configured;
	const char *place = place_of(cli, cfg, d, &configured);
	struct span library;
	int code;

	*out = (struct engine_library){ .path = NULL };
	if (read_whole(from, &file) != 0) {
		code = cli_fail(CLI_FAILED, "%s cannot be read: %s", from, strerror(errno));
		goto out;
	}
	library = buf_view(&file);
	if (library.len >= 2 && library.p[0] == 0x1f && library.p[1] == 0x8b)
		library = unpack(library, &unpacked) ? find_member(buf_view(&unpacked), d->library->file) : SPAN("");
	if (library.len > 0)
		identify_build(cli, d, library, out);
	code = check_library(d, from, library, trust, configured, out);
	if (code == CLI_OK)
		code = put_library(cli, d, library, place, out);
out:
	buf_fini(&file);
	buf_fini(&unpacked);
	return code;
}
