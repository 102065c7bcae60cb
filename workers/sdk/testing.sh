# What the scripts tests/run of workers share (workers/README.md says what such a script is): sourced, in bash. Counts what
# passes, fails and is skipped; finish prints the counts and says whether anything failed.
passed=0 failed=0 skipped=0
logs=${CROSSBIND_TEST_LOGS:?is where the logs of the tests go; scripts/test-workers sets it}
tools=${CROSSBIND_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/crossbind}/tools  # what tests need beside the workers
mkdir -p "$logs" "$tools"

missing() {  # missing NAME COUNT REASON: COUNT things that NAME is needed for cannot run
  if [[ " ${CROSSBIND_MUST_RUN:-} " == *" $1 "* ]]; then
    echo "failed $1: must run here (CROSSBIND_MUST_RUN): $3"
    failed=$((failed + $2))
  else
    echo "skipped $1: $3"
    skipped=$((skipped + $2))
  fi
}

log_of() {  # log_of FOLDER [WHAT]: the file for what its tests write
  local path
  path=$(basename "$(dirname "$(realpath "$1")")")-$(basename "$(realpath "$1")")
  echo "$logs/${path#workers-}${2:+-$2}.log"
}

sum() {  # sum PATTERN LOG: of the numbers that the pattern's group matches; an empty group counts 1
  sed -nE "s/$1/\1/p" "$2" | awk '{ n += $1 == "" ? 1 : $1 } END { print n + 0 }'
}

# take NAME LOG STATUS PASSED FAILED SKIPPED: counts what a test runner wrote there, each by a pattern with one group
take() {
  local good bad not_run
  good=$(sum "$4" "$2") bad=$(sum "$5" "$2") not_run=$(sum "$6" "$2")
  if (($3 != 0)); then
    echo "failed $1, see $2"
    tail -n 100 "$2"
    ((bad > 0)) || bad=1
  elif ((good == 0 && not_run == 0)); then # what is skipped has said why
    echo "failed $1: no test ran, see $2"
    bad=1
  fi
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + not_run))
}

lint() {  # lint NAME FOLDER COMMAND...: counts as one test
  local name=$1 folder=$2 output
  shift 2
  if output=$(cd "$folder" && "$@" 2>&1); then
    passed=$((passed + 1))
  else
    echo "failed $name"
    echo "$output"
    failed=$((failed + 1))
  fi
}

finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}
