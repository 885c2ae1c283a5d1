# A carrel-import that was taken over by the file that it reads: a program in its place says what it likes to the command
# that started it, which is bounded, prints no codes of its making and imports nothing that is not there.
. "$SOURCE_DIR/tests/integration/cli/lib.sh" || exit 1

mkdir "$scratch/bin" "$scratch/p"
ln -s "$BIN_DIR"/carrel* "$scratch/bin/"
rm "$scratch/bin/carrel" "$scratch/bin/carrel-import"
cp "$BIN_DIR/carrel" "$scratch/bin/carrel"
run 0 init "$scratch/p"
cd "$scratch/p" || exit 1
printf 'a,b\n1,2\n' >x.csv
carrel=$scratch/bin/carrel

# says SCRIPT - that is what carrel-import does now.
says_instead() {
	printf '#!/bin/bash\nPATH=/usr/bin:/bin\n%s\n' "$1" >"$scratch/bin/carrel-import"
	chmod 755 "$scratch/bin/carrel-import"
}
escape=$(printf '\033')
# What is said for ever, in one line or in many, is not kept; a sanitizer needs more room than there is.
bounded() {
	(
		[[ $(ldd "$carrel") == *libasan* ]] || ulimit -v 200000
		timeout 100 "$carrel" --json dataset import x.csv >"$out" 2>"$err" </dev/null
	)
	code=$?
	[ $code -eq 1 ] || fail "$1: exit code $code"
	complains "$2"
}
says_instead 'head -c 300000000 /dev/zero | tr "\0" a'
bounded "a line without an end" 'signal 9'
says_instead 'yes "{\"permille\":1,\"message\":\"$(head -c 30000 /dev/zero | tr "\0" a)\"}" | head -n 6000'
bounded "progress without an end" 'without a message'
for lie in '' 'x' '[]' '{"rows":7}' '{"error":7}' '{"error":{"message":{"a":1}}}' '{"rows":{' "$(head -c 3000 /dev/zero | tr '\0' '[')"; do
	says_instead "echo '$lie'"
	run 1 dataset import x.csv
done
# Codes reach no terminal, by whichever way.
says_instead "printf '\\033]0;taken\\007' >&2; printf '{\"permille\":1,\"message\":\"\\\\u001b]0;taken\"}\\n'
printf '{\"error\":{\"code\":\"x\",\"message\":\"\\\\u001b]0;taken\"}}\\n'"
run_tty "$carrel" dataset import x.csv
! finds "$escape]0;taken" "$out" || fail "codes reach the terminal"
finds taken "$out" || fail "the reason is lost"
# A table that is said to be there and is not is no table.
says_instead 'echo "{\"rows\":{\"imported\":7,\"rejected\":0},\"columns\":[],\"file\":{}}"'
"$carrel" --json dataset import x.csv >"$out" 2>"$err" </dev/null
carrel=$BIN_DIR/carrel
run 0 dataset list
! finds '"x"' "$out" || fail "a table that is not there is published"
finish
