import { render } from 'preact';
import { byId } from './by-id.ts';
import { changePerson } from './control-client.ts';
import { LANGUAGES } from './languages.ts';
import { renderAvatar } from './message-view.tsx';
import type { Selection } from './selection.ts';
import type { State } from './state.ts';
import { translate } from './texts.ts';

/** Creates the bar that selects the acting user in the open chat and the language of that user's app. */
export function createPersonaBar({
  state,
  selection,
  onError,
}: {
  state: State;
  selection: Selection;
  onError: (error: unknown) => void;
}) {
  const who = byId('persona', HTMLElement);
  const language = byId('language', HTMLSelectElement);
  language.addEventListener('change', () => {
    const me = selection.meIn(selection.chat);
    if (me) changePerson(me.id, { languageCode: language.value }).catch(onError);
  });

  return {
    render() {
      const me = state.current && selection.meIn(selection.chat);
      if (!me) return;
      const name = [me.firstName, me.lastName].filter(Boolean).join(' ');
      render(
        <>
          {renderAvatar({ id: me.id, name })}
          <span class="persona-name">
            <span class="persona-who">
              {`${translate('Writing as')} `}
              <b>{name}</b>
            </span>
            <span class="dim">{`id ${me.id}`}</span>
          </span>
        </>,
        who,
      );
      const code = me.languageCode;
      const isListed = LANGUAGES.some((known) => known.code === code);
      const shown = isListed ? LANGUAGES : [...LANGUAGES, { code, name: code }];
      const options = shown.map(({ code: value, name: text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ));
      render(options, language);
      language.value = code;
    },
  };
}
