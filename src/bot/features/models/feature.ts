import { Composer } from 'grammy';
import { z } from 'zod';
import { readStartPayload } from '../../../lib/start-link.ts';
import { type Retry, retry, retry as retryFields } from '../../answers/failure-message.ts';
import { findChatModelByName, findGroupModelNotice, listChatModels } from '../../choices/model-choice.ts';
import { type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { isGroup, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import { origin, storeKeyboard, toButtonTarget, toLeaveButton } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView, markParts, showView } from '../../kit/views.ts';
import { toExampleRows, texts as welcome } from '../welcome.ts';
import { findModelByCode } from './model-code.ts';
import { texts } from './texts.ts';
import { toModelMenu } from './views.ts';

/** Failed answer to retry after the choice. */
const repeated = { retry: retry.optional() };

const actions = {
  'list-models': { fields: { page: z.number(), search: z.string().optional(), ...repeated, ...origin } },
  'select-model': { fields: { model: z.string(), ...repeated, ...origin } },
  'search-models': { fields: repeated },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'model-search': never;
  }
}

/**
 * `/model`: a paged list of the models for answers, a search, and `/model name` as a shortcut. `/start m_<model>`: a
 * link to a model.
 */
export const models: Feature = {
  commands: [{ name: 'model', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};

const MAX_SEARCH_CHARACTERS = 100;

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('model', (ctx) => chooseByText(services, ctx, ctx.match));
  composer.command('start', async (ctx, next) => {
    const code = readStartPayload(ctx.match, 'model');
    if (code === undefined || isGroup(ctx.chat)) return next();
    await followLink(services, ctx, code);
  });
  composer.use(
    onAction(services, 'list-models', (ctx, list) => ({
      afterwards: async () => showView(ctx, await toModelMenu(services, ctx, list)),
    })),
    onAction(services, 'select-model', (ctx, selected) => selectModel(services, ctx, selected)),
    onAction(services, 'search-models', (ctx, { retry }) => ({
      afterwards: () =>
        beginDialog(services, ctx, 'model-search', texts[ctx.locale].askSearch, retry && JSON.stringify(retry)),
    })),
  );
  return {
    middleware: composer,
    dialogs: { 'model-search': (ctx, text, retry) => chooseByText(services, ctx, text, parseRetry(retry)) },
  };
}

/** Parses the failed answer stored with a dialog; undefined if there is none. */
function parseRetry(stored: DialogSubject): Retry | undefined {
  return typeof stored === 'string' ? retryFields.safeParse(JSON.parse(stored)).data : undefined;
}

/**
 * Handles the text after `/model` or in the dialog: an exact name is selected at once, any other text filters the list.
 */
async function chooseByText(services: BotServices, ctx: BotContext, text: string, retry?: Retry): Promise<void> {
  const isSet = findGroupModelNotice(ctx);
  if (isSet) return void (await ctx.reply(isSet.hint));
  const name = text.trim().slice(0, MAX_SEARCH_CHARACTERS);
  if (name === '') return showView(ctx, await toModelMenu(services, ctx, { page: 0 }));
  const isPartOfNames = listChatModels(services.catalogue, name).length > 0;
  // A provider that accepts any name would also match search text, so text that matches listed models is a search.
  const open = isPartOfNames ? undefined : services.catalogue.find(name);
  const exact = findChatModelByName(services.catalogue, name) ?? (open?.type === 'chat' ? open : undefined);
  if (!exact) return showView(ctx, await toModelMenu(services, ctx, { page: 0, search: name, retry }));
  await storeModel(services, ctx, exact.id);
  if (retry && (await services.answers.canRetry(retry))) await services.questionService.askAgain(ctx, retry);
  else await showView(ctx, toConfirmation(ctx, exact.id));
}

async function selectModel(services: BotServices, ctx: BotContext, selected: CallbackActionOf<'select-model'>) {
  const { model } = selected;
  const isSet = findGroupModelNotice(ctx);
  if (isSet) return isSet;
  if (services.catalogue.find(model)?.type !== 'chat') return { hint: ctx.texts.models.gone(model), isAlert: true };
  await storeModel(services, ctx, model);
  return { afterwards: () => confirmOrRetry(services, ctx, selected) };
}

/** Retries the failed answer that the user came from, or confirms the choice. */
async function confirmOrRetry(
  services: BotServices,
  ctx: BotContext,
  { model, retry, back }: CallbackActionOf<'select-model'>,
): Promise<void> {
  if (!retry || !(await services.answers.canRetry(retry))) {
    const rows = back === undefined ? [] : [[toLeaveButton(ctx.texts, back)]];
    const keyboard = await storeKeyboard(services, toButtonTarget(ctx), rows);
    return showView(ctx, { ...toConfirmation(ctx, model), keyboard });
  }
  if (await services.questionService.askAgain(ctx, retry)) await closeView(ctx);
}

async function storeModel(services: BotServices, ctx: BotContext, model: string): Promise<void> {
  ctx.user = await services.accounts.updateSettings(ctx.user.id, { model });
  // Removes the model that a link has set for this conversation.
  const conversation = ctx.msg && (await services.conversations.findCurrentConversation(toChatTopic(ctx.msg)));
  if (conversation?.model !== undefined) await services.conversations.setModel(conversation.id, undefined);
}

function toConfirmation(ctx: BotContext, model: string) {
  const text = texts[ctx.locale].chosen(model);
  return { text, entities: markParts(text, 'code', model) };
}

/** Starts a conversation with the model that a link names. The user's own choice is not changed. */
async function followLink(services: BotServices, ctx: BotContext, code: string): Promise<void> {
  const words = texts[ctx.locale];
  const entry = findModelByCode(services.catalogue, code);
  if (!entry || !ctx.msg) {
    const list = { text: ctx.texts.buttons.chooseModel, action: { kind: 'list-models', page: 0 } } as const;
    const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [[list]]);
    return showView(ctx, { text: words.unknownLink, keyboard });
  }
  const { id } = await services.conversations.startConversation(toChatTopic(ctx.msg), ctx.user.id);
  await services.conversations.setModel(id, entry.id);
  const text = `${words.linked(entry.id)} ${welcome[ctx.locale].askSomething}`;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), toExampleRows(ctx.locale));
  await showView(ctx, { text, entities: markParts(text, 'code', entry.id), keyboard });
}
