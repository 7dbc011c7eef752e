import { isJsonObject } from '../../lib/json.ts';

/** Fields that JSON stored by versions before 0.2 has under another name. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  announcementId: 'broadcastId',
  drawingId: 'imageJobId',
  pictureId: 'imageId',
  pictureIds: 'imageIds',
  hasPictures: 'hasImages',
  personId: 'userId',
  threadId: 'conversationId',
};

/** Returns the stored object with the present names of its fields; anything else as it is. */
export function renameFormerFields(stored: unknown): unknown {
  if (!isJsonObject(stored)) return stored;
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [FORMER_NAMES[name] ?? name, value]));
}
