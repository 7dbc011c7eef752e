import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import type { FakeRequest } from '../support/hosts/fake-provider.ts';
import {
  type ProviderUnderTest,
  startAnthropicUnderTest,
  startBedrockUnderTest,
  startProviderUnderTest,
} from '../support/hosts/provider-under-test.ts';

/** Clients of each dialect in front of a host of each protocol. */
let service: HttpService;
const hosts: Record<string, ProviderUnderTest> = {};
const models = (id: string) => ({ name: id, models: [{ id, type: 'chat' as const }] });

beforeAll(async () => {
  hosts['claude'] = await startAnthropicUnderTest(models('claude'));
  hosts['nova'] = await startBedrockUnderTest(models('nova'));
  hosts['gemini'] = await startProviderUnderTest({ ...models('gemini'), pdfPart: 'image_url' });
  service = await startHttpService({ imageProviders: Object.values(hosts).map(({ provider }) => provider) });
});
afterAll(async () => {
  await service.close();
  for (const host of Object.values(hosts)) await host.close();
});

const DATA = Buffer.from('%PDF-1.4').toString('base64');
const URL = `data:application/pdf;base64,${DATA}`;
const QUESTION = 'Sum it up';

const CHAT_MESSAGES = [
  {
    role: 'user',
    content: [
      { type: 'file', file: { filename: 'a.pdf', file_data: URL } },
      { type: 'text', text: QUESTION },
    ],
  },
];
/** Requests with the same PDF and the same question. */
const DIALECTS: Readonly<Record<string, readonly [path: string, toBody: (model: string) => JsonObject]>> = {
  'chat completions': ['/ai/openai/chat/completions', (model) => ({ model, messages: CHAT_MESSAGES })],
  'the native API': ['/ai/v2', (model) => ({ model, request: { messages: CHAT_MESSAGES } })],
  responses: [
    '/ai/openai/responses',
    (model) => ({
      ...{ model, store: false },
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_file', filename: 'a.pdf', file_data: URL },
            { type: 'input_text', text: QUESTION },
          ],
        },
      ],
    }),
  ],
  messages: [
    '/ai/anthropic/messages',
    (model) => ({
      ...{ model, max_tokens: 100 },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: DATA } },
            { type: 'text', text: QUESTION },
          ],
        },
      ],
    }),
  ],
};
/** The PDF in the protocol of each host. */
const PARTS: Readonly<Record<string, JsonObject>> = {
  [MODEL]: { type: 'file', file: { filename: 'a.pdf', file_data: URL } },
  gemini: { type: 'image_url', image_url: { url: URL } },
  claude: { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: DATA } },
  nova: { document: { format: 'pdf', source: { bytes: DATA } } },
};

const lastRequest = (model: string): FakeRequest | undefined =>
  (hosts[model]?.host ?? service.provider).chatRequests.at(-1);

describe.each(Object.entries(DIALECTS))('a PDF file in %s', (_, [path, toBody]) => {
  test.each(Object.entries(PARTS))('reaches %s in the form that its host knows', async (model, part) => {
    const response = await service.post(path, toBody(model));
    expect(response.status, await response.text()).toBe(200);
    expect(lastRequest(model)?.body).toMatchObject({
      messages: [{ role: 'user', content: [part, { text: QUESTION }] }],
    });
  });
});

test('a stored file is refused by name, because there are none here', async () => {
  const content = [{ type: 'file', file: { file_id: 'file-1' } }];
  const response = await service.post('/ai/openai/chat/completions', {
    ...{ model: 'claude', messages: [{ role: 'user', content }] },
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param: 'messages[0].content[0]' } });
});
