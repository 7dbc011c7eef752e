import type { BotDeps } from '../../framework/bot-deps.ts';
import type { Choice } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { toWayToPrivate } from '../../framework/lead-to-private.ts';
import { toPagedRows } from '../../framework/paged-rows.ts';
import { markPieces, type View } from '../../framework/view.ts';
import { findGroupPlan } from '../../groups/to-caller.ts';
import { MODELS_PER_PAGE, toModelButton } from '../../models/model-button.ts';
import { listChatModels } from '../../models/model-choice.ts';
import { findPersona, listPersonas } from '../../personas/persona.ts';
import { findLocale, localeCodes, locales } from '../../texts/locales.ts';
import { texts as personaTexts } from '../personas/texts/index.ts';
import { texts as settingsTexts } from '../settings/texts/index.ts';

const PERSONAS_PER_PAGE = 8;
const BACK: Choice = { kind: 'show-group-settings' };

/** What counts in the group for everybody, with buttons for its admins; others read that they are not theirs. */
export async function toGroupSettingsView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const words = ctx.texts.groups;
  const { settings, remembersTalk } = ctx.group ?? { settings: {}, remembersTalk: false };
  const canPay = ctx.group !== undefined && findGroupPlan(deps, ctx.group) !== undefined;
  const persona = settings.persona === undefined ? undefined : await findPersona(deps, ctx.locale, settings.persona);
  const language = settings.language === undefined ? undefined : locales[findLocale(settings.language)].languageName;
  const isAdmin = await ctx.isFromAdmin();
  const text = [
    words.heading,
    '',
    words.model(settings.model),
    words.persona(persona?.label, settings.systemPrompt !== undefined),
    words.language(language),
    ...(canPay ? [settings.payer === 'group' ? words.groupPays : words.askerPays] : []),
    settings.answersReplies === false ? words.repliesIgnored : words.repliesAnswered,
    remembersTalk ? words.remembered : words.notRemembered,
    ...(remembersTalk && isAdmin && (await isBlind(ctx)) ? ['', words.blind] : []),
    ...(isAdmin ? [] : ['', words.forAdmins]),
  ].join('\n');
  const keyboard = isAdmin ? await offerKeyboard(deps, toButtonTarget(ctx), toRows(ctx, canPay)) : toWayToPrivate(ctx);
  return { text, entities: markPieces(text, 'code', settings.model ?? ''), keyboard };
}

function toRows({ texts, group }: BotContext, canPay: boolean): ChoiceButton[][] {
  const { buttons, groups } = texts;
  const { settings, remembersTalk = false } = group ?? { settings: {} };
  const isPaying = settings.payer === 'group';
  const hearsReplies = settings.answersReplies !== false;
  return [
    [
      { text: buttons.model, choice: { kind: 'list-group-models', page: 0 } },
      { text: buttons.language, choice: { kind: 'list-group-languages' } },
    ],
    [
      { text: personaTexts[texts.locale].buttons.personas, choice: { kind: 'list-group-personas', page: 0 } },
      { text: buttons.systemPrompt, choice: { kind: 'change-group-instructions' } },
    ],
    canPay
      ? [
          {
            text: isPaying ? groups.buttons.askerPays : groups.buttons.groupPays,
            choice: { kind: 'change-group', changes: { payer: isPaying ? null : 'group' } },
          },
        ]
      : [],
    [
      {
        text: hearsReplies ? groups.buttons.ignoreReplies : groups.buttons.answerReplies,
        choice: { kind: 'change-group', changes: { answersReplies: hearsReplies ? false : null } },
      },
    ],
    [
      {
        text: remembersTalk ? groups.buttons.forgetTalk : groups.buttons.rememberTalk,
        choice: { kind: 'remember-talk', isOn: !remembersTalk },
      },
    ],
    [{ text: buttons.close, choice: { kind: 'close-menu' } }],
  ];
}

/** Models to choose from for everybody. */
export async function toGroupModelsView(deps: BotDeps, ctx: BotContext, page: number): Promise<View> {
  const { buttons, groups } = ctx.texts;
  const current = ctx.group?.settings.model;
  const { shown, turnRow } = toPagedRows(listChatModels(deps.catalogue), page, MODELS_PER_PAGE, (to) => ({
    ...{ kind: 'list-group-models', page: to },
  }));
  const rows = [
    ...shown.map((entry) => [toModelButton(entry, current, { kind: 'change-group', changes: { model: entry.id } })]),
    turnRow,
    [toFreeButton(ctx, current === undefined, { model: null })],
    [{ text: buttons.back, choice: BACK }],
  ];
  return { text: groups.askModel, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

/** Personas to choose from: those that come along, and those of whoever looks. */
export async function toGroupPersonasView(deps: BotDeps, ctx: BotContext, page: number): Promise<View> {
  const { buttons, groups } = ctx.texts;
  const { persona, systemPrompt } = ctx.group?.settings ?? {};
  const all = await listPersonas(deps, ctx.locale, ctx.person.id);
  const { shown, turnRow } = toPagedRows(all, page, PERSONAS_PER_PAGE, (to) => ({
    ...{ kind: 'list-group-personas', page: to },
  }));
  const rows = [
    ...shown.map(({ label, reference }): ChoiceButton[] => [
      {
        text: (reference === persona ? '✓ ' : '') + label,
        choice: { kind: 'change-group', changes: { persona: reference, systemPrompt: null } },
      },
    ]),
    turnRow,
    [toFreeButton(ctx, persona === undefined && systemPrompt === undefined, { persona: null, systemPrompt: null })],
    [{ text: buttons.back, choice: BACK }],
  ];
  return { text: groups.askPersona, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

/** Languages to choose from for the bot's own words. */
export async function toGroupLanguagesView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { buttons } = ctx.texts;
  const current = ctx.group?.settings.language;
  const rows = [
    ...localeCodes.map((code): ChoiceButton[] => [
      {
        text: (code === current ? '✓ ' : '') + locales[code].languageName,
        choice: { kind: 'change-group', changes: { language: code } },
      },
    ]),
    [toFreeButton(ctx, current === undefined, { language: null })],
    [{ text: buttons.back, choice: BACK }],
  ];
  return {
    text: settingsTexts[ctx.locale].askLanguage,
    keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows),
  };
}

type GroupChanges = Extract<Choice, { kind: 'change-group' }>['changes'];

function toFreeButton({ texts }: BotContext, isCurrent: boolean, changes: GroupChanges): ChoiceButton {
  return { text: (isCurrent ? '✓ ' : '') + texts.groups.buttons.asEachHas, choice: { kind: 'change-group', changes } };
}

/** Whether Telegram shows the bot only what is said to it here. */
export async function isBlind(ctx: BotContext): Promise<boolean> {
  // It may have been changed since the bot has started.
  if ((await ctx.api.getMe()).can_read_all_group_messages) return false;
  const { status } = await ctx.getChatMember(ctx.me.id);
  return status !== 'administrator';
}
