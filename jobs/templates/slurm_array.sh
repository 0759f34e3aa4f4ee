#!/bin/bash
# {{title}}
# Written by `farm submit slurm --array`; yours to edit. Each task computes its own shards, on one node,
# without Ray between nodes. Submit it as often as it takes: it goes on with the run.
#   submit  sbatch THIS_FILE    watch  squeue --me    cancel  scancel JOBID
{{directives}}

set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/job.toml" <<'END_OF_JOB_FILE'
{{job_file}}END_OF_JOB_FILE

{{activation}}

drain=no
trap 'drain=wanted' USR1

farm run "$work/job.toml" {{options}} \
    --share "$SLURM_ARRAY_TASK_ID/{{tasks}}" --max-cpus "$SLURM_CPUS_PER_TASK" &
driver=$!
while kill -0 "$driver" 2>/dev/null; do
    # Before the time limit: running shards are finished and written, nothing new is begun.
    if [ "$drain" = wanted ]; then
        kill -TERM "$driver" 2>/dev/null
        drain=asked
    fi
    sleep 1
done
wait "$driver"
status=$?

if [ "$drain" != no ] && [ "$status" -ne 0 ] && [ "$status" -ne 2 ] &&
    [ "${SLURM_RESTART_COUNT:-0}" -lt {{requeues}} ]; then
    echo "drained before the time limit: back to the queue"
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
