import type { Database } from '../../../database/connect.ts';
import { files } from '../../../database/schema/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createId } from '../../../lib/ids.ts';
import { toStoredFile } from '../file-rows.ts';
import { createOwnerKey } from '../owner-key.ts';
import type { NewTelegramFile, UploadedFile } from '../storage.ts';
import { cleanMediaType } from './clean-media-type.ts';
import { cleanName } from './clean-name.ts';

/** Stores the row of a file whose bytes only Telegram has: it is ready at once, and has no parts. */
export async function storeTelegramFile(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  file: NewTelegramFile,
): Promise<UploadedFile> {
  const { ownerKey, ownerKeyHash } = createOwnerKey();
  const [row] = await db
    .insert(files)
    .values({
      id: file.id ?? createId(),
      ownerKeyHash,
      userId: file.userId,
      name: cleanName(file.name),
      mediaType: cleanMediaType(file.mediaType),
      state: 'ready',
      sizeBytes: file.sizeBytes,
      telegram: file.telegram,
      createdAt: new Date(clock.now()),
    })
    .returning();
  if (!row) throw new Error('A file was not stored');
  return { ...toStoredFile(row), ownerKey };
}
