import { createHash } from 'node:crypto';
import { MARK_URL } from '../../texts/mark.ts';
import { type Html, html } from './html.ts';

/** Base style of pages. */
export const STYLE = `
  :root {
    color-scheme: light dark;
    font: 1rem/1.5 system-ui, sans-serif;
    --page: light-dark(#f4f4f5, #0e1621);
    --card: light-dark(#fff, #17212b);
    --text: light-dark(#0f1317, #f3f6f8);
    --dim: light-dark(#5b6166, #9fb0bf);
    --line: light-dark(#dfe1e5, #2b3947);
    --accent: light-dark(#1468b8, #1f6ab0);
    --link: light-dark(#1468b8, #8cc6f8);
    --danger: light-dark(#b3261e, #ff8f88);
  }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--page); color: var(--text) }
  main { max-width: 44rem; margin: 0 auto; padding: clamp(1rem, 6vh, 4rem) 1rem }
  section { background: var(--card); border: 1px solid var(--line); border-radius: 15px; padding: 1.5rem }
  h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1.5rem }
  dt { color: var(--dim) }
  dd { margin: 0; overflow-wrap: anywhere }
  .preview { margin: 1.5rem 0 0 }
  .preview img, .preview video { display: block; max-width: 100%; max-height: 70vh; margin: 0 auto; border-radius: 8px }
  .preview audio { display: block; width: 100% }
  .preview pre {
    max-height: 60vh; margin: 0; padding: 1rem; overflow: auto; background: var(--page); border-radius: 8px;
    font: .875rem/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4
  }
  figcaption { margin-top: .5rem; color: var(--dim); font-size: .875rem }
  a { color: var(--link) }
  .button {
    display: block; width: 100%; padding: .75rem 1.25rem; border: 0; border-radius: 10px; background: var(--accent);
    color: #fff; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer
  }
  .button:hover { filter: brightness(1.08) }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 3px }
  label { display: block; margin-bottom: .25rem }
  input {
    width: 100%; margin-bottom: 1rem; padding: .7rem .8rem; border: 1px solid var(--dim); border-radius: 10px;
    background: var(--page); color: inherit; font: inherit
  }
  .error { margin: 0 0 1rem; color: var(--danger) }
  footer { margin-top: 1rem; color: var(--dim); font-size: .875rem; text-align: center }
  footer img { vertical-align: text-bottom }
`;

/**
 * Returns security headers: no scripts; audio and video only from this service, images also from `data:`
 * addresses.
 * @param style the complete style of the page.
 */
export function toPageHeaders(style: string) {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self' data:; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  };
}

/** Headers of the file pages. */
export const FILE_PAGE_HEADERS = {
  ...toPageHeaders(STYLE),
  'cache-control': 'no-store',
  vary: 'accept, sec-fetch-dest, user-agent, authorization, x-password',
};

/** Returns an HTML document with one card; `head` is inserted after the title. */
export function toCardPage(title: string, card: Html, head?: Html): string {
  return toDocument({ title, style: STYLE, ...(head && { head }), main: html`<section>\n${card}\n</section>` });
}

/** Returns an HTML document; `head` is inserted after the title. */
export function toDocument({ title, style, head, main }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}<link rel="icon" href="${MARK_URL}">
<style>${{ markup: style }}</style>
</head>
<body>
<main>
${main}
<footer><img src="${MARK_URL}" alt="" width="20" height="20"> Switchboard</footer>
</main>
</body>
</html>
`.markup;
}

interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly head?: Html;
  readonly main: Html;
}
