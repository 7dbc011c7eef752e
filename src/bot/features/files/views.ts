import type { InlineKeyboardMarkup, Message, UserFromGetMe } from 'grammy/types';
import type { User } from '../../../core/accounts/index.ts';
import { toPageName } from '../../../core/shared-conversations/index.ts';
import { hasStoredBytes, type StoredFile } from '../../../core/storage/index.ts';
import { toStartLink } from '../../../lib/start-link.ts';
import { canAskAbout } from '../../inputs/attachment.ts';
import { type KeyboardButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, type Line, toKeyLine, toNameLine, type View } from '../../kit/views.ts';
import type { Texts } from '../../texts/locales.ts';
import type { FileListing } from './feature.ts';
import { texts } from './texts.ts';

/** User who looks at a file. Every `BotContext` satisfies it. */
export interface FileViewer {
  readonly user: Pick<User, 'id'>;
  /** Chat that shows the file. */
  readonly chatId: number | undefined;
  readonly texts: Texts;
  readonly me: Pick<UserFromGetMe, 'username' | 'supports_inline_queries'>;
}

/**
 * Returns the owner's view of a file: name, size, links, limits and actions.
 * @param ownerKey given if the message already has it (`findShownKey`), and for a shared conversation right after its
 * creation; in private chats only.
 * @param listing page for the back button; undefined if the file was not opened from a list.
 */
export async function toFileView(
  services: BotServices,
  viewer: FileViewer,
  file: StoredFile,
  ownerKey?: string,
  listing?: FileListing,
): Promise<View> {
  const words = texts[viewer.texts.locale];
  const link = toFileLink(services, viewer.me, file);
  const inTelegram = toDeepLink(services, viewer.me, file);
  const lines: Line[] = [
    ...listFacts(viewer, file),
    ...(hasStoredBytes(file)
      ? [
          toLinkLine(link),
          toLinkLine(inTelegram, (isPage(file) ? words.page.inTelegram : words.inTelegram)(inTelegram)),
        ]
      : [{ text: words.telegramOnly }, toLinkLine(link)]),
    ...(ownerKey === undefined
      ? []
      : [{ text: '' }, { text: isPage(file) ? words.page.ownerKey : words.ownerKey }, toKeyLine(ownerKey)]),
  ];
  return { ...joinLines(lines), keyboard: await toFileKeyboard(services, viewer, file, listing) };
}

/**
 * Returns the view of a file that was just stored: name, size, link, and *More* for the rest. The owner key is not
 * stored anywhere else; it is in a copy button, which is not part of a forwarded message.
 * @param ownerKey in private chats only.
 */
export async function toStoredFileView(
  services: BotServices,
  viewer: FileViewer,
  file: StoredFile,
  ownerKey: string | undefined,
): Promise<View> {
  const words = texts[viewer.texts.locale];
  const link = toFileLink(services, viewer.me, file);
  const lines: Line[] = [
    ...listFacts(viewer, file),
    ...(hasStoredBytes(file) ? [] : [{ text: words.telegramOnly }]),
    toLinkLine(link),
  ];
  const keyboard = await storeKeyboard(services, toButtonTarget(viewer), [
    toLinkRow(services, viewer, file),
    [
      ...(canAskAbout(services, file) ? [toAskButton(viewer, file)] : []),
      ...(ownerKey === undefined ? [] : [{ text: words.buttons.ownerKey, copy_text: { text: ownerKey } }]),
      { text: viewer.texts.buttons.more, action: { kind: 'show-file', fileId: file.id } },
    ],
  ]);
  return { ...joinLines(lines), keyboard };
}

function toLinkRow(services: BotServices, viewer: FileViewer, file: StoredFile): readonly KeyboardButton[] {
  const copy = { text: viewer.texts.buttons.copyLink, copy_text: { text: toFileLink(services, viewer.me, file) } };
  return [copy, toShareButton(services, viewer, file)];
}

function toAskButton(viewer: FileViewer, { id: fileId }: StoredFile): KeyboardButton {
  return { text: texts[viewer.texts.locale].buttons.ask, action: { kind: 'ask-about-file', fileId } };
}

