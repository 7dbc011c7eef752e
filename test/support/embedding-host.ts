import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { UsageEntry } from '../../src/core/accounts/usage-recorder.ts';
import { createEmbeddingGeneration } from '../../src/core/generation/index.ts';
import type { MeaningDeps } from '../../src/core/library/embed-texts.ts';
import { createMemoryDiscoveryCache, createModels } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';

/** A host of embedding models on loopback, and the services that use it. */
export interface EmbeddingHost {
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

/** Starts a host whose vectors are sums of a random vector for each meaning of a word. Each model has its own. */
export async function startEmbeddingHost(): Promise<EmbeddingHost> {
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
  await models.start(AbortSignal.timeout(5000));
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
