/* Pixels between the nearest four, without the interpreter's lock. The numbers are float32 and each step is rounded, so that they
   are NumPy's to the bit: the compiler must not join products and sums. */

#include <stdint.h>

/* Of a line `wanted` pixels, each between those that begin at `left` and `right`. */
#define ACROSS(NAME, TYPE)                                                                                         \
  static inline void NAME(const TYPE* line, int64_t wanted, int64_t channels, const int32_t* left,                 \
                          const int32_t* right, const float* share, float* out) {                                  \
    for (int64_t x = 0; x < wanted; x++)                                                                           \
      for (int64_t c = 0; c < channels; c++) {                                                                     \
        float near = line[left[x] + c];                                                                            \
        *out++ = near + ((float)line[right[x] + c] - near) * share[x];                                             \
      }                                                                                                            \
  }

/* `count` images of `height` lines, each of `width` numbers, as `rows` of `columns` pixels. A row lies between the lines `above` and
   `below`, of which `scratch` holds the last two: they often serve the next row, too. */
#define RESIZE(NAME, TYPE, LINE)                                                                                   \
  void NAME(const TYPE* images, int64_t count, int64_t height, int64_t width, int64_t channels, int64_t rows,      \
            int64_t columns, const int32_t* above, const int32_t* below, const float* down, const int32_t* left,   \
            const int32_t* right, const float* share, float* out, float* scratch) {                                \
    const int64_t numbers = columns * channels;                                                                    \
    for (int64_t i = 0; i < count; i++, images += height * width) {                                                \
      float *first = scratch, *second = scratch + numbers;                                                         \
      int64_t in_first = -1, in_second = -1;                                                                       \
      for (int64_t y = 0; y < rows; y++, out += numbers) {                                                         \
        if (in_second == above[y]) {                                                                               \
          float* line = first;                                                                                     \
          first = second, second = line;                                                                           \
          in_second = in_first, in_first = above[y];                                                               \
        }                                                                                                          \
        if (in_first != above[y]) LINE(first, in_first = above[y]);                                                \
        const float* other = first;                                                                                \
        if (below[y] != above[y]) {                                                                                \
          if (in_second != below[y]) LINE(second, in_second = below[y]);                                           \
          other = second;                                                                                          \
        }                                                                                                          \
        for (int64_t n = 0; n < numbers; n++) out[n] = first[n] + (other[n] - first[n]) * down[y];                 \
      }                                                                                                            \
    }                                                                                                              \
  }

ACROSS(across_bytes, uint8_t)
ACROSS(across_floats, float)

/* Loops of so many turns are unrolled. */
#define LINE_OF(ACROSS, TO, AT)                                                                                    \
  do {                                                                                                             \
    const void* line = images + (AT) * width;                                                                      \
    if (channels == 3)                                                                                             \
      ACROSS(line, columns, 3, left, right, share, TO);                                                            \
    else if (channels == 1)                                                                                        \
      ACROSS(line, columns, 1, left, right, share, TO);                                                            \
    else                                                                                                           \
      ACROSS(line, columns, channels, left, right, share, TO);                                                     \
  } while (0)
#define BYTES(TO, AT) LINE_OF(across_bytes, TO, AT)
#define FLOATS(TO, AT) LINE_OF(across_floats, TO, AT)

RESIZE(tfgrad_jax_bytes_resized, uint8_t, BYTES)
RESIZE(tfgrad_jax_floats_resized, float, FLOATS)
