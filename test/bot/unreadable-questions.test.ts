import { toBotFileId } from 'telegram-bot-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { A_LINK, countFiles } from '../support/harness/files.ts';
import { PNG } from '../support/harness/users.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';

let harness: BotHarness;
beforeAll(async () => {
  const models = [
    createModelEntry('basic', { acceptsImages: true }),
    createModelEntry('blind', { acceptsImages: false }),
  ];
  harness = await createBotHarness({ models });
});
afterAll(() => harness.close());
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.telegram.clearFaults();
});

const lastQuestion = () => JSON.stringify(harness.models.requests.at(-1)?.messages.at(-1)?.content);
const bytes = Buffer.from('PK\u0003\u0004 no text');

/** Returns a Telegram file with the bytes of an image. */
function upload(): { readonly file_id: string; readonly file_unique_id: string } {
  const zoe = harness.group(['Zoe']).Zoe;
  const id = zoe.sends({});
  const sent = harness.telegram.transcript(zoe.chatId).find(({ message }) => message.message_id === id);
  const photo = sent?.message.photo?.[0];
  const fileId = toBotFileId(harness.telegram.state().bot.id, photo?.file_id ?? '');
  return { file_id: fileId, file_unique_id: photo?.file_unique_id ?? '' };
}

let updateId = 700_000;
async function brings(user: { readonly id: number; readonly chatId: number }, content: object): Promise<void> {
  updateId += 1;
  const chat = { id: user.chatId, type: 'private', first_name: 'Ann' };
  const from = { id: user.id, is_bot: false, first_name: 'Ann' };
  const date = Math.floor(harness.now() / 1000);
  await harness.brings([{ update_id: updateId, message: { message_id: updateId, date, chat, from, ...content } }]);
}

describe('a file that cannot be read, with a question as its caption', () => {
  test.each([
    ['animation', 'video/mp4', 'cat.mp4'],
    ['document', 'application/rtf', 'letter.rtf'],
    ['document', 'text/rtf', 'letter.rtf'],
    ['document', 'application/zip', 'backup.zip'],
    ['document', 'image/heic', 'holiday.heic'],
    ['document', 'application/vnd.oasis.opendocument.text', 'letter.odt'],
    ['document', 'application/octet-stream', 'data.bin'],
  ] as const)('is stored, and the question gets one sentence: %s %s', async (kind, mimeType, fileName) => {
    const ann = harness.user('Ann');
    const requests = harness.models.requests.length;
    ann.sends({ kind, mimeType, fileName, bytes, caption: 'What does it say?' });
    await harness.sees(ann.chatId, A_LINK);
    await harness.sees(
      ann.chatId,
      `I can’t read ${fileName}, so I can’t answer your question about it. I read PDF, Word, Excel, EPUB, web pages, text files and images.`,
    );
    expect(harness.models.requests).toHaveLength(requests);
    expect(harness.lines(ann.chatId)).toHaveLength(3);
  });

  test('is only stored without a question, or with /save', async () => {
    const ann = harness.user('Ann');
    for (const caption of ['', '/save']) {
      ann.sends({ kind: 'document', mimeType: 'application/zip', fileName: 'a.zip', bytes, caption });
      await expect.poll(() => countFiles(harness, ann.id)).toBe(caption === '' ? 1 : 2);
    }
    await harness.hasHandledAll();
    expect(harness.lines(ann.chatId).join('\n')).not.toMatch(/can’t read/);
  });

  test('among others of an album is named once', async () => {
    const ann = harness.user('Ann');
    const zip = { kind: 'document', mimeType: 'application/zip', bytes, mediaGroupId: 'mixed' } as const;
    ann.sends({ ...zip, fileName: 'a.zip' });
    ann.sends({ ...zip, fileName: 'b.txt', mimeType: 'text/plain' as 'application/zip' });
    ann.sends({ ...zip, fileName: 'c.zip', caption: 'Compare these' });
    await harness.sees(ann.chatId, /^I can’t read a\.zip, c\.zip, so I can’t answer your question about these files\./);
    await harness.sees(ann.chatId, A_LINK);
    await harness.hasHandledAll();
    expect(
      harness
        .lines(ann.chatId)
        .join('\n')
        .match(/can’t read/g),
    ).toHaveLength(1);
  });

  test('is explained in a group as well, once for an album', async () => {
    const { Ann } = harness.group(['Ann']);
    const zip = { kind: 'document', mimeType: 'application/zip', bytes } as const;
    Ann.sends({ ...zip, fileName: 'a.zip', caption: '@switch_bot what is in it?' });
    await harness.sees(Ann.chatId, /^I can’t read a\.zip/);
    Ann.sends({ ...zip, fileName: 'b.zip', mediaGroupId: 'zips', caption: '@switch_bot what is in them?' });
    Ann.sends({ ...zip, fileName: 'c.zip', mediaGroupId: 'zips' });
    await harness.sees(Ann.chatId, /^I can’t read b\.zip, c\.zip/);
    await harness.hasHandledAll();
    expect(harness.lines(Ann.chatId)).toHaveLength(5);
  });

  test('is named to the model when a question replies to it', async () => {
    const ann = harness.user('Ann');
    const sent = ann.sends({ kind: 'document', mimeType: 'application/zip', fileName: 'a.zip', bytes });
    await harness.sees(ann.chatId, A_LINK);
    ann.writes('What is in it?', { replyTo: sent });
    await harness.sees(ann.chatId, /^You said/);
    expect(lastQuestion()).toContain('[file a.zip, which can’t be read]');
  });
});

