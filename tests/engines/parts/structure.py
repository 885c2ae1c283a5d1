"""What entity_details says of each table is what the engine's own catalogue says: kinds, columns in order, native types,
nullability, keys (of several columns, and to the table itself), defaults, generated and identity columns, unique keys,
checks and comments, of views too. A scan that is out of date is noticed."""
import matrix

TITLE = 'Structure'


def seen(entity):
    """An answer of entity_details in the form of Column.catalogue()."""
    return {
        'kind': entity['kind'], 'comment': entity['comment'],
        'origins': [(c['name'], c.get('default'), c.get('generated'), c.get('identity')) for c in entity['columns']],
        'unique': sorted(i['columns'] for i in entity.get('indexes', []) if i['unique'] and not i.get('primary')),
        'checks': sorted(c['expression'] for c in entity.get('checks', [])),
        'columns': [(c['name'], c['nativeType'], c['nullable'], c['primaryKey'], c['comment']) for c in entity['columns']],
        'keys': sorted((k['fromColumn'], k['toTable'], k['toColumn']) for k in entity['foreignKeys'])}


def run(columns, results):
    def work(column):
        column.run('structure', column.statements['structure'])
        project = matrix.Project(results, 'structure-' + column.name, {'connections': {'s': column.connection('structure')}})
        project.command('scan')
        want = column.catalogue('structure')
        wrong = {'tables and views': [], 'columns and native types': [], 'nullability': [], 'primary keys': [], 'foreign keys': [],
                 'defaults, generated and identity columns': [], 'unique keys': [], 'checks': [],
                 'comments': [], 'scan out of date': []}

        def compare(row, name, got, expected):
            if got != expected:
                wrong[row].append('%s: %s, in the catalogue %s' % (name, got, expected))

        with project:
            for name, table in want.items():
                answer = project.call('entity_details', connectionId='s', entities=[{'table': {'catalog': None, 'db': None, 'name': name}}])['results'][0]
                if not answer.get('ok'):
                    wrong['tables and views'].append('%s: %s' % (name, answer))
                    continue
                got = seen(answer)
                compare('tables and views', name, got['kind'], table['kind'])
                compare('columns and native types', name, [c[:2] for c in got['columns']], [c[:2] for c in table['columns']])
                compare('nullability', name, [c[2] for c in got['columns']], [c[2] for c in table['columns']])
                compare('primary keys', name, [c[3] for c in got['columns']], [c[3] for c in table['columns']])
                compare('foreign keys', name, got['keys'], table['keys'])
                compare('defaults, generated and identity columns', name, got['origins'], table['origins'])
                compare('unique keys', name, got['unique'], table['unique'])
                compare('checks', name, got['checks'], table['checks'])
                compare('comments', name, [got['comment'], *(c[4] for c in got['columns'])], [table['comment'], *(c[4] for c in table['columns'])])
                compare('scan out of date', name, answer['snapshot']['stale'], False)
        for change in filter(None, (column.statements.get('comment'), 'CREATE TABLE afterwards (id integer)')):
            project.command('scan')
            column.run('structure', change)
            if not project.json('details', next(iter(want)))['results'][0]['snapshot']['stale']:
                wrong['scan out of date'].append('%s is not noticed' % change)
        for row, texts in wrong.items():
            results.check(row, column, texts, '%d tables' % len(want) if row != 'scan out of date' else 'noticed')

    matrix.each(columns, work)
