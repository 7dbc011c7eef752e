import { afterEach, describe, expect, test, vi } from 'vitest';
import { dialogs } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());
afterEach(() => harness.telegram.clearFaults());

const QUESTION = /Delete this file for good\? The link will stop working\.$/;
const WRONG_KEY = 'This is not the owner key of that file. Nothing was deleted. Send me the right one.';
const DELETED = 'note.txt is deleted. The link no longer works.';

/** Sends `/files` and opens the only listed file. */
async function openFile(actor: ReturnType<BotHarness['user']>) {
  actor.writes('/files');
  await actor.presses('note.txt · 12 bytes');
  await harness.sees(actor.chatId, /^note\.txt\n/);
}

/** Waits until the stored dialogs match. They are written after the question is shown in the chat. */
function untilDialogsKept(look: (kept: string) => boolean): Promise<string> {
  return vi.waitFor(async () => {
    const kept = JSON.stringify(await harness.db.select().from(dialogs));
    expect(look(kept)).toBe(true);
    return kept;
  });
}

describe('a file', () => {
  test('is deleted after a confirmation, and the list is shown again', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    await keepFile(harness, ann, { name: 'other.txt' });
    await openFile(ann);
    await ann.presses('Delete');
    await harness.sees(ann.chatId, QUESTION);
    expect(await harness.storage.find(file.id)).toBeDefined();
    await ann.presses('Delete');
    await harness.shows(ann.chatId, [
      'Ann: /files',
      `Bot: ${DELETED}\n\nYour files: 1 (12 bytes in total). [other.txt · 12 bytes] [Search] [Close]`,
    ]);
    expect(await harness.storage.find(file.id)).toBeUndefined();
  });

  test('is kept when the confirmation is declined', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    await openFile(ann);
    await ann.presses('Delete');
    await ann.presses('Keep it');
    await harness.sees(ann.chatId, /^note\.txt\n12 bytes\n\n.+\n.+$/);
    expect(await harness.storage.find(file.id)).toBeDefined();
  });

  test('is deleted once when the button is pressed twice', async () => {
    const ann = harness.user('Ann');
    await keepFile(harness, ann);
    await openFile(ann);
    await ann.presses('Delete');
    await harness.sees(ann.chatId, QUESTION);
    // The message still shows the question at the time of the second press.
    const hints = await Promise.all([ann.presses('Delete'), ann.presses('Delete')]);
    expect(hints).toEqual(['', 'This file no longer exists.']);
    await harness.sees(ann.chatId, /You have no files here yet\./);
  });

  test.each(['Rename', 'Expiry', 'Delete', 'Back'])('deleted elsewhere causes no error under %s', async (label) => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    await openFile(ann);
    await harness.storage.delete(file.id, { ownerKey: file.ownerKey });
    expect(await ann.presses(label)).toBe(label === 'Back' ? '' : 'This file no longer exists.');
    await harness.sees(ann.chatId, /^You have no files here yet\./);
    expect(harness.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('deleted while its expiry is being chosen causes no error', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    await openFile(ann);
    await ann.presses('Expiry');
    await harness.sees(ann.chatId, /When should it expire/);
    await harness.storage.delete(file.id, { ownerKey: file.ownerKey });
    expect(await ann.presses('1 hour')).toBe('This file no longer exists.');
    await harness.sees(ann.chatId, /^You have no files here yet\./);
  });

  test('menu refuses other users in other chats', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    await openFile(ann);
    const message = harness.telegram.transcript(ann.chatId).at(-1)?.message;
    const bob = { id: 4711, is_bot: false, first_name: 'Bob' };
    const chat = { id: 4711, type: 'private', first_name: 'Bob' };
    const asked = harness.telegram.calls('answerCallbackQuery').length;
    for (const button of message?.reply_markup?.inline_keyboard.flat() ?? []) {
      if (!('callback_data' in button)) continue;
      const press = { id: '1', from: bob, chat_instance: '1', data: button.callback_data };
      await harness.receives({ callback_query: { ...press, message: { message_id: 1, date: 1, chat, text: 'x' } } });
    }
    const answers = harness.telegram.calls('answerCallbackQuery').slice(asked);
    expect(answers.map(({ params }) => params['text'])).toEqual(
      Array.from({ length: 5 }, () => 'This button belongs to another chat.'),
    );
    expect(await harness.storage.find(file.id)).toMatchObject({ name: 'note.txt' });
  });
});

