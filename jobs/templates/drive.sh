# {{title}}
# Runs on the head of the Ray cluster; goes on with the run where there is one already.
cd "$(dirname "$0")" || exit 2
{{activation}}
exec python -m farm.main run job.toml {{options}} --address auto
