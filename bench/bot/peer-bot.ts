/**
 * Typical grammY bots, for comparison. Runs as a separate process: `node peer-bot.ts KIND`, settings in the
 * environment.
 *
 * - `edits`: a placeholder, then one edit per second, then the whole text; `@grammyjs/auto-retry` retries failures.
 * - `drafts`: `@grammyjs/stream` as documented, with `@grammyjs/auto-retry`.
 * - `webhook`: accepts updates at a port and drops them.
 *
 * More favourable than typical bots: answers do not block later updates, and calls have a timeout of 30 s.
 */
import { createServer } from 'node:http';
import { autoRetry } from '@grammyjs/auto-retry';
import { type StreamFlavor, stream } from '@grammyjs/stream';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Bot, type Context, webhookCallback } from 'grammy';

type PeerContext = StreamFlavor<Context>;

const EDIT_EVERY_MS = 1000;
const CALL_TIMEOUT_S = 30;

const [kind = ''] = process.argv.slice(2);
const setting = (name: string) => process.env[name] ?? '';
const bot = new Bot<PeerContext>(setting('BOT_TOKEN'), {
  client: { apiRoot: setting('TELEGRAM_API_ROOT'), timeoutSeconds: CALL_TIMEOUT_S },
});
bot.api.config.use(autoRetry());
bot.use(stream());
bot.catch(() => {});
if (kind === 'webhook') await listen();
else {
  const reply = kind === 'drafts' ? replyByDrafts : replyByEdits;
  bot.on('message:text', (ctx) => void reply(ctx).catch(() => {}));
  await bot.start({ onStart: () => void process.stdout.write('the bot listens\n') });
}

async function replyByEdits(ctx: PeerContext): Promise<void> {
  const message = await ctx.reply('…');
  let text = '';
  let shownText = text;
  let shownAt = Date.now();
  const show = async () => {
    shownText = text;
    await ctx.api.editMessageText(message.chat.id, message.message_id, text);
    shownAt = Date.now();
  };
  for await (const words of askModel(ctx.msg?.text ?? '')) {
    text += words;
    if (Date.now() - shownAt >= EDIT_EVERY_MS) await show();
  }
  if (text !== shownText) await show();
}

async function replyByDrafts(ctx: PeerContext): Promise<void> {
  await ctx.replyWithStream(askModel(ctx.msg?.text ?? ''));
}

async function* askModel(question: string): AsyncGenerator<string, void> {
  const response = await fetch(`${setting('OPENAI_BASE_URL')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: question }] }),
  });
  const events = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events ?? []) {
    if (data === '[DONE]') return;
    const words: unknown = JSON.parse(data).choices[0].delta.content;
    if (typeof words === 'string') yield words;
  }
}

async function listen(): Promise<void> {
  await bot.init();
  const take = webhookCallback(bot, 'http', { secretToken: setting('WEBHOOK_SECRET') });
  const server = createServer((request, response) => void take(request, response));
  server.listen(Number(setting('PORT')), '127.0.0.1', () => process.stdout.write('the bot listens\n'));
}
