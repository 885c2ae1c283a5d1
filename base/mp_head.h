/*
 * mp_head.h - for base/ alone: mp_head() for the inner loops of the scanner,
 * the readers and the JSON writer.
 */
#pragma once

#include "base/mp.h"

/* width bytes, big end first. */
static inline uint64_t
mp_load(const uint8_t *p, size_t width)
{
	switch (width) {
	case 1:
		return p[0];
	case 2:
		return (uint64_t)p[0] << 8 | p[1];
	case 4:
		return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3];
	case 8:
		return mp_load(p, 4) << 32 | mp_load(p + 4, 4);
	default:
		return 0;
	}
}

static inline double
mp_to_double(uint64_t bits, size_t width)
{
	uint32_t low = (uint32_t)bits;
	double d;
	float f;

	if (width == 8) {
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
	memcpy(&f, &low, sizeof(f));
	return (double)f;
}

/* A head of the type byte and a number of width bytes; both known where this is inlined. */
static inline size_t
mp_head_sized(const uint8_t *p, size_t left, struct mp_value *v, enum mp_class class, size_t width)
{
	uint64_t n;

	v->class = class;
	if (left - 1 < width)
		return 0;
	n = mp_load(p + 1, width);
	switch (v->class) {
	case MP_BOOL:
		v->boolean = p[0] & 1;
		break;
	case MP_INT:
		if (width < 8 && n >> (8 * width - 1) != 0)
			n |= UINT64_MAX << (8 * width);	/* sign-extend */
		v->i = (int64_t)n;
		if (v->i >= 0) {
			v->class = MP_UINT;
			v->u = n;
		}
		break;
	case MP_FLOAT:
		v->f = mp_to_double(n, width);
		break;
	case MP_STR:
	case MP_BIN:
		v->s = span_of(p + 1 + width, (size_t)n);
		break;
	case MP_ARRAY:
	case MP_MAP:
		v->n = (size_t)n;
		break;
	default:
		v->u = n;
		break;
	}
	return 1 + width;
}

/* The heads of more than their type byte, and the odd ones. */
static inline size_t
mp_head_wide(const uint8_t *p, size_t left, struct mp_value *v)
{
	switch (p[0]) {
	case 0xc0:
		return mp_head_sized(p, left, v, MP_NIL, 0);
	case 0xc2:
	case 0xc3:
		return mp_head_sized(p, left, v, MP_BOOL, 0);
	case 0xc4:
		return mp_head_sized(p, left, v, MP_BIN, 1);
	case 0xc5:
		return mp_head_sized(p, left, v, MP_BIN, 2);
	case 0xc6:
		return mp_head_sized(p, left, v, MP_BIN, 4);
	case 0xca:
		return mp_head_sized(p, left, v, MP_FLOAT, 4);
	case 0xcb:
		return mp_head_sized(p, left, v, MP_FLOAT, 8);
	case 0xcc:
		return mp_head_sized(p, left, v, MP_UINT, 1);
	case 0xcd:
		return mp_head_sized(p, left, v, MP_UINT, 2);
	case 0xce:
		return mp_head_sized(p, left, v, MP_UINT, 4);
	case 0xcf:
		return mp_head_sized(p, left, v, MP_UINT, 8);
	case 0xd0:
		return mp_head_sized(p, left, v, MP_INT, 1);
	case 0xd1:
		return mp_head_sized(p, left, v, MP_INT, 2);
	case 0xd2:
		return mp_head_sized(p, left, v, MP_INT, 4);
	case 0xd3:
		return mp_head_sized(p, left, v, MP_INT, 8);
	case 0xd9:
		return mp_head_sized(p, left, v, MP_STR, 1);
	case 0xda:
		return mp_head_sized(p, left, v, MP_STR, 2);
	case 0xdb:
		return mp_head_sized(p, left, v, MP_STR, 4);
	case 0xdc:
		return mp_head_sized(p, left, v, MP_ARRAY, 2);
	case 0xdd:
		return mp_head_sized(p, left, v, MP_ARRAY, 4);
	case 0xde:
		return mp_head_sized(p, left, v, MP_MAP, 2);
	case 0xdf:
		return mp_head_sized(p, left, v, MP_MAP, 4);
	default:
		v->class = MP_REFUSED;	/* 0xc1 and the ext types */
		return 0;
	}
}

/* As mp_head(). */
static inline size_t
mp_head_read(const uint8_t *p, size_t left, struct mp_value *v)
{
	uint8_t b;

	if (left == 0) {
		v->class = MP_NIL;
		return 0;
	}
	b = p[0];
	if (b <= 0x7f) {
		v->class = MP_UINT;
		v->u = b;
	} else if (b <= 0x9f) {
		v->class = b <= 0x8f ? MP_MAP : MP_ARRAY;
		v->n = b & 0x0f;
	} else if (b <= 0xbf) {
		v->class = MP_STR;
		v->s = span_of(p + 1, b & 0x1f);
	} else if (b >= 0xe0) {
		v->class = MP_INT;
		v->i = (int8_t)b;
	} else
		return mp_head_wide(p, left, v);
	return 1;
}

/* Bytes behind the head that are payload, and values behind it that are children. */
static inline size_t
mp_payload(const struct mp_value *v)
{
	return v->class == MP_STR || v->class == MP_BIN ? v->s.len : 0;
}

static inline size_t
mp_children(const struct mp_value *v)
{
	return v->class == MP_ARRAY ? v->n : v->class == MP_MAP ? v->n * 2 : 0;
}
