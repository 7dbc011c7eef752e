import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { callbackActions } from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { CLOUD_URL } from '../support/harness/bot-services.ts';
import { A_LINK, countFiles, idsIn, keysIn, PDF, readStored, textOf } from '../support/harness/files.ts';
import { PNG } from '../support/harness/users.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const MIB = 1024 * 1024;
const harness = startBeforeAll(() => createBotHarness());
afterEach(() => harness.telegram.clearFaults());

describe('a file sent in a private chat', () => {
  test.each([
    ['document', 'application/pdf', 'thing.pdf', /^thing\.pdf$/, 'application/pdf'],
    ['video', 'video/mp4', 'film.mp4', /^film\.mp4$/, 'video/mp4'],
    ['audio', 'audio/mpeg', 'song.mp3', /^song\.mp3$/, 'audio/mpeg'],
    ['voice', 'audio/ogg', 'voice.ogg', /^voice \d{4}-\d\d-\d\d \d\d\.\d\d\.ogg$/, 'audio/ogg'],
    ['animation', 'video/mp4', 'cat.gif.mp4', /^cat\.gif\.mp4$/, 'video/mp4'],
    ['video_note', 'video/mp4', 'note.mp4', /^video message \d{4}-\d\d-\d\d \d\d\.\d\d\.mp4$/, 'video/mp4'],
  ] as const)('gets a link: %s', async (kind, mimeType, fileName, name, mediaType) => {
    const ann = harness.user('Ann');
    const bytes = Buffer.from(`the bytes of a ${kind}`);
    const sent = ann.sends({ kind, mimeType, bytes, fileName });
    const answer = await harness.sees(ann.chatId, A_LINK);
    expect(answer.message.reply_to_message?.message_id).toBe(sent);
    const [id = ''] = idsIn(answer);
    const file = await harness.storage.find(id);
    expect(file).toMatchObject({ mediaType, sizeBytes: bytes.length, telegram: { kind } });
    expect(file?.name).toMatch(name);
    expect(await readStored(harness, id)).toEqual(bytes);
    expect(harness.models.requests).toHaveLength(0);
  });

  test('is answered with size and link; More shows the other link, the hidden owner key and the actions', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(2.5 * MIB, 1) });
    const answer = await harness.sees(ann.chatId, A_LINK);
    const [id = ''] = idsIn(answer);
    const [key = ''] = keysIn(answer);
    const link = `${CLOUD_URL}/file/${id}`;
    const links = [
      { text: 'Copy link', copy_text: { text: link } },
      { text: 'Share', switch_inline_query: 'thing.pdf' },
    ];
    expect(textOf(answer).split('\n')).toEqual(['thing.pdf', '2.5 MiB', '', link]);
    expect(answer.message.reply_markup?.inline_keyboard).toMatchObject([
      links,
      [{ text: 'Ask about it' }, { text: '🔑 Owner key', copy_text: { text: key } }, { text: 'More' }],
    ]);
    await ann.presses('More');
    const whole = await harness.sees(ann.chatId, /Owner key/);
    expect(keysIn(whole)).toEqual([key]);
    expect(textOf(whole).split('\n')).toEqual([
      'thing.pdf',
      '2.5 MiB',
      '',
      link,
      `In Telegram: https://t.me/switch_bot?start=f_${id}`,
      '',
      'Owner key (anyone with it can delete the file):',
      key,
    ]);
    expect(whole.message.reply_markup?.inline_keyboard).toMatchObject([
      links,
      [{ text: 'Rename' }, { text: 'Expiry' }, { text: 'Delete' }],
      [{ text: 'Ask about it' }],
    ]);
    const kept = JSON.stringify(await harness.db.select().from(callbackActions));
    expect(`${kept}${harness.log.join('\n')}`).not.toContain(key);
    expect(await harness.storage.delete(id, { ownerKey: key })).toBe('deleted');
  });

  test.each([
    ['🎉👩‍👩‍👧 party.zip', '🎉👩‍👩‍👧 party.zip'],
    ['تقرير.pdf', 'تقرير.pdf'],
    [`${'long'.repeat(75)}.pdf`, `${'long'.repeat(63).slice(0, 251)}.pdf`],
    ['../../etc/passwd', 'passwd'],
    ['README.md', 'README.md'],
  ])('keeps its name if possible: %s', async (fileName, name) => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, fileName });
    const answer = await harness.sees(ann.chatId, A_LINK);
    const [first = ''] = textOf(answer).split('\n');
    expect(first).toBe(name);
    expect(answer.message.entities?.[0]).toMatchObject({ type: 'code', offset: 0, length: name.length });
  });

  test('is answered in the language of the user', async () => {
    const anna = harness.user('Анна', 'ru');
    anna.sends({ kind: 'voice', mimeType: 'audio/ogg', bytes: Buffer.alloc(1536) });
    const answer = await harness.sees(anna.chatId, A_LINK);
    expect(textOf(answer)).toMatch(/1,5 КиБ/);
    await anna.presses('Ещё');
    await harness.sees(anna.chatId, /Ключ владельца/);
  });
});

