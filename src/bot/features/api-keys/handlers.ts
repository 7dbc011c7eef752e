import { Composer } from 'grammy';
import type { ApiKey } from '../../../core/accounts/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { isPrivate } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { type KeyboardButton, storeKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { toShownName } from '../../framework/shown-name.ts';
import { joinLines, type Line, markParts, showView, toKeyLine, toNameLine, type View } from '../../framework/view.ts';
import { texts } from './texts/index.ts';

type ApiKeysServices = Pick<BotDeps, 'apiKeys' | 'apiUrl' | 'interactions' | 'keyUses' | 'logger'>;

/** Limit in characters. */
const MAX_NAME = 40;

/**
 * `/key`: creates, renames, lists and revokes the user's API keys; `/key laptop` creates one at once. Private chats
 * only.
 */
export function createHandlers(deps: ApiKeysServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('key', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const name = ctx.match.trim();
    if (name !== '') return makeKeyByText(deps, ctx, name);
    await showView(ctx, await toListView(deps, ctx));
  });
  composer.use(
    onAction(deps, 'list-keys', (ctx) => ({ afterwards: async () => showView(ctx, await toListView(deps, ctx)) })),
    onAction(deps, 'make-key', async (ctx) => {
      const words = texts[ctx.locale];
      const { maxKeys } = deps.apiKeys;
      const own = await deps.apiKeys.list(ctx.user.id);
      if (own.length >= maxKeys) return { hint: words.full(maxKeys), isAlert: true };
      return { afterwards: () => beginDialog(deps, ctx, 'key-name', words.askName) };
    }),
    onAction(deps, 'show-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, async (key) => showView(ctx, await toKeyView(deps, ctx, key))),
    ),
    onAction(deps, 'rename-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, () => beginDialog(deps, ctx, 'key-new-name', texts[ctx.locale].askNewName, keyId)),
    ),
    onAction(deps, 'revoke-key', (ctx, { keyId }) =>
      withKey(deps, ctx, keyId, async (key) => showView(ctx, await toRevocationView(deps, ctx, key))),
    ),
    onAction(deps, 'revoke-key-for-good', (ctx, { keyId }) => revoke(deps, ctx, keyId)),
  );
  return {
    middleware: composer,
    dialogs: {
      'key-name': (ctx, text) => makeKeyByText(deps, ctx, text),
      'key-new-name': (ctx, text, keyId) => renameKeyByText(deps, ctx, text, keyId),
    },
  };
}

/** Creates a key with the given name and shows its secret, which is not stored. */
async function makeKeyByText(deps: ApiKeysServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale];
  const label = toLabel(text);
  if (label === undefined) return beginDialog(deps, ctx, 'key-name', words.badName(MAX_NAME));
  const made = await deps.apiKeys.create(ctx.user.id, label);
  if (!made) return void (await ctx.reply(words.full(deps.apiKeys.maxKeys)));
  deps.logger.info({ userId: ctx.user.id, keyId: made.key.id }, 'API key created');
  const lines: Line[] = [
    { text: words.made(label) },
    { text: '' },
    toKeyLine(made.secret),
    { text: '' },
    { text: words.baseUrl(deps.apiUrl) },
  ];
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [{ text: words.copy, copy_text: { text: made.secret } }],
    [{ text: words.buttons.hide, action: { kind: 'list-keys' } }],
  ]);
  await showView(ctx, { ...joinLines(lines), keyboard });
}

/** Renames a key to the text that the user sent. */
async function renameKeyByText(deps: ApiKeysServices, ctx: BotContext, text: string, keyId: DialogSubject) {
  const words = texts[ctx.locale];
  const id = typeof keyId === 'number' ? keyId : 0;
  const label = toLabel(text);
  if (label === undefined) return beginDialog(deps, ctx, 'key-new-name', words.badName(MAX_NAME), id);
  const key = await deps.apiKeys.rename(ctx.user.id, id, label);
  if (!key) return void (await ctx.reply(words.gone));
  const view = await toKeyView(deps, ctx, key);
  await showView(ctx, { ...view, text: `${view.text}\n\n${words.renamed}` });
}

