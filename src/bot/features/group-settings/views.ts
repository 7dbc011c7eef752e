import { findGroupPlan } from '../../../core/groups/index.ts';
import { hasPrivacyMode } from '../../choices/groups.ts';
import { listChatModels, MODELS_PER_PAGE, toModelButton } from '../../choices/model-choice.ts';
import { findPersona, listPersonas } from '../../choices/personas.ts';
import type { CallbackAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget, toPagedRows } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, toWayToPrivate, type View } from '../../kit/views.ts';
import { findLocale, localeCodes, locales } from '../../texts/locales.ts';
import { isMemoryOn } from '../memory/memory-access.ts';
import { texts as memoryTexts } from '../memory/texts.ts';
import { texts as personaTexts } from '../personas/texts.ts';
import { texts as settingsTexts } from '../settings/texts.ts';
import { texts } from './texts.ts';

/**
 * Returns the settings of the group with buttons for its admins; other members get a note that only admins may change
 * them.
 */
export async function toGroupSettingsView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { settings, storesRecentMessages } = ctx.group ?? { settings: {}, storesRecentMessages: false };
  const canPay = ctx.group !== undefined && findGroupPlan(ctx.group, services.limits.planNames) !== undefined;
  const persona =
    settings.persona === undefined ? undefined : await findPersona(services, ctx.locale, settings.persona);
  const language = settings.language === undefined ? undefined : locales[findLocale(settings.language)].languageName;
  const isAdmin = await ctx.isFromAdmin();
  const text = [
    words.heading,
    '',
    words.model(settings.model),
    words.persona(persona?.label, settings.systemPrompt !== undefined),
    words.language(language),
    ...(canPay ? [settings.payer === 'group' ? words.groupPays : words.userPays] : []),
    settings.answersReplies === false ? words.repliesIgnored : words.repliesAnswered,
    settings.hasTasks === false ? words.withoutTasks : words.withTasks,
    storesRecentMessages ? words.remembered : words.notRemembered,
    isMemoryOn(ctx) ? memoryTexts[ctx.locale].isOn : memoryTexts[ctx.locale].isOff,
    ...(services.administration.isPrivate && isAdmitting(services, ctx) ? [words.membersAdmitted] : []),
    ...(storesRecentMessages && isAdmin && (await hasPrivacyMode(ctx)) ? ['', ctx.texts.groups.noVision] : []),
    ...(isAdmin ? [] : ['', words.forAdmins]),
  ].join('\n');
  const keyboard = isAdmin
    ? await storeKeyboard(services, toButtonTarget(ctx), toRows(services, ctx, canPay))
    : toWayToPrivate(ctx);
  return { text, entities: markParts(text, 'code', settings.model ?? ''), keyboard };
}

/** Returns whether members of the group may use a private service. */
function isAdmitting({ groupAccess }: BotServices, { group }: BotContext): boolean {
  return group !== undefined && groupAccess.isAdmitting(group);
}

