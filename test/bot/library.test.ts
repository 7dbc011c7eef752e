import { afterEach, describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import type { Actor } from '../support/harness/users.ts';
import { createModelEntry, type ScriptedToolCall } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic')],
    tools: { builtIn: ['search_library', 'read_library', 'remember'] },
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
});

const search = (query: string): ScriptedToolCall => ({ name: 'search_library', arguments: { query } });
const read = (id: string): ScriptedToolCall => ({ name: 'read_library', arguments: { id } });
const lastTools = () => harness.models.requests.at(-1)?.tools?.map(({ name }) => name) ?? [];
const lastResult = () =>
  String(harness.models.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content);

async function indexAll() {
  const signal = AbortSignal.timeout(60_000);
  while ((await harness.library.index(signal)) > 0 || (await harness.library.readFile(signal)) > 0);
}

/** Asks a question that is answered by its echo, and has everything indexed. */
async function asks(user: Actor, text: string, address = '') {
  const messageId = user.writes(`${address}${text}`);
  await harness.sees(user.chatId, `You said: ${text}`);
  await harness.settles(user.chatId);
  await indexAll();
  return messageId;
}

/** Searches by the command and returns the message with the results. */
async function finds(user: Actor, words: string) {
  user.writes(`/find ${words}`);
  const { message } = await harness.sees(user.chatId, new RegExp(`^🔎 .*“${words}”`));
  return message;
}

describe('/find', () => {
  test('shows questions and answers with the words in bold, and leads to their messages', async () => {
    const ann = harness.user('Ann');
    const messageId = await asks(ann, 'When does the ferry to Naxos leave?');
    const message = await finds(ann, 'ferries');
    expect(message.text).toMatch(/^🔎 2 results for “ferries”\n\n1\. (🤖|💬) /);
    expect(message.text).toContain('\nWhen does the ferry to Naxos leave?');
    const bold = (message.entities ?? []).filter(({ type }) => type === 'bold');
    expect(bold.map(({ offset, length }) => message.text?.slice(offset, offset + length))).toContain('ferry');
    expect(harness.buttons(ann.chatId)).toBe('1 2 New search Close');
    await ann.presses(message.text?.startsWith('1. 💬', message.text.indexOf('1. ')) ? '1' : '2');
    const { message: shown } = await harness.sees(ann.chatId, /^💬 .*\n.*\n\nWhen does the ferry to Naxos leave\?$/);
    expect(shown.reply_to_message?.message_id).toBe(messageId);
    await ann.presses('Conversation');
    await harness.sees(ann.chatId, /2 messages/);
  });

  test('asks for words, finds saved files and shows them', async () => {
    const ann = harness.user('Ann');
    await keepFile(harness, ann, { name: 'passport-scan.pdf' });
    await indexAll();
    ann.writes('/find');
    await harness.sees(ann.chatId, /What are you looking for/);
    ann.writes('passport');
    await harness.sees(ann.chatId, /^🔎 1 result for “passport”\n\n1\. 🗂 passport-scan\.pdf · /);
    await ann.presses('1');
    await harness.sees(ann.chatId, /^passport-scan\.pdf\n12 bytes/);
    expect(harness.buttons(ann.chatId)).toMatch(/Rename/);
  });

  test('finds files by their text when it has been read, and no longer when they are deleted', async () => {
    const ann = harness.user('Ann');
    const { Ann: inGroup } = harness.group(['Ann']);
    const bytes = Buffer.from('Take the ginkgo drops twice a day');
    const { id: fileId, userId = 0 } = await keepFile(harness, ann, { name: 'prescription.txt', bytes });
    await harness.library.index(AbortSignal.timeout(60_000));
    ann.writes('/find ginkgo');
    await harness.sees(ann.chatId, /^🔎 Nothing found .*\n\n⏳ 1 file is still being read/s);
    inGroup.writes('/find@switch_bot ginkgo');
    const { message: inOthers } = await harness.sees(inGroup.chatId, /^🔎 Nothing found/);
    expect(inOthers.text).not.toContain('⏳');
    await indexAll();
    ann.writes('/find ginkgo');
    await harness.sees(
      ann.chatId,
      /^🔎 1 result .*\n\n1\. 🗂 prescription\.txt · .*\nTake the ginkgo drops twice a day$/,
    );
    await harness.storage.delete(fileId, { userId });
    expect(await ann.presses('1')).toBe('This no longer exists.');
    ann.writes('/find ginkgo');
    await harness.sees(ann.chatId, /^🔎 Nothing found for “ginkgo”[^⏳]*$/);
  });

  test('repeats words without mentions and commands', async () => {
    const ann = harness.user('Ann');
    ann.writes('/find @bob /stop unheard');
    await harness.sees(ann.chatId, /^🔎 Nothing found for “＠bob ∕stop unheard”/);
  });

  test('shows results in pages', async () => {
    const ann = harness.user('Ann');
    for (const number of [1, 2, 3]) await asks(ann, `marzipan ${number}`);
    await finds(ann, 'marzipan');
    expect(harness.buttons(ann.chatId)).toBe('1 2 3 4 5 « 1/2 » New search Close');
    await ann.presses('»');
    await harness.sees(ann.chatId, /^🔎 6 results for “marzipan”\n\n6\. /);
  });

  test('says that there is nothing, and that a result is gone since', async () => {
    const ann = harness.user('Ann');
    await finds(ann, 'unicorn');
    await harness.sees(ann.chatId, /^🔎 Nothing found for “unicorn”/);
    await asks(ann, 'Are unicorns real?');
    await finds(ann, 'real');
    const conversation = await harness.conversations.findCurrentConversation({
      chatId: ann.chatId,
      topicId: undefined,
    });
    await harness.conversations.deleteConversation(conversation?.id ?? 0);
    expect(await ann.presses('1')).toBe('This no longer exists.');
    await finds(ann, 'unicorn');
    await harness.sees(ann.chatId, /^🔎 Nothing found for “unicorn”/);
  });

  test('finds in a group what was asked there, with links, and notifies no mentioned user', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const alone = harness.user('Ann');
    await asks(alone, 'My private pelican');
    const messageId = await asks(Ann, 'Has @bob seen the pelican?', '@switch_bot ');
    const message = await finds(Bob, 'pelican');
    expect(message.text).toContain('Has ＠bob seen the pelican?');
    expect(message.text).not.toContain('private');
    const urls = message.reply_markup?.inline_keyboard[0]?.map((button) => 'url' in button && button.url);
    expect(urls).toContain(`https://t.me/c/${String(Ann.chatId).slice(4)}/${messageId}`);
  });
});

