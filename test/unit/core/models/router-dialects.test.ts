import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDemoProvider } from '../../../../demo/demo-provider.ts';
import type { NativeRequest } from '../../../../src/core/models/contract/chat-request.ts';
import {
  type ChatRequest,
  createMemoryDiscoveryCache,
  createModels,
  type Models,
} from '../../../../src/core/models/index.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import { answerMessage, startFakeAnthropic } from '../../../support/hosts/fake-anthropic.ts';
import {
  answerHello,
  answerRaw,
  die,
  type FakeProvider,
  startFakeProvider,
} from '../../../support/hosts/fake-provider.ts';
import { failureOf, helloBody, helloRequest, noAbort } from '../../../support/hosts/provider-under-test.ts';

/** Two hosts with different protocols that serve `m`: by weight, the draw decides. `spare` is only for failover. */
let claude: FakeProvider;
let openAi: FakeProvider;
let models: Models;
let drawn = 0;
const ALL_DRAWS = [0, 0.49, 0.51, 0.99];
const MESSAGES: NativeRequest = { dialect: 'messages', body: { ...helloBody(), max_tokens: 9 } };

beforeAll(async () => {
  [claude, openAi] = await Promise.all([startFakeAnthropic(), startFakeProvider()]);
});
beforeEach(async () => {
  claude.behaveUsually(answerMessage());
  openAi.behaveUsually(answerHello());
  const logger = createLogger({ level: 'silent' });
  const listed = { apiKeys: ['sk-key'], models: [{ id: 'm', type: 'chat' as const }] };
  models = createModels(
    {
      clock: systemClock,
      logger,
      discoveryCache: createMemoryDiscoveryCache(),
      createDemo: createDemoProvider,
      random: () => drawn,
    },
    {
      providers: [
        { kind: 'anthropic', name: 'spare', baseUrl: claude.baseUrl, weight: 0, ...listed },
        { kind: 'anthropic', name: 'claude', baseUrl: claude.baseUrl, ...listed },
        { kind: 'openai-compatible', name: 'openai', baseUrl: openAi.baseUrl, ...listed },
      ],
      aliases: {},
    },
  );
  await models.start(noAbort());
});
afterEach(() => models.close());
afterAll(async () => {
  await Promise.all([claude.close(), openAi.close()]);
});

/** Returns the providers that answer with each draw. */
async function askAll(request: ChatRequest): Promise<readonly string[]> {
  const providers: string[] = [];
  for (const draw of ALL_DRAWS) {
    drawn = draw;
    providers.push((await models.router.chat.complete({ ...request, model: 'm' }, noAbort())).outcome.provider);
  }
  return providers;
}
const audio = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }] }];

it('requests go to a host of their dialect, whatever is drawn', async () => {
  expect(await askAll({ ...helloRequest(), native: MESSAGES })).toEqual(['claude', 'claude', 'claude', 'claude']);
  expect(await askAll(helloRequest())).toEqual(['openai', 'openai', 'openai', 'openai']);
});

it('requests of no dialect are drawn by weight', async () => {
  expect(await askAll({ ...helloRequest(), native: undefined })).toEqual(['claude', 'claude', 'openai', 'openai']);
});

it('a host of another dialect takes over if the preferred one fails', async () => {
  openAi.behaveUsually(answerRaw(500, 'text/plain', ''));
  drawn = 0.99;
  const { outcome } = await models.router.chat.complete({ ...helloRequest(), model: 'm' }, noAbort());
  expect(outcome.provider).toBe('claude');
});

it('audio is answered by the host that gets it unchanged, and by no other', async () => {
  const before = claude.chatRequests.length;
  const request = helloRequest({ model: 'm', messages: audio });
  expect(await askAll(request)).toEqual(['openai', 'openai', 'openai', 'openai']);
  expect(openAi.chatRequests.at(-1)?.body['messages']).toEqual(audio);
  openAi.behaveUsually(die());
  expect(await failureOf(models.router.chat.complete(request, noAbort()))).toMatchObject({
    name: 'AllProvidersFailedError',
  });
  expect(await failureOf(models.router.chat.complete({ ...request, model: 'claude/m' }, noAbort()))).toMatchObject({
    name: 'UntranslatableError',
    details: { param: 'messages[0].content[0]' },
  });
  expect(claude.chatRequests).toHaveLength(before);
});
