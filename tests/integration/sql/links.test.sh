#!/bin/bash
# What is not linked cannot be called: the libraries each program names itself.
set -euo pipefail

libraries() { objdump -p "$BIN_DIR/$1" | sed -n 's/^ *NEEDED *//p' | sed 's/\.so.*//' | sort | tr '\n' ' '; }

expected=" "
expect() { # binary, libraries
	local found
	expected+="$1 "
	found=$(libraries "$1")
	# The loader is named for thread-local variables; a sanitizer build brings its own runtime.
	found=$(echo "$found" | sed 's/ld-linux-x86-64 //; s/libasan //; s/libubsan //; s/libpthread //; s/libdl //; s/librt //')
	if [ "$found" != "$2" ]; then
		echo "$1 is linked with: $found"
		echo "expected:           $2"
		exit 1
	fi
}

# libsodium hashes: digests of columns, the fingerprint of a statement that was left, tokens, names of files.
expect carrel-sql-sqlite "libc libseccomp libsodium libsqlite3 "
# The library of the engine is loaded at run time, before the worker is confined.
expect carrel-sql-duckdb "libc libseccomp libsodium "
# The parser of PostgreSQL is within.
expect carrel-sql-postgres "libc libm libpq libseccomp libsodium "
# TLS, and what it needs, is libmariadb's own.
expect carrel-sql-mysql "libc libmariadb libseccomp libsodium "
# Who reads what strangers send has no library of a database, and none that reads files.  libnettle hashes statements,
# libcrypto verifies tokens of other issuers (workers/jose).
expect carrel-front "libc libcjson libcrypto libevent_core-2.1 libnettle libseccomp libsodium "
expect carrel-search "libc libm libseccomp libutf8proc libyaml-0 "
expect carrel-memory "libc libseccomp libsodium libutf8proc libyaml-0 "
# Whoever presents credentials meets no parser here but SQLite's, of our own statements.  libnettle hashes the audit.
expect carrel-auth "libc libnettle libseccomp libsodium libsqlite3 "
# The same, with the client of the server that several nodes share.
expect carrel-auth-postgres "libc libnettle libpq libseccomp libsodium libsqlite3 "
# Who sees passwords can check them, and nothing else.
expect carrel-pwhash "libc libseccomp libsodium "
# Answers questions with what others tell it: no database, no parser of files; libcurl speaks over sockets it is handed,
# and libsodium hashes what led to an answer.
expect carrel-agent "libc libcjson libcurl libm libseccomp libsodium libutf8proc "
# Who fetches what strangers publish: TLS, HTTP and the signatures of tokens, and no database.
expect carrel-fetch "libc libcrypto libcurl libseccomp "
# Who sends telemetry speaks HTTP over sockets it is handed, and draws the ids of spans.
expect carrel-telemetry "libc libcurl libseccomp libsodium "
# Who hears what ssh says of its server.
expect carrel-tunnel "libc libseccomp "
# Who opens .git reaches no network library of ours; what libgit2 brings along has no socket to use.
expect carrel-git "libc libgit2 libseccomp libsodium libz "
# What reads files of strangers, spreadsheets included, opens no socket and no database but its own.
expect carrel-import "libc libcjson libexpat libm libseccomp libsqlite3 libyaml-0 libzip "
# Neither of these is confined; the command makes and scans a demo, and looks at certificates (doctor).
expect carreld "libc libcjson libevent_core-2.1 libsodium libyaml-0 "
expect carrel "libc libcjson libcrypto libm libnettle libsodium libsqlite3 libssl libutf8proc libyaml-0 libz "
for binary in "$BIN_DIR"/carrel*; do
	if [[ $expected != *" ${binary##*/} "* ]]; then
		echo "${binary##*/} has no line here"
		exit 1
	fi
done
