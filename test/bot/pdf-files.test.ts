import sharp from 'sharp';
import { afterEach, describe, expect, test } from 'vitest';
import { ProviderRejectedError } from '../../src/core/models/contract/model-errors.ts';
import type { ContentPart } from '../../src/core/models/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { findChildren } from '../support/machine/child-processes.ts';
import { writeDrawnPdf, writePdf } from '../support/samples/documents.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const READER = createModelEntry('reader', { acceptsPdf: true, acceptsImages: true, contextLength: 400_000 });
const SEEING = createModelEntry('seeing', { acceptsImages: true, contextLength: 400_000 });
const BLIND = createModelEntry('blind', { acceptsImages: false, contextLength: 400_000 });

const harness = startBeforeAll(() => createBotHarness({ models: [READER] }));
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.models.models = [READER];
});

const PDF = { kind: 'document', mimeType: 'application/pdf', fileName: 'rent.pdf' } as const;
const WORDS = 'The rent is 700 euros, to be paid on the third of each month.';
const RENT = writePdf([WORDS]);
const SCANNED = writePdf(['', '']);
const toFilePart = (bytes: Buffer, name = 'rent.pdf') => ({
  ...{ type: 'file', name },
  url: `data:application/pdf;base64,${bytes.toString('base64')}`,
});
const asText = `<document name="rent.pdf">\n[page 1]\n${WORDS}\n</document>`;

/** Returns the contents of the messages in a request, the last one by default. */
const contents = (index = -1) => (harness.models.requests.at(index)?.messages ?? []).map(({ content }) => content);
const refuse = async () => {
  throw new ProviderRejectedError('test', 400, { message: 'Invalid content part type: file', param: null, code: null });
};
const describeParts = (content: unknown) =>
  (content as readonly ContentPart[]).map((part) => (part.type === 'text' ? part.text : part.type));

/** Asks, and waits for the answer. */
async function ask(actor: ReturnType<BotHarness['user']>, question: string): Promise<void> {
  harness.models.scripts.push(`About ${question}`);
  actor.writes(question);
  await harness.sees(actor.chatId, `About ${question}`);
}

describe('a PDF with text', () => {
  test('goes as it is to a model that reads PDF files, with three later questions too, then as text', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('700 euros.');
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much?' });
    await harness.sees(ann.chatId, '700 euros.');
    const question = [toFilePart(RENT), { type: 'text', text: '[rent.pdf]\n\nHow much?' }];
    expect(contents()).toEqual([question]);
    for (const later of ['one', 'two', 'three']) {
      await ask(ann, later);
      expect(contents()[0]).toEqual(question);
    }
    await ask(ann, 'four');
    expect(contents()[0]).toBe(`${asText}\n\nHow much?`);
  });

  test('goes as text to other models', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [SEEING];
    harness.models.scripts.push('700 euros.');
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much?' });
    await harness.sees(ann.chatId, '700 euros.');
    expect(contents()).toEqual([`${asText}\n\nHow much?`]);
  });

  test('goes as it is from the storage', async () => {
    const ann = harness.user('Ann');
    const file = await keepFile(harness, ann, { name: 'rent.pdf', bytes: RENT });
    harness.models.scripts.push('700 euros.');
    ann.writes(`How much? https://files.example.org/file/${file.id}`);
    await harness.sees(ann.chatId, '700 euros.');
    expect(contents()[0]).toMatchObject([toFilePart(RENT), { type: 'text' }]);
  });

  test('goes as text if the host refuses the file', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(refuse, '700 euros.');
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much?' });
    await harness.sees(ann.chatId, '700 euros.');
    expect(contents(-2)[0]).toMatchObject([{ type: 'file' }, { type: 'text' }]);
    expect(contents()).toEqual([`${asText}\n\nHow much?`]);
    expect(harness.log.join()).toContain('the host refused a PDF file; retrying with its text');
    await harness.shows(ann.chatId, ['Ann: (rent.pdf) How much?', 'Bot: 700 euros.']);
  });

  test('of an earlier question goes as text if it can not be loaded any more', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('700 euros.');
    ann.sends({ ...PDF, bytes: RENT, caption: 'How much?' });
    await harness.sees(ann.chatId, '700 euros.');
    const description = 'wrong file_id';
    harness.telegram.injectFault({ method: 'getFile', kind: { type: 'error', status: 400, description } });
    await ask(ann, 'later');
    expect(contents()).toEqual([`${asText}\n\nHow much?`, '700 euros.', 'later']);
  });
});

