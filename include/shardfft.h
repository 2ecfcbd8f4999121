/* Distributed Fourier transforms from C99, and from every language that can call C. docs/guide/c.md is the guide.
 * C++ programs include shardfft/shardfft.hpp instead. */
#ifndef SHARDFFT_H
#define SHARDFFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rules for all functions.
 *
 * Errors   A function that returns int, unless it is a query, returns 0 or one of the numbers below. shardfft_error()
 *          then has the rule, the value and the remedy. Output arguments are written only on success.
 * Handles  A NULL handle is SHARDFFT_INVALID_ARGUMENT. Queries return their answer; for a NULL handle they return 0,
 *          -1 if 0 could be an answer, or NULL, and shardfft_error() says so.
 * Owners   Destroy with X_destroy what X_create, X_make_... or comm_... return; NULL is allowed. A lent handle belongs
 *          to its owner: destroying it does nothing. Free texts returned through char ** with shardfft_free().
 * Order    Axis 0 varies slowest, as in C arrays. Negative axes count from the end. Lists of positions, extents and
 *          strides have one int64_t for each axis, in elements.
 * Ranks    "Collective": every rank of the group must call it, in the same order. An error on one rank is an error on
 *          all, with the same text. The exception is a NULL group or plan, which the other ranks cannot notice.
 * Threads  Any thread may call, one call at a time for each handle.
 */

/// A group of ranks: threads or processes that transform together.
typedef struct shardfft_comm_s* shardfft_comm;
/// A layout as the caller specifies it, in words or boxes.
typedef struct shardfft_spec_s* shardfft_spec;
/// Who owns what of an array of a known shape, on a known number of ranks.
typedef struct shardfft_layout_s* shardfft_layout;
/// What to compute: shape, kind, precision, axes, scaling.
typedef struct shardfft_problem_s* shardfft_problem;
/// How to compute it, by name.
typedef struct shardfft_options_s* shardfft_options;
/// A transform that is ready to run.
typedef struct shardfft_plan_s* shardfft_plan;
/// Halo cells around each rank's box.
typedef struct shardfft_halo_s* shardfft_halo;
/// Memory for a rank's part of a plan's input or output, or for its box with a halo.
typedef struct shardfft_array_s* shardfft_array;

/// What functions return. A number never changes its meaning.
enum {
  SHARDFFT_OK = 0,
  SHARDFFT_INVALID_PROBLEM = 1,   ///< shape, axes, kind or precision do not fit
  SHARDFFT_INVALID_LAYOUT = 2,    ///< boxes overlap, leave gaps, or do not fit the shape
  SHARDFFT_INVALID_ARGUMENT = 3,  ///< a buffer, an option, a handle or a call out of order
  SHARDFFT_MISMATCH = 4,          ///< ranks passed different arguments
  SHARDFFT_UNSUPPORTED = 5,       ///< valid, but this build or machine cannot do it
  SHARDFFT_OUT_OF_MEMORY = 6,     ///< an allocation failed on some rank
  SHARDFFT_TRANSPORT_FAILED = 7,  ///< communication failed, or a rank died
  SHARDFFT_IO_FAILED = 8,         ///< a file could not be read or written
  SHARDFFT_INTERNAL = 9,          ///< a defect of this library
  SHARDFFT_DEVICE_FAILED = 10     ///< a call to a GPU's driver or library failed
};

