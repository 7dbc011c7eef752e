import type { InlineKeyboardMarkup, Message, UserFromGetMe } from 'grammy/types';
import type { User } from '../../../core/accounts/index.ts';
import { toPageName } from '../../../core/shared-conversations/index.ts';
import type { StoredFile } from '../../../core/storage/index.ts';
import { type TelegramAddress, toStartLink } from '../../../lib/start-link.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { type KeyboardButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { joinLines, type Line, toKeyLine, toNameLine, type View } from '../../framework/view.ts';
import { canAskAbout, type Readers } from '../../inputs/attachment.ts';
import type { Texts } from '../../texts/locales.ts';
import type { FileListing } from './actions.ts';
import { texts } from './texts/index.ts';

/** What looking after files takes of the rest of the product. */
export type FilesServices = ViewDeps & Pick<BotDeps, 'clock' | 'logger' | 'storage'>;
type ViewDeps = Readers & LinkDeps & Pick<BotDeps, 'interactions'>;
type LinkDeps = Pick<BotDeps, 'cloudUrl' | 'telegramUrl'>;

/** Who looks at a file. Every `BotContext` is one. */
export interface FileViewer {
  readonly user: Pick<User, 'id'>;
  /** The chat in which it is shown. */
  readonly chatId: number | undefined;
  readonly texts: Texts;
  readonly me: Pick<UserFromGetMe, 'username' | 'supports_inline_queries'>;
}

/**
 * A file in its owner's eyes: name, size, links, what it is bound to, and what can be done with it.
 * @param ownerKey known where the message has it already (`findShownKey`), and of a page right after it was made; in private chats only.
 * @param listing the page that leads back; none where the file was not chosen from a list.
 */
export async function toFileView(
  deps: ViewDeps,
  viewer: FileViewer,
  file: StoredFile,
  ownerKey?: string,
  listing?: FileListing,
): Promise<View> {
  const words = texts[viewer.texts.locale];
  const link = toFileLink(deps, viewer.me, file);
  const inTelegram = toDeepLink(deps, viewer.me, file);
  const lines: Line[] = [
    ...listFacts(viewer, file),
    ...(hasDownload(file)
      ? [toLinkLine(link), toLinkLine(inTelegram, (isPage(file) ? words.page.goOn : words.inTelegram)(inTelegram))]
      : [{ text: words.telegramOnly }, toLinkLine(link)]),
    ...(ownerKey === undefined
      ? []
      : [{ text: '' }, { text: isPage(file) ? words.page.ownerKey : words.ownerKey }, toKeyLine(ownerKey)]),
  ];
  return { ...joinLines(lines), keyboard: await toFileKeyboard(deps, viewer, file, listing) };
}

/**
 * A file that has just been kept: name, size, link. The rest is behind *More*. The owner key is in a button that copies it: a message
 * that is forwarded does not take it along, and it is kept nowhere else.
 * @param ownerKey in private chats only.
 */
export async function toKeptFileView(
  deps: ViewDeps,
  viewer: FileViewer,
  file: StoredFile,
  ownerKey: string | undefined,
): Promise<View> {
  const words = texts[viewer.texts.locale];
  const link = toFileLink(deps, viewer.me, file);
  const lines: Line[] = [
    ...listFacts(viewer, file),
    ...(hasDownload(file) ? [] : [{ text: words.telegramOnly }]),
    toLinkLine(link),
  ];
  const keyboard = await offerKeyboard(deps, toButtonTarget(viewer), [
    toLinkRow(deps, viewer, file),
    [
      ...(canAskAbout(deps, file) ? [toAskButton(viewer, file)] : []),
      ...(ownerKey === undefined ? [] : [{ text: words.buttons.ownerKey, copy_text: { text: ownerKey } }]),
      { text: viewer.texts.buttons.more, choice: { kind: 'show-file', fileId: file.id } },
    ],
  ]);
  return { ...joinLines(lines), keyboard };
}

