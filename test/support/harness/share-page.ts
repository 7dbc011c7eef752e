import { createSharedConversations, type SharedMessage } from '../../../src/core/shared-conversations/index.ts';
import type { UploadedFile } from '../../../src/core/storage/index.ts';
import type { HttpService } from './http.ts';

/** Shares a conversation as the user with this id, like the bot does. */
export async function sharePage(
  { url, storage }: Pick<HttpService, 'url' | 'storage'>,
  messages: readonly SharedMessage[],
  { title = 'Foxes & <b>hens</b>', userId = 1 }: { title?: string | undefined; userId?: number } = {},
): Promise<UploadedFile & { readonly url: string }> {
  const order = { userId, title, botUsername: 'switch_bot', messages };
  const page = await createSharedConversations({ storage }).share(order, AbortSignal.timeout(60_000));
  return { ...page, url: `${url}/share/${page.id}` };
}
