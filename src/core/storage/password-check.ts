import type { Clock } from '../../lib/clock.ts';
import { toHousehold } from '../../lib/network.ts';
import type { FileRow } from './file-rows.ts';
import { createPasswordTries } from './password-tries.ts';
import type { Passwords } from './passwords.ts';
import type { PasswordSender, Storage } from './storage.ts';

export interface PasswordCheckDeps {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly findRow: (id: string) => Promise<FileRow | undefined>;
}

/** See `Storage.checkPassword`. One check serves all faces, so that they count together. */
export function createPasswordCheck({ clock, passwords, findRow }: PasswordCheckDeps): Storage['checkPassword'] {
  const tries = createPasswordTries(clock);
  return async (id, password, sender) => {
    const row = await findRow(id);
    if (!row) return 'wrong';
    if (!row.passwordHash) return 'right';
    const name = toName(sender);
    const retryAfterMs = tries.begin(id, name);
    if (retryAfterMs > 0) return { retryAfterMs };
    const isRight = await passwords.check(password, row.passwordHash).catch((error: unknown) => {
      tries.forgive(id, name);
      throw error;
    });
    if (!isRight) return 'wrong';
    tries.forgive(id, name);
    return 'right';
  };
}

function toName(sender: PasswordSender): string {
  return 'address' in sender ? `address:${toHousehold(sender.address)}` : `person:${sender.personId}`;
}
