#!/usr/bin/env bash
# Has Codex CLI edit a file through a running Switchboard: prints `ok file-edit` or `failed file-edit`.
set -uo pipefail
codex=$PWD/node_modules/.bin/codex
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/project"
cd "$work/project"
echo 'Hello, world.' >greeting.txt

cat >"$work/home/config.toml" <<TOML
model = "$SWITCHBOARD_CHAT_MODEL"
model_provider = "switchboard"

[model_providers.switchboard]
name = "Switchboard"
base_url = "$SWITCHBOARD_URL/v1"
env_key = "SWITCHBOARD_KEY"
wire_api = "responses"
TOML

echo "version $("$codex" --version | grep -oE '[0-9.]+$')"
# The sandbox of Codex needs privileges that containers lack. The scripted model edits this one file.
CODEX_HOME=$work/home "$codex" exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
  "In $PWD/greeting.txt, replace \"world\" by \"Switchboard\"." </dev/null
if [ "$(cat greeting.txt)" = 'Hello, Switchboard.' ]; then
  echo 'ok file-edit'
else
  echo "failed file-edit: $(cat greeting.txt)"
  exit 1
fi
