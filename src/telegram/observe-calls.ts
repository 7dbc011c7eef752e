import type { Transformer } from 'grammy';
import type { Observer } from '../lib/observer.ts';

/**
 * Reports each call to the observer as a `telegram call` span with its `method`, the `status` (200 or Telegram's error
 * code) and the kind of bot: `chat` for rate-limited chat calls, `storage` for bots that store files. An error response
 * from Telegram does not make the span fail.
 */
export function observeCalls(observer: Observer, { isPaced }: { readonly isPaced: boolean }): Transformer {
  const bot = isPaced ? 'chat' : 'storage';
  return async (prev, method, payload, signal) => {
    const span = observer.begin('telegram call', { method, bot });
    try {
      const response = await span.run(() => prev(method, payload, signal));
      span.record({ status: response.ok ? 200 : response.error_code });
      span.end();
      return response;
    } catch (error) {
      span.end(error);
      throw error;
    }
  };
}
