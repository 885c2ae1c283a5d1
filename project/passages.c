/* passages.c - see passages.h: the files of vectors. */
#include <math.h>
#include <string.h>

#include "base/json/json_put.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "base/vector8.h"
#include "project/passages.h"

void
passages_put_head(struct buf *out, const struct passages_head *head)
{
	json_put_object(out, NULL);
	json_put_uint(out, "carrel_vectors", 1);
	json_put_key(out, "model");
	json_write_string(out, head->model);
	json_put_key(out, "dimensions");
	buf_printf(out, "%4zu", head->dimensions);
	json_put_key(out, "vectors");
	buf_printf(out, "%8zu", head->vectors);
	json_end_object(out);
	buf_byte(out, '\n');
}

bool
passages_read_head(struct span line, struct buf *value, struct passages_head *head)
{
	struct mp_value map;
	size_t at;

	value->len = 0;
	if (line.len > PASSAGES_HEAD_MAX || json_read(line, value, &at) != JSON_OK ||
	    !mp_value(buf_view(value), &map) || map.class != MP_MAP || mp_get_uint(&map, "carrel_vectors", 0) != 1)
		return false;
	head->model = mp_get_str(&map, "model", SPAN(""));
	head->dimensions = (size_t)mp_get_uint(&map, "dimensions", 0);
	head->vectors = (size_t)mp_get_uint(&map, "vectors", 0);
	return head->model.len > 0 && head->dimensions > 0 && head->dimensions <= VECTOR8_DIMENSIONS_MAX;
}

static void
put_bytes(struct buf *out, uint64_t number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_byte(out, (uint8_t)(number >> 8 * i));
}

static uint64_t
read_bytes(const uint8_t *p, size_t n)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n; i++)
		number |= (uint64_t)p[i] << 8 * i;
	return number;
}

static void
put_zeroes(struct buf *out, size_t n)
{
	memset(buf_reserve(out, n), 0, n);
	out->len += n;
}

void
passages_put_vector(struct buf *out, const struct passages_vector *v, size_t dimensions)
{
	uint32_t scale;

	memcpy(&scale, &v->scale, sizeof(scale));
	put_bytes(out, v->digest, 8);
	put_bytes(out, scale, 4);
	if (v->bytes != NULL)
		buf_append(out, v->bytes, dimensions);
	else
		put_zeroes(out, dimensions);
}

bool
passages_read_vector(const uint8_t *p, struct passages_vector *out)
{
	uint32_t scale = (uint32_t)read_bytes(p + 8, 4);

	out->digest = read_bytes(p, 8);
	memcpy(&out->scale, &scale, sizeof(scale));
	out->bytes = (const int8_t *)(p + PASSAGES_RECORD);
	return isfinite(out->scale) && out->scale >= 0 && out->scale <= 1;
}
