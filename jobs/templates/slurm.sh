#!/bin/bash
# {{title}}
# Written by `farm submit slurm`; yours to edit. Submit it as often as it takes: it goes on with the run.
#   submit  sbatch THIS_FILE    watch  squeue --me    cancel  scancel JOBID
{{directives}}

set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/job.toml" <<'END_OF_JOB_FILE'
{{job_file}}END_OF_JOB_FILE

{{activation}}

# Ray's head is on the first node, where this script runs too.
first_node=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
node_address=$(scontrol show node "$first_node" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
address=$(getent ahostsv4 "$node_address" | awk 'NR == 1 {print $1}')
port=$((20000 + SLURM_JOB_ID % 10000))
# Ray's token, where it is on, reaches all nodes through the environment and no file of this job.
if [ "${RAY_AUTH_MODE:-token}" = token ] && token=$(ray get-auth-token --generate 2>/dev/null | tail -n 1); then
    export RAY_AUTH_MODE=token RAY_AUTH_TOKEN="$token"
fi
export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT=300

# Runs on the first node only, and leaves the farm's process number and exit status there.
cat >"$work/drive.sh" <<'END_OF_DRIVER'
farm run "$1/job.toml" {{options}} --address "$2" &
echo $! >"$1/driver"
wait $!
status=$?
echo "$status" >"$1/status"
exit "$status"
END_OF_DRIVER

drain=no
trap 'drain=wanted' USR1

# --wait: symmetric-run on the other nodes does not notice the end by itself.
srun --wait=5 --kill-on-bad-exit=0 --nodes="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \
    ray symmetric-run --address "$address:$port" --min-nodes "$SLURM_JOB_NUM_NODES" \
    --num-cpus "$SLURM_CPUS_PER_TASK" --disable-usage-stats \
    -- bash "$work/drive.sh" "$work" "$address:$port" &
step=$!
patience=10
while kill -0 "$step" 2>/dev/null && [ "$patience" -gt 0 ]; do
    # Before the time limit: running shards are finished and written, nothing new is begun.
    if [ "$drain" = wanted ] && [ -s "$work/driver" ]; then
        kill -TERM "$(cat "$work/driver")" 2>/dev/null
        drain=asked
    fi
    # Once the farm has ended, Ray has some seconds to end too.
    [ -s "$work/status" ] && patience=$((patience - 1))
    sleep 1
done
kill -0 "$step" 2>/dev/null && scancel --signal=KILL "$SLURM_JOB_ID.0"

status=$(cat "$work/status" 2>/dev/null || echo 1)
if [ "$drain" != no ] && [ "$status" -ne 0 ] && [ "$status" -ne 2 ] &&
    [ "${SLURM_RESTART_COUNT:-0}" -lt {{requeues}} ]; then
    echo "drained before the time limit: back to the queue"
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
