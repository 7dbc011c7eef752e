import { unquote } from '../../../lib/unquote.ts';

/** Answers of the steps. Empty texts are not given. */
export interface Answers {
  readonly token: string;
  /** Address of a webhook. Empty: long polling. */
  readonly publicUrl: string;
  readonly webhookSecret: string;
  readonly channelId: string;
  readonly adminIds: readonly number[];
  /** Users besides the admins, and whether everyone may use the bot. */
  readonly userIds: readonly number[];
  readonly isOpen: boolean;
  /** Setting for the key of a provider. */
  readonly variable: string;
  readonly providerKey: string;
}

/** Returns the lines of `.env` for these answers. Settings that need a token are left out without one. */
export function toSettings(answers: Answers): string {
  const { token, publicUrl, webhookSecret, channelId, adminIds, userIds, isOpen, variable, providerKey } = answers;
  const hasWebhook = token !== '' && canReceiveUpdates(publicUrl);
  // A list that is not empty makes the bot private.
  const allowedIds = userIds.length > 0 ? userIds : adminIds;
  const settings: readonly (readonly [name: string, value: string])[] = [
    ['BOT_TOKEN', token],
    ['ADMIN_IDS', token === '' ? '' : adminIds.join(',')],
    ['ALLOWED_IDS', token === '' || isOpen ? '' : allowedIds.join(',')],
    ['PUBLIC_URL', hasWebhook ? publicUrl.trim() : ''],
    ['WEBHOOK_SECRET', hasWebhook ? webhookSecret : ''],
    ['STORAGE_CHAT_IDS', token === '' ? '' : channelId],
    [variable, providerKey],
  ];
  return settings.flatMap(([name, value]) => (value === '' ? [] : [`${name}=${quote(value)}`])).join('\n');
}

/** Ports to which Telegram sends updates; the empty one is 443. */
const WEBHOOK_PORTS = ['', '80', '88', '8443'];

/** Returns whether Telegram sends updates to such an address. */
export function canReceiveUpdates(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'https:' && WEBHOOK_PORTS.includes(url.port);
}

/** Quotes values with characters that have a meaning in `.env`, which knows no escapes but three kinds of quotes. */
function quote(value: string): string {
  if (!/[\s#$'"`\\]/.test(value)) return value;
  const sign = ["'", '`', '"'].find((each) => !value.includes(each)) ?? "'";
  return `${sign}${value}${sign}`;
}

/** Returns a name for the provider at an address: `https://llm.example.com/v1` is `llm-example-com`. */
export function toProviderName(address: string): string {
  const host = URL.parse(unquote(address))?.hostname ?? '';
  return host.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'own-host';
}