/// Kinds. C2C: complex to complex, exponent -1 forward, +1 backward. R2C: forward takes reals to the half spectrum
/// (n/2 + 1 elements along the last of the axes), backward the half spectrum to reals. C2R: the same, the other way
/// round. MOVE: nothing is transformed; elements move from the input layout to the output layout, or back, unchanged.
/// R2R: reals to reals, by the kinds of axes that shardfft_problem_kinds() sets.
enum { SHARDFFT_C2C, SHARDFFT_R2C, SHARDFFT_C2R, SHARDFFT_MOVE, SHARDFFT_R2R };
/// Kinds of an axis: cosines and sines of FFTW and SciPy (DCT and DST, types 1 to 4). Unscaled pairs multiply by 2n, by
/// 2(n-1) for COSINE1 and 2(n+1) for SINE1, by n for FOURIER and HARTLEY.
enum {
  SHARDFFT_FOURIER,
  SHARDFFT_COSINE1,
  SHARDFFT_COSINE2,
  SHARDFFT_COSINE3,
  SHARDFFT_COSINE4,
  SHARDFFT_SINE1,
  SHARDFFT_SINE2,
  SHARDFFT_SINE3,
  SHARDFFT_SINE4,
  SHARDFFT_HARTLEY
};
/// Precision of each real number: 4 or 8 bytes.
enum { SHARDFFT_F32, SHARDFFT_F64 };
/// Direction of a run.
enum { SHARDFFT_FORWARD, SHARDFFT_BACKWARD };
/// Factor on the result: 1, 1/sqrt(N) or 1/N; N is the product of what unscaled pairs multiply by. ORTHONORMAL:
/// 1/sqrt(N), and ends of cosines and sines are weighted so that their matrices are orthogonal.
enum { SHARDFFT_UNSCALED, SHARDFFT_BY_SQRT_N, SHARDFFT_BY_N, SHARDFFT_ORTHONORMAL };

/// Passed instead of the length of a buffer: the pointer is then a text that says what is wrong with the caller's
/// array. The call fails with this text, on all ranks if it is collective. For bindings of other languages, which know
/// more of an array than its address.
#define SHARDFFT_REFUSED SIZE_MAX

/* ---- The library ---- */

/// 10000 major + 100 minor + patch: 100 for 0.1.0.
int shardfft_version(void);
/// "0.1.0"
const char* shardfft_version_text(void);
/// 1 if this build has the part, else 0: "mpi", an engine, a transport, a codec or a kind of device ("fftw", "cuda").
/// `shardfft info` shows whether this machine can use it.
int shardfft_has(const char* part);
/// "invalid_layout"; NULL if there is no such status.
const char* shardfft_status_name(int status);
/// The text of this thread's last failure; "" before the first. It is valid until the next one of this thread.
const char* shardfft_error(void);
/// Frees a text that was returned through a char **.
void shardfft_free(void* text);
/// Sets the receiver of notices in this process: a file cannot be used, or another transport is used. `say` gets each
/// notice as one line without a line feed, in the thread that found it; it must not call shardfft. NULL discards
/// notices. Without this call they go to standard error.
void shardfft_on_notice(void (*say)(const char* line, void* user), void* user);

/* ---- Groups of ranks ---- */

/// This process alone, with all its cores.
int shardfft_comm_local(shardfft_comm* out);
/// Collective. The ranks of an MPI communicator, which is duplicated. MPI is initialised and finalised by the caller
/// (MPI_THREAD_FUNNELED is enough).
///   mpi_comm  points to the MPI_Comm
///   bytes     sizeof(MPI_Comm), by which another MPI than the library's is detected
int shardfft_comm_mpi(const void* mpi_comm, size_t bytes, shardfft_comm* out);
/// Collective. The same with a Fortran handle (MPI_Comm_c2f). Any value may be valid: 0 is the world of Open MPI.
int shardfft_comm_mpi_f(int fortran_handle, shardfft_comm* out);
/// A group of `ranks`, at most 2^24, of which only `rank` exists, for plans that are described but never run.
/// `ranks_per_node` ranks share a node.
int shardfft_comm_dry_run(int ranks, int rank, int ranks_per_node, shardfft_comm* out);
/// Runs `body` on `ranks` threads of this process, at most 4096, each with its own rank of one group, which is lent to
/// it. Returns when all have ended. If some results are not 0, returns that of the lowest such rank, with the text of
/// that thread's last failure. Ranks that wait for a failed rank are released with SHARDFFT_TRANSPORT_FAILED. `body`
/// must not throw or longjmp out of itself.
int shardfft_on_ranks(int ranks, int (*body)(shardfft_comm comm, void* user), void* user);

/// This rank, from 0; -1 of NULL.
int shardfft_comm_rank(shardfft_comm c);
/// Number of ranks.
int shardfft_comm_size(shardfft_comm c);
/// Number of the node that `rank` runs on; ranks with equal numbers share memory. -1 if there is no such rank.
int shardfft_comm_node(shardfft_comm c, int rank);
/// Number of nodes.
int shardfft_comm_nodes(shardfft_comm c);
/// "local", "threads", "mpi" or "dry_run"; lives as long as the group.
const char* shardfft_comm_kind(shardfft_comm c);

