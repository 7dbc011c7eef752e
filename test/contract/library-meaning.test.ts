import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { count, eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import type { UsageEntry } from '../../src/core/accounts/usage-recorder.ts';
import { createEmbeddingGeneration } from '../../src/core/generation/index.ts';
import type { MeaningDeps } from '../../src/core/library/embed-texts.ts';
import { createMemoryDiscoveryCache, createModels } from '../../src/core/models/index.ts';
import { forgetUser } from '../../src/core/personal-data/forget-user.ts';
import { files, libraryVectors } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createLibraryHarness, type LibraryHarness } from '../support/harness/library.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE, startBeforeAll } from '../support/vitest/tiers.ts';

/** A host of embedding models on loopback, and the services that use it. */
interface EmbeddingHost {
  /** The library's embedding model, with real routing and metering. */
  readonly meaning: MeaningDeps;
  /** Inputs of each request, in order. */
  readonly requests: readonly (readonly string[])[];
  readonly usage: readonly UsageEntry[];
  /** Answers instead of vectors. Default none. */
  failure: 'down' | 'silent' | undefined;
  /** Returns whether a request is refused. Default: none is. */
  refuses: (inputs: readonly string[]) => boolean;
  /** Model of the library. */
  model: 'first-embed' | 'second-embed';
  close(): Promise<void>;
}

const DIMENSIONS = 512;

/** Words with the same meaning have the same vector. */
const MEANINGS: Readonly<Record<string, string>> = { automobile: 'car', physician: 'doctor', feline: 'cat' };

const CAR = 'My car needs new brakes';
const PAGE = { offset: 0, limit: 50, snippetUnits: 200 };

