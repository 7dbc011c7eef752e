import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ChatChoice, listParts } from '../../../src/core/models/contract/chat-answer.ts';
import { createOutcome } from '../../../src/core/models/contract/chat-outcome.ts';
import type { ChatRequest } from '../../../src/core/models/contract/chat-request.ts';
import { UntranslatableError } from '../../../src/core/models/contract/model-errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { printMessage } from '../../../src/protocols/anthropic-messages/answer/print-message.ts';
import { toMessagesRequest } from '../../../src/protocols/anthropic-messages/request/print-request.ts';
import { readMessagesRequest } from '../../../src/protocols/anthropic-messages/request/read-request.ts';
import { HttpError } from '../../../src/protocols/http-error.ts';
import { printCompletion } from '../../../src/protocols/openai-chat/print-answer.ts';
import { toChatBody, toFallbackParameters } from '../../../src/protocols/openai-chat/print-request.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { createOutputBuilder } from '../../../src/protocols/openai-responses/answer/build-output.ts';
import {
  readResponseRequest,
  toChatRequest as toChatRequestOfResponse,
} from '../../../src/protocols/openai-responses/request/read-request.ts';
import {
  BLOCKS,
  CHAT_FIELDS,
  CHAT_PARTS,
  CHAT_TOOLS,
  ITEMS,
  MESSAGES_FIELDS,
  MESSAGES_TOOLS,
  type Probes,
  RESPONSE_FIELDS,
  RESPONSE_PARTS,
  RESPONSE_TOOLS,
} from '../../support/samples/vendor-fields.ts';

/** The table of differences in docs/dialects.md says what the translation does with each field of the vendors' APIs. */

type Outcome = 'translated' | 'without effect' | 'refused';

/** A column of the table. */
interface Dialect {
  readonly column: string;
  readonly read: (body: JsonObject) => ChatRequest;
  /** A request without the fields in question. */
  readonly base: JsonObject;
  /** The protocols that requests are translated to. */
  readonly hosts: readonly ((request: ChatRequest) => JsonObject)[];
}

const printChat = (request: ChatRequest): JsonObject =>
  Object.assign(toChatBody(request), ...toFallbackParameters(request).map(({ ways: [first] }) => first));
const FACTS = { maxOutputTokens: 10_000, thinkingTypes: new Set(['adaptive']), acceptsEffort: true };
function printMessages(request: ChatRequest): JsonObject {
  const { body, parameters } = toMessagesRequest(request, FACTS);
  return Object.assign({ ...body }, ...parameters.map(({ ways: [first] }) => first));
}

const PARAMETERS = { type: 'object', properties: {} };
const hello = (type: string) => [{ role: 'user', content: [{ type, text: 'Hello!' }] }];
const HELLO = hello('text');
const CHAT: Dialect = {
  column: 'Chat completions',
  read: (body) => toChatRequest('m', body),
  base: { messages: HELLO, tools: [{ type: 'function', function: { name: 'look', parameters: PARAMETERS } }] },
  hosts: [printMessages],
};
const RESPONSES: Dialect = {
  column: 'Responses',
  read: (body) => toChatRequestOfResponse(readResponseRequest(body)),
  base: { model: 'm', input: hello('input_text'), tools: [{ type: 'function', name: 'look', parameters: PARAMETERS }] },
  hosts: [printChat, printMessages],
};
const MESSAGES: Dialect = {
  column: 'Messages',
  read: (body) => readMessagesRequest(body, {}).request,
  base: { model: 'm', max_tokens: 5000, messages: HELLO, tools: [{ name: 'look', input_schema: PARAMETERS }] },
  hosts: [printChat],
};

/** Translates a request with and without fields. @returns the outcome at each host. */
function translate({ read, base, hosts }: Dialect, fields: JsonObject): readonly Outcome[] {
  return hosts.map((print) => {
    try {
      const request = read({ ...base, ...fields });
      if (request.native?.untranslatable) return 'refused';
      return JSON.stringify(print(request)) === JSON.stringify(print(read(base))) ? 'without effect' : 'translated';
    } catch (error) {
      if (error instanceof HttpError || error instanceof UntranslatableError) return 'refused';
      throw error;
    }
  });
}

