import { describe, expect, onTestFinished, test } from 'vitest';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { createWorkFolder, eventually, startService } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { EXHAUSTIVE, startBeforeAll } from '../support/vitest/tiers.ts';

const BYTES = Buffer.from('%PDF-1.7 a short one');
const CUT_SHORT = 'I restarted before the file was saved. Press Retry to continue.';

describe('kill -9 while files are saved', () => {
  const stage = startBeforeAll(() => startServiceHarness());

  const sends = (fileName: string, mediaGroupId?: string) =>
    stage.telegram.control.sendFile(stage.chatId, {
      ...{ kind: 'document', mimeType: 'application/pdf', fileName, bytes: BYTES },
      ...(mediaGroupId === undefined ? {} : { mediaGroupId }),
    });
  const pressNewest = () => {
    const { message } = stage.telegram.control.transcript(stage.chatId).at(-1) ?? {};
    stage.telegram.control.pressButton(stage.chatId, message?.message_id ?? 0, { row: 0, column: 0 });
  };
  const crash = async () => {
    await stage.service.kill();
    stage.telegram.control.clearFaults();
    await stage.start();
  };
  /** Waits for this number of links in the newest message of the bot, and checks that each leads to the bytes. */
  const expectLinks = async (count: number) => {
    const links = await eventually(() => {
      const found =
        stage
          .said()
          .at(-1)
          ?.match(/\/file\/[\w-]{22}/g) ?? [];
      return found.length === count ? found : undefined;
    });
    for (const link of links) {
      const answer = await stage.service.get(link);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(BYTES);
    }
  };

  test('is reported in the progress message, and Retry saves the file', async () => {
    stage.telegram.control.injectFault({ method: 'file', kind: { type: 'no-answer' } });
    sends('thing.pdf');
    await stage.says('Saving thing.pdf');
    // Each check asks the database, so the progress message is stored by then.
    for (let round = 0; round < 3; round += 1) await stage.service.isReady();
    await crash();
    await stage.says(CUT_SHORT);
    expect(stage.said()).toEqual([CUT_SHORT]);
    expect(stage.labels()).toEqual(['Retry']);
    pressNewest();
    await expectLinks(1);
    expect(stage.said()).toHaveLength(1);
  });

  test('loses no file of an album', EXHAUSTIVE, async () => {
    const before = stage.said().length;
    stage.telegram.control.injectFault({ method: 'file', kind: { type: 'no-answer' }, times: 9 });
    for (const name of ['one', 'two', 'three']) sends(`${name}.pdf`, 'album');
    await stage.says('Saving 3 files');
    for (let round = 0; round < 3; round += 1) await stage.service.isReady();
    await crash();
    await eventually(() => stage.said().at(-1) === CUT_SHORT || undefined);
    expect(stage.said()).toHaveLength(before + 1);
    pressNewest();
    await expectLinks(3);
  });
});

test('kill -9 in the middle of the only download does not use it up', async () => {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  const start = async () => {
    const service = await startService(folder.path, {});
    onTestFinished(async () => void (await service.kill()));
    return service;
  };
  const first = await start();
  const bytes = Buffer.alloc(60_000_000, 'content');
  const upload = await first.get('/upload/x', { method: 'PUT', body: bytes, headers: { 'x-max-downloads': '1' } });
  const { id } = (await upload.json()) as { id: string };
  const connection = await connectRaw(Number(new URL(first.url).port));
  connection.send(requestHead(`GET /file/${id}`));
  await connection.receive((text) => text.includes('\r\n\r\n'));
  connection.socket.pause();
  expect((await first.get(`/file/${id}`)).status, 'while it runs').toBe(503);
  await first.kill();
  connection.socket.destroy();

  const second = await start();
  const whole = await eventually(async () => {
    const answer = await second.get(`/file/${id}`);
    return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : undefined;
  });
  expect(whole.equals(bytes)).toBe(true);
  expect((await second.get(`/file/${id}`)).status).toBe(404);
});