function toRows(services: BotServices, ctx: BotContext, canPay: boolean): ActionButton[][] {
  const { buttons } = ctx.texts;
  const words = texts[ctx.locale];
  const { settings, storesRecentMessages = false } = ctx.group ?? { settings: {} };
  const isPaying = settings.payer === 'group';
  const hearsReplies = settings.answersReplies !== false;
  const hasTasks = settings.hasTasks !== false;
  const isAdmitted = isAdmitting(services, ctx);
  return [
    [
      { text: buttons.model, action: { kind: 'list-group-models', page: 0 } },
      { text: buttons.language, action: { kind: 'list-group-languages' } },
    ],
    [
      { text: personaTexts[ctx.locale].buttons.personas, action: { kind: 'list-group-personas', page: 0 } },
      { text: buttons.systemPrompt, action: { kind: 'change-group-instructions' } },
    ],
    canPay
      ? [
          {
            text: isPaying ? words.buttons.userPays : words.buttons.groupPays,
            action: { kind: 'change-group', changes: { payer: isPaying ? null : 'group' } },
          },
        ]
      : [],
    [
      {
        text: hearsReplies ? words.buttons.ignoreReplies : words.buttons.answerReplies,
        action: { kind: 'change-group', changes: { answersReplies: hearsReplies ? false : null } },
      },
    ],
    [
      {
        text: hasTasks ? words.buttons.forbidTasks : words.buttons.allowTasks,
        action: { kind: 'change-group', changes: { hasTasks: hasTasks ? false : null } },
      },
    ],
    [
      {
        text: storesRecentMessages ? words.buttons.forgetMessages : words.buttons.rememberMessages,
        action: { kind: 'remember-talk', isOn: !storesRecentMessages },
      },
    ],
    services.administration.isPrivate && ctx.user.role === 'admin'
      ? [
          {
            text: isAdmitted ? words.buttons.dismissMembers : words.buttons.admitMembers,
            action: { kind: 'admit-members', isOn: !isAdmitted },
          },
        ]
      : [],
    [
      { text: buttons.memory, action: { kind: 'list-memories', page: 0, back: 'settings' } },
      { text: buttons.close, action: { kind: 'close-menu' } },
    ],
  ];
}

const BACK: CallbackAction = { kind: 'show-group-settings' };

/** Returns the menu of models for the group. */
export async function toGroupModelsView(services: BotServices, ctx: BotContext, page: number): Promise<View> {
  const current = ctx.group?.settings.model;
  const { shown, pagerRow } = toPagedRows(listChatModels(services.catalogue), page, MODELS_PER_PAGE, (to) => ({
    kind: 'list-group-models',
    page: to,
  }));
  const rows = [
    ...shown.map((entry) => [toModelButton(entry, current, { kind: 'change-group', changes: { model: entry.id } })]),
    pagerRow,
    [toFreeButton(ctx, current === undefined, { model: null })],
    [{ text: ctx.texts.buttons.back, action: BACK }],
  ];
  return { text: texts[ctx.locale].askModel, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

const PERSONAS_PER_PAGE = 8;

/** Returns the menu of personas for the group: the built-in ones and the user's own. */
export async function toGroupPersonasView(services: BotServices, ctx: BotContext, page: number): Promise<View> {
  const { persona, systemPrompt } = ctx.group?.settings ?? {};
  const all = await listPersonas(services, ctx.locale, ctx.user.id);
  const { shown, pagerRow } = toPagedRows(all, page, PERSONAS_PER_PAGE, (to) => ({
    kind: 'list-group-personas',
    page: to,
  }));
  const rows = [
    ...shown.map(({ label, reference }): ActionButton[] => [
      {
        text: (reference === persona ? '✓ ' : '') + label,
        action: { kind: 'change-group', changes: { persona: reference, systemPrompt: null } },
      },
    ]),
    pagerRow,
    [toFreeButton(ctx, persona === undefined && systemPrompt === undefined, { persona: null, systemPrompt: null })],
    [{ text: ctx.texts.buttons.back, action: BACK }],
  ];
  return { text: texts[ctx.locale].askPersona, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Returns the menu of languages for the bot's texts. */
export async function toGroupLanguagesView(services: BotServices, ctx: BotContext): Promise<View> {
  const current = ctx.group?.settings.language;
  const rows = [
    ...localeCodes.map((code): ActionButton[] => [
      {
        text: (code === current ? '✓ ' : '') + locales[code].languageName,
        action: { kind: 'change-group', changes: { language: code } },
      },
    ]),
    [toFreeButton(ctx, current === undefined, { language: null })],
    [{ text: ctx.texts.buttons.back, action: BACK }],
  ];
  return {
    text: settingsTexts[ctx.locale].askLanguage,
    keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows),
  };
}

type GroupChanges = Extract<CallbackAction, { kind: 'change-group' }>['changes'];

function toFreeButton(ctx: BotContext, isCurrent: boolean, changes: GroupChanges): ActionButton {
  return {
    text: (isCurrent ? '✓ ' : '') + texts[ctx.locale].buttons.asEachHas,
    action: { kind: 'change-group', changes },
  };
}
