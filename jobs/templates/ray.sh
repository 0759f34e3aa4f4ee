#!/bin/bash
# {{title}}
# Written by `farm submit ray`; yours to edit. Beside it: package/, which Ray takes to the cluster.
#   watch  {{watch}}
#   stop   {{stop}}
set -euo pipefail
cd "$(dirname "$0")"
{{extra}}
exec ray job submit --address {{address}} --submission-id {{name}} --working-dir ./package{{no_wait}} \
    -- bash drive.sh
