"""A database that is slow to accept connections is waited for: by a command without a daemon, by the first call of a client
that starts the server itself, and by a daemon. A call that is cancelled and a call that takes too long end on the database
too. A worker that is killed during a call is replaced, and the call is answered. A database that does not exist, or is
locked, is reported with what to do."""
import json, os, signal, socket, subprocess, threading, time

import matrix

TITLE = 'Trouble'
COLD_S = 7
SETUP = "CREATE TABLE t (id integer PRIMARY KEY, name text); INSERT INTO t VALUES (1, 'one'), (2, 'two');"
TOOLS = ['sql_execution', 'sl_query', 'discover_data', 'entity_details', 'ask_question']


class Slow:
    """A proxy on loopback whose every connection to a server is made after a sleep."""

    def __init__(self, port, sleep):
        self.onward, self.sleep = port, sleep
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()
            except OSError:
                return

    def serve(self, client):
        time.sleep(self.sleep)
        server = socket.create_connection(('127.0.0.1', self.onward))
        back = threading.Thread(target=self.pump, args=(server, client), daemon=True)
        back.start()
        self.pump(client, server)

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()


def stdio(project, connection):
    """The tools that the first list names, and the first call's answer, of a client that starts the server itself."""
    say = [{'id': 1, 'method': 'initialize', 'params': {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'x', 'version': '1'}}},
           {'method': 'notifications/initialized'}, {'id': 2, 'method': 'tools/list'},
           {'id': 3, 'method': 'tools/call', 'params': {'name': 'sql_execution', 'arguments': {'connectionId': connection, 'sql': 'SELECT name FROM t ORDER BY id'}}}]
    server = subprocess.Popen([os.path.join(project.programs, 'carrel'), 'mcp', 'stdio', '--project-dir', project.dir], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    server.stdin.write(''.join(json.dumps({'jsonrpc': '2.0', **m}) + '\n' for m in say))
    server.stdin.flush()
    answers = {}
    while 3 not in answers and (line := server.stdout.readline()):
        answers[json.loads(line).get('id')] = json.loads(line)
    server.stdin.close()
    server.wait(30)
    server.stdout.close()
    return [t['name'] for t in answers[2]['result']['tools']], answers[3].get('result', answers[3])


def cold(column, results):
    """Commands and calls that are the first to need a database that takes COLD_S seconds to accept; what went wrong."""
    wrong, proxy = [], None
    connection = column.connection('faults')
    if column.port:
        proxy = Slow(column.port(), COLD_S)
        connection = column.connection('faults', port=proxy.port)
    project = matrix.Project(results, 'cold-' + column.name, {'connections': {'c': connection}})
    ways = {'scan': lambda: project.json('scan'), 'connection test': lambda: project.json('connection', 'test', 'c'),
            'sql': lambda: project.json('sql', 'SELECT count(*) FROM t')['rows'] == [[2]] or wrong.append('sql: other rows')}

    def command(name):
        try:
            ways[name]()
        except (matrix.Failed, subprocess.TimeoutExpired) as e:
            wrong.append('%s: %s' % (name, e))

    def client():
        tools, answer = stdio(project, 'c')
        missing = [t for t in TOOLS if t not in tools]
        if missing:
            wrong.append('the first list lacks %s' % missing)
        if (answer.get('structuredContent') or {}).get('rows') != [['one'], ['two']]:
            wrong.append('the first call over stdio: %s' % str(answer)[:300])

    command('scan')     # the others need what it writes
    at_once = [threading.Thread(target=command, args=(name,)) for name in ('connection test', 'sql')] + [threading.Thread(target=client)]
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join()
    with project:
        try:
            if project.sql('c', 'SELECT name FROM t ORDER BY id')['rows'] != [['one'], ['two']]:
                wrong.append('by a daemon: other rows')
        except matrix.Failed as e:
            wrong.append('by a daemon: %s' % e)
    if proxy:
        proxy.close()
    return wrong


def missing(column, results):
    project = matrix.Project(results, 'missing-' + column.name, {'connections': {'gone': column.connection('no such database')}})
    since = time.monotonic()
    done = project.command('sql', 'SELECT 1', check=False)
    said = done.stderr.strip()
    wrong = [] if done.returncode == 1 and '"gone"' in said and '\n' not in said else ['exit code %d: %s' % (done.returncode, said)]
    return wrong + (['after %d s' % (time.monotonic() - since)] if time.monotonic() - since > 10 else [])


def locked(column, results):
    project = matrix.Project(results, 'locked-' + column.name, {'connections': {'held': column.connection('faults')}})
    with column.locked('faults'):
        done = project.command('sql', 'SELECT count(*) FROM t', check=False)
    wrong = [] if done.returncode == 1 and 'lock' in done.stderr and '\n' not in done.stderr.strip() else ['%d: %s' % (done.returncode, done.stderr)]
    return wrong + ([] if project.json('sql', 'SELECT count(*) FROM t')['rows'] == [[2]] else ['not answered afterwards'])


def workers(project):
    """Process ids of the SQL workers, empty until each of them is ready."""
    sql = [c for c in project.json('status')['daemon']['children'] if c['role'] == 'sql']
    return [c['pid'] for c in sql] if all(c['state'] == 'ready' for c in sql) else []


def busiest(pids):
    """The process that has had the most processor time lately."""
    def ticks(pid):
        with open('/proc/%d/stat' % pid, encoding='utf-8') as f:
            return int(f.read().rpartition(') ')[2].split()[11])
    before = {pid: ticks(pid) for pid in pids}
    time.sleep(0.3)
    return max(pids, key=lambda pid: ticks(pid) - before[pid])


def under_way(project, statement, then):
    """What becomes of a long statement, when then() is called while it runs."""
    answer = []

    def call():
        try:
            answer.append(project.sql('f', statement))
        except matrix.Failed as e:
            answer.append(e.error)
    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(0.5)
    then()
    thread.join(60)
    return answer[0] if answer else 'no answer'


def interrupted(column, results):
    """Cells of calls that do not end by themselves."""
    wrong = {'a statement that takes too long': [], 'a cancelled call': [], 'a worker that is killed': []}
    connections = {'f': {**column.connection('faults'), 'workers': 2}}
    endless, again = column.statements['endless'], lambda: project.sql('f', 'SELECT count(*) FROM t')['rows'] == [[2]]
    project = matrix.Project(results, 'late-' + column.name, {'limits': {'sql_timeout_s': 2}, 'connections': connections})
    with project:
        since = time.monotonic()
        said = under_way(project, endless, lambda: None)
        if said.get('code') != 'query_timeout' or time.monotonic() - since > 8 or not again():
            wrong['a statement that takes too long'].append('%s after %.1f s' % (said, time.monotonic() - since))
        if not matrix.eventually(lambda: column.idle('faults'), 10):
            wrong['a statement that takes too long'].append('it goes on in the database')
        client = subprocess.Popen([os.path.join(project.programs, 'carrel'), 'sql', endless, '--project-dir', project.dir],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        client.send_signal(signal.SIGINT)
        client.wait(30)
        if not again() or not matrix.eventually(lambda: column.idle('faults'), 2):
            wrong['a cancelled call'].append('it goes on in the database')
    project = matrix.Project(results, 'killed-' + column.name, {'connections': connections})
    with project:
        before = matrix.eventually(lambda: len(workers(project)) >= 2) and workers(project)
        said = under_way(project, column.statements['slow'], lambda: os.kill(busiest(before), signal.SIGKILL))
        if said.get('rows') != [[1]]:
            wrong['a worker that is killed'].append('the call: %s' % said)
        if not matrix.eventually(lambda: again() and len(set(workers(project)) - set(before)) == 1, 20):
            wrong['a worker that is killed'].append('workers before %s, now %s' % (before, workers(project)))
    return wrong


def run(columns, results):
    def work(column):
        column.run('faults', SETUP)
        results.check('slow to accept', column, cold(column, results), 'waited for, %d s' % COLD_S if column.port else 'opens a file')
        results.check('not there', column, missing(column, results), 'said')
        results.check('locked', column, locked(column, results), 'said')
        for row, texts in interrupted(column, results).items():
            results.check(row, column, texts)

    matrix.each(columns, work)