describeOnEveryDatabase('search by meaning', (createDatabase) => {
  let host: EmbeddingHost;
  let stage: LibraryHarness;
  let ann: { readonly userId: number; readonly chatId: number };
  const database = startBeforeAll(() => createDatabase());
  beforeEach(async () => {
    host = await startEmbeddingHost();
    stage = createLibraryHarness(database, { meaning: host.meaning });
    ann = await stage.addUser();
  });
  afterEach(() => host.close());

  const restart = () => createLibraryHarness(database, { meaning: host.meaning });
  const countVectors = async (model?: string) => {
    const rows = database.db.select({ count: count() }).from(libraryVectors);
    const [row] = await (model === undefined ? rows : rows.where(eq(libraryVectors.model, model)));
    return row?.count;
  };

  it('finds texts without the word, with their beginning as snippet', async () => {
    await stage.ask(ann, `${CAR}. They squeak.`);
    await stage.ask(ann, 'What is the weather in Oslo?');
    await stage.indexAll();
    const { entries, totalCount } = await stage.library.search({ userId: ann.userId }, 'automobile brakes', PAGE);
    expect(totalCount).toBe(1);
    expect(entries[0]?.snippet.text).toMatch(/^My car needs new brakes\. They squeak/);
    const byMeaning = await stage.library.search({ userId: ann.userId }, 'automobile', { ...PAGE, snippetUnits: 30 });
    expect(byMeaning.entries.map(({ snippet }) => snippet)).toEqual([
      { text: 'My car needs new brakes. They…', marks: [] },
    ]);
  });

  it('merges what words and meaning have found by their ranks', async () => {
    await stage.ask(ann, 'The automobile was invented in Germany by Carl Benz a long time ago');
    await stage.ask(ann, 'a car');
    await stage.ask(ann, 'an automobile');
    const found = await stage.search({ userId: ann.userId }, 'automobile');
    expect(found[0]).toBe('an automobile');
    expect(found).toContain('a car');
    expect(found).toHaveLength(3);
  });

  it('finds documents and files by their names too', async () => {
    await stage.askAbout(ann, { name: 'automobile.txt', text: 'Change the oil twice a year' });
    await stage.addFile(ann.userId, 'automobile.pdf');
    expect((await stage.search({ userId: ann.userId }, 'car')).toSorted()).toEqual([
      'automobile.pdf: ',
      'automobile.txt: Change the oil twice a year',
    ]);
  });

  it('keeps owners apart, also in groups', async () => {
    const bob = await stage.addUser();
    const groupId = -5000 - ann.userId;
    await stage.ask(ann, 'the car of Ann');
    await stage.ask(bob, 'the car of Bob');
    await stage.ask({ userId: ann.userId, chatId: groupId }, 'the car of the group');
    await stage.ask({ userId: ann.userId, chatId: 0 }, 'the car of the API');
    const search = (owner: Parameters<typeof stage.search>[0]) => stage.search(owner, 'automobile', bob.userId);
    expect(await search({ userId: ann.userId })).toEqual(['the car of Ann']);
    expect(await search({ userId: bob.userId })).toEqual(['the car of Bob']);
    expect(await search({ groupId })).toEqual(['the car of the group']);
    expect(await search({ groupId: groupId - 1 })).toEqual([]);
    // Each request has texts of one owner.
    const owners = host.requests.flat().filter((text) => text.startsWith('the car'));
    expect(owners.toSorted()).toEqual(['the car of Ann', 'the car of Bob', 'the car of the group']);
    for (const request of host.requests) expect(new Set(request).size).toBe(1);
  });

  it('records the usage for the owner, without quota of users', async () => {
    const groupId = -5000 - ann.userId;
    const bob = await stage.addUser();
    await stage.ask({ userId: ann.userId, chatId: groupId }, CAR);
    await stage.search({ groupId }, 'automobile', bob.userId);
    const facts = { kind: 'embedding', model: 'first-embed', chatId: groupId, promptTokens: 7, costUsd: 0.000007 };
    expect(host.usage).toMatchObject([
      { ...facts, userId: ann.userId },
      { ...facts, userId: bob.userId },
    ]);
  });

  it('asks for the vector of a query once', async () => {
    await stage.ask(ann, CAR);
    await stage.indexAll();
    for (const offset of [0, 1, 2])
      await stage.library.search({ userId: ann.userId }, 'automobile', { ...PAGE, offset });
    expect(host.requests).toEqual([[CAR], ['automobile']]);
  });

  it('does not call the model for an owner without texts', async () => {
    expect(await stage.search({ userId: ann.userId }, 'automobile')).toEqual([]);
    expect(host.requests).toEqual([]);
  });

  it('leaves out the question itself', async () => {
    await stage.ask(ann, CAR);
    const questionId = await stage.ask(ann, 'which car did I mean');
    await stage.indexAll();
    const page = { ...PAGE, beforeMessageId: questionId };
    const { entries } = await stage.library.search({ userId: ann.userId }, 'automobile', page);
    expect(entries.map(({ snippet }) => snippet.text)).toEqual([CAR]);
  });

  it('gives all texts vectors of another model, and searches by words meanwhile', async () => {
    for (let day = 0; day < 60; day += 1) await stage.ask(ann, `car ${day}`);
    await stage.indexAll();
    expect(await countVectors('first-embed')).toBeGreaterThanOrEqual(60);
    host.model = 'second-embed';
    const found = await stage.library.search({ userId: ann.userId }, 'automobile', PAGE);
    expect(found.totalCount).toBe(0);
    await stage.indexAll();
    expect(await countVectors('first-embed')).toBe(0);
    expect(await stage.search({ userId: ann.userId }, 'automobile')).toHaveLength(30);
  });

  it('continues after a crash, and calls the model once for each text', async () => {
    const texts = Array.from({ length: 95 }, (_, day) => `automobile ${'x'.repeat(day)}`);
    for (const text of texts) await stage.ask(ann, text);
    while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
    await stage.library.embed(AbortSignal.timeout(60_000));
    const before = await countVectors('first-embed');
    const next = restart();
    await next.indexAll();
    expect(before).toBeGreaterThan(0);
    const ofAnn = host.requests.flat().filter((text) => texts.includes(text));
    expect(ofAnn.toSorted()).toEqual(texts.toSorted());
  });

  it('writes nothing of an answer that comes after a crash, and tries again', async () => {
    await stage.ask(ann, CAR);
    while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
    host.failure = 'silent';
    await expect(stage.library.embed(AbortSignal.timeout(300))).rejects.toThrow();
    host.failure = undefined;
    expect(await stage.search({ userId: ann.userId }, 'automobile')).toEqual([CAR]);
  });

  it('searches by words while the host fails, and says so once', async () => {
    await stage.ask(ann, CAR);
    await stage.indexAll();
    host.failure = 'down';
    for (const query of ['brakes', 'automobile', 'new brakes'])
      await stage.library.search({ userId: ann.userId }, query, PAGE);
    expect(host.requests).toHaveLength(2);
    expect(stage.lines.filter((line) => line.includes('by words only'))).toHaveLength(1);
    expect(await stage.search({ userId: ann.userId }, 'brakes')).toEqual([CAR]);
  });

  it('waits two seconds at most for a silent host', EXHAUSTIVE, async () => {
    await stage.ask(ann, CAR);
    await stage.indexAll();
    host.failure = 'silent';
    const elapsedMs = startStopwatch();
    expect((await stage.library.search({ userId: ann.userId }, 'brakes', PAGE)).totalCount).toBe(1);
    expect(elapsedMs()).toBeLessThan(5000);
  });

  it('shortens texts that the model refuses, and leaves out those it never takes', async () => {
    host.refuses = (inputs) => inputs.some((input) => input.length > 100 || input.includes('poison'));
    await stage.ask(ann, `automobile ${'brakes '.repeat(20)}`);
    await stage.ask(ann, 'a feline');
    await stage.ask(ann, 'poison poison poison and cat');
    const cars = await stage.search({ userId: ann.userId }, 'car brakes');
    expect(cars).toEqual([expect.stringMatching(/^automobile/)]);
    const cats = await stage.search({ userId: ann.userId }, 'cat');
    expect(cats.toSorted()).toEqual(['a feline', 'poison poison poison and cat']);
    expect(stage.lines.filter((line) => line.includes('refuses a text'))).toHaveLength(1);
  });

  it('pauses when the model refuses everything', async () => {
    for (let day = 0; day < 30; day += 1) await stage.ask(ann, `car ${day}`);
    while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
    host.refuses = () => true;
    await expect(stage.library.embed(AbortSignal.timeout(60_000))).rejects.toThrow('refuses');
    expect(host.requests.length).toBeLessThan(30);
  });

  it('continues in the background after failures', async () => {
    await stage.ask(ann, CAR);
    while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
    const ending = new AbortController();
    const working = stage.library.embedAll(ending.signal);
    const find = async () => (await stage.library.search({ userId: ann.userId }, 'automobile', PAGE)).totalCount;
    await expect.poll(find).toBe(1);
    ending.abort();
    await working;
  });

  it('deletes vectors with their message, file, and user', async () => {
    const earlier = await countVectors();
    const messageId = await stage.ask(ann, CAR);
    const fileId = await stage.addFile(ann.userId, 'automobile.pdf');
    await stage.ask(ann, 'a physician');
    await stage.indexAll();
    expect(await countVectors()).toBe((earlier ?? 0) + 3);
    await stage.conversations.rewriteMessage(messageId, { content: 'a feline', extras: {} });
    await database.db.delete(files).where(eq(files.id, fileId));
    expect(await countVectors()).toBe((earlier ?? 0) + 1);
    expect(await stage.search({ userId: ann.userId }, 'car')).toEqual([]);
    expect(await stage.search({ userId: ann.userId }, 'cat')).toEqual(['a feline']);
    await forgetUser(database.db, { userId: ann.userId, telegramId: ann.chatId, now: new Date() });
    expect(await countVectors()).toBe(earlier);
  });
});

