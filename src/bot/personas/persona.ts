import type { OwnPersona } from '../../core/personas/index.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import type { Locale } from '../texts/locale.ts';
import { findShippedPersona, type ShippedPersona, shippedPersonas } from './shipped-personas.ts';
import { texts } from './texts.ts';

/** Persona as shown to users: a built-in one, or one that a user has made. */
export interface Persona {
  /** Reference in conversations and settings: the key of a built-in persona, or `own:` and an id. */
  readonly reference: string;
  /** Emoji and name. */
  readonly label: string;
  /** Undefined for personas of users. */
  readonly description: string | undefined;
  readonly instructions: string;
  readonly own: OwnPersona | undefined;
}

const OWN_EMOJI = '🎭';
const OWN_REFERENCE = /^own:(\d{1,9})$/;

/** Returns the persona of a reference; undefined if it no longer exists. */
export async function findPersona(
  { personas }: BotServices,
  locale: Locale,
  reference: string,
): Promise<Persona | undefined> {
  const shipped = findShippedPersona(reference);
  if (shipped) return toShipped(locale, shipped);
  const [, id] = OWN_REFERENCE.exec(reference) ?? [];
  const own = id === undefined ? undefined : await personas.find(Number(id));
  return own && toOwn(own);
}

/**
 * Returns the persona of a reference if the user may see and choose it: personas of users are for their owners only.
 */
export async function findChoosablePersona(
  services: BotServices,
  { locale, user }: BotContext,
  reference: string,
): Promise<Persona | undefined> {
  const persona = await findPersona(services, locale, reference);
  return persona?.own && persona.own.userId !== user.id ? undefined : persona;
}

/** Returns the user's own personas, then the built-in ones. */
export async function listPersonas(
  { personas }: BotServices,
  locale: Locale,
  userId: number,
): Promise<readonly Persona[]> {
  const own = await personas.list(userId);
  return [...own.map(toOwn), ...shippedPersonas.map((shipped) => toShipped(locale, shipped))];
}

export function toOwn(own: OwnPersona): Persona {
  const { id, name, instructions } = own;
  return { reference: `own:${id}`, label: `${OWN_EMOJI} ${name}`, description: undefined, instructions, own };
}

function toShipped(locale: Locale, { key, emoji, instructions }: ShippedPersona): Persona {
  const { name, description } = texts[locale][key];
  return { reference: key, label: `${emoji} ${name}`, description, instructions, own: undefined };
}
