import type { Task } from '../../api/types.ts';
import { useTimeFormat } from '../../formats.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Switch } from '../../ui/field.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';
import { useRepetition } from './use-repetition.ts';

interface TaskCardProps {
  readonly task: Task;
  readonly isBusy: boolean;
  readonly onRun: () => void;
  readonly onPause: () => void;
  readonly onResume: () => void;
  readonly onQuiet: (isQuiet: boolean) => void;
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** Text and times of a task, with the buttons for it. */
export function TaskCard({ task, isBusy, onQuiet, ...on }: TaskCardProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const formatTime = useTimeFormat();
  const describeRepetition = useRepetition();
  const { kind, text, state, rule, next_run_at: nextRunAt, pause_reason: pauseReason } = task;
  return (
    <Card title={words.kinds[kind]}>
      <p class="quote">{text}</p>
      {task.has_foreign_text && <p class="dim">{words.foreign}</p>}
      <Facts
        facts={[
          nextRunAt === null
            ? [words.facts.state, pauseReason === null ? words.ended : words.pauseReasons[pauseReason]]
            : [words.facts.next, formatTime(nextRunAt)],
          [words.facts.repetition, describeRepetition(task)],
          [words.facts.chat, task.is_in_group ? words.chats.group : words.chats.private],
        ]}
      />
      {kind === 'question' && rule !== null && (
        <Switch label={words.quiet} hint={words.quietHint} isOn={task.quiet_when_nothing_new} onChange={onQuiet} />
      )}
      <div class="buttons">
        <Button isBusy={isBusy} onPress={on.onRun}>
          {words.run}
        </Button>
        {state === 'active' && (
          <Button isBusy={isBusy} onPress={on.onPause}>
            {shared.pause}
          </Button>
        )}
        {state === 'paused' && (
          <Button isBusy={isBusy} onPress={on.onResume}>
            {shared.resume}
          </Button>
        )}
        <Button onPress={on.onChange}>{shared.edit}</Button>
        <Button kind="danger" onPress={on.onDelete}>
          {shared.delete}
        </Button>
      </div>
    </Card>
  );
}
