import type { FastifyInstance } from 'fastify';
import type { Session as StoredSession } from '../../core/sessions/index.ts';
import { notFound } from '../../protocols/http-error.ts';
import { toTime } from '../resources/fields.ts';
import { idSchema, readId } from '../resources/query.ts';
import type { HttpServices } from '../services.ts';
import { getSession } from './authenticate-session.ts';

/** A session of the user. */
export interface Session {
  readonly id: number;
  readonly origin: 'mini-app' | 'link' | 'playground';
  readonly user_agent: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

/** Adds the list of sessions, and what ends them. */
export function addOwnSessions(server: FastifyInstance, { sessions }: HttpServices): void {
  server.get('/api/me/sessions', async (request): Promise<{ readonly data: readonly Session[] }> => {
    const own = await sessions.list(getSession(request).userId);
    return { data: own.map(toSession) };
  });
  /** Ends the session of the request: sign-out. */
  server.delete('/api/me/sessions/current', async (request, reply) => {
    const { userId, sessionId } = getSession(request);
    await sessions.end(userId, sessionId);
    return reply.code(204).send();
  });
  /** Ends all others. */
  server.delete('/api/me/sessions', async (request, reply) => {
    const { userId, sessionId } = getSession(request);
    await sessions.endAll(userId, sessionId);
    return reply.code(204).send();
  });
  server.delete('/api/me/sessions/:id', async (request, reply) => {
    const { userId } = getSession(request);
    if (!(await sessions.end(userId, readId(idSchema, request)))) throw notFound('There is no such session.');
    return reply.code(204).send();
  });
}

function toSession(session: StoredSession): Session {
  return {
    id: session.id,
    origin: session.origin,
    user_agent: session.userAgent,
    last_used_at: toTime(session.lastUsedAt),
    expires_at: toTime(session.expiresAt),
  };
}
