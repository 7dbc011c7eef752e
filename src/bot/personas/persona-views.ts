import { toStartLink } from '../../lib/start-link.ts';
import { shortenMiddle } from '../answers/model-choice.ts';
import { findGuiseHere } from '../answers/standing-guise.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { type ChoiceButton, type KeyboardButton, offerKeyboard, toButtonTarget } from '../keyboards/keyboard.ts';
import { toPagedRows } from '../keyboards/paged-rows.ts';
import { markPieces, type View } from '../keyboards/view.ts';
import { listPersonas, type Persona } from './persona.ts';

/** Two in a row. */
const PERSONAS_PER_PAGE = 8;
/** What half a phone shows of a name. */
const MAX_LABEL_CHARACTERS = 18;

/** One page of the personas, the one that answers here marked. */
export async function toPersonaMenu(deps: BotDeps, ctx: BotContext, page: number, news?: string): Promise<View> {
  const { personas, buttons } = ctx.texts;
  const here = (await findGuiseHere(deps, ctx))?.persona;
  const all = await listPersonas(deps, ctx.texts, ctx.person.id);
  const paged = toPagedRows(all, page, PERSONAS_PER_PAGE, (to) => ({ kind: 'list-personas', page: to }));
  const shown = paged.shown.map((persona): ChoiceButton => {
    const mark = persona.reference === here?.reference ? '✓ ' : '';
    const choice = { kind: 'show-persona', persona: persona.reference, page: paged.page } as const;
    return { text: mark + shortenMiddle(persona.label, MAX_LABEL_CHARACTERS), choice };
  });
  const rows = [
    ...inPairs(shown),
    paged.turnRow,
    [
      { text: personas.buttons.make, choice: { kind: 'make-persona' } },
      { text: personas.buttons.ownInstructions, choice: { kind: 'show-system-prompt' } },
    ],
    [{ text: buttons.close, choice: { kind: 'close-menu' } }],
  ] satisfies readonly (readonly ChoiceButton[])[];
  const heading = personas.heading(here?.label);
  const text = news === undefined ? heading : `${news}\n\n${heading}`;
  return { text, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}

/** One persona: what it does, what the model is told, and where it can be used. */
export async function toPersonaView(
  deps: BotDeps,
  ctx: BotContext,
  persona: Persona,
  { page = 0, news }: { readonly page?: number | undefined; readonly news?: string | undefined } = {},
): Promise<View> {
  const { personas, buttons } = ctx.texts;
  const { reference, own } = persona;
  const here = await findGuiseHere(deps, ctx);
  const isHere = here?.persona?.reference === reference;
  const isDefault = ctx.person.settings.persona === reference;
  const notes = [
    ...(persona.description === undefined ? [] : [persona.description]),
    ...(isHere && !here.isDefault ? [personas.isHere] : []),
    ...(isDefault ? [personas.isDefault] : []),
  ];
  const text = [persona.label, ...(notes.length > 0 ? [notes.join('\n')] : []), persona.instructions, news]
    .filter((part) => part !== undefined)
    .join('\n\n');
  const always: ChoiceButton = isDefault
    ? { text: personas.buttons.useNoLonger, choice: { kind: 'drop-usual-persona' } }
    : { text: personas.buttons.useAlways, choice: { kind: 'use-persona', persona: reference, isAlways: true } };
  const use: ChoiceButton = {
    text: personas.buttons.use,
    choice: { kind: 'use-persona', persona: reference, isAlways: false },
  };
  const isTheirs = own?.personId === ctx.person.id;
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    isHere ? [] : [use],
    [always],
    isTheirs
      ? [
          { text: personas.buttons.rename, choice: { kind: 'rename-persona', personaId: own.id } },
          { text: personas.buttons.edit, choice: { kind: 'edit-persona', personaId: own.id } },
          { text: personas.buttons.delete, choice: { kind: 'delete-persona', personaId: own.id } },
        ]
      : [],
    listSharing(ctx, persona),
    [{ text: buttons.back, choice: { kind: 'list-personas', page } }],
  ]);
  return { text, entities: markPieces(text, 'expandable_blockquote', persona.instructions), keyboard };
}

/** A link to those that come along is there for everybody, one to an own one where its owner has wished for it. */
function listSharing({ me, texts, person }: BotContext, { reference, own }: Persona): readonly KeyboardButton[] {
  const { buttons } = texts.personas;
  const toCopy = (key: string) => ({
    text: texts.files.buttons.copyLink,
    copy_text: { text: toStartLink(me, 'persona', key) },
  });
  if (!own) return [toCopy(reference)];
  if (own.personId !== person.id) return [];
  const personaId = own.id;
  if (own.shareKey === undefined) return [{ text: buttons.share, choice: { kind: 'share-persona', personaId } }];
  return [toCopy(own.shareKey), { text: buttons.unshare, choice: { kind: 'unshare-persona', personaId } }];
}

function inPairs<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.flatMap((item, index) => (index % 2 === 0 ? [[item, ...items.slice(index + 1, index + 2)]] : []));
}