test('an animation with a question shows the model its thumbnail', async () => {
  const ann = harness.user('Ann');
  const animation = { ...upload(), width: 320, height: 200, duration: 3, file_name: 'cat.mp4', mime_type: 'video/mp4' };
  const withThumbnail = { ...animation, thumbnail: { ...upload(), width: 320, height: 200 } };
  harness.models.scripts.push('A cat.');
  await brings(ann, { animation: withThumbnail, document: animation, caption: 'Who is this?' });
  await harness.sees(ann.chatId, 'A cat.');
  expect(lastQuestion()).toContain('data:image/');
  expect(lastQuestion()).toContain('[animation, of which you see one frame]\\nWho is this?');
  expect(await countFiles(harness, ann.id)).toBe(0);
});

describe('a sticker', () => {
  const sticker = (more: object) => ({
    sticker: { type: 'regular', width: 512, height: 512, is_animated: false, is_video: false, emoji: '👍', ...more },
  });

  test.each([
    ['an image', () => sticker(upload())],
    ['animated', () => sticker({ file_id: 'tgs', file_unique_id: 't', is_animated: true, thumbnail: upload() })],
    ['a video', () => sticker({ file_id: 'webm', file_unique_id: 'w', is_video: true, thumbnail: upload() })],
  ])('that is %s is a message, seen by models with vision', async (_, content) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Glad you like it!');
    await brings(ann, content());
    await harness.sees(ann.chatId, 'Glad you like it!');
    expect(lastQuestion()).toContain('[sticker 👍]');
    expect(lastQuestion()).toContain('data:image/');
    expect(await countFiles(harness, ann.id)).toBe(0);
  });

  test('is its emoji for models without vision, and where its image can’t be loaded', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model blind');
    await harness.sees(ann.chatId, 'Now using blind.');
    await brings(ann, sticker(upload()));
    await harness.sees(ann.chatId, 'You said: [sticker 👍]');
    ann.writes('/model basic');
    await harness.sees(ann.chatId, 'Now using basic.');
    harness.models.scripts.push('Thanks.');
    await brings(ann, sticker({ file_id: 'gone', file_unique_id: 'g' }));
    await harness.sees(ann.chatId, 'Thanks.');
    expect(lastQuestion()).toBe('[{"type":"text","text":"[sticker 👍]"}]');
  });

  test('in a group is a message only in reply to the bot, and can be asked about', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.models.scripts.push('Hello.', 'Cute.', 'A dot.');
    Ann.writes('@switch_bot hi');
    const { message } = await harness.sees(Ann.chatId, 'Hello.');
    const file = { kind: 'sticker', mimeType: 'image/webp', bytes: PNG } as const;
    const sent = Bob.sends(file);
    Ann.sends({ ...file, replyTo: message.message_id });
    await harness.sees(Ann.chatId, 'Cute.');
    expect(lastQuestion()).toContain('[sticker]');
    Ann.writes('@switch_bot what is that?', { replyTo: sent });
    await harness.sees(Ann.chatId, 'A dot.');
    expect(lastQuestion()).toContain('> [sticker]');
    expect(lastQuestion()).toContain('data:image/');
  });
});
