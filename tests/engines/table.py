"""table.py - docs/engines.md: the cells that the parts of the matrix wrote, as a table a part."""
import json, os, textwrap

import matrix

PAGE = os.path.join(matrix.SOURCE, 'docs/engines.md')
HEAD = """# What each engine has

Carrel does the same on every database engine that it serves. The engine matrix (`tests/engines/`, a part of `make test`)
runs the same things on each of them and compares what comes out; this page is made from its cells
(`tests/engines/engines.py table --write`), and the run fails where they differ. A row of `project/config/drivers.def` without a
column here fails the build.

SQLite is the library that Carrel is built with, PostgreSQL a server of version 15, DuckDB the library of `tests/package.json`
(1.5.6), MariaDB a server of version 10.11. MySQL 8 is served by the same driver and was not tried ([mysql.md](mysql.md)).
"""


def section(part, columns, cells):
    doc = matrix.module(os.path.join(matrix.HERE, 'parts', part + '.py'))
    lines = ['## ' + doc.TITLE, '', textwrap.fill(' '.join(doc.__doc__.split()), 118), '']
    lines.append('| | %s |' % ' | '.join(c.display for c in columns))
    lines.append('|---|%s' % ('---|' * len(columns)))
    for row, values in cells.items():
        lines.append('| %s | %s |' % (row, ' | '.join(values.get(c.name, 'not tried') for c in columns)))
    return '\n'.join(lines) + '\n'


def committed():
    """Sections of the page by title."""
    if not os.path.exists(PAGE):
        return '', {}
    with open(PAGE, encoding='utf-8') as f:
        head, *sections = f.read().split('\n## ')
    return head, {s.split('\n', 1)[0]: '## ' + s.rstrip('\n') + '\n' for s in sections}


def compare(columns, parts, results, write):
    """0, or 1 when the page is not what the run says.  A part whose shared cases are not there keeps its section."""
    head, known = committed()
    page, wrong = [HEAD], []
    if head.rstrip('\n') != HEAD.rstrip('\n'):
        wrong.append('the head')
    for part in parts:
        title, path = matrix.module(os.path.join(matrix.HERE, 'parts', part + '.py')).TITLE, os.path.join(results, part + '.json')
        if not os.path.exists(path):
            wrong.append('the part "%s" has not run' % part)
            continue
        with open(path, encoding='utf-8') as f:
            ran = json.load(f)
        text = known.pop(title, '') if ran is None else section(part, columns, ran['cells'])
        if ran is not None and known.pop(title, None) != text:
            wrong.append('"%s": the run says\n%s' % (title, text))
        page.append(text)
    wrong += ['"%s" is a section of no part' % title for title in known]
    if write:
        with open(PAGE, 'w', encoding='utf-8') as f:
            f.write('\n'.join(page))
        return 0
    for text in wrong:
        print('docs/engines.md: %s' % text)
    if wrong:
        print('where the run is right: ctest -R "^engines\\." && tests/engines/engines.py table --write')
    return 1 if wrong else 0
