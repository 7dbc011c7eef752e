import { setTimeout as sleep } from 'node:timers/promises';
import { answerHello, answerJson } from '../hosts/fake-provider.ts';
import { answerAtLength, toAnswerPages } from '../samples/long-answers.ts';
import type { StormPlace, Work } from './storm.ts';

/**
 * Creates comparisons of models, each in a chat of its own: every model answers once, in a message of its own, and one
 * is chosen.
 */
export async function createComparisons({ stage }: StormPlace): Promise<Work> {
  const models = ['one', 'two', 'three'];
  stage.provider.behaveAtModels(
    answerJson(200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) }),
  );
  stage.provider.behaveUsually((exchange) =>
    answerHello({ pieces: Array(30).fill(`${exchange.request.body['model']} `), everyMs: 80 })(exchange),
  );
  // Models are listed at the start.
  await stage.service.kill();
  await (await stage.start()).isReady();
  const wanted = models.map((model) => `${model}: ${`${model} `.repeat(30).trim()}`);
  const chatIds: number[] = [];
  return {
    async begin(round) {
      const user = stage.user(`User ${round}`);
      chatIds.push(user.chatId);
      user.writes('/compare Who are you?');
      for (const model of models) await user.taps(model);
      await user.taps('▶️ Compare (3)');
    },
    findComplaints: () =>
      chatIds.flatMap((chatId) => {
        const messages = listBots({ stage }, chatId);
        const answers = messages.map(({ text = '' }) => text.split('\n').slice(0, 2).join(': '));
        const marks = messages.filter(({ reply_markup: keyboard }) => JSON.stringify(keyboard)?.includes('✓'));
        const isRight = answers.toSorted().join('|') === wanted.toSorted().join('|') && marks.length === 1;
        return isRight ? [] : [`chat ${chatId}: ${JSON.stringify(answers)}, ${marks.length} chosen`];
      }),
  };
}

/** Time until a process has stored what the chat shows. */
const STORED_AFTER_MS = 3000;

/** Creates variants: one is asked for in one round, and the first one selected again in the next. */
export function createVariants({ stage }: StormPlace): Work {
  let isAgain = false;
  let wanted: readonly string[] = [];
  let user = stage.user('Ann');
  stage.provider.behaveUsually(
    answerAtLength({ toTopic: (question) => (isAgain ? `${question}, once more` : question) }),
  );
  const findComplaints = () => {
    const shown = [...listBots({ stage }, user.chatId).map(({ text }) => text ?? ''), stage.buttons(user.chatId)];
    return JSON.stringify(shown) === JSON.stringify(wanted)
      ? []
      : [JSON.stringify(shown.map((text) => text.slice(0, 60)))];
  };
  return {
    async begin(round) {
      const question = `round ${round - (round % 2)}`;
      if (round % 2 === 1) {
        wanted = [...toAnswerPages(question), '‹ 1/2 · fake-model › ⋯'];
        await sleep(STORED_AFTER_MS);
        await user.taps('‹');
        return;
      }
      isAgain = false;
      user = stage.user(`User ${round}`);
      user.writes(question);
      wanted = [...toAnswerPages(question), '🔄 Again Other model ⋯'];
      await stage.waitFor(
        () => findComplaints().length === 0,
        () => findComplaints().join('\n'),
      );
      await sleep(STORED_AFTER_MS);
      isAgain = true;
      wanted = [...toAnswerPages(`${question}, once more`), '‹ 2/2 · fake-model › ⋯'];
      await user.taps('🔄 Again');
    },
    findComplaints,
  };
}

const USERS = 7;
const TEXT = 'Maintenance tonight';
/** Number of the first user of the simulator, which is the admin. */
const FIRST_NUMBER = 70_000;

/** Options of a service whose first user is its admin. */
export const BROADCAST_OPTIONS = {
  settings: { ADMIN_IDS: `${1_000_000 + FIRST_NUMBER}` },
  simulator: { firstNumber: FIRST_NUMBER },
};

/** Creates a broadcast of the admin to seven users: each gets at most one copy, and those whose send is unclear are reported. */
export async function createBroadcast(
  { stage }: StormPlace,
  { unclear, copies }: { readonly unclear: number; readonly copies: number },
): Promise<Work> {
  const chatIds = Array.from({ length: USERS }, (_, at) => stage.user(`User ${at}`)).map((user) => {
    user.writes('/privacy');
    return user.chatId;
  });
  for (const chatId of chatIds) {
    await stage.waitFor(
      () => stage.lines(chatId).length > 1,
      () => 'no answer to /privacy',
    );
  }
  return {
    async begin(round) {
      if (round > 0) return;
      stage.writes(`/announce ${TEXT}`);
      await pressInline(stage, { label: 'Send (' });
    },
    findComplaints() {
      const counts = chatIds.map((id) => listBots({ stage }, id).filter(({ text }) => text === TEXT).length);
      const report = stage.said().find((text) => text.startsWith('The announcement is sent.')) ?? 'no report';
      const isEnded = stage.said().some((text) => text.includes('Announcement finished'));
      const isReported = report.includes(`\n\nSent: ${USERS - unclear}\nDelivery unknown: ${unclear}`);
      const isOnce = counts.every((count) => count <= 1) && counts.filter((count) => count === 1).length === copies;
      return isEnded && isReported && isOnce ? [] : [`copies ${counts.join()}, ${report}`];
    },
  };
}

/**
 * Waits for an inline button in Ann's chat, and presses it.
 * @param wanted `label`: beginning of its label; `text`: part of the text of its message, default any
 */
export async function pressInline(
  stage: StormPlace['stage'],
  wanted: { readonly text?: string; readonly label: string },
): Promise<void> {
  const { text: part = '', label } = wanted;
  const find = () => {
    for (const { message_id, text = '', reply_markup: keyboard } of listBots({ stage }, stage.chatId))
      for (const button of keyboard?.inline_keyboard.flat() ?? [])
        if (text.includes(part) && button.text.startsWith(label) && 'callback_data' in button)
          return { message_id, data: button.callback_data };
    return undefined;
  };
  const { message_id, data } = await stage.waitFor(find, () => `no button ${label} below a message with “${part}”`);
  stage.telegram.control.pressButton(stage.chatId, message_id, { data });
}

/** Returns the messages of the bot in a chat. */
export function listBots({ stage }: Pick<StormPlace, 'stage'>, chatId: number) {
  return stage.telegram.control.transcript(chatId).flatMap(({ message }) => (message.from?.is_bot ? [message] : []));
}
