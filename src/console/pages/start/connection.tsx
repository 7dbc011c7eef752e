import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import type { SettingEffect } from '../../api/types.ts';
import { useSubmission } from '../../ui/use-action.ts';
import { useTexts } from '../../view-context.ts';
import { Verdict } from './step.tsx';
import { texts } from './texts.ts';

/** The setting of a provider as it is sent. */
interface ProviderSetting {
  readonly name: string;
  readonly body: object;
}

/** Connects a provider by storing its setting. @param toSetting returns the setting that the fields describe. */
export function useConnection(toSetting: () => ProviderSetting, onConnected: () => void) {
  const [connected, setConnected] = useState<string>();
  const { run, isRunning, problem, forget } = useSubmission(async () => {
    const { name, body } = toSetting();
    await request<SettingEffect>('PUT', `api/settings/provider:${name}`, { body });
    setConnected(name);
    onConnected();
  });
  return {
    run,
    isRunning,
    problem,
    /** Name of the provider that was connected last. */
    connected,
    /** Drops the result. */
    forget() {
      setConnected(undefined);
      forget();
    },
  };
}

/** Result of connecting a provider. */
export function ConnectionStatus({
  connected,
  problem,
}: Pick<ReturnType<typeof useConnection>, 'connected' | 'problem'>) {
  const words = useTexts(texts);
  return (
    <div role="status">
      {connected !== undefined && <Verdict kind="good">{words.connected(connected)}</Verdict>}
      {problem !== undefined && <Verdict kind="bad">{problem}</Verdict>}
    </div>
  );
}