/// Collective. Returns when all ranks have called it.
int shardfft_comm_barrier(shardfft_comm c);
/// Collective. `n` bytes of rank `root` replace those of every rank; `n` and `root` are the same on all.
int shardfft_comm_broadcast(shardfft_comm c, void* bytes, size_t n, int root);
/// Collective. `all` (n bytes for each rank) becomes the `n` bytes of every rank, in rank order.
int shardfft_comm_allgather(shardfft_comm c, const void* mine, size_t n, void* all);
/// Plans on the group stay valid.
void shardfft_comm_destroy(shardfft_comm c);

/* ---- Who owns what ---- */

/// A layout in words, for arrays with `dims` axes: natural (= slabs:0), slabs:A, slabs:A/B, pencils:A, bricks,
/// cyclic:A, grid:2x3x1, any (the planner chooses).
int shardfft_spec_words(const char* words, int dims, shardfft_spec* out);
/// `processes[a]` processes along axis a; rank = row-major position in the grid. Ranks beyond it own nothing.
int shardfft_spec_grid(int dims, const int64_t* processes, shardfft_spec* out);
/// Any boxes, of all ranks, the same list on every rank. Together they cover the array exactly once.
///   rank    owner of each box; the boxes of a rank lie in its memory one after the other, in the order of the list
///   lo, hi  each box is [lo, hi): boxes x dims numbers, box after box
int shardfft_spec_boxes(int dims, int boxes, const int* rank, const int64_t* lo, const int64_t* hi, shardfft_spec* out);
/// Memory order of the axes of each box, slowest first; without this call 0, 1, 2, ...
int shardfft_spec_order(shardfft_spec s, int dims, const int* slowest_first);
void shardfft_spec_destroy(shardfft_spec s);

/// The layout of an array of this shape on this many ranks. "any" is an error.
int shardfft_layout_create(shardfft_spec s, int dims, const int64_t* shape, int ranks, shardfft_layout* out);
int shardfft_layout_dims(shardfft_layout l);
int shardfft_layout_ranks(shardfft_layout l);
/// Extents in elements: `dims` numbers.
void shardfft_layout_shape(shardfft_layout l, int64_t* shape);
/// Memory order of the axes of each box, slowest first: `dims` numbers.
void shardfft_layout_order(shardfft_layout l, int* slowest_first);
/// Processes along each axis, `dims` numbers; all 1 for cyclic layouts and those of boxes.
void shardfft_layout_grid(shardfft_layout l, int64_t* processes);
/// How many boxes `rank` owns; empty ones are left out. A cyclic layout has one for every index along its axis.
int shardfft_layout_boxes(shardfft_layout l, int rank, int* count);
/// Box number `i` of `rank`, [lo, hi), in the order of its memory.
int shardfft_layout_box(shardfft_layout l, int rank, int i, int64_t* lo, int64_t* hi);
/// Elements that `rank` owns.
int shardfft_layout_count(shardfft_layout l, int rank, int64_t* elements);
/// Who owns the region [lo, hi), and which part of it; by rank, then in memory order.
///   room     length of the lists; no more parts are written. 0: the lists may be NULL
///   rank     owner of each part
///   part_lo, part_hi  part after part, `dims` numbers each
///   count    how many parts there are
int shardfft_layout_owners(shardfft_layout l, const int64_t* lo, const int64_t* hi, int room, int* rank,
                           int64_t* part_lo, int64_t* part_hi, int* count);
/// "slabs along axis 0 over 4 ranks"
int shardfft_layout_describe(shardfft_layout l, char** text);
/// Does nothing for a layout that a plan lent.
void shardfft_layout_destroy(shardfft_layout l);

/* ---- Problems and options ---- */