describe('a scanned PDF', () => {
  test('goes as it is to a model that reads PDF files', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A letter.');
    ann.sends({ ...PDF, bytes: SCANNED, caption: 'What is it?' });
    await harness.sees(ann.chatId, 'A letter.');
    expect(contents()).toEqual([[toFilePart(SCANNED), { type: 'text', text: '[rent.pdf]\n\nWhat is it?' }]]);
  });

  test('goes as images of its pages to a model that sees, with later questions too', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [SEEING];
    harness.models.scripts.push('A letter.');
    ann.sends({ ...PDF, bytes: SCANNED, caption: 'What is it?' });
    await harness.sees(ann.chatId, 'A letter.');
    const [question] = contents();
    expect(describeParts(question)).toEqual(['[all pages of rent.pdf]', 'image', 'image', '[rent.pdf]\n\nWhat is it?']);
    const [, image] = question as readonly { readonly url: string }[];
    expect(image?.url).toMatch(/^data:image\/jpeg;base64,/);
    const bytes = Buffer.from(image?.url.split(',')[1] ?? '', 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 1212, height: 1568 });
    await ask(ann, 'Sure?');
    expect(contents()[0]).toEqual(question);
    expect(harness.lines(ann.chatId)).toHaveLength(4);
  });

  test('with the words of a scanner on its pages goes with them', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [SEEING];
    harness.models.scripts.push('A letter.');
    ann.sends({ ...PDF, bytes: writePdf(['CamScanner']), caption: 'What is it?' });
    await harness.sees(ann.chatId, 'A letter.');
    const text = '<document name="rent.pdf">\n[page 1]\nCamScanner\n</document>\n\nWhat is it?';
    expect(describeParts(contents()[0])).toEqual(['[all pages of rent.pdf]', 'image', text]);
  });

  test('with many pages is shown in part, and the user is told once', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [SEEING];
    harness.models.scripts.push('A book.');
    ann.sends({ ...PDF, bytes: writePdf(Array.from({ length: 12 }, () => '')), caption: 'What is it?' });
    await harness.sees(ann.chatId, 'A book.');
    expect(describeParts(contents()[0])[0]).toBe('[the first 10 of 12 pages of rent.pdf]');
    const notice =
      'rent.pdf has 12 scanned pages, of which the model sees the first 10. Send the others as a separate file.';
    await harness.sees(ann.chatId, notice);
    await ask(ann, 'Sure?');
    expect(harness.lines(ann.chatId).filter((line) => line.includes('scanned pages'))).toHaveLength(1);
  });

  test.each([
    ['a model that sees nothing', [BLIND], []],
    ['a host that refuses its images', [SEEING], [refuse]],
    ['a host that refuses the file', [READER], [refuse]],
  ])('is refused with a way out for %s', async (_, models, scripts) => {
    const ann = harness.user('Ann');
    harness.models.models = models;
    harness.models.scripts.push(...scripts);
    ann.sends({ ...PDF, bytes: SCANNED, caption: 'What is it?' });
    const refusal = 'rent.pdf contains scanned pages without text, which this model can’t see.';
    await harness.sees(ann.chatId, `${refusal} Choose one that can see images: /model`);
    expect(harness.log.join()).not.toContain('"level":50');
  });

  test('has a button to ask a model that sees', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [BLIND, SEEING];
    ann.sends({ ...PDF, bytes: SCANNED, caption: 'What is it?' });
    await harness.sees(ann.chatId, /contains scanned pages/);
    harness.models.scripts.push('A letter.');
    await ann.presses('Ask seeing');
    await harness.sees(ann.chatId, 'A letter.');
    expect(describeParts(contents()[0])).toContain('image');
  });

  test('whose rendering process is killed gets an error, and Retry renders it again', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [SEEING];
    ann.sends({ ...PDF, bytes: writeDrawnPdf('0 0 600 700 re f '.repeat(100_000)), caption: 'What is it?' });
    const findRenderers = () => findChildren(process.pid, 'render-pages.');
    await expect.poll(findRenderers).toHaveLength(1);
    const [renderer = 0] = await findRenderers();
    process.kill(renderer, 'SIGKILL');
    await harness.sees(ann.chatId, /^rent\.pdf is too complex for me to read/);
    await ann.presses('Retry');
    await expect.poll(findRenderers).toHaveLength(1);
    ann.writes('/stop');
    await expect.poll(findRenderers).toEqual([]);
  });
});
