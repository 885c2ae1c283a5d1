# The guide by the commands: setting up, testing, the bundle for whoever helps, the prompt; and REST beside them.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

mkdir "$scratch/project" && cd "$scratch/project" || exit 1
run 0 init --demo .

# get EXPRESSION - a member of the last answer; d is the whole of it.
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }

platforms="claude_desktop claude_code chatgpt_desktop cursor codex opencode gemini vscode windsurf zed openai_custom_gpt
	generic_rest generic_llm"

# --- without a daemon ------------------------------------------------------------------------

run 0 token create --label board && token=$(get d.secret) id=$(get d.token.id)
secret=${token##*_}
for platform in $platforms; do
	for given in "" "--token board"; do
		# shellcheck disable=SC2086
		run 0 connectivity setup "$platform" $given && is_quiet
		holds 'd.steps.length >= 4 && d.steps.every((s, i) => s.step === i + 1 && s.instruction && s.validation)'
		holds 'typeof d.config === "string" && d.troubleshooting.length > 4'
		holds 'd.config_file_path === d.config_file_paths.linux'
		! finds -F "$secret" "$out" || fail "a secret in the guide for $platform"
	done
done
run 0 connectivity setup claude_code && holds 'JSON.parse(d.config).mcpServers.carrel.type === "http"'
run 0 connectivity setup zed
holds "JSON.parse(d.config).context_servers.carrel.args[1] === '$(pwd -P)'"
run 0 connectivity setup generic_llm && holds 'd.system_prompt.includes("/api/v1/ext")'
run 0 connectivity setup cursor && holds '!("system_prompt" in d)'
run 2 connectivity setup netscape && complains "windsurf" && one_sentence && [ ! -s "$out" ]
run 2 connectivity setup
run 1 connectivity setup cursor --token nothing && complains "token list" && one_sentence
run_tty "$carrel" connectivity setup cursor && finds 'mcp\.json' "$out" || fail "no guide for people"

run 0 connectivity test board
holds 'Object.keys(d).join() === "token_valid,scopes,datasets_accessible,sample_query_ok,latency_ms,errors,recommendations"'
holds 'd.token_valid === false && d.errors.length === 1 && d.errors[0].includes("off")'
run 0 connectivity enable && run 0 connectivity test "$id" && holds 'd.token_valid === true && d.errors.length === 0'
run 0 token create --label later --no-reveal && run 0 connectivity test later
holds 'd.token_valid === false && d.recommendations.some(r => r.includes("token reveal"))'
run 0 token revoke later && run 0 connectivity test later
holds 'd.token_valid === false && d.errors.some(e => e.includes("revoked"))'
run 1 connectivity test nothing && one_sentence

# --- what a model is told ---------------------------------------------------------------------

run 0 prompt && holds 'Object.keys(d).join() === "prompt" && d.prompt.includes("http://127.0.0.1:7878/api/v1/ext")'
run 0 prompt --platform cursor && holds 'd.prompt.includes("carrel_list_datasets") && !d.prompt.includes("Base URL")'
run 2 prompt --platform netscape && complains "generic_llm"
run_tty "$carrel" prompt && finds '## How to work' "$out" || fail "no text for people"

# --- with a daemon: REST, and the bundle --------------------------------------------------------

run 0 mcp start --port 0 && url=$(get d.url) && api=${url%/mcp}/api/v1/ext
# ask PATH [curl's arguments] - the status; the answer is in $scratch/answer.
ask() { curl -s -o "$scratch/answer" -w '%{http_code}' "$api/$1" "${@:2}"; }
code() { node -pe "JSON.parse(require('fs').readFileSync('$scratch/answer', 'utf8')).error.code"; }
[ "$(ask health)" = 200 ] && finds '"connectivity_enabled":true' "$scratch/answer" || fail "health"
[ "$(ask openapi.json)" = 200 ] || fail "openapi.json"
[ "$(ask datasets)" = 401 ] && [ "$(code)" = auth_invalid ] || fail "datasets without a token"
run 0 connectivity setup openai_custom_gpt && holds "d.config.includes('$api/openapi.json')"
run 0 prompt && holds "d.prompt.includes('$api')"
run 0 connectivity disable
[ "$(ask datasets -H "Authorization: Bearer $token")" = 503 ] && [ "$(code)" = service_unavailable ] || fail "not off"
[ "$(ask health)" = 200 ] && finds '"connectivity_enabled":false' "$scratch/answer" || fail "health while off"
run 0 connectivity enable

# What is published is there at once: for REST, for the prompt, for the test of a token.
holder() { ask "$1" -H "Authorization: Bearer $token" "${@:2}"; }
answer() { node -pe "const d = JSON.parse(require('fs').readFileSync('$scratch/answer', 'utf8')); $1"; }
[ "$(holder datasets)" = 200 ] && [ "$(answer d.count)" = 0 ] || fail "the datasets before there are any"
run 0 connectivity test board && holds 'd.datasets_accessible === 0 && d.sample_query_ok === false'
holds 'd.recommendations.some(r => r.includes("dataset publish"))'
run 0 dataset publish warehouse orders --name Orders --description "what was ordered" && dataset=$(get d.dataset.id)
[ "$(holder datasets)" = 200 ] && [ "$(answer d.datasets[0].id)" = "$dataset" ] || fail "the datasets"
[ "$(holder "datasets/$dataset/schema")" = 200 ] || fail "the schema of a dataset"
[ "$(answer d.table_name)" = "dataset_${dataset//-/_}" ] || fail "the name of a dataset in SQL"
run 0 connectivity test board && holds 'd.token_valid && d.datasets_accessible === 1 && d.sample_query_ok === true'
run 0 prompt && holds "d.prompt.includes('Orders (id $dataset') && d.prompt.includes('what was ordered')"
run 0 dataset unpublish "$dataset"
[ "$(holder "datasets/$dataset/schema")" = 404 ] && [ "$(code)" = dataset_not_found ] || fail "an unpublished dataset"
[ "$(holder datasets/nothing/schema)" = 404 ] || [ "$(code)" = invalid_arguments ] || fail "a dataset that never was"

run 1 sql -c warehouse "SELECT secret_column_of_mine FROM nowhere"
run 0 connectivity diagnose
holds 'Object.keys(d).join() === "generated_at,versions,status,tokens,last_errors,doctor"'
holds 'd.status.enabled === true && d.tokens.length === 2 && d.doctor.findings.length > 5'
holds 'd.last_errors.length > 0 && d.last_errors.every(e => e.code && !("statement" in e))'
for kept in "$secret" "${secret: -4}" secret_column_of_mine; do
	! finds -F "$kept" "$out" || fail "the bundle holds $kept"
done
run 0 connectivity diagnose -o "$scratch/bundle.json" && [ ! -s "$out" ] && complains "no secret"
[ "$(stat -c %a "$scratch/bundle.json")" = 600 ] || fail "others can read the bundle"
node -e "JSON.parse(require('fs').readFileSync('$scratch/bundle.json', 'utf8'))" || fail "the bundle is no JSON"
run 1 connectivity diagnose -o "$scratch/nowhere/bundle.json" && one_sentence
run 0 mcp stop
finish