describe('/save', () => {
  test('saves a photo with it as caption, while other photos are questions', async () => {
    const ann = harness.user('Ann');
    ann.sends({ caption: 'What is this?' });
    await harness.sees(ann.chatId, /^You said/);
    ann.sends({ caption: '/save' });
    const answer = await harness.sees(ann.chatId, A_LINK);
    const [id = ''] = idsIn(answer);
    expect(await harness.storage.find(id)).toMatchObject({ mediaType: 'image/jpeg', telegram: { kind: 'photo' } });
    expect(textOf(answer)).toMatch(/^photo \d{4}-\d\d-\d\d \d\d\.\d\d\.jpg\n/);
  });

  test.each(['photo', 'document'] as const)('saves the file of the replied-to message: %s', async (kind) => {
    const ann = harness.user('Ann');
    const asked = ann.sends({ kind, caption: 'What is this?' });
    await harness.sees(ann.chatId, /^You said/);
    ann.writes('/save', { replyTo: asked });
    const answer = await harness.sees(ann.chatId, A_LINK);
    expect(answer.message.reply_to_message?.message_id).toBe(asked);
    expect(await readStored(harness, idsIn(answer)[0] ?? '')).toEqual(PNG);
  });

  test('asks for a file when there is none', async () => {
    const ann = harness.user('Ann');
    ann.writes('/save');
    await harness.sees(ann.chatId, /^Reply to a photo or file with \/save/);
    const words = ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
    ann.writes('/save', { replyTo: words });
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).filter((line) => /with \/save to get a link/.test(line)).length === 2,
    );
  });
});

test('/save in reply to a message from another chat saves its file', async () => {
  const ann = harness.user('Ann');
  const elsewhere = harness.user('Bob');
  elsewhere.sends({ ...PDF, fileName: 'elsewhere.pdf' });
  const [id = ''] = idsIn(await harness.sees(elsewhere.chatId, A_LINK));
  const fileId = (await harness.storage.find(id))?.telegram?.fileId;
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
  const origin = { type: 'hidden_user', sender_user_name: 'Bob', date: 1_790_000_000 };
  const voice = { file_id: fileId, file_unique_id: 'u', duration: 1, mime_type: 'audio/ogg' };
  const entities = [{ type: 'bot_command', offset: 0, length: 5 }];
  const message = { message_id: 1, date: 1, chat, from, text: '/save', entities, external_reply: { origin, voice } };
  await harness.receives({ message });
  await harness.sees(ann.chatId, /^voice 2026-09-21 14\.13\.ogg\n/);
});

