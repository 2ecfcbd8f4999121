# shellcheck shell=bash disable=SC2034,SC2154
# How tools/gpu_check runs a step: under a limit of its own, with what it prints in a file at once, so that whoever
# kills the whole finds all that was found until then. Sourced; begin_steps comes first.

fail() { echo "gpu_check: $*" >&2; exit 2; }

# begin_steps FOLDER SECONDS: results go to FOLDER, as table.txt, log.txt, failed.txt and now.txt (what the step that
# runs has printed); all steps together take no longer than SECONDS.
begin_steps() {
  results=$1 began=$SECONDS wrong=0
  longest_step=${SHARDFFT_GPU_CHECK_STEP:-1000}
  dies_s=5  # what ends only when it is killed has so long to do so
  end=$((SECONDS + $2 - dies_s))
  mkdir -p "$results" && : >"$results/table.txt" && : >"$results/log.txt" && : >"$results/failed.txt" ||
    fail "results go to a folder that can be written; got '$results'"
  said=$results/now.txt
}
left() { echo $((end - SECONDS)); }
say() { echo "$*" | tee -a "$results/table.txt"; }
row() { say "$(printf '%-64s %s' "$1" "$2")"; }
# not_run NAME WHY
not_run() { row "$1" "not run: $2"; }

# launch COMMAND...: with the libraries of the bundle. Of our programs alone: what else runs here is at home on this
# machine, and has its own.
launch() { env "LD_LIBRARY_PATH=$libraries" "${loader[@]}" "$@"; }

# limited SECONDS COMMAND...: its status; 124 or 137 where it was ended. What it prints goes behind what $said holds. A
# sanitizer that is ended leaves its program running, so its whole group is killed; a program whose driver does not let
# it die is left behind.
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
# ends STATUS SECONDS: what a status says.
ends() {
  case $1 in
    124 | 137) echo "FAILED: ended after $2s, which is all that it had" ;;
    *) echo "FAILED (status $1)" ;;
  esac
}
# step NAME SECONDS LEAST COMMAND...: runs it, unless fewer than LEAST seconds are left. Sets log, status and most.
# Status 1 where it did not end well, for which its row is written.
step() {
  local name=$1 least=$3
  most=$2
  [ "$most" -lt "$longest_step" ] || most=$longest_step
  [ "$most" -lt "$(left)" ] || most=$(left)
  if [ "$most" -lt "$least" ]; then not_run "$name" "no time left"; wrong=1 status=skipped; return 1; fi
  echo "$name: $most s at most, $(left) s left for all" >"$said"
  limited "$most" "${@:4}"
  status=$?
  log=$(tail -n +2 "$said")
  printf '=== %s\n%s\n' "$name" "$log" >>"$results/log.txt"
  [ $status -ne 0 ] || return 0
  row "$name" "$(ends $status "$most"): $(tail -n 1 <<<"$log" | cut -c1-300)"
  wrong=1
  return 1
}
# Of what a failed test printed: which ones failed, where the first ones did, what a sanitizer found first, and the end.
gist() {
  grep -E '^\[  FAILED  \] ' <<<"$log" | sed 's/ (.*//' | sort -u | head -n 20
  grep -E -A 6 ': Failure$' <<<"$log" | head -n 30
  grep -E '^========= (Error|Invalid|Race|WARN|ERROR SUMMARY|Program hit)' -A 4 <<<"$log" | head -n 30
  tail -n 6 <<<"$log"
}
# test_step NAME SECONDS PROGRAM FILTER [COMMAND BEFORE IT...]: GoogleTest's tests that FILTER names. What failed, or
# hung, goes to failed.txt, in the words of --tests.
test_step() {
  local name=$1 program=$3 filter=$4
  if step "$name" "$2" 5 "${@:5}" "${loader[@]}" "$bin/$program" "--gtest_filter=$filter"; then
    row "$name" "ok $(sed -n 's/^\[  PASSED  \] //p' <<<"$log" | tr '\n' ' ')"
  elif [ "$status" != skipped ]; then
    say "$(gist)"
    # Of a program that was ended, the test that ran.
    { sed -n 's/^\[  FAILED  \] \([^ ,]*\).*([0-9]* ms)$/\1/p' <<<"$log"
      case $status in 1) ;; *) sed -n 's/^\[ RUN      \] //p' <<<"$log" | tail -n 1 ;; esac
    } | sort -u | sed "s/^/$program:/" | tee -a "$results/failed.txt"
  fi
}
# shown NAME SECONDS COMMAND...: a step of which all that it prints is told.
shown() {
  local name=$1
  if step "$name" "$2" 5 "${@:3}"; then
    row "$name" ok
    say "$(sed 's/^/    /' <<<"$log")"
  fi
}
# Of arrays of the host: what the link, the device, the host and the network took of the last run each way.
say_link() {
  grep -q '^through the device' <<<"$log" || return 0
  say "$(sed '1,/^through the device/d' <<<"$log" | awk '/^(forward|backward) / {
    printf "%s%s: to device %s %s, kernels %s %s, back %s %s, staging %s %s, exchanges %s %s",
      n++ ? "; " : "    ", $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13}')"
}
# bench NAME OPTIONS...: medians of forward and backward, how many times the limit they are, and what the model expected
# of one of them; of several sweeps and exchanges each by itself, in a second line.
bench() {
  local name=$1
  step "$name" "${bench_s:-60}" 10 env "SHARDFFT_WISDOM=$known" "${loader[@]}" "$bin/shardfft" bench \
    --device "$device" "${@:2}" || return
  row "$name" "$(awk '
    /^through the device/ {link = 1}
    !link && /^(forward|backward) / {printf "%s %s %s  ", $1, $4, $5}
    /^limit/ {sub(/^limit [^(]*/, ""); printf "%s", $0}
    /^model/ {printf "  model %s %s", $2, substr($3, 1, length($3) - 1)}' <<<"$log")"
  say_link
  [ "$(sed '/^through the device/,$d' <<<"$log" | grep -cE '^  (sweep|exchange|copy|norm)')" -le 2 ] || say "$(awk '
    /^through the device/ {exit}
    /^  (sweep|exchange|copy|norm)/ {
      name = ""
      for (i = 1; i <= NF && $i !~ /\./; i++) name = name (i > 1 ? " " : "") $i
      printf "%s%s %s %s", n++ ? ", " : "    ", name, $(i + 2), $(i + 3)
    }' <<<"$log")"
}
# beside NAME PEER OPTIONS...: the median times in a library's result file, in ms, and its error.
beside() {
  local name=$1 peer=$2 result=$results/peer.json
  rm -f "$result"
  if step "$name" 60 10 "${loader[@]}" "$SHARDFFT_PEERS/peer_$peer" "${@:3}" --threads "$(nproc)" --call default \
    --iterations 10 --result "$result"; then
    cat "$result" >>"$results/log.txt"
    if grep -q '"status": "ok"' "$result"; then
      row "$name" "$(awk '
        /"(forward|backward)_s": \[/ {split($1, words, "[\"_]"); n = 0; open = 1; next}
        open && /\]/ {printf "%s %.3f ms  ", words[2], 1e3 * (v[int((n - 1) / 2)] + v[int(n / 2)]) / 2; open = 0}
        open {x = $1 + 0; for (k = n++; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1]; v[k] = x}
        /"error_rel_l2"/ {printf "error %s", $2}' "$result")"
    else
      row "$name" "FAILED: $(grep '"reason"' "$result")"; wrong=1
    fi
  fi
  rm -f "$result"
}
