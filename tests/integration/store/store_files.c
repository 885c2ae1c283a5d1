/* store_files.c - files that two nodes share: sent, brought, killed at each step, changed on both, tampered with. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "tests/integration/store/store_pair.h"
#include "workers/auth/files/files.h"

#define DOCUMENT	"documents/5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11/0123456789abcdef.jsonl"
#define LARGE		(2 * FILES_PIECE + 1000)
#define MOST		((uint64_t)64 << 20)

static struct err err;

struct file_node {
	char		 dir[96];
	struct store	*local, *store;
	struct files	*files;
};

static char *
path_of(const struct file_node *n, const char *name)
{
	return mem_printf("%s/.carrel/%s", n->dir, name);
}

/* The node's project, which stays when the node is closed. */
static void
node_place(const struct store_pair *r, struct file_node *n, char name)
{
	char *command;

	*n = (struct file_node){ .local = NULL };
	snprintf(n->dir, sizeof(n->dir), "%s/%c", r->dir, name);
	command = mem_printf("mkdir -p %s/.carrel/imports %s/.carrel/documents", n->dir, n->dir);
	pair_shell(command);
	free(command);
}

static void
node_begin(struct file_node *n, struct store *local, struct store *shared, uint64_t most)
{
	static const uint8_t key[FILES_KEY] = { 9 };

	n->local = local;
	n->store = shared;
	n->files = files_new(&(struct files_settings){
	    .own = local, .shared = shared, .project_dir = n->dir, .key = key, .most = most });
}

