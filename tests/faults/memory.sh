#!/bin/bash
# Random kills of whoever writes and commits; the project and its history are whole.
# usage: memory.sh PROGRAM BIN_DIRECTORY KILLS [SEED]
set -uo pipefail
program=$1 bin=$2 kills=${CARREL_MEMORY_KILLS:-$3} seed=${4:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
export HOME=$work GIT_CONFIG_NOSYSTEM=1
g() { git -C "$work/repository" -c user.name=U -c user.email=u@example.com "$@"; }
fail() { echo "FAILED: $1"; failed=1; }

git init -q -b main "$work/repository"
echo theirs >"$work/repository/theirs"
"$bin/carrel" init --demo "$work/repository/project" >/dev/null || exit 1
echo 'server: { port: 0 }' >>"$work/repository/project/carrel.yaml"
g add -A && g commit -qm before && echo changed >"$work/repository/theirs" && g add theirs && echo more >>"$work/repository/theirs"

"$program" "$bin/carreld" "$work/repository/project" "$kills" "$seed" >"$work/runs" || fail "what the runs say"

[ -z "$(g fsck --strict --no-dangling 2>&1)" ] || fail "git fsck: $(g fsck --strict --no-dangling 2>&1 | head -n 3)"
left=$(find "$work/repository" \( -name '.carrel-tmp-*' -o -name 'carrel.lock' -o -name 'carrel-*.lock' -o -name 'carrel-work-*' -o -path '*/.git/*.lock' \) | head -n 3)
[ -z "$left" ] || fail "left behind: $left"
[ -z "$(ls "$work/repository/project/.carrel/memory/queue")" ] || fail "the queue is not empty"

# One commit per run that is done, none for one that failed, and the hashes are theirs.
g log --format=%B | sed -n 's/^Carrel-Run: //p' | sort >"$work/committed"
[ -z "$(uniq -d "$work/committed")" ] || fail "committed twice: $(uniq -d "$work/committed" | head -n 3)"
sed -n 's/^error \([^ ]*\).*/\1/p' "$work/runs" | sort | comm -12 - "$work/committed" >"$work/both"
[ ! -s "$work/both" ] || fail "failed and committed: $(head -n 3 "$work/both")"
sed -n 's/^done \([^ ]*\).*/\1/p' "$work/runs" | sort | comm -23 - "$work/committed" >"$work/none"
lost=$(wc -l <"$work/none")
[ "$lost" -eq 0 ] || fail "done and not committed: $lost, $(head -n 3 "$work/none")"
sed -n 's/^done [^ ]* \([0-9a-f]*\)$/\1/p' "$work/runs" | sort >"$work/said"
g rev-list HEAD | sort >"$work/are"
[ -z "$(comm -23 "$work/said" "$work/are")" ] || fail "a commit that is not there: $(comm -23 "$work/said" "$work/are" | head -n 3)"

# What is somebody else's is as it was.
[ "$(g status --porcelain -- theirs)" = "MM theirs" ] || fail "theirs: $(g status --porcelain -- theirs)"
[ -z "$(g log --format= --name-only HEAD~"$(wc -l <"$work/committed")"..HEAD -- | grep -v '^project/\(wiki/global\|semantic-layer/warehouse\)/' | grep .)" ] ||
	fail "files of others were committed"
[ -z "$(g diff --cached --name-only | grep -v '^theirs$')" ] || fail "staged: $(g diff --cached --name-only | head -n 3)"
echo "$(wc -l <"$work/committed") commits of $(wc -l <"$work/runs") runs, $kills kills, seed $seed"
exit $failed
