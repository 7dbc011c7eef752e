/** @import { MessageEntity } from '@grammyjs/types' */
/** @import { FileKind } from '../control-protocol.ts' */
/** @import { Attachment } from './attachments.js' */
/** @import { Selection } from './selection.js' */
/** @import { State } from './state.js' */
import { isPicture } from './attachments.js';
import * as control from './control-client.js';

const MAX_TEXT_LENGTH = 4096;

/** @typedef {ReturnType<typeof createOutbox>} Outbox */

/**
 * Sends what the current person writes, one thing after the other, so that the chat has them in the order of writing.
 * @param {{ state: State, selection: Selection, onSent: () => void, onError: (error: unknown) => void }} deps
 */
export function createOutbox({ state, selection, onSent, onError }) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  /** @param {() => Promise<unknown>} work @param {() => void} [onFailed] */
  const enqueue = (work, onFailed) => {
    last = last.then(work).then(onSent, (error) => {
      onFailed?.();
      onError(error);
    });
  };
  const place = () => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    return chat && me && { chat, from: me.id, topicId: selection.topicId };
  };

  return {
    enqueue,
    /**
     * Texts over the limit go out as several messages. Commands in groups name the bot, as Telegram's apps do.
     * @param {string} text @param {{ replyTo?: number | undefined, entities?: readonly MessageEntity[], onFailed?: () => void }} [options]
     * `entities` are left out where there are several messages
     */
    sendText(text, { replyTo, entities = [], onFailed } = {}) {
      const at = place();
      if (!at) return;
      const { chat, from, topicId } = at;
      const bot = state.current?.bot.username;
      const addressed = chat.type !== 'private' && /^\/[a-z0-9_]+$/i.test(text) ? `${text}@${bot}` : text;
      toParts(addressed).forEach((part, index) => {
        const formatting = part === text && entities.length > 0 ? { entities } : {};
        const reply = index === 0 && replyTo !== undefined ? { replyTo } : {};
        const topic = topicId === undefined ? {} : { topicId };
        enqueue(() => control.sendMessage(chat.id, { from, text: part, ...reply, ...topic, ...formatting }), onFailed);
      });
    },
    /** @param {File} file @param {number} durationSeconds @param {number | undefined} replyTo */
    sendVoice(file, durationSeconds, replyTo) {
      const at = place();
      if (!at) return;
      const fields = {
        from: at.from,
        topicId: at.topicId,
        replyTo,
        kind: /** @type {const} */ ('voice'),
        durationSeconds,
      };
      enqueue(() => control.sendFile(at.chat.id, fields, file));
    },
    /** Several files become an album. @param {readonly Attachment[]} files @param {string} caption @param {number | undefined} replyTo */
    sendFiles(files, caption, replyTo) {
      const at = place();
      if (!at) return;
      const { chat, from, topicId } = at;
      const mediaGroupId = files.length > 1 ? crypto.randomUUID() : undefined;
      files.forEach(({ file, isPhoto }, index) => {
        /** @type {FileKind | undefined} */
        const kind = isPhoto ? 'photo' : isPicture(file) ? 'document' : undefined;
        const fields = { from, topicId, replyTo, kind, mediaGroupId, caption: index === 0 ? caption : '' };
        enqueue(() => control.sendFile(chat.id, fields, file));
      });
    },
  };
}

/** Cut at a line or word where there is one. @param {string} text */
function toParts(text) {
  /** @type {string[]} */
  const parts = [];
  let rest = text;
  while (rest.length > MAX_TEXT_LENGTH) {
    const head = rest.slice(0, MAX_TEXT_LENGTH);
    const cut = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
    const end = cut > MAX_TEXT_LENGTH / 2 ? cut : MAX_TEXT_LENGTH - (/[\uD800-\uDBFF]$/.test(head) ? 1 : 0);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...parts, rest];
}
