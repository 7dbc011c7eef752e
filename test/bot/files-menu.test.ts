import { describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

/** Text and button rows of the newest message. */
function newest(chatId: number) {
  const message = harness.telegram.transcript(chatId).at(-1)?.message;
  const rows = message?.reply_markup?.inline_keyboard.map((row) => row.map((button) => button.text).join(' | '));
  return { text: message?.text ?? '', rows: rows ?? [], id: message?.message_id ?? 0 };
}

/** Waits until the newest message has this in its text. */
async function untilShown(chatId: number, text: string | RegExp) {
  const fits = () => (typeof text === 'string' ? newest(chatId).text.includes(text) : text.test(newest(chatId).text));
  await harness.telegram.waitFor(fits, 60_000).catch(() => {});
  if (typeof text === 'string') expect(newest(chatId).text).toContain(text);
  else expect(newest(chatId).text).toMatch(text);
  return newest(chatId);
}

async function keepMany(owner: { readonly id: number }, count: number) {
  for (let number = 1; number <= count; number++) await keepFile(harness, owner, { name: `report-${number}.pdf` });
}

describe('/files', () => {
  test('lists thirty files in pages of eight, newest first, and wraps around', async () => {
    const ann = harness.user('Ann');
    await keepMany(ann, 30);
    ann.writes('/files');
    const first = await untilShown(ann.chatId, 'Your files: 30 (360 bytes in total).');
    expect(first.rows).toEqual([
      ...Array.from({ length: 8 }, (_, index) => `report-${30 - index}.pdf · 12 bytes`),
      '« | 1/4 | »',
      'Search | Close',
    ]);
    await ann.presses('»');
    await ann.presses('2/4');
    expect(newest(ann.chatId).rows[0]).toBe('report-22.pdf · 12 bytes');
    await ann.presses('«');
    await ann.presses('1/4');
    await ann.presses('«');
    await ann.presses('4/4');
    expect(newest(ann.chatId).rows).toEqual([
      ...Array.from({ length: 6 }, (_, index) => `report-${6 - index}.pdf · 12 bytes`),
      '« | 4/4 | »',
      'Search | Close',
    ]);
    expect(newest(ann.chatId).id).toBe(first.id);
    await ann.presses('Close');
    await harness.shows(ann.chatId, ['Ann: /files']);
  });

  test('explains how to add files when there are none', async () => {
    const ann = harness.user('Ann');
    ann.writes('/files');
    expect((await untilShown(ann.chatId, 'Send me one')).rows).toEqual(['Close']);
    ann.writes('/start files');
    await harness.shows(ann.chatId, [
      'Ann: /files',
      'Bot: You have no files here yet. Send me one to get a link to it. [Close]',
      'Ann: /start files',
      'Bot: You have no files here yet. Send me one to get a link to it. [Close]',
    ]);
  });

  test('finds files by a part of their names, after the command and in a dialog', async () => {
    const ann = harness.user('Ann');
    for (const name of ['Résumé 100%.pdf', 'resume.pdf', 'notes.md']) await keepFile(harness, ann, { name });
    // In decomposed form, as some keyboards send it.
    ann.writes(`/files re\u0301sume\u0301 100%`);
    expect((await untilShown(ann.chatId, '1 file with')).rows).toEqual([
      'Résumé 100%.pdf · 12 bytes',
      'All files | Search | Close',
    ]);
    await ann.presses('Search');
    await untilShown(ann.chatId, 'Send me a part of its name.');
    ann.writes('NOTES.MD');
    expect((await untilShown(ann.chatId, '1 file with “NOTES.MD” in the name.')).rows[0]).toBe('notes.md · 12 bytes');
    ann.writes('/files _');
    await untilShown(ann.chatId, 'No file matches “_”.');
    // A NUL character, and a query whose limit splits an emoji.
    ann.writes(`/files \u0000${'x'.repeat(99)}😀😀`);
    await untilShown(ann.chatId, `No file matches “${'x'.repeat(99)}😀”.`);
    await ann.presses('All files');
    await ann.presses('resume.pdf · 12 bytes');
    await untilShown(ann.chatId, /^resume\.pdf\n12 bytes\n/);
  });

  test('keeps the search across pages and on Back', async () => {
    const ann = harness.user('Ann');
    await keepMany(ann, 9);
    await keepFile(harness, ann, { name: 'other.txt' });
    ann.writes('/files report');
    await untilShown(ann.chatId, '9 files with “report”');
    await ann.presses('»');
    await ann.presses('report-1.pdf · 12 bytes');
    await untilShown(ann.chatId, 'https://files.example.org/file/');
    await ann.presses('Back');
    expect((await untilShown(ann.chatId, '9 files with')).rows.slice(0, 2)).toEqual([
      'report-1.pdf · 12 bytes',
      '« | 2/2 | »',
    ]);
  });

  test('shortens long names in the middle', async () => {
    const ann = harness.user('Ann');
    await keepFile(harness, ann, { name: `${'a'.repeat(60)} final version.pdf` });
    ann.writes('/files');
    const { rows } = await untilShown(ann.chatId, 'Your files: 1');
    expect(rows[0]).toBe('aaaaaaaaaaaa… version.pdf · 12 bytes');
    expect(rows[0]?.length).toBeLessThanOrEqual(36);
  });

  test('does not list files of other users', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    await keepFile(harness, ann, { name: 'secret.txt' });
    bob.writes('/files secret');
    await untilShown(bob.chatId, 'No file matches “secret”.');
  });

  test('refuses to list files in groups', async () => {
    const { Ann } = harness.group(['Ann']);
    await keepFile(harness, Ann, { name: 'secret.txt' });
    for (const command of ['/files', '/delete xyz']) {
      const id = Ann.writes(command);
      await untilShown(Ann.chatId, 'Your files are private.');
      harness.telegram.deleteMessage(Ann.chatId, newest(Ann.chatId).id);
      harness.telegram.deleteMessage(Ann.chatId, id);
    }
  });

  test('answers in Russian', async () => {
    const olga = harness.user('Ольга', 'ru');
    for (const name of ['а.txt', 'б.txt']) await keepFile(harness, olga, { name });
    olga.writes('/files');
    expect((await untilShown(olga.chatId, 'Ваши файлы: 2 (всего 24 байта).')).rows).toEqual([
      'б.txt · 12 байт',
      'а.txt · 12 байт',
      'Поиск | Закрыть',
    ]);
    await olga.presses('а.txt · 12 байт');
    await olga.presses('Удалить');
    await untilShown(olga.chatId, 'Удалить этот файл навсегда?');
    await olga.presses('Удалить');
    await untilShown(olga.chatId, 'а.txt — удалён. Ссылка больше не работает.');
  });
});

