import { afterEach, describe, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { keepFile, sendAside } from '../support/harness/files.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());
afterEach(() => harness.telegram.clearFaults());

/** Results of an inline query other than the model’s answer. */
async function findFiles(who: ReturnType<BotHarness['user']>, query: string, offset?: string) {
  const answer = await who.asksInline(query, offset);
  return { ...answer, results: answer.results.filter(({ id }) => id !== 'ask') };
}

const linkTo = (id: string) => `https://files.example.org/file/${id}`;

describe('files in inline mode', () => {
  test.each([
    ['document', {}, { type: 'document', title: 'a.bin', description: '12 bytes' }, 'document_file_id'],
    ['photo', {}, { type: 'photo', title: 'a.bin', description: '12 bytes' }, 'photo_file_id'],
    ['video', {}, { type: 'video', title: 'a.bin', description: '12 bytes' }, 'video_file_id'],
    ['audio', {}, { type: 'audio' }, 'audio_file_id'],
    ['voice', {}, { type: 'voice', title: 'a.bin' }, 'voice_file_id'],
    ['animation', { mimeType: 'image/gif' }, { type: 'gif', title: 'a.bin' }, 'gif_file_id'],
    ['animation', { mimeType: 'video/mp4' }, { type: 'mpeg4_gif', title: 'a.bin' }, 'mpeg4_file_id'],
    ['sticker', {}, { type: 'sticker' }, 'sticker_file_id'],
  ] as const)('offers a stored %s (%o) as its own type', async (kind, facts, result, field) => {
    const ann = harness.user('Ann');
    const telegram = sendAside(harness, kind, facts);
    const mediaType = 'mimeType' in facts ? facts.mimeType : undefined;
    const file = await keepFile(harness, ann, { name: 'a.bin', mediaType, telegram });
    const { results, queryId } = await findFiles(ann, 'a.b');
    expect(results).toEqual([{ ...result, id: file.id, [field]: telegram.fileId }]);
    const { Bob } = harness.group(['Bob']);
    harness.telegram.changeMember(Bob.chatId, { action: 'join', personId: ann.id });
    const action = { inlineQueryId: queryId, resultId: file.id, chatId: Bob.chatId };
    expect(harness.telegram.chooseInlineResult(action).message).toHaveProperty(kind);
  });

  test('offers a link for files that are not in Telegram or have no inline type', async () => {
    const ann = harness.user('Ann');
    const article = { type: 'article', description: '12 bytes, as a link' };
    const plain = await keepFile(harness, ann, { name: 'README.md' });
    const { results } = await findFiles(ann, '');
    expect(results).toEqual([
      {
        ...article,
        id: plain.id,
        title: 'README.md',
        input_message_content: {
          message_text: `README.md\n${linkTo(plain.id)}`,
          entities: [{ type: 'code', offset: 0, length: 9 }],
          link_preview_options: { is_disabled: true },
        },
      },
    ]);
    const note = await keepFile(harness, ann, { name: 'round.mp4', telegram: sendAside(harness, 'video_note') });
    expect((await findFiles(ann, 'round')).results).toMatchObject([{ ...article, id: note.id }]);
  });

  test('offers a link for files with a password or a download limit', async () => {
    const ann = harness.user('Ann');
    const telegram = sendAside(harness, 'document');
    await keepFile(harness, ann, { name: 'locked', telegram, password: 'open sesame' });
    await keepFile(harness, ann, { name: 'once', telegram, maxDownloads: 1 });
    const { results } = await findFiles(ann, '');
    expect(results.map(({ type }) => type)).toEqual(['article', 'article']);
    expect(JSON.stringify(results)).not.toContain(telegram.fileId);
  });

  test('offers a deep link to the bot for files that exist only in Telegram and have no inline type', async () => {
    const ann = harness.user('Ann');
    const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
    const order = { name: 'huge.mp4', mediaType: 'video/mp4', userId, sizeBytes: 3e9 };
    const file = await harness.storage.storeTelegramFile({ ...order, telegram: sendAside(harness, 'video_note') });
    const { results } = await findFiles(ann, 'huge');
    expect(JSON.stringify(results)).toContain(`huge.mp4\\nhttps://t.me/switch_bot?start=f_${file.id}`);
  });

  test('lists the newest first, in pages of fifty, as personal results with a short cache time', async () => {
    const ann = harness.user('Ann');
    for (let number = 1; number <= 53; number++) await keepFile(harness, ann, { name: `part ${number}` });
    const first = await findFiles(ann, 'PART ');
    expect(first.results).toHaveLength(49);
    expect(first.results[0]).toMatchObject({ title: 'part 53' });
    expect(first.options).toMatchObject({ is_personal: true, cache_time: 2, next_offset: '49' });
    const second = await findFiles(ann, 'PART ', '49');
    expect(second.results).toMatchObject([
      { title: 'part 4' },
      { title: 'part 3' },
      { title: 'part 2' },
      { title: 'part 1' },
    ]);
    expect(second.options['next_offset']).toBe('');
    expect((await findFiles(ann, 'part', '9'.repeat(60))).results).toHaveLength(49);
    expect((await findFiles(ann, 'part', '1000')).options).toMatchObject({ next_offset: '' });
  });

  test('shows other users a button to the bot only', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob', 'ru')];
    await keepFile(harness, ann, { name: 'secret.txt' });
    expect((await findFiles(ann, 'secret')).results).toHaveLength(1);
    const nothing = await findFiles(bob, '');
    expect(nothing.results).toEqual([]);
    expect(nothing.options['button']).toEqual({
      text: 'Пришлите мне файлы, чтобы делиться ими здесь',
      start_parameter: 'files',
    });
    const secret = await findFiles(bob, 'secret');
    expect(secret.results).toEqual([]);
    expect((await findFiles(ann, 'secret')).options).not.toHaveProperty('button');
  });

  test('falls back to links when Telegram does not know one of the files', async () => {
    const ann = harness.user('Ann');
    await keepFile(harness, ann, { name: 'lost', telegram: { kind: 'document', fileId: 'of-another-bot' } });
    await keepFile(harness, ann, { name: 'there', telegram: sendAside(harness, 'document') });
    const { results } = await findFiles(ann, '');
    expect(results.map((result) => result.type)).toEqual(['article', 'article']);
  });

  test('ignores queries that are too old', async () => {
    const from = { id: 4712, is_bot: false, first_name: 'Cleo' };
    await harness.receives({ inline_query: { id: 'long-gone', from, query: '', offset: '' } });
    expect(harness.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('ignores inline results shared in the bot’s own chat', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    const { queryId } = await findFiles(ann, '');
    harness.telegram.chooseInlineResult({ inlineQueryId: queryId, resultId: file.id, chatId: ann.chatId });
    ann.writes('Hello');
    await harness.shows(ann.chatId, [`Ann: note.txt\n${linkTo(file.id)}`, 'Ann: Hello', 'Bot: You said: Hello']);
  });
});
