import type { Clock } from '../../../lib/clock.ts';
import { HttpSizeError, HttpTimeoutError } from '../../../lib/http/http-client.ts';
import { DownloadError, ForbiddenAddressError, fetchPublic } from '../../../lib/http/public-fetch.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { createDocumentTexts, type DocumentProblem, DocumentUnreadableError } from '../../documents/index.ts';
import { type Tool, ToolError } from '../tool.ts';

export interface WebPageToolDeps {
  readonly clock: Clock;
  /** Downloads a page. Default: from public addresses only. */
  readonly download?: typeof fetchPublic | undefined;
}

const MAX_PAGE_BYTES = 3 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const MAX_ADDRESS_LENGTH = 2000;
/** A page waits in memory, so few may wait. */
const READING = { timeoutMs: 10_000, maxMemoryBytes: 256 * 1024 * 1024, atOnce: 2, maxWaiting: 20, maxWaitingOfOne: 7 };

/**
 * Creates the tool that reads a public web page as text. Internal addresses are blocked, because users control what is
 * read.
 */
export function createWebPageTool({ clock, download = fetchPublic }: WebPageToolDeps): Tool {
  const documents = createDocumentTexts({ ...READING, clock });
  return {
    name: 'read_web_page',
    description:
      'Reads a public web page or PDF and returns its text, without scripts and images. Use it when the user names an address, ' +
      'or to read what a search has found. It does not search.',
    parameters: {
      type: 'object',
      properties: { url: { type: 'string', description: 'The whole address, beginning with https:// or http://' } },
      required: ['url'],
    },
    activity: 'reading',
    describeCall: (parameters) => findAddress(parameters)?.hostname,
    permission: 'after-foreign-text',
    isReadOnly: true,
    hasForeignResults: true,
    isComputedHere: true,
    findAddress,
    async run({ url }, { userId, signal }) {
      if (typeof url !== 'string' || url.length > MAX_ADDRESS_LENGTH) throw new ToolError('the address is missing');
      try {
        const options = { maxBytes: MAX_PAGE_BYTES, timeoutMs: TIMEOUT_MS, signal, accept: ACCEPT };
        const page = await download({ clock }, url, options);
        const { text } = await documents.readPage({ userId, load: async () => page, signal });
        return text;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new ToolError(describe(error), { cause: error });
      }
    },
  };
}

/** Returns the same address that `fetchPublic` requests. */
function findAddress({ url }: JsonObject): URL | undefined {
  const isShort = typeof url === 'string' && url.length <= MAX_ADDRESS_LENGTH;
  return isShort ? (URL.parse(url) ?? undefined) : undefined;
}

const ACCEPT = 'text/html,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5';

const PROBLEMS: { readonly [problem in DocumentProblem]?: string } = {
  busy: 'too many pages are being read right now',
  damaged: 'this is not a page of text',
  encoding: 'the character encoding of the page is unknown',
  empty: 'there is no text in the page',
  'too-large': 'the page is too large',
  'too-slow': 'the page is too complex',
  'too-complex': 'the page is too complex',
};

function describe(error: unknown): string {
  if (error instanceof DocumentUnreadableError) return PROBLEMS[error.problem] ?? 'the page could not be read';
  if (error instanceof ForbiddenAddressError)
    return 'this address is not on the public web; only http and https are read';
  if (error instanceof HttpSizeError) return 'the page is too large';
  if (error instanceof HttpTimeoutError) return 'the page took too long';
  if (error instanceof DownloadError) return error.message;
  return 'the page could not be read';
}
