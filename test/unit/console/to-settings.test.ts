import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import {
  type Answers,
  canReceiveUpdates,
  toProviderName,
  toSettings,
} from '../../../src/console/pages/start/to-settings.ts';

const NOTHING: Answers = {
  token: '',
  publicUrl: '',
  webhookSecret: 'secret',
  channelId: '',
  adminIds: [],
  userIds: [],
  isOpen: false,
  variable: 'GROQ_API_KEY',
  providerKey: '',
};
const TOKEN = '7000001:AAtestToken_0123456789ab';

it('answers that are missing have no lines', () => {
  expect(toSettings(NOTHING)).toBe('');
  expect(toSettings({ ...NOTHING, token: TOKEN })).toBe(`BOT_TOKEN=${TOKEN}`);
});

it('settings that need a token have no lines without one', () => {
  const answers = { ...NOTHING, publicUrl: 'https://a.example', channelId: '-1001234567890', providerKey: 'gsk_1' };
  expect(toSettings(answers)).toBe('GROQ_API_KEY=gsk_1');
  expect(parseEnv(toSettings({ ...answers, token: TOKEN }))).toEqual({
    BOT_TOKEN: TOKEN,
    PUBLIC_URL: 'https://a.example',
    WEBHOOK_SECRET: 'secret',
    STORAGE_CHAT_IDS: '-1001234567890',
    GROQ_API_KEY: 'gsk_1',
  });
});

it.each([
  ['the users, if there are some', { userIds: [3, 4] }, { ALLOWED_IDS: '3,4' }],
  ['the admins, so that others stay outside', {}, { ALLOWED_IDS: '1,2' }],
  ['nobody, if the bot is open', { userIds: [3], isOpen: true }, {}],
] as const)('those who may use the bot are the admins, and %s', (_name, access, lines) => {
  const answers = { ...NOTHING, ...access, adminIds: [1, 2] };
  expect(parseEnv(toSettings({ ...answers, token: TOKEN }))).toEqual({ BOT_TOKEN: TOKEN, ADMIN_IDS: '1,2', ...lines });
  expect(toSettings(answers)).toBe('');
});

it.each(['a#b', 'a$b', "it's", 'say"no"', 'a\\nb', 'a`b', `it's"x"`, '=a='])(
  'the file has the value %j',
  (providerKey) => {
    expect(parseEnv(toSettings({ ...NOTHING, providerKey }))).toEqual({ GROQ_API_KEY: providerKey });
  },
);

it.each([
  ['https://bot.example.com', true],
  [' https://bot.example.com/path ', true],
  ['https://bot.example.com:8443', true],
  ['https://bot.example.com:9000', false],
  ['http://bot.example.com', false],
  ['bot.example.com', false],
  ['', false],
])('Telegram sends updates to %j: %j', (address, isUsable) => {
  expect(canReceiveUpdates(address)).toBe(isUsable);
});

it.each([
  ['https://LLM.example.com/v1', 'llm-example-com'],
  [' "http://192.168.1.20:11434/v1"', '192-168-1-20'],
  ['http://[::1]:8000/v1', '1'],
  ['llm.example.com', 'own-host'],
])('the provider at %j is %s', (address, name) => {
  expect(toProviderName(address)).toBe(name);
});
