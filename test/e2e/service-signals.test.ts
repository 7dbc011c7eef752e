import { describe, expect, onTestFinished, test } from 'vitest';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { createWorkFolder, openPlaygroundChat, startService } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { EXHAUSTIVE, startBeforeAll } from '../support/vitest/tiers.ts';

const wordsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`);
/** Less than the eight seconds that answers get at shutdown. */
const AT_ONCE_MS = 6000;
const words = (count: number) => answerHello({ pieces: wordsUpTo(count).map((word) => `${word} `), everyMs: 250 });

describe('SIGTERM', () => {
  const stage = startBeforeAll(() =>
    startServiceHarness({ settings: { UNIVERSAL_API_KEY: 'sk-sb-key-of-this-suite' } }),
  );

  /** Starts an HTTP stream and a reply in the chat. @returns the text of the HTTP response when it has ended. */
  const beginAnswers = async (): Promise<() => Promise<string>> => {
    const saidBefore = stage.said().length;
    stage.writes('Tell me');
    const answer = await stage.service.post('/ai/openai/chat/completions', {
      model: 'fake-model',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
    const text = answer.text().catch(String);
    await expect.poll(() => stage.said()[saidBefore]).toContain('word1');
    return () => text;
  };

  test('lets answers finish that need a few more seconds', async () => {
    stage.provider.behaveUsually(words(16));
    const httpAnswer = await beginAnswers();
    const { code, durationMs } = await stage.service.stop();
    expect(code).toBe(0);
    expect(durationMs).toBeLessThan(15_000);
    expect(await httpAnswer()).toMatch(/word15 .*\[DONE\]\n\n$/s);
    expect(stage.said()).toEqual([wordsUpTo(16).join(' ')]);
    expect(stage.labels()).toEqual([]);
  });

  test('interrupts answers that need longer, with a notice', EXHAUSTIVE, async () => {
    await stage.start();
    stage.provider.behaveUsually(words(240));
    const httpAnswer = await beginAnswers();
    const { code, durationMs } = await stage.service.stop();
    expect(code).toBe(0);
    expect(durationMs).toBeLessThan(25_000);
    const text = await httpAnswer();
    expect(text).toContain('data: {"error":');
    expect(text).not.toContain('[DONE]');
    const [half, explanation] = stage.said().slice(-2);
    expect(half).toMatch(/^word0 word1 .*word\d+$/);
    expect(explanation).toContain('I restarted in the middle of this answer.');
    expect(stage.labels()).toEqual(['Retry']);
  });

  test('ends the process at once when it is sent twice', async () => {
    await stage.start();
    stage.provider.behaveUsually(words(240));
    await beginAnswers();
    stage.service.signal('SIGTERM');
    const status = async () => (await stage.service.get('/healthz').catch(() => undefined))?.status;
    await expect.poll(status).not.toBe(200);
    const { code, durationMs } = await stage.service.stop();
    expect(code).toBe(1);
    expect(durationMs).toBeLessThan(AT_ONCE_MS);
  });
});

test('the playground ends at once, even with open pages', async () => {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  const service = await startService(folder.path);
  onTestFinished(async () => void (await service.kill()));
  const person = await openPlaygroundChat(service);
  onTestFinished(() => person.leaves());
  if (findChromium() !== undefined) {
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`${service.url}/playground`);
    await page.locator('#chat-list .chat').first().waitFor();
  }
  await service.isReady();
  service.signal('SIGINT');
  const { code, durationMs } = await service.ended();
  expect(code).toBe(0);
  expect(durationMs).toBeLessThan(AT_ONCE_MS);
});