describe('renaming a file', () => {
  test.each([
    ['summary', 'summary.tar.gz'],
    ['summary.zip', 'summary.zip'],
    ['Report 2.5', 'Report 2.5.tar.gz'],
    ['🎉 party 👩‍👩‍👧', '🎉 party 👩‍👩‍👧.tar.gz'],
    ['../../etc/passwd', 'passwd.tar.gz'],
    ['C:\\Windows\\evil.exe', 'evil.exe'],
    ['two\nlines', 'two lines.tar.gz'],
    ['gpj.\u202Etxt', 'gpj.txt'],
    ['end.', 'end.tar.gz'],
    ['b'.repeat(300), `${'b'.repeat(252)}.gz`],
  ])('to %j results in %j', async (written, name) => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann, { name: 'data.tar.gz' });
    ann.writes('/files');
    await ann.presses('data.tar.gz · 12 bytes');
    await ann.presses('Rename');
    await untilShown(ann.chatId, 'Send me the new name.');
    ann.writes(written);
    const shown = await untilShown(ann.chatId, 'Renamed.');
    expect((await harness.storage.find(file.id))?.name).toBe(name);
    expect(shown.text.split('\n')[0]).toBe(name);
    await ann.presses('Back');
    await untilShown(ann.chatId, 'Your files: 1');
  });

  test.each(['...', '/', '\u200E\u200E', '../..'])('rejects %j', async (written) => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    ann.writes('/files');
    await ann.presses('note.txt · 12 bytes');
    await ann.presses('Rename');
    await untilShown(ann.chatId, 'Send me the new name.');
    ann.writes(written);
    await untilShown(ann.chatId, 'This can’t be used as a file name. Send me another one.');
    expect((await harness.storage.find(file.id))?.name).toBe('note.txt');
    ann.writes('better');
    await untilShown(ann.chatId, /^better\.txt\n/);
  });

  test('reports when the file was deleted meanwhile', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    ann.writes('/files');
    await ann.presses('note.txt · 12 bytes');
    await ann.presses('Rename');
    await untilShown(ann.chatId, 'Send me the new name.');
    await harness.storage.delete(file.id, { ownerKey: file.ownerKey });
    ann.writes('late.txt');
    await untilShown(ann.chatId, 'This file no longer exists.');
  });
});

