import { z } from 'zod';

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

/**
 * Parses the file of a shared conversation.
 * @throws if the bytes are not a shared conversation.
 */
export function readSharedConversation(bytes: Buffer): SharedConversation {
  return sharedConversation.parse(JSON.parse(bytes.toString('utf8')));
}
