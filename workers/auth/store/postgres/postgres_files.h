/*
 * postgres_files - files that nodes share: tables, and the function that publishes a revision.
 *
 * file_publish(key, base, next, bytes, gone, sealed_head, list, most): the file `key`, which has the revision `base`
 * (0: it is new), gets the revision `next`, which is one more than the newest of all; gone 1: it is removed.  list
 * has the digests of its pieces, 32 bytes each.  0: it is so; 1: another node published something, so that next is
 * another number; 2: the file has another revision; 3: all files together would take more than `most`; 4: pieces are
 * missing.  Pieces that the revision does not have go with it.
 *
 * What was removed is known for a year, so that a node that was away hears of it.
 */
#pragma once

#define POSTGRES_FILES_LIST \
	"(SELECT substring(list FROM 32 * i + 1 FOR 32) FROM generate_series(0, length(list) / 32 - 1) i)"

#define POSTGRES_FILES \
	"CREATE TABLE shared_file(name bytea PRIMARY KEY, revision bigint NOT NULL UNIQUE, size bigint NOT NULL," \
	" removed bigint NOT NULL, doubt bigint NOT NULL DEFAULT 0, at bigint NOT NULL, head bytea NOT NULL," \
	" digests bytea NOT NULL);" \
	"CREATE INDEX shared_file_doubt ON shared_file(doubt) WHERE doubt > 0;" \
	"CREATE TABLE shared_piece(name bytea NOT NULL, digest bytea NOT NULL, sealed bytea NOT NULL," \
	" PRIMARY KEY(name, digest));" \
	"ALTER TABLE shared_piece ALTER COLUMN sealed SET STORAGE EXTERNAL;" \
	"REVOKE ALL ON shared_file, shared_piece FROM PUBLIC;" \
	"CREATE FUNCTION file_publish(key bytea, base bigint, next bigint, bytes bigint, gone bigint," \
	" sealed_head bytea, list bytea, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$" \
	" DECLARE now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000); BEGIN" \
	" PERFORM pg_advisory_xact_lock(1130459756, 7);" \
	" IF (SELECT coalesce(max(f.revision), 0) FROM shared_file f) <> next - 1 THEN RETURN 1; END IF;" \
	" IF coalesce((SELECT f.revision FROM shared_file f WHERE f.name = key), 0) <> base THEN RETURN 2; END IF;" \
	" IF gone = 0 AND (SELECT coalesce(sum(f.size), 0) FROM shared_file f WHERE f.name <> key) + bytes > most" \
	" THEN RETURN 3; END IF;" \
	" IF EXISTS(SELECT 1 FROM " POSTGRES_FILES_LIST " w(digest) WHERE NOT EXISTS(SELECT 1 FROM shared_piece p" \
	" WHERE p.name = key AND p.digest = w.digest)) THEN RETURN 4; END IF;" \
	" INSERT INTO shared_file(name, revision, size, removed, at, head, digests)" \
	" VALUES(key, next, bytes, gone, now_ms, sealed_head, list) ON CONFLICT (name) DO UPDATE SET" \
	" revision = excluded.revision, size = excluded.size, removed = excluded.removed, doubt = 0," \
	" at = excluded.at, head = excluded.head, digests = excluded.digests;" \
	" DELETE FROM shared_piece p WHERE p.name = key AND p.digest NOT IN " POSTGRES_FILES_LIST ";" \
	" DELETE FROM shared_file f WHERE f.removed = 1 AND f.revision < next" \
	" AND f.at < now_ms - 86400000::bigint * 366;" \
	" PERFORM pg_notify('carrel_word', 'file'); RETURN 0; END $$;"
