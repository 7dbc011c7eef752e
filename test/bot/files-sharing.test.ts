import { describe, expect, test } from 'vitest';
import type { TelegramFile, UploadedFile, UploadOptions } from '../../src/core/storage/index.ts';
import { dialogs } from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { CLOUD_URL } from '../support/harness/bot-services.ts';
import { A_LINK, idsIn, PDF } from '../support/harness/files.ts';
import { toChunks } from '../support/harness/storage.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

const GONE = 'There is no such file. It may have expired or been deleted.';

function upload(order: Partial<UploadOptions>): Promise<UploadedFile> {
  const bytes = toChunks(Buffer.from('shared'));
  return harness.storage.upload(
    bytes,
    { name: 'shared.pdf', mediaType: undefined, ...order },
    AbortSignal.timeout(60_000),
  );
}

/** Sends a document to the bot and returns its Telegram file. */
async function sendDocument(): Promise<TelegramFile | undefined> {
  const carl = harness.user('Carl');
  carl.sends({ ...PDF, fileName: 'shared.pdf' });
  const [id = ''] = idsIn(await harness.sees(carl.chatId, A_LINK));
  return (await harness.storage.find(id))?.telegram;
}

describe('a deep link to a file', () => {
  test.each(['document', 'video', 'audio', 'voice', 'animation', 'sticker', 'video_note'] as const)(
    'sends the file to any user: %s',
    async (kind) => {
      const ann = harness.group(['Ann']).Ann;
      const file = { kind, bytes: Buffer.from(`a ${kind}`), mimeType: 'application/x-thing', fileName: 'thing.bin' };
      ann.writes('/save', { replyTo: ann.sends(file) });
      const [id = ''] = idsIn(await harness.sees(ann.chatId, A_LINK));
      const bob = harness.user('Bob');
      bob.writes(`/start f_${id}`);
      const given = await harness.telegram.waitFor(() =>
        harness.telegram
          .transcript(bob.chatId)
          .find(({ message }) => message.from?.is_bot && message[kind] !== undefined),
      );
      const { bytes } = harness.telegram.readFile(given.message[kind]?.file_id ?? '');
      expect(bytes.toString()).toBe(`a ${kind}`);
      expect(harness.lines(bob.chatId)).toHaveLength(2);
    },
  );

  test('sends photos', async () => {
    const ann = harness.user('Ann');
    ann.sends({ caption: '/save' });
    const [id = ''] = idsIn(await harness.sees(ann.chatId, A_LINK));
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.shows(bob.chatId, [`Bob: /start f_${id}`, 'Bot: (photo) ']);
  });

  test.each(['f_', 'f_short', `f_${'a'.repeat(22)}`, `f_${'ä'.repeat(22)}`])(
    'without a file is answered with an error: %s',
    async (payload) => {
      const bob = harness.user('Bob');
      bob.writes(`/start ${payload}`);
      await harness.sees(bob.chatId, GONE);
    },
  );

  test('to an expired file is answered with an error', async () => {
    const { id } = await upload({ telegram: await sendDocument(), expiresAt: new Date(Date.now() - 1000) });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, GONE);
  });

  test('counts downloads', async () => {
    const { id } = await upload({ telegram: await sendDocument(), maxDownloads: 1 });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, '');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, GONE);
  });

  test('asks for the password, and again after a wrong one', async () => {
    const { id } = await upload({ telegram: await sendDocument(), password: 'open sesame' });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, 'shared.pdf needs a password. Send it to me.');
    bob.writes('open barley');
    await harness.sees(bob.chatId, 'Wrong password. Try again.');
    bob.writes('open sesame');
    await harness.telegram.waitFor(() => harness.lines(bob.chatId).includes('Bot: (shared.pdf) '), 100_000);
    expect(harness.models.requests).toHaveLength(0);
    const kept = JSON.stringify(await harness.db.select().from(dialogs));
    expect(`${kept}${harness.log.join('\n')}`).not.toMatch(/barley|sesame/);
  });

  test('limits wrong passwords', async () => {
    const { id } = await upload({ telegram: await sendDocument(), password: 'open sesame' });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, /needs a password/);
    for (let tries = 1; tries <= 10; tries++) {
      bob.writes(`guess ${tries}`);
      const isRefused = () =>
        harness.lines(bob.chatId).filter((line) => line.includes('Wrong password')).length >= tries;
      await harness.telegram.waitFor(isRefused, 100_000);
    }
    bob.writes('open sesame');
    await harness.sees(bob.chatId, /^Too many wrong passwords\. Try again in 1\d minutes\.$/);
  });

  test('falls back to the web link when Telegram no longer has the file', async () => {
    const { id } = await upload({ telegram: { fileId: 'of-another-bot', kind: 'document' } });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, `shared.pdf\n${CLOUD_URL}/file/${id}`);
  });

  test('keeps the only download when Telegram refuses the file, and says so while it runs', async () => {
    const telegram: TelegramFile = { fileId: 'of-another-bot', kind: 'document' };
    const { id } = await upload({ telegram, maxDownloads: 1 });
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, `shared.pdf\n${CLOUD_URL}/file/${id}`);
    const download = await harness.storage.beginDownload(id);
    if (typeof download !== 'object') throw new Error('the download was used up');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, /are running\. Try again in a minute/);
    await download.release();
    expect((await harness.storage.find(id))?.downloadsLeft).toBe(1);
  });

  test.each([').', '_', '>,', '\u200b', '**'])('is recognized with %j behind it', async (end) => {
    const { id } = await upload({});
    const ann = harness.user('Ann');
    ann.writes(`/delete ${CLOUD_URL}/file/${id}${end}`);
    await harness.sees(ann.chatId, /owner key/i);
  });

  test('to a file uploaded over HTTP answers with its web link', async () => {
    const { id } = await upload({});
    const bob = harness.user('Bob');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, `shared.pdf\n${CLOUD_URL}/file/${id}`);
  });

  test('to a file that existed only in Telegram and is lost is answered with an error', async () => {
    const person = await harness.accounts.ensureTelegramUser(harness.user('Ann').id);
    const { id } = await harness.storage.storeTelegramFile({
      name: 'large.iso',
      mediaType: undefined,
      userId: person.id,
      sizeBytes: 1e9,
      telegram: { fileId: 'lost', kind: 'document' },
    });
    const bob = harness.user('Борис', 'ru');
    bob.writes(`/start f_${id}`);
    await harness.sees(bob.chatId, /^Telegram больше не отдаёт мне этот файл/);
  });

  test('does not change the usual /start', async () => {
    const bob = harness.user('Bob');
    bob.writes('/start');
    await harness.sees(bob.chatId, /^Hi! Write me a message/);
  });
});
