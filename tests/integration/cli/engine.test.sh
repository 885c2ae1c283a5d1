# carrel engine: the library of DuckDB is recognised by its digest, loaded before it takes its place, and used from there.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

run 0 init "$scratch/p" && cd "$scratch/p" || exit 1
mkdir lib
echo 'engines: { duckdb: lib/libduckdb.so }' >>carrel.yaml
run_as 0 engine list && says "there is no file $scratch/p/lib/libduckdb.so"
run 0 engine list && says '"engine":"duckdb"' && says '"version":null'
run 0 doctor && says 'none, and no connection needs it'

# What is no library, of another machine, or not known.
run 2 engine add sqlite --from x && complains 'no engine whose library is loaded'
run 2 engine add duckdb && complains '--from'
run 1 engine add duckdb --from nothing.tgz && complains 'cannot be read'
head -c 4096 /dev/zero >zeros.so
run 1 engine add duckdb --from zeros.so && complains 'no library for this kind of machine'
mkdir package && cp "$BIN_DIR/../tests/wind.so" package/libduckdb.so
{ head -c 18 package/libduckdb.so; printf '\xf3\x00'; tail -c +21 package/libduckdb.so; } >package/other.so
run 1 engine add duckdb --from package/other.so --trust && complains 'no library for this kind of machine'
run 1 engine add duckdb --from package/libduckdb.so && complains 'not a build of DuckDB that is known here'
tar czf package.tgz package && rm package/libduckdb.so && tar czf empty.tgz package
run 1 engine add duckdb --from package.tgz && complains 'not a build of DuckDB that is known here'
run 1 engine add duckdb --from package.tgz --trust && complains 'for known builds of DuckDB alone'
run 1 engine add duckdb --from empty.tgz --trust && complains 'there is no libduckdb.so in empty.tgz'
head -c 2000 package.tgz >cut.tgz
run 1 engine add duckdb --from cut.tgz --trust && complains 'there is no libduckdb.so in cut.tgz'
[ -z "$(ls lib)" ] || fail "left behind: $(ls lib)"
# The administrator's own place, with Carrel's programs, takes what is trusted and can be loaded.
mkdir bin && { ln -L "$carrel" bin/carrel 2>/dev/null || cp "$carrel" bin/carrel; }
elsewhere() { (cd / && "$scratch/p/bin/carrel" engine "$@") >"$out" 2>"$err"; }
elsewhere add duckdb --from "$scratch/p/package.tgz" --trust && fail "a library without its functions is taken"
complains 'cannot be loaded' && complains 'duckdb_library_version'

# No code runs of what a stranger's project names: neither a command nor a worker loads it.
cp "$BIN_DIR/../tests/wind.so" lib/libduckdb.so
run_as 0 engine list && says 'is no known build of DuckDB, so it is not loaded' && says unknown
printf '\0\0\0\0\0\0\0\0DUCK%4096s' '' >data.duckdb
run 0 connection add data --path data.duckdb
run 1 connection test data && complains 'is no known build, so it is not loaded'
run 1 doctor && says 'is no known build of DuckDB, so it is not loaded'

# Nor does anything wait for what is no file.
rm lib/libduckdb.so && mkfifo lib/libduckdb.so
run_as 0 engine list && says 'is no known build of DuckDB, so it is not loaded'

# A connection without its library is unavailable, and says what to do.
rm lib/libduckdb.so
run 1 connection test data && complains 'carrel engine add duckdb'
run 1 doctor && says 'carrel engine add duckdb --from FILE'

library=$BIN_DIR/libduckdb.so
if [ -e "$library" ]; then
	mkdir -p package && ln -L "$library" package/libduckdb.so 2>/dev/null || cp "$library" package/libduckdb.so
	tar cf - package | gzip -1 >known.tgz
	run 0 engine add duckdb --from known.tgz && says '"known":true' && says "$scratch/p/lib/libduckdb.so"
	cmp -s "$library" lib/libduckdb.so || fail "not the library of the package"
	run_as 0 engine list && says known && says 'storage versions 64 to'
	{ cat "$library"; echo; } >changed.so
	run 1 engine add duckdb --from changed.so && complains 'not a build of DuckDB that is known here'
	run 1 engine add duckdb --from changed.so --trust && complains 'for known builds of DuckDB alone'
	elsewhere add duckdb --from "$scratch/p/changed.so" --trust --json && says '"known":false' || fail "$(cat "$err")"
	elsewhere list && says unknown && says 'files of DuckDB 0.10 and newer'
	rm data.duckdb && echo 'CREATE TABLE t AS SELECT range AS i FROM range(100000)' |
		"$BIN_DIR/../tests/duckdb_client" "$library" data.duckdb
	run 0 connection edit data --set threads=3
	run 0 sql -c data 'SELECT sum(i) FROM t' && says 4999950000
fi
finish
