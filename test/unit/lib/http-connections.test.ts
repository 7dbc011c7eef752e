import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { createHttpAgent } from '../../../src/lib/http/http-client.ts';

it('a thousand responses of one host may be in flight', async () => {
  const open: ServerResponse[] = [];
  const { promise: allAreOpen, resolve } = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    // No request is answered before all have been sent.
    if (open.push(response) === 1000) resolve();
  });
  await new Promise<void>((listening) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1000 }, listening));
  const { port } = server.address() as AddressInfo;
  const agent = createHttpAgent({ connectMs: 30_000 });
  try {
    const answers = Array.from({ length: 1000 }, () => request(`http://127.0.0.1:${port}`, { dispatcher: agent }));
    await allAreOpen;
    for (const response of open) response.end();
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).statusCode));
    expect(new Set(statuses)).toEqual(new Set([200]));
  } finally {
    await agent.destroy();
    server.close();
  }
});
