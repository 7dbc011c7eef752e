import type { Database } from '../../database/connect.ts';
import { files } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import { cleanMediaType } from './clean-media-type.ts';
import { cleanName } from './clean-name.ts';
import { toStoredFile } from './file-rows.ts';
import { createOwnerKey } from './owner-key.ts';
import type { TelegramFileOrder, UploadedFile } from './storage.ts';

/** See `Storage.keepTelegramFile`. */
export async function keepTelegramFile(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  order: TelegramFileOrder,
): Promise<UploadedFile> {
  const { ownerKey, ownerKeyHash } = createOwnerKey();
  const [row] = await db
    .insert(files)
    .values({
      id: order.id ?? createId(''),
      ownerKeyHash,
      userId: order.userId,
      name: cleanName(order.name),
      mediaType: cleanMediaType(order.mediaType),
      state: 'ready',
      sizeBytes: order.sizeBytes,
      telegram: order.telegram,
      createdAt: new Date(clock.now()),
    })
    .returning();
  if (!row) throw new Error('A file was not noted');
  return { ...toStoredFile(row), ownerKey };
}
