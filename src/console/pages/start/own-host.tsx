import { useState } from 'preact/hooks';
import { unquote } from '../../../lib/unquote.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useTexts } from '../../view-context.ts';
import { ConnectionStatus, useConnection } from './connection.tsx';
import { texts } from './texts.ts';
import { toProviderName } from './to-settings.ts';

/** Connects a host with OpenAI's protocol by its address. The service tries it before it is stored. */
export function OwnHost({ onConnected }: { readonly onConnected: () => void }) {
  const words = useTexts(texts);
  const [address, setAddress] = useState('');
  const [key, setKey] = useState('');
  const connection = useConnection(() => {
    const keys = key.trim() === '' ? {} : { api_keys: [key] };
    return { name: toProviderName(address), body: { value: { base_url: unquote(address), ...keys } } };
  }, onConnected);
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    connection.forget();
  };
  return (
    <Form onSubmit={connection.run}>
      <Field
        label={words.hostAddress}
        hint={words.hostAddressHint}
        isRequired
        value={address}
        onChange={change(setAddress)}
      />
      <Field label={words.keyField} hint={words.hostKeyHint} type="password" value={key} onChange={change(setKey)} />
      <div>
        <Button kind="primary" isSubmit isBusy={connection.isRunning}>
          {words.connectNow}
        </Button>
      </div>
      <ConnectionStatus {...connection} />
    </Form>
  );
}
