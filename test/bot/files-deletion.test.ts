import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { dialogs } from '../../src/database/schema/index.ts';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';
import { keepFile } from '../support/keep-file.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay();
});
afterAll(() => play.close());
afterEach(() => play.telegram.clearFaults());

const QUESTION = /Delete this file for good\? The link will stop working\.$/;
const WRONG_KEY = 'This is not the owner key of that file. Nothing was deleted. Send me the right one.';
const DELETED = 'note.txt is deleted. The link no longer works.';

/** Sends `/files` and opens the only listed file. */
async function openFile(actor: ReturnType<BotPlay['person']>) {
  actor.writes('/files');
  await actor.presses('note.txt · 12 bytes');
  await play.sees(actor.chatId, /^note\.txt\n/);
}

/** Waits until the stored dialogs match. They are written after the question is shown in the chat. */
function untilDialogsKept(look: (kept: string) => boolean): Promise<string> {
  return vi.waitFor(async () => {
    const kept = JSON.stringify(await play.db.select().from(dialogs));
    expect(look(kept)).toBe(true);
    return kept;
  });
}

describe('a file', () => {
  test('is deleted after a confirmation, and the list is shown again', async () => {
    const ann = play.person('Ann');
    const file = await keepFile(play, ann);
    await keepFile(play, ann, { name: 'other.txt' });
    await openFile(ann);
    await ann.presses('Delete');
    await play.sees(ann.chatId, QUESTION);
    expect(await play.storage.find(file.id)).toBeDefined();
    await ann.presses('Delete');
    await play.shows(ann.chatId, [
      'Ann: /files',
      `Bot: ${DELETED}\n\nYour files: 1 (12 bytes in total). [other.txt · 12 bytes] [Search] [Close]`,
    ]);
    expect(await play.storage.find(file.id)).toBeUndefined();
  });

  test('is kept when the confirmation is declined', async () => {
    const ann = play.person('Ann');
    const file = await keepFile(play, ann);
    await openFile(ann);
    await ann.presses('Delete');
    await ann.presses('Keep it');
    await play.sees(ann.chatId, /^note\.txt\n12 bytes\n\n.+\n.+$/);
    expect(await play.storage.find(file.id)).toBeDefined();
  });

  test('is deleted once when the button is pressed twice', async () => {
    const ann = play.person('Ann');
    await keepFile(play, ann);
    await openFile(ann);
    await ann.presses('Delete');
    await play.sees(ann.chatId, QUESTION);
    // The message still shows the question at the time of the second press.
    const hints = await Promise.all([ann.presses('Delete'), ann.presses('Delete')]);
    expect(hints).toEqual(['', 'This file no longer exists.']);
    await play.sees(ann.chatId, /You have no files here yet\./);
  });

  test.each(['Rename', 'Expiry', 'Delete', 'Back'])('deleted elsewhere causes no error under %s', async (label) => {
    const ann = play.person('Ann');
    const file = await keepFile(play, ann);
    await openFile(ann);
    await play.storage.delete(file.id, { ownerKey: file.ownerKey });
    expect(await ann.presses(label)).toBe(label === 'Back' ? '' : 'This file no longer exists.');
    await play.sees(ann.chatId, /^You have no files here yet\./);
    expect(play.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('deleted while its expiry is being chosen causes no error', async () => {
    const ann = play.person('Ann');
    const file = await keepFile(play, ann);
    await openFile(ann);
    await ann.presses('Expiry');
    await play.sees(ann.chatId, /When should it expire/);
    await play.storage.delete(file.id, { ownerKey: file.ownerKey });
    expect(await ann.presses('1 hour')).toBe('This file no longer exists.');
    await play.sees(ann.chatId, /^You have no files here yet\./);
  });

  test('menu refuses other users in other chats', async () => {
    const ann = play.person('Ann');
    const file = await keepFile(play, ann);
    await openFile(ann);
    const message = play.telegram.transcript(ann.chatId).at(-1)?.message;
    const bob = { id: 4711, is_bot: false, first_name: 'Bob' };
    const chat = { id: 4711, type: 'private', first_name: 'Bob' };
    const asked = play.telegram.calls('answerCallbackQuery').length;
    for (const button of message?.reply_markup?.inline_keyboard.flat() ?? []) {
      if (!('callback_data' in button)) continue;
      const press = { id: '1', from: bob, chat_instance: '1', data: button.callback_data };
      await play.receives({ callback_query: { ...press, message: { message_id: 1, date: 1, chat, text: 'x' } } });
    }
    const answers = play.telegram.calls('answerCallbackQuery').slice(asked);
    expect(answers.map(({ params }) => params['text'])).toEqual(
      Array.from({ length: 5 }, () => 'This button belongs to another chat.'),
    );
    expect(await play.storage.find(file.id)).toMatchObject({ name: 'note.txt' });
  });
});

test('deleting a file in a group does not show the user’s other files there', async () => {
  const { Ann } = play.group(['Ann']);
  await keepFile(play, Ann, { name: 'secret.txt' });
  const sent = Ann.sends({ kind: 'document', bytes: Buffer.from('hello'), fileName: 'hello.txt' });
  Ann.writes('/save', { replyTo: sent });
  await play.sees(Ann.chatId, /^hello\.txt\n/);
  await Ann.presses('More');
  await Ann.presses('Rename');
  const question = await play.sees(Ann.chatId, /Send me the new name/);
  Ann.writes('note', { replyTo: question.message.message_id });
  const renamed = await play.sees(Ann.chatId, /Renamed/);
  expect(JSON.stringify(renamed.message.reply_markup)).not.toContain('Back');
  await Ann.presses('Delete');
  await play.sees(Ann.chatId, QUESTION);
  const [first, second] = await Promise.all([Ann.presses('Delete'), Ann.presses('Delete')]);
  expect([first, second]).toEqual(['', 'This file no longer exists.']);
  await play.sees(Ann.chatId, DELETED);
  expect(play.lines(Ann.chatId).join('\n')).not.toContain('secret');
});

describe('/delete', () => {
  test('deletes a file of another user with its owner key, and stores the key nowhere', async () => {
    const [ann, bob] = [play.person('Ann'), play.person('Bob')];
    const file = await keepFile(play, ann);
    bob.writes(`/delete https://files.example.org/file/${file.id}/note.txt`);
    await play.sees(bob.chatId, /this is not your file/);
    bob.writes(file.ownerKey);
    await play.sees(bob.chatId, DELETED);
    expect(await play.storage.find(file.id)).toBeUndefined();
    expect(play.lines(bob.chatId).join('\n')).not.toContain(file.ownerKey);
    expect(play.log.join('\n')).not.toContain(file.ownerKey);
  });

  test('rejects a wrong key and accepts a later right one', async () => {
    const [ann, bob] = [play.person('Ann'), play.person('Bob')];
    const file = await keepFile(play, ann);
    const wrong = 'w'.repeat(43);
    bob.writes(`/delete ${file.id}`);
    await play.sees(bob.chatId, /this is not your file/);
    const first = await untilDialogsKept((kept) => kept.includes(file.id));
    bob.writes(wrong);
    await play.sees(bob.chatId, WRONG_KEY);
    expect(await play.storage.find(file.id)).toBeDefined();
    const second = await untilDialogsKept((kept) => kept.includes(file.id) && kept !== first);
    expect(second).not.toContain(wrong);
    bob.writes(`  ${file.ownerKey}\n`);
    await play.sees(bob.chatId, DELETED);
    for (const key of [wrong, file.ownerKey]) expect(play.lines(bob.chatId).join('\n')).not.toContain(key);
  });

  test('accepts the key on the same line', async () => {
    const [ann, bob] = [play.person('Ann'), play.person('Bob')];
    const file = await keepFile(play, ann);
    bob.writes(`/delete https://t.me/switch_bot?start=f_${file.id} wrong-key`);
    await play.sees(bob.chatId, /This is not the owner key/);
    bob.writes(`/delete https://t.me/switch_bot?start=f_${file.id} ${file.ownerKey}`);
    await play.shows(bob.chatId, [`Bot: ${WRONG_KEY}`, `Bot: ${DELETED}`]);
  });

  test('warns when it cannot remove the key from the chat', async () => {
    const [ann, bob] = [play.person('Ann'), play.person('Bob')];
    const file = await keepFile(play, ann);
    const error = { type: 'error', status: 400, description: "Bad Request: message can't be deleted" } as const;
    play.telegram.injectFault({ method: 'deleteMessage', kind: error });
    bob.writes(`/delete ${file.id} wrong-key`);
    await play.sees(bob.chatId, /Nothing was deleted\..*\n\nI could not remove your message with the owner key\./);
  });

  test('stores no key when the storage fails', async () => {
    const [ann, bob] = [play.person('Ann'), play.person('Bob')];
    const file = await keepFile(play, ann);
    bob.writes(`/delete ${file.id}`);
    await play.sees(bob.chatId, /this is not your file/);
    const { delete: really } = play.storage;
    play.storage.delete = () => Promise.reject(new Error('the database is away'));
    bob.writes(file.ownerKey);
    await play.sees(bob.chatId, 'Something went wrong on my side. Please try again.');
    play.storage.delete = really;
    expect(play.lines(bob.chatId).join('\n')).not.toContain(file.ownerKey);
    expect(JSON.stringify(await play.db.select().from(dialogs))).not.toContain(file.ownerKey);
    expect(play.log.join('\n')).not.toContain(file.ownerKey);
  });

  test('asks for no key when the user owns the file', async () => {
    const ann = play.person('Ann');
    const file = await keepFile(play, ann);
    ann.writes(`/delete files.example.org/delete/${file.id}`);
    await play.sees(ann.chatId, QUESTION);
    await ann.presses('Delete');
    await play.sees(ann.chatId, /^note\.txt is deleted\. /);
    expect(await play.storage.find(file.id)).toBeUndefined();
  });

  test.each([
    ['/delete', 'Which file? Send its link or id after /delete.'],
    ['/delete the old one', 'Which file? Send its link or id after /delete.'],
    ['/delete http://127.0.0.1:8080/file/gone', 'There is no such file. It may have expired or already been deleted.'],
    [`/delete ${'A'.repeat(22)}`, 'There is no such file. It may have expired or already been deleted.'],
    [`/delete ${'A'.repeat(22)} key`, 'There is no such file. It may have expired or already been deleted.'],
  ])('answers %j with a hint or an error', async (written, answer) => {
    const ann = play.person('Ann');
    ann.writes(written);
    await play.sees(ann.chatId, answer);
  });
});
