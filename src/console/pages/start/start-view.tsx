import { toUrl } from '../../api/request.ts';
import type { Provider, SetupState, System } from '../../api/types.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { ApiExample } from './api-example.tsx';
import { BotSetup } from './bot-setup.tsx';
import { ProvidersCard } from './providers-card.tsx';
import { texts } from './texts.ts';

export function StartView() {
  const words = useOwnTexts(texts);
  const setup = useQuery<SetupState>('api/setup');
  const system = useQuery<System>('api/system');
  const providers = useQuery<List<Provider>>('api/providers');
  return (
    <>
      <Card title={words.running}>
        <Loaded query={system}>
          {({ version, database }) => <p>{words.versions(version, database.kind, database.version)}</p>}
        </Loaded>
        {setup.data && (
          <p>{words.models(setup.data.models, setup.data.default_model, setup.data.default_image_model)}</p>
        )}
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
            <BotSetup state={state} />
          </>
        )}
      </Loaded>
    </>
  );
}