describe('an album', () => {
  test('gets one answer for all its files', async () => {
    const ann = harness.user('Ann');
    const parts = ['one', 'two', 'three'].map((word) =>
      ann.sends({ ...PDF, fileName: `${word}.pdf`, bytes: Buffer.from(word), mediaGroupId: 'documents' }),
    );
    const answer = await harness.sees(ann.chatId, /^3 files:/);
    expect(harness.lines(ann.chatId)).toHaveLength(4);
    expect(answer.message.reply_to_message?.message_id).toBe(parts[0]);
    const ids = idsIn(answer);
    const stored = await Promise.all(ids.map((id) => readStored(harness, id)));
    expect(stored.map(String)).toEqual(['one', 'two', 'three']);
    const keys = keysIn(answer);
    const outcomes = await Promise.all(
      ids.map((id, index) => harness.storage.delete(id, { ownerKey: keys[index] ?? '' })),
    );
    expect(outcomes).toEqual(['deleted', 'deleted', 'deleted']);
  });

  test('of photos is saved completely with /save as caption', async () => {
    const ann = harness.user('Ann');
    const before = harness.models.requests.length;
    ann.sends({ mediaGroupId: 'photos', caption: '/save' });
    for (let part = 0; part < 9; part++) ann.sends({ mediaGroupId: 'photos' });
    const answer = await harness.sees(ann.chatId, /^10 files:/);
    expect(idsIn(answer)).toHaveLength(10);
    expect(harness.models.requests).toHaveLength(before);
  });

  test('reports the files that failed, and Retry saves them', async () => {
    const ann = harness.user('Ann');
    const files = ['good', 'bad'].map((word) => ({ ...PDF, fileName: `${word}.pdf`, bytes: Buffer.from(word) }));
    const description = 'Bad Request: wrong file_id';
    for (const file of files) ann.sends({ ...file, mediaGroupId: 'mixed' });
    // Files are loaded side by side, in any order.
    const bad = harness.telegram.pendingUpdates().at(-1)?.message?.document;
    const match = { file_id: bad?.file_id ?? '' };
    harness.telegram.injectFault({ method: 'getFile', match, kind: { type: 'error', status: 400, description } });
    const answer = await harness.sees(ann.chatId, /^1 of 2 files:/);
    expect(textOf(answer)).toMatch(/bad\.pdf\nI could not load the file from Telegram/);
    await ann.presses('Retry');
    const second = await harness.sees(ann.chatId, /^bad\.pdf\n/);
    expect(second.message.message_id).not.toBe(answer.message.message_id);
    expect(await readStored(harness, idsIn(second)[0] ?? '')).toEqual(Buffer.from('bad'));
    expect(harness.lines(ann.chatId).filter((line) => line.includes('[Retry]'))).toEqual([]);
    expect(keysIn(answer)).toHaveLength(1);
  });
});

describe('in a group', () => {
  test('only /save saves a file, and no owner key is shown', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const sent = Ann.sends({ ...PDF, bytes: Buffer.from('for all') });
    Bob.writes('/save@switch_bot', { replyTo: sent });
    const answer = await harness.sees(Ann.chatId, A_LINK);
    expect(harness.lines(Ann.chatId)).toHaveLength(3);
    expect(keysIn(answer)).toEqual([]);
    expect(await readStored(harness, idsIn(answer)[0] ?? '')).toEqual(Buffer.from('for all'));
    expect(await countFiles(harness, Bob.id)).toBe(1);
    expect(await countFiles(harness, Ann.id)).toBe(0);
  });

  test('a file in reply to the bot is answered with a hint about /save', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('@switch_bot hello');
    const answer = await harness.sees(Ann.chatId, 'You said: hello');
    Ann.sends({ ...PDF, replyTo: answer.message.message_id });
    await harness.sees(Ann.chatId, /^Reply to the file with \/save to get a link\./);
  });
});

describe('a slow upload', () => {
  test('shows its progress and can be cancelled', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'file', kind: { type: 'slow', delayMs: 40_000 } });
    ann.sends({ ...PDF, bytes: Buffer.alloc(3 * MIB) });
    await harness.sees(ann.chatId, 'Saving thing.pdf… 0% · 0 bytes / 3 MiB');
    expect(await ann.presses('Cancel')).toBe('Stopped.');
    await harness.sees(ann.chatId, 'Stopped.');
    expect(await countFiles(harness, ann.id)).toBe(0);
    await ann.presses('Retry');
    await harness.sees(ann.chatId, A_LINK);
    expect(harness.lines(ann.chatId)).toHaveLength(2);
  });

  test('ends with /stop, including incomplete albums', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'file', kind: { type: 'slow', delayMs: 40_000 } });
    ann.sends(PDF);
    await harness.sees(ann.chatId, /^Saving/);
    ann.sends({ ...PDF, mediaGroupId: 'stopped' });
    ann.writes('/stop');
    await harness.sees(ann.chatId, 'Stopped: saving of files.');
    await harness.sees(ann.chatId, 'Stopped.');
    expect(await countFiles(harness, ann.id)).toBe(0);
  });

  test('cannot be cancelled by other users', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.telegram.injectFault({ method: 'file', kind: { type: 'slow', delayMs: 20_000 } });
    Ann.sends({ ...PDF, caption: '/save' });
    await harness.sees(Ann.chatId, /^Saving/);
    expect(await Bob.presses('Cancel')).toBe('Only the user who asked can stop this.');
    await harness.sees(Ann.chatId, A_LINK);
  });

  test('is the only one with a progress message', async () => {
    const ann = harness.user('Ann');
    ann.sends(PDF);
    const answer = await harness.sees(ann.chatId, A_LINK);
    expect(answer.edits).toBe(0);
    const actions = harness.telegram.calls('sendChatAction').filter(({ params }) => params['chat_id'] === ann.chatId);
    for (const { params } of actions) expect(params['action']).toBe('upload_document');
  });
});

