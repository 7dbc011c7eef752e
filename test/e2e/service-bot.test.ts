import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject } from '../../src/lib/json/json.ts';
import { type ServiceHarness, startServiceHarness, UPSTREAM_KEY } from '../support/harness/service.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

/** An answer that takes a minute: `<word>0 <word>1 …`. */
const repeatSlowly = (word: string) =>
  answerHello({ pieces: Array.from({ length: 240 }, (_, index) => `${word}${index} `), everyMs: 250 });

describeOnEveryDatabase('the bot', (createDatabase) => {
  let database: TestDatabase;
  let stage: ServiceHarness;
  beforeAll(async () => {
    database = await createDatabase();
    await database.release();
    stage = await startServiceHarness({ database });
  });
  afterAll(async () => {
    await stage.close();
    await database.close();
  });

  /** Messages of the newest model request without the system prompt, as `role: content`. */
  const lastContext = () => {
    const messages = stage.provider.chatRequests.at(-1)?.body['messages'];
    if (!Array.isArray(messages)) throw new Error('no messages were sent to the model');
    const said = messages.filter(isJsonObject).filter(({ role }) => role !== 'system');
    return said.map((message) => `${message['role']}: ${message['content']}`);
  };

  test('answers a user with the text of the model', async () => {
    stage.provider.behave(answerHello({ pieces: ['It is ', '42.'] }));
    stage.writes('What is the answer?');
    await stage.says('It is 42.');
    expect(lastContext()).toEqual(['user: What is the answer?']);
    expect(stage.provider.chatRequests[0]?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
  });

  test('continues the conversation after a restart, and answers messages sent meanwhile', async () => {
    expect((await stage.service.stop()).code).toBe(0);
    stage.writes('Why?');
    stage.provider.behave(answerHello({ pieces: ['Because ', 'of that.'] }));
    await stage.start();
    await stage.says('Because of that.');
    expect(lastContext()).toEqual(['user: What is the answer?', 'assistant: It is 42.', 'user: Why?']);
    expect(stage.service.output()).toMatch(/API key {5}in \S+universal-api-key\n/);
    expect(stage.service.output()).not.toContain('sk-sb-');
  });

  test('resumes an answer after kill -9, and answers questions sent meanwhile', async () => {
    stage.provider.behave(repeatSlowly('once'));
    stage.writes('Tell me a story');
    await stage.says('once6');
    await stage.service.kill();
    stage.writes('And now?');
    stage.provider.behave(
      answerHello({ pieces: ['Once ', 'upon a time.'] }),
      answerHello({ pieces: ['All ', 'is well.'] }),
    );
    await stage.start();
    // On a server the process first waits for the lease of the dead one.
    await stage.says('Once upon a time.');
    await stage.says('All is well.');
    await expect.poll(() => stage.said().slice(-3)).toEqual(['Because of that.', 'Once upon a time.', 'All is well.']);
    await expect.poll(() => stage.labels()).toEqual([]);
    // The partial answer was never stored, so it is not in the context.
    expect(lastContext().slice(-3)).toEqual([
      'user: Tell me a story',
      'assistant: Once upon a time.',
      'user: And now?',
    ]);
  });
});
