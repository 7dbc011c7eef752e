import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startHttpService } from '../support/harness/http.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const service = startBeforeAll(() => startHttpService());

/** Resolves with the status of a download with a password, requested from an address of this machine. */
function download(id: string, password: string, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port: service.port, localAddress, path: `/file/${id}`, agent: false };
    const sent = request({ ...target, headers: { 'x-password': password } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

async function uploadLocked(): Promise<string> {
  const answer = await fetch(`${service.url}/upload/note.txt`, {
    method: 'PUT',
    body: 'twelve bytes',
    headers: { 'x-password': 'secret' },
  });
  return ((await answer.json()) as { id: string }).id;
}

test('the right password is checked before wrong ones of another client that are already waiting', async () => {
  const [attacked, other] = [await uploadLocked(), await uploadLocked()];
  const verdicts: number[] = [];
  const guesses = [attacked, other].flatMap((id) =>
    Array.from({ length: 6 }, async () => verdicts.push(await download(id, 'guess', '127.0.0.2'))),
  );
  await expect.poll(() => verdicts.length).toBeGreaterThan(0);
  expect(await download(attacked, 'secret', '127.0.0.3')).toBe(200);
  expect(verdicts.length).toBeLessThan(9);
  await Promise.all(guesses);
  expect(verdicts).toEqual(Array(12).fill(401));
});
