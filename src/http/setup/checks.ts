import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { hideSecrets } from '../resources/hide-secrets.ts';
import { readBody, textSchema } from '../resources/query.ts';
import { createRequestRate } from '../resources/request-rate.ts';
import type { HttpServices } from '../services.ts';
import type { SetupChecks } from './setup-checks.ts';
import { setupVariables } from './state.ts';

/** Telegram's answer to a bot token. */
export type TokenAnswer =
  | {
      readonly ok: true;
      readonly username: string;
      /** False if privacy mode is on. */
      readonly reads_groups: boolean;
      /** Host to which Telegram sends updates of this bot now. */
      readonly webhook_host: string | null;
    }
  | { readonly ok: false; readonly reason: 'refused' }
  | { readonly ok: false; readonly reason: 'no_answer'; readonly message: string };

/** Whether a bot can store files in a channel. */
export type ChannelAnswer =
  | { readonly ok: true; readonly title: string }
  | {
      readonly ok: false;
      /** `unknown`: the id is wrong, or the bot is not in the channel. */
      readonly reason:
        | 'not_a_channel'
        | 'not_an_administrator'
        | 'may_not_post'
        | 'may_not_delete'
        | 'unknown'
        | 'no_answer';
      /** Telegram's own words. */
      readonly message: string | null;
    };

/** Whether a provider accepts a key. */
export interface ProviderAnswer {
  readonly ok: boolean;
  readonly models: number;
  /** Why it can't be used. */
  readonly message: string | null;
}

/** Maximum number of checks in a minute, of all sessions. Each is a request to another service. */
const CHECKS_PER_MINUTE = 30;
const MAX_TOKEN_LENGTH = 100;
const MAX_KEY_LENGTH = 500;

/** Token of a bot in a body. */
export const tokenSchema = textSchema(MAX_TOKEN_LENGTH).regex(
  /^\d+:[\w-]{20,}$/,
  'must look like 123456789:AAE…, as given by @BotFather',
);
/** Id of a channel in a body. */
export const channelIdSchema = textSchema(MAX_TOKEN_LENGTH)
  .regex(/^-\d{5,15}$/, 'must be the id of a channel, like -1001234567890')
  .transform(Number);
const keySchema = textSchema(MAX_KEY_LENGTH).regex(/^[!-~]+$/, 'must be a key: letters, digits and signs, no spaces');

const tokenBody = z.strictObject({ token: tokenSchema });
const channelBody = z.strictObject({ token: tokenSchema, chat_id: channelIdSchema });
const providerBody = z.strictObject({
  variable: z.enum(setupVariables, 'must be the key variable of a provider'),
  key: keySchema,
});

const REASONS = {
  'not-a-channel': 'not_a_channel',
  'not-an-administrator': 'not_an_administrator',
  'may-not-post': 'may_not_post',
  'may-not-delete': 'may_not_delete',
  unknown: 'unknown',
  'no-answer': 'no_answer',
} as const;

/** Adds the checks of settings. Tokens and keys of their bodies are passed on and neither stored nor logged. */
export function addSetupChecks(server: FastifyInstance, { clock }: HttpServices, setup: SetupChecks): void {
  const countCheck = createRequestRate(clock, CHECKS_PER_MINUTE);
  const options = { onRequest: async () => countCheck('all sessions') };
  server.post('/api/setup/check-token', options, async (request): Promise<TokenAnswer> => {
    const { token } = await readBody(tokenBody, request);
    const check = await setup.checkBot(token);
    if (check.kind === 'refused') return { ok: false, reason: 'refused' };
    if (check.kind === 'no-answer') return { ok: false, reason: 'no_answer', message: hideSecrets(check.reason) };
    const { username, readsGroups, webhookHost } = check;
    return { ok: true, username, reads_groups: readsGroups, webhook_host: webhookHost ?? null };
  });
  server.post('/api/setup/check-channel', options, async (request): Promise<ChannelAnswer> => {
    const { token, chat_id: chatId } = await readBody(channelBody, request);
    const check = await setup.checkChannel(token, chatId);
    if (check.kind === 'works') return { ok: true, title: check.title };
    return {
      ok: false,
      reason: REASONS[check.kind],
      message: 'reason' in check ? hideSecrets(check.reason) : null,
    };
  });
  server.post('/api/setup/check-provider', options, async (request): Promise<ProviderAnswer> => {
    const { variable, key } = await readBody(providerBody, request);
    const { modelCount, problem } = await setup.checkProvider(variable, key);
    return {
      ok: problem === undefined,
      models: modelCount,
      message: problem === undefined ? null : hideSecrets(problem.replaceAll(key, '[hidden]')),
    };
  });
}
