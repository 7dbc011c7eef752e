import type { TokenAnswer } from '../../api/types.ts';
import { useOwnTexts } from '../../view-context.ts';
import { CheckedField } from './checked-field.tsx';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';
import type { Check } from './use-check.ts';

interface TokenStepProps {
  readonly token: Check<TokenAnswer>;
  readonly onChange: () => void;
}

/** Asks for the token of the bot. */
export function TokenStep({ token, onChange }: TokenStepProps) {
  const words = useOwnTexts(texts);
  const { answer } = token;
  return (
    <Step title={words.token}>
      <p>
        {words.newBot}{' '}
        <a href="https://t.me/BotFather" target="_blank" rel="noreferrer">
          @BotFather
        </a>
      </p>
      <CheckedField
        label={words.tokenLabel}
        hint={words.tokenHint}
        type="password"
        onCheck={token.run}
        onChange={onChange}
      >
        {answer && <Verdict kind={answer.ok ? 'good' : 'bad'}>{describe(words, answer)}</Verdict>}
      </CheckedField>
    </Step>
  );
}

function describe(words: (typeof texts)['en'], answer: TokenAnswer): string {
  if (answer.ok) return words.tokenWorks(answer.username);
  return answer.reason === 'refused' ? words.tokenRefused : words.telegramDown(answer.message);
}

/** Says whether the bot sees messages of groups. */
export function PrivacyStep({ answer }: { readonly answer: TokenAnswer | undefined }) {
  const words = useOwnTexts(texts);
  return (
    <Step title={words.privacy}>
      <div role="status">
        {answer?.ok ? (
          <Verdict kind={answer.reads_groups ? 'good' : 'note'}>
            {answer.reads_groups ? words.privacyOff : words.privacyOn}
          </Verdict>
        ) : (
          <p class="dim">{words.tokenFirst}</p>
        )}
      </div>
    </Step>
  );
}