async function revoke(deps: ApiKeysServices, ctx: BotContext, keyId: number): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const key = await deps.apiKeys.find(ctx.user.id, keyId);
  const isRevoked = await deps.apiKeys.revoke(ctx.user.id, keyId);
  if (isRevoked) deps.logger.info({ userId: ctx.user.id, keyId }, 'API key revoked');
  const hint = isRevoked && key ? words.revoked(key.label) : words.gone;
  return { hint, afterwards: async () => showView(ctx, await toListView(deps, ctx)) };
}

/** Calls `goOn` with the user's key; shows the list if the key no longer exists. */
async function withKey(
  deps: ApiKeysServices,
  ctx: BotContext,
  keyId: number,
  goOn: (key: ApiKey) => Promise<void>,
): Promise<ActionAnswer> {
  // Writes pending uses first, so that the time of the last use is current.
  await deps.keyUses.flush();
  const key = await deps.apiKeys.find(ctx.user.id, keyId);
  if (key) return { afterwards: () => goOn(key) };
  const hint = texts[ctx.locale].gone;
  return { hint, afterwards: async () => showView(ctx, await toListView(deps, ctx)) };
}

async function toListView(deps: ApiKeysServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const own = await deps.apiKeys.list(ctx.user.id);
  const { maxKeys } = deps.apiKeys;
  const heading = own.length === 0 ? words.none : words.heading(own.length, maxKeys);
  const text = `${heading}\n\n${words.about(deps.apiUrl)}`;
  const rows: KeyboardButton[][] = own.map((key) => [
    { text: `${key.label} · ${key.prefix}…`, action: { kind: 'show-key', keyId: key.id } },
  ]);
  if (own.length < maxKeys) rows.push([{ text: words.buttons.make, action: { kind: 'make-key' } }]);
  rows.push([{ text: ctx.texts.buttons.close, action: { kind: 'close-menu' } }]);
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), rows);
  return { text, entities: markParts(text, 'code', deps.apiUrl), keyboard };
}

async function toKeyView(deps: ApiKeysServices, ctx: BotContext, key: ApiKey): Promise<View> {
  const { buttons } = texts[ctx.locale];
  const action = (kind: 'rename-key' | 'revoke-key') => ({ kind, keyId: key.id }) as const;
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: buttons.rename, action: action('rename-key') },
      { text: buttons.revoke, action: action('revoke-key') },
    ],
    [{ text: buttons.all, action: { kind: 'list-keys' } }],
  ]);
  return { ...describe(ctx, key), keyboard };
}

async function toRevocationView(deps: ApiKeysServices, ctx: BotContext, key: ApiKey): Promise<View> {
  const words = texts[ctx.locale];
  const view = describe(ctx, key);
  const keyboard = await storeKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: words.buttons.revokeNow, action: { kind: 'revoke-key-for-good', keyId: key.id } },
      { text: words.buttons.keep, action: { kind: 'show-key', keyId: key.id } },
    ],
  ]);
  return { ...view, text: `${view.text}\n\n${words.askRevoke}`, keyboard };
}

function describe(ctx: BotContext, key: ApiKey) {
  const words = texts[ctx.locale];
  const { lastUse } = key;
  return joinLines([
    toNameLine(key.label),
    toNameLine(`${key.prefix}…`),
    { text: '' },
    { text: words.madeOn(key.createdAt) },
    { text: lastUse ? words.lastUsed(lastUse.at, lastUse.route, lastUse.network) : words.neverUsed },
  ]);
}

/** Returns undefined if no visible characters are left or the name is too long. */
function toLabel(text: string): string | undefined {
  const label = toShownName(text.replace(/\s+/g, ' '));
  return label !== '…' && label.length <= MAX_NAME ? label : undefined;
}