/// 1 to 8 axes; all of them are transformed unless shardfft_problem_axes() says otherwise. Forward is unscaled,
/// backward is scaled by 1/N.
///   shape  logical extents; those of the reals for R2C and C2R
int shardfft_problem_create(int dims, const int64_t* shape, int kind, int precision, shardfft_problem* out);
/// Transformed axes; for R2C and C2R the last of them is the real axis. 0: all. The others are a batch.
int shardfft_problem_axes(shardfft_problem p, int count, const int* axes);
/// Kinds of the transformed axes, such as SHARDFFT_COSINE2; for R2C and C2R the last fourier axis is the real axis. A
/// count of 0 is the default: all are fourier. The way from the spectrum, forward of C2R, uses the inverse kinds.
int shardfft_problem_kinds(shardfft_problem p, int count, const int* kinds);
/// Factor of each direction: SHARDFFT_UNSCALED, SHARDFFT_BY_SQRT_N, SHARDFFT_BY_N, SHARDFFT_ORTHONORMAL.
int shardfft_problem_scaling(shardfft_problem p, int forward, int backward);
/// For MOVE: bytes of an element, 1, 2, 4, 8 or 16. 0 is the default: a complex number of the precision.
int shardfft_problem_element(shardfft_problem p, size_t bytes);
/// For each axis of the shape, from 1 to its extent: how many modes, the lowest frequencies, the spectrum keeps. 0:
/// all, as axes that are not transformed must. Arrays hold only these modes (docs/guide/fewer_modes.md).
int shardfft_problem_modes(shardfft_problem p, const int64_t* modes);
/// Likewise: how many points, from the start, may be nonzero; backward computes only these.
int shardfft_problem_support(shardfft_problem p, const int64_t* support);
void shardfft_problem_destroy(shardfft_problem p);

/// Default options: the planner chooses.
int shardfft_options_create(shardfft_options* out);
/// Sets an option by its name in docs/guide/options.md: "tolerance", "1e-6". An empty text is the default. "input" and
/// "output" take the words of shardfft_spec_words(), which are checked when the plan is made.
int shardfft_options_set(shardfft_options o, const char* name, const char* value);
/// Layouts of forward's input and output. The spec is copied.
int shardfft_options_input(shardfft_options o, shardfft_spec s);
int shardfft_options_output(shardfft_options o, shardfft_spec s);
/// Place of each box of this rank in the caller's memory. Default: one box after the other, without gaps.
///   offset   of each box: elements from the start of the buffer to its first one
///   strides  boxes x dims numbers: elements from one index to the next along each axis, positive
int shardfft_options_input_memory(shardfft_options o, int dims, int boxes, const int64_t* offset,
                                  const int64_t* strides);
int shardfft_options_output_memory(shardfft_options o, int dims, int boxes, const int64_t* offset,
                                   const int64_t* strides);
/// The caller's memory instead of the plan's own; it must outlive the plan.
///   memory  aligned to 64, on a device to 256
///   bytes   at least shardfft_plan_workspace_bytes(); the error says how much if it is too short
int shardfft_options_workspace(shardfft_options o, void* memory, size_t bytes);
/// With arrays on a device: the stream (cudaStream_t, hipStream_t, sycl::queue*) on which runs are ordered.
int shardfft_options_queue(shardfft_options o, void* stream);
void shardfft_options_destroy(shardfft_options o);

/* ---- Plans ---- */

/// Collective. `o` may be NULL: default options. Group, problem and options may be destroyed afterwards.
int shardfft_plan_create(shardfft_comm c, shardfft_problem p, shardfft_options o, shardfft_plan* out);
/// Not collective: ranks destroy their plans in any order, in any thread.
int shardfft_plan_destroy(shardfft_plan p);

/// Layouts of forward's input and output, in elements of their types; lent, as long as the plan lives.
shardfft_layout shardfft_plan_input(shardfft_plan p);
shardfft_layout shardfft_plan_output(shardfft_plan p);
/// Least length of this rank's buffers, in bytes.
size_t shardfft_plan_input_bytes(shardfft_plan p);
size_t shardfft_plan_output_bytes(shardfft_plan p);
/// Private memory of this rank, which shardfft_options_workspace() may provide.
size_t shardfft_plan_workspace_bytes(shardfft_plan p);

