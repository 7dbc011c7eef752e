import { expect, test } from 'vitest';
import { eventually } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { findChildren, isAlive } from '../support/machine/child-processes.ts';
import { SLOW_HTML, WIDE_TABLES } from '../support/samples/documents.ts';
import { EXHAUSTIVE, startBeforeAll } from '../support/vitest/tiers.ts';

const stage = startBeforeAll(() => startServiceHarness());

const findReaders = () => findChildren(stage.service.pid, 'read-document.');
const sends = (file: { readonly fileName: string; readonly mimeType: string; readonly bytes: Buffer }) =>
  stage.telegram.control.sendFile(stage.chatId, { kind: 'document', caption: 'What is it?', ...file });
const SLOW = { fileName: 'slow.html', mimeType: 'text/html', bytes: SLOW_HTML };

test('a document that declares a billion columns does not end the service', async () => {
  for (const file of WIDE_TABLES) sends(file);
  await eventually(() => stage.provider.chatRequests.length === WIDE_TABLES.length || undefined);
  expect((await stage.service.get('/healthz')).status).toBe(200);
});

test(
  'kill -9 while a document is read ends its reader, and the document is read again only after Retry',
  EXHAUSTIVE,
  async () => {
    const asked = stage.provider.chatRequests.length;
    sends(SLOW);
    const [reader = 0] = await eventually(async () => {
      const found = await findReaders();
      return found.length > 0 ? found : undefined;
    });
    await stage.service.kill();
    await eventually(() => !isAlive(reader) || undefined);
    await stage.start();
    await stage.says('slow.html is too complex for me to read. Try sending it as a PDF or as plain text.');
    expect(await findReaders()).toEqual([]);
    expect(stage.provider.chatRequests).toHaveLength(asked);
    expect(stage.labels().at(-1)).toBe('Retry');

    const { message } = stage.telegram.control.transcript(stage.chatId).at(-1) ?? {};
    stage.telegram.control.pressButton(stage.chatId, message?.message_id ?? 0, { row: 0, column: 0 });
    await eventually(async () => ((await findReaders()).length > 0 ? true : undefined));
    stage.writes('/stop');
    await eventually(async () => ((await findReaders()).length === 0 ? true : undefined));
  },
);

test('a stop while a document is read leaves no child process', EXHAUSTIVE, async () => {
  sends(SLOW);
  const [reader = 0] = await eventually(async () => {
    const found = await findReaders();
    return found.length > 0 ? found : undefined;
  });
  await stage.service.stop();
  expect(isAlive(reader)).toBe(false);
});
