#!/usr/bin/env bash
# Tests a running Switchboard with the program `llm`: one line `ok` or `failed` for each operation.
set -uo pipefail
llm=environment/bin/llm
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LLM_USER_PATH=$work

# operation NAME PATTERN COMMAND…: the output of the command must match the pattern.
operation() {
  local name=$1 pattern=$2 output
  shift 2
  if output=$("$@" 2>&1) && grep -qE "$pattern" <<<"$output"; then
    echo "ok $name"
  else
    echo "failed $name: ${output//$'\n'/ }"
    failed=1
  fi
}

service() {
  "$llm" openai endpoint "$SWITCHBOARD_URL/v1" --key "$SWITCHBOARD_KEY" "$@"
}

ask() {
  service --model "$SWITCHBOARD_CHAT_MODEL" "$@"
}

weather='def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "21 degrees"'
question='What is the weather in Paris? Call get_weather.'

echo "version $("$llm" --version | grep -oE '[0-9.]+$')"
operation models "$SWITCHBOARD_CHAT_MODEL" service --models
operation chat '\w' ask --no-stream 'Say hello.'
operation chat-stream '\w' ask 'Say hello.'
operation tools 'Tool call: get_weather' ask --functions "$weather" --tools-debug "$question"
operation structured '"inhabitants": *[0-9]' ask --schema 'name, inhabitants int' 'Describe Paris.'
operation responses '\w' ask --responses --no-stream 'Say hello.'
operation responses-stream '\w' ask --responses 'Say hello.'
operation responses-tools 'Tool call: get_weather' ask --responses --functions "$weather" --tools-debug "$question"
operation responses-structured '"inhabitants": *[0-9]' ask --responses --schema 'name, inhabitants int' 'Describe Paris.'
exit $failed
