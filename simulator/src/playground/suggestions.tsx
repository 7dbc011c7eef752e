import { createInlineResults } from './inline-results.tsx';
import { renderAvatar } from './message-view.tsx';
import type { PopupList } from './popup-list.tsx';
import type { Selection } from './selection.ts';
import { commandsFor, type State } from './state.ts';
import { translate } from './texts.ts';

/** Beginning of a mention ("@" and a prefix) at the end of the text. */
export const MENTION = /(?<=^|\s)@[\p{L}\p{N}_]{0,32}$/u;

/** Creates the suggestions for the current text: commands after "/", names after "@", inline results after "@bot ". */
export function createSuggestions({
  list,
  state,
  selection,
  onError,
}: {
  list: PopupList;
  state: State;
  selection: Selection;
  onError: (error: unknown) => void;
}) {
  const inline = createInlineResults({ list, selection, onError });

  /** @param prefix without the slash */
  const showCommands = (prefix: string) => {
    const chat = selection.chat;
    const me = selection.meIn(chat);
    const bot = state.current?.bot;
    if (!chat || !me || !bot) return list.close();
    const known = commandsFor(bot, chat, me).filter(({ command }) => command.startsWith(prefix.toLowerCase()));
    list.show(
      known.map(({ command, description }) => ({
        value: `/${command}`,
        content: (
          <>
            {renderAvatar({ id: bot.id, name: bot.name })}
            <b>{`/${command}`}</b>
            <span class="dim">{description}</span>
          </>
        ),
      })),
      translate('Commands'),
    );
  };

  /** @param prefix with the "@" */
  const showNames = (prefix: string) => {
    const { chat } = selection;
    const bot = state.current?.bot;
    if (!chat || !bot) return list.close();
    const me = selection.meIn(chat);
    const memberIds = chat.type === 'private' || chat.type === 'channel' ? [] : chat.memberIds;
    const members = memberIds.flatMap((id) => (id === me?.id ? [] : (state.current?.people.get(id) ?? [])));
    const people = members.map(({ id, firstName, username }) => ({
      id,
      name: firstName,
      handle: username && `@${username}`,
    }));
    const known = [{ id: bot.id, name: bot.name, handle: `@${bot.username}` }, ...people].filter(
      ({ name, handle }) => handle !== prefix && [handle, `@${name}`].some((one) => one && startsWith(one, prefix)),
    );
    list.show(
      known.map(({ id, name, handle }) => ({
        value: `mention:${handle ? '' : id}:${handle ?? name}`,
        content: (
          <>
            {renderAvatar({ id, name })}
            <b>{name}</b>
            <span class="dim">{handle ?? ''}</span>
          </>
        ),
      })),
      translate('Names'),
    );
  };

  /** Returns the inline query in the text; undefined if there is none. */
  const findQuery = (text: string) => {
    const bot = state.current?.bot;
    const mention = bot?.inlineMode ? `@${bot.username} ` : undefined;
    const isInline = mention !== undefined && text.toLowerCase().startsWith(mention.toLowerCase());
    return isInline ? text.slice(mention.length) : undefined;
  };

  return {
    /** Updates the suggestions after every change of the text. */
    update(text: string) {
      const command = /^\/([a-z0-9_]*)$/i.exec(text)?.[1];
      const query = findQuery(text);
      inline.update(query);
      const mention = MENTION.exec(text)?.[0];
      if (command !== undefined) showCommands(command);
      else if (mention !== undefined) showNames(mention);
      else if (query === undefined) list.close();
    },
    takeAnswer: inline.takeAnswer,
  };
}

/** Case-insensitive. */
const startsWith = (text: string, beginning: string) => text.toLowerCase().startsWith(beginning.toLowerCase());
