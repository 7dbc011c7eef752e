import { requestDeletion } from '../../api/request.ts';
import type { Session } from '../../api/types.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { useTimeFormat } from '../../formats.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useProfile } from '../../view-context.ts';
import { describeDevice } from './describe-device.ts';
import { texts } from './texts.ts';

const PATH = 'api/me/sessions';

export function SessionsView() {
  const words = useOwnTexts(texts);
  const formatTime = useTimeFormat();
  const { session_id: ownId } = useProfile();
  const sessions = useQuery<List<Session>>(PATH);
  const end = useAction(async (path: string) => {
    await requestDeletion(path);
    showToast(words.ended);
    sessions.reload();
  });
  return (
    <Loaded query={sessions}>
      {({ data }) => (
        <Card>
          <p>{words.about}</p>
          <Table
            label={words.device}
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                title: words.device,
                cell: ({ user_agent }) => <span title={user_agent}>{describeDevice(user_agent)}</span>,
              },
              { title: words.origin, cell: ({ origin }) => words.origins[origin] },
              { title: words.lastUsed, cell: ({ last_used_at }) => formatTime(last_used_at) },
              { title: words.expires, cell: ({ expires_at }) => formatTime(expires_at) },
              {
                title: words.action,
                cell: ({ id }) =>
                  id === ownId ? (
                    <span class="badge">{words.here}</span>
                  ) : (
                    <Button isBusy={end.isRunning} onPress={() => end.run(`${PATH}/${id}`)}>
                      {words.end}
                    </Button>
                  ),
              },
            ]}
          />
          {data.length > 1 && (
            <div class="buttons">
              <Button kind="danger" isBusy={end.isRunning} onPress={() => end.run(PATH)}>
                {words.endOthers}
              </Button>
            </div>
          )}
        </Card>
      )}
    </Loaded>
  );
}
