import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import { PNG } from '../support/harness/users.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { writeDocx, writePdf } from '../support/samples/documents.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const models = [
  createModelEntry('basic', { contextLength: 4000 }),
  createModelEntry('clever', { contextLength: 128_000 }),
];
const harness = startBeforeAll(() => createBotHarness({ models }));
afterEach(() => {
  harness.models.scripts.length = 0;
});

const PDF = { kind: 'document', mimeType: 'application/pdf', fileName: 'rent.pdf' } as const;
const RENT = writePdf(['The rent is 700 euros.', 'It is due on the third.']);
const RENT_TEXT = '[page 1]\nThe rent is 700 euros.\n\n[page 2]\nIt is due on the third.';
const inContext = (name: string, text: string) => `<document name="${name}">\n${text}\n</document>`;

/** Contents of the messages in the last model request. */
function lastContents(): unknown[] {
  return (harness.models.requests.at(-1)?.messages ?? []).map(({ content }) => content);
}

describe('a document', () => {
  test('with a caption is a question, and later questions can refer to it', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('700 euros.', 'On the third.');
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much is the rent?' });
    await harness.sees(ann.chatId, '700 euros.');
    const question = `${inContext('rent.pdf', RENT_TEXT)}\n\nHow much is the rent?`;
    expect(lastContents()).toEqual([question]);
    ann.writes('And when?');
    await harness.sees(ann.chatId, 'On the third.');
    expect(lastContents()).toEqual([question, '700 euros.', 'And when?']);
    await harness.shows(ann.chatId, [
      'Ann: (rent.pdf) How much is the rent?',
      'Bot: 700 euros.',
      'Ann: And when?',
      'Bot: On the third.',
    ]);
  });

  test('without a caption is stored and offers a button to ask about it', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: RENT });
    await harness.sees(ann.chatId, /rent\.pdf/);
    await ann.presses('Ask about it');
    await harness.sees(ann.chatId, 'What do you want to know about rent.pdf?');
    harness.models.scripts.push('700 euros.');
    ann.writes('How much?');
    await harness.sees(ann.chatId, '700 euros.');
    expect(lastContents()).toEqual([`${inContext('rent.pdf', RENT_TEXT)}\n\nHow much?`]);
  });

  test('uploaded over HTTP has a button to ask about it in its menu, until it is deleted', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann, { name: 'note.txt' });
    ann.writes('/files');
    await ann.presses('note.txt · 12 bytes');
    await ann.presses('Ask about it');
    await harness.sees(ann.chatId, 'What do you want to know about note.txt?');
    harness.models.scripts.push('Twelve.');
    ann.writes('How many?');
    await harness.sees(ann.chatId, 'Twelve.');
    expect(lastContents()).toEqual([`${inContext('note.txt', 'twelve bytes')}\n\nHow many?`]);
    await ann.presses('Ask about it');
    await harness.sees(ann.chatId, 'What do you want to know about note.txt?');
    const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
    await harness.storage.delete(file.id, { userId });
    ann.writes('And now?');
    await harness.sees(ann.chatId, 'This file no longer exists.');
  });

  test('is in the context of replies to it and to the message with its link', async () => {
    const ann = harness.user('Ann');
    const sent = ann.sends({ ...PDF, bytes: RENT });
    const { message } = await harness.sees(ann.chatId, /rent\.pdf/);
    for (const replyTo of [sent, message.message_id]) {
      harness.models.scripts.push(`Answer to ${replyTo}.`);
      ann.writes('How much?', { replyTo });
      await harness.sees(ann.chatId, `Answer to ${replyTo}.`);
      expect(lastContents().at(-1)).toBe(`${inContext('rent.pdf', RENT_TEXT)}\n\nHow much?`);
    }
  });

  test('is read from storage when its link is in the question', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann, { name: 'note.txt' });
    harness.models.scripts.push('Twelve.');
    const question = `How many are in https://files.example.org/file/${file.id}?`;
    ann.writes(question);
    await harness.shows(ann.chatId, [`Ann: ${question}`, 'Bot: Twelve.']);
    expect(lastContents()).toEqual([`${inContext('note.txt', 'twelve bytes')}\n\n${question}`]);
  });

  test('of another user can be asked about in a group, by reply or by caption', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const sent = Bob.sends({ ...PDF, fileName: 'plan.docx', bytes: writeDocx(['We meet at noon.']) });
    harness.models.scripts.push('At noon.', 'Noon, again.');
    Ann.writes('@switch_bot when do we meet?', { replyTo: sent });
    await harness.sees(Ann.chatId, 'At noon.');
    expect(lastContents()).toEqual([`${inContext('plan.docx', 'We meet at noon.')}\n\nwhen do we meet?`]);
    Bob.sends({ ...PDF, fileName: 'plan.docx', bytes: writeDocx(['We meet at noon.']), caption: '@switch_bot when?' });
    await harness.sees(Ann.chatId, 'Noon, again.');
    expect(lastContents().at(-1)).toBe(`${inContext('plan.docx', 'We meet at noon.')}\n\nwhen?`);
  });

  test('in a group with only a mention as its caption is no question', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.sends({ ...PDF, bytes: RENT, caption: '@switch_bot' });
    await harness.sees(Ann.chatId, /Reply to the file with/);
  });

  test('of an unreadable kind is stored, whatever its caption says', async () => {
    const ann = harness.user('Ann');
    ann.sends({ kind: 'document', mimeType: 'application/zip', fileName: 'a.zip', caption: 'What is in it?' });
    await harness.sees(ann.chatId, /a\.zip\n/);
    expect(harness.lines(ann.chatId).at(-1)).not.toContain('Ask about it');
  });

  test('that exceeds the context is read from its beginning, with one notice', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Rain.', 'More rain.');
    const bytes = Buffer.from('It rained all day. '.repeat(2000));
    ann.sends({ kind: 'document', mimeType: 'text/plain', fileName: 'diary.txt', bytes, caption: 'Sum it up' });
    await harness.sees(ann.chatId, 'Rain.');
    const [question] = lastContents();
    expect(question).toMatch(/^<document name="diary\.txt" shown="the first \d+%">\nIt rained/);
    const line = harness.lines(ann.chatId).find((one) => one.includes('is long'));
    expect(line).toMatch(/^Bot: diary\.txt is long: basic reads the first (1\d|2\d)% of it\./);
    ann.writes('And then?');
    await harness.sees(ann.chatId, 'More rain.');
    expect(harness.lines(ann.chatId).filter((one) => one.includes('is long'))).toHaveLength(1);
    expect(lastContents()).toHaveLength(3);
  });

  test('is read together with the other documents of its album', async () => {
    const ann = harness.user('Ann');
    const album = { kind: 'document', mimeType: 'text/plain', mediaGroupId: 'papers' } as const;
    harness.models.scripts.push('They differ.');
    ann.sends({ ...album, fileName: 'a.txt', bytes: Buffer.from('one') });
    ann.sends({ ...album, fileName: 'b.txt', bytes: Buffer.from('two'), caption: 'Compare' });
    await harness.sees(ann.chatId, 'They differ.');
    expect(lastContents()).toEqual([`${inContext('a.txt', 'one')}\n\n${inContext('b.txt', 'two')}\n\nCompare`]);
    expect(harness.lines(ann.chatId)).toHaveLength(3);
  });

  test('stays in the context when the question is edited: in an album, in a caption, or after the button', async () => {
    const ann = harness.user('Ann');
    const album = { kind: 'document', mimeType: 'text/plain', mediaGroupId: 'letters' } as const;
    ann.sends({ ...album, fileName: 'a.txt', bytes: Buffer.from('one') });
    const captioned = ann.sends({ ...album, fileName: 'b.txt', bytes: Buffer.from('two'), caption: 'Compre' });
    await harness.sees(ann.chatId, /Compre$/);
    harness.telegram.editMessage(ann.chatId, captioned, { text: 'Compare' });
    await harness.sees(ann.chatId, /Compare$/);
    expect(lastContents()).toEqual([`${inContext('a.txt', 'one')}\n\n${inContext('b.txt', 'two')}\n\nCompare`]);

    ann.writes('/new');
    const alone = ann.sends({ ...PDF, bytes: RENT, caption: 'Hw much?' });
    await harness.sees(ann.chatId, /Hw much\?$/);
    harness.telegram.editMessage(ann.chatId, alone, { text: 'How much?' });
    await harness.sees(ann.chatId, /How much\?$/);
    expect(lastContents()).toEqual([`${inContext('rent.pdf', RENT_TEXT)}\n\nHow much?`]);

    ann.writes('/new');
    ann.sends({ ...PDF, bytes: RENT });
    await harness.sees(ann.chatId, /rent\.pdf\n/);
    await ann.presses('Ask about it');
    await harness.sees(ann.chatId, 'What do you want to know about rent.pdf?');
    const asked = ann.writes('Wen?');
    await harness.sees(ann.chatId, /Wen\?$/);
    harness.telegram.editMessage(ann.chatId, asked, { text: 'When?' });
    await harness.sees(ann.chatId, /When\?$/);
    expect(lastContents()).toEqual([`${inContext('rent.pdf', RENT_TEXT)}\n\nWhen?`]);
  });

  test('is in the export, and is deleted with its conversation', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('700 euros.');
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much?' });
    await harness.sees(ann.chatId, '700 euros.');
    const person = await harness.accounts.ensureTelegramUser(ann.id);
    const { conversations } = await harness.personalData.export(person.id);
    expect(conversations[0]?.messages[0]).toMatchObject({
      photoCount: 0,
      files: [{ name: 'rent.pdf', text: RENT_TEXT }],
    });
    const id = conversations[0]?.messages[0]?.id ?? 0;
    expect(await harness.conversations.listTexts([id])).toHaveLength(1);
    ann.writes('/forget');
    await ann.presses('Yes, forget everything');
    await vi.waitFor(async () => expect(await harness.conversations.listTexts([id])).toEqual([]));
  });
});

