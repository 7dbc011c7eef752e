import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { BUILT_CONSOLE, isBuilt } from '../../lib/layout.ts';
import { MARK_URL } from '../../texts/mark.ts';
import { toEntityTag } from '../resources/entity-tag.ts';
import type { BundledFile } from './bundle-console.ts';

/** A file of the console, in the encodings that browsers accept. */
export interface ConsoleFile {
  readonly type: string;
  readonly encodings: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;
}

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;
const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/**
 * Loads the files of the console by name, and what prints its page.
 * @param mode of the page, for its script.
 */
export async function loadConsole(mode: 'bot' | 'playground') {
  // esbuild is loaded only where there are sources.
  const bundled = isBuilt ? await readBuilt() : await (await import('./bundle-console.ts')).bundleConsole();
  const names = bundled.map(({ name }) => name);
  const files = await Promise.all(bundled.map(async (file) => [file.name, await toFile(file)] as const));
  return {
    files: new Map(files),
    /** @param botUsername of the bot that sends links for signing in. */
    printPage(botUsername: string | undefined) {
      const page = toPage(mode, botUsername, names);
      return { page, tag: toEntityTag(page) };
    },
  };
}

async function readBuilt(): Promise<readonly BundledFile[]> {
  const names = await readdir(BUILT_CONSOLE);
  return Promise.all(names.map(async (name) => ({ name, contents: await readFile(new URL(name, BUILT_CONSOLE)) })));
}

async function toFile({ name, contents }: BundledFile): Promise<ConsoleFile> {
  // Sent to all browsers without a copy.
  const identity = Buffer.from(contents);
  const [br, zipped] = await Promise.all([compressions.br(identity), compressions.gzip(identity)]);
  return { type: name.endsWith('.js') ? TYPES.js : TYPES.css, encodings: { br, gzip: zipped, identity } };
}

/** Files that the script imports dynamically are not in the page. */
function toPage(mode: string, botUsername: string | undefined, names: readonly string[]): string {
  const links = names.flatMap((name) => {
    if (name.endsWith('.css')) return `<link rel="stylesheet" href="${name}">`;
    if (name.startsWith('main-')) return `<script type="module" src="${name}"></script>`;
    return name.startsWith('chunk-') ? `<link rel="modulepreload" href="${name}">` : [];
  });
  // Telegram's usernames are letters, digits and underscores.
  const bot = botUsername !== undefined && /^\w+$/.test(botUsername) ? ` data-bot="${botUsername}"` : '';
  return `<!doctype html>
<html lang="en" data-mode="${mode}"${bot}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard</title>
<link rel="icon" href="${MARK_URL}">
${links.join('\n')}
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`;
}
