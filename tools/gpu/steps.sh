# shellcheck shell=bash disable=SC2034,SC2154
# How tools/gpu_first_run runs a step: with a limit of its own, its output in a file at once, so that whoever kills the
# whole finds everything until then. Sourced; begin_steps comes first.

fail() { echo "gpu_first_run: $*" >&2; exit 2; }

# begin_steps FOLDER SECONDS: results go to FOLDER, as table.txt, log.txt, failed.txt and now.txt (output of the step
# that runs). All steps together end within SECONDS of the start.
begin_steps() {
  results=$1 wrong=0 red=no
  longest_step=${SHARDFFT_GPU_STEP:-1000}
  dies_s=5  # time to die for a program that ends only when it is killed
  end=$(($2 - 2 * dies_s))
  until=$end  # earlier in a part with a limit of its own
  mkdir -p "$results" && : >"$results/table.txt" && : >"$results/log.txt" && : >"$results/failed.txt" ||
    fail "results go to a folder that can be written; got '$results'"
  said=$results/now.txt
}
left() { echo $((until - SECONDS)); }
say() { echo "$*" | tee -a "$results/table.txt"; }
row() { say "$(printf '%-64s %s' "$1" "$2")"; }
# not_run NAME WHY
not_run() { row "$1" "not run: $2"; }

# launch COMMAND...: our programs, with the libraries of the bundle. Others have this machine's.
launch() { env "LD_LIBRARY_PATH=$libraries" "${loader[@]}" "$@"; }

# limited SECONDS COMMAND...: its status; 124 or 137 if it was ended. Its output is appended to $said. The whole group
# is killed, for a sanitizer that is ended leaves its program running. A program whose driver does not let it die is
# abandoned.
limited() {
  local status=0 pid watch
  timeout -k "$dies_s" "$1" env "LD_LIBRARY_PATH=$libraries" "${@:2}" >>"$said" 2>&1 &
  pid=$!
  sleep $(($1 + 2 * dies_s)) >/dev/null 2>&1 &
  watch=$!
  wait -n $pid $watch 2>/dev/null || status=$?  # bash would tell that it was killed
  ! kill -0 $pid 2>/dev/null || status=137
  kill -KILL -- -$pid 2>/dev/null
  kill $watch 2>/dev/null
  wait $watch 2>/dev/null
  return $status
}
was_ended() { [[ $status == 124 || $status == 137 ]]; }

# attempt NAME SECONDS LEAST COMMAND...: runs it, unless fewer than LEAST seconds are left. Sets log, status and most
# (its limit); status "skipped" without time. Returns 1 unless it ended well.
attempt() {
  local name=$1
  most=$2
  [ "$most" -lt "$longest_step" ] || most=$longest_step
  [ "$most" -lt "$(left)" ] || most=$(left)
  if [ "$most" -lt "$3" ]; then not_run "$name" "no time left"; status=skipped; return 1; fi
  echo "$name: $most s at most, $(left) s left for all" >"$said"
  limited "$most" "${@:4}"
  status=$?
  log=$(tail -n +2 "$said")
  printf '=== %s\n%s\n' "$name" "$log" >>"$results/log.txt"
  [ $status -eq 0 ]
}
# failed NAME: its row.
failed() {
  wrong=1
  row "$1" "FAILED$(was_ended && echo ": ended after ${most}s, its limit" || echo " (status $status)"): $(
    tail -n 1 <<<"$log" | cut -c1-300)"
}
# step NAME SECONDS LEAST COMMAND...: an attempt, with a row if it failed.
step() {
  attempt "$@" && return
  [ "$status" = skipped ] || failed "$1"
  return 1
}
# shown NAME COMMAND...: a step of 60 s whose whole output goes into the table.
shown() { step "$1" 60 5 "${@:2}" && row "$1" ok && say "$(sed 's/^/    /' <<<"$log")"; }

