/** @import { Selection } from './selection.js' */
/** @import { State } from './state.js' */
import { changePerson } from './control-client.js';
import { byId, h } from './dom.js';
import { LANGUAGES } from './languages.js';
import { renderAvatar } from './message-view.js';
import { morph } from './morph.js';

/**
 * Who the reader is in the open chat, and the language of that person's app.
 * @param {{ state: State, selection: Selection, onError: (error: unknown) => void }} deps
 */
export function createPersonaBar({ state, selection, onError }) {
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
      morph(
        who,
        h(
          'span',
          { id: 'persona' },
          renderAvatar({ id: me.id, name }),
          h(
            'span',
            { class: 'persona-name' },
            h('span', { class: 'persona-who' }, 'Writing as ', h('b', null, name)),
            h('span', { class: 'dim' }, `id ${me.id}`),
          ),
        ),
      );
      const code = me.languageCode;
      const isListed = LANGUAGES.some((known) => known.code === code);
      const shown = isListed ? LANGUAGES : [...LANGUAGES, { code, name: code }];
      if (language.options.length !== shown.length)
        language.replaceChildren(...shown.map(({ code: value, name: text }) => h('option', { value }, text)));
      language.value = code;
    },
  };
}