/// Memory for this rank's part, zero, aligned to a page; on the device if the plan's arrays are there. It may outlive
/// the plan. Ranks of one node reach each other's arrays, which can save copies, if all make them in the same order.
/// Not collective.
int shardfft_plan_make_input(shardfft_plan p, shardfft_array* out);
int shardfft_plan_make_output(shardfft_plan p, shardfft_array* out);
void* shardfft_array_data(shardfft_array a);
size_t shardfft_array_bytes(shardfft_array a);
/// "host", "cuda", "hip", "sycl", "emulated"; lives as long as the array.
///   device  becomes the device's number, -1 on the host; may be NULL
const char* shardfft_array_space(shardfft_array a, int* device);
void shardfft_array_destroy(shardfft_array a);

/// Collective. `in` keeps its values unless the options in_place or destroy_input are set. In place both are the same
/// memory. A rank that owns nothing may pass NULL and 0. Lengths are checked against the plan: too short, null,
/// misaligned or overlapping buffers on any rank are an error on all. With arrays on a device these are pointers there,
/// and the call returns when the work is queued.
int shardfft_forward(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes);
/// Collective. From the output layout to the input layout.
int shardfft_backward(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes);
/// Collective. The same; the result is also multiplied by `factor`, in the same pass. `factor` must be the same on all
/// ranks, finite and not 0; for MOVE it must be 1.
int shardfft_forward_scaled(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                            double factor);
int shardfft_backward_scaled(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                             double factor);

/// Collective. The adjoint of a run with this factor, including the scaling: <forward(x), y> = <x, adjoint(y)>. The
/// product of two arrays is the real part of the sum of conj(a) b over the elements that they store.
///   of   direction of that run
///   in   has the layout of that run's output
///   out  has the layout of that run's input
int shardfft_adjoint(shardfft_plan p, int of, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                     double factor);

/// Neighbouring elements in the middle of shardfft_apply(), all their components, in cache. This struct may grow at its
/// end: `bytes` is its size.
typedef struct {
  size_t bytes;
  int axes;       ///< of the array
  int axis;       ///< along which the elements follow each other
  int64_t count;  ///< of elements
  int components_in, components_out;
  int precision;         ///< SHARDFFT_F32, SHARDFFT_F64
  int complex_elements;  ///< 1, or 0 of reals
  const int64_t* first;  ///< global index of the first one, a number for each axis
  /// wave[a][i] of global index i along axis a: the frequency, ... -2, -1, 0, 1, 2 ..., of cosines and sines the number
  /// of half periods; of points their place, from 0 to 1; 0 along axes that are not transformed.
  const double* const* wave;
  void* data;               ///< component c of the first one is c component_bytes after it; the others follow it
  int64_t component_bytes;  ///< read and written in place: components_in are there, components_out are to be left
  int64_t place, step, component_step;  ///< of the first one in an array of shardfft_plan_make_middle(), in elements
} shardfft_modes;
/// Gets each element once; several threads call it at the same time. Its result must depend only on the element's
/// position and values. It must not longjmp.
typedef void (*shardfft_operator)(const shardfft_modes* modes, void* user);

/// Collective. out = backward(f(forward(in))), in fewer passes; both have the input layout. The plan needs the option
/// "apply" "to_outputs". shardfft_apply_physical() is forward(f(backward(in))), with "to_inputs".
int shardfft_apply(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes, shardfft_operator f,
                   void* user);
int shardfft_apply_physical(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                            shardfft_operator f, void* user);
/// The layout of the elements that `f` gets, lent, and an array of it; length and array of the result, which has
/// "components_out" elements along axis 0. The plan needs the option "apply".
shardfft_layout shardfft_plan_middle(shardfft_plan p);
int shardfft_plan_make_middle(shardfft_plan p, shardfft_array* out);
size_t shardfft_plan_applied_bytes(shardfft_plan p);
int shardfft_plan_make_applied(shardfft_plan p, shardfft_array* out);

/// Collective. Forward or backward without blocking: start returns early, test makes progress and says whether the run
/// is done, wait completes it. One run at a time for each plan.
///   done  becomes 1 or 0
int shardfft_start(shardfft_plan p, int direction, const void* in, size_t in_bytes, void* out, size_t out_bytes);
/// Collective. With a factor, as shardfft_forward_scaled() has.
int shardfft_start_scaled(shardfft_plan p, int direction, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                          double factor);
int shardfft_test(shardfft_plan p, int* done);
int shardfft_wait(shardfft_plan p);
/// With arrays on a device: waits until the runs so far are done there. Not collective.
int shardfft_synchronize(shardfft_plan p);
/// Copies the smaller number of bytes between host memory and memory of this rank's device, and waits. Not
/// collective.
int shardfft_copy(shardfft_plan p, const void* from, size_t from_bytes, void* to, size_t to_bytes);

