import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SettingId } from '../../core/stored-settings/index.ts';
import { HttpError } from '../../protocols/http-error.ts';
import { getSession } from '../account/authenticate-session.ts';
import { type SettingEffect, toEffect } from '../management/settings-fields.ts';
import { hideSecrets } from '../resources/hide-secrets.ts';
import { readBody } from '../resources/query.ts';
import { createRequestRate } from '../resources/request-rate.ts';
import type { HttpServices } from '../services.ts';
import { channelIdSchema, tokenSchema } from './checks.ts';
import type { SetupChecks } from './setup-checks.ts';

/** Users whose messages wait for the bot. They are not stored. */
export type WritersAnswer =
  | {
      readonly ok: true;
      /** Newest first. */
      readonly writers: readonly { readonly id: number; readonly name: string; readonly username: string | null }[];
    }
  | { readonly ok: false; readonly message: string };

/** The bot is being started. */
export type BotStart = Pick<SettingEffect, 'effect'>;

/** Maximum number of looks for messages in a minute: the page looks every three seconds. */
const LOOKS_PER_MINUTE = 60;
const STARTS_PER_MINUTE = 10;
const MAX_IDS = 100;

const idsSchema = z.array(z.int('must be a Telegram id').positive('must be a Telegram id')).max(MAX_IDS);
const writersBody = z.strictObject({ token: tokenSchema });
const startBody = z.strictObject({
  token: tokenSchema,
  admin_ids: idsSchema,
  /** Users besides the admins. null: everyone. */
  allowed_ids: idsSchema.nullable(),
  /** Channel for files; null: the disk. */
  chat_id: channelIdSchema.nullable(),
});

/** Adds who has written to a bot, and the start of that bot in place of the playground. */
export function addBotStart(server: FastifyInstance, services: HttpServices, setup: SetupChecks): void {
  const { clock, settingsEditor } = services;
  const countLook = createRequestRate(clock, LOOKS_PER_MINUTE);
  server.post(
    '/api/setup/writers',
    { onRequest: async () => countLook('all sessions') },
    async (request): Promise<WritersAnswer> => {
      const { token } = await readBody(writersBody, request);
      const writers = await setup.listWriters(token);
      if (typeof writers === 'string') return { ok: false, message: hideSecrets(writers) };
      return { ok: true, writers: writers.map(({ username = null, ...writer }) => ({ ...writer, username })) };
    },
  );
  if (!settingsEditor) return;
  const countStart = createRequestRate(clock, STARTS_PER_MINUTE);
  server.post(
    '/api/setup/start-bot',
    { onRequest: async () => countStart('all sessions') },
    async (request): Promise<BotStart> => {
      const { telegramId } = getSession(request);
      const { token, admin_ids: admins, allowed_ids: allowed, chat_id: chatId } = await readBody(startBody, request);
      if (admins.length === 0 && allowed !== null) throw withoutAdmin();
      const ids: readonly (readonly [SettingId, string | undefined])[] = [
        ['variable:BOT_TOKEN', token],
        ['variable:ADMIN_IDS', toList(admins)],
        // A list that is not empty makes the bot private.
        ['variable:ALLOWED_IDS', allowed === null ? undefined : toList(allowed.length > 0 ? allowed : admins)],
        ['variable:STORAGE_CHAT_IDS', chatId === null ? undefined : String(chatId)],
      ];
      const manager = { telegramId, keyId: undefined };
      const isChanged = ([id, value]: (typeof ids)[number]) =>
        value !== undefined || settingsEditor.find(id).origin === 'stored';
      const { kind } = await settingsEditor.change({
        manager,
        values: new Map(ids.filter(isChanged)),
        isForEveryone: allowed === null,
      });
      return { effect: toEffect(kind) };
    },
  );
}

function toList(ids: readonly number[]): string | undefined {
  return ids.length === 0 ? undefined : ids.join(',');
}

function withoutAdmin(): HttpError {
  return new HttpError({
    status: 400,
    type: 'invalid_request_error',
    code: 'admin_missing',
    param: 'admin_ids',
    message: 'A private bot needs an admin, who lets others in.',
  });
}
