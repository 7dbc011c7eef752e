import type { Provider } from '../../../src/core/models/index.ts';
import type { RecentLog } from '../../../src/lib/log/recent-log.ts';
import { MODEL } from '../harness/http.ts';
import type { ConsoleService, SignedInUser } from '../harness/http-users.ts';
import { talk } from '../harness/library.ts';

/** Texts that are dangerous as HTML, as links, for the direction of the text, and for the width of a page. */
export const HOSTILE_TEXTS = [
  '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>',
  `'><svg onload=ran=1> <a href="javascript:ran=1">a</a> [b](javascript:ran=1) ![c](http://evil.example/c.png)`,
  '\u202Egnp.exe \u2066\u2066 {{constructor.constructor("ran=1")()}}',
  'W'.repeat(4000),
] as const;
/** Models that a host could have. */
export const HOSTILE_MODELS = HOSTILE_TEXTS.map((text) => `vendor/${text.replaceAll(/[/\p{C}]/gu, '').slice(0, 180)}`);
const LONG_WORD = 'W'.repeat(300);
/** An answer whose Markdown has dangerous links, long words and deep nesting. */
export const HOSTILE_MARKDOWN = [
  '[a](javascript:ran=1) [b](JaVaScRiPt:ran=1) [c](&#106;avascript:ran=1) [d](java\\script:ran=1) [e](data:text/html,x)',
  '[f](vbscript:ran=1) [g](<java\tscript:ran=1>) <javascript:ran=1> ![h](javascript:ran=1) [i][evil] ![j][evil] [k](//x)',
  '[evil]: javascript:ran=1',
  '[l](https://example.org "x" onmouseover=ran=1") ![m](https://example.org/"onerror=ran=1)',
  '<script>ran=1</script>',
  'Inline <img src=x onerror=ran=1> <a href="javascript:ran=1">x</a>',
  `# ${LONG_WORD}`,
  `###### ${LONG_WORD}`,
  `> ${LONG_WORD}`,
  `- ${LONG_WORD}\n- [ ] ${LONG_WORD}`,
  `**${LONG_WORD}** _${LONG_WORD}_ ~~${LONG_WORD}~~ \`${LONG_WORD}\` https://example.org/${LONG_WORD} $${LONG_WORD}$`,
  `[^${LONG_WORD}]\n\n[^${LONG_WORD}]: ${LONG_WORD}`,
  `| ${LONG_WORD} | b |\n| - | - |\n| ${LONG_WORD} | c |`,
  `\`\`\`\n${LONG_WORD}\n\`\`\``,
  `999999999. ${LONG_WORD}`,
  `${'> '.repeat(16)}deep`,
  Array.from({ length: 60 }, (_, level) => `${'  '.repeat(level)}- level`).join('\n'),
].join('\n\n');

/** A file that is a page with a script if a browser opens it as its media type says. */
export const HOSTILE_FILES: readonly (readonly [extension: string, type: string, body: string])[] = [
  ['html', 'text/html', '<!doctype html><p>opened<script>ran=localStorage.length</script>'],
  ['svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="ran=1"><script>ran=1</script></svg>'],
  ['xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><script>ran=1</script></html>'],
  ['xml', 'text/xml', '<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>ran=1</h:script></x>'],
  ['js', 'text/javascript', 'window.ran=1'],
  ['png', 'image/png', '<!doctype html><script>ran=1</script>'],
];

/** Plans with hostile names. */
export const HOSTILE_PLANS = Object.fromEntries(
  HOSTILE_TEXTS.map((text) => [text.slice(0, 300), { user: { requestsPerMinute: 100 } }]),
);

/** A provider with a hostile name. */
export const HOSTILE_PROVIDER: Provider = {
  name: `${HOSTILE_TEXTS[0]}${'w'.repeat(100)}`,
  chat: undefined,
  image: undefined,
  acceptsAnyModel: false,
  weight: 1,
  listModels: async () => [],
  close: async () => {},
};

