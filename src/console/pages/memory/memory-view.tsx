import { useState } from 'preact/hooks';
import { request, requestDeletion } from '../../api/request.ts';
import type { Memories, Memory } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field, Switch, useSearch } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { MemoryForm } from './memory-form.tsx';
import { MemoryItem } from './memory-item.tsx';
import { texts } from './texts.ts';

/** The dialog above the list. */
type Open = { readonly kind: 'new' | 'delete-all' } | { readonly kind: 'edit' | 'delete'; readonly memory: Memory };

const PATH = 'api/me/memories';

export function MemoryView() {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const { wanted, field } = useSearch();
  const [open, setOpen] = useState<Open>();
  const memories = useQuery<Memories>(PATH);
  const found = useQuery<Memories>(wanted === '' ? undefined : `${PATH}?search=${encodeURIComponent(wanted)}`);
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
      <Loaded query={wanted === '' ? memories : found}>
        {({ data }) => (
          <Card>
            {data.length === 0 && <p class="dim">{wanted === '' ? words.empty : words.noneFound}</p>}
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
