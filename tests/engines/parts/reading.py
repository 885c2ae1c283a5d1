"""What `carrel audit-sql` tries is held by the layers together, and honest statements pass. Statements that write are
refused and leave rows and catalogue as they were. Whatever a statement tried, the next one finds the session as it was."""
import matrix

TITLE = 'Reading alone'
SETUP = "CREATE TABLE kept (id integer PRIMARY KEY, note text); INSERT INTO kept VALUES (1, 'one'), (2, 'two');"
WRITES = ["INSERT INTO kept VALUES (3, 'three')", "UPDATE kept SET note = 'x'", 'DELETE FROM kept', 'DROP TABLE kept',
          'CREATE TABLE other (id integer)', 'ALTER TABLE kept ADD COLUMN more integer', 'CREATE INDEX i ON kept (note)',
          'CREATE VIEW v AS SELECT 1', 'SELECT 1; DELETE FROM kept', 'BEGIN', 'COMMIT', 'WITH x AS (SELECT 1) DELETE FROM kept']


def refused(project, statement):
    """The error code, or None when the statement was run."""
    try:
        project.sql('r', statement)
    except matrix.Failed as e:
        return e.error.get('code')
    return None


def run(columns, results):
    def work(column):
        column.run('reading', SETUP)
        project = matrix.Project(results, 'reading-' + column.name, {
            'limits': {'sql_timeout_s': 2}, 'connections': {'r': {**column.connection('reading'), 'workers': 1}}})
        inputs = project.json('audit-sql', 'r')['inputs']
        wrong = ['%s: %s' % (i['input'][:120], i['outcome']) for i in inputs if not i['right']]
        results.check('audit-sql', column, wrong, 'all is held, all honest ones pass')
        rows = lambda: (column.query('reading', 'SELECT * FROM kept ORDER BY id;'), column.catalogue('reading'))
        before, wrong, left = rows(), [], []
        with project, column.log('information_schema.ROUTINES') as asked:
            for statement in [*WRITES, *column.statements['writes']]:
                code = refused(project, statement)
                if code not in ('forbidden_sql', 'invalid_sql'):
                    wrong.append('%s: %s' % (statement, code or 'it was run'))
                if rows() != before:
                    wrong.append('%s: the database is another' % statement)
            if asked():
                wrong.append('what is refused asks %d times for routines' % asked())
            state = lambda: project.sql('r', column.statements['state'])['rows']
            clean = state()
            for statement in column.statements['traces']:
                refused(project, statement)
                now = state()
                if now != clean:
                    left.append('after %s: %s, before %s' % (statement, now, clean))
        results.check('statements that write', column, wrong, '%d refused' % (len(WRITES) + len(column.statements['writes'])))
        results.check('a session after them', column, left, '%d leave nothing' % len(column.statements['traces']))

    matrix.each(columns, work)
