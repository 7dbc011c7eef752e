import fc from 'fast-check';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { START_PAYLOADS } from '../../../src/lib/start-link.ts';
import type { FuzzedPlace } from './fuzzed-updates.ts';

/** Data of other users that an attacker has. */
export interface Loot {
  /** Callback data of buttons that belong to other users. */
  readonly tokens: readonly string[];
  /** Ids of conversations, files and shared pages of other users, as in payloads of `/start`. */
  readonly ids: readonly string[];
}

/** Update that a user with a modified client can cause, or that a broken server could send. */
export interface HostileUpdate {
  readonly family: string;
  /** Without an update id. An album is several updates. */
  readonly updates: readonly JsonObject[];
}

/** Ids that JSON can represent but that are outside the valid range. */
const HUGE = [2 ** 53, 2 ** 53 + 2, -(2 ** 53) - 2, 2 ** 63, -(2 ** 63), 1e300, -1, 0, 0.5, '12', '9'.repeat(40), null];
const ENTITY_TYPES = [
  ...['bot_command', 'mention', 'text_link', 'text_mention', 'url', 'pre', 'code', 'spoiler', 'custom_emoji', 'email'],
  ...['', 'unknown', '__proto__', 'constructor'],
];
const EMOJI_TEXT = '👨‍👩‍👧‍👦🤷🏽‍♂️'.repeat(400).slice(0, 4096);
const LONG_CAPTION = 300_000;
const ALBUM_SIZE = 100;
const REPLY_DEPTH = 100;
const CONTENTS = [
  ...[
    'poll',
    'giveaway',
    'giveaway_winners',
    'giveaway_completed',
    'checklist',
    'gift',
    'unique_gift',
    'story',
    'dice',
  ],
  ...['venue', 'location', 'contact', 'game', 'invoice', 'paid_media', 'web_app_data', 'users_shared', 'hologram'],
];

const huge = fc.constantFrom<unknown>(...HUGE);
/** Few of them are valid. */
const messageId = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 2 ** 31 - 1 }) }, huge);
const absurdNumber = fc.oneof(fc.integer({ min: -5, max: 5000 }), huge);
const entity = fc.record(
  {
    type: fc.constantFrom(...ENTITY_TYPES),
    offset: absurdNumber,
    length: absurdNumber,
    url: fc.constantFrom('https://example.org', 'javascript:alert(1)', `https://${'a'.repeat(3000)}`, '', '\u0000'),
    user: fc.constantFrom<unknown>({ id: 4242, is_bot: true }, {}, null),
    language: fc.string(),
  },
  { requiredKeys: ['type', 'offset', 'length'] },
);
const entities = fc.oneof(
  fc.array(entity, { maxLength: 8 }),
  entity.map((one) => Array.from({ length: 3000 }, () => one)),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    EMOJI_TEXT,
    'x'.repeat(4096),
    '\uD83D'.repeat(4096),
    `${'['.repeat(2048)}${'('.repeat(2048)}`,
    '*_`~|'.repeat(819),
    `@switch_bot ${'@switch_bot '.repeat(340)}`,
    'https://a.b/'.repeat(341),
    '> '.repeat(2048),
    `$${'\\frac{'.repeat(680)}`,
    '| a '.repeat(1024),
  ),
);

