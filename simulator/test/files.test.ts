import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ChatView } from '../src/control-protocol.ts';
import { makePng, startTestSimulator, TEST_TOKEN, type TestSimulator } from './support/simulator.ts';

const SECOND_TOKEN = '7000002:AAtestTokenOfASecondBot_0123456789abcdef';

let simulator: TestSimulator;
let chat: ChatView;
beforeEach(async () => {
  simulator = await startTestSimulator({
    bots: [
      { token: TEST_TOKEN, username: 'test_bot', firstName: 'Test Bot' },
      { token: SECOND_TOKEN, username: 'second_bot', firstName: 'Second Bot' },
    ],
    memory: { fileBytes: 60 * 1024 * 1024 },
  });
  chat = simulator.control.createChat({ type: 'private' });
});
afterEach(() => simulator.close());

async function sendDocument(bytes: Uint8Array, fileName = 'notes.txt') {
  const answer = await simulator.upload('sendDocument', { chat_id: chat.id }, { document: { bytes, fileName } });
  if (!answer.ok) throw new Error(answer.description);
  return answer.result as { document: { file_id: string; file_unique_id: string; file_size: number } };
}

async function download(fileId: string, token = TEST_TOKEN) {
  const file = await simulator.succeed('getFile', { file_id: fileId });
  return fetch(`${simulator.url}/file/bot${token}/${file.file_path}`);
}

