import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { callbackActions, dialogs } from '../../database/schema/index.ts';
import { toStorableJson } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import { ChatLeases } from '../inbox/index.ts';

/** The user that buttons are for, and the message that contains them. */
export interface ButtonTarget {
  readonly userId: number;
  /** Telegram id of the chat; undefined for inline and guest messages. */
  readonly chatId: number | undefined;
  /** Id of the inline or guest message, if known. */
  readonly inlineMessageId?: string | undefined;
}

/** A stored callback action. */
export interface StoredAction extends ButtonTarget {
  readonly action: unknown;
}

/** Pending interactions of users: buttons and open dialogs. */
export type Interactions = ReturnType<typeof createInteractions>;

const DAY_MS = 86_400_000;
const DEFAULT_TTL_MS = 30 * DAY_MS;
const SWEEP_EVERY_MS = 3_600_000;

interface InteractionsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Fences the dialogs. Default: no other process takes over chats. */
  readonly chatLeases?: ChatLeases;
}

export function createInteractions({ db, clock, chatLeases = new ChatLeases() }: InteractionsDeps) {
  let sweptAt = clock.now();

  /** Called when buttons are added, so that no timer is needed. */
  const sweep = async () => {
    if (clock.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.now();
    const now = new Date(clock.now());
    await db.delete(callbackActions).where(lt(callbackActions.expiresAt, now));
    await db.delete(dialogs).where(lt(dialogs.expiresAt, now));
  };

  return {
    /**
     * Stores the callback actions of some buttons.
     * @param ttlMs how long they can be pressed; default 30 days.
     * @returns an opaque token of at most 40 ASCII characters for each action, in order.
     */
    async storeActions(
      { userId, chatId, inlineMessageId }: ButtonTarget,
      offered: readonly unknown[],
      ttlMs = DEFAULT_TTL_MS,
    ): Promise<readonly string[]> {
      if (offered.length === 0) return [];
      await sweep();
      const expiresAt = new Date(clock.now() + ttlMs);
      const rows = offered.map((action) => ({
        token: createId(),
        userId,
        chatId,
        inlineMessageId,
        expiresAt,
        action: asJsonb(action),
      }));
      await db.insert(callbackActions).values(rows);
      return rows.map((row) => row.token);
    },
    /**
     * Returns undefined for unknown and expired tokens. `chatId` is undefined for inline and guest messages, and for rows
     * stored by old versions.
     */
    async findAction(token: string): Promise<StoredAction | undefined> {
      const [row] = await db
        .select()
        .from(callbackActions)
        .where(and(eq(callbackActions.token, token), gt(callbackActions.expiresAt, new Date(clock.now()))));
      if (!row) return undefined;
      const { userId, chatId, inlineMessageId, action } = row;
      return { userId, chatId: chatId ?? undefined, inlineMessageId: inlineMessageId ?? undefined, action };
    },
    /**
     * Binds a button to the inline or guest message in which it is pressed first.
     * @returns false if it belongs to another message, or to a chat.
     */
    async bindAction(token: string, inlineMessageId: string): Promise<boolean> {
      const isFree = or(isNull(callbackActions.inlineMessageId), eq(callbackActions.inlineMessageId, inlineMessageId));
      const bound = await db
        .update(callbackActions)
        .set({ inlineMessageId })
        .where(and(eq(callbackActions.token, token), isNull(callbackActions.chatId), isFree))
        .returning({ token: callbackActions.token });
      return bound.length > 0;
    },
    /** Returns the state of a dialog as written; undefined if there is none. */
    async readDialog(key: string): Promise<unknown> {
      const [row] = await db.select({ state: dialogs.state }).from(dialogs).where(eq(dialogs.key, key));
      return row?.state;
    },
    /**
     * Stores the state of a dialog.
     * @param ttlMs minimum lifetime; the dialog is deleted some time after it. Default: until deleted.
     * @throws ChatLostError
     */
    async writeDialog(key: string, state: unknown, ttlMs?: number): Promise<void> {
      const now = clock.now();
      const expiresAt = ttlMs === undefined ? null : new Date(now + ttlMs);
      const set = { state: asJsonb(state), updatedAt: new Date(now), expiresAt };
      await chatLeases.fence(db, (tx) =>
        tx
          .insert(dialogs)
          .values({ key, ...set })
          .onConflictDoUpdate({ target: dialogs.key, set }),
      );
    },
    /** @throws ChatLostError */
    async deleteDialog(key: string): Promise<void> {
      await chatLeases.fence(db, (tx) => tx.delete(dialogs).where(eq(dialogs.key, key)));
    },
    /** Returns all dialogs whose keys start with a prefix. */
    listDialogs: (prefix: string): Promise<readonly { readonly key: string; readonly state: unknown }[]> =>
      db
        .select({ key: dialogs.key, state: dialogs.state })
        .from(dialogs)
        .where(sql`starts_with(${dialogs.key}, ${prefix})`),
  };
}

/** Passes JSON as text with a cast on the server, so that both drivers store strings and null alike. */
function asJsonb(value: unknown) {
  return sql`${toStorableJson(value)}::jsonb`;
}
