import type { MessageExtras } from '../../../core/conversations/index.ts';
import { type ToolAnswerEvent, toPermissionSubject } from '../../../core/generation/index.ts';
import type { ChatMessage } from '../../../core/models/index.ts';
import { createId } from '../../../lib/ids.ts';

/** Event at which an answer pauses, until the user allows or denies a tool call. */
export type PausedEvent = Extract<ToolAnswerEvent, { readonly kind: 'paused' }>;

/** Greater than the default limits of tools allow in one answer. */
const MAX_PAUSED_CHARACTERS = 4_000_000;

/** Returns the calls that an answer is paused at, with the user's decision about them. */
export function toPaused({ messages, results, isAllowed }: NonNullable<MessageExtras['pausedCalls']>) {
  // Written by `toPausedCalls`.
  return { messages: messages as readonly ChatMessage[], results, isAllowed: isAllowed === true };
}

/** Returns what is stored of the calls that an answer is paused at. @throws if it is too large */
export function toPausedCalls({ paused, asked }: PausedEvent): NonNullable<MessageExtras['pausedCalls']> {
  const { tool, parameters } = asked;
  const address = tool.findAddress?.(parameters)?.href;
  const shown = {
    ...(!tool.asksEachTime && { subject: toPermissionSubject(asked) }),
    tool: tool.name,
    parameters,
    ...(address !== undefined && { address }),
  };
  const calls = { id: createId(), ...shown, ...paused };
  if (JSON.stringify(calls).length > MAX_PAUSED_CHARACTERS) throw new Error('the tool results are too large to store');
  return calls;
}
