import { Fragment, render, type VNode } from 'preact';
import type { ChatMessage } from '../control-protocol.ts';
import type { ReaderState } from './entities-view.tsx';
import { dayOf, formatDay } from './format.ts';
import { renderDraft, renderMessage } from './message-view.tsx';
import type { Presses } from './presses.ts';
import type { Selection } from './selection.ts';
import { draftOf, messagesOf, type PageState, type State } from './state.ts';
import { describeService, senderOf } from './summary.ts';

/** Messages of one sender are grouped if they are at most this far apart. */
const GROUP_SECONDS = 600;

/** Row of the list, rendered again only when one of its inputs changes. */
interface Row {
  key: string;
  inputs: unknown[];
  view: () => VNode;
}

interface DrawnRow {
  /** Key of the row's element, constant while it is displayed. */
  elementKey: string;
  inputs: unknown[];
  view: VNode;
}

/** Creates the message list of the open chat, which is updated in place. */
export function createConversation({
  list,
  state,
  selection,
  presses,
}: {
  list: HTMLElement;
  state: State;
  selection: Selection;
  presses: Presses;
}) {
  const drawn = new Map<string, DrawnRow>();
  const readers = new Map<string, ReaderState & { version: number }>();
  let openPlace = '';
  let draftCount = 0;

  const readerOf = (chatId: number, messageId: number) => {
    const key = `${chatId}/${messageId}`;
    const reader = readers.get(key) ?? { revealed: false, expanded: new Set(), version: 0 };
    readers.set(key, reader);
    return reader;
  };

  const rows = (current: PageState): Row[] => {
    const chat = selection.chat;
    if (!chat) return [];
    const topicId = selection.topicId;
    const visible = messagesOf(current, chat.id).filter((item) => isInTopic(item, chat.isForum, topicId));
    const me = selection.meIn(chat)?.id ?? 0;
    const showsSender = chat.type !== 'private';
    const result: Row[] = [];
    const groups = toGroups(visible);
    groups.forEach((group, place) => {
      const before = groups[place - 1];
      const after = groups[place + 1];
      if (!before || dayOf(dateOf(before)) !== dayOf(dateOf(group))) result.push(dayRow(dateOf(group)));
      const first = group[0] as ChatMessage;
      const isOwn = chat.type !== 'channel' && first.message.from?.id === me;
      const isFirst = !before || !areTogether(before, group);
      const isLast = !after || !areTogether(group, after);
      const isTabStop = !after;
      const reader = readerOf(chat.id, first.message.message_id);
      const busy = presses.busyIn(chat.id, first.message.message_id);
      result.push({
        key: `message-${first.message.message_id}`,
        inputs: [...group, isOwn, isFirst, isLast, showsSender, isTabStop, me, reader.version, busy],
        view: () =>
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
      result.push({ key: 'draft', inputs: [draft], view: () => renderDraft(draft, sender, showsSender) });
    }
    return result;
  };

  const adoptDraft = (wanted: Row[]) => {
    const draft = drawn.get('draft');
    const arrived = wanted.at(-1);
    if (!draft || !arrived || arrived.key === 'draft' || drawn.has(arrived.key)) return;
    // The finished message takes over the draft's element instead of replacing it.
    drawn.delete('draft');
    drawn.set(arrived.key, { ...draft, inputs: [] });
  };

  /** Returns the cached view of a row if none of its inputs changed, otherwise a new one. */
  const drawRow = (row: Row): VNode => {
    const known = drawn.get(row.key);
    if (known && isSame(known.inputs, row.inputs)) return known.view;
    const elementKey = known?.elementKey ?? (row.key === 'draft' ? `draft-${++draftCount}` : row.key);
    const view = <Fragment key={elementKey}>{row.view()}</Fragment>;
    drawn.set(row.key, { elementKey, inputs: row.inputs, view });
    return view;
  };

  return {
    /**
     * Updates the list.
     * @returns whether the chat or topic differs from the previous one
     */
    render(): { isAnotherPlace: boolean } {
      const place = `${selection.chat?.id ?? ''}/${selection.topicId ?? ''}`;
      const isAnotherPlace = place !== openPlace;
      if (isAnotherPlace) {
        drawn.clear();
        render(null, list);
        openPlace = place;
      }
      const wanted = state.current ? rows(state.current) : [];
      adoptDraft(wanted);
      const keys = new Set(wanted.map((row) => row.key));
      for (const key of drawn.keys()) if (!keys.has(key)) drawn.delete(key);
      const isNew = wanted.map((row) => !isAnotherPlace && !drawn.has(row.key));
      render(wanted.map(drawRow), list);
      [...list.children].filter((_, row) => isNew[row]).forEach(moveIn);
      return { isAnotherPlace };
    },
    /** Changes the view state of a message: a revealed spoiler or an expanded quote. */
    changeReader(chatId: number, messageId: number, change: (reader: ReaderState) => void) {
      const reader = readerOf(chatId, messageId);
      change(reader);
      reader.version += 1;
    },
    /** Returns the element of a message, also inside an album. */
    find: (messageId: number): HTMLElement | null => list.querySelector(`[data-message="${messageId}"]`),
  };
}

/** Animates a new row. */
function moveIn(row: Element) {
  row.classList.add('is-new');
  row.addEventListener('animationend', () => row.classList.remove('is-new'), { once: true });
}

const isSame = (left: unknown[], right: unknown[]) =>
  left.length === right.length && left.every((value, place) => value === right[place]);

function isInTopic(item: ChatMessage, hasTopics: boolean, topicId: number | undefined) {
  if (!hasTopics) return true;
  return (item.message.is_topic_message ? item.message.message_thread_id : undefined) === topicId;
}

/** Groups the messages of each album; all others are groups of one. */
function toGroups(messages: ChatMessage[]): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  for (const item of messages) {
    const last = groups.at(-1);
    const album = item.message.media_group_id;
    if (album !== undefined && last?.[0]?.message.media_group_id === album) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

const dateOf = (group: ChatMessage[]) => group[0]?.message.date ?? 0;

function areTogether(before: ChatMessage[], after: ChatMessage[]) {
  const left = before[0]?.message;
  const right = after[0]?.message;
  if (!left || !right || describeService(left) || describeService(right)) return false;
  return (
    senderOf(left).id === senderOf(right).id &&
    right.date - left.date < GROUP_SECONDS &&
    dayOf(left.date) === dayOf(right.date)
  );
}

function dayRow(date: number): Row {
  const day = formatDay(date);
  return {
    key: `day-${dayOf(date)}`,
    inputs: [day],
    view: () => (
      <div class="service day">
        <span class="pill">{day}</span>
      </div>
    ),
  };
}
