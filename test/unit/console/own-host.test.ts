import { expect, it } from 'vitest';
import { toProviderName } from '../../../src/console/pages/start/own-host.tsx';

it.each([
  ['https://LLM.example.com/v1', 'llm-example-com'],
  [' "http://192.168.1.20:11434/v1"', '192-168-1-20'],
  ['http://[::1]:8000/v1', '1'],
  ['llm.example.com', 'own-host'],
])('the provider at %j is %s', (address, name) => {
  expect(toProviderName(address)).toBe(name);
});
