import { useState } from 'preact/hooks';
import { defineTexts } from '../../../texts/define-texts.ts';
import { request, requestDeletion } from '../../api/request.ts';
import type { Memories, Memory } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field, Switch, useSearch } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction, useSubmission } from '../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../view-context.ts';

/** Notes about the user, which models read. */
export const memoryPage: Page = {
  name: 'memory',
  title: { en: 'Memory', ru: 'Память' },
  icon: 'memory',
  isForAdmins: false,
  View: MemoryView,
};

/** The dialog above the list. */
type Open = { readonly kind: 'new' | 'delete-all' } | { readonly kind: 'edit' | 'delete'; readonly memory: Memory };

const PATH = 'api/me/memories';

function MemoryView() {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const { search, field } = useSearch();
  const [open, setOpen] = useState<Open>();
  const memories = useQuery<Memories>(PATH);
  const found = useQuery<Memories>(search === '' ? undefined : `${PATH}?search=${encodeURIComponent(search)}`);
  const maxCharacters = memories.data?.max_characters ?? 0;
  const close = () => setOpen(undefined);
  const reload = () => {
    close();
    memories.reload();
    found.reload();
  };
  const turn = useAction(async (isOn: boolean) => {
    // The switch must not jump back until the answer arrives.
    if (memories.data) memories.setData({ ...memories.data, is_on: isOn });
    await request('PATCH', 'api/me/settings', { body: { memory: isOn } }).finally(memories.reload);
  });
  const remove = useAction(async (path: string) => {
    await requestDeletion(path);
    reload();
  });
  return (
    <>
      <Loaded query={memories}>
        {({ total, max_memories: max, is_on: isOn }) => (
          <>
            <Card>
              <Switch label={words.use} hint={isOn ? words.on : words.off} isOn={isOn} onChange={turn.run} />
              <p class="dim">
                {words.count(total, max)} {words.ofGroups}
              </p>
              <div class="buttons">
                <Button kind="primary" isDisabled={!isOn || total >= max} onPress={() => setOpen({ kind: 'new' })}>
                  {words.add}
                </Button>
                {total > 0 && (
                  <Button kind="danger" onPress={() => setOpen({ kind: 'delete-all' })}>
                    {words.deleteAll}
                  </Button>
                )}
              </div>
            </Card>
            {total > 0 && <Field label={shared.search} {...field} />}
          </>
        )}
      </Loaded>
      <Loaded query={search === '' ? memories : found}>
        {({ data }) => (
          <Card>
            {data.length === 0 && <p class="dim">{search === '' ? words.empty : words.noneFound}</p>}
            <ul class="entries">
              {data.map((memory) => (
                <MemoryItem
                  key={memory.id}
                  memory={memory}
                  onEdit={() => setOpen({ kind: 'edit', memory })}
                  onDelete={() => setOpen({ kind: 'delete', memory })}
                />
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
      {open?.kind === 'new' && <MemoryForm maxCharacters={maxCharacters} onSaved={reload} onClose={close} />}
      {open?.kind === 'edit' && (
        <MemoryForm memory={open.memory} maxCharacters={maxCharacters} onSaved={reload} onClose={close} />
      )}
      {open?.kind === 'delete' && (
        <Confirm
          title={words.deleteOne}
          action={shared.delete}
          isRunning={remove.isRunning}
          onConfirm={() => remove.run(`${PATH}/${open.memory.id}`)}
          onClose={close}
        >
          {open.memory.text}
        </Confirm>
      )}
      {open?.kind === 'delete-all' && (
        <Confirm
          title={words.deleteAll}
          action={words.deleteAll}
          isRunning={remove.isRunning}
          onConfirm={() => remove.run(PATH)}
          onClose={close}
        >
          {words.deleteAllBody}
        </Confirm>
      )}
    </>
  );
}

interface MemoryItemProps {
  readonly memory: Memory;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** One note with its origin. */
function MemoryItem({ memory, onEdit, onDelete }: MemoryItemProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const formatTime = useTimeFormat();
  const { text, has_foreign_text: hasForeignText, updated_at: updatedAt } = memory;
  return (
    <li>
      <p>{text}</p>
      <p class="dim">{words.writtenAt(formatTime(updatedAt))}</p>
      {hasForeignText && <p class="dim">{words.foreign}</p>}
      <div class="buttons">
        <Button label={words.editNamed(text)} onPress={onEdit}>
          {shared.edit}
        </Button>
        <Button kind="danger" label={words.deleteNamed(text)} onPress={onDelete}>
          {shared.delete}
        </Button>
      </div>
    </li>
  );
}

interface MemoryFormProps {
  /** Default: a new note. */
  readonly memory?: Memory;
  readonly maxCharacters: number;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Adds a note or changes its text. */
function MemoryForm({ memory, maxCharacters, onSaved, onClose }: MemoryFormProps) {
  const words = useTexts(texts);
  const [text, setText] = useState(memory?.text ?? '');
  const save = useSubmission(async () => {
    const [method, path] = memory ? ['PATCH', `api/me/memories/${memory.id}`] : ['POST', 'api/me/memories'];
    await request(method, path, { body: { text } });
    onSaved();
  }, words.problems);
  return (
    <FormDialog
      title={memory ? words.editTitle : words.addTitle}
      isRunning={save.isRunning}
      problem={save.problem}
      onSubmit={save.run}
      onClose={onClose}
    >
      <Field
        label={words.text}
        hint={words.textHint(maxCharacters)}
        rows={3}
        isRequired
        maxLength={maxCharacters}
        value={text}
        onChange={setText}
      />
    </FormDialog>
  );
}

const texts = defineTexts({
  en: {
    use: 'Use memory',
    on: 'Models read these notes in your private chat with the bot, and nowhere else. Tell a model to remember something, or add a note here.',
    off: 'Models neither read notes nor add any. Your notes are kept.',
    count: (count: number, max: number) => `Notes: ${count} of ${max}.`,
    empty: 'Nothing is remembered yet.',
    noneFound: 'No notes fit this search.',
    add: 'Add a note',
    addTitle: 'New note',
    editTitle: 'Change the note',
    text: 'What should models remember?',
    textHint: (max: number) => `One sentence, at most ${max} characters.`,
    editNamed: (text: string) => `Change “${text}”`,
    deleteNamed: (text: string) => `Delete “${text}”`,
    deleteOne: 'Delete this note?',
    deleteAll: 'Delete all',
    deleteAllBody: 'All your notes are deleted. This can’t be undone.',
    /** By the codes of refusals. */
    problems: { known: 'There is a note with this text already.' },
    ofGroups: 'Notes of a group are in that group: send /memory there.',
    writtenAt: (time: string) => `From ${time}`,
    foreign:
      'A model wrote it after reading text of others. Answers that use it ask you before they change or send something. Change it to make it your own.',
  },
  ru: {
    use: 'Пользоваться памятью',
    on: 'Модели читают эти записи в вашем личном чате с ботом и больше нигде. Попросите модель что-нибудь запомнить или добавьте запись здесь.',
    off: 'Модели не читают записи и не добавляют новых. Сами записи хранятся.',
    count: (count, max) => `Записей: ${count} из ${max}.`,
    empty: 'Пока ничего не записано.',
    noneFound: 'По этому запросу ничего нет.',
    add: 'Добавить запись',
    addTitle: 'Новая запись',
    editTitle: 'Изменить запись',
    text: 'Что запомнить моделям?',
    textHint: (max) => `Одно предложение, не больше ${max} знаков.`,
    editNamed: (text) => `Изменить «${text}»`,
    deleteNamed: (text) => `Удалить «${text}»`,
    deleteOne: 'Удалить эту запись?',
    deleteAll: 'Удалить все',
    deleteAllBody: 'Будут удалены все ваши записи. Вернуть их будет нельзя.',
    problems: { known: 'Такая запись уже есть.' },
    ofGroups: 'Записи группы – в самой группе: отправьте там /memory.',
    writtenAt: (time) => `Записано: ${time}`,
    foreign:
      'Модель написала это, прочитав чужой текст. Ответы с этой записью спросят вас, прежде чем что-то изменить или отправить. Измените запись, чтобы она стала вашей.',
  },
});