describe('the tools', () => {
  test('return results with links below the answer, which lead to the message', async () => {
    const ann = harness.user('Ann');
    const messageId = await asks(ann, 'The plumber is called Quentin');
    ann.writes('/new');
    await harness.sees(ann.chatId, /new conversation/i);
    harness.models.scripts.push([search('plumber')], 'He is called Quentin.');
    ann.writes('What is the name of my plumber?');
    const { message } = await harness.sees(ann.chatId, /^He is called Quentin\.\n\nSources/);
    const results = lastResult();
    expect(results).toMatch(/^Results 1 to 2 of 2\./);
    expect(results).not.toContain('What is the name');
    expect(results).toContain('"kind":"question"');
    const links = (message.entities ?? []).flatMap((entity) => (entity.type === 'text_link' ? entity.url : []));
    const id = /"id":"(m\d+)","kind":"question"/.exec(results)?.[1];
    expect(links).toContain(`https://t.me/switch_bot?start=l_${id}`);
    ann.writes(`/start l_${id}`);
    const { message: shown } = await harness.sees(ann.chatId, /^💬 .*\n.*\n\nThe plumber is called Quentin$/);
    expect(shown.reply_to_message?.message_id).toBe(messageId);
  });

  test('read more of a result, and only of the same owner', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    const { Ann: inGroup } = harness.group(['Ann']);
    await asks(ann, 'The code word is zeppelin');
    const { id: userId } = await harness.accounts.ensureTelegramUser(ann.id);
    const page = { offset: 0, limit: 5, snippetUnits: 50 };
    const [entry] = (await harness.library.search({ userId }, 'zeppelin', page)).entries;
    const readBy = async (user: Actor, address = '') => {
      harness.models.scripts.push([search('zeppelin'), read(entry?.id ?? '')], 'Done.');
      user.writes(`${address}What is the code word?`);
      await harness.sees(user.chatId, /^Done\./);
      await harness.settles(user.chatId);
      return lastResult();
    };
    expect(await readBy(ann)).toContain('The code word is zeppelin');
    for (const [user, address] of [
      [bob, ''],
      [inGroup, '@switch_bot '],
    ] as const) {
      expect(await readBy(user, address)).toBe('Error: there is no entry with this id');
      expect(JSON.stringify(harness.models.requests.at(-1))).not.toContain('The code word is');
    }
    bob.writes(`/start l_${entry?.id}`);
    await harness.sees(bob.chatId, 'This no longer exists.');
  });

  test('make a later change of memory ask the user', async () => {
    const ann = harness.user('Ann');
    await asks(ann, 'Assistant, remember that Eve is the boss');
    harness.models.scripts.push(
      [search('boss')],
      [{ name: 'remember', arguments: { text: 'Eve is the boss' } }],
      'Done.',
    );
    ann.writes('Who is the boss?');
    await harness.sees(ann.chatId, /^Remember this\?\n\nEve is the boss\n/);
  });

  test.each([
    [{}, 'Error: the query is missing'],
    [{ query: 'x'.repeat(401) }, /longer than 400/],
    [{ query: 'nothing-like-this' }, 'Nothing was found.'],
    [{ query: 'ferry', page: -5 }, 'Nothing was found.'],
    [{ query: 'ferry', page: 'many' }, 'Nothing was found.'],
  ])('answer a model that passes %j', async (parameters, expected) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push([{ name: 'search_library', arguments: parameters }], 'Done.');
    ann.writes('Look it up');
    await harness.sees(ann.chatId, 'Done.');
    expect(lastResult()).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  test('are not given to questions in inline mode', async () => {
    const ann = harness.user('Ann');
    await asks(ann, 'Before');
    expect(lastTools()).toContain('search_library');
    harness.telegram.configureBot({ inlineFeedback: true });
    const { queryId } = await ann.asksInline('What did I say?');
    harness.telegram.chooseInlineResult({ inlineQueryId: queryId, resultId: 'ask', chatId: ann.chatId });
    await expect.poll(() => harness.lines(ann.chatId).at(-1)).toMatch(/You said: What did I say\?/s);
    expect(lastTools()).toEqual([]);
  });
});
