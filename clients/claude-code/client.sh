#!/usr/bin/env bash
# Has Claude Code edit a file through a running Switchboard: prints `ok file-edit` or `failed file-edit`.
set -uo pipefail
claude=$PWD/node_modules/.bin/claude
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/project"
cd "$work/project"
echo 'Hello, world.' >greeting.txt

export HOME=$work/home CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
export ANTHROPIC_BASE_URL=$SWITCHBOARD_URL
export ANTHROPIC_API_KEY=$SWITCHBOARD_KEY
export ANTHROPIC_MODEL=$SWITCHBOARD_CHAT_MODEL
# The model of small background tasks.
export ANTHROPIC_DEFAULT_HAIKU_MODEL=$SWITCHBOARD_CHAT_MODEL

echo "version $("$claude" --version | grep -oE '^[0-9.]+')"
"$claude" --print --permission-mode acceptEdits \
  "In $PWD/greeting.txt, replace \"world\" by \"Switchboard\"." </dev/null
echo
if [ "$(cat greeting.txt)" = 'Hello, Switchboard.' ]; then
  echo 'ok file-edit'
else
  echo "failed file-edit: $(cat greeting.txt)"
  exit 1
fi
