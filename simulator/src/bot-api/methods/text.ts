import type { Message } from '@grammyjs/types';
import type { Call, MethodHandler } from '../call.ts';
import { readText, toTextContent } from '../read-text.ts';
import { readLinkPreview, sendMessage } from '../send.ts';

function sendTextMessage(call: Call): Promise<Message | undefined> {
  // The chat is checked before the text, as the order of Telegram's errors shows.
  return sendMessage(call, () => ({
    content: { ...toTextContent(readText(call.world, call.params)), ...readLinkPreview(call) },
  }));
}

/** Methods that send plain and formatted text. */
export const textMethods: { readonly [method: string]: MethodHandler } = { sendMessage: sendTextMessage };
