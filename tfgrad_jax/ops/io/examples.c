/* Serialized examples as programs write them: maps whose entries are a key and a message each, lists in one piece. Whatever is
   written in another way, or is broken, makes a function return -1: Python code reads it, or says what is wrong. A region of bytes is
   where it begins and ends; it begins at -1 where there is none. */

#include <stdint.h>
#include <string.h>

enum { FIRST = 0x0A, SECOND = 0x12, TEXTS = 1, FLOATS = 2, INTEGERS = 3 };

/* Go on behind `tag` and a length, which ends at `end` or before: where that is, or -1. */
static inline int64_t opened(const uint8_t* data, int64_t* at, int64_t end, uint8_t tag) {
  int64_t p = *at;
  if (p >= end || data[p++] != tag) return -1;
  uint64_t size = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (p >= end) return -1;
    uint64_t byte = data[p++];
    size |= (byte & 127) << shift;
    if (byte < 128) {
      if (size > (uint64_t)(end - p)) return -1;
      *at = p;
      return p + (int64_t)size;
    }
  }
  return -1;
}

/* Where the messages lie that have wanted keys in the map in field `tag` of each row; `wanted` times `rows` regions.

   Args:
     ends: where each row ends, and the next one begins.
     keys, key_ends: the keys, one after the other, and where each ends. */
int64_t tfgrad_jax_entries(const uint8_t* data, const int64_t* ends, int64_t rows, int64_t tag, const uint8_t* keys,
                           const int64_t* key_ends, int64_t wanted, int64_t* begin, int64_t* end) {
  for (int64_t i = 0; i < wanted * rows; i++) begin[i] = end[i] = -1;
  for (int64_t row = 0, at = 0; row < rows; row++) {
    int64_t map = at, map_end = at;
    for (int last = 0; at < ends[row];) { /* fields 1 and 2, each once at most */
      int field = data[at];
      if ((field != FIRST && field != SECOND) || field <= last) return -1;
      int64_t stop = opened(data, &at, ends[row], field);
      if (stop < 0) return -1;
      if (field == tag) map = at, map_end = stop;
      last = field, at = stop;
    }
    for (int64_t next = 0; map < map_end;) {
      int64_t stop = opened(data, &map, map_end, FIRST);
      if (stop < 0) return -1;
      int64_t key_stop = opened(data, &map, stop, FIRST);
      if (key_stop < 0) return -1;
      const uint8_t* key = data + map;
      int64_t length = key_stop - map;
      map = key_stop;
      if (opened(data, &map, stop, SECOND) != stop) return -1;
      for (int64_t turn = 0; turn < wanted; turn++, next++) { /* mostly they come in the same order everywhere */
        if (next >= wanted) next = 0;
        int64_t from = next ? key_ends[next - 1] : 0;
        if (key_ends[next] - from == length && !memcmp(keys + from, key, length)) {
          int64_t place = next++ * rows + row;
          if (begin[place] >= 0) return -1;
          begin[place] = map, end[place] = stop;
          break;
        }
      }
      map = stop;
    }
  }
  return 0;
}

/* How many messages stand in field 1 of each region, -1 where there is none, and which regions they are, if that is asked for.
   Returns how many there are in all. */
int64_t tfgrad_jax_items(const uint8_t* data, int64_t count, const int64_t* begin, const int64_t* end, int64_t* counts,
                         int64_t* item_begin, int64_t* item_end) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t before = total;
    for (int64_t at = begin[i], stop; at < end[i]; at = stop, total++) {
      if ((stop = opened(data, &at, end[i], FIRST)) < 0) return -1;
      if (item_begin) item_begin[total] = at, item_end[total] = stop;
    }
    counts[i] = begin[i] < 0 ? -1 : total - before;
  }
  return total;
}

/* Make of regions of features, of which one without a list is none, those of their lists of a kind; numbers are in one piece.
   `counts` are those of the values. Returns how many there are in all. */
