import { describe, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { CLOUD_URL } from '../support/harness/bot-services.ts';
import { countFiles, keysIn, textOf } from '../support/harness/files.ts';
import { drawPng } from '../support/samples/media.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

type Actor = ReturnType<BotHarness['user']>;

/** On the clock of the play. */
const PATIENCE_MS = 100_000;

const A_PAGE = /https:\/\/files\.example\.org\/share\/([\w-]{22})/;

async function talks(actor: Actor, ...questions: readonly string[]) {
  for (const question of questions) {
    actor.writes(question);
    await harness.sees(actor.chatId, `You said: ${question}`);
  }
}

/** Shares the current conversation. @returns id, owner key and text of the message with the page. */
async function shares(actor: Actor, button = 'Create page') {
  actor.writes('/share');
  const question = await harness.sees(actor.chatId, /^Share “/);
  await actor.presses(button);
  const message = await harness.telegram.waitFor(() => {
    const shown = harness.telegram.transcript(actor.chatId).at(-1);
    return shown?.message.message_id === question.message.message_id && A_PAGE.test(textOf(shown)) && shown;
  }, PATIENCE_MS);
  return { id: A_PAGE.exec(textOf(message))?.[1] ?? '', ownerKey: keysIn(message)[0] ?? '', text: textOf(message) };
}

const read = async (id: string) => {
  const page = await harness.sharedConversations.find(id, AbortSignal.timeout(60_000));
  return page && { title: page.title, messages: page.conversation.messages };
};

describe('/share', () => {
  test('shows what others will see, then creates a page with a link and an owner key', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Why do bells ring?', 'And at night?');
    ann.writes('/share');
    await harness.shows(ann.chatId, [
      'Ann: Why do bells ring?',
      'Bot: You said: Why do bells ring?',
      'Ann: And at night?',
      'Bot: You said: And at night?',
      'Ann: /share',
      [
        'Bot: Share “Why do bells ring?” as a page? Anyone with the link sees:',
        '',
        '• 4 messages, as they are now. Later messages are not added.',
        '• No names, accounts, files or model reasoning.',
        '',
        'You get a key to delete the page, and you can set an expiry. [Create page] [Cancel]',
      ].join('\n'),
    ]);
    await ann.presses('Create page');
    const message = await harness.sees(ann.chatId, A_PAGE);
    const id = A_PAGE.exec(textOf(message))?.[1] ?? '';
    expect(textOf(message)).toMatch(/^Why do bells ring\n\nhttps:/);
    expect(harness.buttons(ann.chatId)).not.toContain('Ask about it');
    expect(textOf(message)).toContain(`Continue it in Telegram: https://t.me/switch_bot?start=c_${id}`);
    expect(keysIn(message)[0]).toMatch(/^[\w-]{43}$/);
    expect(await read(id)).toEqual({
      title: 'Why do bells ring?',
      messages: [
        { role: 'user', content: 'Why do bells ring?' },
        { role: 'assistant', model: 'basic', content: 'You said: Why do bells ring?' },
        { role: 'user', content: 'And at night?' },
        { role: 'assistant', model: 'basic', content: 'You said: And at night?' },
      ],
    });
  });

  test('shares the messages up to the command, and no later ones', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Public');
    ann.writes('/share');
    await harness.sees(ann.chatId, /^Share “/);
    await talks(ann, 'Private');
    await ann.presses('Create page');
    const [, id = ''] = A_PAGE.exec(textOf(await harness.sees(ann.chatId, A_PAGE))) ?? [];
    expect((await read(id))?.messages.map(({ content }) => content)).toEqual(['Public', 'You said: Public']);
  });

  test('includes images on request, reduced and without metadata', async () => {
    const ann = harness.user('Ann');
    ann.sends({ bytes: drawPng(2000, 1000), caption: 'What is this?' });
    await harness.sees(ann.chatId, /^You said: /);
    const without = await shares(ann);
    expect((await read(without.id))?.messages[0]).toEqual({ role: 'user', content: 'What is this?', omittedCount: 1 });
    const { id } = await shares(ann, 'With the image');
    const [image = ''] = (await read(id))?.messages[0]?.pictures ?? [];
    expect(image).toMatch(/^data:image\/webp;base64,/);
    expect(image.length).toBeLessThan(100_000);
  });

  test('has nothing to share in an empty conversation', async () => {
    const ann = harness.user('Ann');
    ann.writes('/share');
    await harness.sees(ann.chatId, /^This conversation is still empty/);
  });

  test('refuses to share group conversations', async () => {
    const { Ann } = harness.group(['Ann', 'Bob']);
    Ann.writes('/share@switch_bot');
    await harness.sees(Ann.chatId, /^I don’t share group conversations/);
  });

  test('answers in Russian', async () => {
    const anna = harness.user('Анна', 'ru');
    await talks(anna, 'Почему?');
    anna.writes('/share');
    await harness.sees(anna.chatId, /^Поделиться разговором «Почему\?»\?/);
    await anna.presses('Создать страницу');
    await harness.sees(anna.chatId, /Ключ владельца \(с ним страницу может удалить кто угодно\):/);
  });

  test('allows fifty pages', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Hello');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    const order = { userId: id, title: 'One of many', botUsername: 'switch_bot', messages: [] };
    for (let made = 0; made < 50; made += 1)
      await harness.sharedConversations.share(order, AbortSignal.timeout(60_000));
    ann.writes('/share');
    await ann.presses('Create page');
    await harness.sees(ann.chatId, /^You have 50 shared pages/);
  });
});