test('deleting a file in a group does not show the user’s other files there', async () => {
  const { Ann } = harness.group(['Ann']);
  await keepFile(harness, Ann, { name: 'secret.txt' });
  const sent = Ann.sends({ kind: 'document', bytes: Buffer.from('hello'), fileName: 'hello.txt' });
  Ann.writes('/save', { replyTo: sent });
  await harness.sees(Ann.chatId, /^hello\.txt\n/);
  await Ann.presses('More');
  await Ann.presses('Rename');
  const question = await harness.sees(Ann.chatId, /Send me the new name/);
  Ann.writes('note', { replyTo: question.message.message_id });
  const renamed = await harness.sees(Ann.chatId, /Renamed/);
  expect(JSON.stringify(renamed.message.reply_markup)).not.toContain('Back');
  await Ann.presses('Delete');
  await harness.sees(Ann.chatId, QUESTION);
  const [first, second] = await Promise.all([Ann.presses('Delete'), Ann.presses('Delete')]);
  expect([first, second]).toEqual(['', 'This file no longer exists.']);
  await harness.sees(Ann.chatId, DELETED);
  expect(harness.lines(Ann.chatId).join('\n')).not.toContain('secret');
});

describe('/delete', () => {
  test('deletes a file of another user with its owner key, and stores the key nowhere', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const file = await keepFile(harness, ann);
    bob.writes(`/delete https://files.example.org/file/${file.id}/note.txt`);
    await harness.sees(bob.chatId, /this is not your file/);
    bob.writes(file.ownerKey);
    await harness.sees(bob.chatId, DELETED);
    expect(await harness.storage.find(file.id)).toBeUndefined();
    expect(harness.lines(bob.chatId).join('\n')).not.toContain(file.ownerKey);
    expect(harness.log.join('\n')).not.toContain(file.ownerKey);
  });

  test('rejects a wrong key and accepts a later right one', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const file = await keepFile(harness, ann);
    const wrong = 'w'.repeat(43);
    bob.writes(`/delete ${file.id}`);
    await harness.sees(bob.chatId, /this is not your file/);
    const first = await untilDialogsKept((kept) => kept.includes(file.id));
    bob.writes(wrong);
    await harness.sees(bob.chatId, WRONG_KEY);
    expect(await harness.storage.find(file.id)).toBeDefined();
    const second = await untilDialogsKept((kept) => kept.includes(file.id) && kept !== first);
    expect(second).not.toContain(wrong);
    bob.writes(`  ${file.ownerKey}\n`);
    await harness.sees(bob.chatId, DELETED);
    for (const key of [wrong, file.ownerKey]) expect(harness.lines(bob.chatId).join('\n')).not.toContain(key);
  });

  test('accepts the key on the same line', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const file = await keepFile(harness, ann);
    bob.writes(`/delete https://t.me/switch_bot?start=f_${file.id} wrong-key`);
    await harness.sees(bob.chatId, /This is not the owner key/);
    bob.writes(`/delete https://t.me/switch_bot?start=f_${file.id} ${file.ownerKey}`);
    await harness.shows(bob.chatId, [`Bot: ${WRONG_KEY}`, `Bot: ${DELETED}`]);
  });

  test('warns when it cannot remove the key from the chat', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const file = await keepFile(harness, ann);
    const error = { type: 'error', status: 400, description: "Bad Request: message can't be deleted" } as const;
    harness.telegram.injectFault({ method: 'deleteMessage', kind: error });
    bob.writes(`/delete ${file.id} wrong-key`);
    await harness.sees(bob.chatId, /Nothing was deleted\..*\n\nI could not remove your message with the owner key\./);
  });

  test('stores no key when the storage fails', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const file = await keepFile(harness, ann);
    bob.writes(`/delete ${file.id}`);
    await harness.sees(bob.chatId, /this is not your file/);
    const { delete: really } = harness.storage;
    harness.storage.delete = () => Promise.reject(new Error('the database is away'));
    bob.writes(file.ownerKey);
    await harness.sees(bob.chatId, 'Something went wrong on my side. Please try again.');
    harness.storage.delete = really;
    expect(harness.lines(bob.chatId).join('\n')).not.toContain(file.ownerKey);
    expect(JSON.stringify(await harness.db.select().from(dialogs))).not.toContain(file.ownerKey);
    expect(harness.log.join('\n')).not.toContain(file.ownerKey);
  });

  test('asks for no key when the user owns the file', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann);
    ann.writes(`/delete files.example.org/delete/${file.id}`);
    await harness.sees(ann.chatId, QUESTION);
    await ann.presses('Delete');
    await harness.sees(ann.chatId, /^note\.txt is deleted\. /);
    expect(await harness.storage.find(file.id)).toBeUndefined();
  });

  test.each([
    ['/delete', 'Which file? Send its link or id after /delete.'],
    ['/delete the old one', 'Which file? Send its link or id after /delete.'],
    ['/delete http://127.0.0.1:8080/file/gone', 'There is no such file. It may have expired or already been deleted.'],
    [`/delete ${'A'.repeat(22)}`, 'There is no such file. It may have expired or already been deleted.'],
    [`/delete ${'A'.repeat(22)} key`, 'There is no such file. It may have expired or already been deleted.'],
  ])('answers %j with a hint or an error', async (written, answer) => {
    const ann = harness.user('Ann');
    ann.writes(written);
    await harness.sees(ann.chatId, answer);
  });
});
