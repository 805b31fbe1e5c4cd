/* Convolutions of float32 arrays by oneDNN, as a foreign function of XLA's.

   The batch is cut into parts, which XLA's own threads take one after the other; oneDNN itself uses one thread for each. (With
   threads of its own, which wait for each other busily, it would take ten times as long where XLA needs a core, too.) Images are
   read and written as they lie, [batch, *spatial, channels]; filters, which are small, are copied into the order that oneDNN
   wants, and out of it.

   Attribute "plan", 64-bit integers: the number n of spatial dimensions; what is wanted (0 the input's gradient, 1 the filters',
   2 the output); groups; sizes of the input, of the filters [*spatial, channels / groups, out] and of the output; strides; what is
   padded before, what after; dilations. */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

/* oneDNN's C API and OpenMP's, as far as they are used. */
enum { FLOAT32 = 3, ANY_LAYOUT = 1, TRAINING = 64, DIRECT = 1, CPU = 1, IN_ORDER = 1, USER = 1, SCRATCHPAD = 136, DIMS = 12 };
enum { FROM = 1, TO = 17, SCRATCH = 80, IMPLEMENTATION = 8 };
typedef void* handle;
typedef int64_t dims[DIMS];
typedef struct {
  int name;
  handle memory;
} argument;
extern int dnnl_engine_create(handle*, int, size_t);
extern int dnnl_stream_create(handle*, handle, unsigned);
extern int dnnl_stream_wait(handle);
extern int dnnl_stream_destroy(handle);
extern int dnnl_primitive_attr_create(handle*);
extern int dnnl_primitive_attr_set_scratchpad_mode(handle, int);
extern int dnnl_memory_desc_create_with_tag(handle*, int, const dims, int, int);
extern int dnnl_memory_desc_create_with_strides(handle*, int, const dims, int, const dims);
extern size_t dnnl_memory_desc_get_size(handle);
extern int dnnl_memory_desc_equal(handle, handle);
extern int dnnl_memory_create(handle*, handle, handle, void*);
extern int dnnl_memory_destroy(handle);
extern int dnnl_convolution_forward_primitive_desc_create(
    handle*, handle, int, int, handle, handle, handle, handle, const dims, const dims, const dims, const dims, handle);
extern int dnnl_convolution_backward_data_primitive_desc_create(
    handle*, handle, int, handle, handle, handle, const dims, const dims, const dims, const dims, handle, handle);
extern int dnnl_convolution_backward_weights_primitive_desc_create(
    handle*, handle, int, handle, handle, handle, handle, const dims, const dims, const dims, const dims, handle, handle);
extern handle dnnl_primitive_desc_query_md(handle, int, int);
extern int dnnl_primitive_desc_query(handle, int, int, void*);
extern int dnnl_reorder_primitive_desc_create(handle*, handle, handle, handle, handle, handle);
extern int dnnl_primitive_create(handle*, handle);
extern int dnnl_primitive_execute(handle, handle, int, const argument*);
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int);

/* For what is wanted: the names of input, filters and output as arguments, and of the filters in questions. */
static const int ARGUMENTS[3][3] = {{129, 33, 145}, {1, 161, 145}, {1, 33, 17}};
static const int FILTERS[3] = {131, 132, 131};

enum { LONGEST = 3 + 3 * 5 + 4 * 3 };

#define TRY(call)                \
  do {                           \
    int status_ = (call);        \
    if (status_) return status_; \
  } while (0)

/* What oneDNN has made for a plan and so many images at once; kept for good, as it is small. */
typedef struct made {
  struct made* next;
  int64_t plan[LONGEST];
  int64_t images;
  handle convolution, copy; /* `copy` is of the filters, if they need be copied */
  handle given[3], packed, scratch;
  size_t steps[3]; /* bytes of a part of each array */
} made;

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static handle engine, alone; /* `alone` is a stream for what one thread does */
static made* all;

