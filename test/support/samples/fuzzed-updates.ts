import type { TsType } from '@swc/core';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { type Declarations, listFields, nameOf, readBotApiTypes } from './type-declarations.ts';

/** Chat and author of generated updates. */
export interface FuzzedPlace {
  readonly chat: JsonObject;
  readonly from: JsonObject;
}

interface FuzzedUpdate {
  readonly update: JsonObject & { readonly update_id: number };
  /** Whether it conforms to the Bot API. */
  readonly isValid: boolean;
}

const MAX_DEPTH = 6;
const FIRST_UPDATE_ID = 900_000_000;

/**
 * Generates updates that Telegram could send, and some that it never would. Determined by the seed.
 * @param places existing chats, which most updates refer to
 */
export function createUpdateFuzzer(seed: number, places: readonly FuzzedPlace[]) {
  const types = readBotApiTypes();
  const kinds = listFields(types, 'Update').filter(({ name }) => name !== 'update_id');
  const dice = createDice(seed);
  let made = 0;
  return {
    next(): FuzzedUpdate {
      made += 1;
      const chatTopic = dice.pick(places);
      const make = createMaker(types, dice, chatTopic);
      const kind = dice.chance(0.6) ? kinds.find(({ name }) => name === 'message') : dice.pick(kinds);
      const update: JsonObject =
        kind === undefined || dice.chance(0.02)
          ? { hologram: { id: made, from: chatTopic.from, chat: chatTopic.chat } }
          : { [kind.name]: make.ofType(kind.type, kind.name, 0) };
      const own = structuredClone(update);
      const isValid = dice.chance(0.7);
      if (!isValid) mutilate(own, dice);
      return { update: { update_id: FIRST_UPDATE_ID + made, ...own }, isValid };
    },
  };
}

type Dice = ReturnType<typeof createDice>;

/** Uses Mulberry32, which gives the same numbers on every machine. */
function createDice(seed: number) {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
    roll,
    chance: (probability: number) => roll() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[Math.floor(roll() * items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
  };
}

const TEXTS = [
  'Hello, how are you?',
  '',
  ' ',
  '👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🤷🏽‍♂️',
  'a\u0000b\u202Ec\uD800d',
  'مرحبا بالعالم',
  'x'.repeat(4096),
  '𝒳'.repeat(2048),
  '*_`[]()~>#+-=|{}.!\\ <b>&amp;</b> $x^2$ ```',
  '/',
  '/start',
  '/start c_AAAAAAAAAAAAAAAAAAAAAA',
  '/start f_\u0000',
  '/help@switch_bot',
  '/imagine',
  '/imagine a fox --ratio 0:0 --n 999',
  '/threads \\%_',
  '/share',
  '/files %',
  '/system',
  '/model nobody',
  '/persona',
  '/settings',
  '/usage',
  '/key',
  '/export',
  '/forget',
  '/stop',
  '/save',
  '/new',
  '/delete x y',
  '/privacy',
  '/unknown',
  '@switch_bot what is this?',
];
const NUMBERS = [0, 1, -1, 7, 400, 1_700_000_000, 2 ** 31, -(2 ** 31), 2 ** 52 - 1, -100_123];

function createMaker(types: Declarations, dice: Dice, chatTopic: FuzzedPlace) {
  let messageId = Math.floor(dice.roll() * 1_000_000) + 1_000_000;

  const ofName = (name: string, depth: number): unknown => {
    const declared = types.get(name);
    if (!declared || depth > MAX_DEPTH) return {};
    if (declared.type === 'TsTypeAliasDeclaration') return ofType(declared.typeAnnotation, '', depth);
    const fields = listFields(types, name);
    const optional = fields.filter(({ isOptional }) => isOptional);
    // A message has dozens of optional fields, one of which defines its type.
    const wanted = optional.length > 0 && dice.chance(0.8) ? dice.pick(optional).name : undefined;
    const share = optional.length > 12 ? 0.06 : 0.4;
    const chosen = fields.filter((field) => !field.isOptional || field.name === wanted || dice.chance(share));
    return Object.fromEntries(chosen.map((field) => [field.name, ofType(field.type, field.name, depth + 1)]));
  };

  const ofKnownField = (name: string, depth: number): unknown => {
    if (name === 'chat' && dice.chance(0.9)) return chatTopic.chat;
    if ((name === 'from' || name === 'user') && dice.chance(0.9)) return chatTopic.from;
    if (name === 'date' || name === 'edit_date') return dice.chance(0.9) ? Math.floor(Date.now() / 1000) : 0;
    if (name === 'message_id' && depth < 3) return ++messageId;
    return undefined;
  };

  const ofType = (type: TsType, name: string, depth: number): unknown => {
    const known = ofKnownField(name, depth);
    if (known !== undefined) return known;
    switch (type.type) {
      case 'TsKeywordType':
        return ofKeyword(type.kind);
      case 'TsLiteralType':
        return 'value' in type.literal ? type.literal.value : '';
      case 'TsParenthesizedType':
        return ofType(type.typeAnnotation, name, depth);
      case 'TsArrayType':
        return Array.from({ length: Math.floor(dice.roll() * 4) }, () => ofType(type.elemType, name, depth + 1));
      case 'TsUnionType':
        return ofType(dice.pick(type.types), name, depth);
      case 'TsIntersectionType':
        return Object.assign({}, ...type.types.map((part) => ofType(part, '', depth)));
      case 'TsTypeReference':
        return ofReference(nameOf(type.typeName), type.typeParams?.params ?? [], depth);
      default:
        return {};
    }
  };

  const ofReference = (name: string, params: readonly TsType[], depth: number): unknown => {
    const [first] = params;
    if (types.has(name)) return ofName(name, depth);
    return first ? ofType(first, '', depth) : {};
  };

  const ofKeyword = (kind: string): unknown => {
    if (kind === 'number') return dice.chance(0.6) ? Math.floor(dice.roll() * 100) : dice.pick(NUMBERS);
    if (kind === 'boolean') return dice.chance(0.5);
    return dice.pick(TEXTS);
  };

  return { ofType };
}

const JUNK: readonly unknown[] = [
  null,
  [],
  {},
  '',
  'x',
  0,
  -1,
  0.5,
  2 ** 60,
  1e300,
  true,
  [null],
  { a: { b: [] } },
  '\u0000',
];

/** Removes or replaces a random field. */
function mutilate(value: JsonObject, dice: Dice): void {
  let target: object = value;
  for (;;) {
    const keys = Object.keys(target);
    if (keys.length === 0) return;
    const key = dice.pick(keys);
    const inner: unknown = Reflect.get(target, key);
    if (typeof inner === 'object' && inner !== null && dice.chance(0.75)) {
      target = inner;
      continue;
    }
    if (dice.chance(0.3)) Reflect.deleteProperty(target, key);
    else Reflect.set(target, key, dice.pick(JUNK));
    return;
  }
}
