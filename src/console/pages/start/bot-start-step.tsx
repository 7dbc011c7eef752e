import { useState } from 'preact/hooks';
import { ApiError, request, toUrl } from '../../api/request.ts';
import type { BotStart, SettingAnswer } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useSubmission } from '../../ui/use-action.ts';
import { useTexts } from '../../view-context.ts';
import { type Access, listIds } from './access-step.tsx';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';

interface BotStartStepProps {
  readonly token: string;
  readonly username: string | undefined;
  readonly access: Access;
  readonly channelId: string;
  /** True if the bot is to get its updates by a webhook, which is set in `.env` only. */
  readonly hasWebhook: boolean;
  /** Called when the bot runs in place of the playground. */
  readonly onStarted: (username: string) => void;
}

type Progress = 'starting' | 'failed';

/** Stores the answers and starts the bot in place of the playground. */
export function BotStartStep(props: BotStartStepProps) {
  const { token, username, access, channelId, hasWebhook, onStarted } = props;
  const words = useTexts(texts);
  const [progress, setProgress] = useState<Progress>();
  const admins = listIds(access, 'admin');
  const obstacle = findObstacle(words, { username, hasWebhook, hasAdmin: access.isOpen || admins.length > 0 });
  const start = useSubmission(async () => {
    await request<BotStart>('POST', 'api/setup/start-bot', {
      body: {
        token,
        admin_ids: admins,
        allowed_ids: access.isOpen ? null : listIds(access, 'user'),
        chat_id: channelId === '' ? null : channelId,
      },
    });
    setProgress('starting');
    if (await watchStart()) onStarted(username ?? '');
    else setProgress('failed');
  });
  return (
    <Step title={words.start}>
      <p>{obstacle ?? words.startBody(admins.length, listIds(access, 'user').length, access.isOpen)}</p>
      <div class="buttons">
        <Button
          kind="primary"
          isBusy={start.isRunning}
          isDisabled={obstacle !== undefined}
          onPress={() => {
            setProgress(undefined);
            start.run();
          }}
        >
          {username === undefined ? words.startBot : words.startNamed(username)}
        </Button>
      </div>
      <div role="status">
        {progress === 'starting' && <Verdict kind="note">{words.starting}</Verdict>}
        {progress === 'failed' && <Verdict kind="bad">{words.startFailed}</Verdict>}
        {start.problem !== undefined && <Verdict kind="bad">{start.problem}</Verdict>}
      </div>
    </Step>
  );
}

/** Says that the bot runs. The playground, and with it what the start page asks, has ended. */
export function BotStarted({ username }: { readonly username: string }) {
  const words = useTexts(texts);
  return (
    <Card title={words.start}>
      <div role="status">
        <Verdict kind="good">
          {words.started}{' '}
          <a href={`https://t.me/${username}`} target="_blank" rel="noreferrer">
            @{username}
          </a>
          {words.startedThen}
        </Verdict>
      </div>
    </Card>
  );
}

interface Facts {
  readonly username: string | undefined;
  readonly hasWebhook: boolean;
  readonly hasAdmin: boolean;
}

function findObstacle(words: (typeof texts)['en'], { username, hasWebhook, hasAdmin }: Facts): string | undefined {
  if (username === undefined) return words.tokenFirst;
  if (hasWebhook) return words.webhookInFile;
  return hasAdmin ? undefined : words.adminFirst;
}

const LOOK_MS = 700;
/** The service takes up to 20 s to stop and as long to wait for Telegram; if that fails, it starts once more. */
const PATIENCE_MS = 90_000;
const NOT_FOUND = 404;

/** Waits for the bot. Returns whether it runs; it does not if the playground is back, or if the wait was too long. */
async function watchStart(): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    // Only playgrounds have this route. Without the session, so that its end does not end this page.
    const response = await fetch(toUrl('api/setup'), { credentials: 'omit' }).catch(() => undefined);
    if (response?.status === NOT_FOUND) return true;
    if (response && (await isReverted())) return false;
  }
  return false;
}

/** Returns whether the service has put the former settings back. */
async function isReverted(): Promise<boolean> {
  try {
    const { origin } = await request<SettingAnswer>('GET', 'api/settings/variable:BOT_TOKEN');
    return origin === 'removed';
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
