import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { OPENAI, withRulesOf } from '../support/hosts/chat-rules.ts';
import { answerHello, streamDeltas } from '../support/hosts/fake-provider.ts';
import { MCP_KEY, startMcpServer } from '../support/hosts/mcp-server.ts';
import { type ProviderUnderTest, startProviderUnderTest } from '../support/hosts/provider-under-test.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';

/** An MCP tool whose schema is only `{"type": "object"}`, in the bot before a host with OpenAI's rules. */
let harness: BotHarness;
let openai: ProviderUnderTest;
let server: Awaited<ReturnType<typeof startMcpServer>>;

beforeAll(async () => {
  openai = await startProviderUnderTest();
  openai.host.behaveUsually(withRulesOf(OPENAI, answerHello()));
  server = await startMcpServer({
    addTools: (mcp) => {
      mcp.server.setRequestHandler('tools/list', async () => ({
        tools: [{ name: 'clock', description: 'Tells the time', inputSchema: { type: 'object' } }],
      }));
      mcp.server.setRequestHandler('tools/call', async () => ({ content: [{ type: 'text', text: 'It is noon.' }] }));
    },
  });
  const reach = { kind: 'http', url: server.url, headers: { authorization: `Bearer ${MCP_KEY}` } } as const;
  harness = await createBotHarness({
    models: [createModelEntry('fake-model')],
    tools: { builtIn: [], sources: [{ kind: 'mcp', name: 'desk', reach, only: undefined, secrets: [], ask: false }] },
  });
  harness.models.chat.stream = (request, signal) => openai.provider.chat.stream(request, signal);
});
afterAll(async () => {
  await harness.close();
  await openai.close();
  await server.close();
});

test('an MCP tool without arguments is called by a model of OpenAI', async () => {
  const call = { index: 0, id: 'call_0', type: 'function', function: { name: 'clock', arguments: '' } };
  openai.host.behave(
    withRulesOf(OPENAI, streamDeltas([{ tool_calls: [call] }], 'tool_calls')),
    withRulesOf(OPENAI, answerHello({ pieces: ['Noon.'] })),
  );
  const ann = harness.user('Ann');
  ann.writes('What time is it?');
  await expect.poll(() => harness.lines(ann.chatId).at(-1)).toBe('Bot: Noon.');
  const [asked, answered] = openai.host.chatRequests.map(({ body }) => body);
  expect(asked?.['tools']).toMatchObject([
    { function: { name: 'clock', parameters: { type: 'object', properties: {} } } },
  ]);
  const result = { role: 'tool', tool_call_id: 'call_0', content: expect.stringContaining('It is noon.') };
  expect(answered?.['messages']).toContainEqual(result);
});
