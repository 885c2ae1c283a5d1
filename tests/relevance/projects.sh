# The projects that are asked, made below $work; for the scripts beside it, which set here, bin, programs and work.

"$bin/carrel" init --demo "$work/demo" >/dev/null

fixture() { # directory name connection
	local scan=$work/$2/raw-sources/$3/live-database/2026-01-01-000000-fixture
	cp -r "$1/$2" "$work/$2"
	mkdir -p "$scan"
	"$programs/relevance-schema" "$1/$2/schema.txt" "$scan"
}
fixture "$here" legacy erp
fixture "$here" clinic dwh
wide_names=(bank hosp hrde iot saas sap shop uni wms)
for name in "${wide_names[@]}"; do
	fixture "$here/wide" "$name" db
done
blind_names=(hotel plant city polis)
for name in "${blind_names[@]}"; do
	fixture "$here/blind" "$name" db
done

# Eleven public databases as one project, without and with their comments, alone and among all projects above.
public_names=(bare comments crowd-bare crowd-comments)
public() { # directory connection how
	local scan=$work/$1/raw-sources/$2/live-database/2026-01-01-000000-fixture
	mkdir -p "$scan"
	if [[ $3 == bare ]]; then
		sed -E 's/^(table [^|]*)\|.*/\1/; s/^(  [^|]*\|[^|]*)\|.*/\1/' "$here/public/$2.txt" >"$work/$2.txt"
	else
		cp "$here/public/$2.txt" "$work/$2.txt"
	fi
	"$programs/relevance-schema" "$work/$2.txt" "$scan"
}
for how in bare comments; do
	for file in "$here"/public/*.txt; do
		public "$how" "$(basename "$file" .txt)" "$how"
	done
	mkdir -p "$work/crowd-$how/semantic-layer"
	cp -r "$work/$how/raw-sources" "$work/crowd-$how/"
	for name in demo:warehouse legacy:erp clinic:dwh "${wide_names[@]/%/:db}" "${blind_names[@]/%/:db}"; do
		for place in raw-sources semantic-layer; do
			if [[ -d $work/${name%:*}/$place/${name#*:} ]]; then
				cp -r "$work/${name%:*}/$place/${name#*:}" "$work/crowd-$how/$place/${name%:*}"
			fi
		done
	done
done

# Databases of others as one project, each a fixture written out of the set's schemas.txt, without or with its comments.
databases() { # set directory how
	mkdir -p "$work/$2-schemas"
	awk -v dir="$work/$2-schemas" -v how="$3" '
		BEGIN {
			type["t"] = "text"; type["n"] = "integer"; type["d"] = "timestamp"
			type["b"] = "boolean"; type["o"] = "blob"
		}
		/^#/ { next }
		/^@/ {
			if (out != "") close(out)
			name = tolower(substr($0, 2)); gsub(/[^a-z0-9-]/, "-", name)
			out = dir "/" name ".txt"
			print "driver sqlite\ndb main" >out
			next
		}
		/^>/ {
			split(substr($0, 3), key, " = | \\. ")
			print "  > " key[1] " | " key[2] " | " key[3] >out
			next
		}
		{
			at = index($0, ": ")
			print "table " substr($0, 1, at - 1) " | " >out
			n = split(substr($0, at + 2), columns, ", ")
			for (i = 1; i <= n; i++) {
				split(columns[i], column, " = ")
				end = length(column[1])
				print "  " substr(column[1], 1, end - 2) " | " type[substr(column[1], end)] " | " \
				    (how == "bare" ? "" : column[2]) >out
			}
		}' "$here/$1/schemas.txt"
	for file in "$work/$2-schemas"/*.txt; do
		scan=$work/$2/raw-sources/$(basename "$file" .txt)/live-database/2026-01-01-000000-fixture
		mkdir -p "$scan"
		"$programs/relevance-schema" "$file" "$scan"
	done
}
databases spider spider bare
databases bird bird bare
databases bird bird-comments comments
awk -F'\t' -v OFS='\t' -v plain="$work/spider.tsv" -v other="$work/spider-syn.tsv" '
	/^#/ { next }
	{ $1 = tolower($1); gsub(/[^a-z0-9-]/, "-", $1); print $1, $2, $4, $5 >plain }
	$2 != $3 { print $1, $3, $4, $5 >other }' "$here/spider/questions.tsv"
