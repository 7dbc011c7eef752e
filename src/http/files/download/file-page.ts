import type { FastifyReply } from 'fastify';
import type { PasswordVerdict, Storage, StoredFile } from '../../../core/storage/index.ts';
import { type Html, html } from '../../pages/html.ts';
import { FILE_PAGE_HEADERS, toCardPage } from '../../pages/page-shell.ts';
import { decodePreview, findPreviewKind } from '../media-types.ts';
import { toSeconds } from './file-password.ts';

/** Sends the page of a file. */
export async function sendFilePage(
  file: StoredFile,
  reply: FastifyReply,
  deps: { readonly storage: Storage; readonly signal: AbortSignal; readonly cloudUrl: () => string },
): Promise<FastifyReply> {
  const isText = canPreview(file) && findPreviewKind(file.mediaType) === 'text';
  // The page is useful without a preview.
  const excerpt = isText ? await readExcerpt(file, deps).catch(() => undefined) : undefined;
  return sendPage(reply, 200, toFilePage(file, deps.cloudUrl(), excerpt));
}

/** Reason why a password was refused. */
export type PasswordRefusal = Exclude<PasswordVerdict, 'right'>;

/**
 * Sends the password page. Not with 401, since browsers would then show a login dialog.
 * @param refusal result of the previous try, if any.
 */
export function sendPasswordPage(file: StoredFile, reply: FastifyReply, refusal?: PasswordRefusal): FastifyReply {
  if (typeof refusal === 'object') reply.header('retry-after', toSeconds(refusal));
  const status = refusal === undefined ? 200 : refusal === 'wrong' ? 403 : 429;
  return sendPage(reply, status, toPasswordPage(file, refusal));
}

/** Sends a 404 page. */
export function sendMissingPage(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 404, toMissingPage());
}

function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).headers(FILE_PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
}

const EXCERPT_BYTES = 64 * 1024;

/** Beginning of a text file. */
export interface TextExcerpt {
  readonly text: string;
  /** True if the file is longer. */
  readonly isCut: boolean;
}

async function readExcerpt(
  file: StoredFile,
  { storage, signal }: { readonly storage: Storage; readonly signal: AbortSignal },
): Promise<TextExcerpt> {
  const sizeBytes = Math.min(file.sizeBytes, EXCERPT_BYTES);
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(file.id, { start: 0, end: sizeBytes - 1 }, signal)) chunks.push(chunk);
  const isCut = file.sizeBytes > sizeBytes;
  return { text: decodePreview(Buffer.concat(chunks), file.mediaType, { isCut }), isCut };
}

/**
 * Returns the page of a file: its facts, a preview if its type is harmless, and a download link.
 * @param cloudUrl base URL of links, for the programs that show a preview of the page.
 * @param excerpt beginning of a file previewed as text, undefined for none.
 */
function toFilePage(file: StoredFile, cloudUrl: string, excerpt: TextExcerpt | undefined): string {
  const facts: readonly (readonly [string, Html] | undefined)[] = [
    ['Size', html`${formatBytes(file.sizeBytes)}`],
    ['Type', html`${file.mediaType}`],
    ['Uploaded', toTime(file.createdAt)],
    file.expiresAt && ['Expires', toTime(file.expiresAt)],
    file.downloadsLeft === undefined ? undefined : ['Downloads left', html`${file.downloadsLeft}`],
  ];
  const rows = facts.flatMap((fact) => (fact ? [html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>\n`] : []));
  return toCardPage(
    file.name,
    html`<h1><bdi>${file.name}</bdi></h1>
<dl>
${rows}</dl>
${toDownload(file)}
${toPreview(file, excerpt)}`,
    toSocialTags(file, cloudUrl),
  );
}

/** Returns Open Graph tags, which chat apps show as a preview. */
function toSocialTags(file: StoredFile, cloudUrl: string): Html {
  const image = hasImagePreview(file)
    ? html`<meta property="og:image" content="${cloudUrl}${toBytesPath(file)}">\n`
    : undefined;
  return html`<meta property="og:title" content="${file.name}">
<meta property="og:description" content="${formatBytes(file.sizeBytes)}">
${image}`;
}

/** Larger images get no preview. */
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

function hasImagePreview(file: StoredFile): boolean {
  return canPreview(file) && findPreviewKind(file.mediaType) === 'image' && file.sizeBytes <= MAX_IMAGE_BYTES;
}

/** Returns the page that asks for a file's password and reveals nothing else about the file. */
function toPasswordPage(file: StoredFile, refusal: PasswordRefusal | undefined): string {
  return toCardPage('A file with a password', html`<h1>Password required</h1>\n${toPasswordForm(file, refusal)}`);
}

/** Returns the page for missing files. */
function toMissingPage(): string {
  return toCardPage(
    'No such file',
    html`<h1>There is no such file</h1>
<p>It may have been deleted, expired or reached its download limit, or the link is incomplete.</p>`,
  );
}

function toDownload(file: StoredFile): Html {
  if (file.hasPassword) return toPasswordForm(file, undefined);
  return html`<a class="button" href="${toBytesPath(file)}?download">Download</a>`;
}

/** Returns the password form. Its response is the file itself, so no cookie is needed. */
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

/** Returns the preview. Files with a download limit or a password have none. */
function toPreview(file: StoredFile, excerpt: TextExcerpt | undefined): Html | undefined {
  if (!canPreview(file)) return undefined;
  const path = toBytesPath(file);
  switch (findPreviewKind(file.mediaType)) {
    case 'image':
      if (!hasImagePreview(file)) return undefined;
      return html`<figure class="preview"><img src="${path}" alt="Preview of the image"></figure>`;
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
  // HTML drops a line break directly after the tag.
  const caption = isCut ? html`<figcaption>Only the beginning of the file is shown.</figcaption>` : undefined;
  return html`<figure class="preview"><pre tabindex="0" role="region" aria-label="Beginning of the file" dir="auto">\n${text}</pre>${caption}</figure>`;
}

/** Returns true if a preview needs neither a password nor one of the file's limited downloads. */
function canPreview(file: StoredFile): boolean {
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