function toLinkRow(deps: ViewDeps, viewer: FileViewer, file: StoredFile): readonly KeyboardButton[] {
  const copy = { text: viewer.texts.buttons.copyLink, copy_text: { text: toFileLink(deps, viewer.me, file) } };
  return [copy, toShareButton(deps, viewer, file)];
}

function toAskButton(viewer: FileViewer, { id: fileId }: StoredFile): KeyboardButton {
  return { text: texts[viewer.texts.locale].buttons.ask, choice: { kind: 'ask-about-file', fileId } };
}

/** What can be done with a file. */
function toFileKeyboard(
  deps: ViewDeps,
  viewer: FileViewer,
  file: StoredFile,
  listing?: FileListing,
): Promise<InlineKeyboardMarkup> {
  const words = texts[viewer.texts.locale].buttons;
  const chosen = { fileId: file.id, listing };
  return offerKeyboard(deps, toButtonTarget(viewer), [
    toLinkRow(deps, viewer, file),
    [
      { text: words.rename, choice: { kind: 'rename-file', ...chosen } },
      { text: words.expiry, choice: { kind: 'list-file-expiries', ...chosen } },
      { text: words.delete, choice: { kind: 'delete-file', ...chosen } },
    ],
    canAskAbout(deps, file) && !isPage(file) ? [toAskButton(viewer, file)] : [],
    listing ? [{ text: viewer.texts.buttons.back, choice: { kind: 'list-files', ...listing } }] : [],
  ]);
}

/** Where everybody can have the file: over HTTP, or inside Telegram where only Telegram has the bytes. */
export function toFileLink(
  deps: LinkDeps,
  me: Pick<UserFromGetMe, 'username'>,
  file: Pick<StoredFile, 'id' | 'sha256' | 'kind'>,
): string {
  if (isPage(file)) return `${deps.cloudUrl}/share/${file.id}`;
  return hasDownload(file) ? `${deps.cloudUrl}/file/${file.id}` : toDeepLink(deps, me, file);
}

/** Opens the bot, which hands the file over, or goes on with a conversation. */
function toDeepLink(
  deps: TelegramAddress,
  me: Pick<UserFromGetMe, 'username'>,
  file: Pick<StoredFile, 'id' | 'kind'>,
): string {
  return toStartLink(deps, me, isPage(file) ? 'page' : 'file', file.id);
}

/** What a file is called: a shared conversation by its title. */
export function toFileTitle(file: Pick<StoredFile, 'kind' | 'name'>): string {
  return isPage(file) ? toPageName(file) : file.name;
}

function isPage({ kind }: Pick<StoredFile, 'kind'>): boolean {
  return kind === 'conversation';
}

/** The owner key that a message of the bot shows or copies. It is nowhere else, so whoever edits the message has to bring it back. */
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

/** An address that can be touched: by itself Telegram makes no link of one without a domain, as people have at home. */
function toLinkLine(url: string, text = url): Line {
  return { text, mark: { type: 'text_link', url, from: text.indexOf(url), length: url.length } };
}

function hasDownload(file: Pick<StoredFile, 'sha256'>): boolean {
  return file.sha256 !== undefined;
}

/** Name, size and bounds, with an empty line below. The size of a shared conversation is of no interest. */
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

/** Inline queries have at most 256 characters. */
const MAX_QUERY = 256;

/** By the bot's inline mode; where its operator has not switched it on, by Telegram's own page for links. */
function toShareButton(deps: LinkDeps, viewer: FileViewer, file: StoredFile): KeyboardButton {
  const text = texts[viewer.texts.locale].buttons.share;
  if (viewer.me.supports_inline_queries) return { text, switch_inline_query: toFileTitle(file).slice(0, MAX_QUERY) };
  const link = toFileLink(deps, viewer.me, file);
  return { text, url: `https://t.me/share/url?${new URLSearchParams({ url: link, text: toFileTitle(file) })}` };
}
