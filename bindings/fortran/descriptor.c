/* What a Fortran array is: type, rank, extents and strides, which Fortran itself does not tell of type(*). */
#include <ISO_Fortran_binding.h>
#include <stddef.h>
#include <stdint.h>

/// As c_array in arrays.f90.
typedef struct {
  void* at;
  int64_t bytes;    ///< -1 of an assumed-size array, which does not know its length
  int64_t element;  ///< bytes
  int32_t scalar;   ///< bytes of each real number, 4 or 8; 0 of other types
  int32_t complex_numbers;
  int32_t rank;
  int32_t contiguous;
  int64_t extent[CFI_MAX_RANK];
} seen;

void shardfft_fortran_look(const CFI_cdesc_t* a, seen* s) {
  const int single = a->type == CFI_type_float || a->type == CFI_type_float_Complex;
  const int twice = a->type == CFI_type_double || a->type == CFI_type_double_Complex;
  int64_t count = 1;
  int i;
  s->at = a->base_addr;
  s->element = (int64_t)a->elem_len;
  s->scalar = single ? 4 : twice ? 8 : 0;
  s->complex_numbers = a->type == CFI_type_float_Complex || a->type == CFI_type_double_Complex;
  s->rank = a->rank;
  s->contiguous = 1;
  s->bytes = 0;
  for (i = 0; i < a->rank; ++i) s->extent[i] = 0;
  if (!a->base_addr) return; /* Not allocated, or a pointer to nothing: its extents mean nothing. */
  for (i = 0; i < a->rank; ++i) {
    s->extent[i] = a->dim[i].extent;
    /* Where an axis has one element, or the array has none, no stride is taken. */
    if (a->dim[i].extent > 1 && a->dim[i].sm != count * s->element) s->contiguous = 0;
    count = a->dim[i].extent < 0 ? -1 : count * a->dim[i].extent;
  }
  if (count == 0) s->contiguous = 1;
  s->bytes = count < 0 ? -1 : count * s->element;
}

/// Lets a pointer of any rank point to memory without gaps, with these lower bounds.
void shardfft_fortran_point(CFI_cdesc_t* a, void* at, const int64_t* lower, const int64_t* extent) {
  int64_t step = (int64_t)a->elem_len;
  int i;
  a->base_addr = at;
  for (i = 0; i < a->rank; ++i) {
    a->dim[i].lower_bound = (CFI_index_t)lower[i];
    a->dim[i].extent = (CFI_index_t)extent[i];
    a->dim[i].sm = (CFI_index_t)step;
    step *= extent[i];
  }
}
