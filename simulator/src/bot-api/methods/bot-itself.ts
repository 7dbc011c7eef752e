import type { UserFromGetMe } from '@grammyjs/types';
import { toApiBotUser } from '../../world/views.ts';
import type { Call, MethodHandler } from '../call.ts';

function getMe({ bot }: Call): UserFromGetMe {
  return {
    ...toApiBotUser(bot),
    can_join_groups: true,
    can_read_all_group_messages: !bot.privacyMode,
    supports_guest_queries: bot.guestMode,
    supports_inline_queries: bot.inlineMode,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: bot.privateTopics,
    allows_users_to_create_topics: bot.privateTopics,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}

/** `logOut` and `close` succeed without effect: there is only one server. */
const acknowledge = () => true;

export const botItselfMethods: { readonly [method: string]: MethodHandler } = {
  getMe,
  logOut: acknowledge,
  close: acknowledge,
};
