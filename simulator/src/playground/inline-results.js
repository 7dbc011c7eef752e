/** @import { InlineQueryResult } from '@grammyjs/types' */
/** @import { ControlEvent, InlineFile } from '../control-protocol.ts' */
/** @import { PopupItem, PopupList } from './popup-list.js' */
/** @import { Selection } from './selection.js' */
import { askInline, fileUrl } from './control-client.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { renderAvatar } from './message-view.js';

const PAUSE_MS = 250;
const MAX_QUERY_CHARACTERS = 256;
/** Answers that came before the query was confirmed; a handful is plenty. */
const MAX_EARLY_ANSWERS = 20;

/** @typedef {Extract<ControlEvent, { type: 'inline-answer' }>} InlineAnswer */

/**
 * What the bot offers for `@bot query`: asked a moment after the last key, page after page as somebody scrolls.
 * @param {{ list: PopupList, selection: Selection, onError: (error: unknown) => void }} deps
 */
export function createInlineResults({ list, selection, onError }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** What is typed now; undefined where that is no query. @type {string | undefined} */
  let typed;
  /** Queries of this page that wait for the bot, by their ids. @type {Map<string, { query: string, offset: string }>} */
  const asked = new Map();
  /** @type {Map<string, InlineAnswer>} */
  const early = new Map();
  /** @type {readonly PopupItem[]} */
  let items = [];
  /** Where the results that are not shown yet begin. */
  let nextOffset = '';

  /** @param {string} query @param {string} offset */
  const ask = async (query, offset) => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    if (!chat || !me) return;
    try {
      const { inlineQueryId } = await askInline({ from: me.id, query, chatId: chat.id, ...(offset && { offset }) });
      asked.set(inlineQueryId, { query, offset });
      const answer = early.get(inlineQueryId);
      early.delete(inlineQueryId);
      if (answer) take(answer);
    } catch (error) {
      onError(error);
    }
  };

  const askMore = () => {
    if (nextOffset === '' || typed === undefined) return;
    const offset = nextOffset;
    nextOffset = '';
    ask(typed, offset).catch(onError);
  };

  /** @param {InlineAnswer} answer */
  const take = (answer) => {
    const request = asked.get(answer.inlineQueryId);
    if (!request) {
      early.set(answer.inlineQueryId, answer);
      const oldest = early.keys().next().value;
      if (early.size > MAX_EARLY_ANSWERS && oldest !== undefined) early.delete(oldest);
      return;
    }
    asked.delete(answer.inlineQueryId);
    // Somebody has typed on.
    if (request.query !== typed) return;
    const isMore = request.offset !== '';
    items = [...(isMore ? items : renderButton(answer)), ...renderResults(answer, selection.chat?.type !== 'private')];
    nextOffset = answer.nextOffset;
    list.show(items, 'Inline results', { keepsPlace: isMore, onEnd: askMore });
  };

  return {
    /** After every change of what is typed. @param {string | undefined} query undefined where it is none */
    update(query) {
      const wanted = query === undefined ? undefined : [...query].slice(0, MAX_QUERY_CHARACTERS).join('');
      if (wanted === typed) return;
      clearTimeout(timer);
      typed = wanted;
      asked.clear();
      if (wanted !== undefined) timer = setTimeout(() => ask(wanted, ''), PAUSE_MS);
    },
    takeAnswer: take,
  };
}

/** The way into the private chat, which stands above the results. @param {InlineAnswer} answer @returns {PopupItem[]} */
function renderButton({ button }) {
  if (button?.start_parameter === undefined) return [];
  const content = [h('b', { class: 'popup-button' }, button.text)];
  return [{ value: `start:${button.start_parameter}`, content, isAside: true }];
}

/**
 * In groups Enter sends the mention that was typed: results are chosen by arrow keys or a click.
 * @param {InlineAnswer} answer @param {boolean} isAside @returns {PopupItem[]}
 */
function renderResults({ inlineQueryId, results, files }, isAside) {
  return results.map((result) => ({
    value: `inline:${inlineQueryId}:${result.id}`,
    content: renderResult(result, files[result.id]),
    isAside,
  }));
}

/** @param {InlineQueryResult} result @param {InlineFile | undefined} file */
function renderResult(result, file) {
  const title = ('title' in result && result.title) || file?.name || KINDS[file?.kind ?? 'document'];
  const description = 'description' in result && result.description ? result.description : '';
  return [
    file ? renderThumbnail(file, title) : renderAvatar({ id: result.id.length, name: title }),
    h('span', { class: 'inline-result' }, h('b', null, title), h('span', { class: 'dim' }, description)),
  ];
}

/** @type {Record<InlineFile['kind'], string>} */
const KINDS = {
  photo: 'Photo',
  document: 'File',
  audio: 'Music',
  voice: 'Voice message',
  video: 'Video',
  animation: 'GIF',
  video_note: 'Video message',
  sticker: 'Sticker',
};

/** A picture shows itself, of other files their ending. @param {InlineFile} file @param {string} title */
function renderThumbnail({ fileId, kind }, title) {
  if (kind === 'photo' || kind === 'sticker')
    return h('img', { class: 'inline-thumbnail', src: fileUrl(fileId), alt: '', decoding: 'async' });
  const extension = /\.([\p{L}\p{N}]{1,5})$/u.exec(title)?.[1];
  return h('span', { class: 'document-icon inline-thumbnail', 'aria-hidden': 'true' }, extension ?? icon('file'));
}
