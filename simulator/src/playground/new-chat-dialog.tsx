import type { NewChat, Person } from '../control-protocol.ts';
import { openDialog } from './dialogs.tsx';
import { type IconName, icon } from './icons.tsx';
import { LANGUAGES } from './languages.ts';
import { translate } from './texts.ts';

const KINDS: readonly { type: NewChat['type']; icon: IconName; label: string; about: string }[] = [
  {
    type: 'private',
    icon: 'person',
    label: translate('New user'),
    about: translate('Another user who talks to the bot'),
  },
  { type: 'supergroup', icon: 'group', label: translate('New group'), about: translate('Several users and the bot') },
  { type: 'forum', icon: 'forum', label: translate('New forum'), about: translate('A group with topics') },
  {
    type: 'channel',
    icon: 'channel',
    label: translate('New channel'),
    about: translate('Posts that the bot can read and write'),
  },
];

/** Asks for the type of a new chat and the fields of that type. */
export function openNewChatDialog({
  people,
  onCreate,
}: {
  people: readonly Person[];
  onCreate: (chat: NewChat) => void;
}) {
  let type: NewChat['type'] = 'private';
  const choose = (chosen: NewChat['type']) => {
    type = chosen;
    draw();
  };
  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const title = String(fields.get('name')).trim();
    const languageCode = String(fields.get('language'));
    if (type === 'private') onCreate({ type, person: { firstName: title, languageCode } });
    else onCreate({ type, title, memberIds: fields.getAll('member').map(Number) });
  };
  const { draw } = openDialog(translate('New chat'), 'new-chat', (close) => (
    <form method="dialog" onSubmit={(event) => submit(event.currentTarget)}>
      <h2>{translate('New chat')}</h2>
      <div class="kinds" role="radiogroup" aria-label={translate('Kind of chat')}>
        {renderKinds(type, choose)}
      </div>
      <label class="field">
        <span>{type === 'private' ? translate('First name') : translate('Title')}</span>
        <input type="text" name="name" required maxlength={64} autocomplete="off" autofocus />
      </label>
      <label class="field" hidden={type !== 'private'}>
        <span>{translate('Language')}</span>
        <select name="language">
          {LANGUAGES.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {renderMembers(people, type === 'private')}
      <div class="dialog-actions">
        <button type="button" class="text-button" onClick={close}>
          {translate('Cancel')}
        </button>
        <button type="submit" class="text-button">
          {translate('Create')}
        </button>
      </div>
    </form>
  ));
}

function renderKinds(chosen: NewChat['type'], choose: (type: NewChat['type']) => void) {
  return KINDS.map(({ type, icon: name, label, about }) => (
    <label key={type} class="kind">
      <input type="radio" name="type" value={type} checked={type === chosen} onChange={() => choose(type)} />
      <span class="kind-icon">{icon(name)}</span>
      <span class="kind-about">
        <b>{label}</b>
        <span class="dim">{about}</span>
      </span>
    </label>
  ));
}

function renderMembers(people: readonly Person[], isHidden: boolean) {
  return (
    <fieldset class="members" hidden={isHidden}>
      <legend>{translate('Members')}</legend>
      {people.map((person) => (
        <label key={person.id} class="check">
          <input type="checkbox" name="member" value={person.id} defaultChecked />
          {nameOf(person)}
        </label>
      ))}
    </fieldset>
  );
}

const nameOf = (person: Person) => [person.firstName, person.lastName].filter(Boolean).join(' ');