describe('files', () => {
  it('are returned unchanged, with name and type', async () => {
    const sent = await sendDocument(Buffer.from('hello'), 'заметки.txt');
    expect(sent.document).toMatchObject({ file_name: 'заметки.txt', mime_type: 'text/plain', file_size: 5 });
    const answer = await download(sent.document.file_id);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(await answer.text()).toBe('hello');
  });

  it('can be sent again by their id, as the same kind only', async () => {
    const { document } = await sendDocument(Buffer.from('hello'));
    const again = await simulator.succeed('sendDocument', { chat_id: chat.id, document: document.file_id });
    expect(again.document).toMatchObject({ file_id: document.file_id, file_unique_id: document.file_unique_id });
    expect((await simulator.call('sendPhoto', { chat_id: chat.id, photo: document.file_id })).description).toBe(
      "Bad Request: can't use file of type Document as Photo",
    );
  });

  it('have other ids for other bots, but the same unique id', async () => {
    const channel = simulator.control.createChat({ type: 'channel', title: 'Vault' });
    simulator.control.changeBot(channel.id, { action: 'add' }, 7000002);
    simulator.control.changeBot(channel.id, { action: 'promote' }, 7000002);
    const stored = await simulator.upload(
      'sendDocument',
      { chat_id: channel.id },
      { document: { bytes: Buffer.from('part'), fileName: 'part.bin' } },
    );
    const { document, message_id } = stored.result as {
      document: { file_id: string; file_unique_id: string };
      message_id: number;
    };
    const asSecond = async (method: string, params: object) => {
      const answer = await fetch(`${simulator.url}/bot${SECOND_TOKEN}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      return (await answer.json()) as {
        ok: boolean;
        description?: string;
        result: { document: { file_id: string; file_unique_id: string } };
      };
    };
    expect((await asSecond('getFile', { file_id: document.file_id })).description).toBe('Bad Request: invalid file_id');
    const { result } = await asSecond('forwardMessage', { chat_id: channel.id, from_chat_id: channel.id, message_id });
    expect(result.document.file_id).not.toBe(document.file_id);
    expect(result.document.file_unique_id).toBe(document.file_unique_id);
    expect((await asSecond('getFile', { file_id: result.document.file_id })).ok).toBe(true);
  });

  it('of exactly 20 MiB can be downloaded, one byte more is too big', async () => {
    const fits = await sendDocument(Buffer.alloc(20 << 20), 'fits.bin');
    expect((await download(fits.document.file_id)).status).toBe(200);
    const tooBig = await sendDocument(Buffer.alloc((20 << 20) + 1), 'big.bin');
    expect((await simulator.call('getFile', { file_id: tooBig.document.file_id })).description).toBe(
      'Bad Request: file is too big',
    );
  });

  it('over 50 MB are refused, and the connection stays usable', async () => {
    const bytes = Buffer.alloc(50 * 1024 * 1024 + 1);
    const answer = await simulator.upload(
      'sendDocument',
      { chat_id: chat.id },
      { document: { bytes, fileName: 'a.bin' } },
    );
    expect(answer).toMatchObject({ status: 413, description: 'Request Entity Too Large' });
    expect((await simulator.call('getMe')).ok).toBe(true);
  });

  it('are evicted, oldest first, when memory is full', async () => {
    const old = await sendDocument(Buffer.alloc(30 << 20), 'old.bin');
    const small = await sendDocument(Buffer.from('small'));
    await sendDocument(Buffer.alloc(40 << 20), 'new.bin');
    await sendDocument(Buffer.alloc(15 << 20), 'newer.bin');
    expect((await simulator.call('getFile', { file_id: old.document.file_id })).ok).toBe(false);
    expect((await download(small.document.file_id)).status).toBe(200);
  });

  it('must not be empty, missing or unknown', async () => {
    await expect(sendDocument(Buffer.alloc(0))).rejects.toThrow('file must be non-empty');
    expect((await simulator.call('sendDocument', { chat_id: chat.id })).description).toBe(
      'Bad Request: there is no document in the request',
    );
    expect((await simulator.call('sendDocument', { chat_id: chat.id, document: 'nonsense' })).description).toBe(
      'Bad Request: wrong file identifier/HTTP URL specified',
    );
  });

  it('can not be downloaded with the wrong token or path', async () => {
    const { document } = await sendDocument(Buffer.from('secret'));
    expect((await download(document.file_id, '1:wrong')).status).toBe(401);
    expect((await fetch(`${simulator.url}/file/bot${TEST_TOKEN}/documents/../x`)).status).toBe(404);
  });

  it('of users reach the bot', async () => {
    simulator.control.sendFile(chat.id, { bytes: makePng(30, 40), mimeType: 'image/png', caption: 'look #here' });
    const answer = await simulator.call('getUpdates');
    const [update] = answer.result as { message: { photo: { file_id: string }[] } }[];
    expect(update?.message).toMatchObject({
      photo: [{ width: 30, height: 40 }],
      caption: 'look #here',
      caption_entities: [{ type: 'hashtag', offset: 5, length: 5 }],
    });
    expect((await download(update?.message.photo[0]?.file_id ?? '')).status).toBe(200);
  });
});

describe('photos', () => {
  const sendPhoto = (bytes: Uint8Array) =>
    simulator.upload('sendPhoto', { chat_id: chat.id }, { photo: { bytes, fileName: 'a.png' } });

  it.each([
    ['with sides of more than 10000 together', makePng(9000, 1001), 'PHOTO_INVALID_DIMENSIONS'],
    ['longer than 20 to 1', makePng(2100, 100), 'PHOTO_INVALID_DIMENSIONS'],
    ['that are no image', Buffer.from('just text, nothing to see here'), 'IMAGE_PROCESS_FAILED'],
    ['over 10 MB', makePng(100, 100, 10 * 1024 * 1024 + 1), 'is too big for a photo'],
  ])('%s are refused', async (_case, bytes, reason) => {
    const answer = await sendPhoto(bytes);
    expect(answer.status).toBe(400);
    expect(answer.description).toContain(reason);
  });

  it('at the limits are accepted', async () => {
    expect((await sendPhoto(makePng(9000, 1000))).ok).toBe(true);
    expect((await sendPhoto(makePng(2000, 100))).ok).toBe(true);
  });

  it('have captions of at most 1024 units', async () => {
    const photo = { bytes: makePng(10, 10), fileName: 'a.png' };
    const withCaption = (caption: string) => simulator.upload('sendPhoto', { chat_id: chat.id, caption }, { photo });
    expect((await withCaption('a'.repeat(1024))).ok).toBe(true);
    expect((await withCaption('a'.repeat(1025))).description).toBe('Bad Request: message caption is too long');
  });
});

describe('albums', () => {
  const item = (name: string, caption?: string) => ({
    type: 'photo',
    media: `attach://${name}`,
    ...(caption && { caption }),
  });

  it('become one message for each item, with one album id', async () => {
    const picture = { bytes: makePng(10, 10), fileName: 'a.png' };
    const answer = await simulator.upload(
      'sendMediaGroup',
      { chat_id: chat.id, media: [item('a', 'first'), item('b')] },
      { a: picture, b: picture },
    );
    const messages = answer.result as { media_group_id: string; caption?: string }[];
    expect(messages.map(({ caption }) => caption)).toEqual(['first', undefined]);
    expect(new Set(messages.map(({ media_group_id }) => media_group_id)).size).toBe(1);
  });

  it('hold at most ten items', async () => {
    const media = Array.from({ length: 11 }, () => item('a'));
    expect((await simulator.call('sendMediaGroup', { chat_id: chat.id, media })).description).toBe(
      'Bad Request: too many messages to send as an album',
    );
  });
});

describe('a GIF', () => {
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([8, 0, 4, 0]), Buffer.alloc(40)]);

  it('sent as a document becomes an animation, unless detection is off', async () => {
    const document = { bytes: gif, fileName: 'x.gif', mimeType: 'image/gif' };
    const detected = await simulator.upload('sendDocument', { chat_id: chat.id }, { document });
    expect(detected.result).toMatchObject({ animation: { width: 8, height: 4 }, document: {} });
    const opaque = await simulator.upload(
      'sendDocument',
      { chat_id: chat.id, disable_content_type_detection: true },
      { document },
    );
    expect(opaque.result).not.toHaveProperty('animation');
  });
});

