import { createSimulator, listenSimulator } from 'telegram-bot-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findLostSend } from '../../../src/telegram/lost-sends/find-lost-send.ts';
import { createTelegramClient, type TelegramClient } from '../../../src/telegram/telegram-client.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { createFastClock } from '../../support/machine/fast-clock.ts';

const TOKEN = '424242:AAsimulatedsimulatedsimulatedsimulated';
const clock = createFastClock(50);
const simulator = createSimulator({ clock, bots: [{ token: TOKEN, username: 'test_bot', firstName: 'Test' }] });
const { control } = simulator;
const { logger, lines } = createRecordingLogger();
let server: Awaited<ReturnType<typeof listenSimulator>>;
let client: TelegramClient;
/** Another process of the bot, whose sends are unknown to the first one. */
let stranger: TelegramClient;

beforeAll(async () => {
  server = await listenSimulator(simulator);
  const loose = { burst: 1000, refillMs: 1 };
  const options = { timeoutMs: 30_000, flood: { privateChat: loose, group: loose, token: loose } };
  client = createTelegramClient({ token: TOKEN, apiRoot: server.url, clock, logger }, options);
  stranger = createTelegramClient({ token: TOKEN, apiRoot: server.url, clock, logger }, options);
});
afterAll(async () => {
  client.close();
  stranger.close();
  await server.close();
});

const never = () => new AbortController().signal;
const find = (chatId: number, afterId: number, signal = never()) =>
  findLostSend({ client, clock, logger }, { chatId, afterId }, signal);

/** A chat with a message of the bot that it knows. */
async function begin(type: 'private' | 'group' | 'supergroup') {
  const { id: chatId } = control.createChat(
    type === 'private' ? { type, person: { firstName: 'Ann' } } : { type, title: 'Friends' },
  );
  await client.api.sendMessage(chatId, 'Known');
  return { chatId, afterId: client.messageIds.newest(chatId) };
}

const textsOf = (chatId: number) =>
  control.transcript(chatId).map(({ message, edits }) => `${message.text} ${edits ?? 0}`);

describe.each(['private', 'group', 'supergroup'] as const)(
  'in a %s chat a message whose send got no answer',
  (type) => {
    it('is found, and nothing in the chat is changed', async () => {
      const { chatId, afterId } = await begin(type);
      const { message_id } = await stranger.api.sendMessage(chatId, 'Lost');
      const before = textsOf(chatId);
      expect(await find(chatId, afterId)).toBe(message_id);
      expect(textsOf(chatId)).toEqual(before);
    });

    it('is found between messages of others and known ones', async () => {
      const { chatId, afterId } = await begin(type);
      const write = (text: string) => control.sendMessage(chatId, { text });
      write('Not noted yet');
      const { message_id } = await stranger.api.sendMessage(chatId, 'Lost');
      write('Later');
      await client.api.sendMessage(chatId, 'Known, too');
      expect(await find(chatId, afterId)).toBe(message_id);
    });

    it('is absent if no later message of the bot exists', async () => {
      const { chatId, afterId } = await begin(type);
      control.sendMessage(chatId, { text: 'Not noted yet' });
      await client.api.sendMessage(chatId, 'Known, too');
      expect(await find(chatId, afterId)).toBe('absent');
    });

    it('is not guessed if several messages are possible', async () => {
      const { chatId, afterId } = await begin(type);
      for (const text of ['One', 'Two']) await stranger.api.sendMessage(chatId, text);
      expect(await find(chatId, afterId)).toBe('unknown');
    });
  },
);

it('is found although it arrived late', async () => {
  const { chatId, afterId } = await begin('private');
  const finding = find(chatId, afterId);
  await new Promise((resolve) => clock.setTimer(1000, () => resolve(undefined)));
  const { message_id } = await stranger.api.sendMessage(chatId, 'Late');
  expect(await finding).toBe(message_id);
});

it('is found although other chats have used message ids since', async () => {
  const { chatId, afterId } = await begin('private');
  const others = await Promise.all([begin('private'), begin('private')]);
  const { message_id } = await stranger.api.sendMessage(chatId, 'Lost');
  for (const other of others) await stranger.api.sendMessage(other.chatId, 'Something else');
  expect(await find(chatId, afterId)).toBe(message_id);
});

it('is found although other senders have used message ids since, as soon as these are known', async () => {
  const { chatId, afterId } = await begin('private');
  const { chatId: otherId } = await begin('private');
  const others = await Promise.all(['A', 'B', 'C', 'D'].map((text) => stranger.api.sendMessage(otherId, text)));
  const { message_id } = await stranger.api.sendMessage(chatId, 'Lost');
  let looks = 0;
  const recordKnown = async () => {
    looks += 1;
    if (looks > 1) for (const other of others) client.messageIds.record(otherId, other.message_id);
  };
  expect(await findLostSend({ client, clock, logger, recordKnown }, { chatId, afterId }, never())).toBe(message_id);
});

