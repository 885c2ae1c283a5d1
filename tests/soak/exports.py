#!/usr/bin/env python3
"""exports.py [--programs DIR] [ROWS]

How much memory a large export takes while its client reads slowly, on every driver of project/config/drivers.def, as CSV and, of
DuckDB, as Parquet: the most that the front and a worker of the connection have, in kB, during an export of a tenth of ROWS
(1,000,000, some 110 bytes each) and of one of all.  Fails where the ten times longer one takes SLACK more, or has not all rows.
"""
import argparse, os, shutil, sys, tempfile, threading, time, types, urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import matrix

SLACK = 24 << 10    # kB: allocators differ from run to run; the longer export has 100 MB more
SLOW_S = 12         # so long it reads PIECE at a time, with PAUSE between
PIECE, PAUSE = 32 << 10, 0.01


def statement(rows):
    """Its last digit is the first name, so that all rows come as they are made."""
    digits = ' UNION ALL '.join('SELECT %d AS n' % n for n in range(10))
    tables = ['(%s) d%d' % (digits, i) for i in range(len(str(rows)) - 1)]
    text = ', '.join("'%s' AS t%d" % ('x' * 33, i) for i in range(3))
    return 'SELECT d0.n AS n, %s FROM %s' % (text, ' CROSS JOIN '.join(tables))


def processes(project):
    """The front and the workers of the connection: pid and role."""
    return [(p['pid'], p['role']) for p in project.json('status')['daemon']['children'] if p['role'] in ('front', 'sql') and p['pid']]


def memory(pid):
    """Resident memory in kB, without what files map."""
    with open('/proc/%d/status' % pid) as status:
        return sum(int(line.split()[1]) for line in status if line.startswith(('RssAnon', 'RssShmem')))


def read_slowly(project, url, slow):
    """The most that the front and a worker have while a file is read; its lines, bytes and end."""
    of = processes(project)
    most, stop = {'front': 0, 'sql': 0}, threading.Event()

    def watch():
        while not stop.wait(0.05):
            for pid, role in of:
                most[role] = max(most[role], memory(pid))
    watcher = threading.Thread(target=watch)
    watcher.start()
    lines, size, end, until = 0, 0, b'', time.monotonic() + slow
    with urllib.request.urlopen(url, timeout=120) as answer:
        while piece := answer.read(PIECE):
            lines, size, end = lines + piece.count(b'\n'), size + len(piece), piece[-4:]
            if time.monotonic() < until:
                time.sleep(PAUSE)
    stop.set()
    watcher.join()
    return most, lines, size, end


def measure(column, results, rows):
    column.run('empty', 'CREATE TABLE t (id INTEGER PRIMARY KEY);')
    limits = {**matrix.QUICK.get('limits', {}), 'export_rows': rows}
    project = matrix.Project(results, 'exports-' + column.name, {'connections': {'c': column.connection('empty')}, 'limits': limits})
    wrong = []
    with project:
        for kind in ['csv'] + ['parquet'] * (column.name == 'duckdb'):
            peaks = []
            for n in (rows // 10, rows):
                result = project.rpc('tools/call', 'sql_execution', {'name': 'sql_execution', 'arguments': {
                    'connectionId': 'c', 'sql': statement(n), 'maxRows': 1}})
                url = result['_meta']['carrel/export']['url'].replace('.csv', '.' + kind)
                most, lines, size, end = read_slowly(project, url, SLOW_S)
                peaks.append(most)
                if (lines != n + 1) if kind == 'csv' else (end != b'PAR1'):
                    wrong.append('%s as %s has %d lines, and ends with %r' % (column.display, kind, lines, end))
                print('%-12s %-8s %9d rows %10d bytes: front %6d kB, worker %6d kB' % (
                    column.display, kind, n, size, most['front'], most['sql']), flush=True)
            for role in peaks[0]:
                if peaks[1][role] > peaks[0][role] + SLACK:
                    wrong.append('%s as %s: the %s grows with the length of the file: %r' % (column.display, kind, role, peaks))
    return wrong


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--programs', default=os.path.join(matrix.SOURCE, 'build/bin'))
    ap.add_argument('rows', nargs='?', type=int, default=1000000, help='a power of ten')
    a = ap.parse_args()
    scratch, wrong = tempfile.mkdtemp(prefix='exports-'), []
    os.chmod(scratch, 0o755)
    for name, _ in matrix.drivers():
        column = matrix.module(os.path.join(matrix.HERE, 'columns', name + '.py')).Column()
        if column.available():
            print('left out: %s: %s' % (column.display, column.available()))
            continue
        try:
            column.start(scratch)
            wrong += measure(column, types.SimpleNamespace(programs=a.programs, scratch=scratch), a.rows)
        finally:
            column.stop()
    shutil.rmtree(scratch, ignore_errors=True)
    print('\n'.join(wrong) or 'no process grows with the length of a file')
    sys.exit(1 if wrong else 0)


main()
