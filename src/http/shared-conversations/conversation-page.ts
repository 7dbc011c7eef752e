import type { SharedMessage, SharedPage } from '../../core/shared-conversations/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { ProcessError } from '../../lib/process/run-in-process.ts';
import { type TelegramAddress, toStartLink } from '../../lib/start-link.ts';
import { type Html, html } from '../pages/html.ts';
import { STYLE, toDocument, toPageHeaders } from '../pages/page-shell.ts';
import { renderAnswers } from './render-answers.ts';

const PAGE_STYLE = `${STYLE}
  main { max-width: 50rem }
  header { margin-bottom: 1.5rem }
  header p { margin: 0 0 1rem; color: var(--dim) }
  nav { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center }
  nav .button { width: auto }
  article { margin: 0 0 1rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 15px; overflow-wrap: anywhere }
  article.question { margin-left: clamp(0rem, 8vw, 6rem); background: light-dark(#e6f1fb, #1b3048) }
  article h2 { margin: 0 0 .5rem; color: var(--dim); font-size: .875rem; font-weight: 600 }
  article :is(h3, h4, h5, h6) { margin: 1.25rem 0 .5rem; line-height: 1.3 }
  article h3 { font-size: 1.2rem }
  article h4 { font-size: 1.1rem }
  article :is(p, ul, ol, blockquote, .scrolling) { margin: 0 0 .75rem }
  article > :last-child { margin-bottom: 0 }
  .plain { white-space: pre-wrap }
  .note { color: var(--dim); font-size: .875rem }
  .scrolling { display: block; overflow-x: auto }
  pre { margin: 0; border-radius: 8px; padding: .75rem 1rem; background: var(--page); overflow-wrap: normal; width: max-content; min-width: 100%; tab-size: 4 }
  code { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace }
  :not(pre) > code { padding: .1em .3em; background: var(--page); border-radius: 5px }
  blockquote { padding-left: 1rem; border-left: 3px solid var(--line) }
  table { border-collapse: collapse; overflow-wrap: normal }
  th, td { padding: .35rem .75rem; border: 1px solid var(--line); text-align: start }
  .align-center { text-align: center }
  .align-right { text-align: right }
  .align-left { text-align: left }
  ul.contains-task-list { padding-left: 1rem; list-style: none }
  math { font-size: 1.15em }
  math[display=block] { margin: .5rem 0 }
  .pictures { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 .75rem }
  .pictures img { display: block; max-width: 100%; max-height: 60vh; border-radius: 8px }
  .sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  .footnotes { padding: 0; border: 0; background: none; font-size: .875rem }
`;

/** Headers of the page. Cached copies are revalidated each time, because a page can be deleted. */
export const CONVERSATION_HEADERS = { ...toPageHeaders(PAGE_STYLE), 'cache-control': 'private, no-cache' };

const TOO_COMPLEX =
  'The formatting of this conversation is too complex to display. All messages are shown as plain text.';
const EXCERPT_CHARACTERS = 160;
/** Source characters used for the excerpt; an answer that begins with more markup gets a shorter one. */
const EXCERPT_SOURCE_CHARACTERS = 2000;

export interface RenderingOptions extends TelegramAddress {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Renders the page of a shared conversation. Answers that take too much time or memory to render are shown as plain
 * text.
 * @throws the signal's reason; the system's error if no process can be started.
 */
export async function renderConversationPage(page: SharedPage, options: RenderingOptions): Promise<string> {
  const { messages } = page.conversation;
  const answers = messages.flatMap(({ role, content: markdown }, index) =>
    role === 'user' ? [] : [{ index, scope: `m${index}`, markdown }],
  );
  const rendered = await renderAnswers(answers, options).catch((error: unknown) => {
    if (!(error instanceof ProcessError)) throw error;
    const facts = { fileId: page.file.id, problem: error.problem, cause: error.cause };
    options.logger.warn(facts, 'a shared conversation could not be rendered and is shown as plain text');
    return undefined;
  });
  const contents = new Map(rendered?.map((markup, position) => [answers[position]?.index, markup]));
  const articles = messages.map((message, index) =>
    toArticle(message, contents.get(index) ?? toPlain(message.content)),
  );
  const hint = rendered ? undefined : html`<p class="note">${TOO_COMPLEX}</p>\n`;
  const main = html`${toHeader(page, options)}\n${hint}${articles}`;
  return toDocument({ title: page.title, style: PAGE_STYLE, head: toPreviewFacts(page), main });
}

/** Returns the meta tags for link previews. */
function toPreviewFacts({ title, conversation }: SharedPage): Html {
  const words = conversation.messages.find(({ role }) => role === 'assistant')?.content ?? '';
  const line = [
    ...words
      .slice(0, EXCERPT_SOURCE_CHARACTERS)
      .replaceAll(/\]\([^)]{0,200}\)|[`*_#>|[\]]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ];
  const excerpt = line.length > EXCERPT_CHARACTERS ? `${line.slice(0, EXCERPT_CHARACTERS).join('')}…` : line.join('');
  return html`<meta name="robots" content="noindex">
<meta property="og:type" content="article">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${excerpt}">
<meta property="og:site_name" content="Switchboard">
`;
}

function toHeader({ file, conversation, title }: SharedPage, telegram: TelegramAddress): Html {
  const { messages, botUsername, isComplete } = conversation;
  const continuation = toStartLink(telegram, { username: botUsername }, 'page', file.id);
  const time = file.createdAt.toISOString();
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return html`<header>
<h1><bdi>${title}</bdi></h1>
<p>A shared conversation with AI, ${isComplete ? count : `the last ${count}`}, <time datetime="${time}">${time.slice(0, 10)}</time></p>
<nav aria-label="This conversation">
<a class="button" href="${continuation}" rel="noopener">Continue in Telegram</a>
<a href="/share/${file.id}/conversation.md" download>Markdown</a>
<a href="/share/${file.id}/conversation.json" download>JSON</a>
</nav>
</header>`;
}

function toPlain(content: string): Html | undefined {
  return content === '' ? undefined : html`<p class="plain">${content}</p>`;
}

function toArticle({ role, model, pictures = [], omittedCount = 0 }: SharedMessage, words: Html | undefined): Html {
  const isQuestion = role === 'user';
  const images = pictures.map((dataUrl) => html`<img src="${dataUrl}" alt="Image in this message">`);
  const omitted = omittedCount === 1 ? 'A file in this message is not shown.' : `${omittedCount} files are not shown.`;
  return html`<article class="${isQuestion ? 'question' : 'answer'}" dir="auto">
<h2>${isQuestion ? 'Question' : (model ?? 'Answer')}</h2>
${images.length > 0 ? html`<div class="pictures">${images}</div>\n` : undefined}${words}
${omittedCount > 0 ? html`<p class="note">${omitted}</p>\n` : undefined}</article>
`;
}