describe('when Telegram fails', () => {
  test.each([
    ['429', 'getFile', { type: 'flood', retryAfterSeconds: 2 }],
    ['a bad gateway', 'getFile', { type: 'error', status: 502 }],
    [
      'a file that is not ready',
      'getFile',
      { type: 'error', status: 400, description: 'Bad Request: wrong file_id or the file is temporarily unavailable' },
    ],
    ['a slow server', 'getFile', { type: 'slow', delayMs: 40_000 }],
    ['a lost connection', 'file', { type: 'truncated' }],
    ['half a file', 'file', { type: 'short' }],
    ['a broken file server', 'file', { type: 'error', status: 502 }],
  ] as const)('%s damages no file', async (_name, method, kind) => {
    const ann = harness.user('Ann');
    const bytes = Buffer.alloc(200_000, 'harmless');
    harness.telegram.injectFault({ method, kind });
    ann.sends({ ...PDF, bytes });
    const answer = await harness.sees(ann.chatId, A_LINK);
    expect(await readStored(harness, idsIn(answer)[0] ?? '')).toEqual(bytes);
    expect(await countFiles(harness, ann.id)).toBe(1);
  });

  test('a file that cannot be downloaded is reported, and Retry continues in the same message', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'file', times: 3, kind: { type: 'error', status: 500 } });
    ann.sends(PDF);
    const failed = await harness.sees(ann.chatId, 'I could not load the file from Telegram. Please try again.');
    await ann.presses('Retry');
    const answer = await harness.sees(ann.chatId, A_LINK);
    expect(answer.message.message_id).toBe(failed.message.message_id);
    expect(harness.log.join('\n')).not.toContain('play-token');
  });

  test('deleting the messages of an upload does not stop it', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'file', kind: { type: 'slow', delayMs: 12_000 } });
    const sent = ann.sends(PDF);
    const status = await harness.sees(ann.chatId, /^Saving/);
    harness.telegram.deleteMessage(ann.chatId, sent);
    harness.telegram.deleteMessage(ann.chatId, status.message.message_id);
    await harness.sees(ann.chatId, A_LINK);
  });
});

describe('a file too large for a link', () => {
  test('is shared inside Telegram, without a link that would fail', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(20 * MIB + 1) });
    const answer = await harness.sees(ann.chatId, /Too large for a download link/);
    expect(textOf(answer)).not.toContain(CLOUD_URL);
    const [, id = ''] = /https:\/\/t\.me\/switch_bot\?start=f_([\w-]{22})/.exec(textOf(answer)) ?? [];
    expect(await harness.storage.find(id)).toMatchObject({ sizeBytes: 20 * MIB + 1, sha256: undefined });
    const [[copy] = []] = answer.message.reply_markup?.inline_keyboard ?? [];
    expect(copy).toMatchObject({ copy_text: { text: `https://t.me/switch_bot?start=f_${id}` } });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.telegram.waitFor(
      () => harness.telegram.transcript(bob.chatId).at(-1)?.message.document !== undefined,
    );
  });

  test('gets a link with a local Bot API server', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'switchboard-files-'));
    const local = await createBotHarness({ localDirectory: directory, inlineMode: false });
    try {
      const ann = local.user('Ann');
      const bytes = Buffer.alloc(21 * MIB, 'local');
      ann.sends({ ...PDF, bytes });
      const answer = await local.sees(ann.chatId, A_LINK);
      expect(await readdir(directory)).not.toEqual([]);
      expect((await readStored(local, idsIn(answer)[0] ?? '')).equals(bytes)).toBe(true);
      const share = answer.message.reply_markup?.inline_keyboard[0]?.[1];
      expect(share).toMatchObject({ text: 'Share', url: expect.stringMatching(/^https:\/\/t\.me\/share\/url\?url=/) });
    } finally {
      await local.close();
      await rm(directory, { recursive: true });
    }
  });
});
