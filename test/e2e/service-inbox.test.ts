import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { isJsonObject } from '../../src/lib/json/json.ts';
import { eventually } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello, type Behaviour } from '../support/hosts/fake-provider.ts';
import { createServerTestDatabase, describeOnEveryDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const PATIENCE_MS = 100_000;

/** Answers `Re: <question>`. */
const answerInKind: Behaviour = (exchange) => {
  const { messages } = exchange.request.body;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return answerHello({ pieces: [`Re: ${isJsonObject(last) ? last['content'] : ''}`] })(exchange);
};
/** Sends no text before the process dies. */
const thinkForever: Behaviour = (exchange) => exchange.wait(600_000);

const listQuestions = (text: string): string[] => text.match(/\w+ of \d/g) ?? [];

/** Creates private chats of different users. `said` returns the messages of the bot in each. */
function createChats(stage: ServiceHarness, count: number) {
  const { control } = stage.telegram;
  const ids = Array.from(
    { length: count },
    (_, at) => control.createChat({ type: 'private', person: { firstName: `P${at}` } }).id,
  );
  const write = (round: string) => {
    for (const [at, id] of ids.entries()) control.sendMessage(id, { text: `${round} of ${at}` });
  };
  const said = () =>
    ids.map((id) =>
      control.transcript(id).flatMap(({ message }) => (message.from?.is_bot ? [message.text ?? ''] : [])),
    );
  /** Waits until each round is answered once and in order, even if several messages were one question. */
  const areAnswered = (rounds: readonly string[]) => {
    const expected = ids.map((_, at) => rounds.map((round) => `${round} of ${at}`));
    const answered = () => said().map((chat) => listQuestions(chat.join('\n')));
    return eventually(
      () => answered().every((chat, at) => chat.length >= (expected[at]?.length ?? 0)) || undefined,
      PATIENCE_MS,
    )
      .catch(() => {})
      .then(() => expect.poll(answered).toEqual(expected));
  };
  return { write, said, areAnswered };
}

describeOnEveryDatabase('messages of users', (createDatabase) => {
  test('are answered once and in order after kill -9', EXHAUSTIVE, async () => {
    const database = await createDatabase();
    onTestFinished(() => database.close());
    await database.release();
    const stage = await startServiceHarness({ database });
    onTestFinished(() => stage.close());
    await stage.service.isReady();
    const chats = createChats(stage, 4);
    stage.provider.behaveUsually(thinkForever);
    for (const round of ['one', 'two', 'three']) chats.write(round);
    await eventually(() => stage.provider.chatRequests.length >= 4 || undefined);
    for (const round of ['four', 'five']) chats.write(round);
    await stage.service.kill();
    expect(chats.said().flat()).toEqual([]);

    stage.provider.behaveUsually(answerInKind);
    await stage.start();
    await chats.areAnswered(['one', 'two', 'three', 'four', 'five']);
    const last = stage.provider.chatRequests.findLast(({ body }) => JSON.stringify(body).includes('five of 2'));
    const messages = Array.isArray(last?.body['messages']) ? last.body['messages'].filter(isJsonObject) : [];
    const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => String(content));
    expect(listQuestions(asked.join('\n'))).toEqual(
      ['one', 'two', 'three', 'four', 'five'].map((round) => `${round} of 2`),
    );
  });
});

const serverUrl = findServerUrl();

describe.skipIf(!serverUrl)('two processes on one Postgres', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  const startTwo = async () => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    closers.push(() => database.close());
    const stage = await startServiceHarness({ database });
    closers.push(() => stage.close());
    const leader = stage.service;
    await leader.isReady();
    await leader.prints(/this process leads/);
    const heir = await stage.start();
    closers.push(() => leader.kill());
    await heir.prints(/another process leads/);
    return { stage, leader, heir };
  };
  const countConflicts = (stage: ServiceHarness) =>
    stage.telegram.control.calls('getUpdates').filter(({ status }) => status === 409).length;

  test('lose and repeat nothing when the leader is killed', async () => {
    const { stage, leader, heir } = await startTwo();
    const chats = createChats(stage, 3);
    stage.provider.behaveUsually(answerInKind);
    chats.write('zero');
    await chats.areAnswered(['zero']);
    stage.provider.behaveUsually(thinkForever);
    for (const round of ['one', 'two']) chats.write(round);
    await eventually(() => stage.provider.chatRequests.length >= 6 || undefined);
    await leader.kill();
    stage.provider.behaveUsually(answerInKind);
    chats.write('three');
    await chats.areAnswered(['zero', 'one', 'two', 'three']);
    expect(countConflicts(stage)).toBeLessThanOrEqual(1);
    expect(heir.output()).not.toMatch(/"level":50/);
  });

  test('change leaders at once when the leader is stopped, and leave a running answer to its process', async () => {
    const { stage, leader, heir } = await startTwo();
    const eve = createChats(stage, 1);
    stage.provider.behave(answerHello({ pieces: ['A long ', 'answer ', 'that ends.'], everyMs: 1500 }));
    eve.write('slow');
    await eventually(() => (eve.said()[0]?.length === 1 ? true : undefined));
    const stopping = leader.stop();
    const chats = createChats(stage, 2);
    stage.provider.behaveUsually(answerInKind);
    chats.write('now');
    await chats.areAnswered(['now']);
    expect((await stopping).code).toBe(0);
    expect(eve.said()).toEqual([['A long answer that ends.']]);
    expect(countConflicts(stage)).toBeLessThanOrEqual(1);
    expect(heir.output()).not.toMatch(/"level":50/);
  });
});
