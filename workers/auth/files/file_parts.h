/* file_parts - what the files of this folder share. */
#pragma once

#include "workers/auth/files/files.h"
#include "workers/auth/store/store_file.h"

#define FILE_DIGEST	STORE_FILE_DIGEST

/* A file as it was seen: another one of these is possibly another content. */
struct file_stamp {
	uint64_t	ino, size, mtime_ns, ctime_ns;
};

enum file_work {
	FILE_NOTHING,
	FILE_SEND,	/* what is here is new, or has to be looked at */
	FILE_BRING,	/* the store has another revision */
	FILE_DROP,	/* it was removed elsewhere */
	FILE_ASIDE	/* it was changed here and elsewhere */
};

struct file_entry {
	uint8_t		 key[FILE_DIGEST];	/* what the store calls it */
	char		*name;			/* NULL: the store's row tells none, and none here has that key */

	/* the store's row */
	bool		 there, removed, doubted;
	bool		 bad;			/* it was not made by these nodes */
	uint64_t	 revision, size, at_ms;
	uint8_t		 digest[FILE_DIGEST];

	/* what this node remembers: the revision that the file here is, and how it looked then */
	bool		 recorded;
	uint64_t	 rec_revision, rec_at_ms;
	uint8_t		 rec_digest[FILE_DIGEST];
	struct file_stamp rec;

	/* the file here */
	bool		 exists, seen;
	struct file_stamp now;

	enum file_work	 work;
	uint64_t	 wait_ns;		/* not before; 0: at once */
	uint64_t	 held_ns;		/* since when another process has it; 0: it has not */
	char		*trouble;		/* why it failed last; NULL: it did not */
	bool		 full;			/* because there is no room in the store */
};

/* A file on its way. */
struct file_job {
	struct file_entry *e;			/* NULL: nothing is on its way */
	bool		 sends;
	bool		 all;			/* sends also what the store has */
	bool		 looks;			/* is not to be published: its digest is wanted alone */
	int		 dir, fd, out;		/* the file here, -1: none; and what is brought */
	char		 incoming[40];		/* its name until it is there */
	uint64_t	 index, pieces;
	struct file_stamp at;			/* sends: what is read */
	struct buf	 known;			/* digests in the store: of the revision before, or of the one wanted */
	struct buf	 digests;		/* sends: of the file here */
};

struct files {
	struct store	*own, *shared;
	char		*project_dir;
	uint8_t		 key[FILES_KEY];
	uint64_t	 most;
	struct file_entry **v;			/* by key */
	size_t		 n, cap;
	uint64_t	 newest;		/* revision that was listed */
	uint64_t	 heard;			/* what the store's question had said of it then */
	bool		 listed, scanned, list_due;
	uint64_t	 scan_ns;		/* when the directory is looked at again */
	uint64_t	 list_ns;		/* not before; lists what the question says is new */
	uint64_t	 aside;			/* files of that kind */
	char		 aside_name[320];	/* one of them */
	struct file_job	 job;
	struct buf	 piece, sealed;		/* at work */
};
