import { z } from 'zod';
import type { Interactions } from '../../../core/interactions/index.ts';
import { sentFile } from '../../inputs/sent-file.ts';
import type { SaveOrder } from './save-order.ts';

/** What is known of an order that nobody has answered. Kept as JSON: fields that are added later must be optional. */
const unansweredSave = z.object({
  userId: z.number(),
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
  /** Another process tells what came of it. */
  leave(): void;
}

/** An order that a crash can't lose. */
export interface NotedOrder extends SaveOrder {
  /** Not empty; of an album one for each part. */
  readonly notes: readonly SaveNote[];
}

/**
 * Orders to keep files, from the moment when they are taken until they are answered: in the database, so that a crash loses none. That
 * they are answered is known for as long as their updates can come again.
 */
export interface SaveJournal {
  /**
   * Notes an order before anybody counts on it. What a dead process has left of it without anybody telling so is gone on with.
   * @returns undefined where its update has come before: it is at work or answered.
   */
  begin(order: SaveOrder, albumId?: string): Promise<NotedOrder | undefined>;
  /** Orders of a chat that were at work when another process died, by the messages that they answer. */
  listUnanswered(chatId: number): Promise<readonly UnansweredSave[]>;
}

const ANSWERED = 'answered';
/** Updates that are older can't be repeated. */
const ANSWERED_TTL_MS = 25 * 3_600_000;

export function createSaveJournal({ interactions }: { readonly interactions: Interactions }): SaveJournal {
  /** Those of this process are no business of its recovery. */
  const ownKeys = new Set<string>();

  return {
    async begin(given, albumId) {
      const { viewer, place, replyTo } = given;
      const key = `${toPrefix(place.chatId)}${given.updateId}.`;
      const known = await interactions.readDialog(key);
      if (known === ANSWERED || ownKeys.has(key)) return undefined;
      const { files, statusMessageId = given.statusMessageId } = unansweredSave.safeParse(known).data ?? given;
      const { username, supports_inline_queries } = viewer.me;
      const me = { username, supports_inline_queries };
      const save = { userId: viewer.user.id, topicId: place.topicId, files, replyTo, albumId, me };
      ownKeys.add(key);
      try {
        await interactions.writeDialog(key, { ...save, statusMessageId });
      } catch (error) {
        ownKeys.delete(key);
        throw error;
      }
      const note: SaveNote = {
        noteStatusMessage: (messageId) => interactions.writeDialog(key, { ...save, statusMessageId: messageId }),
        async end() {
          await interactions.writeDialog(key, ANSWERED, ANSWERED_TTL_MS);
          ownKeys.delete(key);
        },
        leave: () => void ownKeys.delete(key),
      };
      return { ...given, files, statusMessageId, notes: [note] };
    },
    async listUnanswered(chatId) {
      const notes = await interactions.listDialogs(toPrefix(chatId));
      const unanswered = notes.flatMap(({ key, state }) => {
        const save = unansweredSave.safeParse(state).data;
        return save && !ownKeys.has(key)
          ? [{ ...save, end: () => interactions.writeDialog(key, ANSWERED, ANSWERED_TTL_MS) }]
          : [];
      });
      return unanswered.toSorted((left, right) => left.replyTo - right.replyTo);
    },
  };
}

/** Behind it stands the update with a dot: keys that end in a number are dialogs of the person who has it. */
function toPrefix(chatId: number): string {
  return `saving:${chatId}:`;
}
