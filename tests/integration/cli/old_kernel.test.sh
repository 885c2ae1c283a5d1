# A kernel without Landlock: every command that would start a process says what is missing, and nothing is left half made.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
old_kernel=$BIN_DIR/../tests/old_kernel
"$old_kernel" true || exit 77

"$carrel" init --demo "$scratch/p" >/dev/null || { echo "no demo"; exit 1; }
real=$carrel
cat >"$scratch/carrel" <<END
#!/bin/sh
exec "$old_kernel" "$real" "\$@"
END
chmod 755 "$scratch/carrel"
cd "$scratch/p" || exit 1

carrel=$scratch/carrel
printf 'a,b\n1,2\n' >"$scratch/t.csv"
for command in "sql SELECT 1" scan "mcp start --port 0" "mcp stdio" "connection test" "init --demo $scratch/new"; do
	# shellcheck disable=SC2086
	run_as 1 $command && one_sentence && complains "cannot serve" && complains "Landlock ABI 0" && complains "5.19" && complains "carrel doctor"
	grep -q "mcp logs" "$err" && fail "$command: the reason is to be looked up"
done
[ ! -e "$scratch/new" ] || fail "half a project: $(ls -A "$scratch/new")"
run_as 1 dataset import "$scratch/t.csv" && one_sentence && complains "Landlock ABI 0" && complains "carrel doctor"
run_as 1 doctor && says "no Landlock" && says "sandbox: best-effort" && says "lsm=landlock"
run_as 1 sandbox verify && complains "does not hold" && says "NOT REFUSED"
grep -q "not ?" "$out" && fail "what was expected is a riddle"

# Who accepts less is served, and reminded.
printf 'sandbox: best-effort\n' >>carrel.yaml
run_as 0 mcp start --port 0 && run_as 0 sql SELECT 6 '*' 7 && says 42
run_as 0 status && says DEGRADED
run_as 0 dataset import --json "$scratch/t.csv" && says '"taken":1'
run_as 0 doctor && says degraded && says "no Landlock" && says "best-effort"
grep -q WRONG "$out" && fail "doctor calls wrong what the configuration accepts"
run_as 0 mcp stop
finish
