import type { ReplyStreamOptions } from '../../../src/bot/reply-stream/reply-stream.ts';
import { ReplyStream } from '../../../src/bot/reply-stream/reply-stream.ts';
import type { ReplyTarget } from '../../../src/bot/reply-stream/reply-transport.ts';
import { paginateMarkdown } from '../../../src/telegram/markdown/index.ts';
import { createTelegramClient } from '../../../src/telegram/telegram-client.ts';
import { createScriptedTelegram, type ShownMessage } from '../hosts/scripted-telegram.ts';
import { createFakeClock } from '../machine/fake-clock.ts';
import { createRecordingLogger } from './foundation.ts';

/** Returns the expected pages of finished Markdown. */
export function paginate(markdown: string, maxUnits?: number): { text: string; entities: readonly unknown[] }[] {
  const pages = paginateMarkdown(markdown, maxUnits === undefined ? {} : { maxUnits });
  return pages.map(({ text, entities }) => ({ text, entities }));
}

/** Returns texts and entities of a transcript, without data that only the server has. */
export function contentOf(messages: readonly ShownMessage[]): { text: string; entities: readonly unknown[] }[] {
  return messages.map(({ text, entities }) => ({ text, entities }));
}

/** Creates a scripted Telegram, a client and a fake clock, so that replies take no real time. */
export function createReplyHarness(options: { readonly latencyMs?: number } = {}) {
  const clock = createFakeClock();
  const telegram = createScriptedTelegram({ clock, latencyMs: options.latencyMs ?? 30 });
  const { logger, lines } = createRecordingLogger();
  const client = createTelegramClient({ token: '1:test', clock, logger }, { fetch: telegram.fetch });
  const startedAt = clock.now();
  return {
    clock,
    telegram,
    client,
    lines,
    now: () => clock.now() - startedAt,
    stream: (target: Partial<ReplyTarget> = {}, streamOptions: ReplyStreamOptions = {}) =>
      new ReplyStream({ client, clock, logger }, { chatId: 7, isPrivate: true, ...target }, streamOptions),
    /** Advances the clock until the promise has settled, by at most `limitMs`. */
    async settle<T>(promise: Promise<T>, limitMs = 8 * 60 * 60_000): Promise<T> {
      let isSettled = false;
      const watched = promise.finally(() => {
        isSettled = true;
      });
      watched.catch(() => undefined);
      await clock.advance(0);
      for (let passedMs = 0; !isSettled && passedMs < limitMs; passedMs += 500) await clock.advance(500);
      if (!isSettled) throw new Error(`still not settled after ${limitMs} ms`);
      return watched;
    },
    calls: (method?: string) => telegram.calls.filter((call) => method === undefined || call.method === method),
  };
}