/** Starts a host whose vectors are sums of a random vector for each meaning of a word. Each model has its own. */
async function startEmbeddingHost(): Promise<EmbeddingHost> {
  const requests: (readonly string[])[] = [];
  const usage: UsageEntry[] = [];
  const server = createServer(async (request, response) => {
    const { input, model } = (await json(request)) as { input: readonly string[]; model: string };
    requests.push(input);
    if (host.failure === 'silent') return undefined;
    response.setHeader('content-type', 'application/json');
    if (host.failure === 'down') return response.writeHead(500).end('{}');
    if (host.refuses(input)) return response.writeHead(400).end('{"error":{"message":"the input is too long"}}');
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: toVector(model, text) }));
    return response.end(JSON.stringify({ object: 'list', data, model, usage: { prompt_tokens: 7, total_tokens: 7 } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const deps = {
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    discoveryCache: createMemoryDiscoveryCache(),
    createDemo: createDemoProvider,
  };
  const price = { input: 1, output: 0 };
  const models = createModels(deps, {
    providers: [
      {
        ...{ kind: 'openai-compatible', name: 'host', baseUrl, apiKeys: ['key'] },
        models: ['first-embed', 'second-embed'].map((id) => ({ id, type: 'embedding', price })),
      },
    ],
    aliases: {},
  });
  await models.start(AbortSignal.timeout(60_000));
  const host: EmbeddingHost = {
    ...{ requests, usage, failure: undefined, refuses: () => false, model: 'first-embed' },
    meaning: {
      catalogue: { libraryEmbeddingModel: () => models.catalogue.find(host.model) },
      embeddings: createEmbeddingGeneration({
        embedding: models.router.embedding,
        usage: { record: (entry) => void usage.push(entry) },
        clock: systemClock,
        findPrice: (provider, model) => models.catalogue.findPrice({ provider, model }),
      }),
    },
    async close() {
      await models.close();
      server.closeAllConnections();
      server.close();
    },
  };
  return host;
}

function toVector(model: string, text: string): readonly number[] {
  const sum = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const digest = createHash('shake256', { outputLength: DIMENSIONS })
      .update(`${model} ${MEANINGS[word] ?? word}`)
      .digest();
    for (const [index, byte] of digest.entries()) sum[index] = (sum[index] ?? 0) + byte - 127.5;
  }
  return sum;
}