describe('changing the expiry', () => {
  test('is possible in the file menu, and Never removes it', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    ann.writes('/files');
    await ann.presses('note.txt · 12 bytes');
    await ann.presses('Expiry');
    expect((await untilShown(ann.chatId, 'When should it expire, counting from now?')).rows).toEqual([
      '1 hour | 1 day',
      '7 days | 30 days',
      '✓ Never',
      'Back',
    ]);
    const before = await harness.storage.find(file.id);
    expect(before?.expiresAt).toBeUndefined();
    expect(await ann.presses('7 days')).toBe('Saved.');
    await untilShown(ann.chatId, 'Expires: ');
    const after = await harness.storage.find(file.id);
    const days = ((after?.expiresAt?.getTime() ?? 0) - file.createdAt.getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(7);
    expect(days).toBeLessThan(7.1);
    await ann.presses('Expiry');
    expect((await untilShown(ann.chatId, 'When should it expire, counting from now?')).rows[2]).toBe('Never');
    expect(await ann.presses('Never')).toBe('Saved.');
    await untilShown(ann.chatId, /^note\.txt\n12 bytes\n\nhttps.+\n.+$/);
    expect((await harness.storage.find(file.id))?.expiresAt).toBeUndefined();
  });

  test('keeps the owner key in the message, which is the only copy', async () => {
    const ann = harness.user('Ann');
    ann.sends({ kind: 'document', bytes: Buffer.from('hello'), fileName: 'hello.txt', mimeType: 'text/plain' });
    await untilShown(ann.chatId, /^hello\.txt/);
    await ann.presses('More');
    const saved = await untilShown(ann.chatId, /Owner key[\s\S]*\n[\w-]{43}$/);
    const ownerKey = saved.text.slice(-43);
    await ann.presses('Expiry');
    await untilShown(ann.chatId, 'When should it expire, counting from now?');
    expect(newest(ann.chatId).text).toContain(ownerKey);
    await ann.presses('30 days');
    expect((await untilShown(ann.chatId, 'Expires: ')).text).toMatch(new RegExp(`${ownerKey}$`));
    const { message } = harness.telegram.transcript(ann.chatId).at(-1) ?? {};
    expect(message?.entities?.at(-1)).toMatchObject({ type: 'spoiler', length: 43 });
    await ann.presses('Delete');
    await untilShown(ann.chatId, /Delete this file for good\?/);
    await ann.presses('Keep it');
    await untilShown(ann.chatId, new RegExp(`${ownerKey}$`));
  });

  test('can be left with Back', async () => {
    const ann = harness.user('Ann');
    await keepFile(harness, ann);
    ann.writes('/files');
    await ann.presses('note.txt · 12 bytes');
    const shown = await untilShown(ann.chatId, /^note\.txt/);
    await ann.presses('Expiry');
    await untilShown(ann.chatId, 'When should it expire, counting from now?');
    await ann.presses('Back');
    await harness.telegram.waitFor(() => newest(ann.chatId).text === shown.text, 60_000);
    expect(newest(ann.chatId)).toEqual(shown);
  });
});
