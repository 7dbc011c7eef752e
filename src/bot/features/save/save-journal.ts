import { z } from 'zod';
import type { ChatTopic } from '../../../core/conversations/index.ts';
import { type SentFile, sentFile } from '../../inputs/sent-file.ts';
import { renameFormerFields } from '../../kit/actions.ts';
import type { BotServices } from '../../kit/services.ts';
import type { FileViewer } from '../files/views.ts';

/** Request to save files: one, or those of an album. */
export interface SaveRequest {
  /** Update that contains the request. */
  readonly updateId: number;
  readonly viewer: FileViewer;
  readonly chatTopic: ChatTopic;
  /** Topic in which "sending a file" is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  /** Owner keys are shown in private chats only. */
  readonly isPrivate: boolean;
  /** Not empty. */
  readonly files: readonly SentFile[];
  /** Message that the answer replies to. */
  readonly replyTo: number;
  /** Message of the bot that becomes the answer; undefined sends a new one. */
  readonly statusMessageId: number | undefined;
}

/** Record of an unanswered save. Stored as JSON: fields that are added later must be optional. */
const unansweredSave = z.object({
  userId: z.number(),
  topicId: z.number().optional(),
  files: z.array(sentFile),
  replyTo: z.number(),
  /** Status message. */
  statusMessageId: z.number().optional(),
  /** Parts of an album are recorded separately and answered together. */
  albumId: z.string().optional(),
  /** Bot that received the files; its username is part of links. */
  me: z.object({ username: z.string(), supports_inline_queries: z.boolean() }).optional(),
});

/** Save that a crash has interrupted. */
export type UnansweredSave = z.infer<typeof unansweredSave> & {
  /** Called when the user has got the answer. */
  readonly end: () => Promise<void>;
};

/** Record of a running save. */
interface SaveRecord {
  setStatusMessage(messageId: number): Promise<void>;
  /** The user has got the answer. */
  end(): Promise<void>;
}

/** Save that is recorded in the database. */
export interface StoredSaveRequest extends SaveRequest {
  /** Not empty; for an album, one for each part. */
  readonly records: readonly SaveRecord[];
}

/**
 * Journal of saves in the database, from their start to their answer, so that a crash loses none. Answered ones are
 * kept while Telegram may redeliver their updates.
 */
export type SaveJournal = ReturnType<typeof createSaveJournal>;

const ANSWERED = 'answered';
/** Older updates are not redelivered: Telegram keeps them for 24 hours. */
const ANSWERED_TTL_MS = 25 * 3_600_000;

export function createSaveJournal({ interactions }: BotServices) {
  /** Keys of saves that this process answers, which recovery must skip. */
  const ownKeys = new Set<string>();

  return {
    /**
     * Records a save before it starts, and takes over the record of a crashed process.
     * @returns undefined if the update is a duplicate: its save is running or answered.
     */
    async begin(save: SaveRequest, albumId?: string): Promise<StoredSaveRequest | undefined> {
      const { viewer, chatTopic, replyTo } = save;
      const key = `${toPrefix(chatTopic.chatId)}${save.updateId}.`;
      const storedEntry = await interactions.readDialog(key);
      if (storedEntry === ANSWERED || ownKeys.has(key)) return undefined;
      const { files, statusMessageId = save.statusMessageId } =
        unansweredSave.safeParse(renameFormerFields(storedEntry)).data ?? save;
      const { username, supports_inline_queries } = viewer.me;
      const me = { username, supports_inline_queries };
      const fields = { userId: viewer.user.id, topicId: chatTopic.topicId, files, replyTo, albumId, me };
      ownKeys.add(key);
      try {
        await interactions.writeDialog(key, { ...fields, statusMessageId });
      } catch (error) {
        ownKeys.delete(key);
        throw error;
      }
      const record: SaveRecord = {
        setStatusMessage: (messageId) => interactions.writeDialog(key, { ...fields, statusMessageId: messageId }),
        async end() {
          await interactions.writeDialog(key, ANSWERED, ANSWERED_TTL_MS);
          ownKeys.delete(key);
        },
      };
      return { ...save, files, statusMessageId, records: [record] };
    },
    /** Returns the saves of a chat that another process has left unanswered, ordered by the messages that they answer. */
    async listUnanswered(chatId: number): Promise<readonly UnansweredSave[]> {
      const records = await interactions.listDialogs(toPrefix(chatId));
      const unanswered = records.flatMap(({ key, state }) => {
        const save = unansweredSave.safeParse(renameFormerFields(state)).data;
        return save && !ownKeys.has(key)
          ? [{ ...save, end: () => interactions.writeDialog(key, ANSWERED, ANSWERED_TTL_MS) }]
          : [];
      });
      return unanswered.toSorted((left, right) => left.replyTo - right.replyTo);
    },
    /** Leaves the saves of a chat to the process that has taken it over. */
    abandon(chatId: number): void {
      for (const key of ownKeys) if (key.startsWith(toPrefix(chatId))) ownKeys.delete(key);
    },
  };
}

/**
 * Returns the prefix of keys. The update id and a dot follow, because keys that end in a number are dialogs of that
 * user.
 */
function toPrefix(chatId: number): string {
  return `saving:${chatId}:`;
}
