"""A table with a column for every native type, read by sql_execution, by the command line and, published, over REST: each
gives the exact text or number, NULL stays NULL, and headerTypes are the engine's own names. A cell that is text or a number
is what the engine's own client prints."""
import json, math

import matrix

TITLE = 'Values'


def rest(project, connection, names):
    project.command('connectivity', 'enable')
    token = project.json('token', 'create', '--label', 'values')['secret']
    name = project.json('dataset', 'publish', connection, 'kinds')['dataset']['table_name']
    cells = {}
    for column in names:
        status, text = project.http('POST', '/api/v1/ext/sql', {'sql': 'SELECT %s FROM %s ORDER BY id' % (column, name)},
                                    {'Authorization': 'Bearer ' + token})
        cells[column] = [r[0] for r in matrix.loads(text)['rows']] if status == 200 else [text[:200], None]
    return cells


def native(text, cell):
    """Whether the engine's own client prints the cell so; bytes and booleans have a form of their own in JSON.  Clients
    round large floats and name infinity in their own ways."""
    if cell[0] in '{tf':
        return True
    said = str(json.loads(cell)) if cell[0] == '"' else cell
    if 'e+' not in cell and 'nfinity' not in cell:
        return text == said
    return text == said or math.isclose(float(text), float(said), rel_tol=1e-14)


def run(columns, results):
    def work(column):
        kinds = [('c%d' % i, *kind) for i, kind in enumerate(column.values)]
        column.run('values', column.statements.get('before values', '') + 'CREATE TABLE kinds (id integer PRIMARY KEY, %s);' % ', '.join(
            '%s %s' % (name, declared) for name, declared, *_ in kinds) + 'INSERT INTO kinds VALUES (1, %s), (2, %s);' % (
            ', '.join(k[2] for k in kinds), ', '.join('NULL' for _ in kinds)))
        project = matrix.Project(results, 'values-' + column.name, {'connections': {'v': column.connection('values')}})
        project.command('scan')
        wrong = {'over MCP': [], 'by the command line': [], 'over REST': [], "as the engine's client": [], 'types of headers': []}
        with project:
            published = rest(project, 'v', [k[0] for k in kinds])
            for name, declared, literal, cell, header, *client in kinds:
                sql = 'SELECT %s FROM kinds ORDER BY id' % name
                said = '%s of %s: %%s, not %%s' % (literal, declared)
                want = '[%s,null]' % cell
                try:
                    got = project.sql('v', sql)
                    cli = project.json('sql', '-c', 'v', sql)
                except matrix.Failed as e:
                    wrong['over MCP'].append(said % (e, want))
                    continue
                flat = lambda rows: matrix.dumps([r[0] for r in rows])
                printed = [r[0] for r in column.query('values', sql + ';')]
                for way, rows in (('over MCP', flat(got['rows'])), ('by the command line', flat(cli['rows'])),
                                  ('over REST', matrix.dumps(published[name]))):
                    if rows != want:
                        wrong[way].append(said % (rows, want))
                if printed[1] is not None or not native(printed[0], *client or [cell]):
                    wrong["as the engine's client"].append(said % (cell, printed))
                if got.get('headerTypes') != ([header] if header else None):
                    wrong['types of headers'].append(said % (got.get('headerTypes'), header))
        for row, texts in wrong.items():
            results.check(row, column, texts, '%d types' % len(kinds))

    matrix.each(columns, work)