describe('a notice explains why a document has no text:', () => {
  test.each([
    ['locked', writePdf(['secret'], { isEncrypted: true }), /rent\.pdf is password-protected/],

    ['damaged', Buffer.from('no PDF at all'), /I can’t read rent\.pdf/],
  ])('%s', async (_, bytes, words) => {
    const ann = harness.user('Ann');
    const linesBefore = harness.log.length;
    ann.sends({ ...PDF, bytes, caption: 'How much?' });
    await harness.sees(ann.chatId, words);
    expect(harness.lines(ann.chatId).join('\n')).not.toContain('[Retry]');
    const lines = harness.log.slice(linesBefore);
    expect(lines.join()).toContain('a document could not be read');
    expect(lines.filter((line) => line.includes('"stack"') && !line.includes('"level":20'))).toEqual([]);
  });

  test('too large for the hosted Bot API', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(21 * 1024 * 1024, 'x'), caption: 'How much?' });
    await harness.sees(ann.chatId, /rent\.pdf is too large to read \(the limit is 20 MB\)/);
  });

  test('temporarily unavailable, with Retry', async () => {
    const ann = harness.user('Ann');
    const description = 'wrong file_id';
    harness.telegram.injectFault({ method: 'getFile', kind: { type: 'error', status: 400, description } });
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much?' });
    await harness.sees(ann.chatId, 'I could not load rent.pdf from Telegram. Please try again.');
    harness.models.scripts.push('700 euros.');
    await ann.presses('Retry');
    await harness.sees(ann.chatId, '700 euros.');
  });
});

