import { z } from 'zod';
import type { Interactions } from '../../core/interactions/index.ts';
import { createId } from '../../lib/ids.ts';
import type { SaveOrder } from './save-order.ts';
import { sentFile } from './sent-file.ts';

/** What is known of an order that nobody has answered. Kept as JSON: fields that are added later must be optional. */
const unansweredSave = z.object({
  personId: z.number(),
  topicId: z.number().optional(),
  files: z.array(sentFile),
  replyTo: z.number(),
  /** The message that showed how it went. */
  statusMessageId: z.number().optional(),
  /** Parts of an album are noted as they come, and answered together. */
  albumId: z.string().optional(),
  /** The bot that was asked: its name stands in links. */
  me: z.object({ username: z.string(), supports_inline_queries: z.boolean() }).optional(),
});

/** An order that a crash has cut short. */
export type UnansweredSave = z.infer<typeof unansweredSave> & {
  /** To be called when the person has been told. */
  readonly end: () => Promise<void>;
};

/** The note of an order that is at work. */
export interface SaveNote {
  noteStatusMessage(messageId: number): Promise<void>;
  /** The person sees what came of it. */
  end(): Promise<void>;
}

/** An order that a crash can't lose. */
export interface NotedOrder extends SaveOrder {
  /** Not empty; of an album one for each part. */
  readonly notes: readonly SaveNote[];
}

/** Orders to keep files, from the moment when they are taken until they are answered: in the database, so that a crash loses none. */
export interface SaveJournal {
  /** Notes an order before anybody counts on it. */
  begin(order: SaveOrder, albumId?: string): Promise<SaveNote>;
  /** Orders of a chat that were at work when another process died, by the messages that they answer. */
  listUnanswered(chatId: number): Promise<readonly UnansweredSave[]>;
}

export function createSaveJournal({ interactions }: { readonly interactions: Interactions }): SaveJournal {
  /** Those of this process are no business of its recovery. */
  const ownKeys = new Set<string>();

  return {
    async begin({ viewer, place, files, replyTo, statusMessageId }, albumId) {
      const key = `${toPrefix(place.chatId)}${createId('')}`;
      const { username, supports_inline_queries } = viewer.me;
      const me = { username, supports_inline_queries };
      const save = { personId: viewer.person.id, topicId: place.topicId, files, replyTo, albumId, me };
      ownKeys.add(key);
      try {
        await interactions.writeDialog(key, { ...save, statusMessageId });
      } catch (error) {
        ownKeys.delete(key);
        throw error;
      }
      return {
        noteStatusMessage: (messageId) => interactions.writeDialog(key, { ...save, statusMessageId: messageId }),
        async end() {
          await interactions.deleteDialog(key);
          ownKeys.delete(key);
        },
      };
    },
    async listUnanswered(chatId) {
      const notes = await interactions.listDialogs(toPrefix(chatId));
      const unanswered = notes.flatMap(({ key, state }) => {
        const save = unansweredSave.safeParse(state).data;
        return save && !ownKeys.has(key) ? [{ ...save, end: () => interactions.deleteDialog(key) }] : [];
      });
      return unanswered.toSorted((left, right) => left.replyTo - right.replyTo);
    },
  };
}

function toPrefix(chatId: number): string {
  return `saving:${chatId}:`;
}
