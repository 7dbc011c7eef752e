import type { PasswordVerdict, StoredFile } from '../../core/storage/index.ts';
import { type Html, html } from '../html.ts';
import { toPage } from '../page-shell.ts';
import { findPreviewKind } from './media-types.ts';

/** The beginning of a text file. */
export interface TextExcerpt {
  readonly text: string;
  /** Whether there is more of it. */
  readonly isCut: boolean;
}

/** Larger pictures are not loaded only because somebody looks at the page. */
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/**
 * The page about a file: what it is, a preview where its type is harmless, and a way to save it.
 * @param excerpt of a file that is shown as text; undefined shows none.
 */
export function toFilePage(file: StoredFile, excerpt: TextExcerpt | undefined): string {
  const facts: readonly (readonly [string, Html] | undefined)[] = [
    ['Size', html`${formatBytes(file.sizeBytes)}`],
    ['Type', html`${file.mediaType}`],
    ['Uploaded', toTime(file.createdAt)],
    file.expiresAt && ['Expires', toTime(file.expiresAt)],
    file.downloadsLeft === undefined ? undefined : ['Downloads left', html`${file.downloadsLeft}`],
  ];
  const rows = facts.flatMap((fact) => (fact ? [html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>\n`] : []));
  return toPage(
    file.name,
    html`<h1><bdi>${file.name}</bdi></h1>
<dl>
${rows}</dl>
${toDownload(file)}
${toPreview(file, excerpt)}`,
  );
}

/** Why a try was in vain. */
export type PasswordRefusal = Exclude<PasswordVerdict, 'right'>;

/** The page that asks for the password of a file, and tells nothing else of it. */
export function toPasswordPage(file: StoredFile, refusal: PasswordRefusal | undefined): string {
  return toPage('A file with a password', html`<h1>Password required</h1>\n${toPasswordForm(file, refusal)}`);
}

/** The page for files that are not there. */
export function toMissingPage(): string {
  return toPage(
    'No such file',
    html`<h1>There is no such file</h1>
<p>It may have been deleted, expired or reached its download limit, or the link is incomplete.</p>`,
  );
}

function toDownload(file: StoredFile): Html {
  if (file.hasPassword) return toPasswordForm(file, undefined);
  return html`<a class="button" href="${toBytesPath(file)}?download">Download</a>`;
}

/** The form gets the bytes: no cookie has to remember who knows the password. */
function toPasswordForm(file: StoredFile, refusal: PasswordRefusal | undefined): Html {
  const words = refusal && describeRefusal(refusal);
  const error = words === undefined ? undefined : html`<p class="error" id="error" role="alert">${words}</p>\n`;
  const described = words !== undefined ? html` aria-invalid="true" aria-describedby="error"` : undefined;
  return html`${error}<form method="post" action="/file/${file.id}">
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="256" required autocomplete="off"${described}>
<button class="button">Download</button>
</form>`;
}

function describeRefusal(refusal: PasswordRefusal): string {
  if (refusal === 'wrong') return 'Wrong password.';
  const minutes = Math.ceil(refusal.retryAfterMs / 60_000);
  return `Too many wrong passwords. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

/** Files that count their downloads, or have a password, are not fetched for a preview. */
function toPreview(file: StoredFile, excerpt: TextExcerpt | undefined): Html | undefined {
  if (!canPreview(file)) return undefined;
  const path = toBytesPath(file);
  switch (findPreviewKind(file.mediaType)) {
    case 'image':
      if (file.sizeBytes > MAX_IMAGE_BYTES) return undefined;
      return html`<figure class="preview"><img src="${path}" alt="Preview of the picture"></figure>`;
    case 'audio':
      return html`<figure class="preview"><audio src="${path}" controls preload="metadata"></audio></figure>`;
    case 'video':
      return html`<figure class="preview"><video src="${path}" controls playsinline preload="metadata"></video></figure>`;
    case 'text':
      return excerpt && toTextPreview(excerpt);
    case undefined:
      return undefined;
  }
}

function toTextPreview({ text, isCut }: TextExcerpt): Html {
  // A line end right after the tag would be swallowed.
  const caption = isCut ? html`<figcaption>Only the beginning is shown.</figcaption>` : undefined;
  return html`<figure class="preview"><pre tabindex="0" role="region" aria-label="Beginning of the file" dir="auto">\n${text}</pre>${caption}</figure>`;
}

/** Whether looking at a file costs nothing: neither one of its downloads nor a password. */
export function canPreview(file: StoredFile): boolean {
  return file.sizeBytes > 0 && !file.hasPassword && file.downloadsLeft === undefined;
}

function toBytesPath(file: StoredFile): string {
  return `/file/${file.id}/${encodeURIComponent(file.name.toWellFormed())}`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

function toTime(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${TIME.format(date)} UTC</time>`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

function formatBytes(sizeBytes: number): string {
  const exact = `${sizeBytes.toLocaleString('en')} ${sizeBytes === 1 ? 'byte' : 'bytes'}`;
  if (sizeBytes < 1024) return exact;
  const power = Math.min(UNITS.length, Math.floor(Math.log2(sizeBytes) / 10));
  return `${(sizeBytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]} (${exact})`;
}
