# memory.review: required - what is kept waits for a person, and the way back is to the byte.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

export HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
project=$scratch/project
at() { run "$1" -C "$project" "${@:2}"; }
field() { grep -o "\"$1\":\"[^\"]*\"" "$out" | head -n 1 | cut -d'"' -f4; }
g() { git -C "$project" -c user.name=U -c user.email=u@example.com "$@"; }
files() { (cd "$project" && find wiki semantic-layer -type f -exec sha256sum {} + | sort -k2); }
keep() { printf '%s\n' "$1" >"$scratch/note.md"; at 0 ingest text "$scratch/note.md" "${@:2}" --json && is_json; id=$(field runId); }
is_before() { [ "$(files)" = "$before" ] || fail "$1: not as before: $(diff <(files) <(echo "$before"))"; }

git init -q "$project" && run 0 init --demo "$project"
printf 'memory:\n  review: required\n' >>"$project/carrel.yaml"
g add -A && g commit -qm all
before=$(files)
source=$project/semantic-layer/warehouse/refunds.yaml

# A new subject: a page that is marked, found as such, and no measure.
keep '# Goodwill rate

Goodwill rate is defined as `sum(refunds.amount_ct) / 1000.0`.' -c warehouse
says '"action":"skipped"' && says "waits for approval" && says '"captured":{"wiki":["goodwill-rate"],"sl":[]'
grep -q '^status: proposed$' "$project/wiki/global/goodwill-rate.md" || fail "the page is not marked"
! grep -q goodwill "$source" || fail "the measure was added"
at 0 wiki read goodwill-rate --json && says '"status":"proposed"'
at 0 discover "goodwill rate" --json && says "\"provenance\":{\"author\":\"cli:$(id -u)\"" && says "\"runId\":\"$id\",\"status\":\"proposed\""
run_tty "$carrel" -C "$project" memory log && says "done, proposed"
run_tty "$carrel" -C "$project" wiki search goodwill rate && says "(unreviewed) "
run_tty "$carrel" -C "$project" discover goodwill rate && says "(unreviewed) "
g log -1 --format=%s | finds "^Propose memory: goodwill-rate" || fail "the proposal is no commit"

# The same again, much later, is not proposed twice.
first=$id
keep '# Goodwill rate

Goodwill rate is defined as `sum(refunds.amount_ct) / 1000.0`.'
says "waits for approval says it already" && at 0 memory revert "$id"

# A reviewer corrects it and approves; what was approved is the correction.
sed -i 's/^Goodwill rate is defined as .*/& Only refunds of goodwill./' "$project/wiki/global/goodwill-rate.md"
at 0 memory approve "$first" --json && says '"review":"approved"'
grep -q '^status: approved$' "$project/wiki/global/goodwill-rate.md" || fail "the page is still marked"
grep -q 'Only refunds of goodwill' "$project/wiki/global/goodwill-rate.md" || fail "the correction is lost"
grep -q '^sl_refs: \[refunds.goodwill_rate\]$' "$project/wiki/global/goodwill-rate.md" || fail "the page does not point to the measure"
grep -q 'wiki: goodwill-rate' "$source" || fail "the measure does not point to the page"
at 0 sl query -m refunds.goodwill_rate -c warehouse --json && says '"rowCount":1'
[ "$(g log --format=%s -1)" = "Approve memory: goodwill-rate" ] && [ -z "$(g status --porcelain)" ] || fail "the approval is no commit of all"
at 1 memory approve "$first" && complains "approved already" && one_sentence
at 0 memory revert "$first"
is_before "an approved run taken back"

# A subject that has a page: the proposal stands beside it and becomes a part of it.
keep '# Money units

Money units: refunds are kept in cents too.'
says 'wiki/global/money-units-proposed.md' && grep -q '^refs: \[money-units\]$' "$project/wiki/global/money-units-proposed.md" ||
	fail "the proposal does not say which page it is meant for"
[ "$(g status --porcelain | grep -c money-units.md)" = 0 ] || fail "the page itself was touched"
at 0 memory approve "$id" --json && says 'wiki/global/money-units.md'
[ ! -e "$project/wiki/global/money-units-proposed.md" ] || fail "the proposal is still there"
grep -q 'refunds are kept in cents too' "$project/wiki/global/money-units.md" || fail "the page lacks the text"
at 0 memory show "$id" --json && ! grep -q proposed.md "$out" || fail "the proposal is still among the changes"
at 0 memory revert "$id"
is_before "an extension taken back"

# Turned down: as if it had not been.
keep '# Nonsense

Nonsense means nothing.'
at 0 memory revert "$id"
is_before "a proposal turned down"
at 1 memory approve "$id" && one_sentence

# Not what was proposed any more: nothing is approved, nothing is changed.
keep '# Gone

Gone means away.'
rm "$project/wiki/global/gone.md"
at 1 memory approve "$id" && complains "gone.md" && one_sentence
keep '# Taken

Taken means elsewhere.'
sed -i '/^status: proposed$/d' "$project/wiki/global/taken.md"
at 1 memory approve "$id" && complains "taken.md" && one_sentence
rm "$project/wiki/global/taken.md"
is_before "what could not be approved"

# A measure of that name that came meanwhile: the page is approved, both sides are marked.
keep '# Goodwill total

Goodwill total is defined as `sum(refunds.amount_ct) / 7.0`.' -c warehouse
printf '  - name: goodwill_total\n    expr: sum(amount_ct) / 8.0\n' >>"$source"
at 0 memory approve "$id" --json && says "which contradicts"
grep -q '^  # contradicted on wiki page goodwill-total: sum(amount_ct) / 7.0$' "$source" || fail "the measure is not marked"
grep -q 'sum(amount_ct) / 8.0' "$source" || fail "the measure was changed"
at 0 memory revert "$id"
g fsck --strict --no-dangling || fail "git fsck"
sed -i '/goodwill_total/,+1d' "$source"
is_before "the end"

# Without review nothing waits.
sed -i '/^memory:/,$d' "$project/carrel.yaml"
keep '# Plain

Plain means unreviewed.'
at 1 memory approve "$id" && complains "does not wait for approval" && one_sentence
finish