# Which tests failed, where the first ones did, what a sanitizer found first, and the end.
gist() {
  grep -E '^\[  FAILED  \] ' <<<"$log" | sed 's/ (.*//' | sort -u | head -n 20
  grep -E -A 6 ': Failure$' <<<"$log" | head -n 30
  grep -E '^========= (Error|Invalid|Race|WARN|ERROR SUMMARY|Program hit)' -A 4 <<<"$log" | head -n 30
  tail -n 6 <<<"$log"
}
# Whether the test that was ended took more than half of the step's time by itself; else there was no time for all.
hung() {
  was_ended && [ "$(awk -v most="$most" '/^\[       OK \]/ {gsub(/[(]/, ""); ms += $(NF - 1)}
    END {print ms < 500 * most}' <<<"$log")" = 1 ]
}
# test_step NAME SECONDS PROGRAM FILTER [COMMAND BEFORE IT...]: GoogleTest's tests that FILTER names. Tests that failed
# or hung go to failed.txt as PROGRAM:TEST.
test_step() {
  local name=$1 program=$3
  if attempt "$name" "$2" 5 "${@:5}" "${loader[@]}" "$bin/$program" "--gtest_filter=$4"; then
    if grep -q '^\[==========\] 0 tests' <<<"$log"; then row "$name" "FAILED: there is no such test"; wrong=1
    else row "$name" "ok $(sed -n 's/^\[  PASSED  \] //p' <<<"$log" | tr '\n' ' ')"; fi
  elif was_ended && ! hung && ! grep -q '^\[  FAILED  \]' <<<"$log"; then
    row "$name" "ok $(grep -c '^\[       OK' <<<"$log") tests, no time for the others"
  elif [ "$status" != skipped ]; then
    failed "$name"
    say "$(gist)"
    { sed -n 's/^\[  FAILED  \] \([^ ,]*\).*([0-9]* ms)$/\1/p' <<<"$log"
      [ "$status" = 1 ] || sed -n 's/^\[ RUN      \] //p' <<<"$log" | tail -n 1  # crashed or hung
    } | sort -u | sed "s/^/$program:/" | tee -a "$results/failed.txt"
  fi
}

# say_steps: of several sweeps and exchanges the median of each; of arrays of the host, what the link, the device, the
# host and the network took of the last run each way.
say_steps() {
  local device_part link_part
  device_part=$(sed '/^through the device/,$d' <<<"$log")
  link_part=$(sed '1,/^through the device/d' <<<"$log")
  [ -z "$link_part" ] || say "$(awk '/^(forward|backward) / {
    printf "%s%s: to device %s %s, kernels %s %s, back %s %s, staging %s %s, exchanges %s %s",
      n++ ? "; " : "    ", $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13}' <<<"$link_part")"
  [ "$(grep -cE '^  (sweep|exchange|copy|norm)' <<<"$device_part")" -le 2 ] || say "$(awk '
    /^  (sweep|exchange|copy|norm)/ {
      name = ""
      for (i = 1; i <= NF && $i !~ /\./; i++) name = name (i > 1 ? " " : "") $i
      printf "%s%s %s %s", n++ ? ", " : "    ", name, $(i + 2), $(i + 3)
    }' <<<"$device_part")"
}
# bench NAME SECONDS OPTIONS...: medians of forward and backward, multiples of the limit, and what the model expected.
bench() {
  step "$1" "$2" 10 env "SHARDFFT_WISDOM=$own/known" "${loader[@]}" "$bin/shardfft" bench --device "$device" \
    "${@:3}" || return
  row "$1" "$(awk '
    /^through the device/ {link = 1}
    !link && /^(forward|backward) / {printf "%s %s %s  ", $1, $4, $5}
    /^limit/ {sub(/^limit [^(]*/, ""); printf "%s", $0}
    /^model/ {printf "  model %s %s", $2, $3}' <<<"$log")"
  say_steps
}
# beside NAME PEER OPTIONS...: the median times in a library's result file, in ms, and its error.
beside() {
  local name=$1 result=$results/peer.json
  rm -f "$result"
  if step "$name" 60 10 "${loader[@]}" "$SHARDFFT_PEERS/peer_$2" "${@:3}" --threads "$(nproc)" --call default \
    --iterations 10 --result "$result"; then
    cat "$result" >>"$results/log.txt"
    if grep -q '"status": "ok"' "$result"; then
      row "$name" "$(awk '
        /"(forward|backward)_s": \[/ {split($1, words, "[\"_]"); n = 0; open = 1; next}
        open && /\]/ {printf "%s %.3f ms  ", words[2], 1e3 * (v[int((n - 1) / 2)] + v[int(n / 2)]) / 2; open = 0}
        open {x = $1 + 0; for (k = n++; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1]; v[k] = x}
        /"error_rel_l2"/ {printf "error %s", $2}' "$result")"
    else
      wrong=1
      row "$name" "FAILED: $(grep '"reason"' "$result")"
    fi
  fi
  rm -f "$result"
}