describe('a shared page', () => {
  test('can be found, renamed and deleted by its owner', async () => {
    const ann = harness.user('Ann');
    await talks(ann, 'Why do bells ring?');
    const { id } = await shares(ann);
    ann.writes('/share');
    await ann.presses('Shared pages: 1');
    await harness.sees(ann.chatId, 'Your shared conversations: 1.');
    await ann.presses(harness.buttons(ann.chatId).split(/ (?=All files)/)[0] ?? '');
    await harness.sees(ann.chatId, A_PAGE);
    await ann.presses('Rename');
    await harness.sees(ann.chatId, /Send me the new name/);
    ann.writes('Bells');
    await harness.sees(ann.chatId, /^Bells\n/);
    expect((await read(id))?.title).toBe('Bells');
    await ann.presses('Delete');
    await harness.sees(ann.chatId, /Delete this page for good\?/);
    await ann.presses('Delete');
    await harness.sees(ann.chatId, /is deleted\. The link no longer works/);
    expect(await read(id)).toBeUndefined();
  });

  test('can be deleted with its owner key by any user', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    await talks(ann, 'Why do bells ring?');
    const { id, ownerKey } = await shares(ann);
    bob.writes(`/delete ${CLOUD_URL}/share/${id} ${ownerKey}`);
    await harness.sees(bob.chatId, /is deleted\. The link no longer works/);
    expect(await read(id)).toBeUndefined();
  });

  test('can be taken down by an admin, and is deleted by /forget', async () => {
    const [ann, operator] = [harness.user('Ann'), harness.operator('Op')];
    await talks(ann, 'What is unlawful?');
    const [first, second] = [await shares(ann), await shares(ann)];
    expect(await countFiles(harness, ann.id)).toBe(2);
    operator.writes(`/takedown ${CLOUD_URL}/share/${first.id} unlawful`);
    await operator.presses('Take down');
    await harness.sees(operator.chatId, /taken down/);
    expect(await read(first.id)).toBeUndefined();
    ann.writes('/forget');
    await ann.presses('Yes, forget everything');
    await harness.sees(ann.chatId, /^Done\. I have deleted everything about you/);
    expect(await read(second.id)).toBeUndefined();
  });

  test('can be continued by any user, in a copy', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    await talks(ann, 'Why do bells ring?');
    const { id } = await shares(ann);
    bob.writes(`/start c_${id}`);
    await harness.sees(
      bob.chatId,
      '“Why do bells ring?” continues here, in private. This is where it was:\n\nYou: Why do bells ring?\nbasic: You said: Why do bells ring?',
    );
    await talks(bob, 'And at night?');
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      'Why do bells ring?',
      'You said: Why do bells ring?',
      'And at night?',
    ]);
  });

  test.each(['c_', 'c_short', `c_${'a'.repeat(22)}`])('that does not exist is reported: /start %s', async (payload) => {
    const bob = harness.user('Bob');
    bob.writes(`/start ${payload}`);
    await harness.sees(bob.chatId, 'There is no such page. It may have expired or been deleted.');
  });
});

test('/share warns when PUBLIC_URL is not set', async () => {
  const stage = await createBotHarness({ change: (deps) => ({ ...deps, isReachable: false }) });
  try {
    const ann = stage.user('Ann');
    ann.writes('Hello');
    await stage.sees(ann.chatId, 'You said: Hello');
    ann.writes('/share');
    await stage.sees(ann.chatId, /⚠️ The link will begin with https:\/\/files\.example\.org .*PUBLIC_URL/s);
  } finally {
    await stage.close();
  }
});