/** Generates updates of one attacker in these chats. Determined by the seed. */
export function hostileUpdate(places: readonly FuzzedPlace[], { tokens, ids }: Loot): fc.Arbitrary<HostileUpdate> {
  const chatTopic = fc.constantFrom(...places);
  const toMessage = ({ chat, from }: FuzzedPlace, more: JsonObject): JsonObject => ({
    message_id: 7,
    date: Math.floor(Date.now() / 1000),
    chat,
    from,
    ...more,
  });
  const of = (family: string, updates: fc.Arbitrary<JsonObject | readonly JsonObject[]>) =>
    updates.map((made): HostileUpdate => ({ family, updates: Array.isArray(made) ? made : [made as JsonObject] }));
  const message = (family: string, content: fc.Arbitrary<JsonObject>) =>
    of(
      family,
      fc
        .tuple(chatTopic, content, messageId, fc.constantFrom('message', 'edited_message'))
        .map(([where, more, id, kind]) => ({ [kind]: toMessage(where, { message_id: id, ...more }) })),
    );

  const data = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...tokens) },
    fc.string({ unit: 'binary', maxLength: 64 }),
    fc.stringMatching(/^[\w-]{1,64}$/),
  );
  const pressed = fc
    .tuple(chatTopic, messageId, data, fc.constantFrom('own', 'other', 'none', 'gone', 'odd'))
    .map(([where, id, token, markup]): JsonObject => {
      if (markup === 'gone') return { chat: where.chat, message_id: id, date: 0 };
      const button = { text: 'x', callback_data: markup === 'own' ? token : 'other' };
      const keyboard = markup === 'odd' ? [[], [null], {}] : [[button]];
      const from = { id: 4242, is_bot: true, first_name: 'Bot' };
      const shown = toMessage({ chat: where.chat, from }, { message_id: id, text: 'A menu' });
      return markup === 'none' ? shown : { ...shown, reply_markup: { inline_keyboard: keyboard } };
    });
  const callback = fc
    .tuple(chatTopic, pressed, data, fc.constantFrom('message', 'inline', 'neither', 'both'))
    .map(([{ from }, shown, token, kind]) => ({
      callback_query: {
        id: '1',
        from,
        chat_instance: '1',
        data: token,
        ...(kind === 'message' || kind === 'both' ? { message: shown } : {}),
        ...(kind === 'inline' || kind === 'both' ? { inline_message_id: 'made-up' } : {}),
      },
    }));
  const payload = fc.oneof(
    fc
      .tuple(
        fc.constantFrom(...Object.values(START_PAYLOADS), ''),
        fc.oneof(fc.constantFrom(...ids), fc.stringMatching(/^[\w-]{1,64}$/), fc.string({ unit: 'binary' })),
      )
      .map(([beginning, end]) => beginning + end),
    fc.nat({ max: 300 }).map((id) => `${START_PAYLOADS.continued}${id}`),
  );
  const start = payload.map((what) => {
    const words = `/start ${what}`;
    return { text: words, entities: [{ type: 'bot_command', offset: 0, length: 6 }] };
  });
  const strange = fc.tuple(text, entities).map(([words, marks]) => ({ text: words, entities: marks }));
  const caption = fc.tuple(fc.constantFrom('a', '👍', '@', ' /x'), entities).map(([unit, marks]) => ({
    caption: unit.repeat(LONG_CAPTION / unit.length),
    caption_entities: marks,
    photo: [{ file_id: 'x', file_unique_id: 'x', width: 1, height: 1 }],
  }));
  const chain = fc.tuple(chatTopic, text).map(([where, words]) => {
    let inner = toMessage(where, { text: words });
    for (let depth = 0; depth < REPLY_DEPTH; depth += 1)
      inner = toMessage(where, { message_id: depth + 1, text: words.slice(0, 50), reply_to_message: inner });
    return {
      reply_to_message: inner,
      text: '@switch_bot why?',
      entities: [{ type: 'mention', offset: 0, length: 11 }],
    };
  });
  const elsewhere = fc.tuple(chatTopic, messageId, absurdNumber).map(([where, id, conversationId]) => ({
    text: '@switch_bot and this?',
    ...{
      message_thread_id: conversationId,
      is_topic_message: true,
      via_bot: { id: 4242, is_bot: true, first_name: 'Bot' },
    },
    reply_to_message: toMessage(
      { chat: where.chat, from: { id: 4242, is_bot: true } },
      { message_id: id, text: 'Menu' },
    ),
  }));
  const unknown = fc.tuple(fc.constantFrom(...CONTENTS), fc.jsonValue({ maxDepth: 3 })).map(([kind, value]) => ({
    [kind]: value as JsonObject,
  }));
  const album = fc.tuple(chatTopic, text).map(([where, words]) =>
    Array.from({ length: ALBUM_SIZE }, (_, index) => ({
      message: toMessage(where, {
        message_id: 1000 + index,
        media_group_id: 'of-100',
        document: { file_id: `x${index}`, file_unique_id: `x${index}`, file_name: words.slice(0, 300), file_size: 5 },
      }),
    })),
  );
  const oddChat = fc.tuple(chatTopic, huge, huge).map(([{ from, chat }, chatId, userId]) => ({
    message: { message_id: 1, date: 0, text: 'hello', chat: { ...chat, id: chatId }, from: { ...from, id: userId } },
  }));
  const other = fc.tuple(chatTopic, text, fc.string({ maxLength: 64 })).chain(([{ from, chat }, words, id]) =>
    fc.constantFrom<JsonObject>(
      { inline_query: { id, from, query: words, offset: id } },
      { chosen_inline_result: { result_id: 'ask', from, query: words, inline_message_id: id } },
      { guest_message: toMessage({ from, chat }, { text: words, guest_query_id: id }) },
      {
        message_reaction: {
          chat,
          message_id: 1,
          user: from,
          date: 0,
          old_reaction: [],
          new_reaction: [{ type: id }],
        },
      },
      { my_chat_member: { chat, from, date: 0, old_chat_member: {}, new_chat_member: { status: id } } },
      { stopped_message_generation: { chat, draft_id: id } },
      { poll: { id, question: words, options: [] } },
      { [id || 'x']: { from, chat, text: words } },
    ),
  );

  return fc.oneof(
    { weight: 6, arbitrary: of('callback query', callback) },
    { weight: 5, arbitrary: message('start payload', start) },
    { weight: 4, arbitrary: message('text with entities', strange) },
    { weight: 2, arbitrary: message('300k caption', caption) },
    { weight: 1, arbitrary: of('album of 100', album) },
    { weight: 1, arbitrary: message('chain of replies', chain) },
    { weight: 2, arbitrary: message('reply to elsewhere', elsewhere) },
    { weight: 3, arbitrary: message('unknown content', unknown) },
    { weight: 2, arbitrary: of('huge ids', oddChat) },
    { weight: 3, arbitrary: of('other kinds', other) },
  );
}
