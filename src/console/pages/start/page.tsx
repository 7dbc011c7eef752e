import { useState } from 'preact/hooks';
import { request, toUrl } from '../../api/request.ts';
import type { KeyWithSecret, Provider, SetupState, System } from '../../api/types.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import type { Page } from '../../page.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Snippet } from '../../ui/copy-button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useTexts } from '../../view-context.ts';
import { BotSetup } from './bot-setup.tsx';
import { BotStarted } from './bot-start-step.tsx';
import { texts } from './texts.ts';

/** First page of a playground: what runs, and the way to a bot of one's own. */
export const startPage: Page = {
  name: 'start',
  title: { en: 'Start', ru: 'Начало' },
  icon: 'home',
  isForAdmins: true,
  isForPlayground: true,
  View: StartView,
};

function StartView() {
  const words = useTexts(texts);
  const setup = useQuery<SetupState>('api/setup');
  const system = useQuery<System>('api/system');
  const providers = useQuery<List<Provider>>('api/providers');
  const [started, setStarted] = useState<string>();
  if (started !== undefined) return <BotStarted username={started} />;
  return (
    <>
      <Card title={words.running}>
        <Loaded query={system}>
          {({ version, database }) => <p>{words.versions(version, database.kind, database.version)}</p>}
        </Loaded>
        {setup.data && (
          <p>{words.models(setup.data.models, setup.data.default_model, setup.data.default_image_model)}</p>
        )}
        {setup.data?.strangers_upload && <p>{words.strangersUpload}</p>}
      </Card>
      <Card title={words.playground}>
        <p>{words.playgroundBody}</p>
        <p>
          <a href={toUrl('playground')}>{words.openPlayground}</a>
        </p>
      </Card>
      <Loaded query={setup}>
        {(state) => (
          <>
            <ApiExample state={state} />
            <Loaded query={providers}>{({ data }) => <ProvidersCard connected={data} state={state} />}</Loaded>
            <BotSetup
              state={state}
              onConnected={() => {
                setup.reload();
                providers.reload();
              }}
              onStarted={setStarted}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Connected providers, and the settings that connect others. */
function ProvidersCard({ connected, state }: { readonly connected: readonly Provider[]; readonly state: SetupState }) {
  const words = useTexts(texts);
  return (
    <Card title={words.providers}>
      <ul>
        {connected.map(({ name, models, list }) => (
          <li key={name}>
            {words.provider(name, models)} {list.error !== null && <span class="error">{list.error}</span>}
          </li>
        ))}
      </ul>
      {state.is_demonstration && <p>{words.demonstration}</p>}
      <p>{words.connect}</p>
      <details>
        <summary>{words.variables}</summary>
        <Table
          label={words.variables}
          rows={state.presets}
          keyOf={({ name }) => name}
          columns={[
            { title: words.providerName, cell: ({ display_name: name }) => name },
            { title: words.variable, cell: ({ variable }) => <code>{variable}</code> },
          ]}
        />
      </details>
    </Card>
  );
}

/** A request to copy, and a key of one's own for it. */
function ApiExample({ state }: { readonly state: SetupState }) {
  const words = useTexts(texts);
  const [secret, setSecret] = useState<string>();
  const create = useAction(async () => {
    const key = await request<KeyWithSecret>('POST', 'api/me/keys', { body: { label: words.keyLabel } });
    setSecret(key.secret);
  });
  const { kind, path } = state.universal_key;
  const body = JSON.stringify({
    model: state.default_model ?? 'demo',
    messages: [{ role: 'user', content: 'count to 5' }],
  });
  const curl = [
    ...(secret === undefined && kind === 'file' ? [`SWITCHBOARD_KEY=$(cat '${path}')`] : []),
    `curl ${toUrl('ai/openai/chat/completions')} \\`,
    `  -H "Authorization: Bearer ${secret ?? '$SWITCHBOARD_KEY'}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join('\n');
  return (
    <Card title={words.api}>
      <p>{words.apiBody}</p>
      <Snippet label={words.example} text={curl} />
      {secret === undefined ? (
        <>
          <p>{describeKey(words, kind)}</p>
          <div class="buttons">
            <Button kind="primary" isBusy={create.isRunning} onPress={() => create.run()}>
              {words.createKey}
            </Button>
          </div>
        </>
      ) : (
        <p role="status">{words.keyCreated}</p>
      )}
    </Card>
  );
}

function describeKey(words: (typeof texts)['en'], kind: SetupState['universal_key']['kind']): string {
  switch (kind) {
    case 'file':
      return words.universalKey;
    case 'configured':
      return words.universalKeyConfigured;
    case 'elsewhere':
      return words.universalKeyLost;
    case 'off':
    case 'unkept':
      return words.noUniversalKey;
  }
}
