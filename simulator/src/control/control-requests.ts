import type { MessageEntity, RichBlock } from '@grammyjs/types';
import { z } from 'zod';
import { readEntities } from '../bot-api/read-text.ts';
import { isBlockList } from '../bot-api/rich-message.ts';
import type { NewFileMessage } from '../control-protocol.ts';
import { invalid } from './control-failure.ts';

const id = z.number().int();
const text = z.string().max(100_000);
const name = z.string().trim().min(1).max(128);
const username = z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{3,31}$/);
const entities = z
  .array(z.record(z.string(), z.unknown()))
  .max(1000)
  .transform((values): MessageEntity[] => readEntities(values));

const languageCode = z.string().min(2).max(16);

const newPerson = z.object({
  firstName: name,
  lastName: name.exactOptional(),
  username: username.exactOptional(),
  languageCode: languageCode.exactOptional(),
});

const faultKind = z.discriminatedUnion('type', [
  z.object({ type: z.literal('flood'), retryAfterSeconds: z.number().positive().max(86_400) }),
  z.object({
    type: z.literal('error'),
    status: z.number().int().min(400).max(599),
    description: z.string().max(1000).exactOptional(),
    takesEffect: z.boolean().exactOptional(),
    isPage: z.boolean().exactOptional(),
  }),
  z.object({ type: z.literal('no-answer'), takesEffect: z.boolean().exactOptional() }),
  z.object({ type: z.literal('reset-before') }),
  z.object({ type: z.literal('reset-after') }),
  z.object({ type: z.literal('slow'), delayMs: z.number().nonnegative().max(600_000) }),
  z.object({ type: z.literal('garbage') }),
  z.object({
    type: z.enum(['message-vanishes', 'reply-target-vanishes', 'topic-vanishes', 'bot-blocked', 'group-upgraded']),
  }),
  z.object({ type: z.enum(['truncated', 'short', 'corrupted', 'swapped', 'whole-file']) }),
]);

/** Schemas of the request bodies in `control-protocol.ts`. */
export const REQUESTS = {
  newPerson,
  personChange: z.object({ languageCode: languageCode.exactOptional() }),
  newChat: z.object({
    type: z.enum(['private', 'group', 'supergroup', 'forum', 'channel']),
    title: name.exactOptional(),
    username: username.exactOptional(),
    memberIds: z.array(id).max(1000).exactOptional(),
    person: newPerson.exactOptional(),
    topics: z.boolean().exactOptional(),
    protectsContent: z.boolean().exactOptional(),
    botStatus: z.enum(['member', 'administrator', 'left']).exactOptional(),
  }),
  newMessage: z.object({
    from: id.exactOptional(),
    text,
    blocks: z.custom<readonly RichBlock[]>(isBlockList).exactOptional(),
    hasUncheckedBlocks: z.boolean().exactOptional(),
    entities: entities.exactOptional(),
    replyTo: id.exactOptional(),
    topicId: id.exactOptional(),
  }),
  /** Fields of a form are strings, so numbers are coerced. */
  newFile: z.object({
    from: z.coerce.number().int().exactOptional(),
    kind: z
      .enum(['photo', 'document', 'audio', 'voice', 'video', 'animation', 'video_note', 'sticker'])
      .exactOptional(),
    caption: text.exactOptional(),
    replyTo: z.coerce.number().int().exactOptional(),
    topicId: z.coerce.number().int().exactOptional(),
    mediaGroupId: z.string().max(64).exactOptional(),
    durationSeconds: z.coerce.number().int().nonnegative().exactOptional(),
  } satisfies Record<Exclude<keyof NewFileMessage, 'file'>, z.ZodType>),
  messageEdit: z.object({ text, entities: entities.exactOptional() }),
  buttonPress: z.object({
    from: id.exactOptional(),
    row: id.exactOptional(),
    column: id.exactOptional(),
    data: z.string().max(64).exactOptional(),
  }),
  reaction: z.object({ from: id.exactOptional(), emoji: z.array(z.string().max(16)).max(3) }),
  botMembership: z.object({
    action: z.enum(['block', 'unblock', 'add', 'remove', 'promote', 'demote']),
    from: id.exactOptional(),
    rights: z
      .object({
        canPostMessages: z.boolean().exactOptional(),
        canEditMessages: z.boolean().exactOptional(),
        canDeleteMessages: z.boolean().exactOptional(),
      })
      .exactOptional(),
  }),
  memberChange: z.object({ action: z.enum(['join', 'leave']), personId: id }),
  groupUpgrade: z.object({ from: id.exactOptional() }),
  topicDeletion: z.object({ chatId: id, topicId: id }),
  newTopic: z.object({ chatId: id, name, isNameImplicit: z.boolean().exactOptional(), from: id.exactOptional() }),
  inlineRequest: z.object({
    from: id,
    query: text,
    offset: z.string().max(64).exactOptional(),
    chatId: id.exactOptional(),
  }),
  inlineChoice: z.object({
    inlineQueryId: z.string().max(64),
    resultId: z.string().max(64),
    chatId: id,
    topicId: id.exactOptional(),
  }),
  botSettings: z.object({
    privacyMode: z.boolean().exactOptional(),
    inlineFeedback: z.boolean().exactOptional(),
    privateTopics: z.boolean().exactOptional(),
  }),
  fault: z.object({
    method: z.string().min(1).max(64),
    times: z.number().int().positive().max(1_000_000).exactOptional(),
    skip: z.number().int().nonnegative().max(1_000_000).exactOptional(),
    match: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
    kind: faultKind,
  }),
} as const;

/** Validates the body. @throws ControlFailure 400 naming the first invalid field. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is wrong'}`);
}
