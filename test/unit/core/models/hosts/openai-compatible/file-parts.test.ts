import { afterEach, describe, expect, it } from 'vitest';
import { findPreset } from '../../../../../../src/core/models/hosts/settings/presets.ts';
import type { ChatRequest, ContentPart } from '../../../../../../src/core/models/index.ts';
import { systemClock } from '../../../../../../src/lib/clock.ts';
import type { Download } from '../../../../../../src/lib/http/public-fetch.ts';
import { toChatRequest } from '../../../../../../src/protocols/openai-chat/read-request.ts';
import {
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

const PDF = Buffer.from('%PDF-1.4 …');
const PDF_URL = `data:application/pdf;base64,${PDF.toString('base64')}`;
const NATIVE_PART = { type: 'file', file: { filename: 'a.pdf', file_data: PDF_URL } };

let under: ProviderUnderTest;
const start = async (config: Parameters<typeof startProviderUnderTest>[0] = {}, download?: Download) => {
  under = await startProviderUnderTest(config, systemClock, download);
};
afterEach(() => under.close());

const toRequest = (part: ContentPart): ChatRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Sum it up' }, part] }],
});
/** Returns the last part that the host has received. */
const send = async (request: ChatRequest): Promise<unknown> => {
  await under.provider.chat.complete(request, noAbort());
  const body = under.host.chatRequests.at(-1)?.body as { messages: { content: unknown[] }[] };
  return body.messages[0]?.content.at(-1);
};

describe('a PDF file in chat completions', () => {
  it('is a part with its name and its bytes', async () => {
    await start();
    expect(await send(toRequest({ type: 'file', url: PDF_URL, name: 'a.pdf' }))).toEqual(NATIVE_PART);
    expect(await send(toRequest({ type: 'file', url: PDF_URL }))).toMatchObject({ file: { filename: 'document.pdf' } });
  });

  it('is downloaded if another dialect has sent its address, because OpenAI accepts none', async () => {
    const addresses: string[] = [];
    await start({}, async (url) => {
      addresses.push(url);
      return PDF;
    });
    expect(await send(toRequest({ type: 'file', url: 'https://example.org/a.pdf', name: 'a.pdf' }))).toEqual(
      NATIVE_PART,
    );
    expect(addresses).toEqual(['https://example.org/a.pdf']);
  });

  it.each([
    [
      'is something else',
      async () => Buffer.from('<html>'),
      "'messages' must have only PDF as files at web addresses.",
    ],
    [
      'can not be downloaded',
      () => Promise.reject(new Error('status 404')),
      "'messages' has an image or file that could not be downloaded: status 404.",
    ],
  ])('is refused if what is at its address %s', async (_, download, message) => {
    await start({}, download);
    const refusal = { name: 'UntranslatableError', status: 400, details: { message, param: 'messages' } };
    await expect(send(toRequest({ type: 'file', url: 'https://example.org/a' }))).rejects.toMatchObject(refusal);
    expect(under.host.chatRequests).toHaveLength(0);
  });

  it('is never downloaded from the network of the service', async () => {
    await start();
    const request = toRequest({ type: 'file', url: `${under.host.baseUrl}/models` });
    await expect(send(request)).rejects.toMatchObject({
      details: { message: expect.stringContaining('the address is not on the public internet') },
    });
    expect(under.host.requests).toHaveLength(0);
  });

  it('is sent to Google in the part that it accepts, in whatever dialect it came', async () => {
    await start({ pdfPart: findPreset('google')?.pdfPart });
    const asImage = { type: 'image_url', image_url: { url: PDF_URL } };
    expect(await send(toRequest({ type: 'file', url: PDF_URL, name: 'a.pdf' }))).toEqual(asImage);
    const native = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', own: 1 }, NATIVE_PART] }] };
    expect(await send(toChatRequest('m', native))).toEqual(asImage);
    expect(under.host.chatRequests.at(-1)?.body).toMatchObject({
      messages: [{ content: [{ type: 'text', text: 'x', own: 1 }, asImage] }],
    });
    const text = { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } };
    expect(await send(toChatRequest('m', { messages: [{ role: 'user', content: [text] }] }))).toEqual(text);
  });
});
