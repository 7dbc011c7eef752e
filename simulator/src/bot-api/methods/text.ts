import type { Message } from '@grammyjs/types';
import type { Call, MethodHandler } from '../call.ts';
import { readText, toTextContent } from '../read-text.ts';
import { readLinkPreview, sendMessage } from '../send.ts';

function sendTextMessage(call: Call): Promise<Message | undefined> {
  // The chat is looked at before the text, as Telegram's errors show.
  return sendMessage(call, () => ({
    content: { ...toTextContent(readText(call.world, call.params)), ...readLinkPreview(call) },
  }));
}

/** Plain and formatted text. */
export const textMethods: { readonly [method: string]: MethodHandler } = { sendMessage: sendTextMessage };
