# The lines of a C file that the formatter looks at, as its --lines options:
# what functions do.  Tables, whether in functions or outside, declarations and
# macros stand as they read best, which it does not know.
function end_range(to) {
	if (from > 0 && to >= from)
		printf "--lines=%d:%d ", from, to
	from = 0
}
/^\{$/ { inside = 1; table = 0; from = FNR + 1; next }
/^\}/ { if (inside) end_range(FNR - 1); inside = 0; next }
!inside { next }
/^#/ || /\\$/ { end_range(FNR - 1); next }
!table && (/= \{/ || /\)\{/) && !/;/ { end_range(FNR - 1); table = 1; next }
table { if (/;/) table = 0; next }
from == 0 { from = FNR }