static int describe(handle* to, int n, int64_t groups, int role, const int64_t* sizes, int any) {
  dims shape = {0}, strides = {0};
  int rank = 0;
  if (role == 1) { /* [*spatial, in, out] */
    int64_t in = sizes[n], out = sizes[n + 1] / groups, row = in * sizes[n + 1];
    if (groups > 1) shape[0] = groups, strides[0] = out, rank = 1;
    shape[rank] = out, strides[rank++] = 1;
    shape[rank] = in, strides[rank++] = sizes[n + 1];
    for (int i = n - 1; i >= 0; row *= sizes[i--]) shape[rank + i] = sizes[i], strides[rank + i] = row;
    rank += n;
  } else { /* [batch, *spatial, channels] */
    int64_t row = sizes[n + 1];
    shape[1] = sizes[n + 1], strides[1] = 1;
    for (int i = n; i >= 1; row *= sizes[i--]) shape[i + 1] = sizes[i], strides[i + 1] = row;
    shape[0] = sizes[0], strides[0] = row;
    rank = n + 2;
  }
  return any ? dnnl_memory_desc_create_with_tag(to, rank, shape, FLOAT32, ANY_LAYOUT)
             : dnnl_memory_desc_create_with_strides(to, rank, shape, FLOAT32, strides);
}

static int ready(void) {
  if (engine) return 0;
  TRY(dnnl_engine_create(&engine, CPU, 0));
  return dnnl_stream_create(&alone, engine, IN_ORDER);
}

static int described(const made* m, handle given[3], handle* description) {
  int64_t p[LONGEST];
  memcpy(p, m->plan, sizeof p);
  int n = (int)p[0], wanted = (int)p[1], r = n + 2;
  int64_t *sizes = p + 3, *rest = sizes + 3 * r;
  handle attributes, taken[3], hint;
  dims strides = {0}, before = {0}, after = {0}, dilations = {0};
  for (int i = 0; i < n; i++)
    strides[i] = rest[i], before[i] = rest[n + i], after[i] = rest[2 * n + i], dilations[i] = rest[3 * n + i] - 1;
  sizes[0] = sizes[2 * r] = m->images;
  TRY(dnnl_primitive_attr_create(&attributes));
  TRY(dnnl_primitive_attr_set_scratchpad_mode(attributes, USER)); /* else a thread's, whatever others do with it */
  for (int i = 0; i < 3; i++) {
    TRY(describe(&given[i], n, p[2], i, sizes + i * r, 0));
    TRY(describe(&taken[i], n, p[2], i, sizes + i * r, i == 1));
  }
  TRY(dnnl_convolution_forward_primitive_desc_create(
      &hint, engine, TRAINING, DIRECT, taken[0], taken[1], 0, taken[2], strides, dilations, before, after, attributes));
  *description = hint;
  if (wanted == 0)
    TRY(dnnl_convolution_backward_data_primitive_desc_create(
        description, engine, DIRECT, taken[0], taken[1], taken[2], strides, dilations, before, after, hint, attributes));
  if (wanted == 1)
    TRY(dnnl_convolution_backward_weights_primitive_desc_create(
        description, engine, DIRECT, taken[0], taken[1], 0, taken[2], strides, dilations, before, after, hint, attributes));
  return 0;
}

static int make(made* m) {
  handle description, copy;
  int wanted = (int)m->plan[1];
  TRY(described(m, m->given, &description));
  TRY(dnnl_primitive_create(&m->convolution, description));
  for (int i = 0; i < 3; i += 2) m->steps[i] = dnnl_memory_desc_get_size(m->given[i]);
  m->packed = dnnl_primitive_desc_query_md(description, FILTERS[wanted], 0);
  m->scratch = dnnl_primitive_desc_query_md(description, SCRATCHPAD, 0);
  if (dnnl_memory_desc_equal(m->packed, m->given[1])) return 0;
  handle from = wanted == 1 ? m->packed : m->given[1], to = wanted == 1 ? m->given[1] : m->packed;
  TRY(dnnl_reorder_primitive_desc_create(&copy, from, engine, to, engine, 0));
  return dnnl_primitive_create(&m->copy, copy);
}

/* Whether oneDNN has quick code for all that can be wanted of a convolution, of so many images at once. */
int tfgrad_jax_is_quick(const int64_t* plan, int64_t length, int64_t images) {
  int quick = 1, before = omp_get_max_threads();
  omp_set_num_threads(1);
  pthread_mutex_lock(&making);
  if (ready()) quick = 0;
  for (int wanted = 0; wanted < 3 && quick; wanted++) {
    made m = {0};
    handle given[3], description;
    const char* name = 0;
    memcpy(m.plan, plan, length * sizeof(int64_t));
    m.plan[1] = wanted, m.images = images;
    quick = !described(&m, given, &description) && !dnnl_primitive_desc_query(description, IMPLEMENTATION, 0, &name) &&
            !strstr(name, "ref");
  }
  pthread_mutex_unlock(&making);
  omp_set_num_threads(before);
  return quick;
}

