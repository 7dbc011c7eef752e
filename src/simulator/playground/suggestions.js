/** @import { InlineQueryResult } from '@grammyjs/types' */
/** @import { ControlEvent } from '../control-protocol.ts' */
/** @import { PopupList } from './popup-list.js' */
/** @import { Selection } from './selection.js' */
/** @import { State } from './state.js' */
import { askInline } from './control-client.js';
import { h } from './dom.js';
import { renderAvatar } from './message-view.js';
import { commandsFor } from './state.js';

const PAUSE_MS = 250;
/** @typedef {Extract<ControlEvent, { type: 'inline-answer' }>} InlineAnswer */

/**
 * What the composer offers while somebody types: commands after "/", inline results after "@bot ".
 * @param {{ list: PopupList, state: State, selection: Selection, onError: (error: unknown) => void }} deps
 */
export function createSuggestions({ list, state, selection, onError }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let askedText = '';
  /** @type {string | undefined} */
  let queryId;

  /** @param {string} prefix without the slash */
  const showCommands = (prefix) => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    const bot = state.current?.bot;
    if (!chat || !me || !bot) return list.close();
    const known = commandsFor(bot, chat, me).filter(({ command }) => command.startsWith(prefix.toLowerCase()));
    list.show(
      known.map(({ command, description }) => ({
        value: `/${command}`,
        content: [
          renderAvatar({ id: bot.id, name: bot.name }),
          h('b', null, `/${command}`),
          h('span', { class: 'dim' }, description),
        ],
      })),
      'Commands',
    );
  };

  /** @param {string} query */
  const ask = (query) => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const chat = selection.chat;
      const me = selection.meIn(chat);
      if (!chat || !me) return;
      try {
        queryId = (await askInline({ from: me.id, query, chatId: chat.id })).inlineQueryId;
      } catch (error) {
        onError(error);
      }
    }, PAUSE_MS);
  };

  return {
    /** The bot's mention that starts an inline query, such as `@bot `. */
    get mention() {
      const bot = state.current?.bot;
      return bot ? `@${bot.username} ` : undefined;
    },
    /** After every change of the text. @param {string} text */
    update(text) {
      clearTimeout(timer);
      const command = /^\/([a-z0-9_]*)$/i.exec(text)?.[1];
      const mention = this.mention;
      const isInline =
        mention !== undefined && state.current?.bot.inlineMode && text.toLowerCase().startsWith(mention.toLowerCase());
      if (command !== undefined) showCommands(command);
      else if (isInline && mention) {
        if (text !== askedText) ask(text.slice(mention.length).slice(0, 256));
        askedText = text;
        return;
      } else list.close();
      askedText = '';
    },
    /** @param {InlineAnswer} answer */
    takeAnswer(answer) {
      if (
        askedText === '' ||
        (queryId !== undefined && answer.inlineQueryId !== queryId && queryId > answer.inlineQueryId)
      )
        return;
      list.show(
        answer.results.map((result) => ({
          value: `inline:${answer.inlineQueryId}:${result.id}`,
          content: renderResult(result),
        })),
        'Inline results',
      );
    },
  };
}

/** @param {InlineQueryResult} result */
function renderResult(result) {
  const title = 'title' in result && result.title ? result.title : result.type;
  const description = 'description' in result && result.description ? result.description : '';
  return [
    renderAvatar({ id: result.id.length, name: title }),
    h('span', { class: 'inline-result' }, h('b', null, title), h('span', { class: 'dim' }, description)),
  ];
}
