# shellcheck shell=bash disable=SC2034,SC2154
# What tools/gpu_first_run builds, packs and unpacks. Sourced.
tests=(any_device_tests device_transport_test device_codec_tests device_plan_test plan_random_test
  plan_approximate_test)
peers=(shardfft_cuda cufft)
helpers=(two_pass_experiment occupy)
largest_mb=40  # of the packed bundle

build_programs() {
  local log=build/gpu_build.log
  mkdir -p build
  cmake --preset gpu >$log 2>&1 && cmake --build --preset gpu --target shardfft_program "${tests[@]}" \
    "${peers[@]/#/peer_}" "${helpers[@]}" >>$log 2>&1 ||
    { tail -n 20 $log; fail "does not build; the whole output is in $log"; }
  bin=build/gpu/bin SHARDFFT_PEERS=$PWD/build/gpu/libexec/shardfft/peers
}

# make_bundle FILE.tar.xz: programs, tests, the shared libraries that they need, and the C library with its loader, for
# a machine whose own is older.
make_bundle() {
  local staging program system='^(lib(c|m|pthread|dl|rt)|ld-linux.*)\.so' theirs='^lib(cuda|cudart|cufft|nccl)\.so'
  staging=$(mktemp -d) || exit 2
  mkdir -p "$staging"/{bin,lib,peers,loader}
  cp "$bin/shardfft" "${tests[@]/#/$bin/}" "${helpers[@]/#/$bin/}" "$staging/bin/" &&
    cp "${peers[@]/#/$SHARDFFT_PEERS/peer_}" "$staging/peers/" || exit 2
  for program in "$staging"/bin/* "$staging"/peers/*; do
    ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3} $1 ~ /^\/.*ld-linux/ {print "ld-linux.so", $1}'
  done | sort -u | grep -vE "$theirs" >"$staging/needs"
  grep -vE "$system" "$staging/needs" | cut -d' ' -f2 | xargs -r cp -Lu -t "$staging/lib"
  grep -E "$system" "$staging/needs" | cut -d' ' -f2 | xargs -r cp -Lu -t "$staging/loader"
  strip --strip-unneeded "$staging"/{bin,peers,lib}/*
  git rev-parse --short HEAD >"$staging/commit" 2>/dev/null
  rm "$staging/needs"
  mkdir -p "$(dirname "$1")" && tar -C "$staging" -c . | xz -T0 -6 >"$1" || exit 2
  rm -rf "$staging"
  local bytes
  bytes=$(stat -c %s "$1")
  [ "$bytes" -le $((largest_mb * 1000000)) ] || fail "$1 has $bytes bytes; it must travel, with at most $largest_mb MB"
  echo "gpu_first_run: $1 holds $((bytes / 1000)) kB"
}

# unpack FILE FOLDER: by tar and xz, else by Python.
unpack() {
  [ -e "$1" ] || fail "there is no $1; tools/gpu_first_run --make $1 makes it"
  mkdir -p "$2"
  if command -v xz >/dev/null; then timeout -k 5 60 tar -C "$2" -xJf "$1"
  else timeout -k 5 60 python3 -m tarfile -e "$1" "$2"; fi ||
    fail "$1 could not be unpacked within 60 s by xz or by python3"
}

# open_bundle FOLDER: what an unpacked bundle runs with.
open_bundle() {
  local folder
  folder=$(cd "$1" 2>/dev/null && pwd) && [ -x "$folder/bin/shardfft" ] ||
    fail "--from names an unpacked bundle; there is no $1/bin/shardfft"
  bin=$folder/bin SHARDFFT_PEERS=$folder/peers
  libraries=$folder/lib${libraries:+:$libraries}
  say "bundle of commit $(cat "$folder/commit" 2>/dev/null)"
  # The own loader where this machine's C library is older than the one that the programs were linked with.
  if [ "${SHARDFFT_GPU_LOADER:-no}" = yes ] ||
    launch "$bin/shardfft" --version 2>&1 | grep -q "GLIBC_.*not found"; then
    say "the C library of the bundle is used"
    loader=("$folder/loader/$(cd "$folder/loader" && echo ld-linux*)")
    libraries=$folder/loader:$libraries
    loader+=(--library-path "$libraries")
  fi
}

# CUDA's libraries are the machine's own. Those that its loader does not find are looked for in the toolkit and among
# the packages of Python, where machines without all of the toolkit have them.
find_libraries() {
  local places library place found
  places=("${CUDA_HOME:-/usr/local/cuda}"/lib64 /usr/local/cuda*/targets/x86_64-linux/lib \
    "$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null)"/nvidia/*/lib \
    /opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib /usr/lib/python3*/*-packages/nvidia/*/lib \
    /usr/local/lib/python3*/*-packages/nvidia/*/lib)
  # cuFFT is loaded by the library and linked by its peer; NCCL is only loaded, and may be missing.
  for library in $(env "LD_LIBRARY_PATH=$libraries" ldd "$bin/shardfft" "$SHARDFFT_PEERS/peer_cufft" 2>/dev/null |
    awk '/=> not found/ {print $1}' | sort -u) libnccl.so.2; do
    found=''
    for place in "${places[@]}"; do [ -n "$found" ] || [ ! -e "$place/$library" ] || found=$place; done
    [ -n "$found" ] || [ "$library" = libnccl.so.2 ] || [ "$device" != cuda ] || fail \
      "the loader does not find $library, nor is it in ${places[*]}; name its folder in LD_LIBRARY_PATH"
    [ -z "$found" ] || libraries=${libraries:+$libraries:}$found
  done
}
