import { useEffect, useState } from 'preact/hooks';
import { ApiError, request } from '../../api/request.ts';
import type { WritersAnswer } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Switch } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useTexts } from '../../view-context.ts';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';

/** Who may use a bot that does not run yet. */
export interface Access {
  /** Roles by Telegram id. */
  readonly roles: ReadonlyMap<number, 'admin' | 'user'>;
  /** True if everyone who finds the bot may use it. */
  readonly isOpen: boolean;
}

export const PRIVATE: Access = { roles: new Map(), isOpen: false };

/** Returns the ids of admins, and of other users. */
export function listIds({ roles }: Access, role: 'admin' | 'user'): readonly number[] {
  return [...roles].flatMap(([id, each]) => (each === role ? [id] : []));
}

interface AccessStepProps {
  /** Token that works; empty without one. */
  readonly token: string;
  readonly username: string | undefined;
  readonly access: Access;
  readonly onChange: (access: Access) => void;
}

/** Shows who writes to the bot, to make them admins or to let them in. */
export function AccessStep({ token, username, access, onChange }: AccessStepProps) {
  const words = useTexts(texts);
  const answer = useWriters(token);
  const writers = answer?.ok ? answer.writers : [];
  const others = [...access.roles.keys()].filter((id) => writers.every((writer) => writer.id !== id));
  const users = [...writers, ...others.map((id) => ({ id, name: '', username: null }))];
  const setRole = (id: number, role: 'admin' | 'user' | undefined) => {
    const rest = [...access.roles].filter(([other]) => other !== id);
    onChange({ ...access, roles: new Map(role === undefined ? rest : [...rest, [id, role]]) });
  };
  if (username === undefined)
    return (
      <Step title={words.access}>
        <p class="dim">{words.tokenFirst}</p>
      </Step>
    );
  return (
    <Step title={words.access}>
      <p>
        {words.writeNow}{' '}
        <a href={`https://t.me/${username}`} target="_blank" rel="noreferrer">
          @{username}
        </a>
        {words.writeThen}
      </p>
      <div role="status">
        {answer?.ok === false && <Verdict kind="note">{words.noWriters(answer.message)}</Verdict>}
        {answer?.ok && users.length === 0 && <p class="dim">{words.waiting}</p>}
      </div>
      {users.length > 0 && (
        <ul class="writers">
          {users.map((writer) => (
            <Writer key={writer.id} writer={writer} role={access.roles.get(writer.id)} onRole={setRole} />
          ))}
        </ul>
      )}
      <IdForm onAdd={(id) => setRole(id, 'admin')} />
      <Switch
        label={words.openToAll}
        hint={words.openToAllHint}
        isOn={access.isOpen}
        onChange={(isOpen) => onChange({ ...access, isOpen })}
      />
    </Step>
  );
}

interface WriterProps {
  readonly writer: { readonly id: number; readonly name: string; readonly username: string | null };
  readonly role: 'admin' | 'user' | undefined;
  readonly onRole: (id: number, role: 'admin' | 'user' | undefined) => void;
}

function Writer({ writer: { id, name, username }, role, onRole }: WriterProps) {
  const words = useTexts(texts);
  const known = name === '' ? String(id) : name;
  return (
    <li>
      <span>
        {known}
        {username !== null && ` @${username}`} {name !== '' && <span class="dim">{id}</span>}
      </span>
      {role === undefined ? (
        <span class="buttons">
          <Button label={`${words.makeAdmin}: ${known}`} onPress={() => onRole(id, 'admin')}>
            {words.makeAdmin}
          </Button>
          <Button label={`${words.letIn}: ${known}`} onPress={() => onRole(id, 'user')}>
            {words.letIn}
          </Button>
        </span>
      ) : (
        <span class="buttons">
          <Badge kind="good">{words.roles[role]}</Badge>
          <Button label={`${words.takeBack}: ${known}`} onPress={() => onRole(id, undefined)}>
            {words.takeBack}
          </Button>
        </span>
      )}
    </li>
  );
}

const ID = /^[1-9]\d{0,15}$/;

/** Adds an admin by the id, for bots whose messages Telegram does not show. */
function IdForm({ onAdd }: { readonly onAdd: (id: number) => void }) {
  const words = useTexts(texts);
  const [value, setValue] = useState('');
  const id = value.trim();
  return (
    <details>
      <summary>{words.byId}</summary>
      <Form
        onSubmit={() => {
          if (!ID.test(id)) return;
          onAdd(Number(id));
          setValue('');
        }}
      >
        <Field label={words.telegramId} hint={words.telegramIdHint} value={value} onChange={setValue} />
        <div>
          <Button isSubmit isDisabled={!ID.test(id)}>
            {words.makeAdmin}
          </Button>
        </div>
      </Form>
    </details>
  );
}

const LOOK_MS = 3000;
const NOT_FOUND = 404;

/** Asks again and again who has written to the bot. */
function useWriters(token: string): WritersAnswer | undefined {
  const [seen, setSeen] = useState<{ readonly token: string; readonly answer: WritersAnswer }>();
  useEffect(() => {
    if (token === '') return;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const options = { body: { token }, signal: gone.signal };
        const answer = await request<WritersAnswer>('POST', 'api/setup/writers', options);
        if (!gone.signal.aborted) setSeen({ token, answer });
      } catch (error) {
        if (!gone.signal.aborted && !(error instanceof ApiError)) throw error;
        // The playground has ended, perhaps by another tab.
        if (error instanceof ApiError && error.status === NOT_FOUND) return;
      }
      if (!gone.signal.aborted) timer = setTimeout(look, LOOK_MS);
    };
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [token]);
  return seen?.token === token ? seen.answer : undefined;
}