static int find(made** found, const int64_t* plan, size_t length, int64_t images) {
  int status = 0;
  pthread_mutex_lock(&making);
  made* m = all;
  while (m && (m->images != images || memcmp(m->plan, plan, length * sizeof(int64_t)))) m = m->next;
  if (!m) {
    m = calloc(1, sizeof(made));
    memcpy(m->plan, plan, length * sizeof(int64_t));
    m->images = images;
    status = ready();
    if (!status) status = make(m);
    if (!status) m->next = all, all = m;
  }
  pthread_mutex_unlock(&making);
  *found = m;
  return status;
}

static void* space(size_t bytes) {
  void* found;
  return posix_memalign(&found, 64, bytes + 64) ? 0 : found;
}

/* A convolution on its way: threads take parts until none is left; who comes too late finds none. */
typedef struct {
  made* m;
  char* data[3]; /* of the filters the packed ones, or a place for those of each part */
  int64_t parts, next, left, holders;
  int status;
  pthread_mutex_t lock;
  pthread_cond_t over;
} job;

static int part(const job* j, int64_t index, char* scratch, handle stream) {
  made* m = j->m;
  int wanted = (int)m->plan[1], status = 0, n = 0;
  size_t steps[3] = {m->steps[0], wanted == 1 ? dnnl_memory_desc_get_size(m->packed) : 0, m->steps[2]};
  argument arguments[4];
  for (; n < 4 && !status; n++) {
    handle of = n == 3 ? m->scratch : n == 1 ? m->packed : m->given[n];
    arguments[n].name = n == 3 ? SCRATCH : ARGUMENTS[wanted][n];
    status = dnnl_memory_create(&arguments[n].memory, of, engine, n == 3 ? scratch : j->data[n] + index * steps[n]);
  }
  if (!status) status = dnnl_primitive_execute(m->convolution, stream, 4, arguments);
  if (!status) status = dnnl_stream_wait(stream);
  while (n--) dnnl_memory_destroy(arguments[n].memory);
  return status;
}

static void release(job* j) {
  if (__atomic_sub_fetch(&j->holders, 1, __ATOMIC_ACQ_REL)) return;
  pthread_mutex_destroy(&j->lock), pthread_cond_destroy(&j->over);
  free(j);
}

static void help(void* given) {
  job* j = given;
  int64_t index = __atomic_fetch_add(&j->next, 1, __ATOMIC_ACQ_REL);
  if (index < j->parts) {
    int before = omp_get_max_threads(), status = 0;
    omp_set_num_threads(1);
    handle stream = 0;
    char* scratch = space(dnnl_memory_desc_get_size(j->m->scratch));
    status = scratch ? dnnl_stream_create(&stream, engine, IN_ORDER) : 1;
    for (; index < j->parts; index = __atomic_fetch_add(&j->next, 1, __ATOMIC_ACQ_REL)) {
      if (!status) status = part(j, index, scratch, stream);
      pthread_mutex_lock(&j->lock);
      if (status) j->status = status;
      if (!--j->left) pthread_cond_signal(&j->over);
      pthread_mutex_unlock(&j->lock);
    }
    if (stream) dnnl_stream_destroy(stream);
    free(scratch);
    omp_set_num_threads(before);
  }
  release(j);
}

static int copied(const made* m, void* from, void* to) {
  int wanted = (int)m->plan[1];
  argument two[2] = {{FROM, 0}, {TO, 0}};
  int status = dnnl_memory_create(&two[0].memory, wanted == 1 ? m->packed : m->given[1], engine, from);
  if (!status) status = dnnl_memory_create(&two[1].memory, wanted == 1 ? m->given[1] : m->packed, engine, to);
  if (!status) status = dnnl_primitive_execute(m->copy, alone, 2, two);
  if (!status) status = dnnl_stream_wait(alone);
  dnnl_memory_destroy(two[0].memory), dnnl_memory_destroy(two[1].memory);
  return status;
}

static void forget(XLA_FFI_CallFrame* frame, XLA_FFI_Error* error) {
  XLA_FFI_Error_Destroy_Args it = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, 0, error};
  frame->api->XLA_FFI_Error_Destroy(&it);
}

static void add(float* restrict to, const float* restrict from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] += from[i];
}

