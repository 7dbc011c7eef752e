import type { StorageLocation } from '../config/index.ts';
import { findBucketProblem } from '../core/storage/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log/logger.ts';
import { type ChannelsCheck, checkChannels } from '../telegram/storage/check-channels.ts';

/** Checks whether a place takes files, by calling Telegram or the bucket. Never throws. */
export async function checkLocation(
  deps: { readonly clock: Clock; readonly logger: Logger },
  location: StorageLocation,
): Promise<ChannelsCheck> {
  switch (location.kind) {
    case 'disk':
      // `DATA_DIR` is checked by itself.
      return { lines: [], problems: [] };
    case 'telegram':
      return checkChannels(deps, location);
    case 's3': {
      const problem = await findBucketProblem(deps, location);
      return problem === undefined
        ? { lines: ['a small object was stored, read and deleted'], problems: [] }
        : { lines: [], problems: [`The bucket ${location.url} can't store files: ${problem}`] };
    }
  }
}
