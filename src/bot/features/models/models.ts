import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { type ChoiceOf, parseRetry, type Retry } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { toLeaveButton } from '../../framework/leave-button.ts';
import { toPlace } from '../../framework/place.ts';
import { onPress } from '../../framework/press.ts';
import { closeView, markPieces, showView } from '../../framework/view.ts';
import { findChatModelByName, listChatModels } from '../../models/model-choice.ts';
import { toModelMenu } from '../../models/model-menu.ts';
import type { Asker } from '../../questions/ask.ts';

/** `/model`: a paged list of any number of models, a search, and `/model name` for whoever knows it. */
export function createModelsFeature(deps: BotDeps, asker: Asker): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('model', (ctx) => chooseByText(deps, asker, ctx, ctx.match));
  composer.use(
    onPress(deps, 'list-models', (ctx, list) => ({
      afterwards: async () => showView(ctx, await toModelMenu(deps, ctx, list)),
    })),
    onPress(deps, 'select-model', (ctx, selected) => selectModel(deps, asker, ctx, selected)),
    onPress(deps, 'search-models', (ctx, { retry }) => ({
      afterwards: () =>
        beginDialog(deps, ctx, 'model-search', ctx.texts.models.askSearch, retry && JSON.stringify(retry)),
    })),
    onPress(deps, 'show-page-number', () => ({})),
  );
  return composer;
}

/** Goes on with what a person wrote when asked for a part of a name; `subject` is the failed answer that it is about, if any. */
export function searchModelByText(deps: BotDeps, asker: Asker, ctx: BotContext, text: string, subject: DialogSubject) {
  return chooseByText(
    deps,
    asker,
    ctx,
    text,
    typeof subject === 'string' ? parseRetry(JSON.parse(subject)) : undefined,
  );
}

/** What somebody wrote after `/model` or was asked for: an exact name is chosen at once, anything else filters the list. */
async function chooseByText(deps: BotDeps, asker: Asker, ctx: BotContext, text: string, retry?: Retry): Promise<void> {
  const setHere = ctx.group?.settings.model;
  if (setHere !== undefined) return void (await ctx.reply(ctx.texts.groups.modelIsSet(setHere)));
  const name = text.trim().slice(0, MAX_SEARCH_CHARACTERS);
  if (name === '') return showView(ctx, await toModelMenu(deps, ctx, { page: 0 }));
  const isPartOfNames = listChatModels(deps.catalogue, name).length > 0;
  // A provider that takes any name would take every search word too: what matches listed models is a search.
  const open = isPartOfNames ? undefined : deps.catalogue.find(name);
  const exact = findChatModelByName(deps.catalogue, name) ?? (open?.type === 'chat' ? open : undefined);
  if (!exact) return showView(ctx, await toModelMenu(deps, ctx, { page: 0, search: name, retry }));
  await keepModel(deps, ctx, exact.id);
  if (retry && (await asker.canRetry(retry))) await asker.askAgain(ctx, retry);
  else await showView(ctx, toConfirmation(ctx, exact.id));
}

const MAX_SEARCH_CHARACTERS = 100;

async function selectModel(deps: BotDeps, asker: Asker, ctx: BotContext, selected: ChoiceOf<'select-model'>) {
  const { model } = selected;
  const setHere = ctx.group?.settings.model;
  if (setHere !== undefined) return { hint: ctx.texts.groups.modelIsSet(setHere), isAlert: true };
  if (deps.catalogue.find(model)?.type !== 'chat') return { hint: ctx.texts.models.gone(model), isAlert: true };
  await keepModel(deps, ctx, model);
  return { afterwards: () => confirmOrRetry(deps, asker, ctx, selected) };
}

/** Somebody who came from a failed answer wants that answer, not a confirmation. */
async function confirmOrRetry(
  deps: BotDeps,
  asker: Asker,
  ctx: BotContext,
  { model, retry, back }: ChoiceOf<'select-model'>,
): Promise<void> {
  if (!retry || !(await asker.canRetry(retry))) {
    const rows = back === undefined ? [] : [[toLeaveButton(ctx.texts, back)]];
    const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), rows);
    return showView(ctx, { ...toConfirmation(ctx, model), keyboard });
  }
  if (await asker.askAgain(ctx, retry)) await closeView(ctx);
}

async function keepModel(deps: BotDeps, ctx: BotContext, model: string): Promise<void> {
  ctx.person = await deps.accounts.updateSettings(ctx.person.id, { model });
  // The model of a link would go on answering here.
  const thread = ctx.msg && (await deps.conversations.findCurrentThread(toPlace(ctx.msg)));
  if (thread?.model !== undefined) await deps.conversations.setModel(thread.id, undefined);
}

function toConfirmation(ctx: BotContext, model: string) {
  const text = ctx.texts.models.chosen(model);
  return { text, entities: markPieces(text, 'code', model) };
}
