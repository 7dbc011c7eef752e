/** @import { PopupList } from './popup-list.js' */
/** @import { Selection } from './selection.js' */
/** @import { State } from './state.js' */
import { h } from './dom.js';
import { createInlineResults } from './inline-results.js';
import { renderAvatar } from './message-view.js';
import { commandsFor } from './state.js';

/**
 * What the composer offers while somebody types: commands after "/", inline results after "@bot ".
 * @param {{ list: PopupList, state: State, selection: Selection, onError: (error: unknown) => void }} deps
 */
export function createSuggestions({ list, state, selection, onError }) {
  const inline = createInlineResults({ list, selection, onError });

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

  /** What is asked of the bot's inline mode; undefined where nothing is. @param {string} text */
  const findQuery = (text) => {
    const bot = state.current?.bot;
    const mention = bot?.inlineMode ? `@${bot.username} ` : undefined;
    const isInline = mention !== undefined && text.toLowerCase().startsWith(mention.toLowerCase());
    return isInline ? text.slice(mention.length) : undefined;
  };

  return {
    /** After every change of the text. @param {string} text */
    update(text) {
      const command = /^\/([a-z0-9_]*)$/i.exec(text)?.[1];
      const query = findQuery(text);
      inline.update(query);
      if (command !== undefined) showCommands(command);
      else if (query === undefined) list.close();
    },
    takeAnswer: inline.takeAnswer,
  };
}