static void
put_file(const struct file_node *n, const char *name, const void *bytes, size_t len)
{
	char *path = path_of(n, name), *directory = mem_text(span_str(path));
	char *as = mem_printf("%s.new", path);
	int fd;

	*strrchr(directory, '/') = '\0';
	(void)mkdir(directory, 0700);
	fd = open(as, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	close(fd);
	assert_int_equal(rename(as, path), 0);
	free(directory);
	free(path);
	free(as);
}

/* Whether the file is that; false also without one. */
static bool
file_is(const struct file_node *n, const char *name, const void *bytes, size_t len)
{
	char *path = path_of(n, name), *have = mem_alloc(len + 1);
	int fd = open(path, O_RDONLY);
	bool same = fd >= 0 && read(fd, have, len + 1) == (ssize_t)len && memcmp(have, bytes, len) == 0;

	if (fd >= 0)
		close(fd);
	free(have);
	free(path);
	return same;
}

static void
drop_file(const struct file_node *n, const char *name)
{
	char *path = path_of(n, name);

	assert_int_equal(unlink(path), 0);
	free(path);
}

static bool
file_is_there(const struct file_node *n, const char *name)
{
	char *path = path_of(n, name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* Steps until nothing is to be done that can be; false: not within so many. */
static bool
node_settle(struct file_node *n, unsigned most)
{
	struct files_state state;

	files_look(n->files);
	for (unsigned quiet = 0; most > 0 && quiet < 40; most--) {
		(void)store_changed_elsewhere(n->store);
		if (files_step(n->files, clock_ns())) {
			quiet = 0;
			continue;
		}
		files_say(n->files, &state);
		if (state.settled)
			return true;
		quiet++;
		usleep(20000);
	}
	return false;
}

static uint8_t *
bytes_of(unsigned seed, size_t len)
{
	uint8_t *bytes = mem_alloc(len);

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
	return bytes;
}

struct two_nodes {
	struct store_pair	*pair;
	struct file_node	 a, b;
};

static int
two_set_up(void **state)
{
	struct two_nodes *t = calloc(1, sizeof(*t));

	assert_int_equal(pair_set_up((void **)&t->pair), 0);
	node_place(t->pair, &t->a, 'a');
	node_place(t->pair, &t->b, 'b');
	if (pair_is_postgres()) {
		node_begin(&t->a, t->pair->local[0], t->pair->a, MOST);
		node_begin(&t->b, t->pair->local[1], t->pair->b, MOST);
	}
	*state = t;
	return 0;
}

static int
two_tear_down(void **state)
{
	struct two_nodes *t = *state;

	files_free(t->a.files);
	files_free(t->b.files);
	assert_int_equal(pair_tear_down((void **)&t->pair), 0);
	free(t);
	return 0;
}

static void
both_settle(struct two_nodes *t)
{
	assert_true(node_settle(&t->a, 10000));
	assert_true(node_settle(&t->b, 10000));
}

static void
test_each_node_has_it(void **state)
{
	struct two_nodes *t = *state;
	uint8_t *large = bytes_of(1, LARGE);
	struct files_state said;

	put_file(&t->a, FILES_IMPORTS, large, LARGE);
	put_file(&t->a, DOCUMENT, "a text of strangers\n", 20);
	put_file(&t->a, DOCUMENT ".vectors", "vectors", 7);
	put_file(&t->a, "documents/5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11/.tmp-1", "half", 4);
	put_file(&t->a, "imports/sales.rejects.jsonl", "rejected", 8);
	both_settle(t);
	assert_true(file_is(&t->b, FILES_IMPORTS, large, LARGE));
	assert_true(file_is(&t->b, DOCUMENT, "a text of strangers\n", 20));
	assert_true(file_is(&t->b, DOCUMENT ".vectors", "vectors", 7));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_file"), 3);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_piece"), 5);
	/* The database reads neither texts nor names. */
	assert_int_equal(
	    pair_number("SELECT count(*) FROM carrel.shared_piece WHERE encode(sealed, 'escape') LIKE '%strangers%'"),
	    0);
	assert_int_equal(
	    pair_number("SELECT count(*) FROM carrel.shared_file f WHERE encode(head, 'escape') LIKE '%documents%'"
			" OR encode(name, 'escape') LIKE '%documents%'"),
	    0);
	files_say(t->b.files, &said);
	assert_int_equal(said.files, 3);
	assert_int_equal(said.missing + said.unsent + said.aside, 0);
	assert_string_equal(said.trouble, "");

	/* Of a change one piece travels; what the revision before had alone goes. */
	pair_psql("UPDATE carrel.shared_piece SET sealed = sealed || ''");
	large[FILES_PIECE + 5] ^= 1;
	put_file(&t->b, FILES_IMPORTS, large, LARGE);
	assert_true(node_settle(&t->b, 10000));
	assert_true(node_settle(&t->a, 10000));
	assert_true(file_is(&t->a, FILES_IMPORTS, large, LARGE));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_piece"), 5);
	assert_int_equal(pair_number("SELECT max(revision) FROM carrel.shared_file"), 4);

	/* What is lost here is brought again; what is removed there is removed here, with its pieces. */
	drop_file(&t->b, DOCUMENT);
	assert_true(node_settle(&t->b, 10000));
	assert_true(file_is(&t->b, DOCUMENT, "a text of strangers\n", 20));
	assert_int_equal(files_remove(t->b.files, "documents/5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11/", &err), 2);
	assert_false(file_is_there(&t->b, DOCUMENT));
	drop_file(&t->a, "documents/5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11/.tmp-1");
	assert_true(node_settle(&t->a, 10000));
	assert_false(file_is_there(&t->a, "documents/5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11"));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_piece"), 3);
	/* And may come again. */
	put_file(&t->a, DOCUMENT, "another", 7);
	both_settle(t);
	assert_true(file_is(&t->b, DOCUMENT, "another", 7));
	free(large);
}

/* A process that makes so many steps on node `number`, and dies; true: it was done before. */
static bool
dies_after(const struct two_nodes *t, const struct file_node *n, int number, unsigned steps)
{
	int status;

	if (fork() == 0) {
		struct file_node own = *n;
		struct store *local = pair_local(t->pair, number);

		node_begin(&own, local, pair_open(t->pair, local), MOST);
		_exit(node_settle(&own, steps) ? 0 : 1);
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
	return WEXITSTATUS(status) == 0;
}

static void
test_killed_at_each_step(void **state)
{
	struct two_nodes *t = *state;
	uint8_t *was = bytes_of(1, LARGE), *is = bytes_of(2, LARGE + 3 * FILES_PIECE);
	size_t len = LARGE + 3 * FILES_PIECE;
	unsigned ends = 0, begun = 0;

	for (unsigned steps = 0; ends < 2; steps++) {
		bool sends = ends == 0;
		const struct file_node *n = sends ? &t->a : &t->b;

		if (steps == 0 && sends) {
			put_file(&t->a, FILES_IMPORTS, was, LARGE);
			assert_true(dies_after(t, &t->a, 3, 10000));
			assert_true(dies_after(t, &t->b, 4, 10000));
			assert_true(file_is(&t->b, FILES_IMPORTS, was, LARGE));
			put_file(&t->a, FILES_IMPORTS, is, len);
		}
		if (dies_after(t, n, sends ? 3 : 4, steps + 1)) {
			ends++;
			steps = 0;
		} else
			begun++;
		/* Never half of it. */
		assert_true(file_is(&t->b, FILES_IMPORTS, was, LARGE) ||
		    (ends == 2 && file_is(&t->b, FILES_IMPORTS, is, len)) ||
		    (ends == 1 && file_is(&t->b, FILES_IMPORTS, is, len)));
		assert_true(file_is(&t->a, FILES_IMPORTS, is, len));
		assert_true(begun < 500);
	}
	assert_true(begun > 6);
	assert_true(file_is(&t->b, FILES_IMPORTS, is, len));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_piece"), 6);
	assert_false(file_is_there(&t->b, "imports/imports.db.not-shared"));
	free(was);
	free(is);
}

static void
test_changed_on_both(void **state)
{
	struct two_nodes *t = *state;
	struct files_state said;

	put_file(&t->a, DOCUMENT, "first", 5);
	both_settle(t);
	put_file(&t->a, DOCUMENT, "of a", 4);
	put_file(&t->b, DOCUMENT, "of b", 4);
	assert_true(node_settle(&t->b, 10000));
	assert_true(node_settle(&t->a, 10000));
	assert_true(file_is(&t->a, DOCUMENT, "of b", 4));
	assert_true(file_is(&t->b, DOCUMENT, "of b", 4));
	assert_true(file_is(&t->a, DOCUMENT FILES_ASIDE, "of a", 4));
	files_say(t->a.files, &said);
	assert_int_equal(said.aside, 1);
	assert_non_null(strstr(said.trouble, "0123456789abcdef.jsonl.not-shared"));
	/* A copy in its place is no change. */
	put_file(&t->a, DOCUMENT, "of b", 4);
	put_file(&t->b, DOCUMENT, "newer", 5);
	assert_true(node_settle(&t->b, 10000));
	assert_true(node_settle(&t->a, 10000));
	assert_true(file_is(&t->a, DOCUMENT, "newer", 5));
	files_say(t->a.files, &said);
	assert_int_equal(said.aside, 1);
	/* The same on both is no conflict, also of one that no node remembers. */
	put_file(&t->a, DOCUMENT ".vectors", "same", 4);
	put_file(&t->b, DOCUMENT ".vectors", "same", 4);
	both_settle(t);
	files_say(t->b.files, &said);
	assert_int_equal(said.aside + said.missing + said.unsent, 0);
}

static void
test_tampered_with(void **state)
{
	struct two_nodes *t = *state;
	uint8_t *large = bytes_of(3, LARGE);
	struct files_state said;

	put_file(&t->a, FILES_IMPORTS, large, LARGE);
	put_file(&t->a, DOCUMENT, "a document", 10);
	assert_true(node_settle(&t->a, 10000));
	pair_psql("UPDATE carrel.shared_piece SET sealed = set_byte(sealed, 45, get_byte(sealed, 45) # 1)");
	assert_true(node_settle(&t->b, 10000));
	assert_false(file_is_there(&t->b, FILES_IMPORTS));
	assert_false(file_is_there(&t->b, DOCUMENT));
	assert_true(files_lack(t->b.files, FILES_IMPORTS, UINT64_MAX));
	files_say(t->b.files, &said);
	assert_int_equal(said.missing, 2);
	assert_non_null(strstr(said.trouble, "was changed there"));
	/* Nor is one taken that somebody made longer than a node could hold. */
	pair_psql("UPDATE carrel.shared_piece SET sealed = sealed || decode(repeat('00', 1000000), 'hex')");
	assert_true(node_settle(&t->b, 10000));
	assert_false(file_is_there(&t->b, FILES_IMPORTS));
	/* A node that has it hears of that, and sends it again. */
	assert_true(node_settle(&t->a, 10000));
	assert_true(node_settle(&t->b, 10000));
	assert_true(file_is(&t->b, FILES_IMPORTS, large, LARGE));
	assert_true(file_is(&t->b, DOCUMENT, "a document", 10));
	/* Pieces of another file, digests, sizes and heads are no better. */
	put_file(&t->a, DOCUMENT, "b document", 10);
	assert_true(node_settle(&t->a, 10000));
	pair_psql(
	    "UPDATE carrel.shared_file SET digests = set_byte(digests, 0, get_byte(digests, 0) # 1) WHERE size = 10");
	assert_true(node_settle(&t->b, 10000));
	assert_true(file_is(&t->b, DOCUMENT, "a document", 10));
	assert_true(node_settle(&t->a, 10000));
	assert_true(node_settle(&t->b, 10000));
	assert_true(file_is(&t->b, DOCUMENT, "b document", 10));
	pair_psql(
	    "UPDATE carrel.shared_file SET head = set_byte(head, 50, get_byte(head, 50) # 1), revision = revision + 1"
	    " WHERE size = 10");
	assert_true(node_settle(&t->b, 10000));
	assert_true(file_is(&t->b, DOCUMENT, "b document", 10));
	files_say(t->b.files, &said);
	assert_non_null(strstr(said.trouble, "was changed there"));
	put_file(&t->a, DOCUMENT, "c document", 10);
	both_settle(t);
	assert_true(file_is(&t->b, DOCUMENT, "c document", 10));
	files_say(t->b.files, &said);
	assert_string_equal(said.trouble, "");
	free(large);
}

static void
test_bounds(void **state)
{
	struct two_nodes *t = *state;
	uint8_t *large = bytes_of(4, LARGE);
	struct files_state said;

	files_free(t->a.files);
	node_begin(&t->a, t->pair->local[0], t->pair->a, LARGE - 1);
	put_file(&t->a, FILES_IMPORTS, large, LARGE);
	put_file(&t->a, DOCUMENT, "small", 5);
	both_settle(t);
	assert_true(file_is(&t->b, DOCUMENT, "small", 5));
	assert_false(file_is_there(&t->b, FILES_IMPORTS));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_piece"), 1);
	files_say(t->a.files, &said);
	assert_int_equal(said.unsent, 1);
	assert_non_null(strstr(said.trouble, "state_files_mb"));
	/* The server decides: another node may have taken the room. */
	put_file(&t->b, FILES_IMPORTS, large, LARGE - 10);
	assert_true(node_settle(&t->b, 10000));
	free(large);
}

/* What is being changed, or has a log that is not in it, is neither read nor replaced. */
static void
test_waits_for_the_import(void **state)
{
	struct two_nodes *t = *state;
	char *lock = path_of(&t->a, "imports/" CONFIG_IMPORTS_LOCK);
	int fd = open(lock, O_RDWR | O_CREAT, 0600);
	struct files_state said;

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	put_file(&t->a, FILES_IMPORTS, "first", 5);
	assert_false(node_settle(&t->a, 30));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_file"), 0);
	put_file(&t->a, "imports/imports.db-wal", "not in it", 9);
	close(fd);
	assert_false(node_settle(&t->a, 30));
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_file"), 0);
	put_file(&t->a, "imports/imports.db-wal", "", 0);
	both_settle(t);
	assert_true(file_is(&t->b, FILES_IMPORTS, "first", 5));
	put_file(&t->b, FILES_IMPORTS, "second", 6);
	put_file(&t->a, "imports/imports.db-wal", "not in it", 9);
	assert_true(node_settle(&t->b, 10000));
	assert_false(node_settle(&t->a, 30));
	assert_true(file_is(&t->a, FILES_IMPORTS, "first", 5));
	/* After some seconds it is said, and not waited for. */
	assert_true(node_settle(&t->a, 10000));
	files_say(t->a.files, &said);
	assert_non_null(strstr(said.trouble, "was interrupted"));
	assert_int_equal(said.missing, 1);
	put_file(&t->a, "imports/imports.db-wal", "", 0);
	assert_true(node_settle(&t->a, 10000));
	assert_true(file_is(&t->a, FILES_IMPORTS, "second", 6));
	free(lock);
}

/* A store that is older, or empty, gets again what the nodes have; what is newer on one of them wins. */
static void
test_store_is_restored(void **state)
{
	struct two_nodes *t = *state;
	struct files_state said;

	put_file(&t->a, DOCUMENT, "first", 5);
	both_settle(t);
	pair_psql("CREATE TABLE old_file AS SELECT * FROM carrel.shared_file; CREATE TABLE old_piece AS SELECT * FROM"
		  " carrel.shared_piece");
	put_file(&t->a, DOCUMENT, "second", 6);
	put_file(&t->a, DOCUMENT ".vectors", "v", 1);
	assert_true(node_settle(&t->a, 10000));
	pair_psql("DELETE FROM carrel.shared_file; DELETE FROM carrel.shared_piece; INSERT INTO carrel.shared_file"
		  " SELECT * FROM old_file; INSERT INTO carrel.shared_piece SELECT * FROM old_piece;"
		  " DROP TABLE old_file; DROP TABLE old_piece");
	both_settle(t);
	assert_true(file_is(&t->a, DOCUMENT, "second", 6));
	assert_true(file_is(&t->b, DOCUMENT, "second", 6));
	assert_true(file_is(&t->b, DOCUMENT ".vectors", "v", 1));
	pair_psql("DELETE FROM carrel.shared_file; DELETE FROM carrel.shared_piece");
	both_settle(t);
	assert_int_equal(pair_number("SELECT count(*) FROM carrel.shared_file"), 2);
	files_say(t->b.files, &said);
	assert_int_equal(said.missing + said.unsent + said.aside, 0);
}

int
store_files_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_node_has_it, two_set_up, two_tear_down),
		cmocka_unit_test_setup_teardown(test_killed_at_each_step, two_set_up, two_tear_down),
		cmocka_unit_test_setup_teardown(test_changed_on_both, two_set_up, two_tear_down),
		cmocka_unit_test_setup_teardown(test_tampered_with, two_set_up, two_tear_down),
		cmocka_unit_test_setup_teardown(test_bounds, two_set_up, two_tear_down),
		cmocka_unit_test_setup_teardown(test_waits_for_the_import, two_set_up, two_tear_down),
		cmocka_unit_test_setup_teardown(test_store_is_restored, two_set_up, two_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
