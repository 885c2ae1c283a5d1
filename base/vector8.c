#include <math.h>

#include "base/block.h"
#include "base/vector8.h"

float
vector8_pack(const float *in, size_t n, int8_t *out)
{
	float most = 0;

	for (size_t i = 0; i < n; i++)
		most = fabsf(in[i]) > most ? fabsf(in[i]) : most;
	for (size_t i = 0; i < n; i++)
		out[i] = most > 0 ? (int8_t)lrintf(in[i] / most * 127) : 0;
	return most / 127;
}

int32_t
vector8_product(const int8_t *a, const int8_t *b, size_t n)
{
	block_sums sums = { 0 };
	size_t i;

	for (i = 0; i + BLOCK <= n; i += BLOCK)
		sums += block_products(block_load(a + i), block_load(b + i));
	if (i < n)
		sums += block_products(block_load_part((const uint8_t *)a + i, n - i),
		    block_load_part((const uint8_t *)b + i, n - i));
	return sums[0] + sums[1] + sums[2] + sums[3];
}
