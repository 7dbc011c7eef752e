import { z } from 'zod';

const picture = z.string().regex(/^data:image\/webp;base64,[A-Za-z0-9+/=]+$/);

const sharedMessage = z.object({
  role: z.enum(['user', 'assistant']),
  /** Public name of the model that wrote an answer. */
  model: z.string().optional(),
  /** Markdown as it was written; of a recording what was said in it. */
  content: z.string(),
  /** `data:` addresses of WebP files. */
  pictures: z.array(picture).optional(),
  /** Pictures and files that stood in it and are not here. */
  omittedCount: z.number().int().positive().optional(),
});

const sharedConversation = z.object({
  version: z.literal(1),
  title: z.string(),
  /** Where it can be gone on with. */
  botUsername: z.string().regex(/^\w{1,64}$/),
  /** False where only the newest messages have fitted. */
  isComplete: z.boolean(),
  messages: z.array(sharedMessage),
});

/** One message as others see it: nobody's name, no thoughts of the model, no files. */
export type SharedMessage = z.infer<typeof sharedMessage>;

/** A conversation as it was when it was shared: what the file of a page holds, as JSON. */
export type SharedConversation = z.infer<typeof sharedConversation>;

/** @throws where the bytes are no shared conversation. */
export function readSharedConversation(bytes: Buffer): SharedConversation {
  return sharedConversation.parse(JSON.parse(bytes.toString('utf8')));
}
