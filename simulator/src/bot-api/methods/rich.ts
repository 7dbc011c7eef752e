import type { Message } from '@grammyjs/types';
import type { Call, MethodHandler } from '../call.ts';
import { readRichMessage } from '../rich-message.ts';
import { sendMessage } from '../send.ts';

function sendRichMessage(call: Call): Promise<Message | undefined> {
  return sendMessage(call, () => readRichMessage(call, 'message'));
}

/** Methods that send rich messages. */
export const richMethods: { readonly [method: string]: MethodHandler } = { sendRichMessage };
