#!/usr/bin/env python3
"""engines.py PART [--programs DIR] [--shared DIR] [--results DIR] [--column NAME]... [-v]

Runs one part of the engine matrix (parts/PART.py) on every driver of project/config/drivers.def, and writes its cells to
RESULTS/PART.json.  Exit status 0: every cell is as it should be; 77: the shared cases that the part needs are not there.

PART "table" compares docs/engines.md with the table that the results of all parts make; with --write it writes it.
"""
import argparse, os, shutil, sys, tempfile, traceback

import matrix, table

PARTS = sorted(f[:-3] for f in os.listdir(os.path.join(matrix.HERE, 'parts')) if f.endswith('.py'))


def columns(only):
    made, missing = [], []
    for name, display in matrix.drivers():
        path = os.path.join(matrix.HERE, 'columns', name + '.py')
        if not os.path.exists(path):
            sys.exit('project/config/drivers.def has the driver "%s", and the engine matrix has no tests/engines/columns/%s.py' % (name, name))
        column = matrix.module(path).Column()
        if (column.name, column.display) != (name, display):
            sys.exit('tests/engines/columns/%s.py is not called as the row in project/config/drivers.def' % name)
        if column.available():
            print('left out: %s: %s' % (display, column.available()))
            missing.append(name)
        elif not only or name in only:
            made.append(column)
    return made, missing


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('part', choices=[*PARTS, 'table'])
    ap.add_argument('--programs', default=os.path.join(matrix.SOURCE, 'build/bin'))
    ap.add_argument('--shared', default=os.path.join(matrix.SOURCE, '../shared'))
    ap.add_argument('--results', default=os.path.join(matrix.SOURCE, 'build/tests/engines'))
    ap.add_argument('--column', action='append', help='only this one; its cells are not written')
    ap.add_argument('--write', action='store_true')
    ap.add_argument('-v', action='store_true')
    a = ap.parse_args()
    if a.part == 'table':
        made, missing = columns(None)
        sys.exit(77 if missing else table.compare(made, PARTS, a.results, a.write))
    part = matrix.module(os.path.join(matrix.HERE, 'parts', a.part + '.py'))
    for needed in getattr(part, 'SHARED', ()):
        if not os.path.exists(os.path.join(a.shared, needed)):
            print('%s is not there' % os.path.join(a.shared, needed))
            matrix.write_results(a.results, a.part, None)
            sys.exit(77)
    os.environ['TZ'] = 'UTC'
    scratch = tempfile.mkdtemp(prefix='engines-')
    os.chmod(scratch, 0o755)
    results = matrix.Results(a.part, a.programs, a.shared, scratch, a.v)
    started, (made, _) = [], columns(a.column)
    try:
        for column in made:
            started.append(column)
            column.start(scratch)
        part.run(made, results)
    except Exception as e:
        traceback.print_exc()
        results.fail('all', '%s: %s' % (type(e).__name__, e))
    finally:
        for column in started:
            column.stop()
        shutil.rmtree(scratch, ignore_errors=True)
    if not a.column:
        matrix.write_results(a.results, a.part, {'cells': results.cells, 'failures': results.failures})
    for row, cells in results.cells.items():
        print('%-44s %s' % (row, '; '.join('%s: %s' % cell for cell in cells.items())))
    print('%d failed' % len(results.failures))
    sys.exit(1 if results.failures else 0)


main()