describe('an album of photos', () => {
  test('is one question with all its images, and replies to any of them continue from there', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('The first.', 'Yes.');
    ann.sends({ mediaGroupId: 'photos', caption: 'Which is nicer?' });
    const second = ann.sends({ mediaGroupId: 'photos', bytes: PNG });
    await harness.sees(ann.chatId, 'The first.');
    const parts = lastContents()[0] as { type: string }[];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image', 'image']);
    expect(harness.lines(ann.chatId)).toHaveLength(3);
    ann.writes('Sure?', { replyTo: second });
    await harness.sees(ann.chatId, 'Yes.');
    expect(lastContents()).toHaveLength(2);
  });
});

describe('messages without text or file', () => {
  const contact = { phone_number: '+1234567', first_name: 'Bob', last_name: 'Bell' };
  const location = { latitude: 52.5, longitude: 13.4 };
  const option = { persistent_id: 'a', text: 'Yes', voter_count: 3 };
  const poll = { id: '1', question: 'Shall we?', options: [option], total_voter_count: 3, is_closed: true };
  const bob = { id: 77, is_bot: false, first_name: 'Bob' };
  test.each([
    ['a contact', { contact }, '[contact] Bob Bell, +1234567'],
    ['a location', { location }, '[location] 52.5, 13.4'],
    ['a venue', { location, venue: { location, title: 'Zoo', address: 'Park 1' } }, '[place] Zoo, Park 1 (52.5, 13.4)'],
    ['a poll', { poll }, '[poll] Shall we? (3 voters, closed)\n- Yes: 3'],
    ['dice', { dice: { emoji: '🎲', value: 4 } }, '[dice] 🎲 shows 4'],
    [
      'a forwarded message',
      { text: 'See you', forward_origin: { type: 'user', date: 1, sender_user: bob } },
      '[forwarded from Bob]\nSee you',
    ],
  ])('are described to the model as text: %s', async (_, content, words) => {
    const ann = harness.user('Ann');
    const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
    const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
    harness.models.scripts.push('I see.');
    const date = Math.floor(Date.now() / 1000);
    await harness.receives({ message: { message_id: 1, date, chat, from, ...content } });
    await harness.sees(ann.chatId, 'I see.');
    expect(lastContents()).toEqual([words]);
  });
});
