import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageSum } from '../../src/core/accounts/index.ts';
import { toMonth } from '../../src/core/administration/index.ts';
import { ProviderUnavailableError } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { MODEL } from '../support/harness/http.ts';
import { type ConsoleService, type SignedInUser, startConsoleService } from '../support/harness/http-users.ts';
import { answerHello, answerJson, answerRaw, answerWith } from '../support/hosts/fake-provider.ts';
import { createScriptedImages, drawNothing } from '../support/hosts/scripted-images.ts';

const ADMIN = 100;
const USER = 200;
const images = createScriptedImages('painter', [{ id: 'drawing', type: 'image', price: { image: 0.04 } }]);
const otherModels = [
  { id: 'embedder', type: 'embedding', price: { input: 10, output: 0 } },
  { id: 'ranker', type: 'rerank', price: { input: 1, output: 0, request: 0.002 } },
  { id: 'judge', type: 'moderation' },
  { id: 'voice', type: 'speech', price: { characters: 15 } },
  { id: 'ear', type: 'transcription', price: { audioMinute: 0.06 } },
] as const;

let service: ConsoleService;
let admin: SignedInUser;
let user: SignedInUser;
beforeAll(async () => {
  service = await startConsoleService({
    otherModels,
    imageProviders: [images.provider],
    plans: { free: { user: { usdPerMonth: 100, usdPerDay: 100 }, allowsUnpricedModels: true } },
  });
  service.adminIds.push(ADMIN);
  admin = await service.signIn(ADMIN);
  user = await service.signIn(USER);
});
afterAll(() => service.close());

interface Figures {
  readonly requests: number;
  readonly tokens: number;
  readonly images: number;
  readonly costUsd: number;
}

const toFigures = ({ requests, tokens, images: count, costUsd = 0 }: Partial<UsageSum>): Figures => ({
  requests: requests ?? 0,
  tokens: tokens ?? 0,
  images: count ?? 0,
  costUsd: Number(costUsd.toFixed(9)),
});
/** Returns a sum with the names of the API. */
const toGroup = ({ requests, tokens, images: count, costUsd = 0 }: UsageSum) => ({
  ...{ requests, tokens, images: count, cost_usd: costUsd },
});
/** Sums up groups of the API. */
const sumOf = (groups: readonly Record<string, number>[]): Figures => {
  const total = (name: string) => groups.reduce((sum, group) => sum + (group[name] ?? 0), 0);
  return toFigures({
    requests: total('requests'),
    tokens: total('tokens'),
    images: total('images'),
    costUsd: total('cost_usd'),
  });
};

