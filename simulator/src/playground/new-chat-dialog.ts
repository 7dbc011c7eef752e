import type { NewChat, Person } from '../control-protocol.ts';
import { openDialog } from './dialogs.ts';
import { h } from './dom.ts';
import type { IconName } from './icons.ts';
import { icon } from './icons.ts';
import { LANGUAGES } from './languages.ts';

const KINDS: readonly { type: NewChat['type']; icon: IconName; label: string; about: string }[] = [
  { type: 'private', icon: 'person', label: 'New person', about: 'Somebody else who talks to the bot' },
  { type: 'supergroup', icon: 'group', label: 'New group', about: 'People and the bot together' },
  { type: 'forum', icon: 'forum', label: 'New forum', about: 'A group with topics' },
  { type: 'channel', icon: 'channel', label: 'New channel', about: 'Posts that the bot can read and write' },
];

/** Asks what kind of chat to make and whatever that kind needs. */
export function openNewChatDialog({
  people,
  onCreate,
}: {
  people: readonly Person[];
  onCreate: (chat: NewChat) => void;
}) {
  openDialog('New chat', 'new-chat', (close) => {
    const kinds = KINDS.map(({ type, icon: name, label, about }, place) =>
      h(
        'label',
        { class: 'kind' },
        h('input', { type: 'radio', name: 'type', value: type, checked: place === 0 }),
        h('span', { class: 'kind-icon' }, icon(name)),
        h('span', { class: 'kind-about' }, h('b', null, label), h('span', { class: 'dim' }, about)),
      ),
    );
    const name = h('input', {
      type: 'text',
      name: 'name',
      required: true,
      maxlength: 64,
      autocomplete: 'off',
      autofocus: true,
    });
    const nameLabel = h('span', null, 'First name');
    const language = h(
      'select',
      { name: 'language' },
      LANGUAGES.map(({ code, name: text }) => h('option', { value: code }, text)),
    );
    const languageField = h('label', { class: 'field' }, h('span', null, 'Language'), language);
    const members = h(
      'fieldset',
      { class: 'members' },
      h('legend', null, 'Members'),
      people.map((person) =>
        h(
          'label',
          { class: 'check' },
          h('input', { type: 'checkbox', name: 'member', value: person.id, checked: true }),
          nameOf(person),
        ),
      ),
    );
    const cancel = h('button', { type: 'button', class: 'text-button' }, 'Cancel');
    const form = h(
      'form',
      { method: 'dialog' },
      h('h2', null, 'New chat'),
      h('div', { class: 'kinds', role: 'radiogroup', 'aria-label': 'Kind of chat' }, kinds),
      h('label', { class: 'field' }, nameLabel, name),
      languageField,
      members,
      h('div', { class: 'dialog-actions' }, cancel, h('button', { class: 'text-button' }, 'Create')),
    );

    const kindOf = () => new FormData(form).get('type') as NewChat['type'];
    const showFields = () => {
      const isPrivate = kindOf() === 'private';
      nameLabel.textContent = isPrivate ? 'First name' : 'Title';
      languageField.hidden = !isPrivate;
      members.hidden = isPrivate;
    };
    form.addEventListener('change', showFields);
    form.addEventListener('submit', () => {
      const type = kindOf();
      const title = name.value.trim();
      const memberIds = new FormData(form).getAll('member').map(Number);
      if (type === 'private') onCreate({ type, person: { firstName: title, languageCode: language.value } });
      else onCreate({ type, title, memberIds });
    });
    cancel.addEventListener('click', close);
    showFields();
    return [form];
  });
}

const nameOf = (person: Person) => [person.firstName, person.lastName].filter(Boolean).join(' ');
