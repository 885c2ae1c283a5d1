// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/*
 * test_relevance.c - labelled questions over the demo project: how high up the
 * answer stands.  The bounds are what is reached today, a little rounded down;
 * raise them with the ranking, never lower them for it.
 */
#include "tests/unit/search_rig.h"

#include "project/files.h"

#define DEPTH		10
#define MRR_LEAST	0.92
#define FIRST_FIVE	0.98	/* of the questions have an answer among the first five */

struct score {
	double		reciprocal;
	unsigned	questions, five;
};

/* The rank of the first of the wanted ids among refs; 0: none. */
static unsigned
rank_of(const struct mp_value *refs, const char *wanted)
{
	struct mp_iter it = mp_iter(refs);
	struct mp_value ref;

	for (unsigned rank = 1; mp_next(&it, &ref); rank++) {
		char id[300];
		const char *at;
		size_t n = (size_t)snprintf(id, sizeof(id), "%.*s:%.*s",
		    SPAN_FMT(mp_get_str(&ref, "kind", SPAN(""))), SPAN_FMT(mp_get_str(&ref, "id", SPAN(""))));

		for (at = wanted; (at = strstr(at, id)) != NULL; at += n)
			if ((at == wanted || at[-1] == '|') && (at[n] == '\0' || at[n] == '|'))
				return rank;
	}
	return 0;
}

static void
ask(const char *question, const char *wanted, struct score *score)
{
	struct buf args = { 0 }, b = { 0 };
	struct mp_value result, refs;
	unsigned rank;
	size_t at;

	buf_str(&args, "{\"query\":");
	json_write_string(&args, span_str(question));
	buf_printf(&args, ",\"limit\":%d}", DEPTH);
	assert_int_equal(json_read(span_str(rig_call("discover_data", buf_cstr(&args))), &b, &at), JSON_OK);
	assert_true(mp_value(buf_view(&b), &result) && mp_get(&result, "refs", &refs));
	if (strcmp(wanted, "-") == 0) {
		if (refs.n > 0)
			fail_msg("\"%s\" finds something", question);
	} else {
		rank = rank_of(&refs, wanted);
		score->questions++;
		score->reciprocal += rank > 0 ? 1.0 / rank : 0;
		score->five += rank > 0 && rank <= 5;
		if (rank != 1)
			print_message("%2u  %s\n", rank, question);
	}
	buf_fini(&args);
	buf_fini(&b);
}

static void
answers_stand_at_the_top(void **state)
{
	struct score score = { 0 };
	struct buf text = { 0 };
	char *line, *next;
	int dir = open(SOURCE_DIR "/tests", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(files_read(dir, "relevance/demo.tsv", 1 << 20, &text, NULL), FILES_OK);
	close(dir);
	rig_start(SOURCE_DIR "/demo/project", "[{\"id\":\"warehouse\",\"driver\":\"sqlite\",\"name\":\"w\",\"schemas\":[]}]");
	next = (char *)(uintptr_t)buf_cstr(&text);
	while ((line = strsep(&next, "\n")) != NULL) {
		char *tab = strchr(line, '\t');

		if (line[0] == '#' || tab == NULL)
			continue;
		*tab = '\0';
		ask(line, tab + 1, &score);
	}
	rig_stop();
	buf_fini(&text);
	print_message("%u questions: MRR %.3f, %.3f among the first five\n", score.questions,
	    score.reciprocal / score.questions, (double)score.five / score.questions);
	assert_true(score.reciprocal / score.questions >= MRR_LEAST);
	assert_true((double)score.five / score.questions >= FIRST_FIVE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_stand_at_the_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