it('is found behind messages that other chats have lost', async () => {
  const { chatId, afterId } = await begin('private');
  const { chatId: otherId } = await begin('private');
  for (const text of ['A', 'B', 'C', 'D']) await stranger.api.sendMessage(otherId, text);
  const { message_id } = await stranger.api.sendMessage(chatId, 'Lost');
  expect(await find(chatId, afterId)).toBe('absent');
  const lost = { chatId, afterId, otherCount: 4 };
  expect(await findLostSend({ client, clock, logger }, lost, never())).toBe(message_id);
});

describe('in several private chats at once', () => {
  const COUNT = 6;
  const beginAll = async () => {
    const chats = [];
    for (let index = 0; index < COUNT; index++) chats.push(await begin('private'));
    return chats;
  };
  /** Counts the chats whose sends are not confirmed, as the database does. */
  const findAll = (chats: readonly { readonly chatId: number }[], strangers: readonly number[] = []) => {
    const afterId = client.messageIds.newest(chats[0]?.chatId ?? 0);
    return Promise.all(
      chats.map(({ chatId }) => {
        const planned = [...chats.map((chat) => chat.chatId), ...strangers];
        const countOthers = async (searched: readonly number[]) =>
          planned.filter((id) => id !== chatId && !searched.includes(id)).length;
        return findLostSend({ client, clock, logger, countOthers }, { chatId, afterId }, never());
      }),
    );
  };
  const countProbes = (chatId: number) =>
    control.calls('stopMessageLiveLocation').filter(({ params }) => params['chat_id'] === chatId).length;

  it('the absence of all takes each as many probes as in one chat', async () => {
    const chats = await beginAll();
    expect(await findAll(chats)).toEqual(chats.map(() => 'absent'));
    for (const { chatId } of chats) expect(countProbes(chatId)).toBeLessThanOrEqual(6);
  });

  it('all messages are found, in whatever order they arrived', async () => {
    const chats = await beginAll();
    const sent = new Map<number, number>();
    for (const { chatId } of chats.toReversed())
      sent.set(chatId, (await stranger.api.sendMessage(chatId, 'Lost')).message_id);
    expect(await findAll(chats)).toEqual(chats.map(({ chatId }) => sent.get(chatId)));
  });

  it('the last of them is found if the others are absent or arrive during the search', async () => {
    const chats = await beginAll();
    const sent: number[] = [];
    const found = findAll(chats);
    await new Promise((resolve) => clock.setTimer(1000, () => resolve(undefined)));
    for (const { chatId } of chats.slice(1)) sent.push((await stranger.api.sendMessage(chatId, 'Late')).message_id);
    expect(await found).toEqual(['absent', ...sent]);
  });

  it('messages of chats that nobody searches in are looked behind', async () => {
    const chats = (await beginAll()).slice(0, 2);
    const dead = await beginAll();
    for (const { chatId } of dead) await stranger.api.sendMessage(chatId, 'Of a process that crashed');
    const [last] = chats;
    const { message_id } = await stranger.api.sendMessage(last?.chatId ?? 0, 'Lost');
    const strangers = dead.map(({ chatId }) => chatId);
    expect(await findAll(chats, strangers)).toEqual([message_id, 'absent']);
  });
});

it('stays unknown after too many messages or an aborted search; without an answer of Telegram the search is retried', async () => {
  const { chatId, afterId } = await begin('supergroup');
  for (let n = 0; n < 30; n++) control.sendMessage(chatId, { text: `Message ${n}` });
  expect(await find(chatId, afterId)).toBe('unknown');

  control.injectFault({ method: 'stopMessageLiveLocation', times: 3, kind: { type: 'error', status: 502 } });
  expect(await find(chatId, client.messageIds.newest(chatId))).toBe('later');
  expect(lines.some((line) => line.includes('a lost message cannot be searched for'))).toBe(true);

  const controller = new AbortController();
  const finding = find(chatId, client.messageIds.newest(chatId), controller.signal);
  controller.abort();
  expect(await finding).toBe('unknown');
});

describe('in a supergroup where privacy mode hides messages from the bot', () => {
  const inPrivacy = async () => {
    control.configureBot({ privacyMode: true });
    const chat = await begin('supergroup');
    const say = (count: number) => {
      for (let said = 0; said < count; said++) control.sendMessage(chat.chatId, { text: 'Between ourselves' });
    };
    return { ...chat, say };
  };
  afterEach(() => control.configureBot({ privacyMode: false }));

  it('a lost message is found behind hidden ones', async () => {
    const { chatId, afterId, say } = await inPrivacy();
    say(6);
    const { message_id } = await stranger.api.sendMessage(chatId, 'Lost');
    expect(await find(chatId, afterId)).toBe(message_id);
  });

  it('the absence of a message proves nothing', async () => {
    const { chatId, afterId, say } = await inPrivacy();
    say(2);
    expect(await find(chatId, afterId)).toBe('unknown');
  });

  it('an administrator sees that the message is absent', async () => {
    const { chatId, afterId, say } = await inPrivacy();
    control.changeBot(chatId, { action: 'promote' });
    say(2);
    expect(await find(chatId, afterId)).toBe('absent');
  });
});
