/** @import { ChatMessage } from '../control-protocol.ts' */
/** @import { ReaderState } from './entities-view.js' */
/** @import { Presses } from './presses.js' */
/** @import { Selection } from './selection.js' */
/** @import { PageState, State } from './state.js' */
import { h } from './dom.js';
import { dayOf, formatDay } from './format.js';
import { renderDraft, renderMessage } from './message-view.js';
import { morph } from './morph.js';
import { draftOf, messagesOf } from './state.js';
import { describeService, senderOf } from './summary.js';

/** Messages of one sender stand together when they are at most this far apart. */
const GROUP_SECONDS = 600;

/**
 * One row of the list: drawn again only when one of its inputs changed.
 * @typedef {object} Row
 * @property {string} key
 * @property {unknown[]} inputs
 * @property {() => Element} render
 */

/**
 * The messages of the open chat as elements, kept up to date in place.
 * @param {{ list: HTMLElement, state: State, selection: Selection, presses: Presses }} deps
 */
export function createConversation({ list, state, selection, presses }) {
  /** @type {Map<string, { node: Element, inputs: unknown[] }>} */
  const drawn = new Map();
  /** @type {Map<string, ReaderState & { version: number }>} */
  const readers = new Map();
  let openPlace = '';

  /** @param {number} chatId @param {number} messageId */
  const readerOf = (chatId, messageId) => {
    const key = `${chatId}/${messageId}`;
    const reader = readers.get(key) ?? { revealed: false, expanded: new Set(), version: 0 };
    readers.set(key, reader);
    return reader;
  };

  /** @param {PageState} current @returns {Row[]} */
  const rows = (current) => {
    const chat = selection.chat;
    if (!chat) return [];
    const topicId = selection.topicId;
    const visible = messagesOf(current, chat.id).filter((item) => isInTopic(item, chat.isForum, topicId));
    const me = selection.meIn(chat)?.id ?? 0;
    const showsSender = chat.type !== 'private';
    /** @type {Row[]} */
    const result = [];
    const groups = toGroups(visible);
    groups.forEach((group, place) => {
      const before = groups[place - 1];
      const after = groups[place + 1];
      if (!before || dayOf(dateOf(before)) !== dayOf(dateOf(group))) result.push(dayRow(dateOf(group)));
      const first = /** @type {ChatMessage} */ (group[0]);
      const isOwn = chat.type !== 'channel' && first.message.from?.id === me;
      const isFirst = !before || !areTogether(before, group);
      const isLast = !after || !areTogether(group, after);
      const isTabStop = !after;
      const reader = readerOf(chat.id, first.message.message_id);
      const busy = presses.busyIn(chat.id, first.message.message_id);
      result.push({
        key: `message-${first.message.message_id}`,
        inputs: [...group, isOwn, isFirst, isLast, showsSender, isTabStop, me, reader.version, busy],
        render: () =>
          renderMessage(group, {
            isOwn,
            isFirst,
            isLast,
            showsSender,
            isTabStop,
            me,
            reader,
            isBusy: (row, column) => busy.includes(`${row}:${column};`),
          }),
      });
    });
    const draft = draftOf(current, chat.id, topicId);
    if (draft) {
      const sender = { id: current.bot.id, name: current.bot.name };
      result.push({ key: 'draft', inputs: [draft], render: () => renderDraft(draft, sender, showsSender) });
    }
    return result;
  };

  /** @param {Row[]} wanted */
  const adoptDraft = (wanted) => {
    const draft = drawn.get('draft');
    const arrived = wanted.at(-1);
    if (!draft || !arrived || arrived.key === 'draft' || drawn.has(arrived.key)) return;
    // The finished message grows out of the draft's bubble instead of replacing it.
    drawn.delete('draft');
    drawn.set(arrived.key, { node: draft.node, inputs: [] });
  };

  return {
    /** Brings the list up to date. @returns {{ isAnotherPlace: boolean }} whether another chat or topic is shown than before */
    render() {
      const place = `${selection.chat?.id ?? ''}/${selection.topicId ?? ''}`;
      const isAnotherPlace = place !== openPlace;
      if (isAnotherPlace) {
        drawn.clear();
        list.replaceChildren();
        openPlace = place;
      }
      const wanted = state.current ? rows(state.current) : [];
      adoptDraft(wanted);
      const keys = new Set(wanted.map((row) => row.key));
      for (const [key, { node }] of drawn) {
        if (keys.has(key)) continue;
        node.remove();
        drawn.delete(key);
      }
      let previous = /** @type {Element | null} */ (null);
      for (const row of wanted) {
        const node = drawRow(drawn, row, !isAnotherPlace);
        const expected = previous ? previous.nextElementSibling : list.firstElementChild;
        if (expected !== node) list.insertBefore(node, expected);
        previous = node;
      }
      return { isAnotherPlace };
    },
    /** Changes what the reader did to a message: reveals it or opens a quote. @param {number} chatId @param {number} messageId @param {(reader: ReaderState) => void} change */
    changeReader(chatId, messageId, change) {
      const reader = readerOf(chatId, messageId);
      change(reader);
      reader.version += 1;
    },
    /** The element of a message, also inside an album. @param {number} messageId @returns {HTMLElement | null} */
    find: (messageId) => list.querySelector(`[data-message="${messageId}"]`),
  };
}

/**
 * @param {Map<string, { node: Element, inputs: unknown[] }>} drawn @param {Row} row @param {boolean} isNews whether a new row comes in with a movement
 * @returns {Element}
 */
function drawRow(drawn, row, isNews) {
  const known = drawn.get(row.key);
  if (known && isSame(known.inputs, row.inputs)) return known.node;
  const node = row.render();
  if (known) {
    morph(known.node, node);
    known.inputs = row.inputs;
    return known.node;
  }
  if (isNews) {
    node.classList.add('is-new');
    node.addEventListener('animationend', () => node.classList.remove('is-new'), { once: true });
  }
  drawn.set(row.key, { node, inputs: row.inputs });
  return node;
}

/** @param {unknown[]} left @param {unknown[]} right */
const isSame = (left, right) => left.length === right.length && left.every((value, place) => value === right[place]);

/** @param {ChatMessage} item @param {boolean} hasTopics @param {number | undefined} topicId */
function isInTopic(item, hasTopics, topicId) {
  if (!hasTopics) return true;
  return (item.message.is_topic_message ? item.message.message_thread_id : undefined) === topicId;
}

/** Albums as one group, everything else alone. @param {ChatMessage[]} messages @returns {ChatMessage[][]} */
function toGroups(messages) {
  /** @type {ChatMessage[][]} */
  const groups = [];
  for (const item of messages) {
    const last = groups.at(-1);
    const album = item.message.media_group_id;
    if (album !== undefined && last?.[0]?.message.media_group_id === album) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** @param {ChatMessage[]} group */
const dateOf = (group) => group[0]?.message.date ?? 0;

/** @param {ChatMessage[]} before @param {ChatMessage[]} after */
function areTogether(before, after) {
  const left = before[0]?.message;
  const right = after[0]?.message;
  if (!left || !right || describeService(left) || describeService(right)) return false;
  return (
    senderOf(left).id === senderOf(right).id &&
    right.date - left.date < GROUP_SECONDS &&
    dayOf(left.date) === dayOf(right.date)
  );
}

/** @param {number} date @returns {Row} */
function dayRow(date) {
  const day = formatDay(date);
  return {
    key: `day-${dayOf(date)}`,
    inputs: [day],
    render: () => h('div', { class: 'service day' }, h('span', { class: 'pill' }, day)),
  };
}
