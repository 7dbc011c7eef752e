import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/bot/bot.ts';
import { texts as shippedPersonas } from '../../src/bot/choices/persona-texts.ts';
import { texts as conversationTexts } from '../../src/bot/features/conversations/texts.ts';
import { texts as files } from '../../src/bot/features/files/texts.ts';
import { toHelp } from '../../src/bot/features/help.ts';
import { texts as imagine } from '../../src/bot/features/imagine/texts.ts';
import { texts as personas } from '../../src/bot/features/personas/texts.ts';
import { findLocale, localeCodes, locales } from '../../src/bot/texts/locales.ts';
import type { TextsOf } from '../../src/texts/define-texts.ts';

const FEATURES = new URL('../../src/bot/features/', import.meta.url);
const featureTexts: TextsOf<unknown>[] = [];
for (const path of await readdir(FEATURES, { recursive: true })) {
  // A feature of one file has its texts in it.
  const hasTexts = path.endsWith('texts.ts') || /^[^/]+\.ts$/.test(path);
  const { texts } = hasTexts ? await import(new URL(path, FEATURES).pathname) : {};
  if (texts) featureTexts.push(texts);
}

describe.each(localeCodes)('the texts in %s', (code) => {
  const texts = locales[code];

  test('fit the limits of Telegram', () => {
    const descriptions = commands.flatMap((command) => ('describe' in command ? [command.describe(code)] : []));
    for (const description of descriptions) expect(description.length).toBeLessThanOrEqual(256);
    expect(texts.profile.short.length).toBeLessThanOrEqual(120);
    expect(texts.profile.long.length).toBeLessThanOrEqual(512);
    const hints = [
      texts.staleButton,
      texts.otherChatButton,
      texts.foreignButton,
      texts.foreignStop,
      texts.movedOn,
      texts.apology,
      texts.stopped,
      texts.nothingToStop,
      files[code].gone,
      files[code].expirySaved,
      conversationTexts[code].gone,
      conversationTexts[code].busy,
      conversationTexts[code].onlyOwner,
      imagine[code].atIt,
      imagine[code].gone,
      imagine[code].busy,
      personas[code].gone,
      personas[code].full(30),
    ];
    for (const hint of hints) expect(hint.length).toBeLessThanOrEqual(200);
    // Two fit in a row on a phone, with their emoji.
    for (const { name } of Object.values(shippedPersonas[code])) expect(name.length).toBeLessThanOrEqual(16);
  });

  test('are not empty and have no unfilled placeholder', () => {
    for (const text of listTexts([texts, ...featureTexts.map((words) => words[code])])) {
      expect(text.trim()).not.toBe('');
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    }
  });

  test('have typographic apostrophes', () => {
    for (const text of listTexts([texts, ...featureTexts.map((words) => words[code])])) {
      expect(text).not.toMatch(/[\p{L}\d]'\p{L}/u);
    }
  });

  test('fit the help on two screens of a phone', () => {
    const deps = { commands, administration: { isPrivate: true } };
    const help = toHelp(deps, code, 'a-model-of-usual-length', { hasSpeechToText: true, hasTextToSpeech: true }).split(
      '\n',
    );
    for (const line of help.filter((one) => one.startsWith('/'))) {
      expect(line.length, `shorten the description of this command in its feature: ${line}`).toBeLessThanOrEqual(64);
    }
    const rows = help.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 42)), 0);
    const isLong = (line: string) => line.length > 42;
    const advice = `shorten descriptions of commands that take two rows:\n${help.filter(isLong).join('\n')}\n`;
    expect(rows, advice).toBeLessThanOrEqual(48);
  });
});

describe('findLocale', () => {
  test.each([
    [['ru'], 'ru'],
    [['pt-br'], 'en'],
    [['ru-RU'], 'ru'],
    [[undefined], 'en'],
    [[undefined, 'ru'], 'ru'],
    [['en', 'ru'], 'en'],
    [['constructor'], 'en'],
  ])('for %j returns %s', (tags, locale) => {
    expect(findLocale(...tags)).toBe(locale);
  });
});

describe('numbers in texts', () => {
  test.each([
    [1, '1 сообщение'],
    [3, '3 сообщения'],
    [5, '5 сообщений'],
    [11, '11 сообщений'],
    [21, '21 сообщение'],
    [22, '22 сообщения'],
  ])('%i takes its Russian form', (count, words) => {
    expect(locales.ru.queueFull(count)).toContain(words);
  });

  test.each([
    [400, '1 second'],
    [12_000, '12 seconds'],
    [119_001, '2 minutes'],
    [7_200_000, '2 hours'],
  ])('a wait of %i ms is %s', (waitMs, words) => {
    expect(locales.en.failures.rateLimited('m', waitMs)).toContain(`in ${words},`);
  });
});

/** Lists all texts. Parameters get a number, which also serves as a name. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return [String(value(5, 5, 5))];
  return Object.values(value ?? {}).flatMap(listTexts);
}
