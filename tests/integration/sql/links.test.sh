#!/bin/bash
# What is not linked cannot be called: the libraries each SQL worker names itself.
set -euo pipefail

libraries() { objdump -p "$BIN_DIR/$1" | sed -n 's/^ *NEEDED *//p' | sed 's/\.so.*//' | sort | tr '\n' ' '; }

expect() { # binary, libraries
	local found
	found=$(libraries "$1")
	# The loader is named for thread-local variables; a sanitizer build brings its own runtime.
	found=$(echo "$found" | sed 's/ld-linux-x86-64 //; s/libasan //; s/libubsan //; s/libpthread //; s/libdl //; s/librt //')
	if [ "$found" != "$2" ]; then
		echo "$1 is linked with: $found"
		echo "expected:           $2"
		exit 1
	fi
}

# Digests of columns are SQLite's only here; PostgreSQL makes its own.
expect carrel-sql-sqlite "libc libseccomp libsodium libsqlite3 "
# The parser of PostgreSQL is within.
expect carrel-sql-postgres "libc libm libpq libseccomp "

# Who opens .git reaches no network library of ours; what libgit2 brings along has no socket to use.
expect carrel-git "libc libgit2 libseccomp libsodium libz "