/// Forward and backward with arrays of other libraries: each argument points to a DLTensor of dlpack.h, which says its
/// type, length and device. It must be in C order without gaps. The libraries keep owning the memory.
int shardfft_forward_dlpack(shardfft_plan p, const void* in, const void* out);
int shardfft_backward_dlpack(shardfft_plan p, const void* in, const void* out);

/* ---- Halos ---- */

/// Collective. Each rank owns one box of the layout or none. The halo may be wider than the boxes. Cells beyond the
/// ends of an axis that is not periodic exist, too, but no call reads or writes them. Group, layout and options may be
/// destroyed afterwards.
///   low, high      cells before and behind the box along each axis, 0 or more
///   periodic       of each axis: 1 if the array begins again at its end, else 0; NULL: of none
///   corners        0: only faces, cells that lie outside of the box along a single axis; else 1
///   element_bytes  1, 2, 4, 8 or 16
///   o              may be NULL; threads, transport and input_memory count: where the box lies, with room around it.
///                  Without the latter box and halo are one piece, in the layout's order
int shardfft_halo_create(shardfft_comm c, shardfft_layout l, const int64_t* low, const int64_t* high,
                         const int* periodic, int corners, size_t element_bytes, shardfft_options o,
                         shardfft_halo* out);
/// Not collective.
int shardfft_halo_destroy(shardfft_halo h);
/// This rank's box with its halo, [lo, hi); it may begin before 0 and end behind the array. Empty without a box.
int shardfft_halo_box(shardfft_halo h, int64_t* lo, int64_t* hi);
/// Place of the box in the array, for shardfft_options_input_memory(): cells of the halo have the same strides.
///   boxes            becomes 1, or 0 on a rank that owns nothing: then nothing else is written
///   offset, strides  elements: 1 number, and one for each axis
int shardfft_halo_memory(shardfft_halo h, int* boxes, int64_t* offset, int64_t* strides);
/// Least length of this rank's array, in bytes.
size_t shardfft_halo_bytes(shardfft_halo h);
/// Memory of that length, zero, aligned to a page. Not collective.
int shardfft_halo_make_array(shardfft_halo h, shardfft_array* out);
/// Collective. Every cell of the halo gets its owner's value.
int shardfft_halo_exchange(shardfft_halo h, void* array, size_t bytes);
/// Collective. The transposed operation: the halo cells of all ranks are added to the owners' elements, real or complex
/// numbers of this precision. Contributions are added in the order of ranks: the same bits in every run.
int shardfft_halo_accumulate(shardfft_halo h, int precision, void* array, size_t bytes);
/// Collective. The same without blocking, as shardfft_start().
int shardfft_halo_start_exchange(shardfft_halo h, void* array, size_t bytes);
int shardfft_halo_start_accumulate(shardfft_halo h, int precision, void* array, size_t bytes);
int shardfft_halo_test(shardfft_halo h, int* done);
int shardfft_halo_wait(shardfft_halo h);
/// Widths, messages and bytes of this rank, transport.
int shardfft_halo_describe(shardfft_halo h, char** text);

/* ---- Verification and reports ---- */

/// The caller sets `bytes` of a struct to its size. The library writes no more than that, and sets it to the bytes that
/// it wrote, because these structs may grow at their end.
typedef struct {
  size_t bytes;
  double error_rel_l2;  ///< measured ||out - exact|| / ||exact||, estimated by random probes
  double bound;         ///< limit of the error
  int ok;               ///< 1 if the error is within it
} shardfft_verdict;

/// What the last run lost, and the bytes that it sent.
typedef struct {
  size_t bytes;
  double bound;         ///< of the relative L2 error against the exact transform, arithmetic included
  double encoded;       ///< the part of it that the codecs caused, as they measured it
  double bits;          ///< that a real number of the encoded exchanges took on average; 0 if none was encoded
  double bytes_before;  ///< of all encoded exchanges and ranks, as they would have been without a codec
  double bytes_after;
  double floor;  ///< the part of the L2 error, absolute, that underflow may cause
} shardfft_loss;

