import type { ChannelAnswer } from '../../api/types.ts';
import { useOwnTexts } from '../../view-context.ts';
import { CheckedField } from './checked-field.tsx';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';
import type { Check } from './use-check.ts';

interface StorageStepProps {
  readonly channel: Check<ChannelAnswer>;
  /** Name of the bot; undefined without a token that works. */
  readonly username: string | undefined;
}

/** Asks for the channel of the files. */
export function StorageStep({ channel, username }: StorageStepProps) {
  const words = useOwnTexts(texts);
  const { answer } = channel;
  return (
    <Step title={words.storage}>
      <p>{words.storageBody}</p>
      <CheckedField
        label={words.channelLabel}
        hint={username === undefined ? words.tokenFirst : words.channelHint}
        isDisabled={username === undefined}
        onCheck={channel.run}
        onChange={channel.forget}
      >
        {answer && username !== undefined && (
          <Verdict kind={answer.ok ? 'good' : 'bad'}>
            {answer.ok
              ? words.channelWorks(answer.title)
              : `${words.channelProblems[answer.reason](username)} ${words.telegramSays(answer.message)}`}
          </Verdict>
        )}
      </CheckedField>
    </Step>
  );
}
