import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { conversations, forgottenUsers, messages, responses, users } from '../../database/schema/index.ts';
import { toStorableJson, toStorableText } from '../../database/storable.ts';
import { countCharacters } from '../../lib/json/large-json.ts';

/** Items and bodies are JSON objects of the Responses API, which this module stores without reading them. */
export type JsonItem = { readonly [field: string]: unknown };

/** A message of a response's input, as the conversation shows it. */
export interface ConversationText {
  readonly role: 'user' | 'assistant';
  /** Markdown. */
  readonly text: string;
}

/** A finished response. */
export interface FinishedResponse {
  readonly id: string;
  readonly userId: number;
  /** Time of its request. */
  readonly createdAt: Date;
  /** Id of the response that this one continues; undefined begins a conversation. */
  readonly previousId: string | undefined;
  readonly inputItems: readonly JsonItem[];
  readonly body: JsonItem;
  /** Ids of the items of input and output, by which `findByItems` finds the response. */
  readonly itemIds: readonly string[];
  /** Whether it was begun with `begin`. */
  readonly isBackground: boolean;
  /** The messages of the input, oldest first. */
  readonly input: readonly ConversationText[];
  readonly answer: string;
  /** Public name of the requested model. */
  readonly model: string;
  readonly finishReason: string;
  /** System prompt of a conversation that begins. */
  readonly instructions: string | undefined;
}

/** Chat of conversations whose user has no Telegram account: no chat has this id. */
export const NO_CHAT = 0;
/** Maximum number of messages of one input that the conversation shows. */
const MAX_INPUT_MESSAGES = 500;
/**
 * Larger responses are not stored, in characters of their texts: images in the input, above all. A background request has
 * this bound, and its answer as much again.
 */
export const MAX_STORED_CHARACTERS = 1024 * 1024;

/** Returns whether items and bodies are small enough to be stored. Does not print them, which would take long. */
export function isStorable(items: readonly unknown[], maxCharacters = MAX_STORED_CHARACTERS): boolean {
  return countCharacters(items) <= maxCharacters;
}

/**
 * Stores a finished response and adds its input and answer to the tree of messages, in the user's private chat. Of a
 * long input only the newest messages are added. The conversation does not become the current one; the branch is shown
 * if the message before it was.
 * @returns the number of bytes that are stored; 0 if nothing is.
 */
export type AddResponse = (response: FinishedResponse) => Promise<number>;

/** Prepares the one statement that stores a response. */
export function prepareAddResponse(db: Database): AddResponse {
  const steps = Object.entries(STEPS).map(([name, step]) => db.$with(name, {}).as(step));
  const isAdded = sql<boolean>`exists (select from stored)`;
  const statement = db
    .with(...steps)
    .select({ isAdded })
    .from(sql`(select 1) as one`)
    .prepare('add_response');
  return async (response) => {
    // The request of a background response was small enough to be stored; the answer to it, which is paid, must fit as well.
    const maxCharacters = response.isBackground ? 2 * MAX_STORED_CHARACTERS : MAX_STORED_CHARACTERS;
    if (!isStorable([response.inputItems, response.body], maxCharacters)) return 0;
    const { id, userId, isBackground, previousId, instructions } = response;
    const texts: readonly ConversationText[] = [
      ...response.input.slice(-MAX_INPUT_MESSAGES),
      { role: 'assistant', text: response.answer },
    ];
    const stored = {
      input: JSON.stringify(response.inputItems),
      body: JSON.stringify(response.body),
      texts: toStorableJson(texts),
    };
    const [row] = await statement.execute({
      ...stored,
      id,
      userId,
      isBackground,
      previousId: previousId === undefined ? null : toStorableText(previousId),
      itemIds: toStorableJson(response.itemIds),
      model: toStorableText(response.model),
      finishReason: toStorableText(response.finishReason),
      instructions: instructions ? toStorableText(instructions) : null,
      createdAt: response.createdAt.toISOString(),
    });
    if (row?.isAdded !== true) return 0;
    return Object.values(stored).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  };
}

const { placeholder } = sql;
/** Extras of answers: a client may send texts of others as words of the user, or as instructions. */
const FOREIGN = sql.raw(`'{"hasForeignText":true}'`);
const id = sql`${placeholder('id')}::text`;
const userId = sql`${placeholder('userId')}::integer`;
const previousId = sql`${placeholder('previousId')}::text`;
const instructions = sql`${placeholder('instructions')}::text`;
const createdAt = sql`${placeholder('createdAt')}::timestamptz`;
const answerId = sql`(select max(id) from numbered)`;

/** Steps of the statement, by the names under which later ones refer to them. */
const STEPS: Readonly<Record<string, SQL>> = {
  // Locks a background response against cancellation and deletion.
  wanted: sql`
    select id from ${responses} where id = ${id} and is_running for update`,
  parent: sql`
    select message.id, message.conversation_id
    from ${responses} as response join ${messages} as message on message.id = response.message_id
    where response.id = ${previousId} and response.user_id = ${userId}`,
  allowed: sql`
    select id as user_id, telegram_id from ${users}
    where id = ${userId}
      and (not ${placeholder('isBackground')}::boolean or exists (select from wanted))
      and (${previousId} is null or exists (select from parent))
      and not exists (select from ${forgottenUsers} where user_id = ${userId} and forgotten_at >= ${createdAt})`,
  // Ids ascend in the order of the texts.
  numbered: sql`
    select nextval(pg_get_serial_sequence('messages', 'id')) as id, role, text
    from json_to_recordset(${placeholder('texts')}::json) as given (role text, text text), allowed`,
  begun: sql`
    insert into ${conversations} (chat_id, user_id, is_current, model, instructions, instructions_by, head_id)
    select coalesce(telegram_id, ${NO_CHAT}), user_id, false, ${placeholder('model')}, ${instructions},
      case when ${instructions} is not null then user_id end, ${answerId}
    from allowed where ${previousId} is null
    returning id`,
  conversation: sql`
    select id, null::bigint as parent_id from begun union all select conversation_id, id from parent, allowed`,
  added: sql`
    insert into ${messages} (id, conversation_id, parent_id, role, content, user_id, model, finish_reason, extras, settled_at)
    overriding system value
    select numbered.id, conversation.id, coalesce(lag(numbered.id) over (order by numbered.id), parent_id), role, text,
      case role when 'user' then ${userId} end,
      case role when 'assistant' then ${placeholder('model')}::text end,
      case role when 'assistant' then ${placeholder('finishReason')}::text end,
      case role when 'assistant' then ${FOREIGN}::jsonb end,
      case role when 'assistant' then now() end
    from numbered, conversation`,
  shown: sql`
    update ${conversations} as shown set head_id = ${answerId}
    from parent, allowed
    where shown.id = parent.conversation_id and (head_id is null or head_id = parent.id)`,
  stored: sql`
    insert into ${responses}
      (id, user_id, message_id, parent_message_id, first_message_id, item_ids, input, body, created_at)
    select ${id}, ${userId}, ${answerId}, parent_id, (select min(id) from numbered),
      array(select json_array_elements_text(${placeholder('itemIds')}::json)),
      ${placeholder('input')}, ${placeholder('body')}, ${createdAt}
    from conversation
    on conflict (id) do update set
      message_id = excluded.message_id, parent_message_id = excluded.parent_message_id,
      first_message_id = excluded.first_message_id, item_ids = excluded.item_ids, input = excluded.input,
      body = excluded.body, is_running = false
    returning id`,
};