describe('downloads', () => {
  const BYTES = Buffer.from('0123456789');
  const get = async (headers: { [name: string]: string } = {}) => {
    const { document } = await sendDocument(BYTES);
    const file = await simulator.succeed('getFile', { file_id: document.file_id });
    return fetch(`${simulator.url}/file/bot${TEST_TOKEN}/${file.file_path}`, { headers });
  };
  const range = (value: string) => get({ range: value });

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=3-5', '345', 'bytes 3-5/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-99', '56789', 'bytes 5-9/10'],
  ])('return the range %s', async (value, text, contentRange) => {
    const answer = await range(value);
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(await answer.text()).toBe(text);
  });

  it('refuse a range after the end, and return the whole file for several ranges', async () => {
    expect((await range('bytes=10-')).status).toBe(416);
    expect(await (await range('bytes=1-2,4-5')).text()).toBe(BYTES.toString());
  });

  it.each(['corrupted', 'swapped', 'short', 'whole-file'] as const)(
    'are %s if a fault is injected, once',
    async (type) => {
      simulator.control.injectFault({ method: 'file', kind: { type } });
      const spoilt = await (await range('bytes=0-8')).text();
      if (type === 'whole-file') expect(spoilt).toBe(BYTES.toString());
      else expect(BYTES.subarray(0, 9).toString()).not.toBe(spoilt);
      expect(spoilt.length).toBe({ corrupted: 9, swapped: spoilt.length, short: 4, 'whole-file': 10 }[type]);
      expect(await (await get()).text()).toBe(BYTES.toString());
    },
  );

  it('break off if a fault is injected', async () => {
    simulator.control.injectFault({ method: 'file', kind: { type: 'truncated' } });
    await expect(get().then((answer) => answer.text())).rejects.toThrow();
    simulator.control.injectFault({ method: 'file', kind: { type: 'reset-before' } });
    await expect(get()).rejects.toThrow();
    simulator.control.injectFault({ method: 'file', kind: { type: 'error', status: 502 } });
    expect((await get()).status).toBe(502);
  });

  it('are not affected by the faults of calls', async () => {
    simulator.control.injectFault({ method: '*', kind: { type: 'error', status: 500 }, skip: 2 });
    expect((await get()).status).toBe(200);
  });
});

describe('a self-hosted Bot API server', () => {
  it('stores files of any size on its disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-simulator-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const local = await startTestSimulator({ localDirectory: folder });
    onTestFinished(() => local.close());
    const { id } = local.control.createChat({ type: 'private' });
    const bytes = Buffer.alloc(51 * 1024 * 1024, 'x');
    const answer = await local.upload('sendDocument', { chat_id: id }, { document: { bytes, fileName: 'large.bin' } });
    const { document } = answer.result as { document: { file_id: string } };
    const { file_path: path } = await local.succeed('getFile', { file_id: document.file_id });
    expect(String(path)).toMatch(new RegExp(`^${folder}/.*bin$`));
    expect((await readFile(String(path))).equals(bytes)).toBe(true);
  });
});

describe('in a channel', () => {
  const openChannel = () => {
    simulator.control.createPerson({ firstName: 'Owner' });
    return simulator.control.createChat({ type: 'channel', title: 'Vault' }).id;
  };
  const post = (channelId: number) =>
    simulator.upload(
      'sendDocument',
      { chat_id: channelId },
      { document: { bytes: Buffer.from('x'), fileName: 'a.bin' } },
    );
  const promote = (
    channelId: number,
    rights: { canPostMessages?: boolean; canDeleteMessages?: boolean },
    botId?: number,
  ) => {
    simulator.control.changeBot(channelId, { action: 'demote' }, botId);
    simulator.control.changeBot(channelId, { action: 'promote', rights }, botId);
  };

  it('a bot needs the right to post, and gets its list of rights', async () => {
    const channelId = openChannel();
    promote(channelId, { canPostMessages: false });
    expect((await post(channelId)).description).toContain('need administrator rights');
    const member = await simulator.succeed('getChatMember', { chat_id: channelId, user_id: 7_000_001 });
    expect(member).toMatchObject({ status: 'administrator', can_post_messages: false, can_delete_messages: true });
  });

  it('a bot deletes its own posts if it may post, those of others if it may delete', async () => {
    const channelId = openChannel();
    const { message_id: own } = (await post(channelId)).result as { message_id: number };
    const { message } = simulator.control.sendMessage(channelId, { text: 'by a person' });
    promote(channelId, { canDeleteMessages: false });
    const remove = (id: number) => simulator.call('deleteMessage', { chat_id: channelId, message_id: id });
    expect((await remove(message.message_id)).description).toBe("Bad Request: message can't be deleted");
    expect((await remove(own)).ok).toBe(true);
    promote(channelId, {});
    expect((await remove(message.message_id)).ok).toBe(true);
  });
});
