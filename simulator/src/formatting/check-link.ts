import type { MessageEntity } from '@grammyjs/types';

type Link = Extract<MessageEntity, { type: 'text_link' | 'text_mention' }>;

/**
 * Returns the entity for a link of a `parse_mode` text: a mention for `tg://user?id=…`, otherwise a link with the
 * normalized URL; undefined for an invalid URL. Follows `get_link_user_id` and `check_link` of TDLib.
 */
export function toLinkEntity(address: string, offset: number, length: number): Link | undefined {
  const [, userId] = /^tg:\/*user\/?\?(?:[^#]*&)?id=(\d+)/i.exec(address) ?? [];
  if (userId !== undefined && Number(userId) > 0) {
    return { type: 'text_mention', offset, length, user: { id: Number(userId), is_bot: false, first_name: '' } };
  }
  const url = checkLink(address);
  return url === undefined ? undefined : { type: 'text_link', offset, length, url };
}

/** Labels of a lower-case host name, and a port. `parse_url` of TDLib permits these ASCII symbols and all other Unicode. */
const HOST = /^[\w\-!$,~*'();&+=%\u{80}-\u{10FFFF}]+(?:\.[\w\-!$,~*'();&+=%\u{80}-\u{10FFFF}]+)*\.?(?::\d{1,5})?$/u;

function checkLink(address: string): string | undefined {
  const [, inner] = /^(?:tg|ton|tonsite):\/*(.*)$/is.exec(address) ?? [];
  if (inner !== undefined) return checkInternalLink(address, inner);
  const [, scheme = 'http', user = '', authority = '', rest = ''] =
    /^(?:(https?):\/\/)?([^/?#@]*@)?([^/?#:@]+(?::\d+)?)([/?#].*)?$/is.exec(address.trim()) ?? [];
  const host = authority.toLowerCase();
  if (!host.includes('.') || !HOST.test(host)) return undefined;
  if (/\s/.test(rest)) return undefined;
  return `${scheme.toLowerCase()}://${user}${host}${rest.startsWith('/') ? rest : `/${rest}`}`;
}

function checkInternalLink(address: string, inner: string): string | undefined {
  const scheme = address.slice(0, address.indexOf(':')).toLowerCase();
  const [, domain] = /^([a-z0-9-]+)(?=[/?#]|$)/i.exec(inner) ?? [];
  return domain === undefined ? undefined : `${scheme}://${domain.toLowerCase()}${inner.slice(domain.length)}`;
}