/** Returns the buttons for a file. */
function toFileKeyboard(
  services: BotServices,
  viewer: FileViewer,
  file: StoredFile,
  listing?: FileListing,
): Promise<InlineKeyboardMarkup> {
  const words = texts[viewer.texts.locale].buttons;
  const chosen = { fileId: file.id, listing };
  return storeKeyboard(services, toButtonTarget(viewer), [
    toLinkRow(services, viewer, file),
    [
      { text: words.rename, action: { kind: 'rename-file', ...chosen } },
      { text: words.expiry, action: { kind: 'list-file-expiries', ...chosen } },
      { text: words.delete, action: { kind: 'delete-file', ...chosen } },
    ],
    canAskAbout(services, file) && !isPage(file) ? [toAskButton(viewer, file)] : [],
    listing ? [{ text: viewer.texts.buttons.back, action: { kind: 'list-files', ...listing } }] : [],
  ]);
}

/** Returns the public link of the file: over HTTP, or inside Telegram if only Telegram has the bytes. */
export function toFileLink(
  services: BotServices,
  me: Pick<UserFromGetMe, 'username'>,
  file: Pick<StoredFile, 'id' | 'sha256' | 'kind'>,
): string {
  if (isPage(file)) return `${services.cloudUrl}/share/${file.id}`;
  return hasStoredBytes(file) ? `${services.cloudUrl}/file/${file.id}` : toDeepLink(services, me, file);
}

/** Returns the link that opens the bot, which then sends the file or continues a shared conversation. */
function toDeepLink(
  services: BotServices,
  me: Pick<UserFromGetMe, 'username'>,
  file: Pick<StoredFile, 'id' | 'kind'>,
): string {
  return toStartLink(services, me, isPage(file) ? 'page' : 'file', file.id);
}

/** Returns the name of a file, or the title of a shared conversation. */
export function toFileTitle(file: Pick<StoredFile, 'kind' | 'name'>): string {
  return isPage(file) ? toPageName(file) : file.name;
}

function isPage({ kind }: Pick<StoredFile, 'kind'>): boolean {
  return kind === 'conversation';
}

/**
 * Returns the owner key that a message of the bot shows or copies. It is not stored anywhere else, so every edit of the
 * message must include it again.
 */
export function findShownKey(message: Message | undefined): string | undefined {
  const text = message?.text ?? '';
  const spoilers = (message?.entities ?? []).filter(({ type }) => type === 'spoiler');
  const [only, other] = spoilers.map(({ offset, length }) => text.slice(offset, offset + length));
  if (other === undefined && OWNER_KEY.test(only ?? '')) return only;
  const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
  return buttons
    .flatMap((button) => ('copy_text' in button ? [button.copy_text.text] : []))
    .find((text) => OWNER_KEY.test(text));
}

const OWNER_KEY = /^[\w-]{43}$/;

/** Returns an explicit link: Telegram does not detect addresses without a domain, as in home networks. */
function toLinkLine(url: string, text = url): Line {
  return { text, mark: { type: 'text_link', url, from: text.indexOf(url), length: url.length } };
}

/** Returns the lines with name, size and limits, and an empty line. The size of a shared conversation is left out. */
function listFacts(viewer: FileViewer, file: StoredFile): readonly Line[] {
  const size = isPage(file) ? [] : [viewer.texts.size(file.sizeBytes)];
  return [toNameLine(toFileTitle(file)), ...[...size, ...listBounds(viewer, file), ''].map((text) => ({ text }))];
}

function listBounds(viewer: FileViewer, file: StoredFile): readonly string[] {
  const words = texts[viewer.texts.locale];
  return [
    ...(file.expiresAt ? [words.expiresAt(file.expiresAt)] : []),
    ...(file.downloadsLeft === undefined ? [] : [words.downloadsLeft(file.downloadsLeft)]),
    ...(file.hasPassword ? [words.hasPassword] : []),
  ];
}

/** Telegram's limit for an inline query. */
const MAX_QUERY = 256;

/** Shares through inline mode, or through Telegram's share page if inline mode is switched off. */
function toShareButton(services: BotServices, viewer: FileViewer, file: StoredFile): KeyboardButton {
  const text = texts[viewer.texts.locale].buttons.share;
  if (viewer.me.supports_inline_queries) return { text, switch_inline_query: toFileTitle(file).slice(0, MAX_QUERY) };
  const link = toFileLink(services, viewer.me, file);
  return { text, url: `https://t.me/share/url?${new URLSearchParams({ url: link, text: toFileTitle(file) })}` };
}
