import { expect, test } from 'vitest';
import { listRoutes, startHttpService } from '../support/harness/http.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const ORIGIN = 'https://chat.example.com';

const service = startBeforeAll(() => startHttpService({ corsOrigins: [ORIGIN] }));

test('the list of routes contains every kind', () => {
  expect(listRoutes(service.printRoutes()).length).toBeGreaterThan(25);
  expect(listRoutes(service.printRoutes())).toContainEqual(['POST', '/ai/openai/chat/completions']);
  expect(listRoutes(service.printRoutes())).toContainEqual(['GET', '/share/:id/conversation.md']);
});

test('every route has the common headers, the cross-origin headers, and one log line', async () => {
  for (const [at, [method, path]] of listRoutes(service.printRoutes()).entries()) {
    const requestId = `probe-${at}`;
    const headersSent = { origin: ORIGIN, 'x-request-id': requestId };
    const init = { method, headers: headersSent, redirect: 'manual' } as const;
    const response = await fetch(service.url + path.replace(':id', 'a'.repeat(22)).replace(':name', 'a.txt'), init);
    await response.arrayBuffer();
    const { headers } = response;
    expect([method, path, headers.get('x-request-id')]).toEqual([method, path, requestId]);
    expect([method, path, headers.get('x-content-type-options')]).toEqual([method, path, 'nosniff']);
    expect([method, path, headers.get('access-control-allow-origin')]).toEqual([method, path, ORIGIN]);
    const lines = () => service.logLines().filter((line) => line['requestId'] === requestId);
    await expect.poll(() => lines().filter(({ msg }) => msg === 'request answered')).toHaveLength(1);
  }
});
