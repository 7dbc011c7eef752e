import { describe, expect, test } from 'vitest';
import { type KeyRule, parseKeyRule } from '../../src/bot/features/api-keys/key-rules.ts';

const NOW = Date.UTC(2027, 0, 15, 12);

describe('typed values of rules', () => {
  test.each<[KeyRule, string, object]>([
    [
      'models',
      'gpt-*, claude-*\nmeta/llama  gpt-*',
      { policy: { allowedModels: ['gpt-*', 'claude-*', 'meta/llama'] } },
    ],
    ['models', 'All', { policy: { allowedModels: undefined } }],
    ['expiry', '30d', { policy: { expiresAt: new Date(NOW + 30 * 86_400_000) } }],
    ['expiry', '2027-03-31', { policy: { expiresAt: new Date('2027-03-31T00:00:00Z') } }],
    ['expiry', '31.3.2027 18:05', { policy: { expiresAt: new Date('2027-03-31T18:05:00Z') } }],
    ['expiry', '2028-02-29', { policy: { expiresAt: new Date('2028-02-29T00:00:00Z') } }],
    ['expiry', 'никогда', { policy: { expiresAt: undefined } }],
    ['requestsPerMinute', '60', { policy: { requestsPerMinute: 60 } }],
    ['requestsPerMinute', 'none', { policy: { requestsPerMinute: undefined } }],
    ['tokensPerDay', '250 000', { policy: { tokensPerDay: 250_000 } }],
    ['tokensPerDay', '1,250,000', { policy: { tokensPerDay: 1_250_000 } }],
    ['tokensPerDay', '250k', { policy: { tokensPerDay: 250_000 } }],
    ['tokensPerDay', '1.5M', { policy: { tokensPerDay: 1_500_000 } }],
    ['usdPerDay', '$5', { budget: { usdPerDay: 5 } }],
    ['usdPerMonth', '2,50', { budget: { usdPerMonth: 2.5 } }],
    ['usdTotal', '0.000000001', { budget: { usdTotal: 0.000000001 } }],
    ['usdTotal', '0', { budget: { usdTotal: 0 } }],
    ['usdTotal', '1000000', { budget: { usdTotal: 1_000_000 } }],
    ['usdPerDay', 'нет', { budget: { usdPerDay: null } }],
  ])('%s: %s', (rule, text, change) => {
    expect(parseKeyRule(rule, text, NOW)).toEqual(change);
  });

  test.each<[KeyRule, string]>([
    ['models', ''],
    ['models', ' , '],
    ['models', 'a'.repeat(201)],
    ['models', Array.from({ length: 51 }, (_, at) => `model-${at}`).join(' ')],
    ['models', 'x'.repeat(1_000_000)],
    ['expiry', '2027-02-29'],
    ['expiry', '2027-13-01'],
    ['expiry', '2027-01-15'],
    ['expiry', '2026-12-31'],
    ['expiry', '9999-12-31'],
    ['expiry', '2027-03-31 24:01'],
    ['expiry', '0d'],
    ['expiry', '9999d'],
    ['expiry', 'tomorrow'],
    ['expiry', '1-2-3'],
    ['requestsPerMinute', '0'],
    ['requestsPerMinute', '-1'],
    ['requestsPerMinute', '1.5'],
    ['requestsPerMinute', '1e308'],
    ['requestsPerMinute', 'NaN'],
    ['requestsPerMinute', '1000001'],
    ['tokensPerDay', '12,34'],
    ['tokensPerDay', '1000000000001'],
    ['usdPerDay', '-1'],
    ['usdPerDay', 'NaN'],
    ['usdPerDay', '1e308'],
    ['usdPerDay', '1000000.01'],
    ['usdPerDay', '0.0000000001'],
    ['usdPerDay', 'Infinity'],
  ])('%s: refuses %s', (rule, text) => {
    expect(parseKeyRule(rule, text, NOW)).toBeUndefined();
  });
});
