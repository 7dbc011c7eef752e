import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Name of the only model. */
export const SCRIPTED_MODEL = 'scripted-coder';

const WEATHER_TOOL = 'get_weather';
/** The question that the tool answers: `What's the weather like in San Francisco?` */
const WEATHER = /the weather like in ([^?]+)\?/;

/** The edit that the prompt asks for: `In /tmp/x/greeting.txt, replace "world" by "Switchboard".` */
const TASK = /In (\S+), replace "([^"]+)" by "([^"]+)"/;

interface Edit {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

interface Step {
  readonly tool: string;
  readonly input: (edit: Edit) => object;
}

/** Tool calls of one edit, for each coding agent; the script whose tools the request offers is used. */
const SCRIPTS: readonly (readonly Step[])[] = [
  // Claude Code
  [
    { tool: 'Read', input: ({ file }) => ({ file_path: file }) },
    { tool: 'Edit', input: ({ file, before, after }) => ({ file_path: file, old_string: before, new_string: after }) },
  ],
  // Codex CLI
  [
    { tool: 'exec_command', input: ({ file }) => ({ cmd: `cat ${file}` }) },
    { tool: 'exec_command', input: ({ file, before, after }) => ({ cmd: `sed -i 's/${before}/${after}/' ${file}` }) },
  ],
];

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

interface CompletionRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}

interface Reply {
  readonly text: string;
  readonly call?: { readonly name: string; readonly arguments: string };
}

/**
 * Starts a host of one model that edits a file and asks for the weather by script. It speaks OpenAI's chat completions, like most local models.
 */
export async function startScriptedHost(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: SCRIPTED_MODEL, object: 'model', created: 0 }] }));
      return;
    }
    const body: CompletionRequest = JSON.parse((await Array.fromAsync(request)).join(''));
    response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json');
    response.end(body.stream ? printStream(composeReply(body)) : printCompletion(composeReply(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => server.close() };
}

/** Returns the next step of the script, chosen by the number of tool results so far; after the last one a text. */
function composeReply({ messages, tools = [] }: CompletionRequest): Reply {
  const offered = new Set(tools.map((tool) => tool.function.name));
  const prompt = messages.map(textOf).join('\n');
  const results = messages.filter(({ role }) => role === 'tool');
  const [, location] = WEATHER.exec(prompt) ?? [];
  if (location && offered.has(WEATHER_TOOL) && results.length === 0)
    return { text: '', call: { name: WEATHER_TOOL, arguments: JSON.stringify({ location }) } };
  const [, file = '', before = '', after = ''] = TASK.exec(prompt) ?? [];
  const script = SCRIPTS.find((steps) => steps.every(({ tool }) => offered.has(tool)));
  if (!file || !script) return { text: 'I edit files by script. This request has no task, or none of the tools.' };
  const step = script[results.length];
  if (step) {
    const call = { name: step.tool, arguments: JSON.stringify(step.input({ file, before, after })) };
    return { text: `Step ${results.length + 1} of ${script.length}.`, call };
  }
  const [fileText] = results.map(textOf);
  return {
    text: fileText?.includes(before) ? `Replaced "${before}" by "${after}".` : `The tool did not show "${before}".`,
  };
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');
}

const ENVELOPE = { id: 'chatcmpl-scripted', created: 0, model: SCRIPTED_MODEL };
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function printCompletion({ text, call }: Reply): string {
  const toolCalls = call ? { tool_calls: [{ id: createCallId(), type: 'function', function: call }] } : {};
  const message = { role: 'assistant', content: text, ...toolCalls };
  const choice = { index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' };
  return JSON.stringify({ ...ENVELOPE, object: 'chat.completion', choices: [choice], usage: USAGE });
}

/** Returns the events of a stream: a word or a few characters of arguments in each. */
function printStream({ text, call }: Reply): string {
  const deltas: object[] = [{ role: 'assistant', content: '' }];
  deltas.push(...(text.match(/\S+\s*/g) ?? []).map((content) => ({ content })));
  if (call) {
    const start = { index: 0, id: createCallId(), type: 'function', function: { name: call.name, arguments: '' } };
    deltas.push({ tool_calls: [start] });
    for (const part of call.arguments.match(/[\s\S]{1,12}/g) ?? [])
      deltas.push({ tool_calls: [{ index: 0, function: { arguments: part } }] });
  }
  const chunks: object[] = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }] });
  chunks.push({ choices: [], usage: USAGE });
  const print = (chunk: object) =>
    `data: ${JSON.stringify({ ...ENVELOPE, object: 'chat.completion.chunk', ...chunk })}\n\n`;
  return `${chunks.map(print).join('')}data: [DONE]\n\n`;
}

function createCallId(): string {
  return `call_${crypto.randomUUID()}`;
}
