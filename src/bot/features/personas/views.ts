import { toStartLink } from '../../../lib/start-link.ts';
import { shortenMiddle } from '../../choices/model-choice.ts';
import { findEffectivePromptHere, listPersonas, type Persona } from '../../choices/personas.ts';
import type { ActionAnswer } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import {
  type ActionButton,
  type KeyboardButton,
  type Origin,
  storeKeyboard,
  toButtonTarget,
  toLeaveButton,
  toPagedRows,
} from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import { texts } from './texts.ts';

/** In rows of two. */
const PERSONAS_PER_PAGE = 8;
/** Number of characters of a name that fit on half a phone's width. */
const MAX_LABEL_CHARACTERS = 18;

/** Origin of a menu of personas, and its page. */
interface PersonaListing {
  readonly page?: number | undefined;
  readonly back?: Origin;
}

/**
 * Returns one page of the personas. A button selects its persona for this conversation; the button of the selected one
 * is marked and shows its details.
 */
export async function toPersonaMenu(
  services: BotServices,
  ctx: BotContext,
  { page = 0, back, news }: PersonaListing & { readonly news?: string | undefined } = {},
): Promise<View> {
  const words = texts[ctx.locale];
  const here = (await findEffectivePromptHere(services, ctx))?.persona;
  const all = await listPersonas(services, ctx.locale, ctx.user.id);
  const paged = toPagedRows(all, page, PERSONAS_PER_PAGE, (to) => ({
    kind: 'list-personas',
    page: to,
    back,
  }));
  const shown = paged.shown.map((persona): ActionButton => {
    const { reference } = persona;
    const label = shortenMiddle(persona.label, MAX_LABEL_CHARACTERS);
    const chosen = { persona: reference, page: paged.page, back };
    return reference === here?.reference
      ? { text: `✓ ${label}`, action: { kind: 'show-persona', ...chosen } }
      : { text: label, action: { kind: 'use-persona', isAlways: false, ...chosen } };
  });
  const rows = [
    ...inPairs(shown),
    paged.pagerRow,
    [
      { text: words.buttons.make, action: { kind: 'make-persona' } },
      { text: words.buttons.ownInstructions, action: { kind: 'show-system-prompt' } },
    ],
    [toLeaveButton(ctx.texts, back)],
  ] satisfies readonly (readonly ActionButton[])[];
  const heading = words.heading(here?.label);
  const text = news === undefined ? heading : `${news}\n\n${heading}`;
  return { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Returns the confirmation of a selected persona, with links to its details and the list. */
export async function toUsedPersonaView(
  services: BotServices,
  ctx: BotContext,
  { reference, label, description }: Persona,
  { page = 0, back }: PersonaListing = {},
): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const text = [words.used(label), description].filter((line) => line !== undefined).join('\n\n');
  const always: ActionButton = {
    text: words.buttons.useAlways,
    action: { kind: 'use-persona', persona: reference, isAlways: true },
  };
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ctx.user.settings.persona === reference ? [] : [always],
    [
      { text: words.buttons.details, action: { kind: 'show-persona', persona: reference, page, back } },
      { text: buttons.back, action: { kind: 'list-personas', page, back } },
    ],
  ]);
  return { text, keyboard };
}

/** Returns the details of a persona: description, instructions, and actions. */
export async function toPersonaView(
  services: BotServices,
  ctx: BotContext,
  persona: Persona,
  { page = 0, back, news }: PersonaListing & { readonly news?: string | undefined } = {},
): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const { reference, own } = persona;
  const here = await findEffectivePromptHere(services, ctx);
  const isHere = here?.persona?.reference === reference;
  const isDefault = ctx.user.settings.persona === reference;
  const lines = [
    ...(persona.description === undefined ? [] : [persona.description]),
    ...(isHere && !here.isDefault ? [words.isHere] : []),
    ...(isDefault ? [words.isDefault] : []),
  ];
  const text = [persona.label, ...(lines.length > 0 ? [lines.join('\n')] : []), persona.instructions, news]
    .filter((line) => line !== undefined)
    .join('\n\n');
  const always: ActionButton = isDefault
    ? { text: words.buttons.useNoLonger, action: { kind: 'drop-usual-persona' } }
    : { text: words.buttons.useAlways, action: { kind: 'use-persona', persona: reference, isAlways: true } };
  const use: ActionButton = {
    text: words.buttons.use,
    action: { kind: 'use-persona', persona: reference, isAlways: false, page, back },
  };
  const drop: ActionButton = { text: words.buttons.drop, action: { kind: 'remove-system-prompt' } };
  const isTheirs = own?.userId === ctx.user.id;
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    isHere && here.isDefault ? [] : [isHere ? drop : use],
    [always],
    isTheirs
      ? [
          { text: words.buttons.rename, action: { kind: 'rename-persona', personaId: own.id } },
          { text: words.buttons.edit, action: { kind: 'edit-persona', personaId: own.id } },
          { text: words.buttons.delete, action: { kind: 'delete-persona', personaId: own.id } },
        ]
      : [],
    listSharing(services, ctx, persona),
    [{ text: buttons.back, action: { kind: 'list-personas', page, back } }],
  ]);
  return { text, entities: markParts(text, 'expandable_blockquote', persona.instructions), keyboard };
}

/** Returns the sharing buttons: a built-in persona always has a link, an own one after its owner has shared it. */
function listSharing(services: BotServices, ctx: BotContext, { reference, own }: Persona): readonly KeyboardButton[] {
  const { buttons } = texts[ctx.locale];
  const toCopy = (key: string) => ({
    text: ctx.texts.buttons.copyLink,
    copy_text: { text: toStartLink(services, ctx.me, 'persona', key) },
  });
  if (!own) return [toCopy(reference)];
  if (own.userId !== ctx.user.id) return [];
  const personaId = own.id;
  if (own.shareKey === undefined) return [{ text: buttons.share, action: { kind: 'share-persona', personaId } }];
  return [toCopy(own.shareKey), { text: buttons.unshare, action: { kind: 'unshare-persona', personaId } }];
}

function inPairs<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.flatMap((item, index) => (index % 2 === 0 ? [[item, ...items.slice(index + 1, index + 2)]] : []));
}

/** Returns the notice for a persona that no longer exists, and shows the list. */
export function toGonePersona(services: BotServices, ctx: BotContext): ActionAnswer {
  const hint = texts[ctx.locale].gone;
  return { hint, afterwards: async () => showView(ctx, await toPersonaMenu(services, ctx)) };
}