/* Parts of equal size, each a thread's at a time. Of filters' gradients it gives the sum. */
static int convolved(XLA_FFI_CallFrame* frame, made* m, char* const given[3], int64_t parts, int64_t threads) {
  int wanted = (int)m->plan[1];
  size_t size = dnnl_memory_desc_get_size(m->packed);
  char *filters = given[1], *packed = 0;
  if (m->copy || (wanted == 1 && parts > 1)) {
    packed = space(size * (wanted == 1 ? parts : 1));
    if (!packed) return 1;
  }
  int status = m->copy && wanted != 1 ? copied(m, filters, packed) : 0;
  job* j = status ? 0 : calloc(1, sizeof(job));
  if (j) {
    int64_t helpers = (threads < parts ? threads : parts) - 1;
    *j = (job){.m = m, .data = {given[0], packed ? packed : filters, given[2]}};
    j->parts = j->left = parts, j->holders = helpers + 2;
    pthread_mutex_init(&j->lock, 0), pthread_cond_init(&j->over, 0);
    for (int64_t i = 0; i < helpers; i++) {
      XLA_FFI_ThreadPool_Schedule_Args task = {XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, 0, frame->ctx, help, j};
      XLA_FFI_Error* error = frame->api->XLA_FFI_ThreadPool_Schedule(&task);
      if (error) forget(frame, error), release(j);
    }
    help(j);
    pthread_mutex_lock(&j->lock);
    while (j->left) pthread_cond_wait(&j->over, &j->lock);
    status = j->status;
    pthread_mutex_unlock(&j->lock);
    release(j);
  }
  if (!status && wanted == 1 && packed) {
    for (int64_t i = 1; i < parts; i++) add((float*)packed, (float*)(packed + i * size), size / sizeof(float));
    if (m->copy)
      status = copied(m, packed, filters);
    else
      memcpy(filters, packed, size);
  }
  free(packed);
  return status;
}

static int convolve(XLA_FFI_CallFrame* frame, const XLA_FFI_Array* plan) {
  const int64_t* numbers = plan->data;
  int wanted = (int)numbers[1];
  int64_t threads = 1, left = numbers[3];
  XLA_FFI_ThreadPool_NumThreads_Args asked = {XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE, 0, frame->ctx, &threads};
  XLA_FFI_Error* error = frame->api->XLA_FFI_ThreadPool_NumThreads(&asked);
  if (error) forget(frame, error), threads = 1;
  /* Two parts for each thread; of filters' gradients, which are added up, one. */
  int64_t most = wanted == 1 ? threads : 2 * threads;
  char *data[3], *filters, *further = 0;
  for (int i = 0, k = 0; i < 3; i++)
    data[i] = i == wanted ? ((XLA_FFI_Buffer*)frame->rets.rets[0])->data : ((XLA_FFI_Buffer*)frame->args.args[k++])->data;
  filters = data[1];
  int status = 0;
  for (int first = 1; left && !status; first = 0) { /* then what is left where the parts are not equal */
    int64_t parts = most < left ? most : left, images = left / parts;
    made* m;
    TRY(find(&m, numbers, plan->size, images));
    size_t count = dnnl_memory_desc_get_size(m->given[1]) / sizeof(float);
    if (wanted == 1 && !first) {
      if (!further) further = space(count * sizeof(float));
      if (!further) return 1;
      data[1] = further;
    }
    status = convolved(frame, m, data, parts, threads);
    if (!status && further && data[1] == further) add((float*)filters, (float*)further, count);
    for (int i = 0; i < 3; i += 2) data[i] += parts * m->steps[i];
    left -= parts * images;
  }
  free(further);
  return status;
}

XLA_FFI_Error* tfgrad_jax_convolution(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_Extension_Base* e = frame->extension_start; e; e = e->next)
    if (e->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata* told = ((XLA_FFI_Metadata_Extension*)e)->metadata;
      told->api_version.major_version = XLA_FFI_API_MAJOR;
      told->api_version.minor_version = XLA_FFI_API_MINOR;
      return 0;
    }
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return 0;
  int before = omp_get_max_threads();
  omp_set_num_threads(1);
  int status = convolve(frame, frame->attrs.attrs[0]);
  omp_set_num_threads(before);
  if (!status) return 0;
  char message[80];
  snprintf(message, sizeof message, "oneDNN: a convolution failed with status %d", status);
  XLA_FFI_Error_Create_Args error = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, 0, message, XLA_FFI_Error_Code_INTERNAL};
  return frame->api->XLA_FFI_Error_Create(&error);
}
