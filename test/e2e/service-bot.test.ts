import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject } from '../../src/lib/json.ts';
import { answerHello } from '../support/fake-provider.ts';
import { type ServiceStage, startServiceStage, UPSTREAM_KEY } from '../support/service-stage.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';

/** An answer that takes a minute: `<word>0 <word>1 …`. */
const repeatSlowly = (word: string) =>
  answerHello({ pieces: Array.from({ length: 240 }, (_, index) => `${word}${index} `), everyMs: 250 });

describeOnEveryDatabase('the bot', (createDatabase) => {
  let database: TestDatabase;
  let stage: ServiceStage;
  beforeAll(async () => {
    database = await createDatabase();
    await database.release();
    stage = await startServiceStage({ database });
  });
  afterAll(async () => {
    await stage.close();
    await database.close();
  });

  /** What the model was told in the newest request, `role: content`. */
  const lastContext = () => {
    const messages = stage.provider.chatRequests.at(-1)?.body['messages'];
    if (!Array.isArray(messages)) throw new Error('no messages were sent to the model');
    return messages.filter(isJsonObject).map((message) => `${message['role']}: ${message['content']}`);
  };

  test('answers a person with the words of the model', async () => {
    stage.provider.behave(answerHello({ pieces: ['It is ', '42.'] }));
    stage.writes('What is the answer?');
    await stage.says('It is 42.');
    expect(lastContext()).toEqual(['user: What is the answer?']);
    expect(stage.provider.chatRequests[0]?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
  });

  test('remembers the conversation after a restart, and answers what was written meanwhile', async () => {
    expect((await stage.service.stop()).code).toBe(0);
    stage.writes('Why?');
    stage.provider.behave(answerHello({ pieces: ['Because ', 'of that.'] }));
    await stage.start();
    await stage.says('Because of that.');
    expect(lastContext()).toEqual(['user: What is the answer?', 'assistant: It is 42.', 'user: Why?']);
    expect(stage.service.output()).not.toContain('API key');
  });

  const crashInTheMiddle = async (word: string) => {
    stage.provider.behave(repeatSlowly(word));
    stage.writes('Tell me a story');
    await stage.says(`${word}6`);
    // Edited since it was sent: the process knows by now that the message is there.
    await stage.says(`${word}12`);
    await stage.service.kill();
    return stage.said().at(-1);
  };

  test('says that an answer was cut short by kill -9, and writes it anew', async ({ skip }) => {
    skip(database.config.kind === 'postgres', 'there it first gives another process the time to end');
    const half = await crashInTheMiddle('once');
    await stage.start();
    await stage.says('I had to restart in the middle of this answer.');
    expect(stage.buttons()).toEqual(['Retry']);
    expect(stage.said().at(-2)).toBe(half);

    stage.provider.behave(answerHello({ pieces: ['Once ', 'upon a time.'] }));
    const { message } = stage.telegram.control.transcript(stage.chatId).at(-1) ?? {};
    stage.telegram.control.pressButton(stage.chatId, message?.message_id ?? 0, { row: 0, column: 0 });
    await stage.says('Once upon a time.');
    await expect
      .poll(() => stage.said().slice(-2), { timeout: 10_000 })
      .toEqual(['Because of that.', 'Once upon a time.']);
    expect(lastContext().at(-1)).toBe('user: Tell me a story');
  });

  test('comes up after kill -9 in the middle of an answer, and goes on', async () => {
    await crashInTheMiddle('twice');
    stage.provider.behave(answerHello({ pieces: ['All ', 'is well.'] }));
    stage.writes('And now?');
    await stage.start();
    await stage.says('All is well.');
    // The half answer was never kept: the model does not take it for its own.
    expect(lastContext().slice(-2)).toEqual(['user: Tell me a story', 'user: And now?']);
  });
});