/** Uses one model of each kind by an API key of the user, as programs do. */
async function useEverything(): Promise<void> {
  const made = await service.apiKeys.create(user.userId, 'everything');
  const headers = { authorization: `Bearer ${made?.secret}` };
  const post = async (path: string, body: object, status = 200) => {
    const answer = await service.post(path, body, { headers });
    expect([path, answer.status]).toEqual([path, status]);
    await answer.arrayBuffer();
  };
  const { provider } = service;
  provider.behaveUsually(answerHello());
  const messages = [{ role: 'user', content: 'Hi' }];
  await post('/v1/chat/completions', { model: MODEL, messages });
  await post('/v1/chat/completions', { model: MODEL, messages, stream: true });
  const searched = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70, cost: 0.0123 };
  provider.behaveUsually(answerWith({ role: 'assistant', content: 'Found.' }, 'stop', { usage: searched }));
  await post('/v1/chat/completions', { model: MODEL, messages, web_search_options: {}, max_tokens: 100 });
  provider.behaveUsually(answerHello());
  await post('/v1/responses', { model: MODEL, input: 'Hi' });
  await post('/ai/anthropic/messages', { model: MODEL, messages, max_tokens: 10 });
  await post('/ai/v2', { model: MODEL, request: { messages } });
  await post('/ai/imagen', { model: 'drawing', prompt: 'a cat' });
  await post('/v1/images/generations', { model: 'drawing', prompt: 'two cats', n: 2 });
  images.scripts.push(drawNothing(new ProviderUnavailableError('painter', 'it is down')));
  await post('/v1/images/generations', { model: 'drawing', prompt: 'nothing' }, 502);
  const embedded = [{ object: 'embedding', index: 0, embedding: [0.5] }];
  provider.behaveElsewhere(
    answerJson(200, {
      object: 'list',
      data: embedded,
      model: 'embedder',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    }),
  );
  await post('/v1/embeddings', { model: 'embedder', input: 'Hi' });
  provider.behaveElsewhere(
    answerJson(200, { results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 9 } }),
  );
  await post('/v1/rerank', { model: 'ranker', query: 'Hi', documents: ['a'] });
  provider.behaveElsewhere(
    answerJson(200, {
      id: 'm',
      model: 'judge',
      results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0 } }],
    }),
  );
  await post('/v1/moderations', { model: 'judge', input: 'Hi' });
  provider.behaveElsewhere(answerRaw(200, 'audio/mpeg', Buffer.from('ID3 sound')));
  await post('/v1/audio/speech', { model: 'voice', input: 'Hello there.', voice: 'nova' });
  provider.behaveElsewhere(answerJson(200, { text: 'Hello there.', duration: 30 }));
  const form = new FormData();
  form.set('model', 'ear');
  form.set('file', new Blob(['OggS and words'], { type: 'audio/ogg' }), 'note.ogg');
  const heard = await fetch(`${service.url}/v1/audio/transcriptions`, { method: 'POST', body: form, headers });
  expect(heard.status).toBe(200);
  await service.writtenDown();
}

test('each kind of use counts the same in the bot, the console, the API, reports and budgets', async () => {
  await useEverything();
  const report = await service.usageReports.reportOn(user.userId);
  const expected = toFigures(report.month);
  const filter = 'from=2026-01-01&limit=100';
  const groups = async (asker: SignedInUser, path: string) => (await asker.send('GET', path)).body.data;

  const kinds = await groups(user, `/api/me/usage/summary?group_by=kind&${filter}`);
  expect(kinds.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
    ...['chat', 'embedding', 'image', 'moderation', 'rerank', 'speech', 'transcription'],
  ]);
  expect(expected).toMatchObject({ images: 3 });
  expect(expected.tokens).toBeGreaterThan(0);
  // What providers report for images, or what is assumed, is in no sum of tokens.
  const ofImages = kinds.find(({ kind }: { kind: string }) => kind === 'image');
  expect(ofImages).toMatchObject({ tokens: 0, images: 3, cost_usd: 0.12 });
  expect(ofImages.completion_tokens).toBeGreaterThan(0);

  const { total } = await service.serviceReports.reportOn(30);
  const month = await service.monthlySummaries.read(toMonth(systemClock.now()));
  const spent = await service.budgets.readSpent(`user:${user.userId}`);
  const figures: Readonly<Record<string, Figures>> = {
    'bot, today': toFigures(report.today),
    'bot, by model': sumOf(report.byModel.map(toGroup)),
    'bot, days': sumOf(report.days.map(toGroup)),
    console: sumOf(await groups(user, `/api/me/usage/summary?group_by=day,model&${filter}`)),
    'console, kinds': sumOf(kinds),
    'console, of the user': sumOf(
      await groups(admin, `/api/usage/summary?group_by=day,model&user=${user.userId}&${filter}`),
    ),
    'management, users': sumOf(await groups(admin, `/api/usage/summary?group_by=user&${filter}`)),
    'management, months': sumOf(await groups(admin, `/api/usage/summary?group_by=month,user&${filter}`)),
    '/stats': toFigures(total),
    'monthly summary': toFigures(month.total),
    'monthly summary, user': toFigures(month.users.find(({ userId }) => userId === user.userId) ?? {}),
  };
  expect(figures).toEqual(Object.fromEntries(Object.keys(figures).map((name) => [name, expected])));
  expect([spent.dayUsd, spent.monthUsd]).toEqual([expected.costUsd, expected.costUsd]);
});