/** Adds errors with the texts to the log. */
export function logHostileTexts(log: RecentLog): void {
  for (const text of HOSTILE_TEXTS) {
    const err = { type: text.slice(0, 300), message: text };
    const facts = { [text.slice(0, 100)]: text.slice(0, 500) };
    log.add(JSON.stringify({ level: 50, time: '2026-11-24T05:00:00.000Z', ...facts, err, msg: text }).concat('\n'));
  }
}

/** Stores the texts wherever a user, an admin and a client can. `user` ends up banned. */
export async function storeHostileTexts(service: ConsoleService, admin: SignedInUser, user: SignedInUser) {
  const must = async (who: SignedInUser, method: string, path: string, body: object) => {
    const answer = await who.send(method, path, body);
    if (answer.status > 299) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { telegram_id: chatId } = (await admin.send('GET', '/api/me')).body;
  const { telegram_id: bannedId } = (await user.send('GET', '/api/me')).body;
  for (const who of [admin, user]) await must(who, 'PATCH', '/api/me/settings', { system_prompt: toPrompt() });
  for (const text of HOSTILE_TEXTS) {
    const { id } = await talk(service.conversations, { userId: admin.userId, chatId, question: text + text });
    await must(admin, 'PATCH', `/api/me/conversations/${id}`, { title: text.slice(0, 60) });
    await must(admin, 'POST', '/api/me/memories', { text: text.slice(0, 300) });
    const models = [text.replaceAll(/\p{C}/gu, '').slice(0, 200)];
    const key = { label: text.slice(0, 64), note: text.slice(0, 500), allowed_models: models };
    for (const who of [admin, user]) await must(who, 'POST', '/api/me/keys', key);
    await service.tasks.create({ userId: admin.userId }, toTask(text.slice(0, 2000)));
    await service.sessions.begin(admin.userId, { origin: 'link', userAgent: text });
    for (const file of HOSTILE_FILES.slice(0, 2)) await upload(service, admin, text.slice(0, 200), file);
  }
  for (const model of [MODEL, ...HOSTILE_MODELS]) {
    await must(admin, 'PATCH', '/api/me/settings', { model });
    for (const who of [admin, user]) await ask(service, who, model);
  }
  const setting = { value: HOSTILE_MODELS[0], untested: true };
  await must(admin, 'PUT', '/api/settings/variable:DEFAULT_MODEL', setting);
  await service.writtenDown();
  for (const [index, name] of HOSTILE_TEXTS.entries())
    await service.accessRequests.ask({ telegramId: 7_000_000 + index, name, language: 'en' });
  const manager = { userId: admin.userId, telegramId: chatId, keyId: undefined };
  const banned = { telegramId: bannedId, manager, check: () => {} };
  for (const text of HOSTILE_TEXTS) {
    await service.management.changeAccess(banned, { isBanned: false, reason: text.slice(0, 500) });
    await service.management.changeAccess(banned, { isBanned: true, reason: text.slice(0, 500) });
  }
}

/** Uploads a file in the console. @returns its link */
export async function upload(
  service: ConsoleService,
  { token }: SignedInUser,
  name: string,
  [extension, type, body]: readonly [string, string, string],
): Promise<string> {
  const response = await fetch(`${service.url}/api/me/files?name=${encodeURIComponent(`${name}.${extension}`)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
  });
  const { url } = (await response.json()) as { readonly url: string };
  return url;
}

/** Causes usage of a model. */
async function ask(service: ConsoleService, { userId }: SignedInUser, model: string): Promise<void> {
  const key = await service.apiKeys.create(userId, 'once');
  const headers = { authorization: `Bearer ${key?.secret}` };
  const body = { model, messages: [{ role: 'user', content: 'Hi' }] };
  const { status } = await service.post('/ai/openai/chat/completions', body, { headers });
  if (status !== 200) throw new Error(`${model}: ${status}`);
  await service.apiKeys.revoke(userId, key?.key.id ?? 0);
}

function toTask(prompt: string) {
  const times = { kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-11-24T08:00', timeZone: 'UTC' } as const;
  return { kind: 'question', prompt, times, quietWhenNothingNew: false } as const;
}

function toPrompt(): string {
  return HOSTILE_TEXTS.join(' ').slice(0, 4000);
}
