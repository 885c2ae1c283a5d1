#!/bin/bash
# How many honest statements the parser of MariaDB's statements refuses, and whether what is sent of the others is
# answered alike: the server's own tests are run through tests/integration/guard/mysql_suite.c.
# usage: my.sh run - mysql_suite.sh BUILD SECONDS [TEST…]
#   TEST: main/join.test; otherwise those of the suites that read most, in the order of a seed (SOAK_SEED).
# Takes the tests from MYSQL_TESTS, a directory with usr/share/mysql/mysql-test and usr/bin/mariadb-test, or from
# Debian's packages mariadb-test-data and mariadb-test.  Leaves BUILD/mysql_suite.report; fails when more than one
# statement in a hundred is refused for a reason that docs/guard.md does not name, or one is answered otherwise.
set -euo pipefail

build=$(realpath "${1:?which build?}") seconds=${2:?how long?}
shift 2
suites=(main json vcol gcol versioning period compat innodb innodb_fts innodb_gis funcs_1 parts sql_sequence maria heap)
work=$(mktemp -d)
trap 'kill "$proxy" 2>/dev/null; rm -rf "$work"' EXIT
here=$(dirname "$(realpath "$0")")
report=$build/mysql_suite.report
rm -f "$report"

if [ -z "${MYSQL_TESTS:-}" ]; then
	(cd "$work" && apt-get -q download mariadb-test-data mariadb-test >/dev/null 2>&1) || exit 77
	for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/tests"; done
	MYSQL_TESTS=$work/tests
fi
tests=$MYSQL_TESTS/usr/share/mysql/mysql-test
cd "$tests"
if [ $# = 0 ]; then
	mapfile -t list < <(for suite in "${suites[@]}"; do
		find . -path "./$suite/*.test" -o -path "./suite/$suite/*.test"
	done | sort | shuf --random-source=<(yes "${SOAK_SEED:-41}"))
	set -- "${list[@]}"
fi

chmod 711 "$work"
export MYSQL_TEST_DIR=$tests MYSQLTEST_VARDIR=$work/var MYSQL_TMP_DIR=$work/var/tmp MYSQL_BINDIR=/usr/bin
export MASTER_MYSOCK=$work/socket MASTER_MYPORT=1 MASTER_MYPORT1=1 DEFAULT_MASTER_PORT=1 MYSQLD_DATADIR=$MY_DIR/data
export MYSQL_STD_DATA=$tests/std_data CHARSETSDIR=/usr/share/mysql/charsets MYSQL_SHAREDIR=/usr/share/mysql
mkdir -p "$MYSQL_TMP_DIR" "$MYSQLTEST_VARDIR/log"
"$build/tests/mysql_suite" "$MASTER_MYSOCK" "$MY_DIR/run/socket" "$report" &
proxy=$!

root() { "$here/../support/my.sh" mysql "$MY_DIR" "$@"; }

# The databases that there were, as the server's own runner leaves them for a test.
prepare() {
	root -N -e "SELECT CONCAT('DROP DATABASE \`', REPLACE(schema_name, '\`', '\`\`'), '\`;') FROM
		information_schema.schemata WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema',
		'performance_schema')" | root -f 2>/dev/null || true
	rm -rf "$MY_DIR/data/test" # with files that a test had written there
	root -f -e "CREATE DATABASE IF NOT EXISTS test CHARACTER SET latin1 COLLATE latin1_swedish_ci; CREATE DATABASE IF NOT EXISTS mtr; USE mtr;
		CREATE PROCEDURE add_suppression(s TEXT) DO 1; SET GLOBAL read_only = 0" 2>/dev/null || true
}

end=$((SECONDS + seconds)) ran=0
for test in "$@"; do
	[ $SECONDS -lt $end ] || break
	! grep -qE 'restart_mysqld|shutdown|kill_mysqld|start_mysqld|_disconnected' "$test" || continue
	root -e 'DO 0' 2>/dev/null || "$here/../support/my.sh" restart "$MY_DIR" immediate || break
	prepare
	# By itself: some kill a server by a file that is not here, which is all of the group.
	setsid --wait timeout 30 "$MYSQL_TESTS/usr/bin/mariadb-test" --no-defaults --silent --user=root --database=test \
		--socket="$MASTER_MYSOCK" --protocol=socket --skip-ssl --basedir="$tests/" --tmpdir="$MYSQL_TMP_DIR" \
		--logdir="$MYSQLTEST_VARDIR/log" --test-file="$test" >/dev/null 2>&1 </dev/null || true
	ran=$((ran + 1))
done

awk -F'\t' -v ran="$ran" '
	{ n[$1]++ }
	END {
		counted = n["same"] + n["renamed"] + n["differs"] + n["named"] + n["refused"]
		printf "%d tests: %d statements that read and succeed; refused %d, %d as docs/guard.md says; ", ran,
		    counted, n["refused"] + n["named"], n["named"]
		printf "answered otherwise %d, not compared %d\n", n["differs"], n["unstable"]
		exit counted == 0 || n["refused"] * 100 > counted || n["differs"] > 0
	}' "$report"
