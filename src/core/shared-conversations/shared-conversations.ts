import { z } from 'zod';
import { cleanName, type Storage, type StoredFile, type UploadedFile } from '../storage/index.ts';

const dataUrl = z.string().regex(/^data:image\/webp;base64,[A-Za-z0-9+/=]+$/);

const sharedMessage = z.object({
  role: z.enum(['user', 'assistant']),
  /** Public name of the model of an answer. */
  model: z.string().optional(),
  /** Markdown; for recordings the transcript. */
  content: z.string(),
  /** `data:` URLs of WebP images. */
  pictures: z.array(dataUrl).optional(),
  /** Number of attached images and files that are not included. */
  omittedCount: z.number().int().positive().optional(),
});

const sharedConversation = z.object({
  version: z.literal(1),
  title: z.string(),
  /** Bot with which the conversation can be continued. */
  botUsername: z.string().regex(/^\w{1,64}$/),
  /** False if only the newest messages fit. */
  isComplete: z.boolean(),
  messages: z.array(sharedMessage),
});

/** One message of a shared conversation: no names, no reasoning, no files. */
export type SharedMessage = z.infer<typeof sharedMessage>;

/** A snapshot of a conversation at the time of sharing: the JSON content of its file. */
export type SharedConversation = z.infer<typeof sharedConversation>;

/** A shared conversation, stored as a file of its own kind. */
export interface SharedPage {
  /** Title of the conversation, or the file's name if it was renamed. */
  readonly title: string;
  readonly file: StoredFile;
  readonly conversation: SharedConversation;
}

export interface ShareRequest {
  readonly userId: number;
  readonly title: string;
  readonly botUsername: string;
  readonly messages: readonly SharedMessage[];
}

/** Thrown if the user has the maximum number of shared conversations. */
export class TooManyPagesError extends Error {
  override readonly name = 'TooManyPagesError';
  readonly limit: number;
  constructor(limit: number) {
    super(`A user may have ${limit} shared conversations.`);
    this.limit = limit;
  }
}

const MAX_PAGES = 50;
const MAX_MESSAGES = 400;
/** Maximum length of the text: what a page can hold and a phone can display. */
const MAX_CHARACTERS = 300_000;
/** Maximum file size including images. Larger files were not created here. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const ENDING = '.json';

/** Shares and finds conversations. They are listed, expired, deleted and taken down like files. */
export function createSharedConversations({ storage }: { readonly storage: Storage }) {
  /** Counts the shared conversations of a user. */
  const count = async (userId: number): Promise<number> =>
    (await storage.list(userId, { kind: 'conversation', offset: 0, limit: 0 })).totalCount;
  return {
    count,
    /**
     * Stores a snapshot of a conversation: its newest messages, if there are too many.
     * @throws TooManyPagesError; errors of `Storage.upload`.
     */
    async share({ userId, title, botUsername, messages }: ShareRequest, signal: AbortSignal): Promise<UploadedFile> {
      if ((await count(userId)) >= MAX_PAGES) throw new TooManyPagesError(MAX_PAGES);
      const bytes = toFile({ title, botUsername, messages });
      const options = {
        kind: 'conversation',
        name: toName(title),
        mediaType: 'application/json',
        sizeBytes: bytes.length,
        userId,
      } as const;
      return storage.upload(toChunks(bytes), options, signal);
    },
    /** Returns undefined if there is no such page. `id` may be any well-formed file id. */
    async find(id: string, signal: AbortSignal): Promise<SharedPage | undefined> {
      const file = await storage.find(id);
      if (file?.kind !== 'conversation' || file.sizeBytes > MAX_FILE_BYTES) return undefined;
      const chunks = await storage.read(id, { start: 0, end: file.sizeBytes - 1 }, signal);
      const conversation = readSharedConversation(Buffer.concat(await Array.fromAsync(chunks)));
      const isRenamed = file.name !== cleanName(toName(conversation.title));
      return { file, conversation, title: isRenamed ? toPageName(file) : conversation.title };
    },
  };
}

/** Returns the file name, without characters that are not allowed in names. */
function toName(title: string): string {
  return `${title.replaceAll(/[\\/]/g, '-').replaceAll(/[<>:"|?*]/g, '')}${ENDING}`;
}

/** Returns the name of a shared conversation in lists. */
export function toPageName({ name }: Pick<StoredFile, 'name'>): string {
  return name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : name;
}

function toFile({ title, botUsername, messages: all }: Omit<ShareRequest, 'userId'>): Buffer {
  const messages = takeNewest(all);
  const isComplete = messages.length === all.length;
  const conversation: SharedConversation = { version: 1, title, botUsername, isComplete, messages: [...messages] };
  return Buffer.from(JSON.stringify(conversation, undefined, 2).toWellFormed());
}

function takeNewest(messages: readonly SharedMessage[]): readonly SharedMessage[] {
  let characters = 0;
  let bytes = 0;
  const first = messages.findLastIndex(({ content, pictures = [] }, index) => {
    characters += content.length;
    // JSON escapes a control character with six bytes.
    bytes += content.length * 6 + pictures.reduce((sum, { length }) => sum + length, 1000);
    return characters > MAX_CHARACTERS || bytes > MAX_FILE_BYTES || messages.length - index > MAX_MESSAGES;
  });
  return messages.slice(first + 1);
}

async function* toChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/**
 * Parses the file of a shared conversation.
 * @throws if the bytes are not a shared conversation.
 */
function readSharedConversation(bytes: Buffer): SharedConversation {
  return sharedConversation.parse(JSON.parse(bytes.toString('utf8')));
}
