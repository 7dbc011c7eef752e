import type { FastifyInstance } from 'fastify';
import type { User } from '../../core/accounts/index.ts';
import { notFound } from '../../protocols/http-error.ts';
import { toTime } from '../resources/fields.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';

/** The user of the session. */
export interface Profile {
  readonly id: number;
  readonly telegram_id: number;
  readonly is_admin: boolean;
  /** Language of the bot's texts, such as `ru`; null: that of Telegram. */
  readonly language: string | null;
  /** IANA name; null: UTC. */
  readonly time_zone: string | null;
  readonly session_id: number;
  /** Whether files can be uploaded over HTTP. */
  readonly can_upload: boolean;
}

/** The user's quotas and budgets with the rest of them. */
export interface OwnLimits {
  /** null: unlimited. */
  readonly requests_per_minute: Quota | null;
  readonly tokens_per_day: Quota | null;
  readonly images_per_day: Quota | null;
  readonly budgets: readonly Budget[];
}

interface Quota {
  readonly limit: number;
  readonly remaining: number;
}

interface Budget {
  readonly period: 'day' | 'month' | 'total';
  readonly limit_usd: number;
  readonly spent_usd: number;
  /** null: never. */
  readonly resets_at: string | null;
}

/** Adds `GET /api/me` and `GET /api/me/limits`. */
export function addProfile(server: FastifyInstance, services: HttpServices): void {
  server.get('/api/me', async (request): Promise<Profile> => {
    const { sessionId, userId, telegramId, isAdmin } = getSession(request);
    const { settings } = await getUser(services, userId);
    return {
      id: userId,
      telegram_id: telegramId,
      is_admin: isAdmin,
      language: settings.language ?? null,
      time_zone: settings.timeZone ?? null,
      session_id: sessionId,
      can_upload: services.administration.uploads !== 'off',
    };
  });
  server.get('/api/me/limits', async (request): Promise<OwnLimits> => {
    const { userId } = getSession(request);
    const { plan } = await getUser(services, userId);
    const [quotas, budgets] = await Promise.all([
      services.limits.readQuotas({ userId, plan }),
      services.limits.readBudgets({ userId, plan }),
    ]);
    return {
      requests_per_minute: toQuota(quotas?.requests),
      tokens_per_day: toQuota(quotas?.tokens),
      images_per_day: toQuota(quotas?.images),
      budgets: budgets.map(({ period, limitUsd, spentUsd, resetsAt }) => ({
        period,
        limit_usd: limitUsd,
        spent_usd: spentUsd,
        resets_at: resetsAt === undefined ? null : toTime(new Date(resetsAt)),
      })),
    };
  });
}

/** Returns the user of a session. @throws HttpError 404 */
export async function getUser({ accounts }: HttpServices, userId: number): Promise<User> {
  const user = await accounts.findUser(userId);
  if (!user) throw notFound('Your account has been deleted.');
  return user;
}

function toQuota(quota: Quota | undefined): Quota | null {
  return quota ? { limit: quota.limit, remaining: quota.remaining } : null;
}
