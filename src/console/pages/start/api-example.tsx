import { useState } from 'preact/hooks';
import { request, toUrl } from '../../api/request.ts';
import type { KeyWithSecret, SetupState } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Snippet } from '../../ui/copy-button.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

/** A request to copy, and a key of one's own for it. */
export function ApiExample({ state }: { readonly state: SetupState }) {
  const words = useOwnTexts(texts);
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
