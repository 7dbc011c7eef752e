import { useState } from 'preact/hooks';
import { unquote } from '../../../lib/unquote.ts';
import { request } from '../../api/request.ts';
import type { SettingEffect } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useSubmission } from '../../ui/use-action.ts';
import { useTexts } from '../../view-context.ts';
import { Verdict } from './step.tsx';
import { texts } from './texts.ts';
import { toProviderName } from './to-settings.ts';

/** Connects a host with OpenAI's protocol by its address. The service tries it before it is stored. */
export function OwnHost({ onConnected }: { readonly onConnected: () => void }) {
  const words = useTexts(texts);
  const [address, setAddress] = useState('');
  const [key, setKey] = useState('');
  const [connected, setConnected] = useState('');
  const connect = useSubmission(async () => {
    const name = toProviderName(address);
    const keys = key.trim() === '' ? {} : { api_keys: [key] };
    const body = { value: { base_url: unquote(address), ...keys } };
    await request<SettingEffect>('PUT', `api/settings/provider:${name}`, { body });
    setConnected(name);
    onConnected();
  });
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    setConnected('');
    connect.forget();
  };
  return (
    <Form onSubmit={connect.run}>
      <Field
        label={words.hostAddress}
        hint={words.hostAddressHint}
        isRequired
        value={address}
        onChange={change(setAddress)}
      />
      <Field label={words.keyField} hint={words.hostKeyHint} type="password" value={key} onChange={change(setKey)} />
      <div>
        <Button kind="primary" isSubmit isBusy={connect.isRunning}>
          {words.connectNow}
        </Button>
      </div>
      <div role="status">
        {connected !== '' && <Verdict kind="good">{words.connected(connected)}</Verdict>}
        {connect.problem !== undefined && <Verdict kind="bad">{connect.problem}</Verdict>}
      </div>
    </Form>
  );
}
