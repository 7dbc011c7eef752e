import type { Clock } from '../../lib/clock.ts';
import { toClientNetworks } from '../../lib/network.ts';
import type { FileRow } from './file-rows.ts';
import { createPasswordTries } from './password-tries.ts';
import type { Passwords } from './passwords.ts';
import { type PasswordClient, QuotaExceededError, type Storage } from './storage.ts';

export interface PasswordCheckDeps {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly findRow: (id: string) => Promise<FileRow | undefined>;
}

/** See `Storage.checkPassword`. The bot and the HTTP API share one check and its counters. */
export function createPasswordCheck({ clock, passwords, findRow }: PasswordCheckDeps): Storage['checkPassword'] {
  const tries = createPasswordTries(clock);
  return async (id, password, client) => {
    const row = await findRow(id);
    if (!row) return 'wrong';
    if (!row.passwordHash) return 'right';
    const names = toNames(client);
    const retryAfterMs = tries.begin(id, names);
    if (retryAfterMs > 0) return { retryAfterMs };
    try {
      // The widest network: all addresses of one client share a queue.
      const isRight = await passwords.check(password, row.passwordHash, names.at(-1) ?? '');
      if (!isRight) return 'wrong';
      tries.forgive(id, names);
      return 'right';
    } catch (error) {
      tries.forgive(id, names);
      if (error instanceof QuotaExceededError) return { retryAfterMs: error.retryAfterMs };
      throw error;
    }
  };
}

/** Returns the names of a client, the narrowest first. */
function toNames(client: PasswordClient): readonly string[] {
  if ('userId' in client) return [`user:${client.userId}`];
  return toClientNetworks(client.address).map((network) => `address:${network}`);
}
