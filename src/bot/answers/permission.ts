import { type MessageExtras, PAUSED } from '../../core/conversations/index.ts';
import type { Tool, ToolQuestion } from '../../core/tools/index.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { ShownAnswer } from '../kit/feature.ts';
import { storeKeyboard } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import type { Texts } from '../texts/locales.ts';
import { listAnswerTools } from './extensions.ts';
import { sendAboutAnswer } from './send-about-answer.ts';
import { recordState } from './storing.ts';
import type { AnswerOutcome } from './writing.ts';

/** Lifetime of the buttons. */
const TTL_MS = 7 * 86_400_000;

/** Asks the user whether the tool call of a paused answer may run: the hook of `afterShown`. */
export async function askPermission(
  services: BotServices,
  { answer, answered, generated }: ShownAnswer,
  signal: AbortSignal,
): Promise<AnswerOutcome | undefined> {
  const { pausedCalls } = generated.extras;
  if (generated.finishReason !== PAUSED) return undefined;
  const createView = async (): Promise<View> => {
    if (!pausedCalls) throw new Error('the answer is not waiting for a permission');
    const { texts, answerId } = answered;
    const { always } = texts.tools.permission;
    const tool = listAnswerTools(services, answer).find(({ name }) => name === pausedCalls.tool);
    const question = toQuestion(texts, pausedCalls, tool);
    const toButton = (text: string, permission: 'once' | 'always' | 'no') => ({
      text,
      action: { kind: 'permit-tool', answerId, pauseId: pausedCalls.id, permission: permission } as const,
    });
    const rows = [
      [toButton(question.allow, 'once'), toButton(question.refuse, 'no')],
      pausedCalls.subject === undefined ? [] : [toButton(always, 'always')],
    ];
    const target = { userId: answered.question.userId ?? answered.userId, chatId: answered.chatTopic.chatId };
    const keyboard = await storeKeyboard(services, target, rows, TTL_MS);
    return { ...formatQuestion(question), keyboard };
  };
  if (!(await sendAboutAnswer(services, answered, createView, signal))) return 'unfinished';
  await recordState(services, answer, () => services.conversations.settlePaused(answer.id));
  return 'settled';
}

type PausedCalls = NonNullable<MessageExtras['pausedCalls']>;

/** Question about a call, with the part of it that is shown as code, and the reason why it is asked. */
interface CallQuestion extends ToolQuestion {
  readonly named?: string;
  readonly reason: string;
}

function toQuestion(
  texts: Texts,
  { tool: name, parameters, address }: PausedCalls,
  tool: Tool | undefined,
): CallQuestion {
  const { permission } = texts.tools;
  const buttons = { allow: permission.once, refuse: permission.no };
  if (address !== undefined) {
    const { host } = new URL(address);
    const details = [address];
    return { ...buttons, question: permission.open(host), details, named: host, reason: permission.whyOpen };
  }
  const reason = permission.whyUse;
  const details = listDetails(texts, { parameters, tool });
  if (tool?.toQuestion) return { ...tool.toQuestion(parameters), details, reason };
  const isSearch = tool?.findQuery !== undefined && tool.source === undefined;
  if (isSearch) return { ...buttons, question: permission.search, details, reason };
  const question = (details.length > 0 ? permission.use : permission.useAlone)(name);
  return { ...buttons, question, details, named: name, reason };
}

/** Returns what a call would do, in words. */
function listDetails(texts: Texts, { parameters, tool }: DescribedCall): readonly string[] {
  const query = tool?.source === undefined ? tool?.findQuery?.(parameters) : undefined;
  return tool?.toQuestion?.(parameters).details ?? (query === undefined ? listParameters(texts, parameters) : [query]);
}

interface DescribedCall {
  readonly parameters: JsonObject;
  readonly tool: Tool | undefined;
}

/** Formats the call as code: apps create no links in it and show its characters unchanged. */
function formatQuestion({ question, details, named, reason }: CallQuestion): Pick<View, 'text' | 'entities'> {
  const call = shortenCall(toCallText(details));
  const start = named === undefined ? -1 : question.lastIndexOf(named);
  const name = { type: 'code', offset: start, length: named?.length ?? 0 } as const;
  const pre = { type: 'pre', offset: question.length + 2, length: call.length } as const;
  return {
    text: [question, call, reason].filter((part) => part !== '').join('\n\n'),
    entities: [...(start < 0 ? [] : [name]), ...(call === '' ? [] : [pre])],
  };
}

/**
 * A longer call is cut in the middle. Leaked data is usually appended to addresses and arguments, so more of the end is
 * kept. In UTF-16 units, of which a message may have 4096.
 */
const HEAD_UNITS = 1200;
const TAIL_UNITS = 2200;

/** Returns whether the request for permission shows the whole call of a tool that opens no address. */
export function isShownWhole(texts: Texts, call: DescribedCall): boolean {
  return toCallText(listDetails(texts, call)).length <= HEAD_UNITS + TAIL_UNITS;
}

function toCallText(details: readonly string[]): string {
  return details.map(escapeInvisible).join('\n');
}

/** Escapes characters that are invisible or change the direction of text. A line break can't begin another fact. */
function escapeInvisible(text: string): string {
  return text
    .replaceAll(/\r\n?|\n/g, ' ⏎ ')
    .replaceAll(/[\p{C}\p{DI}]|[^\S ]/gu, (character) =>
      [...character].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
    );
}

function shortenCall(call: string): string {
  const hiddenCount = call.length - HEAD_UNITS - TAIL_UNITS;
  if (hiddenCount <= 0) return call;
  const [head, tail] = [call.slice(0, HEAD_UNITS), call.slice(-TAIL_UNITS)];
  return `${head.toWellFormed()}\n… +${hiddenCount} …\n${tail.toWellFormed()}`;
}

/** Deeper and longer calls do not occur. From this many lines on, and this deep, values are shown as they are. */
const MAX_OPENED_LINES = 1000;

const MAX_DEPTH = 32;

/** Returns the parameters of a call in words, a line for each value: `to: Ann`, `options, max size: 3`. */
export function listParameters({ tools: { permission } }: Texts, parameters: JsonObject): readonly string[] {
  const lines: string[] = [];
  const visit = (path: readonly string[], value: unknown): void => {
    const entries = toEntries(value);
    if (entries.length > 0 && path.length < MAX_DEPTH && lines.length < MAX_OPENED_LINES)
      for (const [label, inner] of entries) visit(label === undefined ? path : [...path, label], inner);
    else if (path.length > 0) lines.push(`${path.join(', ')}: ${toWords(value, entries.length > 0)}`);
  };
  const toWords = (value: unknown, isFull: boolean): string => {
    if (typeof value === 'boolean') return permission.yesOrNo(value);
    if (isFull) return JSON.stringify(value);
    return value === null || typeof value === 'object' ? permission.nothing : String(value);
  };
  visit([], parameters);
  return lines;
}

/** Returns the values of an object or a list by their labels; the only value of a list has none. */
function toEntries(value: unknown): readonly (readonly [label: string | undefined, value: unknown])[] {
  if (Array.isArray(value))
    return value.map((inner, index) => [value.length === 1 ? undefined : `${index + 1}`, inner]);
  return isJsonObject(value) ? Object.entries(value).map(([name, inner]) => [toLabel(name), inner]) : [];
}

/** `max_size` and `maxSize` become `max size`. */
function toLabel(name: string): string {
  const words = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll(/[_\s:,]+/g, ' ');
  return words === name ? name : words.trim().toLowerCase() || name;
}
