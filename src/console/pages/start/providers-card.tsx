import type { Provider, SetupState } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { Table } from '../../ui/table.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface ProvidersCardProps {
  readonly connected: readonly Provider[];
  readonly state: SetupState;
}

/** Connected providers, and the settings that connect others. */
export function ProvidersCard({ connected, state }: ProvidersCardProps) {
  const words = useOwnTexts(texts);
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
