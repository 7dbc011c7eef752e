import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TelegramFile, UploadedFile, UploadOptions } from '../../src/core/storage/index.ts';
import { dialogs } from '../../src/database/schema/index.ts';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';
import { A_LINK, idsIn, PDF } from '../support/file-answers.ts';
import { CLOUD_URL } from '../support/play-wiring.ts';
import { toChunks } from '../support/storage-stage.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay();
});
afterAll(() => play.close());

const GONE = 'There is no such file. It may have expired or been deleted.';

function upload(order: Partial<UploadOptions>): Promise<UploadedFile> {
  const bytes = toChunks(Buffer.from('shared'));
  return play.storage.upload(
    bytes,
    { name: 'shared.pdf', mediaType: undefined, ...order },
    AbortSignal.timeout(60_000),
  );
}

/** Sends a document to the bot and returns its Telegram file. */
async function sendDocument(): Promise<TelegramFile | undefined> {
  const carl = play.person('Carl');
  carl.sends({ ...PDF, fileName: 'shared.pdf' });
  const [id = ''] = idsIn(await play.sees(carl.chatId, A_LINK));
  return (await play.storage.find(id))?.telegram;
}

describe('a deep link to a file', () => {
  test.each(['document', 'video', 'audio', 'voice', 'animation', 'sticker', 'video_note'] as const)(
    'sends the file to any user: %s',
    async (kind) => {
      const ann = play.person('Ann');
      ann.sends({ kind, bytes: Buffer.from(`a ${kind}`), mimeType: 'application/x-thing', fileName: 'thing.bin' });
      const [id = ''] = idsIn(await play.sees(ann.chatId, A_LINK));
      const bob = play.person('Bob');
      bob.writes(`/start f_${id}`);
      const given = await play.telegram.waitFor(() =>
        play.telegram.transcript(bob.chatId).find(({ message }) => message.from?.is_bot && message[kind] !== undefined),
      );
      const { bytes } = play.telegram.readFile(given.message[kind]?.file_id ?? '');
      expect(bytes.toString()).toBe(`a ${kind}`);
      expect(play.lines(bob.chatId)).toHaveLength(2);
    },
  );

  test('sends photos', async () => {
    const ann = play.person('Ann');
    ann.sends({ caption: '/save' });
    const [id = ''] = idsIn(await play.sees(ann.chatId, A_LINK));
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.shows(bob.chatId, [`Bob: /start f_${id}`, 'Bot: (photo) ']);
  });

  test.each(['f_', 'f_short', `f_${'a'.repeat(22)}`, `f_${'ä'.repeat(22)}`])(
    'without a file is answered with an error: %s',
    async (payload) => {
      const bob = play.person('Bob');
      bob.writes(`/start ${payload}`);
      await play.sees(bob.chatId, GONE);
    },
  );

  test('to an expired file is answered with an error', async () => {
    const { id } = await upload({ telegram: await sendDocument(), expiresAt: new Date(Date.now() - 1000) });
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, GONE);
  });

  test('counts downloads', async () => {
    const { id } = await upload({ telegram: await sendDocument(), maxDownloads: 1 });
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, '');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, GONE);
  });

  test('asks for the password, and again after a wrong one', async () => {
    const { id } = await upload({ telegram: await sendDocument(), password: 'open sesame' });
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, 'shared.pdf needs a password. Send it to me.');
    bob.writes('open barley');
    await play.sees(bob.chatId, 'Wrong password. Try again.');
    bob.writes('open sesame');
    await play.telegram.waitFor(() => play.lines(bob.chatId).includes('Bot: (shared.pdf) '), 100_000);
    expect(play.models.requests).toHaveLength(0);
    const kept = JSON.stringify(await play.db.select().from(dialogs));
    expect(`${kept}${play.log.join('\n')}`).not.toMatch(/barley|sesame/);
  });

  test('limits wrong passwords', async () => {
    const { id } = await upload({ telegram: await sendDocument(), password: 'open sesame' });
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, /needs a password/);
    for (let tries = 1; tries <= 10; tries++) {
      bob.writes(`guess ${tries}`);
      const isRefused = () => play.lines(bob.chatId).filter((line) => line.includes('Wrong password')).length >= tries;
      await play.telegram.waitFor(isRefused, 100_000);
    }
    bob.writes('open sesame');
    await play.sees(bob.chatId, /^Too many wrong passwords\. Try again in 1\d minutes\.$/);
  });

  test('falls back to the web link when Telegram no longer has the file', async () => {
    const { id } = await upload({ telegram: { fileId: 'of-another-bot', kind: 'document' } });
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, `shared.pdf\n${CLOUD_URL}/file/${id}`);
  });

  test('to a file uploaded over HTTP answers with its web link', async () => {
    const { id } = await upload({});
    const bob = play.person('Bob');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, `shared.pdf\n${CLOUD_URL}/file/${id}`);
  });

  test('to a file that existed only in Telegram and is lost is answered with an error', async () => {
    const person = await play.accounts.ensureTelegramUser(play.person('Ann').id);
    const { id } = await play.storage.keepTelegramFile({
      name: 'large.iso',
      mediaType: undefined,
      userId: person.id,
      sizeBytes: 1e9,
      telegram: { fileId: 'lost', kind: 'document' },
    });
    const bob = play.person('Борис', 'ru');
    bob.writes(`/start f_${id}`);
    await play.sees(bob.chatId, /^Telegram больше не отдаёт мне этот файл/);
  });

  test('does not change the usual /start', async () => {
    const bob = play.person('Bob');
    bob.writes('/start');
    await play.sees(bob.chatId, /^Hi! Write me a message/);
  });
});