/** What rows of the table say about the fields that they name, as outcomes that they allow. */
const MEANINGS: readonly (readonly [section: string, row: RegExp, allowed: readonly Outcome[]])[] = [
  ['Translated', /^Sampling|^Settings/, ['translated', 'refused']],
  ['Translated', /./, ['translated']],
  ['Without effect', /^Where/, ['translated', 'without effect']],
  ['Without effect', /./, ['without effect']],
  ['Refused', /./, ['refused']],
];
/** Rows about answers and conversations, which other properties check. */
const OTHER_ROWS = /^(Forwarded|Breakpoints|Calls and results|Reasoning of earlier|History|Fields that are not|\*\*)/;

interface Cell {
  readonly section: string;
  readonly row: string;
  readonly text: string;
  /** What the text has as code. */
  readonly names: readonly string[];
}

function readRows(column: string): readonly Cell[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/dialects.md'), 'utf8');
  const [, chapter = ''] = /\n## Requests and answers\n([\s\S]*?)\n## /.exec(page) ?? [];
  const lines = chapter.split('\n').filter((line) => line.startsWith('|'));
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  const at = rows[0]?.indexOf(column) ?? -1;
  let section = '';
  return rows.slice(2).map((cells): Cell => {
    const [, row = ''] = cells;
    section = /^\*\*(.+)\*\*$/.exec(row)?.[1] ?? section;
    const text = cells[at] ?? '';
    return { section, row, text, names: [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) };
  });
}

/** Returns the cells about fields of requests. */
function readColumn(column: string): readonly Cell[] {
  return readRows(column).filter(({ section, row }) => section !== 'Answers' && !OTHER_ROWS.test(row));
}

/** Returns the outcomes that the table allows for a name: for one that it does not mention, a refusal. */
function allowedFor(name: string, cells: readonly Cell[], { column }: Dialect): readonly Outcome[] {
  const found = cells.filter(({ names }) => names.some((named) => isNamed(name, named)));
  if (found.length === 0)
    return column === RESPONSES.column && Object.hasOwn(RESPONSE_FIELDS, name)
      ? ['translated', 'refused']
      : ['refused'];
  return found.flatMap(({ section, row }) => {
    const meaning = MEANINGS.find(([of, pattern]) => of === section && pattern.test(row));
    return meaning?.[2] ?? [];
  });
}

/** The table names fields by their path, or several by their beginning. */
function isNamed(name: string, named: string): boolean {
  return name === named || named.startsWith(`${name}.`) || (named.endsWith('*') && name.startsWith(named.slice(0, -1)));
}

/** Converts the names of a list to fields of a request. */
type ToFields = (name: string, value: unknown, dialect: Dialect) => JsonObject;
const toField: ToFields = (name, value) => ({ [name]: value });
const toTools: ToFields = (type, tool, { base }) => ({
  tools: [...(base['tools'] as JsonObject[]), { type, name: 'hear', ...(tool as JsonObject) }],
});
const toPart =
  (list: string): ToFields =>
  (type, part, { base }) => {
    const [message] = base[list] as { content: JsonObject[] }[];
    return { [list]: [{ ...message, content: [...(message?.content ?? []), { type, ...(part as JsonObject) }] }] };
  };
const toItems: ToFields = (type, items, { base }) => {
  const [first, ...others] = [items].flat() as JsonObject[];
  return { input: [...(base['input'] as JsonObject[]), { type, ...first }, ...others] };
};

const LISTS: readonly (readonly [what: string, Dialect, Probes, ToFields])[] = [
  ['fields', CHAT, CHAT_FIELDS, toField],
  ['fields', RESPONSES, RESPONSE_FIELDS, toField],
  ['fields', MESSAGES, MESSAGES_FIELDS, toField],
  ['parts', CHAT, CHAT_PARTS, toPart('messages')],
  ['parts', RESPONSES, RESPONSE_PARTS, toPart('input')],
  ['blocks', MESSAGES, BLOCKS, toPart('messages')],
  ['items', RESPONSES, ITEMS, toItems],
  ['tools', CHAT, CHAT_TOOLS, toTools],
  ['tools', RESPONSES, RESPONSE_TOOLS, toTools],
  ['tools', MESSAGES, MESSAGES_TOOLS, toTools],
];

