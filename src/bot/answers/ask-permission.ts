import type { MessageExtras } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import { storeKeyboard } from '../framework/keyboard.ts';
import type { View } from '../framework/view.ts';
import type { Texts } from '../texts/locales.ts';
import type { AnswerJob } from './answer-job.ts';
import { sendAboutAnswer } from './send-about-answer.ts';

type PausedCalls = NonNullable<MessageExtras['pausedCalls']>;

/** Lifetime of the buttons. */
const TTL_MS = 7 * 86_400_000;
/**
 * A longer call is cut in the middle. Leaked data is usually appended to addresses and arguments, so more of the end is
 * kept. In UTF-16 units, of which a message may have 4096.
 */
const HEAD_UNITS = 1200;
const TAIL_UNITS = 2200;

/**
 * Asks the user whether the tool call of a paused answer may run. Never throws.
 * @returns false if the signal aborted it and another process has to ask.
 */
export function askPermission(
  deps: BotDeps,
  job: Pick<AnswerJob, 'chatTopic' | 'question' | 'answerId' | 'replyToMessageId' | 'userId' | 'texts'>,
  { pausedCalls }: Pick<MessageExtras, 'pausedCalls'>,
  signal: AbortSignal,
): Promise<boolean> {
  const createView = async (): Promise<View> => {
    if (!pausedCalls) throw new Error('the answer is not waiting for a permission');
    const { texts, answerId } = job;
    const { permission } = texts.tools;
    const toButton = (text: string, permission: 'once' | 'always' | 'no') => ({
      text,
      action: { kind: 'permit-tool', answerId, pauseId: pausedCalls.id, permission: permission } as const,
    });
    const rows = [
      [toButton(permission.once, 'once'), toButton(permission.no, 'no')],
      pausedCalls.subject === undefined ? [] : [toButton(permission.always, 'always')],
    ];
    const target = { userId: job.question.userId ?? job.userId, chatId: job.chatTopic.chatId };
    const keyboard = await storeKeyboard(deps, target, rows, TTL_MS);
    return { ...describeCall(texts, pausedCalls), keyboard };
  };
  return sendAboutAnswer(deps, job, createView, signal);
}

/** Formats the call as code: apps create no links in it and show its characters unchanged. */
function describeCall(
  { tools: { permission } }: Texts,
  { tool, ...shown }: PausedCalls,
): Pick<View, 'text' | 'entities'> {
  const { address } = shown;
  const host = address === undefined ? undefined : new URL(address).host;
  const heading = host === undefined ? permission.use(tool) : permission.open(host);
  const call = shortenCall(toCallText(shown));
  const text = `${heading}\n\n${call}\n\n${host === undefined ? permission.whyUse : permission.whyOpen}`;
  const named = host ?? tool;
  return {
    text,
    entities: [
      { type: 'code', offset: heading.lastIndexOf(named), length: named.length },
      { type: 'pre', offset: heading.length + 2, length: call.length },
    ],
  };
}

/** Returns whether the request for permission shows the whole call of a tool that opens no address. */
export function isShownWhole({ parameters }: Pick<PausedCalls, 'parameters'>): boolean {
  return toCallText({ parameters }).length <= HEAD_UNITS + TAIL_UNITS;
}

function toCallText({ parameters, address }: Pick<PausedCalls, 'parameters' | 'address'>): string {
  return escapeInvisible(address ?? JSON.stringify(parameters));
}

/** Escapes characters that are invisible or change the direction of text. */
function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{C}\p{DI}]|[^\S ]/gu, (character) =>
    [...character].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
  );
}

function shortenCall(call: string): string {
  const hiddenCount = call.length - HEAD_UNITS - TAIL_UNITS;
  if (hiddenCount <= 0) return call;
  const [head, tail] = [call.slice(0, HEAD_UNITS), call.slice(-TAIL_UNITS)];
  return `${head.toWellFormed()}\n… +${hiddenCount} …\n${tail.toWellFormed()}`;
}
