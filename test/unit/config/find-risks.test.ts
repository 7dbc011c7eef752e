import { expect, it } from 'vitest';
import { canStrangersUpload, createConfig, findRisks } from '../../../src/config/index.ts';

it.each<[string, Record<string, string>, boolean]>([
  ['https without trusted proxies', { PUBLIC_URL: 'https://ai.example.com' }, true],
  ['https behind a trusted proxy', { PUBLIC_URL: 'https://ai.example.com', TRUSTED_PROXIES: 'private' }, false],
  ['http', { PUBLIC_URL: 'http://ai.example.com' }, false],
  ['no public address', {}, false],
])('a start warns about clients that share one address: %s', (_case, settings, isRisky) => {
  const risks = findRisks(createConfig(settings, []));
  expect(risks).toEqual(isRisky ? [expect.stringMatching(/Set TRUSTED_PROXIES to/)] : []);
});

it.each([
  [{}, false],
  [{ PUBLIC_URL: 'http://ai.example.com' }, true],
  [{ PUBLIC_URL: 'http://192.168.1.5:8080' }, true],
  [{ CLOUD_URL: 'http://files.example.com' }, true],
  [{ PUBLIC_URL: 'http://localhost:8080' }, false],
  [{ PUBLIC_URL: 'http://127.0.0.1:8080' }, false],
  [{ PUBLIC_URL: 'http://[::1]:8080' }, false],
  [{ PUBLIC_URL: 'http://ai.example.com', UPLOADS: 'key' }, false],
  [{ PUBLIC_URL: 'http://ai.example.com', UPLOADS: 'off' }, false],
  [{ PUBLIC_URL: 'http://ai.example.com', ALLOWED_IDS: '5' }, false],
])('strangers can upload if others than this machine reach the service: %j', (settings, can) => {
  expect(canStrangersUpload(createConfig(settings, []))).toBe(can);
});