describe.each(
  LISTS.map(([what, dialect, probes, toFields]) => ({ what, column: dialect.column, dialect, probes, toFields })),
)('$what of $column', ({ dialect, probes, toFields }) => {
  const cells = readColumn(dialect.column);
  test.each(Object.entries(probes))('%s has the effect that the table says', (name, value) => {
    const allowed = allowedFor(name, cells, dialect);
    for (const outcome of translate(dialect, toFields(name, value, dialect))) expect(allowed).toContain(outcome);
  });
});

/** What an answer may have, each with its own word. */
const ANSWER: ChatChoice = {
  text: 'sb-text',
  logprobs: [{ token: 'sb-logprobs', logprob: -1, bytes: [], top_logprobs: [] }],
  reasoning: 'sb-reasoning',
  refusal: 'sb-refusal',
  images: ['https://sb-image.example'],
  toolCalls: [{ id: 'call_1', name: 'sb-tool', arguments: '{"a":"sb-arguments"}' }],
  sources: [{ url: 'https://sb-source.example' }],
  finishReason: 'stop',
  stopSequence: 'sb-stop',
};
const WORDS: Readonly<Record<string, string>> = {
  'sb-logprobs': 'log probabilities',
  'https://sb-source.example': 'sources',
  'sb-stop': 'the stop sequence',
};
const outcome = createOutcome('host', 'm');
const ASKED = readMessagesRequest(
  { ...MESSAGES.base, stop_sequences: ['sb-stop'], thinking: { type: 'enabled', budget_tokens: 2000 } },
  {},
);

const PRINTERS: readonly (readonly [string, (answer: ChatChoice) => unknown])[] = [
  [CHAT.column, (answer) => printCompletion({ choices: [answer], outcome }, 0)],
  [MESSAGES.column, (answer) => printMessage({ choices: [answer], outcome }, ASKED)],
  [
    RESPONSES.column,
    (answer) => {
      const builder = createOutputBuilder({ tools: { byName: new Map(), echo: [] }, wantsEncryptedReasoning: false });
      for (const part of listParts(answer, 0)) builder.add(part);
      builder.close('completed');
      return builder.print();
    },
  ],
];

test.each(PRINTERS)('an answer has all but what the table says is left out: %s', (column, print) => {
  // Only an answer that was neither refused nor calls tools can have been ended by a sequence.
  const printed = JSON.stringify([print(ANSWER), print({ ...ANSWER, refusal: undefined, toolCalls: [] })]);
  const all = JSON.stringify(ANSWER).match(/(?:https:\/\/)?sb-[a-z.]+/g) ?? [];
  const left = all.filter((mark) => !printed.includes(mark)).map((mark) => WORDS[mark] ?? mark);
  const cell = readRows(column).find(({ row }) => row.startsWith('Left out'));
  expect(all).toHaveLength(9);
  expect(left.sort()).toEqual(cell?.text.split(', ').sort());
});

/** Code of the table that is a value, or is explained by what stands beside it. */
const VALUES = new Set([
  ...['system', 'developer', 'refusal', '[Image]', 'function_call', '<document>', '<search_result>'],
  ...['input', 'namespace__name', 'execution: client', 'allowed_tools', 'disable_parallel_tool_use'],
  ...['max', 'xhigh', 'disabled', 'none', 'external_web_access', 'file_data', 'background', 'stream', 'store'],
]);

test.each([CHAT, RESPONSES, MESSAGES])('all names of the table are known: $column', (dialect) => {
  const probed = LISTS.filter(([, of]) => of === dialect).flatMap(([, , probes]) => Object.keys(probes));
  const names = readColumn(dialect.column).flatMap((cell) => cell.names);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((named) => !VALUES.has(named) && !probed.some((name) => isNamed(name, named)))).toEqual([]);
});