static int64_t lists(const uint8_t* data, uint8_t kind, int64_t count, int64_t* begin, int64_t* end, int64_t* counts) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) {
    counts[i] = begin[i] == end[i] ? -1 : 0;
    if (counts[i] < 0) {
      begin[i] = end[i] = -1;
      continue;
    }
    if (opened(data, &begin[i], end[i], kind << 3 | 2) != end[i]) return -1;
    if (kind == TEXTS || begin[i] == end[i]) continue;
    if (opened(data, &begin[i], end[i], FIRST) != end[i]) return -1;
    int64_t size = end[i] - begin[i], whole = 0, bits = 0;
    if (kind == FLOATS) {
      if (size & 3) return -1;
      whole = size >> 2;
    } else {
      for (int64_t at = begin[i]; at < end[i]; at++) {
        bits = data[at] < 128 ? 0 : bits + 7;
        if (bits > 63) return -1;
        whole += !bits;
      }
      if (bits) return -1;
    }
    total += counts[i] = whole;
  }
  return kind == TEXTS ? tfgrad_jax_items(data, count, begin, end, counts, 0, 0) : total;
}

/* `lists` of several keys, of a kind each, whose regions and counts are one after the other; `totals` of each. */
int64_t tfgrad_jax_lists(const uint8_t* data, const uint8_t* kinds, int64_t keys, int64_t count, int64_t* begin, int64_t* end,
                         int64_t* counts, int64_t* totals) {
  for (int64_t k = 0; k < keys; k++, begin += count, end += count, counts += count)
    if ((totals[k] = lists(data, kinds[k], count, begin, end, counts)) < 0) return -1;
  return 0;
}

/* The numbers in regions, one after the other. */
void tfgrad_jax_numbers(const uint8_t* data, int64_t kind, int64_t count, const int64_t* begin, const int64_t* end, uint8_t* out) {
  for (int64_t i = 0; i < count; i++) {
    if (kind == FLOATS) {
      memcpy(out, data + (begin[i] < 0 ? 0 : begin[i]), end[i] - begin[i]);
      out += end[i] - begin[i];
      continue;
    }
    for (int64_t at = begin[i]; at < end[i]; out += 8) {
      uint64_t number = 0;
      for (int shift = 0;; shift += 7) {
        uint64_t byte = data[at++];
        number |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      memcpy(out, &number, 8);
    }
  }
}

/* What one row holds for each key: the values of its feature, or of all steps of its feature list, each of which has a list.

   Args:
     numbers: how many values a feature, or each step, has; -1: any number.
     out: first, of each key, how many steps there are (one of a feature; -1: nothing has the key, or the feature has no list), and of
       each key how many values; then these, of each key from a multiple of 8 bytes on: 8 or 4 bytes each, of a text where it begins
       and ends. At most 3 * wanted + size times 8 bytes, as what takes a byte of a message takes no more of these. */
int64_t tfgrad_jax_alone(const uint8_t* data, int64_t size, int64_t tag, const uint8_t* keys, const int64_t* key_ends,
                         const uint8_t* kinds, const int64_t* numbers, int64_t wanted, int64_t* out) {
  int64_t *counts = out + wanted, *to = counts + wanted;
  if (tfgrad_jax_entries(data, &size, 1, tag, keys, key_ends, wanted, out, counts)) return -1;
  for (int64_t k = 0; k < wanted; k++) {
    int64_t at = out[k], end = counts[k], steps = at < 0 ? -1 : 0, total = 0;
    uint8_t* values = (uint8_t*)to;
    while (at < end || (at == end && tag == FIRST && !steps)) {
      int64_t begin = at, stop = end, count;
      if (tag == SECOND && (stop = opened(data, &begin, end, FIRST)) < 0) return -1;
      at = stop + (tag == FIRST);
      if (lists(data, kinds[k], 1, &begin, &stop, &count) < 0) return -1;
      if (count < 0 && tag == FIRST) {
        steps = -1;
        break;
      }
      if (count < 0 || (numbers[k] >= 0 && count != numbers[k])) return -1;
      if (kinds[k] == TEXTS) {
        for (int64_t text = begin, last; text < stop; text = last, values += 16) {
          last = opened(data, &text, stop, FIRST);
          memcpy(values, &text, 8), memcpy(values + 8, &last, 8);
        }
      } else {
        tfgrad_jax_numbers(data, kinds[k], 1, &begin, &stop, values);
        values += count * (kinds[k] == FLOATS ? 4 : 8);
      }
      steps++, total += count;
    }
    out[k] = steps, counts[k] = total;
    to += (values - (uint8_t*)to + 7) / 8;
  }
  return 0;
}
