import { expect, test } from 'vitest';
import { hideSecrets } from '../../../../src/http/resources/hide-secrets.ts';

test.each([
  ['Incorrect API key provided: sk-proj-abc123def456ghi789', 'Incorrect API key provided: [hidden]'],
  ['GET https://user:pass@host/v1/models?key=abc failed', 'GET https://[address] failed'],
  ['Bearer abc', 'Bearer [secret]'],
  ['The host did not answer within 30000 ms (model-list)', 'The host did not answer within 30000 ms (model-list)'],
])('%s', (text, hidden) => {
  expect(hideSecrets(text)).toBe(hidden);
});
