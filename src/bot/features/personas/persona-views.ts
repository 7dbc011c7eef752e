import { type TelegramAddress, toStartLink } from '../../../lib/start-link.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, type KeyboardButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { type Origin, toLeaveButton } from '../../framework/leave-button.ts';
import { toPagedRows } from '../../framework/paged-rows.ts';
import { markPieces, type View } from '../../framework/view.ts';
import { shortenMiddle } from '../../models/model-choice.ts';
import { listPersonas, type Persona } from '../../personas/persona.ts';
import { findGuiseHere } from '../../personas/standing-guise.ts';
import { texts } from './texts/index.ts';

/** In rows of two. */
const PERSONAS_PER_PAGE = 8;
/** Number of characters of a name that fit on half a phone's width. */
const MAX_LABEL_CHARACTERS = 18;

export interface PersonasServices
  extends TelegramAddress,
    Pick<BotDeps, 'accounts' | 'conversations' | 'interactions' | 'logger' | 'personas'> {}

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
  deps: PersonasServices,
  ctx: BotContext,
  { page = 0, back, news }: PersonaListing & { readonly news?: string | undefined } = {},
): Promise<View> {
  const words = texts[ctx.locale];
  const here = (await findGuiseHere(deps, ctx))?.persona;
  const all = await listPersonas(deps, ctx.locale, ctx.user.id);
  const paged = toPagedRows(all, page, PERSONAS_PER_PAGE, (to) => ({
    ...{ kind: 'list-personas', page: to, back },
  }));
  const shown = paged.shown.map((persona): ChoiceButton => {
    const { reference } = persona;
    const label = shortenMiddle(persona.label, MAX_LABEL_CHARACTERS);
    const chosen = { persona: reference, page: paged.page, back };
    return reference === here?.reference
      ? { text: `✓ ${label}`, choice: { kind: 'show-persona', ...chosen } }
      : { text: label, choice: { kind: 'use-persona', isAlways: false, ...chosen } };
  });
  const rows = [
    ...inPairs(shown),
    paged.turnRow,
    [
      { text: words.buttons.make, choice: { kind: 'make-persona' } },
      { text: words.buttons.ownInstructions, choice: { kind: 'show-system-prompt' } },
    ],
    [toLeaveButton(ctx.texts, back)],
  ] satisfies readonly (readonly ChoiceButton[])[];
  const heading = words.heading(here?.label);
  const text = news === undefined ? heading : `${news}\n\n${heading}`;
  return { text, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

/** Returns the confirmation of a selected persona, with links to its details and the list. */
export async function toUsedPersonaView(
  deps: PersonasServices,
  ctx: BotContext,
  { reference, label, description }: Persona,
  { page = 0, back }: PersonaListing = {},
): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const text = [words.used(label), description].filter((part) => part !== undefined).join('\n\n');
  const always: ChoiceButton = {
    text: words.buttons.useAlways,
    choice: { kind: 'use-persona', persona: reference, isAlways: true },
  };
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    ctx.user.settings.persona === reference ? [] : [always],
    [
      { text: words.buttons.details, choice: { kind: 'show-persona', persona: reference, page, back } },
      { text: buttons.back, choice: { kind: 'list-personas', page, back } },
    ],
  ]);
  return { text, keyboard };
}

/** Returns the details of a persona: description, instructions, and actions. */
export async function toPersonaView(
  deps: PersonasServices,
  ctx: BotContext,
  persona: Persona,
  { page = 0, back, news }: PersonaListing & { readonly news?: string | undefined } = {},
): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const { reference, own } = persona;
  const here = await findGuiseHere(deps, ctx);
  const isHere = here?.persona?.reference === reference;
  const isDefault = ctx.user.settings.persona === reference;
  const notes = [
    ...(persona.description === undefined ? [] : [persona.description]),
    ...(isHere && !here.isDefault ? [words.isHere] : []),
    ...(isDefault ? [words.isDefault] : []),
  ];
  const text = [persona.label, ...(notes.length > 0 ? [notes.join('\n')] : []), persona.instructions, news]
    .filter((part) => part !== undefined)
    .join('\n\n');
  const always: ChoiceButton = isDefault
    ? { text: words.buttons.useNoLonger, choice: { kind: 'drop-usual-persona' } }
    : { text: words.buttons.useAlways, choice: { kind: 'use-persona', persona: reference, isAlways: true } };
  const use: ChoiceButton = {
    text: words.buttons.use,
    choice: { kind: 'use-persona', persona: reference, isAlways: false, page, back },
  };
  const drop: ChoiceButton = { text: words.buttons.drop, choice: { kind: 'remove-system-prompt' } };
  const isTheirs = own?.userId === ctx.user.id;
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    isHere && here.isDefault ? [] : [isHere ? drop : use],
    [always],
    isTheirs
      ? [
          { text: words.buttons.rename, choice: { kind: 'rename-persona', personaId: own.id } },
          { text: words.buttons.edit, choice: { kind: 'edit-persona', personaId: own.id } },
          { text: words.buttons.delete, choice: { kind: 'delete-persona', personaId: own.id } },
        ]
      : [],
    listSharing(deps, ctx, persona),
    [{ text: buttons.back, choice: { kind: 'list-personas', page, back } }],
  ]);
  return { text, entities: markPieces(text, 'expandable_blockquote', persona.instructions), keyboard };
}

/** Returns the sharing buttons: a built-in persona always has a link, an own one after its owner has shared it. */
function listSharing(deps: TelegramAddress, ctx: BotContext, { reference, own }: Persona): readonly KeyboardButton[] {
  const { buttons } = texts[ctx.locale];
  const toCopy = (key: string) => ({
    text: ctx.texts.buttons.copyLink,
    copy_text: { text: toStartLink(deps, ctx.me, 'persona', key) },
  });
  if (!own) return [toCopy(reference)];
  if (own.userId !== ctx.user.id) return [];
  const personaId = own.id;
  if (own.shareKey === undefined) return [{ text: buttons.share, choice: { kind: 'share-persona', personaId } }];
  return [toCopy(own.shareKey), { text: buttons.unshare, choice: { kind: 'unshare-persona', personaId } }];
}

function inPairs<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.flatMap((item, index) => (index % 2 === 0 ? [[item, ...items.slice(index + 1, index + 2)]] : []));
}
