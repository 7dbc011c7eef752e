import type { Transformer } from 'grammy';
import type { Observer } from '../lib/observer.ts';

/**
 * Lets an observer see each call as a `telegram call` with its `method`, what Telegram answered (`status`, 200 or an error code)
 * and which kind of bot it was: one that chats and is paced here, or one that carries files. A refusal is no failure of the call: it
 * has an answer.
 */
export function observeCalls(observer: Observer, { isPaced }: { readonly isPaced: boolean }): Transformer {
  const bot = isPaced ? 'chat' : 'storage';
  return async (prev, method, payload, signal) => {
    const work = observer.begin('telegram call', { method, bot });
    try {
      const response = await work.run(() => prev(method, payload, signal));
      work.note({ status: response.ok ? 200 : response.error_code });
      work.end();
      return response;
    } catch (error) {
      work.end(error);
      throw error;
    }
  };
}
