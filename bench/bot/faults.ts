import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultKind } from 'telegram-bot-simulator';
import { type Contestant, type ContestantName, contestantNames } from './contestants.ts';
import type { Conversation } from './conversation.ts';
import type { Finding } from './report.ts';
import { type Scale, USUAL_ANSWER } from './scenario.ts';
import { openStage, type Stage } from './stage.ts';

/** Fault, and the call of a reply that it hits: one of the first ones, or the one after the model's last word. */
interface Case {
  readonly title: string;
  readonly kind: FaultKind;
  readonly at: (typeof MOMENTS)[number];
}

const MOMENTS = [1, 2, 3, 4, 'last'] as const;
const KINDS: readonly { readonly title: string; readonly kind: FaultKind }[] = [
  { title: '429, 2 s', kind: { type: 'flood', retryAfterSeconds: 2 } },
  { title: '429, 8 s', kind: { type: 'flood', retryAfterSeconds: 8 } },
  { title: '502', kind: { type: 'error', status: 502 } },
  { title: 'reset before', kind: { type: 'reset-before' } },
  { title: 'reset after', kind: { type: 'reset-after' } },
  { title: 'answer lost', kind: { type: 'no-answer', takesEffect: true } },
  { title: 'message deleted', kind: { type: 'message-vanishes' } },
];
/** Interval between questions, so that many faults at once do not cause flood waits. */
const ASK_EVERY_MS = 1000;
/** Allows 30 s for a call without a response, and several retries. */
const SETTLE_MS = 90_000;
const LOOK_EVERY_MS = 1000;

/**
 * Injects each fault into a separate chat, for all bots. 90 s after the last question, each chat must contain exactly
 * one complete answer and nothing else.
 */
export async function measureFaults({ isQuick, databaseUrl }: Scale): Promise<readonly Finding[]> {
  const stage = await openStage({ kinds: contestantNames, limits: 'telegram', databaseUrl });
  const cases = MOMENTS.filter((moment) => !isQuick || moment === 1 || moment === 'last').flatMap((at) =>
    KINDS.map(({ title, kind }): Case => ({ title, kind, at })),
  );
  try {
    const replies: { readonly name: ContestantName; readonly fault: Case; readonly conversation: Conversation }[] = [];
    const hitChats = new Map(contestantNames.map((name) => [name, new Set<unknown>()]));
    const looking = setInterval(() => noteHits(stage.contestants, hitChats), LOOK_EVERY_MS);
    for (const fault of cases) {
      for (const contestant of stage.contestants)
        replies.push({ name: contestant.name, fault, conversation: askWithFault(stage, contestant, fault) });
      await sleep(ASK_EVERY_MS);
    }
    await sleep(SETTLE_MS);
    clearInterval(looking);
    const count = (isCounted: (reply: (typeof replies)[number]) => boolean): Finding['values'] =>
      Object.fromEntries(
        contestantNames.map((name) => [name, replies.filter((one) => one.name === name && isCounted(one)).length]),
      );
    const isWrong = ({ conversation }: { conversation: Conversation }) => conversation.rightSince() === undefined;
    return [
      { measure: `wrong chats after ${cases.length} faults`, values: count(isWrong), goal: { atMost: 0 } },
      ...KINDS.map(({ title }) => ({
        measure: `  of these ${title}`,
        values: count((reply) => reply.fault.title === title && isWrong(reply)),
      })),
      {
        measure: 'faults that hit',
        values: count(({ name, conversation }) => hitChats.get(name)?.has(conversation.chatId) === true),
      },
    ];
  } finally {
    await stage.close();
  }
}

function askWithFault(stage: Stage<ContestantName>, contestant: Contestant, { kind, at }: Case): Conversation {
  const conversation = stage.ask(contestant, USUAL_ANSWER);
  const { control } = contestant.telegram;
  const match = { chat_id: conversation.chatId };
  if (at === 'last') {
    const method = contestant.name === 'drafts' ? 'sendMessage' : 'editMessageText';
    conversation.answer.onEnd(() => control.injectFault({ method, match, kind }));
  } else {
    control.injectFault({ ...toCall(contestant.name, at), match, kind });
  }
  return conversation;
}

function toCall(name: ContestantName, number: number): Pick<Fault, 'method' | 'skip'> {
  if (name === 'drafts') return { method: 'sendMessageDraft', skip: number - 1 };
  return number === 1 ? { method: 'sendMessage' } : { method: 'editMessageText', skip: number - 2 };
}

/** Records the chats in which a call got no response, or an error. */
function noteHits(contestants: readonly Contestant[], hitChats: Map<ContestantName, Set<unknown>>): void {
  for (const { name, telegram } of contestants)
    for (const { params, status } of telegram.control.calls())
      if (status !== 200) hitChats.get(name)?.add(params['chat_id']);
}