/// Time and traffic of one step of the last run, on this rank. One in 16 runs of less than 20 us is timed: times are
/// then those of the last one of these.
typedef struct {
  size_t bytes;
  char label[64];         ///< "sweep axes 2 1", "exchange 1", "copy"
  double seconds;         ///< in the step; for an exchange, the time spent waiting
  int64_t bytes_memory;   ///< read and written by a sweep; on a device by all of its passes over memory
  int64_t bytes_network;  ///< sent to other nodes' ranks or through MPI by an exchange
  int64_t bytes_shared;   ///< stored by this rank directly into the memory of other ranks
  int64_t bytes_link;     ///< between the host's memory and a device, both ways
  int64_t messages;       ///< sent by this rank
  /// Parts of a sweep over arrays of the host that goes through a device: copies there, kernels, copies back, and the
  /// host's own copies to and from pinned memory. They overlap: their sum may be more than `seconds`.
  double seconds_to_device, seconds_kernels, seconds_from_device, seconds_staging;
} shardfft_step;

/// Collective. Compares `out` with the exact transform of `in` by random probes, in O(N). A wrong result is not an
/// error of this call: check v->ok. For MOVE the hashes are compared, and the error is 0 or infinite.
int shardfft_verify(shardfft_plan p, const void* in, size_t in_bytes, const void* out, size_t out_bytes, int direction,
                    shardfft_verdict* v);
/// Collective. The same for a run with a factor.
int shardfft_verify_scaled(shardfft_plan p, const void* in, size_t in_bytes, const void* out, size_t out_bytes,
                           int direction, double factor, shardfft_verdict* v);
/// Collective. Bound of the last run's error, relative to the L2 norm of its result.
int shardfft_error_bound(shardfft_plan p, double* bound);
/// Collective. The same, with the bytes that encoding saved.
int shardfft_last_loss(shardfft_plan p, shardfft_loss* l);
/// Collective. Exact results, computed from `in` alone in double-double and rounded to double; O(N) for each.
///   positions  count positions in the result, one after the other, the same on all ranks
///   re_im      real and imaginary part of each, the same on all ranks
int shardfft_exact_samples(shardfft_plan p, const void* in, size_t in_bytes, int direction, int count,
                           const int64_t* positions, double* re_im);
/// Collective. Hash of the distributed array, keyed by global position: equal for equal data in any layout on any
/// number of ranks, in every language.
int shardfft_hash_input(shardfft_plan p, const void* in, size_t bytes, uint64_t* hash);
int shardfft_hash_output(shardfft_plan p, const void* out, size_t bytes, uint64_t* hash);

/// Sweeps, exchanges, bytes, messages, memory, and where each choice came from; as plain text, and as a JSON object.
int shardfft_describe(shardfft_plan p, char** text);
int shardfft_describe_json(shardfft_plan p, char** text);
/// How many steps the last run had on this rank (without a run: those of forward).
int shardfft_steps(shardfft_plan p, int* count);
int shardfft_step_at(shardfft_plan p, int i, shardfft_step* s);
/// Records the next `runs` runs on this rank, and discards earlier records. Not collective.
int shardfft_record(shardfft_plan p, size_t runs);
/// What was recorded: a JSON array of objects with what, label, run, chunk, bytes, begin_ns, end_ns.
int shardfft_recorded_json(shardfft_plan p, char** text);

/// Collective. Measures candidates and keeps the fastest in the wisdom of this process and of its file, where plans
/// find it. Options as for the plan; options that are set are not varied.
///   o            may be NULL
///   report_json  becomes a JSON object: key, candidates, rounds, finished, rows (the chosen one first); may be NULL
int shardfft_tune(shardfft_comm c, shardfft_problem p, shardfft_options o, char** report_json);

/// Devices of a kind ("cuda", "hip", "sycl", "emulated") that this process may use; 0 if there is none.
int shardfft_device_count(const char* space, int* count);
/// The reason why there is no such device; "" if there is one.
int shardfft_why_no_device(const char* space, char** text);

#ifdef __cplusplus
}
#endif

#endif
