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
