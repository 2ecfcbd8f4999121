// Wisdom and threads of FFTW. Its own functions do the work while they are there. Without them there is no wisdom of
// FFTW: an export has a text that says so and succeeds, an import finds nothing. Included by functions.inl.

// ---- Threads ----

/// Returns 1: plans of ours have threads, whether FFTW's do or not.
int FFTW(init_threads)(void) {
  if (const auto theirs = THEIRS(init_threads)) theirs();
  return 1;
}

void FFTW(plan_with_nthreads)(int threads) {
  planner_threads = threads;
  if (const auto theirs = THEIRS(plan_with_nthreads)) theirs(threads);
}

int FFTW(planner_nthreads)(void) {
  const auto theirs = THEIRS(planner_nthreads);
  return theirs == nullptr ? planner_threads : theirs();
}

void FFTW(make_planner_thread_safe)(void) {
  if (const auto theirs = THEIRS(make_planner_thread_safe)) theirs();
}

/// Threads of ours are OpenMP's: they do not call `loop`.
void FFTW(threads_set_callback)(FFTW(parallel_loop) loop, void* data) {
  if (const auto theirs = THEIRS(threads_set_callback)) theirs(loop, data);
}

void FFTW(cleanup_threads)(void) {
  planner_threads = 1;
  if (const auto theirs = THEIRS(cleanup_threads)) theirs();
}

// ---- Wisdom ----

char* FFTW(export_wisdom_to_string)(void) {
  if (const auto theirs = THEIRS(export_wisdom_to_string)) return theirs();
  return strdup("(no wisdom: FFTW is not loaded, and that of shardfft is in a file of its own)\n");
}

void FFTW(export_wisdom_to_file)(FILE* file) {
  if (const auto theirs = THEIRS(export_wisdom_to_file)) return theirs(file);
  char* text = FFTW(export_wisdom_to_string)();
  if (text != nullptr) std::fputs(text, file);
  std::free(text);
}

int FFTW(export_wisdom_to_filename)(const char* name) {
  if (const auto theirs = THEIRS(export_wisdom_to_filename)) return theirs(name);
  FILE* file = std::fopen(name, "w");
  if (file == nullptr) return 0;
  FFTW(export_wisdom_to_file)(file);
  const bool failed = std::ferror(file) != 0;
  return std::fclose(file) == 0 && !failed ? 1 : 0;
}

void FFTW(export_wisdom)(FFTW(write_char_func) write, void* data) {
  if (const auto theirs = THEIRS(export_wisdom)) return theirs(write, data);
  char* text = FFTW(export_wisdom_to_string)();
  for (const char* letter = text; letter != nullptr && *letter != '\0'; ++letter) write(*letter, data);
  std::free(text);
}

#define SHARDFFT_IMPORT(name, parameters, ...)          \
  int FFTW(name) parameters {                           \
    const auto theirs = THEIRS(name);                   \
    return theirs == nullptr ? 0 : theirs(__VA_ARGS__); \
  }
SHARDFFT_IMPORT(import_system_wisdom, (void))
SHARDFFT_IMPORT(import_wisdom_from_filename, (const char* name), name)
SHARDFFT_IMPORT(import_wisdom_from_file, (FILE * file), file)
SHARDFFT_IMPORT(import_wisdom_from_string, (const char* text), text)
SHARDFFT_IMPORT(import_wisdom, (FFTW(read_char_func) read, void* data), read, data)
#undef SHARDFFT_IMPORT

void FFTW(forget_wisdom)(void) {
  if (const auto theirs = THEIRS(forget_wisdom)) theirs();
}

/// Plans of ours live on.
void FFTW(cleanup)(void) {
  if (const auto theirs = THEIRS(cleanup)) theirs();
}

// ---- The same for FORTRAN 77, by reference ----

void F77(init_threads)(int* done) { *done = FFTW(init_threads)(); }
void F77(plan_with_nthreads)(const int* threads) { FFTW(plan_with_nthreads)(*threads); }
void F77(planner_nthreads)(int* threads) { *threads = FFTW(planner_nthreads)(); }
void F77(cleanup_threads)(void) { FFTW(cleanup_threads)(); }
void F77(import_system_wisdom)(int* done) { *done = FFTW(import_system_wisdom)(); }
void F77(forget_wisdom)(void) { FFTW(forget_wisdom)(); }
void F77(cleanup)(void) { FFTW(cleanup)(); }

void F77(export_wisdom)(void (*write)(char*, void*), void* data) {
  auto each = [&](char letter) { write(&letter, data); };
  FFTW(export_wisdom)([](char letter, void* all) { (*static_cast<decltype(each)*>(all))(letter); }, &each);
}

void F77(import_wisdom)(int* done, void (*read)(int*, void*), void* data) {
  auto next = [&] {
    int letter = 0;
    read(&letter, data);
    return letter;
  };
  *done = FFTW(import_wisdom)([](void* all) { return (*static_cast<decltype(next)*>(all))(); }, &next);
}
