/* doctor - what `carrel doctor` finds: one function a subject, each adding findings with their fixes. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/daemon/daemon.h"

enum verdict { GOOD, REMARK, BAD };

struct findings {
	struct buf	 text, mp;
	size_t		 mark, n, bad;
};

/* Add a finding, for people and as a map; fix is shown unless it is GOOD. */
void doctor_add(struct findings *f, const char *what, enum verdict verdict, const char *found, const char *fix);

/* The machine: room on each file system that is written to, changed files, descriptors and memory, the clock. */
void doctor_disk(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f);
void doctor_watches(const char *dir, struct findings *f);
void doctor_limits(struct cli *cli, const struct daemon *d, struct findings *f);
void doctor_clock(struct cli *cli, const char *dir, const struct config *cfg, const struct daemon *d,
    struct findings *f);

/* The project: who owns and may write what is in it, secrets, and its connections; cfg NULL when it cannot be read. */
void doctor_files(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f);
void doctor_connections(struct cli *cli, const struct config *cfg, bool works, struct findings *f);

/* server.public_url and server.trusted_proxies: names, certificates, and who is believed. */
void doctor_url(struct cli *cli, const struct config *cfg, const struct daemon *d, struct findings *f);

#endif
