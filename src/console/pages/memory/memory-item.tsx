import type { Memory } from '../../api/types.ts';
import { useTimeFormat } from '../../formats.ts';
import { Button } from '../../ui/button.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface MemoryItemProps {
  readonly memory: Memory;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** One note with its origin. */
export function MemoryItem({ memory, onEdit, onDelete }: MemoryItemProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
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
