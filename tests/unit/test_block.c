/* test_block.c - sixteen bytes at once against a loop over them; test_block_portable without the processor's help. */
#include <stdlib.h>

#include "base/block.h"
#include "tests/unit/harness.h"

/* Bytes in which every value comes, next to every kind of neighbour. */
static void
fill(uint8_t *bytes, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

static void
assert_block(block16 got, const uint8_t expect[BLOCK])
{
	uint8_t bytes[BLOCK];

	block_store(bytes, got);
	assert_memory_equal(bytes, expect, BLOCK);
}

static void
compares(void **state)
{
	uint8_t bytes[BLOCK], other[BLOCK], is[BLOCK], most[BLOCK], below[BLOCK], max[BLOCK];

	(void)state;
	for (uint32_t seed = 0; seed < 4096; seed++) {
		uint8_t c = (uint8_t)seed, ascii = c & 0x7f;
		unsigned high = 0;

		fill(bytes, BLOCK, seed);
		fill(other, BLOCK, ~seed);
		bytes[seed % BLOCK] = c;
		for (unsigned i = 0; i < BLOCK; i++) {
			is[i] = bytes[i] == c ? 0xff : 0;
			most[i] = bytes[i] <= c ? 0xff : 0;
			below[i] = bytes[i] < ascii || bytes[i] >= 0x80 ? 0xff : 0;
			max[i] = bytes[i] > other[i] ? bytes[i] : other[i];
			high |= (unsigned)(bytes[i] >> 7) << i;
		}
		assert_block(block_is(block_load(bytes), c), is);
		assert_block(block_at_most(block_load(bytes), c), most);
		assert_block(block_below_or_high(block_load(bytes), ascii), below);
		assert_block(block_max(block_load(bytes), block_load(other)), max);
		assert_int_equal(block_mask(block_load(bytes)), high);
	}
}

/* As much as there is and no byte more: the sanitizer sees a read behind the text. */
static void
loads_parts(void **state)
{
	(void)state;
	for (size_t n = 0; n < BLOCK; n++) {
		uint8_t *text = malloc(n > 0 ? n : 1), expect[BLOCK] = { 0 };

		assert_non_null(text);
		fill(text, n, (uint32_t)n + 1);
		memcpy(expect, text, n);
		assert_block(block_load_part(text, n), expect);
		free(text);
	}
}

static void
finds_numbers(void **state)
{
	uint32_t numbers[BLOCK];

	(void)state;
	for (unsigned i = 0; i < BLOCK; i++)
		numbers[i] = i < 8 ? i * 0x01010101u : 0xffffffffu - (i % 4);
	for (unsigned i = 0; i < BLOCK; i++) {
		unsigned expect = 0;

		for (unsigned j = 0; j < BLOCK; j++)
			expect |= (unsigned)(numbers[j] == numbers[i]) << j;
		assert_int_equal(block_numbers(numbers, numbers[i]), expect);
	}
	assert_int_equal(block_numbers(numbers, 4711), 0);
}

static void
multiplies_signed_bytes(void **state)
{
	static const int8_t extreme[] = { -128, -127, -1, 0, 1, 127 };
	int8_t a[BLOCK], b[BLOCK];
	block_sums sums;
	int32_t expect;

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		fill((uint8_t *)a, BLOCK, round * 2 + 1);
		fill((uint8_t *)b, BLOCK, round * 2 + 2);
		for (unsigned i = 0; round < 36 && i < BLOCK; i++) {
			a[i] = extreme[round % 6];
			b[i] = extreme[round / 6];
		}
		expect = 0;
		for (unsigned i = 0; i < BLOCK; i++)
			expect += a[i] * b[i];
		sums = block_products(block_load(a), block_load(b));
		assert_int_equal(sums[0] + sums[1] + sums[2] + sums[3], expect);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares),
		cmocka_unit_test(loads_parts),
		cmocka_unit_test(finds_numbers),
		cmocka_unit_test(multiplies_signed_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
