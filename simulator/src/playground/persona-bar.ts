import { changePerson } from './control-client.ts';
import { byId, h } from './dom.ts';
import { LANGUAGES } from './languages.ts';
import { renderAvatar } from './message-view.ts';
import { morph } from './morph.ts';
import type { Selection } from './selection.ts';
import type { State } from './state.ts';

/** Who the reader is in the open chat, and the language of that person's app. */
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
