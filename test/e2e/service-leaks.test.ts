import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

let stage: ServiceHarness;
beforeAll(async () => {
  stage = await startServiceHarness();
  await stage.service.isReady();
});
afterAll(() => stage.close());

/** Runs an action this many times, sixteen in parallel, over connections that are closed at the end. */
async function repeat(times: number, act: (agent: Agent) => Promise<void>): Promise<void> {
  const agent = new Agent({ connections: 16 });
  const numbers = Array.from({ length: times }, (_, index) => index).values();
  const worker = async () => {
    for (const _number of numbers) await act(agent);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  await agent.destroy();
}

const ask = (agent: Agent, stream: boolean, signal?: AbortSignal) =>
  request(`${stage.service.url}/ai/openai/chat/completions`, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${stage.service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake-model', messages: [{ role: 'user', content: 'Hi' }], stream }),
    signal: signal ?? null,
  });
const askWhole = async (agent: Agent) => {
  const answer = await ask(agent, false);
  expect(answer.statusCode).toBe(200);
  await answer.body.dump();
};
/** Disconnects in the middle of the stream. */
const askAndLeave = async (agent: Agent) => {
  const leaving = new AbortController();
  const answer = await ask(agent, true, leaving.signal);
  for await (const _piece of answer.body) break;
  leaving.abort();
};

test('hundreds of answers and aborted streams leave no open connections', EXHAUSTIVE, async () => {
  if (process.platform !== 'linux') return;
  await repeat(32, askWhole);
  await expect.poll(() => stage.provider.openSockets()).toBe(0);
  const before = await stage.service.openDescriptors();

  stage.provider.behaveUsually(answerHello({ pieces: Array.from({ length: 500 }, () => 'word '), everyMs: 20 }));
  await repeat(200, askAndLeave);
  expect(stage.provider.chatRequests.filter((one) => one.wasAnswered())).toHaveLength(32);
  stage.provider.behaveUsually(answerHello());
  await repeat(500, askWhole);

  await expect.poll(() => stage.provider.openSockets()).toBe(0);
  // Polling may be between two connections.
  await expect.poll(() => stage.service.openDescriptors()).toBeLessThanOrEqual(before + 1);
});
